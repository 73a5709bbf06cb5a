package codehost

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A folder of another kind, such as one of a file system, stays.
func TestForeignFoldersStay(t *testing.T) {
	folder := t.TempDir()
	clones, err := OpenClones(folder, 1, time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lost+found", "x"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		_ = os.WriteFile(filepath.Join(folder, name, "f"), []byte("some bytes"), 0o600)
	}
	clones.makeRoom("00")
	for _, name := range []string{"lost+found", "x"} {
		if _, err := os.Stat(filepath.Join(folder, name, "f")); err != nil {
			t.Error(err)
		}
	}
}
