package sessions

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of what the server leaves behind.
func adoptOrphans() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// orphans returns the names of processes that the server left behind, by their ids. This process has no other children
// once the server has ended.
func orphans() map[int]string {
	found := map[int]string{}
	own := strconv.Itoa(os.Getpid())
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		content, _ := os.ReadFile(path)
		name, rest, _ := strings.Cut(string(content), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == own && fields[0] != "Z" {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				found[pid] = "process " + name + ")"
			}
		}
	}
	return found
}

// killOrphans ends what the server left behind, so that no hostile session outlives the run.
func killOrphans() {
	_, _ = load.Wait(context.Background(), program.WaitTime, 100*time.Millisecond, func() (bool, error) {
		left := orphans()
		for pid := range left {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		return len(left) == 0, nil
	})
}

// remains returns folders, cgroups and mounts of the sessions of this run that are still there.
func (s *soak) remains() (found []string) {
	var names []string
	for _, one := range s.done {
		one.mu.Lock()
		for _, id := range one.ids {
			names = append(names, id, shortID(id))
		}
		one.mu.Unlock()
	}
	named := func(text string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(text, name) })
	}
	runs, _ := filepath.Glob("/run/cairn-*")
	others, _ := filepath.Glob(filepath.Join(os.TempDir(), "cairn-*"))
	for _, root := range append(append(runs, others...), s.cairn.Data+"-sessions", s.cairn.Data, "/sys/fs/cgroup") {
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && named(filepath.Base(path)) {
				found = append(found, path)
				if entry.IsDir() {
					return filepath.SkipDir
				}
			}
			return nil
		})
	}
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(mounts)) {
		if named(line) {
			found = append(found, "mount "+strings.TrimSpace(line))
		}
	}
	return found
}
