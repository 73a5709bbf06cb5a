package catalog

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cairn/bench/corpus"
)

// TestThoroughSmallRun does what `make bench` does, with the real binary, few entries and short times.
func TestThoroughSmallRun(t *testing.T) {
	t.Chdir("../..")
	folder, scratch := t.TempDir(), t.TempDir()
	binary := filepath.Join(folder, "cairn")
	if text, err := exec.Command("go", "build", "-ldflags=-s", "-o", binary, "./cmd/cairn").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	t.Setenv("TMPDIR", scratch)
	results, out := filepath.Join(folder, "results.md"), &bytes.Buffer{}
	err := Run(t.Context(), []string{"--entries", "1000", "--time", "100ms", "--binary", binary, "--results", results}, out)
	text, readErr := os.ReadFile(results)
	if err != nil || readErr != nil || !strings.Contains(out.String(), string(text)) {
		t.Fatalf("%v, %v\n%s", err, readErr, out)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	for _, wanted := range []string{
		"Importing 1,000 entries", "import of 1,000 lines", "ready after a start with a snapshot", "the mix, 16 clients, p95", "resident after the load",
		"changes of a star seen in the very next search", "Each answer was checked", "searches of 16 clients, beside the ceiling", "16, the ceiling", "16, long texts beside",
	} {
		if !strings.Contains(out.String(), wanted) {
			t.Errorf("nothing about %q in\n%s", wanted, out)
		}
	}
}

func TestWrongAnswersAreNoticed(t *testing.T) {
	const card = `{"id": "1", "name": "Spike Sorter", "type": "DATASET", "privacy": "PUBLIC", "tags": [{"value": "x"}]}`
	words := corpus.Query{Class: corpus.Words, Text: "spike", Type: "DATASET", Tag: "x"}
	for _, one := range []struct {
		name     string
		query    corpus.Query
		status   int
		body     string
		thorough bool
		right    bool
	}{
		{"right", words, 200, `{"content": [` + card + `], "totalElements":1}`, true, true},
		{"right at a glance", words, 200, `{"content": [], "totalElements":7, "x": 1}`, false, true},
		{"refused", words, 503, `{}`, false, false},
		{"nothing found", words, 200, `{"content": [], "totalElements":0}`, false, false},
		{"no total", words, 200, `{"content": []}`, false, false},
		{"a total in a text", words, 200, `{"name": "\"totalElements\":5"}`, false, false},
		{"cut short", words, 200, `{"content": [` + card, true, false},
		{"too few on the page", words, 200, `{"content": [` + card + `], "totalElements":2}`, true, false},
		{"twice on the page", words, 200, `{"content": [` + card + `,` + card + `], "totalElements":2}`, true, false},
		{"another type", corpus.Query{Type: "MODEL"}, 200, `{"content": [` + card + `], "totalElements":1}`, true, false},
		{"another tag", corpus.Query{Tag: "y"}, 200, `{"content": [` + card + `], "totalElements":1}`, true, false},
		{"a private entry", words, 200, `{"content": [` + strings.Replace(card, "PUBLIC", "PRIVATE", 1) + `], "totalElements":1}`, true, false},
		{"another name first", corpus.Query{Class: corpus.Exact, Text: "Spike"}, 200, `{"content": [` + card + `], "totalElements":1}`, true, false},
		{"no facets", corpus.Query{Facets: true}, 200, `{"content": [` + card + `], "totalElements":1}`, true, false},
		{"facets that do not add up", corpus.Query{Facets: true}, 200, `{"content": [` + card + `], "totalElements":1, "facets": {"types": {"DATASET": 2}, "tags": [{"value": "x", "count": 1}]}}`, true, false},
		{"facets", corpus.Query{Facets: true}, 200, `{"content": [` + card + `], "totalElements":1, "facets": {"types": {"DATASET": 1}, "tags": [{"value": "x", "count": 1}]}}`, true, true},
	} {
		if err := checkAnswer(one.query, one.status, []byte(one.body), one.thorough); (err == nil) != one.right {
			t.Errorf("%s: %v", one.name, err)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, arguments := range [][]string{
		{"--entries", "10"}, {"--time", "0s"}, {"more"}, {"--unknown"},
	} {
		if err := Run(t.Context(), arguments, &bytes.Buffer{}); err == nil {
			t.Errorf("%v were taken", arguments)
		}
	}
	for entries, wanted := range map[int]string{fullEntries: "bench/RESULTS.md", 5000: ""} {
		if got := resultsOf(entries); got != wanted {
			t.Errorf("%d: %q", entries, got)
		}
	}
}
