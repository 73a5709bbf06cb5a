package parameters

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

const metadata = `"metadata": {"kernelspec": {"name": "python3", "language": "python"}}`

func TestReadNotebooks(t *testing.T) {
	cells := `"cells": [5, {"cell_type": "markdown", "metadata": {"tags": ["parameters"]}, "source": "x = 0"},
		{"cell_type": "code", "metadata": {"tags": "parameters"}, "source": "x = 1"}, {"cell_type": "code", "metadata": [], "source": "x = 2"},
		{"cell_type": "code", "metadata": {"tags": ["a", "parameters"]}, "source": ["x = 3\n", "y = 4"]}, {"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": "x = 5"}]`
	for source, want := range map[string]string{
		`{"nbformat": 4, ` + metadata + `, ` + cells + `}`:                                                                       "python [x integer 3 y integer 4]",
		"\xef\xbb\xbf" + `{"nbformat": 4.0, ` + metadata + `, "a": [NaN, -Infinity], ` + cells + `}`:                             "python [x integer 3 y integer 4]",
		`{"nbformat": 4, "metadata": {"kernelspec": {"language": "r"}}, ` + cells + `}`:                                          "R [x number 3 y number 4]",
		`{"nbformat": 4, "metadata": {"kernelspec": {"name": "python3"}}, ` + cells + `}`:                                        "python [x integer 3 y integer 4]",
		`{"nbformat": 4, "metadata": {"kernelspec": {"name": "ir"}}, ` + cells + `}`:                                             "R [x number 3 y number 4]",
		`{"nbformat": 4, "metadata": {"language_info": {"name": "R"}}, ` + cells + `}`:                                           "R [x number 3 y number 4]",
		`{"nbformat": 4, "metadata": {"language_info": {"name": "julia"}, "kernelspec": {"name": "python3"}}, ` + cells + `}`:    " []",
		`{"nbformat": 4, "metadata": {"kernelspec": 5}, ` + cells + `}`:                                                          " []",
		`{"nbformat": 4, "metadata": null, ` + cells + `}`:                                                                       " []",
		`{"nbformat": 4, ` + metadata + `}`:                                                                                      "python []",
		`{"nbformat": 4, ` + metadata + `, "cells": null}`:                                                                       "python []",
		`{"nbformat": 4, ` + metadata + `, "cells": []}`:                                                                         "python []",
		`{"nbformat": 4, ` + metadata + `, "cells": [{"cell_type": "code", "metadata": {"tags": ["parameters"]}}]}`:              "python []",
		`{"nbformat": 4, ` + metadata + `, "cells": [{"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": 5}]}`: "python []",
	} {
		declared, err := Read([]byte(source))
		if got := fmt.Sprintf("%s %v", declared.Language, summaries(declared)); err != nil || got != want {
			t.Errorf("%s\ngave %s %v, not %s", source, got, err, want)
		}
		if written, err := Write([]byte(source), nil); err != nil || string(written) != source {
			t.Errorf("%s\nbecame %s %v", source, written, err)
		}
		if text, _ := json.Marshal(declared); !strings.Contains(string(text), `"parameters":[`) {
			t.Errorf("%s", text)
		}
	}
	for _, source := range []string{"", "x", "[]", "null", "{}", `{"nbformat": 3, "metadata": {}, "worksheets": []}`, `{"nbformat": 5}`, `{"nbformat": 4, "cells": {}}`, `{"nbformat": 4, "cells": [`} {
		if _, err := Read([]byte(source)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s gave %v", source, err)
		}
		if _, err := Write([]byte(source), nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s gave %v", source, err)
		}
	}
}

