package localjupyter_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/sandbox"
)

// TestASessionIsBounded looks from a cell for the limits that the session was given.
func TestASessionIsBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(options *localjupyter.Options) {
		options.Limits = localjupyter.Limits{Memory: 300 << 20, CPU: 0.5, Processes: 60, Disk: 8 << 20}
	})
	if got := b.open().Isolation().Limits; !strings.Contains(got, "memory, processors and processes of each session") {
		t.Fatalf("Sessions are bounded by %s", got)
	}
	spec := b.running(b.url("working.git"))
	b.wants("a large file, and a place for what is temporary", b.cell(spec.ID, `
import os, resource
print(resource.getrlimit(resource.RLIMIT_FSIZE)[0], os.statvfs("/tmp").f_blocks * os.statvfs("/tmp").f_frsize)`), "8388608 157286400")
	b.wants("processes", b.cell(spec.ID, `
import subprocess
started = []
try:
    for i in range(100): started.append(subprocess.Popen(["/usr/bin/sleep", "60"]))
    print("ALL STARTED")
except OSError as error:
    print("refused", type(error).__name__)
for one in started: one.kill()`), "refused BlockingIOError")
}

func TestAKernelThatRunsOutOfMemorySaysSo(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(options *localjupyter.Options) {
		options.Limits, options.WatchEvery = localjupyter.Limits{Memory: 300 << 20}, 50*time.Millisecond
	})
	b.open()
	spec := b.running(b.url("working.git"))
	kernel := b.kernel(spec.ID)
	defer kernel.Close()
	if used, err := b.engine.Usage(t.Context(), spec.ID); err != nil || used.MemoryBytes == 0 || used.Warning != "" {
		t.Fatalf("It uses %+v, %v", used, err)
	}
	kernel.Execute(`kept = [b"x" * (1 << 20) for _ in range(1000)]`)
	told := b.awaitThat(spec.ID, func(status engine.Status) bool { return status.Warning != "" })
	if !strings.HasPrefix(told.Warning, "A kernel ran out of memory and was stopped: the limit is 300 MiB.") {
		t.Errorf("The warning is %q", told.Warning)
	}
}

// TestAFullSessionIsWarnedAndStopped: first the warning, then after the grace the end, and the work is kept.
func TestAFullSessionIsWarnedAndStopped(t *testing.T) {
	t.Parallel()
	clock := newClock()
	b := newBench(t, func(options *localjupyter.Options) {
		options.Limits, options.WatchEvery, options.Now = localjupyter.Limits{Disk: 4 << 20}, 50*time.Millisecond, clock.now
	})
	b.open()
	spec := b.running(b.url("working.git"))
	before := clock.now()
	b.wants("two files", b.cell(spec.ID, `
for name in "ab":
    with open(name, "wb") as f: f.write(bytes(3 << 20))
print("written")`), "written")
	warned := b.awaitThat(spec.ID, func(status engine.Status) bool { return status.Warning != "" })
	_, text, _ := strings.Cut(warned.Warning, "stopped at ")
	text, _, _ = strings.Cut(text, " UTC")
	var ends []string // ten minutes after a moment between the two readings of the clock
	for at := before.Truncate(time.Minute); !at.After(clock.now()); at = at.Add(time.Minute) {
		ends = append(ends, at.Add(10*time.Minute).UTC().Format("15:04"))
	}
	if !strings.HasPrefix(warned.Warning, "This session's files take ") || !slices.Contains(ends, text) {
		t.Errorf("The warning is %q, the end one of %s", warned.Warning, ends)
	}
	clock.move(9 * time.Minute)
	b.wants("it runs on", b.cell(spec.ID, `print("alive")`), "alive")
	clock.move(2 * time.Minute)
	status := b.awaitFailed(spec.ID)
	if !strings.HasPrefix(status.Reason, "The session was stopped because its files take 6.") || status.Code != diagnosis.TooLarge {
		t.Errorf("The reason is %q, the code %q", status.Reason, status.Code)
	}
	b.nothingLeft(spec.ID)
	b.start(spec)
	if status := b.await(spec.ID, engine.Running); status.Code != "" {
		t.Errorf("It runs, with the code %q", status.Code)
	}
	b.wants("the work is kept", b.cell(spec.ID, `import os; print(os.path.getsize("a")); os.remove("a"); os.remove("b")`), "3145728")
	b.awaitThat(spec.ID, func(status engine.Status) bool { return status.Warning == "" })
	kernel := b.kernel(spec.ID)
	defer kernel.Close()
	kernel.Execute(`
for name in "abc":
    with open(name, "wb") as f: f.write(bytes(3 << 20))`) // twice the limit, which ends the cell too
	b.awaitFailed(spec.ID)
}

