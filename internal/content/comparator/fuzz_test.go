package comparator_test

import (
	"reflect"
	"testing"

	"cairn/internal/content/comparator"
	"cairn/internal/content/comparator/comparatortest"
)

// FuzzCompare: whatever two files hold, reading and comparing them ends, gives the same twice, and says of each notebook
// that it is the same as itself.
func FuzzCompare(f *testing.F) {
	cases, err := comparatortest.Cases("testdata/corpus")
	if err != nil {
		f.Fatal(err)
	}
	for _, one := range cases {
		f.Add(one.Author, one.Run)
	}
	f.Add([]byte(`{"nbformat":3,"worksheets":[{"cells":[{"cell_type":"code","input":["a"],"outputs":[{"output_type":"pyout","text":["1"]}]}]}]}`), []byte(`{"nbformat":4,"cells":[{"cell_type":"code","outputs":[1]}]}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		author, err := comparator.Read(first)
		if err != nil {
			return
		}
		for _, cell := range comparator.Compare(author, author, author).Cells {
			if !isSame(cell.Verdict) && cell.Verdict != comparator.NotRun {
				t.Errorf("a notebook differs from itself: %+v", cell)
			}
		}
		run, err := comparator.Read(second)
		if err != nil {
			return
		}
		result := comparator.Compare(author, run, author)
		if !reflect.DeepEqual(result, comparator.Compare(author, run, author)) {
			t.Error("another result at the second time")
		}
		counts := result.Counts
		if counts.Compared() > len(result.Cells) || counts.Ran > counts.Total || counts.Total > len(result.Cells) {
			t.Errorf("counts are %+v of %d cells", counts, len(result.Cells))
		}
	})
}