// As Jupyter writes it, apart from numbers that only Python has.
const written = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "injected-parameters",
   "metadata": {},
   "source": [
    "<b>, NaN & \"cells\": []"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "a",
   "metadata": {
    "tags": [
     "parameters"
    ]
   },
   "outputs": [
    {"data": {"application/json": [1.0, 1e5, NaN, -Infinity, 12345678901234567890]}}
   ],
   "source": [
    "count = 5\n",
    "name: str\n",
    "flag = True"
   ]
  },%s
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "b",
   "metadata": {},
   "outputs": [],
   "source": []
  }
 ],
 "metadata": {
  "kernelspec": {
   "language": "python"
  },
  "zeta": 1.50, "alpha": 2
 },
 "nbformat": 4,
 "nbformat_minor": 5,
 "unknown": {"b": 1, "a": 2}
}
`

const injected = `
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "injected-parameters-2",
   "metadata": {
    "tags": [
     "injected-parameters"
    ]
   },
   "outputs": [],
   "source": [
    "# Parameters\n",
    "count = 7\n",
    "name = \"a <b> & \\\"c\\\"\""
   ]
  },`

func TestWriteChangesNothingElse(t *testing.T) {
	source := fmt.Sprintf(written, "")
	values := map[string]json.RawMessage{"name": json.RawMessage(`"a <b> & \"c\""`), "count": json.RawMessage(`7.0`)}
	got, err := Write([]byte(source), values)
	if want := fmt.Sprintf(written, injected); err != nil || string(got) != want {
		t.Fatalf("got %v\n%s\nnot\n%s", err, got, want)
	}
	again, err := Write(got, values)
	if err != nil || !bytes.Equal(again, got) {
		t.Errorf("again it gives %v\n%s", err, again)
	}
	// One more value takes the place of those before, and with none the cell is gone. The notebook needs a name, so the
	// parameter must have got a default.
	got = bytes.Replace(got, []byte(`"name: str\n"`), []byte(`"name = ''\n"`), 1)
	without, err := Write(got, nil)
	if want := strings.Replace(source, `"name: str\n"`, `"name = ''\n"`, 1); err != nil || string(without) != want {
		t.Errorf("without values it is %v\n%s", err, without)
	}
	other, err := Write(got, map[string]json.RawMessage{"flag": json.RawMessage("false")})
	if err != nil || bytes.Count(other, []byte(`"injected-parameters"`)) != 2 || !bytes.Contains(other, []byte(`"flag = False"`)) {
		t.Errorf("with another value it is %v\n%s", err, other)
	}
}

func TestWritePlaces(t *testing.T) {
	declared := `{"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": "x = 1"}`
	former := `{"cell_type": "code", "metadata": {"tags": ["injected-parameters"]}, "source": "x = 2"}`
	made := `{"cell_type":"code","execution_count":null,"metadata":{"tags":["injected-parameters"]},"outputs":[],"source":["# Parameters\n","x = 3"]}`
	other, text := `{"cell_type": "code"}`, `{"cell_type": "markdown", "metadata": {"tags": ["injected-parameters"]}}`
	for _, row := range []struct{ before, after, without string }{
		{"[%d]", "[%d,%m]", "[%d]"},
		{"[ %d ]", "[ %d, %m ]", "[ %d ]"},
		{"[%f, %d, %o]", "[ %d, %m, %o]", "[ %d, %o]"},
		{"[%d, %f]", "[%d,%m]", "[%d]"},
		{"[%o, %d, %f, %f]", "[%o, %d, %m]", "[%o, %d]"},
		{"[%d , %o , %f , %t]", "[%d,%m , %o , %t]", "[%d , %o , %t]"},
		{"[\n\n%d\n]", "[\n\n%d,\n\n%M\n]", "[\n\n%d\n]"},
		{"[%f]", "", "[]"},
		{"[%f, %o]", "", "[ %o]"},
	} {
		filled := func(cells string) string {
			var lines bytes.Buffer
			if err := json.Indent(&lines, []byte(made), "", ""); err != nil {
				t.Fatal(err)
			}
			return `{"nbformat": 4, ` + metadata + `, "cells": ` +
				strings.NewReplacer("%d", declared, "%f", former, "%m", made, "%M", lines.String(), "%o", other, "%t", text).Replace(cells) + `}`
		}
		got, err := Write([]byte(filled(row.before)), map[string]json.RawMessage{"x": json.RawMessage("3")})
		if row.after == "" {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%s gave %v", row.before, err)
			}
		} else if err != nil || string(got) != filled(row.after) {
			t.Errorf("%s became %v\n%s\nnot\n%s", row.before, err, got, filled(row.after))
		}
		if got, err = Write([]byte(filled(row.before)), nil); err != nil || string(got) != filled(row.without) {
			t.Errorf("%s became %v\n%s\nnot\n%s", row.before, err, got, filled(row.without))
		}
	}
}

func TestIDsAreNew(t *testing.T) {
	source := string(notebookOf(t, languagePython, "x = 1"))
	for range 3 { // whatever was there is no former cell of ours
		got, err := Write([]byte(source), map[string]json.RawMessage{"x": json.RawMessage("3")})
		if err != nil {
			t.Fatal(err)
		}
		var read struct {
			Cells []struct{ ID string }
		}
		if err := json.Unmarshal(got, &read); err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, each := range read.Cells {
			if each.ID == "" || ids[each.ID] {
				t.Errorf("%s", got)
			}
			ids[each.ID] = true
		}
		source = strings.Replace(string(got), `["injected-parameters"]`, `[]`, 1)
	}
}

func TestLimitsOfCells(t *testing.T) {
	lines := func(count int, line func(int) string) string {
		var list []string
		for i := range count {
			list = append(list, line(i))
		}
		return strings.Join(list, "\n")
	}
	numbered := func(i int) string { return fmt.Sprintf("x%d = %d", i, i) }
	for language := range tables {
		d := read(t, language, lines(150, numbered)+"\nx0 = 'again'")
		if len(d.Parameters) != maxParameters || len(d.Unread) != maxUnread || d.Unread[0] != "x100 = 100" || string(d.Parameters[0].Default) != `"again"` {
			t.Errorf("%s: %d parameters, %q", language, len(d.Parameters), d.Unread)
		}
		d = read(t, language, "x = 1\n"+strings.Repeat("# comment\n", maxCell/10)+"y = 2")
		if got := summaries(d); len(d.Parameters) != 1 || !slices.Contains(got, "! y = 2") {
			t.Errorf("%s: %q", language, got)
		}
		d = read(t, language, "x = '"+strings.Repeat("é", maxCell/2)+"'")
		if len(d.Parameters) != 0 || len(d.Unread) != 1 || d.Unread[0] != "x = '"+strings.Repeat("é", maxText-5) {
			t.Errorf("%s: %q", language, summaries(d))
		}
		d = read(t, language, "x = '"+strings.Repeat("\t", maxCell-20)+"' # "+strings.Repeat("é", 2))
		if len(d.Parameters) != 1 || d.Parameters[0].Default != nil {
			t.Errorf("%s: a value of %d bytes in JSON was read", language, len(d.Parameters[0].Default))
		}
		if d = read(t, language, "x = 5 #"+strings.Repeat(" é", maxHelp)); len([]rune(d.Parameters[0].Help)) != maxHelp {
			t.Errorf("%s: %q", language, d.Parameters[0].Help)
		}
		opening, closing := "[", "]"
		if language == languageR {
			opening, closing = "list(", ")"
		}
		for depth, kind := range map[int]Type{maxDepth: List, maxDepth + 1: Unknown, 5000: Unknown} {
			d = read(t, language, "x = "+strings.Repeat(opening, depth)+strings.Repeat(closing, depth))
			if len(d.Parameters) != 1 || d.Parameters[0].Type != kind {
				t.Errorf("%s: %d brackets gave %.200q", language, depth, summaries(d))
			}
		}
	}
	for digits, kind := range map[int]Type{maxNumber: Integer, maxNumber + 1: Unknown} {
		if d := read(t, languagePython, "x = -"+strings.Repeat("9", digits)); d.Parameters[0].Type != kind {
			t.Errorf("%d digits are %s", digits, d.Parameters[0].Type)
		}
	}
}

// The cells that would take longest if any part of a line were read again and again.
func TestLongCellsAreReadAtOnce(t *testing.T) {
	for language := range tables {
		for _, part := range []string{
			"x=1\n", "x=1;", "x=(\n", "x='", "x=\"\"\"", "x=r'(", "'", `"a"`, "x=[", "x={'a':", "list(", "c(list(a=", "x=1,", "#", "\\\n", "\n", " ", "x:", "(", ")",
			"0x", "9", "1_", "1e", `\`, `x="\u{`, "`", `r"-`, `r"(`, "-", "x=\\\n", "x: Optional[", "x=5 # type: [", "x <- ", "é", "\x00", "x=5 |None",
		} {
			for _, prefix := range []string{"", "x=", "x=[", "x <- c("} {
				read(t, language, prefix+strings.Repeat(part, maxCell/len(part)))
			}
		}
	}
}
