package localjupyter_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/sandbox"
)

// Sessions move with the level of isolation, and keep their work.
func TestWorkIsKeptWhenTheLevelChanges(t *testing.T) {
	t.Parallel()
	open := filepath.Join(openFolder(t), "sessions", "local")
	b := newBench(t, func(options *localjupyter.Options) { options.OpenDir = open })
	program := b.options.Bubblewrap
	closed := b.options.Dir
	b.open()
	spec := b.running(b.url("working.git"))
	b.wants("writing", b.cell(spec.ID, `print(open("mine.txt", "w").write("precious"))`), "8")

	level := func(program string, want sandbox.Level, dir string) {
		t.Helper()
		if err := b.engine.Close(); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{closed, open} {
			if records, _ := filepath.Glob(filepath.Join(dir, "*", "record.json")); len(records) == 1 {
				_ = os.Chmod(records[0], 0o644)
			}
			if _, err := os.Lstat(filepath.Join(dir, "open")); err == nil {
				t.Errorf("After it was closed, %s says that it crashed", dir)
			}
		}
		b.engine, b.options.Bubblewrap = nil, program
		if got := b.open().Isolation().Level; got != want {
			t.Fatalf("The level is %s, want %s", got, want)
		}
		b.await(spec.ID, engine.Running)
		b.wants("reading while it goes on", b.cell(spec.ID, `print(open("mine.txt").read())`), "precious")
		b.stop(spec.ID)
		b.start(spec)
		b.await(spec.ID, engine.Running)
		b.wants("reading after a new start", b.cell(spec.ID, `print(open("mine.txt").read())`), "precious")
		if _, err := os.Stat(filepath.Join(dir, spec.ID, "work", "mine.txt")); err != nil {
			t.Error(err)
		}
	}
	level("/nonexistent", sandbox.LevelC, open)
	level(program, sandbox.LevelA, open) // where it is, sessions see it
	if about, err := os.Stat(filepath.Join(open, spec.ID, "record.json")); err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("Its record has %v %v", about.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(closed, spec.ID)); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// A session that a version before started without mounts in the data folder can't reach its files there.
func TestSessionsThatAreCutOffEndAndKeepTheirWork(t *testing.T) {
	t.Parallel()
	folder := openFolder(t)
	b := newBench(t, func(options *localjupyter.Options) {
		options.Dir, options.Bubblewrap = filepath.Join(folder, "data", "local"), "/nonexistent"
	})
	if err := os.Mkdir(filepath.Dir(b.options.Dir), 0o711); err != nil {
		t.Fatal(err)
	}
	b.open()
	spec := b.running(b.url("working.git"))
	b.wants("writing", b.cell(spec.ID, `print(open("mine.txt", "w").write("precious"))`), "8")
	if err := b.engine.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(b.options.Dir), 0o700); err != nil { // as a start of the server does
		t.Fatal(err)
	}
	b.engine, b.options.OpenDir = nil, filepath.Join(folder, "open", "local")
	b.open()
	if status := b.await(spec.ID, engine.Ended); !strings.Contains(status.Reason, "The work is kept") {
		t.Errorf("It ended because %q", status.Reason)
	}
	b.nothingLeft(spec.ID)
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.wants("reading", b.cell(spec.ID, `print(open("mine.txt").read())`), "precious")
}

// Files that can't be moved stay where they are, can be downloaded, and are moved by the operators.
func TestSessionsOnAnotherDiskAreNotMoved(t *testing.T) {
	t.Parallel()
	other, err := os.MkdirTemp("/dev/shm", "open-*") //nolint:usetesting // another disk
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	if err := os.Chmod(other, 0o755); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, func(options *localjupyter.Options) { options.OpenDir = filepath.Join(other, "sessions", "local") })
	b.open()
	spec := b.running(b.url("working.git"))
	b.stop(spec.ID)
	if err := b.engine.Close(); err != nil {
		t.Fatal(err)
	}
	b.engine, b.options.Bubblewrap = nil, "/nonexistent"
	b.open()
	if err := b.engine.Start(t.Context(), spec); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "can't reach them") {
		t.Errorf("Starting it: %v", err)
	}
	if err := b.engine.Archive(t.Context(), spec.ID, &strings.Builder{}); err != nil {
		t.Errorf("Downloading it: %v", err)
	}
	if err := os.Rename(b.options.Dir, filepath.Join(other, "x")); err == nil || !strings.Contains(err.Error(), syscall.EXDEV.Error()) {
		t.Errorf("They lie on one disk: %v", err)
	}
}
