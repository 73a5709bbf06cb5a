package notebook

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what comes out as what is expected")

func goldenFiles(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/golden/*.ipynb")
	if err != nil || len(names) == 0 {
		t.Fatalf("no notebooks to compare with (%v)", err)
	}
	return names
}

// TestGolden compares rendered notebooks with the files beside them; `go test ./internal/content/notebook -update` rewrites the
// files for review.
func TestGolden(t *testing.T) {
	renderer := newRenderer(t)
	for _, name := range goldenFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			document := render(t, renderer, string(source))
			checkSafe(t, document.HTML)
			made := []byte("title: " + document.Title + "\nlanguage: " + document.Language + "\nkernel: " + document.Kernel + "\n")
			for _, note := range document.Notes {
				made = append(made, "note: "+note+"\n"...)
			}
			made = append(made, document.HTML...)
			expected := strings.TrimSuffix(name, ".ipynb") + ".html"
			if *update {
				if err := os.WriteFile(expected, made, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(expected)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(made, want) {
				t.Errorf("%s is not what comes out:\n%s", expected, made)
			}
		})
	}
}
