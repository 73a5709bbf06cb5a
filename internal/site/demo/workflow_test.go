package demo

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestWorkflowPlatformSaysWhatItIs(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("GET "+WorkflowPath+"{id...}", WorkflowHandler())
	ask := func(id string) (int, string) {
		answer := httptest.NewRecorder()
		address := strings.ReplaceAll(WorkflowAddress, "{applicationInterfaceId}", url.PathEscape(id))
		mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, address, nil))
		return answer.Code, answer.Body.String()
	}
	models := 0
	for _, one := range readCatalog(t, "http://127.0.0.1:8080") {
		if one.Type != "MODEL" {
			continue
		}
		models++
		code, page := ask(one.ApplicationInterfaceID)
		for _, want := range []string{"<h1>Create " + one.Name + " (" + one.Version + ")</h1>", "This is a demo page", one.ApplicationInterfaceID} {
			if code != http.StatusOK || !strings.Contains(page, want) {
				t.Errorf("%s: %d without %q:\n%s", one.Name, code, want, page)
			}
		}
	}
	if models == 0 {
		t.Error("there are no models")
	}
	if code, page := ask("<b>a/b</b>"); code != http.StatusOK || !strings.Contains(page, "<h1>Create &lt;b&gt;a/b&lt;/b&gt;</h1>") {
		t.Errorf("an unknown application: %d\n%s", code, page)
	}
	if code, _ := ask(""); code != http.StatusNotFound {
		t.Errorf("without an application: %d", code)
	}
}
