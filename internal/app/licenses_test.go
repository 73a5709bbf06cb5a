package app

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cairn/internal/foundation/licenses"
	"cairn/web"
)

func TestLicensesAsText(t *testing.T) {
	t.Parallel()
	answer := httptest.NewRecorder()
	serveLicenses("v1.2")(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/licenses.txt", http.NoBody))
	if answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%d %v", answer.Code, answer.Header())
	}
	for _, wanted := range []string{"Cairn v1.2: LICENSE", "Apache License", "github.com/dop251/goja", "react-dom"} {
		if !strings.Contains(answer.Body.String(), wanted) {
			t.Errorf("%q is missing", wanted)
		}
	}
}

func TestPackagesOfThePageHaveTheirLicenses(t *testing.T) {
	t.Parallel()
	content, err := fs.ReadFile(web.Dist(), ".vite/packages.json")
	if err != nil {
		t.Fatalf("the page was not built: %v", err)
	}
	var packages []struct{ Name, Version string }
	if err := json.Unmarshal(content, &packages); err != nil || len(packages) < 20 {
		t.Fatalf("%v: %s", err, content)
	}
	inventory, err := licenses.Load("")
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, component := range inventory.Components {
		if component.Kind == licenses.NPM {
			versions[component.Name+" "+component.Version] = component.License
		}
	}
	if len(versions) != len(packages) {
		t.Errorf("%d packages in the list of licenses, %d in the page; make generate writes the list", len(versions), len(packages))
	}
	for _, one := range packages {
		if versions[one.Name+" "+one.Version] == "" {
			t.Errorf("%s %s is in the page and not in the list of licenses; make generate writes it", one.Name, one.Version)
		}
	}
}
