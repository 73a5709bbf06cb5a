package versions_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/versions"
)

// nest makes folders in folders, deeper than a path can name.
func nest(w *workbench, depth int) {
	at, err := unix.Open(w.folder, unix.O_PATH|unix.O_DIRECTORY, 0)
	w.must(err)
	for range depth {
		w.must(unix.Mkdirat(at, "d", 0o700))
		next, err := unix.Openat(at, "d", unix.O_PATH|unix.O_DIRECTORY, 0)
		w.must(err)
		w.must(unix.Close(at))
		at = next
	}
	w.must(unix.Close(at))
}

// Whatever a session makes of its folder, a version of it has what can be had, says what it lacks, and nothing from outside.
func TestHostileFolders(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("from outside"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := func(target, name string) func(*workbench) {
		return func(w *workbench) { w.must(os.Symlink(target, filepath.Join(w.folder, name))) }
	}
	for _, one := range []struct {
		name    string
		prepare func(w *workbench)
		leftOut string // as Sprint writes it
		entries int    // in the root of the version, with the file that each folder has
		opposed bool   // it can't be restored whole, or isn't looked at
	}{
		{"a link to a file outside", link(secret, "x"), "[]", 2, false},
		{"a link to a folder outside", link(filepath.Dir(secret), "x"), "[]", 2, false},
		{"a link upwards", link("../../../../etc/passwd", "x"), "[]", 2, false},
		{"a link to itself", link("x", "x"), "[]", 2, false},
		{"a link that leads nowhere", link("absent", "x"), "[]", 2, false},
		{"a link with a long target", link(strings.Repeat("t", 4000), "x"), "[]", 2, false},
		{"a pipe", func(w *workbench) { w.must(unix.Mkfifo(filepath.Join(w.folder, "x"), 0o644)) }, "[{work/x special}]", 1, true},
		{"a socket", func(w *workbench) {
			folder, err := os.Open(w.folder) // the address of a socket is short
			w.must(err)
			defer folder.Close()
			listener, err := (&net.ListenConfig{}).Listen(w.Context(), "unix", fmt.Sprintf("/proc/self/fd/%d/x", folder.Fd()))
			w.must(err)
			w.Cleanup(func() { _ = listener.Close() })
		}, "[{work/x special}]", 1, true},
		{"a file of 1 TB that is a hole", func(w *workbench) {
			w.write("x", "begins")
			w.must(os.Truncate(filepath.Join(w.folder, "x"), 1<<40))
		}, "[]", 2, true},
		{"a name of bytes", func(w *workbench) { w.write("\xff\xfe\x80", "x") }, "[]", 2, false},
		{"a name with a line break", func(w *workbench) { w.write("a\n\r\t\x1b[2J", "x") }, "[]", 2, false},
		{"a name of 255 bytes", func(w *workbench) { w.write(strings.Repeat("n", 255), "x") }, "[]", 2, false},
		{"a name like ours", func(w *workbench) { w.write(".restored-x/versions.log", "x") }, "[]", 2, false},
		{"folders in folders", func(w *workbench) { nest(w, 1500) }, "deep", 2, true},
		{"folders in folders that are left out", func(w *workbench) {
			nest(w, 1500)
			w.must(os.Rename(filepath.Join(w.folder, "d"), filepath.Join(w.folder, ".cache")))
		}, "[{work/.cache cache}]", 1, true},
		{"a thousand names of a large file", func(w *workbench) {
			w.write("x", noise(1<<20, 1))
			for i := range 1000 {
				w.must(os.Link(filepath.Join(w.folder, "x"), filepath.Join(w.folder, fmt.Sprint(i))))
			}
		}, "[]", 1002, true},
		{"a file of a cache's name", func(w *workbench) { w.write(".cache", "x") }, "[]", 2, false},
		{"a link of a cache's name", link("/", "__pycache__"), "[]", 2, false},
		{"too many files", func(w *workbench) {
			for i := range 3000 {
				w.write(fmt.Sprintf("many/%d", i), "x")
			}
		}, "[{ too-many}]", -1, true},
		{"a large file", func(w *workbench) { w.write("x", noise(3<<20, 1)) }, "[{work/x too-large}]", 1, true},
		{"a folder with all bits", func(w *workbench) {
			w.write("x/y", "y")
			w.must(os.Chmod(filepath.Join(w.folder, "x"), 0o777|os.ModeSetgid|os.ModeSticky))
		}, "[]", 2, true},
		{"a program with all bits", func(w *workbench) {
			w.write("x", "y")
			w.must(os.Chmod(filepath.Join(w.folder, "x"), 0o755|os.ModeSetuid))
		}, "[]", 2, true},
	} {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkbench(t)
			w.write("kept", "kept")
			one.prepare(w)
			w.Cleanup(func() {
				w.must(filetree.Empty(context.Background(), w.root))
			})
			request := w.request("line")
			request.FileBytes, request.Entries = 2<<20, 2500
			saved, err := w.store.Save(t.Context(), request)
			w.must(err)
			wanted := map[string]error{"deep": filetree.ErrTooDeep, "[{work/.cache cache}]": filetree.ErrTooDeep, "[{ too-many}]": filetree.ErrTooMany}[one.leftOut]
			if got := saved.Usage["work"].Err; !errors.Is(got, wanted) {
				t.Errorf("the usage has %v", got)
			}
			found, err := w.store.Get(saved.Version.ID)
			w.must(err)
			if told := fmt.Sprint(found.LeftOut); one.leftOut == "deep" && (len(found.LeftOut) != 1 || found.LeftOut[0].Reason != versions.TooDeep) || one.leftOut != "deep" && told != one.leftOut {
				t.Errorf("left out: %s", told)
			}
			entries, err := w.store.Files(saved.Version.ID, "work")
			w.must(err)
			if len(entries) != one.entries && one.entries >= 0 {
				t.Errorf("there are %d entries", len(entries))
			}
			if w.store.StoredBytes() > 3<<20 {
				t.Errorf("%d bytes are stored", w.store.StoredBytes())
			}
			again, err := w.store.Save(t.Context(), request)
			w.must(err)
			if again.Changed && one.entries >= 0 {
				t.Error("something changed")
			}
			w.must(w.store.Verify(t.Context()))
			into := w.TempDir()
			root, err := os.OpenRoot(into)
			w.must(err)
			defer root.Close()
			_, err = w.store.Restore(t.Context(), saved.Version.ID, "work", root, ".", versions.RestoreOptions{})
			w.must(err)
			about, err := os.Lstat(filepath.Join(into, "x"))
			if err == nil && about.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
				t.Errorf("it was restored as %v", about.Mode())
			}
			if !one.opposed {
				w.same(state(t, into), state(t, w.folder))
			} else if content, _ := os.ReadFile(filepath.Join(into, "kept")); string(content) != "kept" && one.entries >= 0 {
				t.Error("what should be kept isn't")
			}
			_ = filetree.Empty(t.Context(), root)
		})
	}
}

