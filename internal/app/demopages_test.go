package app

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cairn/internal/app/config"
	"cairn/internal/app/transfer"
	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog"
	"cairn/internal/site"
	"cairn/internal/site/demo"
)

func TestDemoAddressesLeadSomewhere(t *testing.T) {
	t.Parallel()
	p := testProgram(t, nil)
	if err := transfer.ImportOnce(t.Context(), p.db, bytes.NewReader(demo.Catalog(p.publicURL, preview.SearchText))); err != nil {
		t.Fatal(err)
	}
	p.withDemoWorkflow()
	mux := http.NewServeMux()
	p.handleDemo(mux, t.TempDir(), func(next http.Handler) http.Handler { return next })
	ask := func(address string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))
		return answer
	}
	id, err := catalog.NewStore(p.db).IDByExternalID(t.Context(), demo.RepositoryEntry)
	if err != nil {
		t.Fatal(err)
	}
	answer := ask(p.publicURL + "/demo/git/first-steps.git")
	if leads := answer.Header().Get("Location"); answer.Code != http.StatusFound || leads != "/resources/repositories/"+id {
		t.Errorf("the repository's address leads to %q: %d", leads, answer.Code)
	}
	answer = ask(strings.ReplaceAll(p.config.Workflow.URL, "{applicationInterfaceId}", "NAMD_demo"))
	if page := answer.Body.String(); answer.Code != http.StatusOK || !strings.Contains(page, "Create NAMD (2.14)") {
		t.Errorf("a model leads to %d:\n%s", answer.Code, page)
	}
}

func TestAgendasNameEntriesOfTheDemo(t *testing.T) {
	t.Parallel()
	entries := string(demo.Catalog("http://127.0.0.1", preview.SearchText))
	own, err := site.Load("")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, event := range own.Events {
		if event.Agenda == nil {
			continue
		}
		for _, row := range event.Agenda.Rows {
			if row.Entry == "" {
				continue
			}
			named++
			if !strings.Contains(entries, fmt.Sprintf(`"name":%q`, row.Entry)) {
				t.Errorf("%s names %s, which the demo doesn't have", row.Topic, row.Entry)
			}
		}
	}
	if named == 0 {
		t.Error("no row names an entry")
	}
}

func TestOnlyTheDemoReplacesTheWorkflowPlatform(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		demo     bool
		own      config.Workflow
		expected config.Workflow
	}{
		"outside the demo": {false, config.Default().Workflow, config.Default().Workflow},
		"demo": {true, config.Default().Workflow, config.Workflow{
			Name: demo.WorkflowName, URL: "https://cairn.example.org/demo/workflows/{applicationInterfaceId}",
		}},
		"demo with a platform": {true, config.Workflow{Name: "Airavata", URL: "https://w.example.org"}, config.Workflow{Name: "Airavata", URL: "https://w.example.org"}},
	} {
		p := &program{publicURL: "https://cairn.example.org"}
		p.config.Demo, p.config.Workflow = c.demo, c.own
		if p.withDemoWorkflow(); p.config.Workflow != c.expected {
			t.Errorf("%s: %+v", name, p.config.Workflow)
		}
	}
}
