package localjupyter_test

import (
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
)

// TestASessionIsBounded tries from a cell to use more than it may: level A with control groups.
func TestASessionIsBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(options *localjupyter.Options) {
		options.Limits = localjupyter.Limits{Memory: 300 << 20, CPU: 0.5, Processes: 60, Disk: 8 << 20}
	})
	if got := b.open().Isolation().Limits; !strings.Contains(got, "memory, processors and processes of each session") {
		t.Fatalf("Sessions are bounded by %s", got)
	}
	spec := b.running(b.url("working.git"))
	kernel := b.kernel(spec.ID)
	defer kernel.Close()
	b.wants("memory of all its processes", kernel.Run(`
import subprocess
eater = "open('/proc/self/oom_score_adj', 'w').write('1000')\nx = []\nfor i in range(15): x.append(bytearray(10 << 20))\nprint('FULL', flush=True); input()"
eaters = [subprocess.Popen(["/usr/bin/python3", "-c", eater], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) for _ in range(3)]
told = [one.stdout.readline() for one in eaters]
for one in eaters: one.kill()
for one in eaters: one.wait()
print("survivors", sum("FULL" in line for line in told) < 3)`), "survivors True")
	b.wants("processes", kernel.Run(`
import subprocess
started = []
try:
    for i in range(100): started.append(subprocess.Popen(["/usr/bin/sleep", "60"]))
    print("ALL STARTED")
except OSError as error:
    print("refused", type(error).__name__)
for one in started: one.kill()`), "refused BlockingIOError")
	b.wants("a large file", kernel.Run(`
with open("big", "wb") as f:
    for _ in range(20): f.write(bytes(1 << 20))`), "OSError: [Errno 27] File too large")
	b.wants("its own /tmp", kernel.Run(`import os; print(len(os.listdir("/tmp")) < 2, os.statvfs("/tmp").f_blocks * os.statvfs("/tmp").f_frsize)`),
		"True 157286400")
	b.wants("the processors", kernel.Run(`
import os, time
began, used = time.monotonic(), time.process_time()
while time.monotonic() - began < 2: pass
print("bounded", (time.process_time() - used) / (time.monotonic() - began) < 0.75)`), "bounded True")
	b.stop(spec.ID)
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
	b.wants("two files", b.cell(spec.ID, `
for name in "ab":
    with open(name, "wb") as f: f.write(bytes(3 << 20))
print("written")`), "written")
	warned := b.awaitThat(spec.ID, func(status engine.Status) bool { return status.Warning != "" })
	end := clock.now().Add(10 * time.Minute).UTC().Format("15:04")
	if !strings.HasPrefix(warned.Warning, "The files of this session take 6.") || !strings.Contains(warned.Warning, "stopped at "+end+" UTC") {
		t.Errorf("The warning is %q, the end %s", warned.Warning, end)
	}
	clock.move(9 * time.Minute)
	b.wants("it runs on", b.cell(spec.ID, `print("alive")`), "alive")
	clock.move(2 * time.Minute)
	status := b.awaitFailed(spec.ID)
	if !strings.HasPrefix(status.Reason, "The session was stopped because its files take 6.") {
		t.Errorf("The reason is %q", status.Reason)
	}
	b.nothingLeft(spec.ID)
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.wants("the work is kept", b.cell(spec.ID, `import os; print(os.path.getsize("a")); os.remove("a"); os.remove("b")`), "3145728")
	b.awaitThat(spec.ID, func(status engine.Status) bool { return status.Warning == "" })
	kernel := b.kernel(spec.ID)
	defer kernel.Close()
	kernel.Execute(`
for name in "abc":
    with open(name, "wb") as f: f.write(bytes(3 << 20))`) // twice the limit, which ends the cell too
	b.awaitFailed(spec.ID)
}
