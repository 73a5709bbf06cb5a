package sessions

import (
	"encoding/base32"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"
)

// figures are what a process holds.
type figures struct {
	memory               int64 // resident, in bytes
	descriptors, threads int
}

func (s *server) figures() figures {
	own := "/proc/" + strconv.Itoa(s.command.Process.Pid)
	descriptors, _ := os.ReadDir(own + "/fd")
	threads, _ := os.ReadDir(own + "/task")
	return figures{memory: int64(s.memory()), descriptors: len(descriptors), threads: len(threads)}
}

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
	for deadline := time.Now().Add(waitTime); time.Now().Before(deadline); <-time.After(100 * time.Millisecond) {
		left := orphans()
		if len(left) == 0 {
			return
		}
		for pid := range left {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// remains returns folders, cgroups and mounts of the sessions of this run that are still there.
func (s *soak) remains() (found []string) {
	var names []string
	for _, one := range s.done {
		one.mutex.Lock()
		for _, id := range one.ids {
			parsed := uuid.MustParse(id)
			names = append(names, id, strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(parsed[:])))
		}
		one.mutex.Unlock()
	}
	named := func(text string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(text, name) })
	}
	runs, _ := filepath.Glob("/run/cairn-*")
	others, _ := filepath.Glob(filepath.Join(os.TempDir(), "cairn-*"))
	for _, root := range append(append(runs, others...), s.server.data+"-sessions", s.server.data, "/sys/fs/cgroup") {
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

// lookForLeftovers reports what is still there after the stop.
func (s *soak) lookForLeftovers() {
	for _, one := range append(slices.Collect(maps.Values(orphans())), s.remains()...) {
		s.faults = append(s.faults, fmt.Errorf("left behind: %s", one))
	}
}
