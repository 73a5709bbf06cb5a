package difference_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cairn/internal/content/comparator"
	"cairn/internal/content/difference"
	"cairn/internal/foundation/fault"
)

// shown writes lines as diff does, with their numbers.
func shown(lines []difference.TextLine) string {
	signs := map[difference.Op]string{difference.Same: " ", difference.Added: "+", difference.Removed: "-"}
	var text strings.Builder
	for _, one := range lines {
		fmt.Fprintf(&text, "%s%s(%d,%d);", signs[one.Op], one.Text, one.Before, one.After)
	}
	return text.String()
}

func TestDifferencesOfTexts(t *testing.T) {
	t.Parallel()
	many := func(from, to int) string {
		var text strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&text, "%d\n", i)
		}
		return text.String()
	}
	for name, one := range map[string]struct {
		before, after, want string
		cut                 bool
	}{
		"the same":       {before: "a\nb\n", after: "a\nb\n"},
		"both empty":     {},
		"a new file":     {after: "a\n", want: "+a(0,1);+(0,2);"},
		"a changed line": {before: "a\nb\nc", after: "a\nx\nc", want: " a(1,1);-b(2,0);+x(0,2); c(3,3);"},
		"far apart": {
			before: "first\n" + many(0, 20) + "last", after: "1st\n" + many(0, 20) + "final",
			want: "-first(1,0);+1st(0,1); 0(2,2); 1(3,3); 2(4,4); 17(19,19); 18(20,20); 19(21,21);-last(22,0);+final(0,22);",
		},
		"the end of the last line": {before: "a", after: "a\n", want: " a(1,1);+(0,2);"},
		"a long line":              {after: strings.Repeat("é", 1500), want: "+" + strings.Repeat("é", 1000) + "…(0,1);"},
	} {
		got, err := difference.Text([]byte(one.before), []byte(one.after))
		if err != nil || shown(got.Lines) != one.want || got.Lines == nil || got.Cut || got.Cells != nil {
			t.Errorf("%s: %q %v %v, want %q", name, shown(got.Lines), got.Cut, err, one.want)
		}
	}
	got, err := difference.Text(nil, []byte(many(0, 6000)))
	if err != nil || len(got.Lines) != 5000 || !got.Cut {
		t.Errorf("of 6,000 lines: %d %v %v", len(got.Lines), got.Cut, err)
	}
}

