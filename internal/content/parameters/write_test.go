package parameters

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// codeOf returns the code that Write adds to a cell, and "" if it adds none.
func codeOf(t testing.TB, language, declared string, given map[string]json.RawMessage) string {
	t.Helper()
	source, err := Write(notebookOf(t, language, declared), given)
	if err != nil {
		t.Fatalf("%q with %s: %v", declared, given, err)
	}
	var found struct {
		Cells []struct {
			Kind     string `json:"cell_type"`
			Metadata struct{ Tags []string }
			Source   []string
		}
	}
	_ = json.Unmarshal(source, &found) // the first cell's source is one text
	if len(found.Cells) < 2 {
		return ""
	}
	added := found.Cells[1]
	if len(found.Cells) > 2 || added.Kind != "code" || !slices.Equal(added.Metadata.Tags, []string{"injected-parameters"}) {
		t.Fatalf("%s", source)
	}
	return strings.Join(added.Source, "")
}

func TestWriteCode(t *testing.T) {
	python := "i = 1\nn = 1.5\ns = ''\nb = True\nl = []\no = {}\nz: str = None\nin_ = 5"
	r := "i <- 1L\nn <- 1.5\ns <- ''\nb <- TRUE\nl <- c(1)\no <- list(a = 1)\n.z <- 5\nm <- list(1)"
	for _, row := range []struct{ language, values, want string }{
		{languagePython, `{}`, ""},
		{languagePython, `{"n": 5, "i": 3.0, "b": true}`, "i = 3\nn = 5.0\nb = True"},
		{languagePython, `{"n": -0, "i": -0}`, "i = -0\nn = -0.0"},
		{languagePython, `{"n": 1e5, "i": 1.5E+3, "b": false, "z": null}`, "i = 1500\nn = 1e5\nb = False\nz = None"},
		{languagePython, `{"n": 12345678901234567890, "i": 12345678901234567890}`, "i = 12345678901234567890\nn = 12345678901234567890.0"},
		{languagePython, `{"s": "'; import os", "z": "\"\"\"\\"}`, `s = "'; import os"` + "\n" + `z = "\"\"\"\\"`},
		{languagePython, `{"s": "é\n\r\t\u0000\u2028\ud800 \ud83d\ude00\u00a0\ue000\udb40\udc01"}`, `s = "é\n\r\t\u0000\u2028` + "\ufffd 😀" + `\u00a0\ue000\U000e0001"`},
		{languagePython, `{"l": [1, 2.0, "x", [null, true], {"b": 1, "a": {}}], "o": {"z\"": [], "a": 5}}`, `l = [1, 2.0, "x", [None, True], {"b": 1, "a": {}}]` + "\n" + `o = {"z\"": [], "a": 5}`},
		{languageR, `{"n": 5, "i": 3.0, "b": true}`, "i <- 3L\nn <- 5\nb <- TRUE"},
		{languageR, `{"i": 2147483647}`, "i <- 2147483647L"},
		{languageR, `{"i": -2147483648}`, "i <- -2147483648"},
		{languageR, `{"s": "'; q()", "b": false, ".z": 1e3}`, `s <- "'; q()"` + "\nb <- FALSE\n.z <- 1e3"},
		{languageR, `{"s": "é\n\u0001\u2028\ud83d\ude00\u007f#{}"}`, `s <- "é\n\u0001\u2028😀\u007f#{}"`},
		{languageR, `{"l": [1, 2.5], "m": [1, 2]}`, "l <- c(1, 2.5)\nm <- list(1, 2)"},
		{languageR, `{"l": [], "m": []}`, "l <- c()\nm <- list()"},
		{languageR, `{"l": [1, "x"], "m": [[1, 2], null, []]}`, `l <- list(1, "x")` + "\nm <- list(c(1, 2), NULL, c())"},
		{languageR, `{"l": ["x", "y"], "o": {"a` + "`" + `\"": [true], "b": {}}}`, `l <- c("x", "y")` + "\n" + `o <- list("a` + "`" + `\"" = c(TRUE), "b" = setNames(list(), character(0)))`},
		{languageR, `{"o": {}}`, "o <- setNames(list(), character(0))"},
	} {
		declared := python
		if row.language == languageR {
			declared = r
		}
		want := row.want
		if want != "" {
			want = "# Parameters\n" + want
		}
		if got := codeOf(t, row.language, declared, values(t, row.values)); got != want {
			t.Errorf("%s %s gave\n%s\nnot\n%s", row.language, row.values, got, want)
		}
	}
}

