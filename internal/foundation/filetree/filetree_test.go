package filetree_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/filetree"
)

func TestWalkSeesEverythingAndFollowsNothing(t *testing.T) {
	t.Parallel()
	folder, root := newRoot(t)
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret"), "secret")
	write(t, filepath.Join(folder, "tree/a.txt"), "a")
	write(t, filepath.Join(folder, "tree/b/c/d.txt"), "d")
	write(t, filepath.Join(folder, "tree/skipped/e.txt"), "e")
	write(t, filepath.Join(folder, "tree/closed/f.txt"), "f")
	must(t, os.Chmod(filepath.Join(folder, "tree/closed"), 0))
	must(t, os.Symlink(outside, filepath.Join(folder, "tree/out")))
	must(t, unix.Mkfifo(filepath.Join(folder, "tree/pipe"), 0o600))
	var found []string
	err := filetree.Walk(t.Context(), root, "tree", filetree.Limits{}, func(entry *filetree.Entry) error {
		if entry.Depth != strings.Count(entry.Path(), "/")+1 || path.Base(entry.Path()) != entry.Name {
			t.Errorf("%s has depth %d and name %s", entry.Path(), entry.Depth, entry.Name)
		}
		told := entry.Path()
		if entry.IsFolder() {
			told += "/"
		}
		file, err := entry.Open()
		if (err == nil) != entry.IsFile() {
			t.Errorf("opening %s: %v", entry.Path(), err)
		}
		if err == nil {
			content, _ := io.ReadAll(file)
			_ = file.Close()
			told += "=" + string(content)
		}
		found = append(found, told)
		if entry.Name == "skipped" {
			return fs.SkipDir
		}
		return nil
	})
	must(t, err)
	slices.Sort(found)
	wanted := []string{"a.txt=a", "b/", "b/c/", "b/c/d.txt=d", "closed/", "closed/f.txt=f", "out", "pipe", "skipped/"}
	if !slices.Equal(found, wanted) {
		t.Errorf("found %q", found)
	}
	must(t, os.Symlink("tree", filepath.Join(folder, "link")))
	for _, name := range []string{"link", "link/b", "absent", "tree/a.txt"} {
		if err := filetree.Walk(t.Context(), root, name, filetree.Limits{}, func(*filetree.Entry) error { return nil }); (err == nil) != (name == "link/b") {
			t.Errorf("walking %s: %v", name, err)
		}
	}
}