func TestWhatIsNoTextIsRefused(t *testing.T) {
	t.Parallel()
	text := []byte("text")
	for name, one := range map[string]struct {
		content []byte
		kind    fault.Kind
	}{
		"binary":     {[]byte("a\x00b"), fault.Invalid},
		"not UTF-8":  {[]byte("caf\xe9"), fault.Invalid},
		"many lines": {[]byte(strings.Repeat("\n", 50_001)), fault.TooLarge},
		"many bytes": {make([]byte, difference.TextBytes+1), fault.TooLarge},
	} {
		for _, pair := range [][2][]byte{{one.content, text}, {text, one.content}} {
			if _, err := difference.Text(pair[0], pair[1]); fault.KindOf(err) != one.kind || !strings.Contains(fault.MessageOf(err), "Download both states instead.") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

type cell struct {
	id, kind, source string
	printed          string
	count            int
}

// notebook has cells of format 4.5, or of 4.4 if the first has no id.
func notebook(t *testing.T, cells ...cell) []byte {
	t.Helper()
	list := []map[string]any{}
	for _, one := range cells {
		made := map[string]any{"cell_type": one.kind, "source": one.source, "metadata": map[string]any{}}
		if one.id != "" {
			made["id"] = one.id
		}
		if one.kind == "code" {
			made["execution_count"], made["outputs"] = one.count, []any{}
			if one.printed != "" {
				made["outputs"] = []any{map[string]any{
					"output_type": "execute_result", "execution_count": one.count, "metadata": map[string]any{}, "data": map[string]any{"text/plain": one.printed},
				}}
			}
		}
		list = append(list, made)
	}
	minor := 5
	if len(cells) > 0 && cells[0].id == "" {
		minor = 4
	}
	text, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": minor, "metadata": map[string]any{}, "cells": list})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// told writes each cell as "operation id outputs verdict lines", without what is empty.
func told(cells []difference.NotebookCell) string {
	list := make([]string, len(cells))
	for i, one := range cells {
		parts := []string{string(one.Op), one.ID, string(one.Outputs), string(one.Verdict), shown(one.Lines)}
		list[i] = strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " ")
	}
	return strings.Join(list, " | ")
}

func TestDifferencesOfNotebooks(t *testing.T) {
	t.Parallel()
	title, one, two := cell{"t", "markdown", "# Title", "", 0}, cell{"a", "code", "x = 1", "1", 1}, cell{"b", "code", "y = 2\nprint(y)", "2", 2}
	changed := func(from cell, change func(*cell)) cell { change(&from); return from }
	bare := func(cells ...cell) []cell {
		for i := range cells {
			cells[i].id = ""
		}
		return cells
	}
	for name, each := range map[string]struct {
		before, after []cell
		want          string
	}{
		"the same": {[]cell{title, one}, []cell{title, one}, "same t same | same a same"},
		"run again": {
			[]cell{one}, []cell{changed(one, func(c *cell) { c.count = 9 })}, "same a same",
		},
		"another source": {
			[]cell{two}, []cell{changed(two, func(c *cell) { c.source = "y = 3\nprint(y)" })}, "changed b same -y = 2(1,0);+y = 3(0,1); print(y)(2,2);",
		},
		"another output": {
			[]cell{one}, []cell{changed(one, func(c *cell) { c.printed = "7" })}, "changed a changed DIFFERENT",
		},
		"nearly the same number": {
			[]cell{changed(one, func(c *cell) { c.printed = "0.30000000000000004" })},
			[]cell{changed(one, func(c *cell) { c.printed = "0.3" })},
			"changed a changed WITHIN_TOLERANCE",
		},
		"added and removed": {[]cell{title, one}, []cell{title, two}, "same t same | removed a same | added b same"},
		"without ids, what replaces something is a change": {
			bare(title, one), bare(title, two), "same same | changed changed -x = 1(1,0);+y = 2(0,1);+print(y)(0,2);",
		},
		"another kind": {
			[]cell{title}, []cell{changed(title, func(c *cell) { c.kind = "raw" })}, "changed t same",
		},
	} {
		got, err := difference.Notebook(t.Context(), notebook(t, each.before...), notebook(t, each.after...))
		if err != nil || told(got.Cells) != each.want || got.Cut || got.Lines != nil {
			t.Errorf("%s: %q %v, want %q", name, told(got.Cells), err, each.want)
		}
	}
	got, err := difference.Notebook(t.Context(), nil, notebook(t, title))
	if err != nil || told(got.Cells) != "added t same" || got.Cells[0].After != "# Title" {
		t.Errorf("Beside a file that wasn't there: %+v %v", got, err)
	}
	got, err = difference.Notebook(t.Context(), notebook(t, changed(one, func(c *cell) { c.printed = "1.0" })), notebook(t, changed(one, func(c *cell) { c.printed = "1.5" })))
	if err != nil || len(got.Cells) != 1 || len(got.Cells[0].Differences) == 0 || got.Cells[0].Verdict != comparator.Different {
		t.Errorf("The outputs that differ: %+v %v", got, err)
	}
}

func TestWhatIsNoNotebookIsRefused(t *testing.T) {
	t.Parallel()
	good := notebook(t, cell{"a", "code", "1", "", 0})
	many := make([]cell, 5_001)
	for i := range many {
		many[i] = cell{fmt.Sprint(i), "raw", "", "", 0}
	}
	for name, one := range map[string]struct {
		content []byte
		kind    fault.Kind
	}{
		"not JSON":         {[]byte("{"), fault.Invalid},
		"a cell of a list": {[]byte(`{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"source": {}}]}`), fault.Invalid},
		"many cells":       {notebook(t, many...), fault.TooLarge},
		"many bytes":       {make([]byte, difference.NotebookBytes+1), fault.TooLarge},
	} {
		for _, pair := range [][2][]byte{{one.content, good}, {good, one.content}} {
			if _, err := difference.Notebook(t.Context(), pair[0], pair[1]); fault.KindOf(err) != one.kind {
				t.Errorf("%s: %v, want %v", name, err, one.kind)
			}
		}
	}
}

// However large the cells of a notebook are, the time to compare them is bounded: the outcome says what wasn't compared line by
// line, and the work ends with the request.
func TestCellsThatAreTooDifferent(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	symbols := func(lines int, symbols string) string {
		text := make([]byte, 0, 2*lines)
		for range lines {
			text = append(text, symbols[random.IntN(len(symbols))], '\n')
		}
		return string(text)
	}
	of := func(lines, count int, alphabet string) []byte {
		var cells []cell
		for i := range count {
			cells = append(cells, cell{fmt.Sprint("c", i), "code", symbols(lines, alphabet), "", 1})
		}
		return notebook(t, append(cells, cell{"last", "code", alphabet, "", 1})...)
	}
	for name, one := range map[string]struct {
		before, after []byte
		uncompared    int
	}{
		"two million lines of two symbols": {of(2_000_000, 1, "ab"), of(2_000_000, 1, "ba"), 1},
		"many cells":                       {of(6_000, 30, "xy"), of(6_000, 30, "yx"), 22},
		"empty lines of another system":    {of(60_000, 1, "\r"), of(59_000, 1, " "), 1},
		"an ordinary notebook":             {of(40, 30, "abc"), of(40, 30, "cba"), 0},
	} {
		got, err := difference.Notebook(t.Context(), one.before, one.after)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		uncompared := 0
		for _, cell := range got.Cells {
			if cell.Uncompared {
				uncompared++
				if cell.Op != difference.Changed || cell.Lines != nil {
					t.Errorf("%s: a cell is %s, with %d lines", name, cell.Op, len(cell.Lines))
				}
			}
		}
		last := got.Cells[len(got.Cells)-1]
		if uncompared != one.uncompared || last.Op != difference.Changed || len(last.Lines) == 0 && !got.Cut {
			t.Errorf("%s: %d cells aren't compared; the last is %+v", name, uncompared, last)
		}
	}
	left, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := difference.Notebook(left, of(10, 1, "ab"), of(10, 1, "ab")); !errors.Is(err, context.Canceled) {
		t.Errorf("After its client left: %v", err)
	}
}
