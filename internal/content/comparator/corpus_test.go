package comparator_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"cairn/internal/content/comparator"
	"cairn/internal/content/comparator/comparatortest"
)

func compare(t testing.TB, one comparatortest.Case) comparator.Result {
	t.Helper()
	author, run := read(t, one.Author), read(t, one.Run)
	if one.Again == nil {
		return comparator.Compare(author, run, nil)
	}
	return comparator.Compare(author, run, read(t, one.Again))
}

func read(t testing.TB, source []byte) *comparator.Notebook {
	t.Helper()
	notebook, err := comparator.Read(source)
	if err != nil {
		t.Fatal(err)
	}
	return notebook
}

func isSame(verdict comparator.Verdict) bool {
	return verdict != comparator.Different && verdict != comparator.NotRun
}

// examine compares all cases of a folder and says how many verdicts are wrong.
// known.txt in the folder names those that the rules get wrong, as far as that is known.
func examine(t *testing.T, folder string) (cases []comparatortest.Case) {
	list, _ := os.ReadFile(folder + "/known.txt")
	known := strings.Fields(string(list))
	cases, err := comparatortest.Cases(folder)
	if err != nil {
		t.Fatal(err)
	}
	same, alarms, misses := 0, 0, 0
	for _, one := range cases {
		if one.Same() {
			same++
		}
		t.Run(one.Name, func(t *testing.T) {
			result := compare(t, one)
			got := result.Worst()
			switch {
			case isSame(got) == one.Same() && (one.Verdict == "" || one.Verdict == string(got)):
				if slices.Contains(known, one.Name) {
					t.Error("this case is right now: take it out of known.txt")
				}
				return
			case one.Same() && !isSame(got):
				alarms++
			case !one.Same() && isSame(got):
				misses++
			}
			if slices.Contains(known, one.Name) {
				t.Logf("known: %s: the verdict is %s", one.Cause, got)
				return
			}
			text, _ := json.MarshalIndent(result, "", "  ")
			t.Errorf("%s: the verdict is %s, want %s %s\n%s", one.Cause, got, one.Want, one.Verdict, text)
		})
	}
	t.Logf("%s: %d same and %d different: %d false alarms, %d misses", folder, same, len(cases)-same, alarms, misses)
	return cases
}

func TestCorpus(t *testing.T) {
	cases := examine(t, "testdata/corpus")
	same := 0
	for _, one := range cases {
		if one.Same() {
			same++
		}
	}
	if same < 30 || len(cases)-same < 30 {
		t.Errorf("%d cases are the same and %d different; want 30 of each", same, len(cases)-same)
	}
}

// The held-out cases were written by somebody who didn't know the rules.
func TestHeldOut(t *testing.T) { examine(t, "testdata/heldout") }

// Every difference can be seen: as lines, as pictures with the share of their pixels, as a number, or it says that it was
// compared byte for byte.
func TestEveryDifferenceCanBeSeen(t *testing.T) {
	cases, err := comparatortest.Cases("testdata/corpus")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range cases {
		for _, cell := range compare(t, one).Cells {
			if (cell.Verdict == comparator.Different || cell.Verdict == comparator.Varies) && len(cell.Differences) == 0 {
				t.Errorf("%s: a cell is %s, and no output says why", one.Name, cell.Verdict)
			}
			for _, difference := range cell.Differences {
				changed := slices.ContainsFunc(difference.Lines, func(line comparator.Line) bool { return line.Op != comparator.Same })
				if difference.Verdict == comparator.WithinTolerance && difference.Largest == 0 && one.Name != "nearly-zero" {
					t.Errorf("%s: within tolerance, without the largest relative difference", one.Name)
				}
				picture := strings.HasPrefix(difference.MIME, "image/") && difference.MIME != "image/svg+xml"
				if difference.Verdict == comparator.Different && !changed && !picture && difference.Pixels == 0 {
					t.Errorf("%s: nothing of the difference can be seen: %+v", one.Name, difference)
				}
				if picture && difference.Author >= 0 && difference.Run >= 0 && difference.Pixels == 0 && len(difference.Notes) == 0 {
					t.Errorf("%s: two pictures without the share of their pixels: %+v", one.Name, difference)
				}
			}
		}
	}
}

// The same input gives the same result: twenty times, in any order, beside others.
func TestSameInputSameResult(t *testing.T) {
	cases, err := comparatortest.Cases("testdata/corpus")
	if err != nil {
		t.Fatal(err)
	}
	type notebooks struct{ author, run, again *comparator.Notebook }
	var all []notebooks
	var wanted []comparator.Result
	for _, one := range cases {
		set := notebooks{author: read(t, one.Author), run: read(t, one.Run)}
		if one.Again != nil {
			set.again = read(t, one.Again)
		}
		all = append(all, set)
		wanted = append(wanted, comparator.Compare(set.author, set.run, set.again))
	}
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	var working sync.WaitGroup
	for round := range rounds {
		working.Go(func() {
			for i := range all {
				at := (i*7 + round*13) % len(all)
				if got := comparator.Compare(all[at].author, all[at].run, all[at].again); !reflect.DeepEqual(got, wanted[at]) {
					t.Errorf("%s: another result in round %d", cases[at].Name, round)
				}
			}
		})
	}
	working.Wait()
}
