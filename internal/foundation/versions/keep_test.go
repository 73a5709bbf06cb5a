package versions_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/versions"
)

func TestRetain(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	begin := w.now
	request := w.request("line")
	request.Always = true
	save := func(line, name string) {
		request.Line, request.Name = line, name
		_, err := w.store.Save(t.Context(), request)
		w.must(err)
	}
	for i := range 40 * 24 { // every half hour, for 20 days
		w.now = begin.Add(time.Duration(i) * 30 * time.Minute)
		name := ""
		if i == 3 {
			name = "kept"
		}
		save("line", name)
		if i == 5 {
			save("other", "")
			save("other", "")
		}
	}
	w.now = begin.Add(20 * 24 * time.Hour)
	deleted, err := w.store.Retain(versions.DefaultPolicy)
	w.must(err)
	found, total, err := w.store.List(t.Context(), "line", versions.Filter{Most: 1000})
	w.must(err)
	// 48 of the last day, 24 hours before it, 18 days before these, and the named one; days begin at midnight, and the versions at noon.
	if total < 48+24+18+1 || total > 48+24+19+1 || deleted != 40*24-total+1 {
		t.Errorf("%d are left, %d were deleted", total, deleted)
	}
	if found[len(found)-1].Name != "kept" {
		t.Errorf("the oldest is %+v", found[len(found)-1])
	}
	if _, total, _ := w.store.List(t.Context(), "other", versions.Filter{}); total != 1 {
		t.Errorf("the other line has %d", total)
	}
	if deleted, err := w.store.Retain(versions.DefaultPolicy); deleted != 0 || err != nil {
		t.Errorf("%d more were deleted: %v", deleted, err)
	}
	w.now = begin.Add(-time.Hour) // the clock stepped back
	if deleted, err := w.store.Retain(versions.DefaultPolicy); deleted != 0 || err != nil {
		t.Errorf("%d were deleted: %v", deleted, err)
	}
	w.now = begin.Add(365 * 24 * time.Hour)
	_, err = w.store.Retain(versions.DefaultPolicy)
	w.must(err)
	if _, total, _ := w.store.List(t.Context(), "line", versions.Filter{}); total != 2 {
		t.Errorf("%d are left", total)
	}
	_, err = w.store.Sweep(t.Context())
	w.must(err)
	w.reopen()
	if _, total, _ := w.store.List(t.Context(), "line", versions.Filter{}); total != 2 {
		t.Errorf("%d are left", total)
	}
	w.must(w.store.Verify(t.Context()))
}

func TestTheQuota(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	w.write("x", noise(100_000, 1))
	first := w.save()
	w.write("x", noise(200_000, 2))
	request := w.request("line")
	request.StoredBytes = 250_000
	for range 2 {
		saved, err := w.store.Save(t.Context(), request)
		if !errors.Is(err, versions.ErrQuota) || saved.Usage["work"].Files != 0 && saved.Usage["work"].Files != 1 {
			t.Errorf("got %+v %v", saved, err)
		}
		if w.store.StoredBytes() > request.StoredBytes {
			t.Errorf("%d bytes are stored", w.store.StoredBytes())
		}
	}
	w.must(w.store.Verify(t.Context()))
	if _, total, _ := w.store.List(t.Context(), "line", versions.Filter{}); total != 1 {
		t.Errorf("there are %d versions", total)
	}
	w.write("x", noise(100_000, 1))
	request.StoredBytes = 1 // nothing has to be written for what didn't change
	if saved, err := w.store.Save(t.Context(), request); err != nil || saved.Version.ID != first.Version.ID {
		t.Errorf("got %+v %v", saved, err)
	}
	w.write("x", noise(200_000, 2))
	w.save()
}

