package localjupyter_test

import (
	"net/http"
	"strings"
	"testing"

	"cairn/internal/sessions/engine"
)

// Jupyter removes the scripts of notebooks that it doesn't trust; only those that the catalog itself ships are trusted.
func TestNotebooksOfTheCatalogAreTrusted(t *testing.T) {
	t.Parallel()
	b := newBench(t, withRealJupyter)
	b.open()
	const notebook = `{"cells": [{"cell_type": "code", "execution_count": 1, "metadata": {}, "source": "1", "outputs": [
		{"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/html": "<script>1</script>"}}]}],
		"metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}}, "nbformat": 4, "nbformat_minor": 4}`
	for _, trusted := range []bool{true, false} {
		spec := b.spec(engine.Repository{})
		spec.Notebook = engine.Notebook{Name: "a plot.ipynb", Content: []byte(notebook)}
		spec.Trusted = trusted
		b.start(spec)
		b.await(spec.ID, engine.Running)
		response, content := b.ask(spec.ID, http.MethodGet, "api/contents/a%20plot.ipynb?type=notebook", true)
		if response.StatusCode != http.StatusOK || strings.Contains(content, `"trusted": true`) != trusted {
			t.Errorf("A notebook with Trusted %v is opened as %s %s", trusted, response.Status, content)
		}
		b.stop(spec.ID)
	}
}
