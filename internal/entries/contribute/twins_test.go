package contribute_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// The files have the structure of descriptors in public repositories. Nearly all can be added with at most two decisions
// more than a complete one; the others say why not, with the lines that would do.
func TestDescriptorsOfPublicRepositories(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/twins/*.yml")
	if err != nil || len(files) != 49 {
		t.Fatal(len(files), err)
	}
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	host := w.withGitHub(githubtest.Token)
	decisions := map[string]int{"privacy": 1, "privacy-authors": 2, "privacy-names": 2, "groups": 1, "good": 0}
	added := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yml")
		host.Put(githubtest.Repository{Name: "lab/" + name, Files: map[string]string{"cairn.yml": string(content)}})
		query := "?githubUrl=" + url.QueryEscape("https://github.com/lab/"+name)
		answer := w.Call(catalogtest.Ada, http.MethodGet, "/api/v1/rf/codehost/descriptor"+query, "")
		if answer.Code != http.StatusOK {
			var refused struct{ Draft *fault.FileDraft }
			if err := json.Unmarshal(answer.Body.Bytes(), &refused); err != nil || refused.Draft == nil ||
				!slices.ContainsFunc(refused.Draft.Lines, func(line fault.FileDraftLine) bool { return line.Mark != "same" }) {
				t.Errorf("%s: %s", name, answer.Body)
			}
			if !strings.Contains(name, "empty-description") && !strings.Contains(name, "no-project") {
				t.Errorf("%s: %s", name, answer.Body)
			}
			continue
		}
		var pulled contribute.Descriptor
		if err := json.Unmarshal(answer.Body.Bytes(), &pulled); err != nil {
			t.Fatal(err)
		}
		decided := map[string]any{"name": pulled.Name, "description": pulled.Description, "tags": pulled.Tags}
		if len(pulled.Authors) > 0 {
			decided["authors"] = pulled.Authors
		}
		// The page asks for each decision with one button.
		if _, kind, _ := strings.Cut(name, "-"); len(pulled.Missing) != decisions[kind] {
			t.Errorf("%s: decisions about %v", name, pulled.Missing)
		}
		for _, missing := range pulled.Missing {
			switch missing {
			case "privacy":
				decided["privacy"] = "PUBLIC"
			case "authors":
				decided["addAs"] = "adder"
			}
		}
		body, err := json.Marshal(decided)
		if err != nil {
			t.Fatal(err)
		}
		if answer := w.Call(catalogtest.Ada, http.MethodPost, "/api/v1/rf/resources/repository"+query, string(body)); answer.Code != http.StatusCreated {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
			continue
		}
		added++
	}
	if added < 45 {
		t.Errorf("%d of %d can be added", added, len(files))
	}
}