// Files that are written in place again and again are never half of one state and half of another.
func TestNoFileIsTorn(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	name := filepath.Join(w.folder, "x")
	write := func(letter byte) {
		w.must(os.WriteFile(name+"~", []byte(strings.Repeat(string(letter), 300_000)), 0o644))
		w.must(os.Rename(name+"~", name))
	}
	write('a')
	first := w.save()
	stop := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				write(byte('a' + i%26))
			}
		}
	})
	ids := []string{first.Version.ID}
	for range 30 {
		ids = append(ids, w.save().Version.ID)
	}
	close(stop)
	writing.Wait()
	for _, id := range slices.Compact(ids) {
		content := w.restored(id)["x"]
		last := content[len(content)-1:]
		if strings.Count(content, last) < 300_000 {
			t.Errorf("version %s has %.60q", id, content)
		}
	}
}

// A file that changes each time it is read stays as it was in the version before.
func TestAChangingFileStaysAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	w.write("x", "first")
	w.write("y", "first")
	w.save()
	changes := 0
	request := w.request("line")
	name := filepath.Join(w.folder, "x")
	request.Roots[0].LeaveOut = func(path string, _ bool) versions.Reason {
		if path == "x" { // between the look at it and its reading, it becomes a pipe
			changes++
			w.must(os.Remove(name))
			w.must(unix.Mkfifo(name, 0o600))
		}
		return ""
	}
	w.write("x", "second, which nobody will see")
	saved, err := w.store.Save(t.Context(), request)
	w.must(err)
	if changes == 0 || saved.Version.Root("work").Deleted != 1 || saved.Version.Root("work").Files != 1 {
		t.Errorf("got %+v", saved.Version)
	}
	w.must(os.Remove(name))
	w.write("x", "third")
	request.Roots[0].LeaveOut = func(path string, _ bool) versions.Reason {
		if path == "x" {
			w.must(os.Remove(name))
			w.write("x", "fourth")
		}
		return ""
	}
	saved, err = w.store.Save(t.Context(), request)
	w.must(err)
	if content := w.restored(saved.Version.ID)["x"]; !strings.HasSuffix(content, "fourth") {
		t.Errorf("x is %q", content)
	}
}

// Other people's rights are those of whoever saves and restores.
func TestSavingAndRestoringAsAnotherAccount(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("all accounts are ours then")
	}
	const account = 0x70000001
	w := newWorkbench(t)
	w.write("own", "own")
	w.write("ours", "secret")
	w.must(os.Chmod(filepath.Join(w.folder, "ours"), 0o600))
	w.must(os.Chown(filepath.Join(w.folder, "own"), account, account))
	w.must(os.Chown(w.folder, account, account))
	var saved versions.Saved
	w.must(filetree.As(account, func() (err error) {
		saved, err = w.store.Save(t.Context(), w.request("line"))
		return err
	}))
	into := t.TempDir()
	w.must(os.Chown(into, account, account))
	root, err := os.OpenRoot(into)
	w.must(err)
	defer root.Close()
	w.reopen() // so that it has to open packs
	w.must(filetree.As(account, func() error {
		_, err := w.store.Restore(t.Context(), saved.Version.ID, "work", root, ".", versions.RestoreOptions{})
		return err
	}))
	about, err := os.Stat(filepath.Join(into, "own"))
	w.must(err)
	var stat unix.Stat_t
	w.must(unix.Stat(filepath.Join(into, "own"), &stat))
	if stat.Uid != account || about.Size() != 3 {
		t.Errorf("it belongs to %d", stat.Uid)
	}
	if _, err := os.Lstat(filepath.Join(into, "ours")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a closed file was read")
	}
}
