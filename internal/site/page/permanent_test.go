package page

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/site/page/pagetest"
)

func TestPermanentAddresses(t *testing.T) {
	t.Parallel()
	kept := spikes
	kept.ExternalID, kept.Name, kept.DOI = "gone", "Gone <b>& away</b>", "10.5281/zenodo.1234"
	buried, hidden := hush, spikes
	buried.ExternalID, hidden.ExternalID = "buried", "hidden"
	w := newWorld(t, "Hill", spikes, hush, kept, buried, hidden)
	id := func(external string) string {
		found, err := w.store.IDByExternalID(t.Context(), external)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	hide := true
	if _, err := w.store.Curate(t.Context(), id("hidden"), catalog.Curation{Hidden: &hide, Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	for _, external := range []string{"gone", "buried", "hidden"} {
		if _, err := w.store.Delete(t.Context(), id(external)); err != nil {
			t.Fatal(err)
		}
	}
	service := catalog.NewService(t.Context(), w.store, catalog.Options{Logger: slog.New(slog.DiscardHandler)})
	mux := http.NewServeMux()
	mux.Handle("GET /id/{id}", w.Permanent(func(ctx context.Context, id string) (catalog.Entry, error) { return service.Permanent(ctx, id) }))
	ask := func(id, accept string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, pagetest.PublicURL+"/id/"+id, http.NoBody)
		request.Header.Set("Accept", accept)
		mux.ServeHTTP(answer, request)
		return answer
	}
	there := ask(id("d1"), "text/html")
	if there.Code != http.StatusSeeOther || there.Header().Get("Location") != pagetest.PublicURL+"/resources/datasets/"+id("d1") {
		t.Errorf("public: %d %s", there.Code, there.Header().Get("Location"))
	}
	for _, external := range []string{"secret", "buried", "hidden"} {
		for _, accept := range []string{"text/html", "application/json"} {
			if answer := ask(id(external), accept); answer.Code != http.StatusNotFound || strings.Contains(answer.Body.String(), "Hush") {
				t.Errorf("%s as %s: %d %s", external, accept, answer.Code, answer.Body)
			}
		}
	}
	if answer := ask("nothing", "application/json"); answer.Code != http.StatusNotFound {
		t.Errorf("no id: %d", answer.Code)
	}
	page := ask(id("gone"), "text/html")
	text := page.Body.String()
	if page.Code != http.StatusGone || strings.Contains(text, "<script") || strings.Contains(text, "neuro@") ||
		!strings.Contains(text, "Gone &lt;b&gt;&amp; away&lt;/b&gt;") || !strings.Contains(text, "https://doi.org/10.5281/zenodo.1234") {
		t.Errorf("deleted: %d %s", page.Code, text)
	}
	var left gone
	answer := ask(id("gone"), "application/json")
	if err := json.Unmarshal(answer.Body.Bytes(), &left); err != nil || answer.Code != http.StatusGone || left.Name != kept.Name || left.DOI != kept.DOI ||
		left.IssuedAt == nil || left.DeletedAt.Before(*left.IssuedAt) {
		t.Errorf("deleted as JSON: %d %s %v", answer.Code, answer.Body, err)
	}
}
