package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestControlGroupsAreFoundInTheKernelsTables(t *testing.T) {
	const (
		first = "30 29 0:26 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n" +
			"31 29 0:27 /docker/x /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n32 29 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
			"33 29 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		second = "30 29 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"
	)
	found := locateGroups([]byte(first), []byte("4:memory:/a\n5:pids:/docker/x/b\n6:cpu,cpuacct:/\n0::/c\n"))
	if found.unified != "" || found.trees["memory"] != "/sys/fs/cgroup/memory/a" || found.trees["pids"] != "/sys/fs/cgroup/pids/b" ||
		found.trees["cpu"] != "/sys/fs/cgroup/cpu,cpuacct" {
		t.Errorf("Version 1 gives %+v", found)
	}
	if found := locateGroups([]byte(second), []byte("0::/system.slice/cairn.service\n")); found.unified != "/sys/fs/cgroup/system.slice/cairn.service" {
		t.Errorf("Version 2 gives %+v", found)
	}
	if found := locateGroups(nil, []byte("0::/\n")); found.work() {
		t.Errorf("Nothing gives %+v", found)
	}
}

func TestGroupsThatAServerLeftAreRemoved(t *testing.T) {
	groups := &groups{unified: t.TempDir(), prefix: "cairn-1"}
	for _, name := range []string{"cairn-1-left", "cairn-2-other"} {
		if err := os.Mkdir(filepath.Join(groups.unified, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	groups.sweep()
	if left, _ := os.ReadDir(groups.unified); len(left) != 1 || left[0].Name() != "cairn-2-other" {
		t.Errorf("%v are left", left)
	}
}

// Version 2 with files alone: this machine may have the other one.
func TestControlGroupsOfVersionTwo(t *testing.T) {
	groups := &groups{unified: t.TempDir(), prefix: "cairn-1"}
	folders, err := groups.make("x", Limits{Memory: 1 << 30, CPU: 1.5, Processes: 100}.complete())
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	for name, want := range map[string]string{"memory.max": "1073741824", "pids.max": "100", "cpu.max": "150000 100000", "cpu.weight": "100"} {
		if text, err := os.ReadFile(folders[0] + "/" + name); err != nil || string(text) != want {
			t.Errorf("%s is %q %v", name, text, err)
		}
	}
	behind, err := groups.make("y", Limits{Weight: 1}.complete())
	if err != nil {
		t.Fatal(err)
	}
	if weight, err := os.ReadFile(behind[0] + "/cpu.weight"); err != nil || string(weight) != "1" {
		t.Errorf("A weight of 1 is %q %v", weight, err)
	}
	if err := groups.answerFirst(); err != nil {
		t.Fatal(err)
	}
	if weight, err := os.ReadFile(groups.unified + "/cairn-1-server/cpu.weight"); err != nil || string(weight) != "10000" {
		t.Errorf("The server's weight is %q %v", weight, err)
	}
}

// Version 1 with files alone: this machine may have the other one.
func TestControlGroupsOfVersionOne(t *testing.T) {
	groups := &groups{trees: map[string]string{"memory": t.TempDir(), "pids": t.TempDir(), "cpu": t.TempDir()}, prefix: "cairn-1"}
	for weight, want := range map[int]string{0: "1024", 1: "10", 1000: "10240"} {
		folders, err := groups.make("x", Limits{Memory: 1 << 30, CPU: 1.5, Processes: 100, Weight: weight}.complete())
		if err != nil || len(folders) != 3 {
			t.Fatal(folders, err)
		}
		for path, want := range map[string]string{
			"memory/memory.limit_in_bytes": "1073741824", "pids/pids.max": "100", "cpu/cpu.cfs_quota_us": "150000", "cpu/cpu.shares": want,
		} {
			controller, name, _ := strings.Cut(path, "/")
			if text, err := os.ReadFile(filepath.Join(groups.trees[controller], "cairn-1-x", name)); err != nil || string(text) != want {
				t.Errorf("With a weight of %d %s is %q %v", weight, path, text, err)
			}
		}
	}
}

// Without control groups, a box with little weight is nice; with them, its group's weight does it.
func TestBoxesWithLittleWeightAreNiceWithoutControlGroups(t *testing.T) {
	options, err := Options{Dir: t.TempDir(), Name: "cairn-1"}.complete()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		groups groups
		limits Limits
		nice   bool
	}{
		"no groups":       {groups{}, Limits{Weight: 99}, true},
		"groups":          {groups{unified: "/sys/fs/cgroup"}, Limits{Weight: 1}, false},
		"a normal weight": {groups{}, Limits{}, false},
	} {
		for _, level := range []Level{LevelA, LevelB, LevelC, LevelD} {
			s := &Sandbox{options: options, groups: &test.groups, level: level}
			command := strings.Join(s.arguments(Box{Command: []string{"/usr/bin/true"}, Folder: "/", Limits: test.limits}), " ")
			if strings.Contains(command, " -- /usr/bin/nice -n 19 /") != test.nice {
				t.Errorf("%s, level %s: %s", name, level, command)
			}
		}
	}
}

func TestGroupsOfAServerThatEnteredItsOwn(t *testing.T) {
	const second = "30 29 0:26 / /sys/fs/cgroup rw shared:10 - cgroup2 cgroup2 rw\n"
	found := locateGroups([]byte(second), []byte("0::/system.slice/cairn.service/cairn-1-server\n"))
	if found.unified != "/sys/fs/cgroup/system.slice/cairn.service" {
		t.Errorf("Version 2 gives %+v", found)
	}
}
