package versions

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// operation is what a store did to its disk.
type operation struct {
	what     string // create, write, truncate, sync, rename, remove, names
	file     int    // of create to sync
	name, to string
	at       int64
	text     []byte
}

// recorder is a disk in memory that records what is done to it, and can be full.
type recorder struct {
	mu    sync.Mutex
	names map[string]int
	files []*memoryFile
	done  []operation
	fail  func(operation) error
}

type memoryFile struct {
	disk   *recorder
	number int
	text   []byte
}

func newRecorder() *recorder { return &recorder{names: map[string]int{}} }

func (r *recorder) do(one operation) error {
	if r.fail != nil {
		if err := r.fail(one); err != nil {
			return err
		}
	}
	r.done = append(r.done, one)
	return nil
}

func (r *recorder) Names() ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.names)), nil
}

func (r *recorder) Open(name string) (file, int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	number, found := r.names[name]
	if !found {
		return nil, 0, fs.ErrNotExist
	}
	return r.files[number], int64(len(r.files[number].text)), nil
}

func (r *recorder) Create(name string) (file, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	created := &memoryFile{disk: r, number: len(r.files)}
	if err := r.do(operation{what: "create", file: created.number, name: name}); err != nil {
		return nil, err
	}
	r.files = append(r.files, created)
	r.names[name] = created.number
	return created, nil
}

func (r *recorder) Rename(from, to string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.do(operation{what: "rename", name: from, to: to}); err != nil {
		return err
	}
	r.names[to] = r.names[from]
	delete(r.names, from)
	return nil
}

func (r *recorder) Remove(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.do(operation{what: "remove", name: name}); err != nil {
		return err
	}
	delete(r.names, name)
	return nil
}

func (r *recorder) Sync() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.do(operation{what: "names"})
}

func (r *recorder) Close() error { return nil }

func (f *memoryFile) ReadAt(into []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if at >= int64(len(f.text)) {
		return 0, io.EOF
	}
	count := copy(into, f.text[at:])
	if count < len(into) {
		return count, io.EOF
	}
	return count, nil
}

func (f *memoryFile) WriteAt(text []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	one := operation{what: "write", file: f.number, at: at, text: slices.Clone(text)}
	if err := f.disk.do(one); err != nil {
		f.text = apply(f.text, operation{what: "write", at: at, text: text[:len(text)/2]}) // as a full disk does
		return len(text) / 2, err
	}
	f.text = apply(f.text, one)
	return len(text), nil
}

func (f *memoryFile) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return f.disk.do(operation{what: "sync", file: f.number})
}

func (f *memoryFile) Truncate(length int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	one := operation{what: "truncate", file: f.number, at: length}
	if err := f.disk.do(one); err != nil {
		return err
	}
	f.text = apply(f.text, one)
	return nil
}

func (f *memoryFile) Close() error { return nil }

func apply(text []byte, one operation) []byte {
	if one.what == "truncate" {
		return text[:min(int64(len(text)), one.at)]
	}
	if missing := int(one.at) + len(one.text) - len(text); missing > 0 {
		text = append(text, make([]byte, missing)...)
	}
	copy(text[one.at:], one.text)
	return text
}

// crashed returns the disk as it is after so many operations and a crash. What wasn't synced is lost, or, as the draw says,
// has reached the disk in a part; so have names.
func (r *recorder) crashed(after int, from *rand.Rand) *recorder {
	left := newRecorder()
	unsynced := map[int][]operation{}
	var unsyncedNames []operation
	name := func(one operation) {
		switch one.what {
		case "create":
			left.names[one.name] = one.file
		case "rename":
			if number, found := left.names[one.name]; found {
				left.names[one.to] = number
				delete(left.names, one.name)
			}
		case "remove":
			delete(left.names, one.name)
		}
	}
	for _, one := range r.done[:after] {
		switch one.what {
		case "create":
			left.files = append(left.files, &memoryFile{disk: left, number: one.file})
			unsyncedNames = append(unsyncedNames, one)
		case "rename", "remove":
			unsyncedNames = append(unsyncedNames, one)
		case "names":
			for _, waiting := range unsyncedNames {
				name(waiting)
			}
			unsyncedNames = nil
		case "sync":
			for _, waiting := range unsynced[one.file] {
				left.files[one.file].text = apply(left.files[one.file].text, waiting)
			}
			unsynced[one.file] = nil
		default:
			unsynced[one.file] = append(unsynced[one.file], one)
		}
	}
	if from.IntN(2) == 0 {
		return left
	}
	for _, waiting := range unsyncedNames[:from.IntN(len(unsyncedNames)+1)] { // names are kept in order
		name(waiting)
	}
	for number, writes := range unsynced {
		for _, one := range writes {
			switch from.IntN(3) {
			case 0:
				left.files[number].text = apply(left.files[number].text, one)
			case 1:
				one.text = one.text[:from.IntN(len(one.text)+1)]
				left.files[number].text = apply(left.files[number].text, one)
			}
		}
	}
	return left
}

