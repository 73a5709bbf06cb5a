package demo

import (
	"bytes"
	"encoding/json"
	"html/template"
	"net/http"
)

// The workflow platform of the demo, for which WorkflowHandler shows a page. In the address, the id of a model's
// application replaces the part in braces.
const (
	WorkflowName    = "the demo workflow platform"
	WorkflowPath    = "/demo/workflows/"
	WorkflowAddress = WorkflowPath + "{applicationInterfaceId}"
)

// application is what a model runs at the workflow platform.
type application struct {
	ID      string `json:"applicationInterfaceId"`
	Name    string `json:"name"`
	Version string `json:"version"`
}

// WorkflowHandler serves a page in place of a workflow platform, which says what would happen there. The request's path
// value "id" is the id of an application; for those that aren't in the demo's catalog the page shows the id alone.
func WorkflowHandler() http.Handler {
	page := template.Must(template.ParseFS(content, "workflow.html"))
	known := map[string]application{}
	for line := range bytes.Lines(catalog()) {
		var one application
		if err := json.Unmarshal(line, &one); err == nil && one.ID != "" {
			known[one.ID] = one
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		if id == "" {
			http.NotFound(w, r)
			return
		}
		shown, ok := known[id]
		if !ok {
			shown = application{ID: id, Name: id}
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = page.Execute(w, shown) // if it fails, the browser is gone
	})
}
