package sandbox

import (
	"os"
	"path/filepath"
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
	folders, err := groups.make("x", Limits{Memory: 1 << 30, CPU: 1.5, Processes: 100})
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	for name, want := range map[string]string{"memory.max": "1073741824", "pids.max": "100", "cpu.max": "150000 100000"} {
		if text, err := os.ReadFile(folders[0] + "/" + name); err != nil || string(text) != want {
			t.Errorf("%s is %q %v", name, text, err)
		}
	}
	if err := groups.answerFirst(); err != nil {
		t.Fatal(err)
	}
	if weight, err := os.ReadFile(groups.unified + "/cairn-1-server/cpu.weight"); err != nil || string(weight) != "10000" {
		t.Errorf("The server's weight is %q %v", weight, err)
	}
}

func TestGroupsOfAServerThatEnteredItsOwn(t *testing.T) {
	const second = "30 29 0:26 / /sys/fs/cgroup rw shared:10 - cgroup2 cgroup2 rw\n"
	found := locateGroups([]byte(second), []byte("0::/system.slice/cairn.service/cairn-1-server\n"))
	if found.unified != "/sys/fs/cgroup/system.slice/cairn.service" {
		t.Errorf("Version 2 gives %+v", found)
	}
}
