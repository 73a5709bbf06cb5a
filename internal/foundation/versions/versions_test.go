package versions_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/versions"
)

// workbench is a store, and a folder that is saved in it.
type workbench struct {
	*testing.T

	place, folder string
	store         *versions.Store
	root          *os.Root
	now           time.Time
}

func newWorkbench(t *testing.T) *workbench {
	t.Helper()
	w := &workbench{T: t, place: filepath.Join(t.TempDir(), "versions"), folder: t.TempDir(), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	root, err := os.OpenRoot(w.folder)
	w.must(err)
	w.root = root
	w.open()
	t.Cleanup(func() { _ = root.Close(); _ = w.store.Close() })
	return w
}

func (w *workbench) open() {
	w.Helper()
	store, err := versions.Open(w.place, versions.Options{Now: func() time.Time { return w.now }})
	w.must(err)
	w.store = store
}

func (w *workbench) reopen() {
	w.Helper()
	w.must(w.store.Close())
	w.open()
}

func (w *workbench) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *workbench) write(name, content string) {
	w.Helper()
	name = filepath.Join(w.folder, name)
	w.must(os.MkdirAll(filepath.Dir(name), 0o755))
	w.must(os.WriteFile(name, []byte(content), 0o644))
}

func (w *workbench) request(line string) versions.Request {
	return versions.Request{Line: line, Cause: "timer", Roots: []versions.Root{{Name: "work", Folder: w.root}}}
}

func (w *workbench) save() versions.Saved {
	w.Helper()
	saved, err := w.store.Save(w.Context(), w.request("line"))
	w.must(err)
	return saved
}

// state is everything that a version has to bring back, by path.
func state(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == folder {
			return err
		}
		if versions.LeaveOutCaches(name, entry.IsDir()) != "" {
			return fs.SkipDir
		}
		about, err := entry.Info()
		if err != nil {
			return err
		}
		text := about.Mode().String()
		switch {
		case about.Mode().IsRegular():
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			text += " " + about.ModTime().String() + " " + string(content)
		case about.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			text += " " + about.ModTime().String() + " " + target
		}
		found[name[len(folder)+1:]] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// restored restores a version into a new folder, and returns its state.
func (w *workbench) restored(id string) map[string]string {
	w.Helper()
	folder := w.TempDir()
	root, err := os.OpenRoot(folder)
	w.must(err)
	defer root.Close()
	_, err = w.store.Restore(w.Context(), id, "work", root, "again", versions.RestoreOptions{Exclusive: true})
	w.must(err)
	return state(w.T, filepath.Join(folder, "again"))
}

func (w *workbench) same(got, want map[string]string) {
	w.Helper()
	for name := range want {
		if got[name] != want[name] {
			w.Fatalf("%q is %.80q, want %.80q", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		w.Fatalf("there are %d entries, want %d: %q and %q", len(got), len(want), slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

func noise(length int, seed uint64) string {
	from := rand.New(rand.NewPCG(seed, 1))
	text := make([]byte, length)
	for i := range text {
		text[i] = byte(from.Uint32())
	}
	return string(text)
}

func TestAVersionBringsEverythingBack(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	large := noise(3<<20, 1)
	w.write("repo/large.bin", large)
	w.write("repo/empty", "")
	w.write("repo/notebook.ipynb", strings.Repeat("{}\n", 100))
	w.write("a\nb\xff/\xfe", "bytes")
	w.write("repo/__pycache__/a.pyc", "cache")
	w.write("repo/.ipynb_checkpoints/a", "checkpoint")
	w.must(os.Mkdir(filepath.Join(w.folder, "void"), 0o750))
	w.must(os.Symlink("/etc/passwd", filepath.Join(w.folder, "link")))
	w.must(os.Chmod(filepath.Join(w.folder, "repo/empty"), 0o555))
	w.must(os.Chmod(filepath.Join(w.folder, "repo"), 0o555))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(w.folder, "repo"), 0o755) })
	w.must(unix.Mkfifo(filepath.Join(w.folder, "pipe"), 0o600))
	old := time.Date(2020, 2, 29, 12, 30, 0, 123456789, time.UTC)
	w.must(os.Chtimes(filepath.Join(w.folder, "repo/notebook.ipynb"), old, old))
	saved := w.save()
	if counts := saved.Version.Root("work"); !saved.Changed || counts.Files != 4 || counts.Added != 5 || counts.Bytes != 3<<20+305 || counts.Modified+counts.Deleted != 0 {
		t.Errorf("got %+v", saved)
	}
	if usage := saved.Usage["work"]; usage.Files != 13 || usage.Bytes < 3<<20 || usage.Changed.IsZero() || usage.Err != nil {
		t.Errorf("the usage is %+v", usage)
	}
	want := state(t, w.folder)
	delete(want, "pipe")
	w.same(w.restored(saved.Version.ID), want)
	w.reopen()
	w.same(w.restored(saved.Version.ID), want)
	found, err := w.store.Get(saved.Version.ID)
	w.must(err)
	told := fmt.Sprint(found.LeftOut)
	if told != "[{work/pipe special} {work/repo/.ipynb_checkpoints checkpoint} {work/repo/__pycache__ cache}]" {
		t.Errorf("left out: %s", told)
	}
	entries, err := w.store.Files(saved.Version.ID, "work")
	w.must(err)
	names := ""
	for _, entry := range entries {
		names += string(entry.Kind) + " " + versions.EscapePath(entry.Name) + ","
	}
	if names != "d a\nb\u241bff,d repo,d void,l link," {
		t.Errorf("the folder has %q", names)
	}
	content, err := w.store.Open(saved.Version.ID, "work/repo/large.bin")
	w.must(err)
	for _, at := range []int64{0, 1, 2<<20 + 17, 3<<20 - 1, 5000} {
		_, err = content.Seek(at, io.SeekStart)
		w.must(err)
		some := make([]byte, 1)
		_, err = io.ReadFull(content, some)
		w.must(err)
		if some[0] != large[at] {
			t.Errorf("byte %d is %d", at, some[0])
		}
	}
	for _, path := range []string{"work/repo", "work/absent", "repo/large.bin", "work/link", "work/repo/empty/x"} {
		if _, err := w.store.Open(saved.Version.ID, path); !errors.Is(err, versions.ErrNotFound) {
			t.Errorf("%s: %v", path, err)
		}
	}
	w.must(w.store.Verify(t.Context()))
}

func TestNothingIsWrittenWhenNothingChanged(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	w.write("a/b", "b")
	first := w.save()
	before := state(t, w.place)
	for range 2 {
		again := w.save()
		if again.Changed || again.Version.ID != first.Version.ID {
			t.Errorf("got %+v", again)
		}
		now := time.Now()
		w.must(os.Chtimes(filepath.Join(w.folder, "a/b"), now, now))
		w.same(state(t, w.place), before)
	}
	w.reopen()
	if again := w.save(); again.Changed {
		t.Errorf("got %+v", again)
	}
	request := w.request("line")
	request.Always, request.Name, request.Cause = true, "done", "named"
	named, err := w.store.Save(t.Context(), request)
	w.must(err)
	if !named.Changed || named.Version.Name != "done" || named.Version.Root("work").Files != 1 || named.Version.ID <= first.Version.ID {
		t.Errorf("got %+v", named)
	}
}

// A store that has every state of a folder that changes at random brings each back, also after others were deleted, swept,
// and the store was opened again.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorkbench(t)
			from := rand.New(rand.NewPCG(seed, 2))
			states := map[string]map[string]string{}
			var order []string
			for step := range 40 {
				for range 1 + from.IntN(4) {
					change(w, from, step)
				}
				w.now = w.now.Add(time.Duration(from.IntN(7200)-600) * time.Second) // and sometimes back
				saved := w.save()
				if saved.Changed {
					states[saved.Version.ID] = state(t, w.folder)
					if len(order) > 0 && order[len(order)-1] >= saved.Version.ID {
						t.Fatalf("%s comes after %s", saved.Version.ID, order[len(order)-1])
					}
					order = append(order, saved.Version.ID)
				}
				switch from.IntN(6) {
				case 0:
					w.reopen()
				case 1:
					w.store.Forget("line")
				case 2:
					at := from.IntN(len(order))
					w.must(w.store.Delete(order[at]))
					delete(states, order[at])
					order = slices.Delete(order, at, at+1)
				case 3:
					_, err := w.store.Sweep(t.Context())
					w.must(err)
				}
				if len(order) == 0 {
					break
				}
			}
			w.must(w.store.Verify(t.Context()))
			found, total, err := w.store.List(t.Context(), "line", versions.Filter{Most: 1000})
			w.must(err)
			if total != len(order) || len(found) != total {
				t.Fatalf("%d of %d versions are listed, want %d", len(found), total, len(order))
			}
			for i, version := range found {
				if version.ID != order[len(order)-1-i] {
					t.Fatalf("version %d is %s", i, version.ID)
				}
				w.same(w.restored(version.ID), states[version.ID])
			}
			historyOf(w, order, states)
		})
	}
}

