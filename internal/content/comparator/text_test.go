package comparator

import (
	"slices"
	"testing"
	"time"
)

// Each pair of lines stands for one rule; the first of each group is what the rule lets pass, the others what it must not.
func TestLines(t *testing.T) {
	for _, test := range []struct {
		author, run string
		want        likeness
	}{
		{"<f at 0x7f3a1b2c3d4e>", "<f at 0x7f0000000000>", marked},
		{"flags 0xbeef01", "flags 0xbeef02", unlike},
		{"id 123e4567-e89b-42d3-a456-426614174000", "id 9b2d7f60-1111-4222-8333-444455556666", marked},
		{"Out[3]: 5", "Out[7]: 5", marked},
		{"a[3] = 5", "a[7] = 5", unlike},
		{"/home/ann/x/data.csv", "/work/data.csv", marked},
		{"/home/ann/x/data.csv", "/work/more.csv", unlike},
		{"/entry/data/x", "/entry/data/y", unlike},
		{"https://a.org/home/x", "https://a.org/home/y", unlike},
		{"Wall time: 3 ms", "Wall time: 2.1 s", marked},
		{"took 3.1 s for n=5", "took 9 s for n=5", marked},
		{"took 3.1 s for n=5", "took 9 s for n=6", unlike},
		{"decay 3.1 s", "decay 9 s", unlike},
		{"as of 2024-01-02", "as of 2026-05-06", marked},
		{"as of 2026-05-06", "as of 2024-01-02", unlike},
		{"2020-01-01    1.5", "2020-01-02    1.5", unlike},
		{"n 2024-01-02 10:11:12", "n 2026-01-02 10:11:13", marked},
		{"3/2/24 run", "5/4/26 run", marked},
		{"score 1.0", "score 1.0000001", near},
		{"score 1.0", "score 1.00001", unlike},
		{"score -1.0", "score 1.0", unlike},
		{"1.0-2.0", "1.0+2.0", unlike},
		{"1.0-1e-17j", "1.0+1e-17j", near},
		{"version 1.2.3", "version 1.2.4", unlike},
		{"n 10000001", "n 10000002", unlike},
		{"n 1.0", "n 1", unlike},
		{"x1.5", "x1.6", unlike},
		{"1e999", "2e999", unlike},
		{"a  1", "a 1", spaced},
		{"nan", "1.5", unlike},
	} {
		a, b := line{shown: test.author, kind: plain}, line{shown: test.run, kind: plain}
		if got, _ := a.like(&b, noTime); got != test.want {
			t.Errorf("%q and %q: %d, want %d", test.author, test.run, got, test.want)
		}
	}
}

// Where the time of the run is known, dates have to be near it.
func TestDatesNearTheRun(t *testing.T) {
	ranAt := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	for run, want := range map[string]likeness{"day 2026-05-06": marked, "day 2026-05-07": marked, "day 2026-02-06": unlike, "day May 6, 2026": marked, "day May 16, 2026": unlike} {
		a, b := line{shown: "day 2024-01-01"}, line{shown: run}
		if got, _ := a.like(&b, ranAt); got != want {
			t.Errorf("%q: %d, want %d", run, got, want)
		}
	}
}

func TestOnScreen(t *testing.T) {
	for text, want := range map[string][]string{
		"a\rb":                     {"b"},
		"abc\rx\n":                 {"xbc"},
		"abc\r\x1b[Kx":             {"x"},
		"ab\b\bc":                  {"cb"},
		"\b\r\ba":                  {"a"},
		"a\r\nb\n\n":               {"a", "b"},
		"\x1b[31mred\x1b[0m":       {"red"},
		"\x1b]0;title\x07x":        {"x"},
		"10 %\r20 %\r\r\n":         {"20 %"},
		"\x1b[38;5;200mé\x1b[m \t": {"é"},
	} {
		if got := onScreen(text); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestJSONIsReadAsItIs(t *testing.T) {
	n := notebook(t, `{"cell_type":"code","id":"a","metadata":{},"source":["a","\n"],"execution_count":1,"outputs":[
		{"output_type":"stream","name":"stdout","text":["\u00e9\n","\ud83d\ude00 \"q\" \\ \/ \t","\ud800x"]}]}`)
	if got, want := n.cells[0].stdout.text, "é\n😀 \"q\" \\ / \t\ufffdx"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDifferenceShowsItsSurroundings(t *testing.T) {
	lines := func(texts ...string) (all []line) {
		for _, text := range texts {
			all = append(all, line{shown: text, kind: plain})
		}
		return all
	}
	author := lines("1", "2", "3", "4", "5", "6", "b", "7", "8", "9", "10", "11")
	run := lines("1", "2", "3", "4", "5", "6", "c", "7", "8", "9", "10", "11")
	got, cut, _ := difference(author, run, 100)
	want := []Line{{Same, gap}, {Same, "4"}, {Same, "5"}, {Same, "6"}, {Removed, "b"}, {Added, "c"}, {Same, "7"}, {Same, "8"}, {Same, "9"}}
	if !slices.Equal(got, want) || cut {
		t.Errorf("got %v, cut %v", got, cut)
	}
	if got, cut, _ := difference(author, run, 4); len(got) != 4 || !cut {
		t.Errorf("with a limit of 4 it has %d lines, cut %v", len(got), cut)
	}
}
