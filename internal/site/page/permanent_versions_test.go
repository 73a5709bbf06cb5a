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
	"cairn/internal/foundation/sqldb"
	"cairn/internal/site/page/pagetest"
)

// The address of a version leads to the entry's page in that version, for good.
func TestPermanentAddressesOfVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Hill", spikes, hush)
	service := catalog.NewService(t.Context(), w.store, catalog.Options{Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = service.Close() })
	for _, externalID := range []string{"d1", "secret"} {
		for _, place := range []string{"second", "third"} {
			entry := w.entry(externalID)
			entry.DatasetURL = place
			if _, err := service.Versions().Renew(t.Context(), entry, entry.UpdatedAt, catalog.NewVersion{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.db.Write(t.Context(), func(tx *sqldb.Tx) error {
			_, err := tx.ExecContext(t.Context(), `UPDATE entry_version SET withdrawn_at = 1, withdrawn_reason = 'It was <b>wrong</b>.' WHERE number = 2`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	mux := http.NewServeMux()
	permanent := w.Permanent(func(ctx context.Context, id string) (catalog.Entry, error) { return service.Permanent(ctx, id) })
	mux.Handle("GET /id/{id}", permanent)
	mux.Handle("GET /id/{id}/{version}", permanent)
	ask := func(path, accept string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, pagetest.PublicURL+"/id/"+path, http.NoBody)
		request.Header.Set("Accept", accept)
		mux.ServeHTTP(answer, request)
		return answer
	}
	id := w.entry("d1").ID
	page := pagetest.PublicURL + "/resources/datasets/" + id
	for path, location := range map[string]string{id: page, id + "/v1": page + "?version=1", id + "/v3": page + "?version=3"} {
		if answer := ask(path, "text/html"); answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != location {
			t.Errorf("%s: %d %s, want %s", path, answer.Code, answer.Header().Get("Location"), location)
		}
	}
	for _, path := range []string{id + "/v9", id + "/v0", id + "/v-1", id + "/1", id + "/x", id + "/v99999999999999999999", id + "/v01x"} {
		for _, accept := range []string{"text/html", "application/json"} {
			if answer := ask(path, accept); answer.Code != http.StatusNotFound {
				t.Errorf("%s as %s: %d", path, accept, answer.Code)
			}
		}
	}
	document := ask(id+"/v2", "text/html")
	if text := document.Body.String(); document.Code != http.StatusGone || !strings.Contains(text, "It was &lt;b&gt;wrong&lt;/b&gt;.") || strings.Contains(text, "<script") {
		t.Errorf("withdrawn: %d %s", document.Code, text)
	}
	var left gone
	answer := ask(id+"/v2", "application/json")
	if err := json.Unmarshal(answer.Body.Bytes(), &left); err != nil || answer.Code != http.StatusGone || left.ID != id || !strings.Contains(left.Message, "It was <b>wrong</b>.") {
		t.Errorf("withdrawn as JSON: %d %s %v", answer.Code, answer.Body, err)
	}
	for _, version := range []string{"", "/v1", "/v2", "/v3", "/v9"} {
		if answer := ask(w.entry("secret").ID+version, "application/json"); answer.Code != http.StatusNotFound || strings.Contains(answer.Body.String(), "wrong") {
			t.Errorf("a private one%s: %d %s", version, answer.Code, answer.Body)
		}
	}
}
