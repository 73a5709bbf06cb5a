package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func TestALostDatabaseAnswersReadsAndWritesAlike(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		query := `SELECT pg_terminate_backend(pg_backend_pid())` // the server hangs up, as one that is shut down does
		write := func() error {
			return db.Write(ctx, func(tx *sqldb.Tx) error { return tx.QueryRowContext(ctx, query).Scan(new(any)) })
		}
		if strings.HasSuffix(t.Name(), "/sqlite") {
			query = `SELECT 1`
			db.SetMaxIdleConns(0) // each read opens the file again
			folder := folderOf(t, db)
			if err := os.Rename(folder, folder+".gone"); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Rename(folder+".gone", folder) })
			write = func() error { // the writer has the file open already
				return db.Write(ctx, func(*sqldb.Tx) error { return db.QueryRowContext(ctx, query).Scan(new(any)) })
			}
		}
		many := func() error {
			rows, err := db.QueryContext(ctx, query)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
			}
			return rows.Err()
		}
		for what, ask := range map[string]func() error{
			"one row": func() error { return db.QueryRowContext(ctx, query).Scan(new(any)) }, "rows": many, "a write": write,
		} {
			err := ask()
			if found, _ := errors.AsType[*fault.Fault](err); found == nil || found.Code != fault.DatabaseUnavailable || found.RetryAfter == 0 {
				t.Errorf("%s: %v, want a fault that says when to come back", what, err)
			}
		}
	})
}

func TestAFullDiskIsSaidInWords(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
			if strings.HasSuffix(t.Name(), "/postgres") {
				_, err := tx.ExecContext(t.Context(), `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END $$`)
				return err
			}
			if err := tx.QueryRowContext(t.Context(), `PRAGMA max_page_count = 1`).Scan(new(any)); err != nil { // the file may not grow any more
				return err
			}
			_, err := tx.ExecContext(t.Context(), `CREATE TABLE big AS SELECT $1 AS x`, strings.Repeat("x", 1<<20))
			return err
		})
		found, _ := errors.AsType[*fault.Fault](err)
		if found == nil || found.Code != fault.DatabaseUnavailable || found.RetryAfter == 0 || !strings.Contains(found.Message, "full") {
			t.Errorf("%v, want a fault that says that the disk is full", err)
		}
	})
}

// A pool may hand out a connection that the server has ended meanwhile.
func TestAClosedConnectionIsALostDatabase(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		if strings.HasSuffix(t.Name(), "/sqlite") {
			return // there is no server that could end it
		}
		err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
			_ = tx.QueryRowContext(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`).Scan(new(any))
			_, err := tx.ExecContext(t.Context(), `SELECT 1`)
			return err
		})
		if found, _ := errors.AsType[*fault.Fault](err); found == nil || found.Code != fault.DatabaseUnavailable {
			t.Errorf("%v, want a fault that says when to come back", err)
		}
	})
}

func TestOtherErrorsOfReadsStayWhatTheyAre(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.QueryRowContext(t.Context(), `SELECT 1 WHERE 1 = 0`).Scan(new(int)); !errors.Is(err, sql.ErrNoRows) {
			t.Errorf("no row: %v", err)
		}
		if _, err := db.QueryContext(t.Context(), `SELECT nothing`); err == nil || fault.KindOf(err) != fault.Internal {
			t.Errorf("a defect: %v", err)
		}
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if _, err := db.QueryContext(ctx, `SELECT 1`); !errors.Is(err, context.Canceled) || fault.KindOf(err) != fault.Internal {
			t.Errorf("nobody waits any more: %v", err)
		}
	})
}

func folderOf(t *testing.T, db *sqldb.DB) string {
	t.Helper()
	var path string
	if err := db.QueryRowContext(t.Context(), `SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&path); err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(path)
}
