package requirements

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// oracleScript says how Python and pip read two texts, each pair on one line of JSON.
const oracleScript = `
import json, sys
from pip._internal.req.req_file import preprocess, break_args_options
from pip._vendor.packaging.requirements import Requirement
def canonical(line):
    try:
        words, options = break_args_options(line)
        found = Requirement(words)
    except Exception:
        return None
    hashes = [option for option in options.split(" ") if option]
    if found.url or not all(option.startswith("--hash=") for option in hashes):
        return None
    return json.dumps([found.name, sorted(found.extras), str(found.specifier), str(found.marker or ""), hashes])
for line in sys.stdin:
    texts = json.loads(line)
    print(json.dumps([{"lines": text.splitlines(), "read": [canonical(one) for _, one in preprocess(text)]} for text in texts]), flush=True)
`

type understood struct {
	Lines []string
	Read  []*string // what pip makes of each line that it sees; nil for all but a package by its name
}

// oracle asks one Python for all texts of a test.
func oracle(tb testing.TB) func(texts ...string) []understood {
	tb.Helper()
	python := exec.Command("/usr/bin/python3", "-I", "-c", oracleScript)
	said := &strings.Builder{}
	python.Stderr = said
	questions, err := python.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	pipe, err := python.StdoutPipe()
	if err == nil {
		err = python.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = questions.Close(); _ = python.Wait() })
	answers := bufio.NewReader(pipe)
	return func(texts ...string) []understood {
		var found []understood
		question, err := json.Marshal(texts)
		if err == nil {
			_, err = io.WriteString(questions, string(question)+"\n")
		}
		var answer []byte
		if err == nil {
			answer, err = answers.ReadBytes('\n')
		}
		if err == nil {
			err = json.Unmarshal(answer, &found)
		}
		if err != nil {
			tb.Fatalf("Python isn't responding: %v %s", err, said)
		}
		return found
	}
}

// FuzzRequirements compares what is read from a list of packages with what Python makes of it: pip must see exactly the
// lines that were meant, each a package by its name, and none that it would not have found in the list itself.
func FuzzRequirements(f *testing.F) {
	for _, seed := range requirementSeeds() {
		f.Add(seed)
	}
	ask := oracle(f)
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		for name, fill := range map[string]func(*Requirements){
			"requirements.txt": func(found *Requirements) { found.addLines(text) },
			"descriptor":       func(found *Requirements) { found.add(text) },
		} {
			var found Requirements
			fill(&found)
			file := File(linesOf(found))
			answers := ask(file, text)
			if got := answers[0].Lines; !slices.Equal(got, linesOf(found)) {
				t.Errorf("%s: Python sees the lines %q in what was to be %q", name, got, linesOf(found))
			}
			rest := answers[1].Read
			for i, one := range answers[0].Read {
				if one == nil || i >= len(found.Packages) || !strings.HasPrefix(*one, fmt.Sprintf(`["%s", `, found.Packages[i].Name)) {
					t.Fatalf("%s: pip makes no package of %q in %q", name, file, text)
				}
				at := slices.IndexFunc(rest, func(other *string) bool { return other != nil && *other == *one })
				if at < 0 {
					t.Fatalf("%s: pip would not have found %s in %q", name, *one, text)
				}
				rest = rest[at+1:]
			}
			for _, left := range found.left {
				if visible(left.What) != left.What {
					t.Errorf("%s: what is left out is named with what can't be seen: %q", name, left.What)
				}
			}
		}
	})
}

// requirementSeeds are lines of real lists, and each of them with every character that Python ends a line at in the
// places that have been of use for smuggling another line in.
func requirementSeeds() []string {
	plain := []string{
		"six", "numpy\r\npandas>=1.0,<3 # why\n\n# no\n", "scipy[all] ~= 1.2 ; python_version < '4'", "A.b_c-d (>=1)", "name==1.*\\\n ", "# a \\\nsix",
		"x == 1!2.0.post1+local.1 ; (os_name == 'posix' or sys_platform != \"win32\") and python_version not in '2.7'",
		"six --hash=sha256:" + strings.Repeat("0a", 32), "-e .", "x @ https://evil.example/x.whl", "six ; platform_version == 'a --index-url=x'",
		"six ; 'a' == 'a'", "name==${HOME}", "six==1.0rc1.dev2", "six ; extra == 'x'", "six===1.0", "a[b , c]>1,!=2", "six#1", "six \t# x",
	}
	for _, end := range lineEnds {
		plain = append(plain, "six"+end+"-e .", "six ; python_version > '3'"+end+"http://127.0.0.1/x.tar.gz", "six # "+end+"--index-url=x", "# "+end+"six",
			"six=="+end+"1", end+"six"+end, "six \\"+end+"pandas", "a[b,"+end+"c]", "six ; python_version > '"+end+"-r x'")
	}
	return plain
}

