package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/operations/backup"
)

func TestFoldersOfVersionsAreBackedUp(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, sqldbtest.SQLite(t, time.Now))
	tries := 0
	in.options.Stores = []backup.Store{{Name: "local/abc", Copy: func(_ context.Context, pass func(string, io.Reader) error) error {
		tries++
		err := pass("versions.log", strings.NewReader(fmt.Sprint("log of copy ", tries)))
		if tries == 1 {
			return errors.Join(err, fmt.Errorf("swept: %w", backup.ErrAgain))
		}
		return errors.Join(err, pass("1.pack", strings.NewReader("pack")))
	}}}
	opened, err := backup.Open(t.Context(), in.backUp())
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if stores := opened.Stores(); !slices.Equal(stores, []string{"local/abc"}) {
		t.Fatalf("The backup has the folders %v", stores)
	}
	to := filepath.Join(t.TempDir(), "data", "abc")
	if err := opened.CopyStoreTo(t.Context(), "local/abc", to); err != nil {
		t.Fatal(err)
	}
	for name, wanted := range map[string]string{"versions.log": "log of copy 2", "1.pack": "pack"} {
		if text, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(text) != wanted {
			t.Errorf("%s has %q, %v", name, text, err)
		}
	}
	in.options.Stores[0].Copy = func(context.Context, func(string, io.Reader) error) error { return backup.ErrAgain }
	if _, err := backup.Write(t.Context(), filepath.Join(t.TempDir(), "never"), in.options); !errors.Is(err, backup.ErrAgain) {
		t.Errorf("A folder that is rewritten all the time: %v", err)
	}
}
