package enginetest

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"cairn/internal/foundation/filetree"
)

// Put writes a file into a work folder, in folders that belong to its session.
func Put(t testing.TB, folder, name, text string) {
	t.Helper()
	work, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer work.Close()
	owner, err := filetree.Owner(work)
	for i := range name {
		if name[i] == '/' && err == nil {
			if err = work.Mkdir(name[:i], 0o755); errors.Is(err, fs.ErrExist) {
				err = nil
			} else if err == nil {
				err = work.Lchown(name[:i], owner, owner)
			}
		}
	}
	if err == nil {
		err = work.WriteFile(name, []byte(text), 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}
