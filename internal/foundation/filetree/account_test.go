package filetree_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/filetree"
)

// account has nothing on this machine.
const account = 0x70000001

// Whatever is wrong with a removal, it can't do more than the account that owned the files.
func TestAnAccountRemovesItsFilesOnly(t *testing.T) {
	t.Parallel()
	folder, root := newRoot(t)
	if os.Geteuid() != 0 {
		if err := filetree.As(account, func() error { return nil }); err == nil {
			t.Error("Another account's rights were had without root's")
		}
		return
	}
	write(t, filepath.Join(folder, "tree/closed/own/deeper/file"), "own")
	write(t, filepath.Join(folder, "tree/foreign/kept"), "kept")
	for _, name := range []string{"tree", "tree/closed", "tree/closed/own", "tree/closed/own/deeper", "tree/closed/own/deeper/file"} {
		must(t, root.Chown(name, account, account))
	}
	must(t, root.Chmod("tree/closed", 0))
	tree, err := root.OpenRoot("tree")
	must(t, err)
	defer tree.Close()
	err = filetree.As(account, func() error { return filetree.Empty(t.Context(), tree) })
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("removing another's file: %v", err)
	}
	if _, err := root.Lstat("tree/closed"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its own files are still there: %v", err)
	}
	if _, err := root.Lstat("tree/foreign/kept"); err != nil {
		t.Error(err)
	}
	if now, _ := unix.SetfsuidRetUid(-1); now != 0 {
		t.Errorf("another thread has the rights of %d", now)
	}
	must(t, filetree.Remove(t.Context(), root, "tree"))
}