func TestWalkKeepsItsLimits(t *testing.T) {
	t.Parallel()
	folder, root := newRoot(t)
	nest(t, folder, filetree.MaxDepth)
	count := func(limits filetree.Limits) (seen int, err error) {
		err = filetree.Walk(t.Context(), root, ".", limits, func(*filetree.Entry) error { seen++; return nil })
		return seen, err
	}
	if seen, err := count(filetree.Limits{}); seen != filetree.MaxDepth || err != nil {
		t.Errorf("%d entries, %v", seen, err)
	}
	if seen, err := count(filetree.Limits{Entries: filetree.MaxDepth}); seen != filetree.MaxDepth || err != nil {
		t.Errorf("%d entries, %v", seen, err)
	}
	if seen, err := count(filetree.Limits{Depth: 5}); seen != 5 || !errors.Is(err, filetree.ErrTooDeep) {
		t.Errorf("%d entries, %v", seen, err)
	}
	if seen, err := count(filetree.Limits{Entries: 7}); seen != 7 || !errors.Is(err, filetree.ErrTooMany) {
		t.Errorf("%d entries, %v", seen, err)
	}
	nest(t, folder, filetree.MaxDepth+1)
	if _, err := count(filetree.Limits{Depth: 10 * filetree.MaxDepth}); !errors.Is(err, filetree.ErrTooDeep) {
		t.Errorf("got %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	visited := 0
	err := filetree.Walk(ended, root, ".", filetree.Limits{}, func(*filetree.Entry) error { visited++; end(); return nil })
	if visited != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d entries after the end of the context, %v", visited, err)
	}
}

func TestWhatChangesDuringAWalkIsLeftOut(t *testing.T) {
	t.Parallel()
	folder, root := newRoot(t)
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret"), "secret")
	write(t, filepath.Join(folder, "tree/file"), "1")
	write(t, filepath.Join(folder, "tree/folder/inside"), "2")
	err := filetree.Walk(t.Context(), root, "tree", filetree.Limits{}, func(entry *filetree.Entry) error {
		name := filepath.Join(folder, "tree", entry.Path())
		switch entry.Name {
		case "file":
			must(t, os.Remove(name))
			must(t, os.Symlink(filepath.Join(outside, "secret"), name))
			if opened, err := entry.Open(); err == nil {
				t.Errorf("opened %s", opened.Name())
			}
			must(t, os.Remove(name))
			write(t, name, "another")
			if opened, err := entry.Open(); err == nil {
				_ = opened.Close()
				t.Log("the file system gave the same number again")
			}
		case "folder":
			must(t, os.RemoveAll(name))
			must(t, os.Symlink(outside, name))
		default:
			t.Errorf("came to %s", entry.Path())
		}
		return nil
	})
	must(t, err)
}

func TestRemoveTakesEverythingAndFollowsNothing(t *testing.T) {
	t.Parallel()
	folder, root := newRoot(t)
	outside := t.TempDir()
	write(t, filepath.Join(outside, "kept/file"), "kept")
	for i := range 1500 { // more than one batch
		write(t, filepath.Join(folder, "tree", fmt.Sprintf("%d/%d/file-%s", i%3, i, strings.Repeat("x", 100))), "content")
	}
	write(t, filepath.Join(folder, "tree/a/b/.1/c/d"), "d")
	write(t, filepath.Join(folder, "tree/.1/file"), "taken")
	write(t, filepath.Join(folder, "tree/.2"), "taken")
	must(t, os.Symlink(outside, filepath.Join(folder, "tree/a/out")))
	must(t, os.Symlink(filepath.Join(outside, "kept"), filepath.Join(folder, "tree/out")))
	must(t, os.Chmod(filepath.Join(folder, "tree/a/b/.1"), 0))
	must(t, os.Chmod(filepath.Join(folder, "tree/a"), 0o500))
	must(t, os.Symlink(outside, filepath.Join(folder, "link")))
	for _, name := range []string{"tree", "tree", "link", "absent/too"} {
		must(t, filetree.Remove(t.Context(), root, name))
		if _, err := os.Lstat(filepath.Join(folder, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	if content, err := os.ReadFile(filepath.Join(outside, "kept/file")); string(content) != "kept" {
		t.Errorf("a link was followed: %v", err)
	}
}

func TestRemoveEndsWithItsContext(t *testing.T) {
	t.Parallel()
	folder, root := newRoot(t)
	write(t, filepath.Join(folder, "tree/a/b"), "b")
	ended, end := context.WithCancel(t.Context())
	end()
	if err := filetree.Remove(ended, root, "tree"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	must(t, filetree.Remove(t.Context(), root, "tree"))
}

func newRoot(t *testing.T) (string, *os.Root) {
	t.Helper()
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	must(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return folder, root
}

// nest creates folders in folders, where they are missing.
func nest(t *testing.T, folder string, depth int) {
	t.Helper()
	at, err := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY, 0)
	must(t, err)
	for range depth {
		if err := unix.Mkdirat(at, "d", 0o700); !errors.Is(err, unix.EEXIST) {
			must(t, err)
		}
		next, err := unix.Openat(at, "d", unix.O_PATH|unix.O_DIRECTORY, 0)
		must(t, err)
		must(t, unix.Close(at))
		at = next
	}
	must(t, unix.Close(at))
}

func write(t *testing.T, name, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o700))
	must(t, os.WriteFile(name, []byte(content), 0o600))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
