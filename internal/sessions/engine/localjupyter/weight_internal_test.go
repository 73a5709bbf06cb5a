package localjupyter

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
)

// weighs returns the weight of a session's groups; 0 without one.
func weighs(t *testing.T, s *session) int {
	t.Helper()
	for _, folder := range s.record.Groups {
		for name, normal := range map[string]int{"cpu.weight": 100, "cpu.shares": 1024} {
			text, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				continue
			}
			weight, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			return (weight*100 + normal/2) / normal
		}
	}
	return 0
}

// A session that somebody waits for comes before others, one that nobody has yet comes after them, and one of a program comes last.
func TestTheWeightOfASessionOverItsLife(t *testing.T) {
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	e, err := New(Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if !e.sandbox.Grouped() {
		t.Fatal("There are no control groups")
	}
	s := e.newSession("01890a5d-ac96-774b-bcce-b302099a8057")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.Spec.Owner = "ann@example.org"
	_, s.launching = s.newLaunch(t.Context())
	defer s.launching.watchdog.Stop()
	if s.record.Groups, err = s.makeGroups(); err != nil {
		t.Fatal(err)
	}
	defer e.sandbox.RemoveGroups(s.record.Groups)
	launched := s.launching
	for _, step := range []struct {
		what   string
		change func()
		weight int
	}{
		{"launched for a person", func() {}, hurryWeight},
		{"running", func() { s.launching, s.hurriesUntil = nil, now.Add(hurryTime) }, hurryWeight},
		{"in use", func() { now = now.Add(hurryTime) }, 100},
		{"launched ahead", func() { s.launching, s.record.Spec.Owner = launched, "" }, aheadWeight},
		{"waiting for somebody", func() { s.launching, s.hurriesUntil = nil, now.Add(hurryTime) }, aheadWeight},
		{"of a program", func() { s.record.Spec.Batch = &engine.Batch{} }, batchWeight},
	} {
		step.change()
		s.weighAgain()
		if got := weighs(t, s); got != step.weight {
			t.Errorf("%s: its weight is %d, want %d", step.what, got, step.weight)
		}
	}
}

// One that is claimed is as good as any other, from then on.
func TestAClaimedSessionWeighsAsOthers(t *testing.T) {
	e, err := New(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	const id = "01890a5d-ac96-774b-bcce-b302099a8057"
	s := e.newSession(id)
	e.sessions[id] = s
	s.record.Spec = engine.Spec{ID: id}
	s.record.Phase = engine.Running
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if s.record.Groups, err = s.makeGroups(); err != nil {
		t.Fatal(err)
	}
	defer e.sandbox.RemoveGroups(s.record.Groups)
	if got := weighs(t, s); got != aheadWeight {
		t.Errorf("Its weight is %d", got)
	}
	if err := e.AssignOwner(t.Context(), id, "ann@example.org"); err != nil {
		t.Fatal(err)
	}
	if got := weighs(t, s); got != 100 {
		t.Errorf("Claimed, its weight is %d", got)
	}
}
