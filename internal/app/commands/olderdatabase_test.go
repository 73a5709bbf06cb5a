package commands_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/app/commands"
	"cairn/internal/app/config"
	"cairn/internal/foundation/sqldb"
)

func TestAnOlderDatabaseIsAcceptedAfterItWasSaidWhatItLacks(t *testing.T) {
	t.Parallel()
	settings := config.Default()
	settings.Data = t.TempDir()
	path := filepath.Join(settings.Data, "cairn.db")
	serve := func(count int) error {
		db, err := sqldb.OpenToServe(t.Context(), "sqlite:"+path, false, time.Now, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		for range count {
			err = errors.Join(err, db.Write(t.Context(), func(tx *sqldb.Tx) error {
				tx.Changed("an entry")
				_, err := tx.Count(t.Context(), sqldb.Accounts)
				return err
			}))
		}
		return errors.Join(err, db.Close())
	}
	answer, asked := false, 0
	accept := func() string {
		var out bytes.Buffer
		err := commands.AcceptOlderDatabase(t.Context(), settings, func() (bool, error) { asked++; return answer, nil }, &out)
		if err != nil {
			t.Error(err)
		}
		return out.String()
	}
	folder := filepath.Join(settings.Data, "sessions", "local", sqldb.NewID())
	if err := errors.Join(serve(1), os.Rename(path, path+".old"), os.Remove(path+".state"), serve(4), os.Rename(path+".old", path), os.MkdirAll(folder, 0o700)); err != nil {
		t.Fatal(err)
	}

	if err := serve(0); err == nil || !strings.Contains(err.Error(), "cairn doctor --accept-older-database") {
		t.Fatalf("got %v", err)
	}
	told := accept()
	for _, want := range []string{
		"lacks 3 changes of entries, their stars or tags.", "lacks 3 changes of accounts.", "The database doesn't know the session whose work is in " + folder, "Nothing was changed.",
	} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is missing in:\n%s", want, told)
		}
	}
	if err := serve(0); err == nil {
		t.Fatal("served without being accepted")
	}
	answer = true
	if told := accept(); !strings.Contains(told, "The next server starts from this database.") {
		t.Error(told)
	}
	if err := serve(0); err != nil {
		t.Error(err)
	}
	if told := accept(); !strings.Contains(told, "Nothing has to be accepted") || asked != 2 {
		t.Error(told, asked)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Error("the work of a session is gone:", err)
	}
}
