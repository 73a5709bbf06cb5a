package sqldb_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// eachEmpty runs a test on new databases without tables.
func eachEmpty(t *testing.T, test func(t *testing.T, address string)) {
	t.Run("SQLite", func(t *testing.T) { test(t, "sqlite:"+filepath.Join(t.TempDir(), "cairn.db")) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, sqldbtest.Postgres(t)) })
}

func TestInspectingADatabaseFindsWhatOpeningWouldAndChangesNothing(t *testing.T) {
	eachEmpty(t, func(t *testing.T, address string) {
		ctx := t.Context()
		found, err := sqldb.Inspect(ctx, address, true)
		if err != nil || found.Version != 0 {
			t.Fatalf("a new database: %+v, %v", found, err)
		}
		if path, isFile := strings.CutPrefix(address, "sqlite:"); isFile {
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("inspecting made the file: %v", err)
			}
		} else if now := time.Now(); found.Clock.Before(now.Add(-time.Hour)) || found.Clock.After(now.Add(time.Hour)) {
			t.Errorf("the clock shows %s", found.Clock)
		}
		db, err := sqldb.Open(ctx, address, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if found, err = sqldb.Inspect(ctx, address, true); err != nil || found.Version == 0 || found.Version != found.Known {
			t.Errorf("an open database: %+v, %v", found, err)
		}

		detach, err := db.Attach(ctx, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sqldb.Inspect(ctx, address, true); !errors.Is(err, sqldb.ErrAttached) {
			t.Errorf("beside another server, alone: %v", err)
		}
		if _, err := sqldb.Inspect(ctx, address, false); err != nil {
			t.Errorf("beside another server: %v", err)
		}
		if err := detach(); err != nil {
			t.Error(err)
		}
		if detach, err = db.Attach(ctx, true); err != nil { // inspecting has left no lock behind
			t.Fatal(err)
		}
		if _, err := sqldb.Inspect(ctx, address, false); !errors.Is(err, sqldb.ErrAttached) {
			t.Errorf("beside a server that must be alone: %v", err)
		}
		if err := detach(); err != nil {
			t.Error(err)
		}

		if err := db.Write(ctx, func(tx *sqldb.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, TRUE)`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		_, err = sqldb.Inspect(ctx, address, true)
		if _, opening := sqldb.Open(ctx, address, time.Now); fault.KindOf(err) != fault.Conflict || opening == nil || err.Error() != opening.Error() {
			t.Errorf("a newer database: %v, where opening says %v", err, opening)
		}
	})
}

func TestInspectingADatabaseThatCannotBeOpened(t *testing.T) {
	folder := t.TempDir()
	broken := filepath.Join(folder, "broken.db")
	if err := os.WriteFile(broken, []byte("this is no database, and long enough to show it: "+string(make([]byte, 4096))), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"sqlite:" + broken, "sqlite:" + filepath.Join(folder, "nowhere", "cairn.db"), "postgres://u@127.0.0.1:1/none?connect_timeout=2", "mysql://x"} {
		_, inspecting := sqldb.Inspect(t.Context(), address, true)
		_, opening := sqldb.Open(t.Context(), address, time.Now)
		if inspecting == nil || opening == nil || fault.MessageOf(inspecting) != fault.MessageOf(opening) {
			t.Errorf("%s: inspecting says %v, opening %v", address, inspecting, opening)
		}
	}
}
