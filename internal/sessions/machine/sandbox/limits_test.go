package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/sessions/machine/sandbox"
)

// TestABoxIsBounded tries to use more than a box may: level A with control groups.
func TestABoxIsBounded(t *testing.T) {
	t.Parallel()
	b := open(t)
	if !b.Grouped() {
		t.Fatal("There are no control groups")
	}
	limits := sandbox.Limits{Memory: 300 << 20, CPU: 0.5, Processes: 60, FileSize: 8 << 20}
	groups, err := b.MakeGroups("bounded", limits)
	if err != nil || len(groups) == 0 {
		t.Fatal(groups, err)
	}
	t.Cleanup(func() { b.RemoveGroups(groups) })
	for what, test := range map[string]struct{ code, want string }{
		"memory of all its processes": {`
import subprocess, time
eater = "open('/proc/self/oom_score_adj', 'w').write('1000')\nx = []\nfor i in range(15): x.append(bytearray(10 << 20))\nprint('FULL', flush=True); input()"
eaters = [subprocess.Popen(["/usr/bin/python3", "-c", eater], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) for _ in range(3)]
for one in eaters: one.stdout.readline()
late = time.monotonic() + 20
while all(one.poll() is None for one in eaters) and time.monotonic() < late: time.sleep(0.01)
print("all survive", all(one.poll() is None for one in eaters))
for one in eaters: one.kill()`, "all survive False"},
		"processes": {`
import subprocess
started = []
try:
    for i in range(100): started.append(subprocess.Popen(["/usr/bin/sleep", "60"]))
    print("ALL STARTED")
except OSError as error:
    print("refused", type(error).__name__)
for one in started: one.kill()`, "refused BlockingIOError"},
		"a large file": {`
try:
    with open("big", "wb") as f:
        for _ in range(20): f.write(bytes(1 << 20))
except OSError as error:
    print(error)`, "[Errno 27] File too large"},
		"its own /tmp": {
			`import os; print(os.listdir("/tmp"), os.statvfs("/tmp").f_blocks * os.statvfs("/tmp").f_frsize)`,
			"[] 157286400",
		},
		"the processors": {`
import os, time
began, used = time.monotonic(), time.process_time()
while time.monotonic() - began < 2: pass
print("bounded", (time.process_time() - used) / (time.monotonic() - began) < 0.75)`, "bounded True"},
	} {
		box := b.box(test.code)
		box.Groups, box.Limits = groups, limits
		b.wants(what, b.run(box), test.want)
	}
}

// Boxes share the processors by the weights of their groups.
func TestWeightsOfBoxes(t *testing.T) {
	t.Parallel()
	b := open(t)
	if !b.Grouped() {
		t.Fatal("There are no control groups")
	}
	for weight, want := range map[int][]string{0: {"1024", "100"}, 1: {"10", "1"}, 1000: {"10240", "1000"}} {
		groups, err := b.MakeGroups(fmt.Sprint("weight-", weight), sandbox.Limits{Weight: weight})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.RemoveGroups(groups) })
		read := 0
		for _, folder := range groups {
			for i, name := range []string{"cpu.shares", "cpu.weight"} {
				if text, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
					read++
					if got := strings.TrimSpace(string(text)); got != want[i] {
						t.Errorf("With a weight of %d %s is %s", weight, name, got)
					}
				}
			}
		}
		if read != 1 {
			t.Errorf("%d weights are in %v", read, groups)
		}
	}
}

// The server has a group with more weight than those of boxes, and leaves it at its end.
func TestTheServerAnswersFirst(t *testing.T) {
	b := open(t)
	if !b.Grouped() {
		t.Fatal("There are no control groups")
	}
	if err := b.AnswerFirst(); err != nil {
		t.Fatal(err)
	}
	name := "/cairn-test-" + filepath.Base(b.folder) + "-server"
	if own, err := os.ReadFile("/proc/self/cgroup"); err != nil || !strings.Contains(string(own), name+"\n") {
		t.Errorf("This process is in %s %v", own, err)
	}
	box := b.box(`print(open("/proc/self/cgroup").read())`)
	groups, err := b.MakeGroups("beside", sandbox.Limits{Memory: 512 << 20, CPU: 1, Processes: 50})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.RemoveGroups(groups) })
	box.Groups = groups
	if output := b.run(box); strings.Contains(output, name) {
		t.Errorf("A box is in the server's group: %s", output)
	}
	b.Close()
	if own, err := os.ReadFile("/proc/self/cgroup"); err != nil || strings.Contains(string(own), name) {
		t.Errorf("After the end this process is in %s %v", own, err)
	}
}
