package history

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
)

// testSession is a session of Ann's that has ended, with its files in a folder of the test.
type testSession struct {
	id, dir  string
	state    State
	saving   error  // what comes of saving the record
	saved    Record // as it was last saved
	work     *Work
	removed  *[]string // ids, in the order of removal
	discards int
}

func (s *testSession) ID() string     { return s.id }
func (s *testSession) Folder() string { return s.dir }
func (s *testSession) State() State   { return s.state }

func (s *testSession) Save() error {
	if s.saving == nil {
		s.saved = s.work.Record()
	}
	return s.saving
}

func (s *testSession) Discard() error {
	s.discards++
	return errors.Join(os.RemoveAll(filepath.Join(s.dir, folders.Work)), os.RemoveAll(filepath.Join(s.dir, folders.Home)))
}

func (s *testSession) MakeFolders() (*os.Root, error) {
	if err := errors.Join(s.Discard(), os.Mkdir(filepath.Join(s.dir, folders.Work), 0o700), os.Mkdir(filepath.Join(s.dir, folders.Home), 0o700)); err != nil {
		return nil, err
	}
	return os.OpenRoot(s.dir)
}

func (s *testSession) Enqueue(do func(context.Context) error) { _ = do(context.Background()) }

func (s *testSession) Remove(context.Context) error {
	*s.removed = append(*s.removed, s.id)
	s.state.Gone = true
	return s.work.Delete()
}

func (s *testSession) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, folders.Work, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s *testSession) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(s.dir, folders.Work, name))
	return string(text)
}

// testHistory has sessions of one owner, and a disk that is full when the test says so.
type testHistory struct {
	*Manager

	sessions []*testSession
	removed  []string
	shortage string
	now      time.Time
}

func (h *testHistory) IsFull() bool     { return h.shortage != "" }
func (h *testHistory) Shortage() string { return h.shortage }

func newTestHistory(t *testing.T, quota int64) *testHistory {
	t.Helper()
	h := &testHistory{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	h.Manager = NewManager(Options{
		Versions: Versions{Dir: filepath.Join(t.TempDir(), "versions"), Every: time.Minute, Quota: quota}, Entries: 1000, Interval: time.Second, Disk: h,
		Find: func(id string) *Work {
			for _, one := range h.sessions {
				if one.id == id {
					return one.work
				}
			}
			return nil
		},
		All: func() []*Work {
			var all []*Work
			for _, one := range h.sessions {
				all = append(all, one.work)
			}
			return all
		},
		Changed: func() {}, Closing: t.Context(), Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return h.now },
	})
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *testHistory) add(t *testing.T, id string) *testSession {
	t.Helper()
	s := &testSession{id: id, dir: t.TempDir(), removed: &h.removed, state: State{Owner: "ann@example.org", Phase: engine.Ended}}
	s.work = h.NewWork(s)
	root, err := s.MakeFolders()
	if err != nil {
		t.Fatal(err)
	}
	if err := root.Close(); err != nil {
		t.Fatal(err)
	}
	s.discards = 0
	h.sessions = append(h.sessions, s)
	return s
}

func TestARetiredSessionComesBackAsItWas(t *testing.T) {
	t.Parallel()
	h := newTestHistory(t, 0)
	s := h.add(t, "0195a000-0000-7000-8000-000000000001")
	s.write(t, "mine.txt", "precious")
	retired, err := s.work.Retire()
	if err != nil || !retired || s.discards != 1 || s.read("mine.txt") != "" {
		t.Fatalf("It is retired: %v %v, with %q in its folder", retired, err, s.read("mine.txt"))
	}
	if s.saved.PendingRestore == nil || s.saved.RetiredAt.IsZero() || !s.work.Saving().Retired {
		t.Errorf("Its record is %+v", s.saved)
	}
	if _, err := h.Access().SaveVersion(t.Context(), s.id, "Name"); err == nil {
		t.Error("A version is made of folders that aren't its work")
	}
	if err := s.work.Unretire(); err != nil || s.read("mine.txt") != "precious" || s.work.IsPending() || s.saved.PendingRestore != nil {
		t.Errorf("It came back with %q, %v, %+v", s.read("mine.txt"), err, s.saved)
	}
}

