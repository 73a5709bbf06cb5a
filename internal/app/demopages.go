package app

import (
	"net/http"

	"cairn/internal/app/config"
	"cairn/internal/entries/catalog"
	"cairn/internal/site/demo"
)

// handleDemo mounts what only the demo has.
func (p *program) handleDemo(mux *http.ServeMux, dir string, protect func(http.Handler) http.Handler) {
	mux.Handle("/demo/git/", demo.GitHandler(dir))
	mux.Handle("GET "+demo.RepositoryPagePath, protect(p.redirectToRepository(catalog.NewStore(p.db))))
	mux.Handle("GET "+demo.NotebookPath+"{name}", protect(demo.NotebookHandler()))
	mux.Handle("GET "+demo.WorkflowPath+"{id...}", protect(demo.WorkflowHandler()))
}

// withDemoWorkflow names the demo's page for a workflow platform, unless the operator has named another.
func (p *program) withDemoWorkflow() {
	if workflow := &p.config.Workflow; p.config.Demo && workflow.URL == "" {
		workflow.URL = p.publicURL + demo.WorkflowAddress
		if workflow.Name == config.Default().Workflow.Name {
			workflow.Name = demo.WorkflowName
		}
	}
}

// redirectToRepository redirects browsers from the clone address of the demo's repository to its entry.
func (p *program) redirectToRepository(entries *catalog.Store) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, err := entries.IDByExternalID(r.Context(), demo.RepositoryEntry)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		http.Redirect(w, r, "/resources/"+catalog.Repository.Plural()+"/"+id, http.StatusFound)
	})
}