func change(w *workbench, from *rand.Rand, step int) {
	name := fmt.Sprintf("%d/%d", from.IntN(3), from.IntN(4))
	whole := filepath.Join(w.folder, name)
	switch from.IntN(6) {
	case 0:
		w.must(os.RemoveAll(whole))
	case 1:
		w.must(os.RemoveAll(filepath.Dir(whole)))
	case 2:
		w.must(os.RemoveAll(whole))
		w.must(os.MkdirAll(filepath.Dir(whole), 0o755))
		w.must(os.Symlink(fmt.Sprint(step), whole))
	case 3:
		w.must(os.RemoveAll(whole))
		w.write(name, noise(from.IntN(300_000), uint64(from.IntN(5))))
	case 4:
		content, _ := os.ReadFile(whole)
		w.must(os.RemoveAll(whole))
		w.write(name, fmt.Sprintf("%d\n%s", step, content))
	default:
		w.must(os.RemoveAll(whole))
		w.write(filepath.Join(name, "deeper"), strings.Repeat(fmt.Sprint(step), from.IntN(5000)))
	}
}

// historyOf compares the history of each path with what the states say.
func historyOf(w *workbench, order []string, states map[string]map[string]string) {
	paths := map[string]bool{}
	content := func(id, path string) string { // without times
		text := states[id][path]
		if text == "" || text[0] == 'd' {
			return ""
		}
		return text[:10] + text[strings.Index(text, "UTC")+3:]
	}
	for _, id := range order {
		for path := range states[id] {
			paths[path] = true
		}
	}
	for path := range paths {
		var want []string
		last := ""
		for i, id := range order {
			if now := content(id, path); now != last || i == 0 && now != "" {
				want = append([]string{id}, want...)
			}
			last = content(id, path)
		}
		found, _, err := w.store.List(w.Context(), "line", versions.Filter{Path: "work/" + path, Most: 100})
		w.must(err)
		var got []string
		for _, version := range found {
			got = append(got, version.ID)
		}
		if !slices.Equal(got, want) {
			w.Fatalf("the history of %s is %q, want %q", path, got, want)
		}
	}
}
