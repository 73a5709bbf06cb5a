package progress_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cairn/internal/workshops/progress"
)

// notebookOf returns a notebook of format 4. A cell is "id: source", or ": source" without an id; one that begins with # is text.
func notebookOf(t *testing.T, cells ...string) progress.Cells {
	t.Helper()
	stored := []fields{}
	for _, one := range cells {
		id, source, _ := strings.Cut(one, ": ")
		kept := fields{"cell_type": "code", "source": source, "metadata": fields{}, "outputs": []any{}, "execution_count": nil}
		if strings.HasPrefix(one, "#") {
			kept["cell_type"] = "markdown"
		}
		if id != "" {
			kept["id"] = id
		}
		stored = append(stored, kept)
	}
	read, err := progress.ReadCells(encoded(fields{"cells": stored, "metadata": fields{}, "nbformat": 4, "nbformat_minor": 5}))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestCellsOfEveryFormatAreRead(t *testing.T) {
	t.Parallel()
	digest := progress.Digest("x = 1\ny")
	for name, one := range map[string]struct{ notebook, want string }{
		"format 4.5": {
			`{"cells": [{"cell_type": "markdown", "id": "m", "source": "x"}, {"cell_type": "code", "id": "c", "source": ["x = 1\n", "y"], "outputs": [{"x": 1}]}], "nbformat": 4}`,
			`{"code":[{"id":"c","digest":"` + digest + `","all":1}],"all":2}`,
		},
		"format 4.0": {
			`{"cells": [{"cell_type": "code", "source": "x = 1\ny"}, {"cell_type": "raw", "source": ""}], "nbformat": 4}`,
			`{"code":[{"digest":"` + digest + `","all":0}],"all":2}`,
		},
		"format 3": {
			`{"worksheets": [{"cells": [{"cell_type": "heading", "source": "x"}]}, {"cells": [{"cell_type": "code", "input": ["x = 1\n", "y"]}]}], "nbformat": 3}`,
			`{"code":[{"digest":"` + digest + `","all":1}],"all":2}`,
		},
		"no cells": {`{"cells": []}`, `{"code":[],"all":0}`},
		"ids and sources that aren't": {
			`{"cells": [{"cell_type": "code", "id": 5, "source": 7}, {"cell_type": "code", "id": "` + strings.Repeat("i", 200) + `"}]}`,
			`{"code":[{"digest":"` + progress.Digest("") + `","all":0},{"digest":"` + progress.Digest("") + `","all":1}],"all":2}`,
		},
	} {
		read, err := progress.ReadCells([]byte(one.notebook))
		if got := string(encoded(read)); err != nil || got != one.want {
			t.Errorf("%s is read as %s, %v, not as %s", name, got, err, one.want)
		}
		var again progress.Cells
		if err := json.Unmarshal(encoded(read), &again); err != nil || fmt.Sprint(again) != fmt.Sprint(read) {
			t.Errorf("%s is %+v after it was stored, %v", name, again, err)
		}
	}
}

func TestWhatIsNoNotebookIsRefused(t *testing.T) {
	t.Parallel()
	many := `{"cells": [` + strings.Repeat(`{"cell_type": "code"},`, progress.CellsLimit) + `{"cell_type": "code"}]}`
	for notebook, want := range map[string]error{
		"": progress.ErrUnreadable, "{": progress.ErrUnreadable, "{}": progress.ErrUnreadable, "[]": progress.ErrUnreadable, `{"cells": 5}`: progress.ErrUnreadable,
		many: progress.ErrTooLarge, strings.Repeat(" ", 64<<20) + "{}": progress.ErrTooLarge,
	} {
		if _, err := progress.ReadCells([]byte(notebook)); !errors.Is(err, want) {
			t.Errorf("%.40q is refused with %v, not %v", notebook, err, want)
		}
	}
}

func TestDigestsDifferWhereSourcesDo(t *testing.T) {
	t.Parallel()
	one := progress.Digest("x\n  y")
	if progress.Digest("x\r\n  y\n\n") != one || progress.Digest("x\ny") == one || len(one) != 16 {
		t.Errorf("the digest is %q", one)
	}
}

func TestCellsAreFound(t *testing.T) {
	t.Parallel()
	named := notebookOf(t, "# title", "a: one", "b: two", "c: same", "# text", "d: four", "e: same", "f: six")
	unnamed := notebookOf(t, "#: title", ": one", ": two", ": same", "#: text", ": four", ": same", ": six")
	nowhere := progress.Place{Index: -1}
	at := func(index int) progress.Place { return progress.Place{Index: index} }
	id := func(id string) progress.Place { return progress.Place{ID: id, Index: -1} }
	for name, one := range map[string]struct {
		cells  progress.Cells
		place  progress.Place
		source string
		after  int
		want   int
	}{
		"the id comes first":                              {named, progress.Place{ID: "d", Index: 1}, "one", 0, 3},
		"an edited cell has its id":                       {named, id("b"), "edited", 4, 1},
		"without an id, the digest":                       {named, nowhere, "four", -1, 3},
		"the digest of a copied cell":                     {named, id("new"), "four", 0, 3},
		"the first of the same after the last":            {unnamed, nowhere, "same", 1, 2},
		"the next of the same after the last":             {unnamed, nowhere, "same", 2, 4},
		"the nearest before, if there's none after":       {unnamed, nowhere, "same", 5, 4},
		"the first of the same at the start":              {unnamed, nowhere, "same", -1, 2},
		"the nearest to the index":                        {unnamed, at(6), "same", 0, 4},
		"the nearest to the index of a moved cell":        {unnamed, at(2), "same", 4, 2},
		"an edited cell has its index":                    {unnamed, at(5), "edited", 0, 3},
		"an edited cell of as many":                       {unnamed, progress.Place{Index: 5, Of: 8}, "edited", -1, 3},
		"not if there are more cells":                     {unnamed, progress.Place{Index: 5, Of: 9}, "edited", -1, -1},
		"an index of text":                                {unnamed, at(4), "edited", -1, -1},
		"an index behind the end":                         {unnamed, at(99), "edited", -1, -1},
		"what directly follows":                           {unnamed, nowhere, "edited", 1, 2},
		"ids that JupyterLab made up":                     {unnamed, id("made up"), "edited", 1, 2},
		"nothing follows the last":                        {unnamed, nowhere, "edited", 5, -1},
		"nothing follows what isn't known":                {unnamed, nowhere, "edited", -1, -1},
		"a cell that was added is none of the notebook's": {named, progress.Place{ID: "new", Index: 2}, "edited", 1, -1},
		"code that is too long":                           {unnamed, nowhere, "-", -1, -1},
		"cells without source":                            {notebookOf(t, "a: ", "b: x"), nowhere, "-", -1, -1},
		"no cells":                                        {progress.Cells{}, at(0), "x", 0, -1},
	} {
		digest := progress.Digest(one.source)
		if one.source == "-" {
			digest = ""
		}
		if got, ok := one.cells.Find(one.place, digest, one.after); got != one.want || ok != (one.want >= 0) {
			t.Errorf("%s: it's %d, %v, not %d", name, got, ok, one.want)
		}
	}
}