// Code in a session tries to fill the disk past its limit.
func TestThoroughHostileSessionsStayWithinTheirDisk(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(options *localjupyter.Options) {
		options.Limits, options.WatchEvery = localjupyter.Limits{Disk: 16 << 20, Files: 5000}, 50*time.Millisecond
	})
	isolation := b.open().Isolation()
	for _, test := range []struct{ name, code, reason string }{
		{"deleted files that are open", `
import os
kept = []
for i in range(6):
    kept.append(open("x", "wb"))
    kept[-1].write(bytes(8 << 20))
    kept[-1].flush()
    os.unlink("x")`, "The session was stopped because its files take "},
		{"folders inside each other", `
import os
for i in range(4000):
    os.mkdir("d")
    os.chdir("d")`, "The session was stopped because it has more than 200 folders inside each other. They're kept: download what you need."},
		{"files without content", `
for i in range(6000):
    open(str(i), "w").close()`, "The session was stopped because it has more than the 5000 files and folders allowed. They're kept: download what you need."},
	} {
		spec := b.running(b.url("working.git"))
		kernel := b.kernel(spec.ID)
		kernel.Execute(test.code)
		if status := b.awaitFailed(spec.ID); !strings.HasPrefix(status.Reason, test.reason) {
			t.Errorf("%s: the reason is %q", test.name, status.Reason)
		}
		kernel.Close()
		b.nothingLeft(spec.ID)
	}
	if isolation.Level == sandbox.LevelA {
		b.wants("a folder of sockets that is full", b.cell(b.running(b.url("working.git")).ID, `
import os
try:
    with open(os.environ["JUPYTER_RUNTIME_DIR"] + "/x", "wb") as f: f.write(bytes(15 << 20)); f.write(bytes(2 << 20))
except OSError as error: print(error.strerror)
os.unlink(os.environ["JUPYTER_RUNTIME_DIR"] + "/x")`), "No space left on device")
	}
}

// TestASessionHasTheLimitsOfItsProfile instead of the engine's.
func TestASessionHasTheLimitsOfItsProfile(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(options *localjupyter.Options) { options.WatchEvery = 50 * time.Millisecond })
	b.open()
	spec := b.spec(b.url("working.git"))
	spec.Profile = engine.Profile{Name: "small", Memory: 300 << 20, CPU: 0.5, Disk: 4 << 20}
	b.start(spec)
	b.await(spec.ID, engine.Running)
	for file, want := range map[string]string{"memory.max": "314572800", "memory.limit_in_bytes": "314572800", "cpu.max": "50000 100000", "cpu.cfs_quota_us": "50000"} {
		// Of either version of control groups.
		found, _ := filepath.Glob("/sys/fs/cgroup/*/" + filepath.Base(b.engine.RuntimeDir()) + "-*/" + file)
		for _, name := range found {
			if text, err := os.ReadFile(name); err != nil || strings.TrimSpace(string(text)) != want {
				t.Errorf("%s says %q, %v", name, text, err)
			}
		}
	}
	b.put(spec.ID, "large", string(make([]byte, 6<<20)))
	warned := b.awaitThat(spec.ID, func(status engine.Status) bool { return status.Warning != "" })
	if !strings.Contains(warned.Warning, "more than the 4 MiB allowed") {
		t.Errorf("The warning is %q", warned.Warning)
	}
	kernel := b.kernel(spec.ID)
	defer kernel.Close()
	kernel.Execute(`kept = [b"x" * (1 << 20) for _ in range(1000)]`)
	told := b.awaitThat(spec.ID, func(status engine.Status) bool { return strings.Contains(status.Warning, "memory") })
	if !strings.Contains(told.Warning, "the limit is 300 MiB.") {
		t.Errorf("The warning is %q", told.Warning)
	}
}
