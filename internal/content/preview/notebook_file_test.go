package preview_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost/githubtest"
)

// A notebook in a repository is shown like an entry's own: to those who see the entry, and in a frame.
func TestNotebooksOfRepositories(t *testing.T) {
	t.Parallel()
	w, stand := filesWorld(t)
	w.showNotebooks("")
	for _, name := range []string{"owner/open", "owner/hidden", "owner/secret"} {
		stand.Put(githubtest.Repository{Name: name, Private: name == "owner/secret", Files: map[string]string{
			"docs/a b.ipynb": string(notebookOf("text of " + name)), "other.ipynb": string(notebookOf("another one")), "broken.ipynb": "{}", "a.txt": "no notebook",
		}})
	}
	const path = "/notebook?path=docs/a%20b.ipynb"
	var view preview.NotebookView
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("open")+path, http.StatusOK, &view)
	if view.SourceURL != "https://github.com/owner/open/blob/main/docs/a%20b.ipynb" || view.Language != "python" || view.FetchedAt == nil || view.Stale != "" {
		t.Errorf("%+v", view)
	}
	w.shows("a notebook", view.NotebookFrameURL, http.StatusOK, "text of owner/open")
	// Whoever may read the entry may read all its notebooks.
	w.shows("another", strings.Replace(view.NotebookFrameURL, url.QueryEscape("docs/a b.ipynb"), "other.ipynb", 1), http.StatusOK, "another one")
	w.shows("one that is not there", strings.Replace(view.NotebookFrameURL, url.QueryEscape("docs/a b.ipynb"), "none.ipynb", 1), http.StatusNotFound)
	w.shows("a path that is none", strings.Replace(view.NotebookFrameURL, url.QueryEscape("docs/a b.ipynb"), "../x", 1), http.StatusUnprocessableEntity)
	for what, address := range map[string]string{
		"no path":       strings.Replace(view.NotebookFrameURL, url.QueryEscape("docs/a b.ipynb"), "", 1),
		"no signature":  strings.Split(view.NotebookFrameURL, "?")[0] + "?path=other.ipynb",
		"another entry": strings.ReplaceAll(view.NotebookFrameURL, w.ID("open"), w.ID("hidden")),
	} {
		w.shows(what, address, http.StatusNotFound, "There is no notebook at this address")
	}

	w.Ask(catalogtest.Bob, http.MethodGet, "/resources/public/"+w.ID("hidden")+path, http.StatusOK, &view)
	w.shows("a private entry", view.NotebookFrameURL, http.StatusOK, "text of owner/hidden")
	for _, one := range []struct {
		name, email, path string
		status            int
	}{
		{"hidden", catalogtest.Ada, path, 404},
		{"hidden", "", path, 404},
		{"secret", catalogtest.Ada, path, 404},
		{"elsewhere", "", path, 404},
		{"open", "", "/notebook", 404},
		{"open", "", "/notebook?path=none.ipynb", 404},
		{"open", "", "/notebook?path=a.txt", 422},
		{"open", "", "/notebook?path=broken.ipynb", 422},
		{"open", "", "/notebook?path=../x.ipynb", 422},
		{"data", "", path, 404},
	} {
		var answer problem
		w.Ask(one.email, http.MethodGet, "/resources/public/"+w.ID(one.name)+one.path, one.status, &answer)
		if !strings.HasSuffix(answer.Message, ".") {
			t.Errorf("%s of %s: %s", one.path, one.name, answer.Message)
		}
	}
}
