// Package sqldbtest gives store tests a fresh, migrated database on every system that the product supports.
package sqldbtest

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/sqldb"

	"github.com/google/uuid"
)

// Each runs the test once on SQLite and once on PostgreSQL, each time on an empty database of its own. The PostgreSQL
// server is the one at CAIRN_TEST_POSTGRES, which `make test` starts; without it the half on PostgreSQL is skipped,
// but fails where CI=true.
func Each(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	EachAt(t, time.Now, test)
}

// EachAt is Each with a clock for what is written.
func EachAt(t *testing.T, now func() time.Time, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, SQLite(t, now)) })
	t.Run("postgres", func(t *testing.T) { test(t, open(t, postgresAddress(t), now)) })
}

// SQLite opens an empty SQLite database in a folder of the test.
func SQLite(t *testing.T, now func() time.Time) *sqldb.DB {
	t.Helper()
	return open(t, "sqlite:"+filepath.Join(t.TempDir(), "cairn.db"), now)
}

func open(t *testing.T, address string, now func() time.Time) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), address, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func postgresAddress(t *testing.T) string {
	t.Helper()
	server := os.Getenv("CAIRN_TEST_POSTGRES")
	if server == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("CAIRN_TEST_POSTGRES is not set; make test sets it")
		}
		t.Skip("CAIRN_TEST_POSTGRES is not set")
	}
	admin, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	name := "cairn_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = admin.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
		_ = admin.Close()
	})
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/" + name
	return address.String()
}
