package catalog_test

import (
	"testing"

	"cairn/internal/catalog"
	"cairn/internal/catalog/catalogtest"
	"cairn/internal/sqldb"
)

const (
	ada = catalogtest.Ada
	bob = catalogtest.Bob
)

var (
	entry      = catalogtest.Entry
	private    = catalogtest.Private
	by         = catalogtest.By
	tagged     = catalogtest.Tagged
	about      = catalogtest.About
	repository = catalogtest.Repository
	names      = catalogtest.Names
	notebook   = catalogtest.Notebook("bundled:a.ipynb")
)

// world is a catalog on a database of its own.
type world struct{ *catalogtest.World }

func newWorld(t testing.TB, db *sqldb.DB, entries ...catalog.Resource) *world {
	t.Helper()
	return &world{catalogtest.New(t, db, entries...)}
}
