package localjupyter

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// testDisk is a disk of 100 GiB whose free room the test sets.
type testDisk struct {
	free, files atomic.Uint64
	looks       atomic.Int64
}

func newTestDisk() *testDisk {
	disk := &testDisk{}
	disk.free.Store(50 << 30)
	disk.files.Store(1_000_000)
	return disk
}

func (d *testDisk) statfs(_ string, about *unix.Statfs_t) error {
	d.looks.Add(1)
	*about = unix.Statfs_t{Bsize: 4096, Blocks: 100 << 30 / 4096, Bavail: d.free.Load() / 4096, Files: 2_000_000, Ffree: d.files.Load()}
	return nil
}

func awaitThat(t *testing.T, what string, condition func() bool) {
	t.Helper()
	late := time.After(2 * time.Minute)
	for !condition() {
		select {
		case <-late:
			t.Fatalf("Waited in vain: %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestNothingStartsBelowTheReserve(t *testing.T) {
	t.Parallel()
	disk := newTestDisk()
	disk.free.Store(4 << 30)
	e, err := New(Options{Dir: t.TempDir(), Statfs: disk.statfs})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	spec := engine.Spec{ID: uuid.NewString(), Owner: "ann@example.org", Repository: engine.Repository{URL: "https://example.org/none", LocalPath: t.TempDir(), Folder: "none"}}
	start := func(want func(engine.Status) bool) {
		t.Helper()
		if err := e.Start(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
		awaitThat(t, "the launch", func() bool {
			status, err := e.Status(t.Context(), spec.ID)
			return err == nil && want(status)
		})
	}
	refused := func(status engine.Status) bool { return status.Phase == engine.Full && status.Reason == nearlyFull }
	start(refused)
	disk.free.Store(50 << 30)
	awaitThat(t, "room", func() bool { return !e.disks.IsFull() })
	// Without a repository it fails, and so it was begun.
	start(func(status engine.Status) bool {
		return status.Phase == engine.Failed && status.Steps[0].State == engine.Broken
	})
	disk.files.Store(10_000)
	awaitThat(t, "no room for files", e.disks.IsFull)
	start(refused)
	if err := e.Remove(t.Context(), spec.ID); err != nil {
		t.Error(err)
	}
}

// stopped collects the sessions that are stopped for the reserve, in their order.
type stopped struct {
	slog.Handler

	mu  sync.Mutex
	ids []string
}

func (s *stopped) Handle(_ context.Context, line slog.Record) error {
	line.Attrs(func(attribute slog.Attr) bool {
		if attribute.Key == "session" && line.Level == slog.LevelWarn {
			s.mu.Lock()
			s.ids = append(s.ids, attribute.Value.String())
			s.mu.Unlock()
		}
		return true
	})
	return nil
}

func (s *stopped) Enabled(context.Context, slog.Level) bool { return true }

// The sessions are measured once before; what they write then is found because the reserve is gone.
func TestSessionsThatGrewStopForTheReserve(t *testing.T) {
	t.Parallel()
	disk, log := newTestDisk(), &stopped{Handler: slog.DiscardHandler}
	e, err := New(Options{Dir: t.TempDir(), Statfs: disk.statfs, Logger: slog.New(log)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var sessions []*session
	for range 4 {
		s := addTestSession(t, e)
		sessions = append(sessions, s)
		if e.sandbox.Level().OwnAccount() {
			account, err := pickAccount(e.sandbox)
			if err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			s.record.UserID = account
			s.mu.Unlock()
		}
		server, err := e.sandbox.Start(t.Context(), (&launch{session: s, engine: e}).boxed(sandbox.Box{Account: s.record.UserID, Folder: "/", Command: []string{"/usr/bin/sleep", "600"}}))
		if err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		s.record.Phase, s.record.Server, s.record.First = engine.Running, server.Record().Process, server.Record().First
		s.server, s.wanted = server, true
		s.mu.Unlock()
		fill(t, filepath.Join(s.folder, folders.Home, "old"), 9<<20)
		s.checkDisk(t.Context(), server, nil)
	}
	for i, megabytes := range []int{2, 0, 5} {
		fill(t, filepath.Join(sessions[i].folder, folders.Work, "new"), megabytes<<20)
	}
	fill(t, filepath.Join(sessions[3].folder, folders.Work, "saved"), 100<<10) // as any open session may
	disk.free.Store(1 << 30)
	awaitThat(t, "both have ended", func() bool { return !sessions[0].live() && !sessions[2].live() })
	looks := disk.looks.Load()
	awaitThat(t, "two more looks at the disk", func() bool { return disk.looks.Load() > looks+2 })
	log.mu.Lock()
	if want := []string{sessions[2].id, sessions[0].id}; !slices.Equal(log.ids, want) {
		t.Errorf("%v are stopped, not %v", log.ids, want)
	}
	log.mu.Unlock()
	for i, stops := range []bool{true, false, true, false} {
		status, _ := sessions[i].status()
		const why = "The session was stopped because this server's disk is nearly full and its files grew by "
		if (status.Phase == engine.Running) == stops || strings.HasPrefix(status.Reason, why) != stops {
			t.Errorf("Session %d is %s because %q", i, status.Phase, status.Reason)
		}
	}
	disk.free.Store(50 << 30)
	for _, s := range sessions {
		if err := e.Remove(t.Context(), s.id); err != nil {
			t.Error(err)
		}
	}
}