// scene is a store on a recorder, and what was saved in it.
type scene struct {
	*testing.T

	folder string
	root   *os.Root
	disk   *recorder
	store  *Store
	now    time.Time

	states  map[string]map[string]string // by version
	listed  []map[string]bool            // versions that are surely there, at each moment
	moments []int                        // operations until then
	deleted map[string]bool
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{T: t, folder: t.TempDir(), disk: newRecorder(), states: map[string]map[string]string{}, deleted: map[string]bool{}, now: time.Unix(1_800_000_000, 0)}
	var err error
	if s.root, err = os.OpenRoot(s.folder); err == nil {
		s.store, err = openOn(s.disk, Options{Now: func() time.Time { return s.now }})
	}
	s.must(err)
	t.Cleanup(func() { _ = s.root.Close() })
	return s
}

func (s *scene) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *scene) note() {
	sure := map[string]bool{}
	for id := range s.states {
		if !s.deleted[id] {
			sure[id] = true
		}
	}
	s.moments, s.listed = append(s.moments, len(s.disk.done)), append(s.listed, sure)
}

func (s *scene) change(from *rand.Rand) {
	for range 3 {
		name := filepath.Join(s.folder, fmt.Sprintf("%d/%d", from.IntN(2), from.IntN(3)))
		s.must(os.MkdirAll(filepath.Dir(name), 0o755))
		text := make([]byte, from.IntN(60_000))
		for i := range text {
			text[i] = byte(from.Uint32())
		}
		s.must(os.WriteFile(name, text, 0o644))
	}
}

func (s *scene) save(line string) (Saved, error) {
	s.now = s.now.Add(time.Hour)
	return s.store.Save(s.Context(), Request{Line: line, Cause: "timer", Always: true, Roots: []Root{{Name: "work", Folder: s.root}}})
}

// contents returns the files of the folder.
func (s *scene) contents() map[string]string {
	found := map[string]string{}
	err := filepath.WalkDir(s.folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			text, failed := os.ReadFile(name)
			found["work"+name[len(s.folder):]], err = string(text), failed
		}
		return err
	})
	s.must(err)
	return found
}

// contentsOf returns the files of a version.
func contentsOf(t *testing.T, store *Store, id string) (map[string]string, error) {
	t.Helper()
	found := map[string]string{}
	err := store.Walk(t.Context(), id, "", func(path string, entry Entry, open func() *Content) error {
		if entry.Kind != File {
			return nil
		}
		text, err := io.ReadAll(open())
		found[path] = string(text)
		return err
	})
	return found, err
}

// play saves, deletes and sweeps.
func (s *scene) play(from *rand.Rand, steps int) {
	for range steps {
		s.change(from)
		saved, err := s.save(fmt.Sprint(from.IntN(2)))
		s.must(err)
		s.states[saved.Version.ID] = s.contents()
		s.note()
		if from.IntN(3) == 0 {
			for id := range s.states {
				if !s.deleted[id] && from.IntN(2) == 0 {
					s.deleted[id] = true
					s.note() // it may be gone from here on
					s.must(s.store.Delete(id))
				}
			}
			_, err := s.store.Sweep(s.Context())
			s.must(err)
			s.note()
		}
	}
}

// After a crash at any point, each version that was made before it is there, and each that is listed is whole.
func TestCrashesLoseNoVersion(t *testing.T) {
	t.Parallel()
	from := rand.New(rand.NewPCG(1, 2))
	cuts := 1000
	if testing.Short() {
		cuts = 100
	}
	s := newScene(t)
	s.play(from, 60)
	t.Logf("%d operations, %d versions, %d of them deleted", len(s.disk.done), len(s.states), len(s.deleted))
	for range cuts {
		after := from.IntN(len(s.disk.done) + 1)
		left := s.disk.crashed(after, from)
		store, err := openOn(left, Options{})
		if err != nil {
			t.Fatalf("after %d operations: %v", after, err)
		}
		listed := map[string]bool{}
		for _, line := range store.Lines() {
			found, total, err := store.List(t.Context(), line.Name, Filter{Most: 1000})
			s.must(err)
			if len(found) != total {
				t.Fatalf("%d of %d versions are listed", len(found), total)
			}
			for _, version := range found {
				listed[version.ID] = true
			}
		}
		moment, _ := slices.BinarySearch(s.moments, after+1) // the first after the crash
		if moment > 0 {
			for id := range s.listed[moment-1] {
				surely := moment == len(s.listed) || s.listed[moment][id] // it isn't being deleted
				if !listed[id] && surely {
					t.Fatalf("after %d operations, version %s is gone", after, id)
				}
			}
		}
		for id := range listed {
			want := s.states[id]
			got, err := contentsOf(t, store, id)
			if err != nil || !maps.Equal(got, want) {
				t.Fatalf("after %d operations, version %s has %d files, want %d: %v", after, id, len(got), len(want), err)
			}
		}
		if err := store.Verify(t.Context()); err != nil {
			t.Fatalf("after %d operations: %v", after, err)
		}
		saved, err := store.Save(t.Context(), Request{Line: "0", Roots: []Root{{Name: "work", Folder: s.root}}})
		s.must(err)
		if got, err := contentsOf(t, store, saved.Version.ID); err != nil || !maps.Equal(got, s.contents()) {
			t.Fatalf("after %d operations, the next version isn't what was saved: %v", after, err)
		}
	}
}
