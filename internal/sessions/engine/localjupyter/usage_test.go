package localjupyter

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/disk"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// newTestSession returns a session with its folders, on a separate engine. The engine's background work has ended, so tests
// can set the session's fields.
func newTestSession(t *testing.T, options Options) *session {
	t.Helper()
	options.Dir = t.TempDir()
	e, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	e.workers.Cancel()
	e.workers.Wait()
	return addTestSession(t, e)
}

func addTestSession(t *testing.T, e *Engine) *session {
	t.Helper()
	s := e.findOrMake(uuid.NewString())
	s.mu.Lock()
	s.record.Spec.ID = s.id
	s.mu.Unlock()
	for _, name := range []string{folders.Work + "/" + engine.DataFolder, folders.Home} {
		if err := os.MkdirAll(filepath.Join(s.folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *session) measured(t *testing.T) disk.Usage {
	t.Helper()
	found, err := s.measure(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func fill(t *testing.T, path string, bytes int) {
	t.Helper()
	if err := os.WriteFile(path, make([]byte, bytes), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFilesWithoutContentCount(t *testing.T) {
	t.Parallel()
	s := newTestSession(t, Options{Limits: Limits{Files: 500}})
	empty := s.measured(t)
	for i := range 400 {
		fill(t, filepath.Join(s.folder, folders.Home, strconv.Itoa(i)), 0)
	}
	if found := s.measured(t); found.Bytes-empty.Bytes < 400*4096 || found.Files-empty.Files != 400 {
		t.Errorf("400 empty files count as %d of %d bytes", found.Files-empty.Files, found.Bytes-empty.Bytes)
	}
	for i := range 101 {
		fill(t, filepath.Join(s.folder, folders.Work, strconv.Itoa(i)), 0)
	}
	if _, err := s.measure(t.Context(), nil); !errors.Is(err, filetree.ErrTooMany) {
		t.Errorf("More files than it may have: %v", err)
	}
}

func TestEveryFolderOfASessionCounts(t *testing.T) {
	t.Parallel()
	s := newTestSession(t, Options{})
	if err := s.engine.sockets.make(filepath.Base(s.runtime), 0); err != nil {
		t.Fatal(err)
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.removeSockets()
	}()
	fill(t, filepath.Join(s.folder, folders.Work, engine.DataFolder, "dataset"), 1<<20)
	mounted := filepath.Join(s.folder, folders.Datasets)
	if err := os.Mkdir(mounted, 0o700); err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(mounted, "dataset"), 1<<20)
	before := s.measured(t)
	if before.Bytes >= 1<<20 {
		t.Errorf("Datasets count: %d bytes", before.Bytes)
	}
	for i, folder := range []string{filepath.Join(s.folder, folders.Work), filepath.Join(s.folder, folders.Home), s.runtime, s.folder} {
		var found disk.Usage
		awaitThat(t, "the change", func() bool { // the clock of a file system may be coarse
			fill(t, filepath.Join(folder, "file"), 1<<20)
			found = s.measured(t)
			return i > 0 || found.Changed.After(before.Changed)
		})
		if more := found.Bytes - before.Bytes; more < 1<<20 {
			t.Errorf("1 MiB in %s counts as %d bytes", folder, more)
		}
		if i > 0 && !found.Changed.Equal(before.Changed) {
			t.Errorf("%s counts as work: %v, before %v", folder, found.Changed, before.Changed)
		}
		before = found
	}
}

// A session that nests folders can't keep its other files from being measured.
func TestNestedFoldersEndASession(t *testing.T) {
	t.Parallel()
	s := newTestSession(t, Options{})
	deep := filepath.Join(s.folder, folders.Home, strings.Repeat("d/", filetree.MaxDepth))
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	s.measured(t)
	fill(t, filepath.Join(deep, "file"), 0)
	_, err := s.measure(t.Context(), nil)
	over := s.disk.Note(disk.Usage{}, err, s.engine.options.Limits.disk(), time.Now())
	if over == nil || !over.Hard || over.What != "it has more than 200 folders inside each other" {
		t.Errorf("Folders in folders: %v, %+v", err, over)
	}
}

func TestDeletedFilesThatASessionKeepsCount(t *testing.T) {
	t.Parallel()
	s := newTestSession(t, Options{})
	before := s.measured(t)
	keeper := exec.Command("/usr/bin/python3", "-c", `
import os, sys
with open("file", "wb") as file:
    file.write(bytes(3 << 20))
    file.flush()
    os.unlink("file")
    print("ready", flush=True)
    sys.stdin.read()`)
	keeper.Dir, keeper.Env, keeper.Stderr = filepath.Join(s.folder, folders.Work), []string{sessionVariable + "=" + s.id}, os.Stderr
	input, err := keeper.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := keeper.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := keeper.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = keeper.Wait() }()
	defer input.Close()
	if line, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		t.Fatalf("It said %q: %v", line, err)
	}
	if found := s.measured(t); found.Bytes-before.Bytes < 3<<20 || found.Files-before.Files != 1 {
		t.Errorf("3 MiB in a deleted file count as %d files of %d bytes", found.Files-before.Files, found.Bytes-before.Bytes)
	}
}

func TestMemoryThatRanOutIsToldForTenMinutes(t *testing.T) {
	clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := newTestSession(t, Options{Now: func() time.Time { return clock }, Limits: Limits{Memory: 2 << 30}})
	group := t.TempDir()
	s.record.Groups, s.record.Phase = []string{group}, engine.Running
	used := func(kills string) engine.Usage {
		t.Helper()
		for name, content := range map[string]string{
			"memory.current": "1073741824", "memory.events": "oom_kill " + kills + "\n",
		} {
			if err := os.WriteFile(filepath.Join(group, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		found, err := s.engine.Usage(t.Context(), s.id)
		if err != nil || found.MemoryBytes != 1<<30 {
			t.Fatalf("it uses %+v, %v", found, err)
		}
		return found
	}
	const warning = "A kernel ran out of memory and was stopped: the limit is 2 GiB. Its variables are lost; the files are kept."
	for _, step := range []struct {
		after time.Duration
		kills string
		want  string
	}{
		{0, "3", ""}, // of an earlier server's time
		{time.Minute, "3", ""},
		{time.Minute, "4", warning},
		{9 * time.Minute, "4", warning},
		{time.Minute, "4", ""},
		{time.Minute, "6", warning},
	} {
		clock = clock.Add(step.after)
		if got := used(step.kills).Warning; got != step.want {
			t.Errorf("with %s programs ended it says %q", step.kills, got)
		}
	}
	if status, _ := s.status(); status.Warning != warning {
		t.Errorf("the status says %q", status.Warning)
	}
	if got, cause := exitReason(128+9, s.health.lastMemory(), 2<<30, clock); got != "Jupyter ran out of memory: the limit is 2 GiB. The work is kept." || cause != diagnosis.Memory {
		t.Errorf("the reason is %q", got)
	}
	clock = clock.Add(time.Hour)
	if got, cause := exitReason(128+9, s.health.lastMemory(), 2<<30, clock); got != "Jupyter was killed. The work is kept." || cause != "" {
		t.Errorf("the reason is %q", got)
	}
	s.record.Phase = engine.Ended
	if _, err := s.engine.Usage(t.Context(), s.id); fault.KindOf(err) != fault.Conflict {
		t.Errorf("of one that has ended: %v", err)
	}
	s.record.Groups = nil
}

// Kernels before 5.19 don't count the peak in version 2 of control groups.
func TestThePeakOfMemoryIsCountedOrSeen(t *testing.T) {
	t.Parallel()
	var state memoryState
	for _, step := range []struct {
		found sandbox.Memory
		want  int64
	}{
		{sandbox.Memory{Used: 5}, 5}, {sandbox.Memory{Used: 9}, 9}, {sandbox.Memory{Used: 2}, 9}, {sandbox.Memory{Used: 3, Peak: 20}, 20}, {sandbox.Memory{Used: 3, Peak: 8}, 20},
	} {
		if state.note(step.found, time.Time{}); state.peak != step.want || state.used != step.found.Used {
			t.Errorf("After %+v: %+v, want the peak %d", step.found, state, step.want)
		}
	}
}

func TestKernelsThatCannotStart(t *testing.T) {
	clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := newTestSession(t, Options{Now: func() time.Time { return clock }})
	s.record.Phase = engine.Running
	log := ""
	for _, step := range []struct {
		after time.Duration
		adds  string
		want  string
	}{
		{0, "[I 09:00:00.1 NotebookApp] KernelRestarter: restarting kernel (1/5), new random ports\n", ""}, // of an earlier server's time
		{time.Minute, "ImportError: cannot import name 'Random' from 'random' (/s/work/random.py)\n", ""},
		{
			time.Minute, "[I 12:02:00.1 NotebookApp] KernelRestarter: restarting kernel (1/5), new random ports\n",
			"A kernel couldn't start. The file random.py hides Python's own module random. Rename random.py and what imports it.",
		},
		{10 * time.Minute, "[I 12:12:00.1 NotebookApp] Saving file\n", ""},
		{0, strings.Repeat("[I 12:12:00.1 NotebookApp] Saving file\n", 2000), ""}, // the reason is no longer in the part that is read
		{0, "[W 12:13:00.1 NotebookApp] KernelRestarter: restart failed\n", "A kernel couldn't start."},
		{10 * time.Minute, "[I 12:30:00.1 NotebookApp] KernelRestarter: restarting kernel (1/5), keep random ports\n", ""}, // Jupyter's page says so
	} {
		clock, log = clock.Add(step.after), log+step.adds
		if err := os.WriteFile(filepath.Join(s.folder, logName), []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		s.health.noteKernels(s.log.path(), s.logTail, clock)
		found, err := s.engine.Usage(t.Context(), s.id)
		if err != nil || found.Warning != step.want {
			t.Errorf("after %q it says %q, %v", step.adds[:60], found.Warning, err)
		}
	}
}

// The folder of the sockets has room that is bounded, and after a kill -9 it goes away unless its session goes on.
func TestFoldersOfSocketsEndWithTheirSessions(t *testing.T) {
	t.Parallel()
	s := newTestSession(t, Options{})
	e := s.engine
	other := addTestSession(t, e)
	for _, one := range []*session{s, other} {
		if err := e.sockets.make(filepath.Base(one.runtime), 0); err != nil {
			t.Fatal(err)
		}
		one.record.Phase = engine.Ended
		if err := one.save(); err != nil {
			t.Fatal(err)
		}
	}
	var about unix.Statfs_t
	if err := unix.Statfs(s.runtime, &about); err != nil {
		t.Fatal(err)
	}
	if inMemory := about.Type == unix.TMPFS_MAGIC && about.Files == runtimeFiles && about.Blocks*uint64(about.Bsize) == runtimeBytes; inMemory != (e.sandbox.Level() == sandbox.LevelA) {
		t.Errorf("At level %s its file system is %+v", e.sandbox.Level(), about)
	}
	other.record.Phase = engine.Running
	e.sockets.sweep(map[string]bool{engine.ShortID(other.id): other.live(), engine.ShortID(s.id): s.live()})
	if _, err := os.Stat(s.runtime); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("The folder of a session that is over is left: %v", err)
	}
	if _, err := os.Stat(filepath.Join(other.runtime, kernelName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(other.runtime, sharedName)); err != nil {
		t.Errorf("The folder of a session that goes on is swept: %v", err)
	}
	other.mu.Lock()
	other.removeSockets()
	other.mu.Unlock()
	if _, err := os.Stat(other.runtime); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("The folder of a session that ended is left: %v", err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || strings.Contains(string(mounts), e.options.RuntimeDir) {
		t.Errorf("Something is still mounted: %v", err)
	}
}