// nasty are the parts of texts that would end a string, or change what comes after it, where they are written without care.
var nasty = []string{
	`"`, `'`, `\`, `\\`, "\n", "\r", "\r\n", "\t", "\x01", "\x1b[0m", "\x7f", "\u0085", "\u2028", "\u2029", "\ufeff", "\u202e", "\ufffd", "\uffff", "\u00a0",
	"\U000e0001", "\U0010ffff", "😀", "é", "e\u0301", `"""`, `'''`, `#{}`, "{x}", "`", "`q()`", "$(x)", "%s", "%%bash\n", "!ls\n", "\n!ls", `\n`, `\u0041`, `\N{DASH}`, `\x`,
	"; import os", "); q()", "# ", "<!--", "</script>", "", " ", `r"(`, `)"`, "-", "a",
}

func randomText(random *rand.Rand) string {
	var text strings.Builder
	for range random.IntN(6) {
		text.WriteString(nasty[random.IntN(len(nasty))])
	}
	return text.String()
}

var numbers = []string{"0", "-0", "5", "-5", "3.0", "0.1", "-1.5e-7", "1E5", "1e+20", "2147483647", "2147483648", "-2147483647", "-2147483648", "9007199254740991", "1e308", "5e-324"}

// randomJSON returns a value with at most so many lists or objects in each other.
func randomJSON(random *rand.Rand, depth int) any {
	switch kind := random.IntN(7); {
	case kind < 2:
		return randomText(random)
	case kind == 2:
		return json.Number(numbers[random.IntN(len(numbers))])
	case kind == 3:
		return random.IntN(2) == 0
	case kind == 4 || depth == 0:
		return nil
	case kind == 5:
		return randomList(random, depth-1)
	default:
		return randomObject(random, depth-1)
	}
}

func randomList(random *rand.Rand, depth int) any {
	list := []any{}
	for range random.IntN(4) {
		list = append(list, randomJSON(random, depth))
	}
	return list
}

func randomObject(random *rand.Rand, depth int) any {
	object := map[string]any{}
	for range random.IntN(4) {
		object["k"+randomText(random)] = randomJSON(random, depth)
	}
	return object
}

// TestWrittenValuesAreRead lets the interpreters read what was written: each value is the one in JSON, and there is nothing
// else.
func TestWrittenValuesAreRead(t *testing.T) {
	cells := map[string]string{
		languagePython: "s = ''\ni = 1\nn = 1.5\nb = True\nl = []\no = {}",
		languageR:      "s <- ''\ni <- 1L\nn <- 1\nb <- TRUE\nl <- c(1)\no <- list(a = 1)\nm <- list(1)",
	}
	for language, cell := range cells {
		t.Run(language, func(t *testing.T) {
			ask := startOracle(t, language)
			random := rand.New(rand.NewPCG(1, 2))
			written := func(text string) {
				number := numbers[random.IntN(len(numbers))]
				given := map[string]any{"s": text, "n": json.Number(number), "b": random.IntN(2) == 0, "l": randomList(random, 3), "o": randomObject(random, 3)}
				if digits, ok := whole(number); ok {
					given["i"] = json.Number(digits)
				}
				if language == languageR {
					given["m"] = randomList(random, 2)
				}
				texts := map[string]json.RawMessage{}
				for name, each := range given {
					texts[name] = encode(each)
				}
				code := codeOf(t, language, cell, texts)
				if !strings.ContainsAny(number, ".eE") {
					texts["n"] = json.RawMessage(number + ".0")
				}
				found := ask(code, texts)
				if !found.Readable || len(found.Wrong) > 0 || found.Statements != len(given) {
					t.Errorf("%s\nfrom %s is read as %+v", code, texts, found)
				}
				if digits := string(texts["i"]); language == languageR && digits != "" && (found.Classes["i"] == "integer") != isIntegerR(digits) {
					t.Errorf("%s is of class %s", digits, found.Classes["i"])
				}
				// The grammar has what was written.
				again := read(t, language, code)
				if len(again.Parameters) != len(given) || len(again.Unread) > 0 {
					t.Errorf("%s\nwas read as %q", code, summaries(again))
				}
				for _, each := range again.Parameters {
					if each.Default == nil && !strings.Contains(code, "setNames") {
						t.Errorf("%s\nwas read as %q", code, summaries(again))
					}
				}
			}
			for _, text := range nasty {
				written(text)
				written("a" + text + text + "b" + text)
			}
			for range draws[language] / 5 {
				written(randomText(random))
			}
		})
	}
}

// draws is how many pieces of code are made at random. R takes a millisecond for each.
var draws = map[string]int{languagePython: 1500, languageR: 500}

// literals makes code at random from what the languages have.
type literals struct {
	*rand.Rand

	r bool
}

func (l literals) one(of ...string) string { return of[l.IntN(len(of))] }

func (l literals) text() string {
	quote := l.one(`"`, `'`)
	pieces := []string{
		"a", "é", "😀", " ", "#", `\n`, `\\`, `\"`, `\'`, `\t`, `\a`, `\101`, `\x41`, `\x7e`, `\7`, "{", "(", "]", "'", `"`, "\u2028", "\t", ";", "=", "`",
	}
	if l.r {
		if l.IntN(5) == 0 {
			dashes := strings.Repeat("-", l.IntN(3))
			return l.one("r", "R") + quote + dashes + l.one(`(a"'\)`, "[\n]", "{#)}", "()") + dashes + quote
		}
		pieces = append(pieces, "\n", `\u41`, `\u{e9}`, `\U0001F600`, "\\`", `\x4`, `\ `, `\d`, `\0`, `\u0000`, `\xe9`)
	} else {
		quote = l.one(quote, quote, strings.Repeat(quote, 3))
		pieces = append(pieces, "\\\n", `\u00e9`, `\U0001F600`, `\d`, `\é`, `\0`, `\377`, `\777`, `\8`, `\ud800`, `\xe9`, `\u41`)
		if len(quote) > 1 {
			pieces = append(pieces, "\n", `""`, "''")
		}
	}
	var body strings.Builder
	for range l.IntN(5) {
		body.WriteString(l.one(pieces...))
	}
	prefix := ""
	if !l.r {
		prefix = l.one("", "", "r", "U", "b")
	}
	return prefix + quote + body.String() + quote
}

func (l literals) number() string {
	digits := func() string {
		text := fmt.Sprint(l.IntN(20))
		if !l.r && l.IntN(3) == 0 {
			text += "_" + fmt.Sprint(l.IntN(1000))
		}
		return text
	}
	exponent := ""
	if l.IntN(3) == 0 {
		exponent = l.one("e", "E") + l.one("", "+", "-") + fmt.Sprint(l.IntN(30))
	}
	number := l.one(digits(), digits()+exponent, digits()+"."+exponent, "."+digits()+exponent, digits()+"."+digits()+exponent, "0x"+l.one("1F", "a0", "0"), "00", "1234567890123456789")
	if l.r {
		number += l.one("", "", "L", "i")
	} else {
		number = l.one(number, number, number, "0b1_0", "0o17", "0B2", "12_", "5j")
	}
	return l.one("", "", "-", "+", "- ") + number
}

func (l literals) literal(depth int) string {
	switch kind := l.IntN(6); {
	case kind < 2 || depth == 0:
		return l.text()
	case kind == 2:
		return l.number()
	case kind == 3 && l.r:
		return l.one("TRUE", "FALSE", "NULL", "NA", "c('a', \"b\")", "c(1, 2L)", "c ()")
	case kind == 3:
		return l.one("True", "False", "None", "'a' \"b\"", "(1)", "()")
	}
	return l.brackets(depth - 1)
}

func (l literals) brackets(depth int) string {
	object := l.IntN(2) == 0
	var list []string
	for range l.IntN(4) {
		space := l.one("", "", " ", "\n", " # it's (\n")
		item := space + l.literal(depth) + l.one("", " ", "\n")
		switch {
		case object && l.r:
			item = l.one("a", "b.c", "`d e`", "'f'") + " =" + item
		case object:
			item = l.one("'a'", `"\x62"`, "'c' 'd'", "5") + space + ":" + item
		}
		list = append(list, item)
	}
	comma := l.one("", "", ",")
	switch inside := strings.Join(list, ","); {
	case l.r:
		return "list(" + inside + ")"
	case object:
		return "{" + inside + comma + "}"
	default:
		return l.one("["+inside+comma+"]", "("+inside+comma+")")
	}
}

// TestRandomLiterals compares what is read with what the interpreters read.
func TestRandomLiterals(t *testing.T) {
	for _, language := range []string{languagePython, languageR} {
		t.Run(language, func(t *testing.T) {
			ask := startOracle(t, language)
			made := literals{rand.New(rand.NewPCG(3, 4)), language == languageR}
			known := 0
			count := draws[language]
			for range count {
				code := "x = " + made.literal(3) + made.one("", "", " ", ";", " # a 'comment'")
				agrees(t, ask, language, code)
				if d := read(t, language, code); len(d.Parameters) == 1 && d.Parameters[0].Default != nil {
					known++
				}
			}
			if known < count/2 {
				t.Errorf("only %d of %d literals were read", known, count)
			}
		})
	}
}

var fragments = map[string][]string{
	languagePython: {
		"a = 1", "b: int = 2 # it's", "c = 'x;y'", "d = f(1)", "import os", "if a:\n    b = 3", "    c = 4", "def f():\n  a = 5\n\n  return a", "a += 1", "d = [\n1,\n  2]",
		"'''\na = 7\n'''", "e = '''x\nb = 6'''", "a = \\\n 8", "f: str", "# c = 9", "", "  # x", "e = {'a': (\n1,)} # {", "print('a = 5')", "b = c = 5", "a, b = 1, 2", "f = lambda: (\n1)",
		"with x: pass", "d = (\n a == 5)", "c = 1,", "for a in b: pass\nelse:\n  c = 5", "class A:\n  a = 5", "a = 'x' \\\n 'y'", "\ta = 5", "e = x[\n'a']; b = 5",
	},
	languageR: {
		"a <- 1", "b = 2 # it's", "c <- 'x;y'", "a <- list(x = 1,\n  y = 'z') # x", "b <- r\"(\n)\"", "a <-\n 5", "# c <- 9", "", "  # x", "  b <- TRUE", "d <- 'x\nb <- 6'", "e <- c(1,\n 2)",
		"a <- -5L;", "f <- \"a\\\nb\"",
	},
}

// TestRandomCells compares what is read from several statements with what the interpreters read.
func TestRandomCells(t *testing.T) {
	for language, list := range fragments {
		t.Run(language, func(t *testing.T) {
			ask := startOracle(t, language)
			random := rand.New(rand.NewPCG(5, 6))
			for range draws[language] {
				var cell strings.Builder
				for range 1 + random.IntN(5) {
					cell.WriteString(list[random.IntN(len(list))] + []string{"\n", "\n", "\n", ";", "; "}[random.IntN(5)])
				}
				code := cell.String()
				if !strings.Contains(strings.Join(read(t, language, code).Unread, ""), ";") { // declarations on an unread line don't count
					agrees(t, ask, language, code)
				}
			}
		})
	}
}