// What isn't recorded would be forgotten by the next engine, which would find an empty folder.
func TestNothingIsDiscardedThatIsNotRecorded(t *testing.T) {
	t.Parallel()
	h := newTestHistory(t, 0)
	s := h.add(t, "0195a000-0000-7000-8000-000000000001")
	s.write(t, "mine.txt", "precious")
	if err := s.work.SaveStopped(engine.VersionStop); err != nil {
		t.Fatal(err)
	}
	s.saving = errors.New("the disk is full")
	if retired, err := s.work.Retire(); err == nil || retired || s.discards != 0 || s.work.IsPending() || s.read("mine.txt") != "precious" {
		t.Errorf("It is retired: %v %v, discarded %d times", retired, err, s.discards)
	}
	s.saving = nil
	if retired, err := s.work.Retire(); err != nil || !retired {
		t.Fatal(retired, err)
	}
	s.saving = errors.New("the disk is full")
	if err := s.work.Unretire(); err == nil || !s.work.Saving().Retired || s.read("mine.txt") != "" {
		t.Errorf("It came back: %v", err)
	}
}

func TestDeletedSessionsMakeRoomInTheirOrder(t *testing.T) {
	t.Parallel()
	h := newTestHistory(t, 0)
	var deleted []string
	for _, id := range []string{"0195a000-0000-7000-8000-000000000001", "0195a000-0000-7000-8000-000000000002"} {
		s := h.add(t, id)
		s.write(t, "mine.txt", id)
		h.now = h.now.Add(time.Hour)
		if retired, err := s.work.Retire(); err != nil || !retired {
			t.Fatal(retired, err)
		}
		deleted = append(deleted, id)
	}
	kept := h.add(t, "0195a000-0000-7000-8000-000000000003")
	kept.write(t, "mine.txt", "kept")
	h.shortage = "the disk has 1 MiB left"
	if _, err := kept.work.save(t.Context(), engine.VersionTimer, ""); !errors.Is(err, errReserve) || !slices.Equal(h.removed, deleted) {
		t.Errorf("%v made room, %v", h.removed, err)
	}
	if stopped := kept.work.Saving().Stopped; stopped == "" {
		t.Error("Nobody is told that saving stopped")
	}
	h.shortage = ""
	if saved, err := kept.work.save(t.Context(), engine.VersionTimer, ""); err != nil || !saved.Changed || kept.work.Saving().Stopped != "" {
		t.Errorf("With room it is %+v %v", saved.Changed, err)
	}
}

// A version that is due is made once in the time that a change may get old.
func TestWorkIsSavedWhenItIsDue(t *testing.T) {
	t.Parallel()
	h := newTestHistory(t, 0)
	s := h.add(t, "0195a000-0000-7000-8000-000000000001")
	s.state.Phase = engine.Running
	s.work.Load(Record{}, true)
	for number, step := range []struct {
		pause time.Duration
		text  string
		count int
	}{{0, "one", 1}, {time.Second, "two", 1}, {time.Minute, "three", 2}, {time.Minute, "three", 2}} {
		h.now = h.now.Add(step.pause)
		s.write(t, "mine.txt", step.text)
		s.work.SaveChanged(t.Context())
		list, total, err := h.Access().Versions(t.Context(), s.id, engine.VersionFilter{Most: 10})
		if err != nil || total != step.count || s.work.Saving().Versions != step.count {
			t.Fatalf("Step %d: %d versions, %v", number, total, err)
		}
		if want := engine.VersionTimer; total == 2 && list[0].Cause != want || total == 1 && list[0].Cause != engine.VersionLost {
			t.Errorf("Step %d: the last is made because of %q", number, list[0].Cause)
		}
	}
}