func TestAStoreIsOpenOnce(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	if _, err := versions.Open(w.place, versions.Options{}); !errors.Is(err, versions.ErrInUse) {
		t.Errorf("got %v", err)
	}
	w.write("x", "x")
	saved := w.save()
	w.must(w.store.Close())
	w.must(w.store.Close())
	_, saveError := w.store.Save(t.Context(), w.request("line"))
	_, _, listError := w.store.List(t.Context(), "line", versions.Filter{})
	_, getError := w.store.Get(saved.Version.ID)
	_, sweepError := w.store.Sweep(t.Context())
	for i, err := range []error{saveError, listError, getError, sweepError, w.store.Verify(t.Context()), w.store.Delete(saved.Version.ID), w.store.Copy(t.Context(), t.TempDir())} {
		if !errors.Is(err, versions.ErrClosed) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	w.open()
	entries, err := os.ReadDir(w.place)
	w.must(err)
	for _, entry := range entries {
		if about, _ := entry.Info(); about.Mode().Perm() != 0o600 {
			t.Errorf("%s has %v", entry.Name(), about.Mode())
		}
	}
	if about, _ := os.Stat(w.place); about.Mode().Perm() != 0o700 {
		t.Errorf("the folder has %v", about.Mode())
	}
}

// Two lines are saved, read, deleted and swept at the same time, while backups are made, each of which is complete.
func TestEverythingAtTheSameTime(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	var working sync.WaitGroup
	for line := range 2 {
		folder := t.TempDir()
		root, err := os.OpenRoot(folder)
		w.must(err)
		defer root.Close()
		working.Go(func() {
			var last []string
			for step := range 25 {
				name := filepath.Join(folder, fmt.Sprint(step%5))
				if err := os.WriteFile(name, []byte(noise(40_000, uint64(step/3))), 0o600); err != nil {
					t.Error(err)
				}
				saved, err := w.store.Save(t.Context(), versions.Request{Line: fmt.Sprint(line), Always: true, Roots: []versions.Root{{Name: "work", Folder: root}}})
				if err != nil {
					t.Error(err)
					return
				}
				last = append(last, saved.Version.ID)
				if len(last) > 4 {
					if err := w.store.Delete(last[0]); err != nil {
						t.Error(err)
					}
					last = last[1:]
				}
				for _, id := range last {
					content, err := w.store.Open(id, "work/0")
					if err != nil {
						t.Error(err)
						return
					}
					_ = content.Close()
				}
			}
		})
	}
	working.Go(func() {
		for range 10 {
			if _, err := w.store.Sweep(t.Context()); err != nil {
				t.Error(err)
			}
			if err := w.store.Verify(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	working.Go(func() {
		for range 5 {
			folder := filepath.Join(t.TempDir(), "copy")
			if err := w.store.Copy(t.Context(), folder); err != nil {
				t.Error(err)
				return
			}
			again, err := versions.Open(folder, versions.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(again.Verify(t.Context()), again.Close()); err != nil {
				t.Error(err)
			}
		}
	})
	working.Wait()
	w.must(w.store.Verify(t.Context()))
	if lines := w.store.Lines(); len(lines) != 2 || lines[0].Versions != 4 || lines[1].Versions != 4 {
		t.Errorf("got %+v", lines)
	}
}

func TestRestoringInPlace(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	w.write("repo/a", "a")
	w.write("repo/b/c", "c")
	w.write("repo/d", "d")
	w.must(os.Symlink("a", filepath.Join(w.folder, "repo/link")))
	id := w.save().Version.ID
	want := state(t, w.folder)
	restore := func(path, at string, options versions.RestoreOptions) error {
		_, err := w.store.Restore(t.Context(), id, path, w.root, at, options)
		return err
	}
	outside := t.TempDir()
	w.must(os.WriteFile(filepath.Join(outside, "c"), []byte("outside"), 0o600))

	w.must(os.RemoveAll(filepath.Join(w.folder, "repo/b")))
	w.must(os.Symlink(outside, filepath.Join(w.folder, "repo/b"))) // a link in place of a folder
	for _, at := range []string{"repo/b/c", "absent/c", "repo/a/c", "../c", "/c", "repo/../c"} {
		if err := restore("work/repo/b/c", at, versions.RestoreOptions{}); err == nil {
			t.Errorf("%s was written", at)
		}
	}
	if err := restore("work/repo/b", "repo/b", versions.RestoreOptions{}); !errors.Is(err, versions.ErrExists) {
		t.Errorf("got %v", err)
	}
	w.must(os.Remove(filepath.Join(w.folder, "repo/a")))
	w.must(os.Symlink(filepath.Join(outside, "c"), filepath.Join(w.folder, "repo/a"))) // a link in place of a file is replaced
	w.must(restore("work/repo/a", "repo/a", versions.RestoreOptions{}))
	w.must(restore("work/repo/a", "repo/a (12:00)", versions.RestoreOptions{Exclusive: true}))
	if err := restore("work/repo/a", "repo/a (12:00)", versions.RestoreOptions{Exclusive: true}); !errors.Is(err, versions.ErrExists) {
		t.Errorf("got %v", err)
	}
	w.must(os.Remove(filepath.Join(w.folder, "repo/d")))
	w.write("repo/d/in/the/way", "x")
	if err := restore("work/repo/d", "repo/d", versions.RestoreOptions{}); !errors.Is(err, versions.ErrExists) {
		t.Errorf("got %v", err)
	}
	w.write("repo/new", "new")
	w.write("repo/.cache/x", "stays")
	w.must(restore("work", ".", versions.RestoreOptions{Delete: true}))
	w.same(state(t, w.folder), want)
	if content, _ := os.ReadFile(filepath.Join(w.folder, "repo/.cache/x")); string(content) != "stays" {
		t.Error("what versions leave out was removed")
	}
	if content, _ := os.ReadFile(filepath.Join(outside, "c")); string(content) != "outside" {
		t.Error("a link was followed")
	}
}
