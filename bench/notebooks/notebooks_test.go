package notebooks

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"cairn/internal/notebook"
)

// The large notebook is the one in the aim: 1 MB, in a single part, with every output shown.
func TestVariedNotebookIsOneMegabyteAndShownWhole(t *testing.T) {
	content := varied()
	if len(content) < 950_000 || len(content) > 1_050_000 {
		t.Errorf("it has %d bytes", len(content))
	}
	if !bytes.Equal(content, varied()) {
		t.Error("it is another one each time")
	}
	renderer, err := notebook.New(notebook.Options{})
	if err != nil {
		t.Fatal(err)
	}
	document, err := renderer.Render(t.Context(), content, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"Step ", "<table", `<img src="data:image/gif`, "epoch"} {
		if count := strings.Count(string(document.HTML), part); count < cells {
			t.Errorf("%s comes %d times", part, count)
		}
	}
	if document.Parts != 1 || strings.Count(string(document.HTML), `class="tex"`) != 2*cells {
		t.Errorf("%d parts, %d formulas", document.Parts, strings.Count(string(document.HTML), `class="tex"`))
	}
}

func TestMedian(t *testing.T) {
	got := median([]duration{{3, 1}, {1, 2}, {2, 9}})
	if want := (duration{2 * time.Nanosecond, 2 * time.Nanosecond}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
