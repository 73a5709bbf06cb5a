package contribute_test

import (
	"net/http"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// Entries of builds before roles, affiliations, SPDX licenses and permanent addresses stay as they are, are edited as all
// others, and have what newer ones have.
func TestOlderEntriesStayValid(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("old"))
		id := w.ID("old")
		err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
			_, err := tx.ExecContext(t.Context(), `UPDATE resource SET license = 'Own-1.0', version = 'v1', doi = '10.1000/1', issued_at = 0, language = '', funding = '', related_identifiers = '',
				people = '[{"name":"Ada King","orcid":"0000-0002-1825-0097","email":"ada@example.org"},{"name":"","orcid":"","email":"bob@example.org"}]' WHERE id = $1`, id)
			tx.Changed(id)
			return err
		})
		if err == nil {
			err = w.CatchUp(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		entry := w.Entry(catalogtest.Ada, id)
		var changed catalog.Resource
		w.Send(catalogtest.Ada, http.MethodPatch, "/resources/"+id, `{"name":"New","updatedAt":"`+entry.UpdatedAt.Format(time.RFC3339Nano)+`"}`, http.StatusOK, &changed)
		if changed.Name != "New" || changed.License != "Own-1.0" || changed.Version != "v1" || changed.DOI != "10.1000/1" || changed.People[0].Name != "Ada King" || changed.People[0].Role != "" {
			t.Errorf("got %+v", changed)
		}
		var page catalog.CreditedPage
		w.Ask("", http.MethodGet, "/people/0000-0002-1825-0097", http.StatusOK, &page)
		if page.TotalElements != 1 || page.Content[0].Name != "New" {
			t.Errorf("got %+v", page)
		}
	})
}
