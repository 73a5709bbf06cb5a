package versions

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// copyForeign copies the store in a folder to another one, which is opened.
func copyForeign(t *testing.T, from string, each func(name string)) (*Store, error) {
	t.Helper()
	to := t.TempDir()
	err := CopyForeign(t.Context(), from, func(name string, content io.Reader) error {
		text, err := io.ReadAll(content)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, 0o600)
		}
		each(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	copied, err := Open(to, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = copied.Close() })
	return copied, nil
}

func TestAStoreIsCopiedWhileAnotherSavesIntoIt(t *testing.T) {
	t.Parallel()
	folder, work := t.TempDir(), t.TempDir()
	store, err := Open(folder, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	root, err := os.OpenRoot(work)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	save := func(text string) Version {
		if err := root.WriteFile("a.txt", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		saved, err := store.Save(context.WithoutCancel(t.Context()), Request{Line: "line", Roots: []Root{{Name: "work", Folder: root}}})
		if err != nil {
			t.Fatal(err)
		}
		return saved.Version
	}
	first := save("one")
	copied, err := copyForeign(t, folder, func(name string) {
		if name == logName {
			save("two")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := copied.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	opened, err := copied.Open(first.ID, "work/a.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if text, err := io.ReadAll(opened); err != nil || string(text) != "one" {
		t.Errorf("The copy has %q, %v", text, err)
	}
	if _, err := copyForeign(t, folder, func(name string) {
		if name == logName {
			_ = os.Rename(filepath.Join(folder, packName(1)), filepath.Join(folder, "gone"))
		}
	}); !errors.Is(err, ErrSwept) {
		t.Errorf("A pack that is gone: %v", err)
	}
	if lines := copied.Lines(); len(lines) != 1 || lines[0].Versions != 1 {
		t.Errorf("The copy has %+v", lines)
	}
}
