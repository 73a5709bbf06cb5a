package comparator

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

// code returns a cell as JSON; outputs are JSON too.
func code(id, source string, count any, outputs ...string) string {
	number, _ := json.Marshal(count)
	text, _ := json.Marshal(source)
	return fmt.Sprintf(`{"cell_type":"code","id":%q,"metadata":{},"source":%s,"execution_count":%s,"outputs":[%s]}`, id, text, number, strings.Join(outputs, ","))
}

func stdout(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"output_type":"stream","name":"stdout","text":` + string(quoted) + `}`
}

func shows(mime, content string) string {
	quoted, _ := json.Marshal(content)
	return fmt.Sprintf(`{"output_type":"display_data","metadata":{},"data":{%q:%s}}`, mime, quoted)
}

func raises(name, message string) string {
	return fmt.Sprintf(`{"output_type":"error","ename":%q,"evalue":%q,"traceback":[]}`, name, message)
}

func notebook(t testing.TB, cells ...string) *Notebook {
	t.Helper()
	n, err := Read([]byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[` + strings.Join(cells, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCountsOfARunThatStops(t *testing.T) {
	author := notebook(t,
		code("a", "import x", 1),
		code("b", "print(1)", 2, stdout("1")),
		code("c", "print(2)", 3, stdout("2")),
		code("d", "  ", nil),
		code("e", "print(4)", 4, stdout("4")),
		`{"cell_type":"code","id":"f","metadata":{"tags":["skip-execution"]},"source":"wait()","execution_count":null,"outputs":[]}`,
		`{"cell_type":"markdown","id":"g","metadata":{},"source":"# Title"}`)
	run := notebook(t, code("a", "import x", 1), code("b", "print(1)", 2, stdout("1")),
		code("c", "print(2)", 3, raises("ModuleNotFoundError", "nest")), code("d", "  ", nil), code("e", "print(4)", nil))
	result := Compare(author, run, nil)
	if want := (Counts{Total: 5, Ran: 2, Skipped: 1, Missed: 1, Same: 1, Differs: 1}); result.Counts != want {
		t.Errorf("counts are %+v, want %+v", result.Counts, want)
	}
	var verdicts []Verdict
	for _, cell := range result.Cells {
		verdicts = append(verdicts, cell.Verdict)
	}
	if want := []Verdict{NothingToCompare, Identical, Different, NotRun, NothingToCompare}; !reflect.DeepEqual(verdicts, want) {
		t.Errorf("verdicts are %v, want %v", verdicts, want)
	}
	if result.Cells[2].Failed != "ModuleNotFoundError" {
		t.Errorf("the cell that stopped it has the exception %q", result.Cells[2].Failed)
	}
}

func TestNotebookWithoutOutputsHasNothingToCompare(t *testing.T) {
	result := Compare(notebook(t, code("a", "print(1)", 1)), notebook(t, code("a", "print(1)", 1, stdout("1"))), nil)
	if result.Counts.Compared() != 0 || result.Cells[0].Verdict != NothingToCompare || result.Counts.Ran != 1 {
		t.Errorf("got %+v", result)
	}
}

func TestCellsAreAligned(t *testing.T) {
	out := func(n int) string { return stdout(fmt.Sprint(n)) }
	tests := map[string]struct {
		author, run []string
		places      []int
	}{
		"by id":                 {[]string{code("a", "f()", 1, out(1)), code("b", "f()", 2, out(2))}, []string{code("b", "f()", 1, out(2)), code("a", "f()", 2, out(1))}, []int{1, 0}},
		"by source in order":    {[]string{code("", "f()", 1, out(1)), code("", "f()", 2, out(2))}, []string{code("", "f()", 1, out(1)), code("", "f()", 2, out(2))}, []int{0, 1}},
		"new ids":               {[]string{code("", "f()", 1, out(1)), code("", "g()", 2, out(2))}, []string{code("x", "f()", 1, out(1)), code("y", "g()", 2, out(2))}, []int{0, 1}},
		"beside one more":       {[]string{code("", "f()", 1, out(1))}, []string{code("x", "p = 1", 1), code("y", "f()", 2, out(1))}, []int{1}},
		"another source":        {[]string{code("a", "f()", 1, out(1))}, []string{code("a", "g()", 1, out(1))}, []int{-1}},
		"white space around it": {[]string{code("a", "f()\n", 1, out(1))}, []string{code("a", "f()", 1, out(1))}, []int{0}},
		"the same id twice":     {[]string{code("a", "f()", 1, out(1)), code("a", "g()", 2, out(2))}, []string{code("a", "f()", 1, out(1)), code("a", "g()", 2, out(2))}, []int{0, 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			result := Compare(notebook(t, test.author...), notebook(t, test.run...), nil)
			for i, cell := range result.Cells {
				if cell.Run != test.places[i] {
					t.Errorf("cell %d is aligned with %d, want %d", i, cell.Run, test.places[i])
				}
				if want := Identical; cell.Run >= 0 && cell.Verdict != want || cell.Run < 0 && cell.Verdict != NotRun {
					t.Errorf("cell %d is %s", i, cell.Verdict)
				}
			}
		})
	}
}

func TestExceptionsThatAreExpected(t *testing.T) {
	failing := raises("ValueError", "bad")
	tagged := `{"cell_type":"code","id":"a","metadata":{"tags":["raises-exception"]},"source":"f()","execution_count":1,"outputs":[%s]}`
	for name, test := range map[string]struct {
		author, run string
		verdict     Verdict
		ran         int
	}{
		"stored":        {code("a", "f()", 1, failing), code("a", "f()", 1, raises("ValueError", "other")), Identical, 1},
		"tagged":        {fmt.Sprintf(tagged, failing), fmt.Sprintf(tagged, failing), Identical, 1},
		"tagged, new":   {fmt.Sprintf(tagged, stdout("x")), fmt.Sprintf(tagged, failing), Different, 1},
		"another":       {code("a", "f()", 1, failing), code("a", "f()", 1, raises("KeyError", "bad")), Different, 0},
		"new":           {code("a", "f()", 1, stdout("x")), code("a", "f()", 1, stdout("x"), failing), Different, 0},
		"no longer":     {code("a", "f()", 1, failing), code("a", "f()", 1), Different, 1},
		"after a print": {code("a", "f()", 1, stdout("x"), failing), code("a", "f()", 1, stdout("y"), failing), Different, 1},
	} {
		t.Run(name, func(t *testing.T) {
			result := Compare(notebook(t, test.author), notebook(t, test.run), nil)
			if result.Cells[0].Verdict != test.verdict || result.Counts.Ran != test.ran {
				t.Errorf("it is %s and %d ran, want %s and %d", result.Cells[0].Verdict, result.Counts.Ran, test.verdict, test.ran)
			}
		})
	}
}

// A line that differs from the author's and not between two runs isn't excused by another that varies.
func TestVariesLineByLine(t *testing.T) {
	cell := func(text string) *Notebook { return notebook(t, code("a", "f()", 1, stdout(text))) }
	for name, test := range map[string]struct {
		author, run, again string
		want               Verdict
	}{
		"all that differs varies": {"n 1\nr 3", "n 1\nr 4", "n 1\nr 5", Varies},
		"one line is just wrong":  {"n 1\nr 3", "n 2\nr 4", "n 2\nr 5", Different},
		"nothing varies":          {"r 3", "r 4", "r 4", Different},
		"as many lines as chance": {"a", "a\nb", "a\nb\nc", Varies},
		"always one more":         {"a", "a\nb", "a\nb", Different},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Compare(cell(test.author), cell(test.run), cell(test.again)).Cells[0].Verdict; got != test.want {
				t.Errorf("it is %s, want %s", got, test.want)
			}
		})
	}
}

