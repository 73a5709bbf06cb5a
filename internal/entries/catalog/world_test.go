package catalog_test

import (
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/sqldb"
)

var notebook = catalogtest.Notebook("bundled:a.ipynb")

// world is a catalog on a separate database.
type world struct{ *catalogtest.World }

func newWorld(t testing.TB, db *sqldb.DB, entries ...catalog.Entry) *world {
	t.Helper()
	return &world{catalogtest.New(t, db, entries...)}
}