// lineEnds are what str.splitlines ends a line at.
var lineEnds = []string{"\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029"}

func TestNothingIsSmuggledIntoTheListOfPackages(t *testing.T) {
	t.Parallel()
	ask := oracle(t)
	for _, end := range lineEnds {
		if lines := ask("a" + end + "b")[0].Lines; len(lines) != 2 {
			t.Errorf("%q ends no line: %q", end, lines)
		}
		for _, line := range []string{
			"six" + end + "-e .", "six ; python_version > '3'" + end + "http://127.0.0.1/x.tar.gz", "six # why" + end + "--index-url=http://127.0.0.1/",
			"six " + end + " evil", "six==1" + end + "0",
		} {
			var file, descriptor Requirements
			file.addLines("before\n" + line + "\nafter")
			descriptor.addDescriptor("additional_dependencies: {pip: [before, " + strconv.QuoteToASCII(line) + ", after]}")
			for from, found := range map[string]Requirements{listName: file, "descriptor": descriptor} {
				if lines := linesOf(found); !slices.Equal(lines, []string{"before", "after"}) || len(found.left) != 1 {
					t.Errorf("%s with %q: pip gets %q, and %q is left out", from, line, lines, found.left)
				}
				if told := found.left[0].What; !strings.HasPrefix(told, "six") || strings.Contains(told, end) {
					t.Errorf("%s with %q tells %q", from, line, told)
				}
			}
		}
	}
}

func linesOf(found Requirements) []string {
	lines := []string{}
	for _, one := range found.Packages {
		lines = append(lines, one.Line)
	}
	return lines
}

// FuzzFiles compares what is read from every file with what Python makes of it.
func FuzzFiles(f *testing.F) {
	for _, seed := range []string{
		"dependencies: [numpy=1.2, 'conda-forge::pytorch>=1,<2', {pip: [six, -e .]}]", "[project]\ndependencies = ['six>1', 'x @ https://evil.example/x']",
		"[tool.poetry.dependencies]\nnumpy = '^1.2'", "python-3.10", "r-4.2-2024-01-01", "Package: x\nImports: dplyr (>= 1.0),\n  ggplot2\n", "ffmpeg # why\ngit",
		"install.packages(c('a', \"b\"), repos = 'x') # '\nlibrary(a)", `{"R": {"Version": "4.2.2"}, "Packages": {"MASS": {"Version": "7.3-58", "Source": "Repository"}}}`,
		"additional_dependencies: {pip: [a], conda: [b=1=c], modules: [d]}", "dependencies: [\"a\\u2028b\", 'a=1\\n', python=3.8, 'numpy 1.2.* py_0', 'x=*', 'x[version=1]']",
	} {
		f.Add(seed)
	}
	ask := oracle(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range FileNames([]string{"cairn.yml"}) {
			found, err := Read(FromTexts(map[string]string{name: text}), []string{"cairn.yml"})
			if err != nil {
				t.Fatal(err)
			}
			lines := linesOf(found)
			file := File(lines)
			answer := ask(file)[0]
			if !slices.Equal(answer.Lines, lines) || len(answer.Read) != len(lines) || slices.Contains(answer.Read, nil) {
				t.Errorf("%s: pip sees %q where %q is meant", name, answer.Lines, lines)
			}
			for _, one := range found.R {
				if fields := one.Fields(); !rNameForm.MatchString(one.Name) || visible(fields) != fields {
					t.Errorf("%s: %q is asked of R", name, fields)
				}
			}
			for _, left := range found.LeftOut() {
				if visible(left.What) != left.What || left.Why == "" {
					t.Errorf("%s: %q is left out, %q", name, left.What, left.Why)
				}
			}
		}
	})
}