func TestWhatIsNoNotebook(t *testing.T) {
	for name, test := range map[string]struct {
		source string
		kind   fault.Kind
	}{
		"empty":    {"", fault.Invalid},
		"cut":      {`{"nbformat":4,"cells":[{"cell_type":"code"`, fault.Invalid},
		"a list":   {`[]`, fault.Invalid},
		"format 2": {`{"nbformat":2}`, fault.Invalid},
		"nested":   {`{"nbformat":4,"cells":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, fault.Invalid},
		"endless":  {`{"nbformat":4,"cells":[` + strings.Repeat("{},", notebookCells) + `{}]}`, fault.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Read([]byte(test.source)); fault.KindOf(err) != test.kind || err == nil {
				t.Errorf("the error is %v", err)
			}
		})
	}
	for name, source := range map[string]string{
		"cells of another shape": `{"nbformat":4,"cells":[1,"a",null,[],{"cell_type":"code","source":{"a":1},"outputs":{"b":[]}},{"cell_type":"code","outputs":[1,{"output_type":5},{"output_type":"stream"},{"output_type":"error"},{"output_type":"display_data","data":[]},{"output_type":"display_data"}]}]}`,
		"no cells":               `{"nbformat":4}`,
		"with a mark":            "\xef\xbb\xbf" + `{"nbformat":4,"cells":[]}`,
		"format 3":               `{"nbformat":3,"worksheets":[{"cells":[{"cell_type":"code","input":["a"],"prompt_number":1,"outputs":[{"output_type":"pyout","text":["1"],"prompt_number":1}]}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			n, err := Read([]byte(source))
			if err != nil {
				t.Fatal(err)
			}
			Compare(n, n, n)
		})
	}
}
