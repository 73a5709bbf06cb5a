package catalog_test

import (
	"os"
	"regexp"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func TestFilesHavePagesAtCodeHosts(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://github.com/owner/name.git":        "https://github.com/owner/name/blob/HEAD/requirements.txt",
		"https://gitlab.example.org/group/name/":   "https://gitlab.example.org/group/name/-/blob/HEAD/requirements.txt",
		"https://code.example.org/owner/name":      "",
		"http://127.0.0.1:8080/demo/git/start.git": "",
	} {
		if got := catalog.FileAtHost(address, "requirements.txt"); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
	if got := catalog.FileAtHost("https://github.com/owner/name.git", ""); got != "https://github.com/owner/name" {
		t.Errorf("got %q", got)
	}
}

func TestAddressesOfOneRepositoryHaveOneKey(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://github.com/owner/name":             "github.com/owner/name",
		"https://GitHub.com/Owner/Name.git":         "github.com/owner/name",
		"https://github.com/owner/NAME.GIT/":        "github.com/owner/name",
		"https://github.com/owner/name//":           "github.com/owner/name",
		"https://gitlab.example.org/group/sub/name": "gitlab.example.org/group/sub/name",
		"http://127.0.0.1:8080/demo/git/start.git":  "127.0.0.1:8080/demo/git/start",
		"https://github.com/":                       "",
		"https://github.com/.git":                   "",
		"github.com/owner/name":                     "",
		"":                                          "",
		"https://ada:secret@github.com/owner/name":  "",
	} {
		if got := catalog.RepositoryKey(address); got != want {
			t.Errorf("%q has the key %q, want %q", address, got, want)
		}
	}
}

// Entries of a database that was made before the column existed have the keys that new ones get.
func TestMigrationFillsRepositoryKeys(t *testing.T) {
	t.Parallel()
	addresses := []string{
		"https://github.com/owner/name", "https://GitHub.com/Owner/Name.git", "https://github.com/owner/NAME.GIT/",
		"https://github.com/owner/name//", "https://gitlab.example.org/group/sub/name", "http://127.0.0.1:8080/demo/git/start.git",
	}
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("a dataset", func(r *catalog.Entry) { r.DatasetURL = "https://github.com/owner/name" }))
		for _, address := range addresses {
			w.Import(catalogtest.Entry(address, catalogtest.Repository(address)))
		}
		keys := func() map[string]string {
			found := map[string]string{}
			rows, err := db.QueryContext(t.Context(), `SELECT name, repository_key FROM resource`)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
				var name, key string
				if err := rows.Scan(&name, &key); err != nil {
					t.Fatal(err)
				}
				found[name] = key
			}
			return found
		}
		written := keys()
		if written["a dataset"] != "" {
			t.Errorf("a dataset has the key %q", written["a dataset"])
		}
		err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
			for _, statement := range append([]string{`UPDATE resource SET repository_key = ''`}, migrationUpdates(t)...) {
				if _, err := tx.ExecContext(t.Context(), statement); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, key := range keys() {
			if key != written[name] {
				t.Errorf("%s: the migration gives %q, the program %q", name, key, written[name])
			}
		}
	})
}

// migrationUpdates returns the statements by which the migration fills the column.
func migrationUpdates(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../foundation/sqldb/migrations/0003_repository_key.sql")
	if err != nil {
		t.Fatal(err)
	}
	updates := regexp.MustCompile(`(?m)^UPDATE [^;]*;`).FindAllString(string(text), -1)
	if len(updates) == 0 {
		t.Fatal("the migration fills nothing")
	}
	return updates
}

// A notebook in a repository of the catalog links to that repository's entry, for those who may see it.
func TestNotebooksNameTheirRepository(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		at := func(address string) func(*catalog.Entry) {
			return func(r *catalog.Entry) { notebook(r); r.NotebookPath = address }
		}
		w := newWorld(t, db,
			catalogtest.Entry("code", catalogtest.Repository("https://github.com/Owner/Name.git")),
			catalogtest.Entry("hidden", catalogtest.Repository("https://github.com/owner/hidden"), catalogtest.Private),
			catalogtest.Entry("inside", at("https://GitHub.com/owner/name/blob/main/a/b.ipynb")),
			catalogtest.Entry("in hidden", at("https://github.com/owner/hidden/blob/main/a.ipynb")),
			catalogtest.Entry("elsewhere", at("https://github.com/owner/other/blob/main/a.ipynb")),
			catalogtest.Entry("other host", at("https://github.example.org/owner/name/blob/main/a.ipynb")),
			catalogtest.Entry("raw", at("https://github.com/owner/name/raw/main/a.ipynb")),
			catalogtest.Entry("short", at("https://github.com/owner/name/blob/main")),
			catalogtest.Entry("bundled", notebook),
			catalogtest.Entry("dataset"))
		for _, c := range []struct{ email, name, want string }{
			{"", "inside", w.ID("code")},
			{catalogtest.Bob, "inside", w.ID("code")},
			{"", "in hidden", ""},
			{catalogtest.Bob, "in hidden", ""},
			{catalogtest.Ada, "in hidden", w.ID("hidden")},
			{catalogtest.Ada, "elsewhere", ""},
			{catalogtest.Ada, "other host", ""},
			{catalogtest.Ada, "raw", ""},
			{catalogtest.Ada, "short", ""},
			{catalogtest.Ada, "bundled", ""},
			{catalogtest.Ada, "dataset", ""},
		} {
			if got := w.Entry(c.email, w.ID(c.name)).RepositoryID; got != c.want {
				t.Errorf("%s for %q names %q, want %q", c.name, c.email, got, c.want)
			}
		}
		if err := w.Delete(w.As(catalogtest.Ada), w.ID("code")); err != nil {
			t.Fatal(err)
		}
		if got := w.Entry("", w.ID("inside")).RepositoryID; got != "" {
			t.Errorf("a deleted repository is named: %q", got)
		}
	})
}
