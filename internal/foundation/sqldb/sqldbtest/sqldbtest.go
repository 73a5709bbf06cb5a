// Package sqldbtest provides each test with an empty, migrated database, on every system that the product supports. The
// migrations run once for all tests of a package; a test gets a copy.
package sqldbtest

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/sqldb"

	"github.com/google/uuid"
)

// Each runs the test once on SQLite and once on PostgreSQL. It is for what asks the database in words of its own; for
// what only uses a store, SQLite does. The PostgreSQL server is the one at CAIRN_TEST_POSTGRES, which `make test` starts
// and throws away with the databases in it; without it the half on PostgreSQL is skipped, but fails where CI=true.
func Each(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	EachAt(t, time.Now, test)
}

// EachAt is Each with a clock for written times.
func EachAt(t *testing.T, now func() time.Time, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, SQLite(t, now)) })
	t.Run("postgres", func(t *testing.T) { test(t, postgres(t, now)) })
}

// SQLite opens an empty SQLite database in a folder of the test.
func SQLite(t testing.TB, now func() time.Time) *sqldb.DB {
	t.Helper()
	template, err := sqliteTemplate()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cairn.db")
	if err := os.WriteFile(path, template, 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, "sqlite:"+path, now)
}

// sqliteTemplate returns the bytes of a migrated file.
var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "cairn-template")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "cairn.db")
	if err := migrate("sqlite:" + path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// Postgres creates a PostgreSQL database without any tables and returns its address; without a server it skips the test, as
// Each does.
func Postgres(t testing.TB) (address string) {
	t.Helper()
	needPostgres(t)
	created, err := createPostgres("")
	if err != nil {
		t.Fatal(err)
	}
	return created.String()
}

func needPostgres(t testing.TB) {
	t.Helper()
	if os.Getenv("CAIRN_TEST_POSTGRES") == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("CAIRN_TEST_POSTGRES is not set; make test sets it")
		}
		t.Skip("CAIRN_TEST_POSTGRES is not set")
	}
}

func postgres(t *testing.T, now func() time.Time) *sqldb.DB {
	t.Helper()
	needPostgres(t)
	template, err := postgresTemplate()
	if err != nil {
		t.Fatal(err)
	}
	address, err := createPostgres("TEMPLATE " + template)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, address.String(), now)
}

// postgresTemplate returns the name of a migrated database.
var postgresTemplate = sync.OnceValues(func() (string, error) {
	address, err := createPostgres("")
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(address.Path, "/"), migrate(address.String())
})

var postgresServer = sync.OnceValues(func() (*sql.DB, error) { return sql.Open("pgx", os.Getenv("CAIRN_TEST_POSTGRES")) })

// createPostgres creates a database and returns its address.
func createPostgres(options string) (*url.URL, error) {
	server, err := postgresServer()
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(os.Getenv("CAIRN_TEST_POSTGRES"))
	if err != nil {
		return nil, err
	}
	name := "cairn_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	address.Path = "/" + name
	_, err = server.ExecContext(context.Background(), "CREATE DATABASE "+name+" "+options)
	return address, err
}

func migrate(address string) error {
	db, err := sqldb.Open(context.Background(), address, time.Now)
	if err != nil {
		return err
	}
	return db.Close()
}

func open(t testing.TB, address string, now func() time.Time) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), address, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
