package parameters

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

func values(t testing.TB, text string) map[string]json.RawMessage {
	t.Helper()
	var list map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return list
}

// locations are those of the fields of a fault; empty if there is none.
func locations(t testing.TB, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	found, ok := errors.AsType[*fault.Fault](err)
	if !ok || found.Kind != fault.Invalid {
		t.Fatalf("%v isn't a fault about values", err)
	}
	var list []string
	for _, each := range found.Fields {
		if each.Message == "" || !strings.HasSuffix(each.Message, ".") {
			t.Errorf("%q isn't a sentence", each.Message)
		}
		list = append(list, strings.TrimPrefix(each.Location, "body.parameters."))
	}
	return strings.Join(list, " ")
}

func TestCheck(t *testing.T) {
	python := read(t, languagePython, "s = ''\ni = 1\nn = 1.5\nb = True\nl = []\no = {}\nu = f()\nz = None\noi: Optional[int] = 5\non: float = None")
	r := read(t, languageR, "s <- ''\ni <- 1L\nn <- 1\nb <- TRUE\nl <- c(1)\no <- list(a = 1)\nu <- f()\nz <- NULL")
	for _, row := range []struct{ values, python, r string }{
		{`{}`, "", ""},
		{`{"s": "x", "i": 5, "n": 5, "b": false, "l": [1, "x", [null]], "o": {"a": {"b": [1.5]}}}`, "", ""},
		{`{"i": 3.0, "n": 1e5}`, "", ""},
		{`{"i": -3.000e2}`, "", ""},
		{`{"i": 1e400}`, "i", "i"},
		{`{"i": 1e-999999999}`, "i", "i"},
		{`{"i": 0e999999999}`, "i", "i"},
		{`{"n": 1e-999999999}`, "", ""},
		{`{"i": 3.5, "s": 5, "n": "5", "b": 1, "l": {}, "o": []}`, "b i l n o s", "b i l n o s"},
		{`{"i": true, "s": false, "n": false, "b": "true", "l": "x", "o": "x"}`, "b i l n o s", "b i l n o s"},
		{`{"i": null, "s": null, "n": null, "b": null, "l": null, "o": null}`, "b i l n o s", "b i l n o s"},
		{`{"oi": null, "on": null}`, "", "oi on"},
		{`{"oi": "x", "on": true}`, "oi on", "oi on"},
		{`{"u": 5, "z": null, "q": 5}`, "q u z", "q u z"},
		{`{"s": "a\u0000b", "l": [["\u0000"]]}`, "", "l s"},
		{`{"o": {"": 1}}`, "", "o"},
		{`{"o": {"\u0000": 1}}`, "", "o"},
		{`{"o": {"` + strings.Repeat("a", 1001) + `": 1}}`, "", "o"},
		{`{"o": {"a": 1, "a": 2}}`, "o", "o"},
		{`{"l": [{"a": 1, "a": 2}]}`, "l", "l"},
		{`{"n": 1e309, "l": [1e309]}`, "l n", "l n"},
		{`{"n": 1` + strings.Repeat("0", 309) + `}`, "n", "n"},
		{`{"n": 0.` + strings.Repeat("0", maxNumber) + `}`, "n", "n"},
		{`{"l": ` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`, "", ""},
		{`{"l": ` + strings.Repeat("[", 33) + strings.Repeat("]", 33) + `}`, "l", "l"},
		{`{"s": "` + strings.Repeat("x", maxValue-2) + `"}`, "", ""},
		{`{"s": "` + strings.Repeat("x", maxValue-1) + `"}`, "s", "s"},
	} {
		if got := locations(t, python.Check(values(t, row.values))); got != row.python {
			t.Errorf("Python, %.200s: %q, not %q", row.values, got, row.python)
		}
		if got := locations(t, r.Check(values(t, row.values))); got != row.r {
			t.Errorf("R, %.200s: %q, not %q", row.values, got, row.r)
		}
	}
	for _, broken := range []string{"", "x", "[1", "1 2", `{"a": }`, "\xff", "'x'"} {
		if got := locations(t, python.Check(map[string]json.RawMessage{"s": json.RawMessage(broken), "l": json.RawMessage(broken)})); got != "l s" {
			t.Errorf("%q: %q", broken, got)
		}
	}
}

func TestCheckAsksForWhatIsMissing(t *testing.T) {
	declared := read(t, languagePython, "a: int\nb: str = 'x'\nc: Thing\nd: Optional[float]")
	if got := locations(t, declared.Check(nil)); got != "a d" {
		t.Errorf("got %q", got)
	}
	if err := declared.Check(values(t, `{"a": 1, "d": null}`)); err != nil {
		t.Error(err)
	}
	if got := locations(t, declared.Check(values(t, `{"x": 1, "a": "x"}`))); got != "a d x" {
		t.Errorf("got %q", got)
	}
	many := map[string]json.RawMessage{}
	for i := range 1000 {
		many[fmt.Sprintf("x%03d", i)] = nil
	}
	if got := locations(t, declared.Check(many)); !strings.HasPrefix(got, "a d x000 x001") || !strings.HasSuffix(got, " x017") {
		t.Errorf("got %q", got)
	}
	if got := locations(t, (Declared{}).Check(values(t, `{"a": 1}`))); got != "a" {
		t.Errorf("got %q", got)
	}
}

// A declaration that was stored as JSON decides as the one that was read.
func TestCheckAfterStorage(t *testing.T) {
	declared := read(t, languageR, "s <- ''\nl <- list(1)")
	text, err := json.Marshal(declared)
	if err != nil {
		t.Fatal(err)
	}
	var stored Declared
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	for _, given := range []string{`{}`, `{"s": "\u0000"}`, `{"l": {}}`, `{"s": "x", "l": []}`} {
		if want, got := locations(t, declared.Check(values(t, given))), locations(t, stored.Check(values(t, given))); want != got {
			t.Errorf("%s gave %q and %q", given, want, got)
		}
	}
}

func TestSentences(t *testing.T) {
	declared := read(t, languagePython, "a: int\nb = f()\nc: Optional[float] = 5\nd = 5")
	for given, want := range map[string]string{
		`{"a": "x"}`:         `The parameter "a" takes a whole number, such as 5.`,
		`{"a": 1, "b": 5}`:   `The parameter "b" can't be set from outside, because the notebook doesn't assign plain text, a number, a list or an object to it. Leave it out.`,
		`{"a": 1, "c": "x"}`: `The parameter "c" takes a number, such as 0.5, or null.`,
		`{"a": 1, "e": 5}`:   `The notebook has no parameter "e". Leave it out.`,
		`{}`:                 `The notebook assigns nothing to the parameter "a". Give it a value: a whole number, such as 5.`,
		`{"a": 1, "d": 1e999}`: `The parameter "d" has a value that contains a number that is too large or too long: ` +
			`numbers have at most 4300 characters and are below 1.8e308.`,
	} {
		if got := fault.MessageOf(declared.Check(values(t, given))); got != want {
			t.Errorf("%s gave\n%s, not\n%s", given, got, want)
		}
	}
}
