package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// groups are the control groups of this machine in which we may create folders: one tree in version 2, one per
// controller in version 1. Without any, limits apply to each process.
type groups struct {
	unified string            // our folder in version 2
	trees   map[string]string // our folder for each controller of version 1
	prefix  string            // of our folders' names; the same for the same data at every start
}

// controllers enforce the limits of a box.
var controllers = []string{"memory", "pids", "cpu"}

const groupPeriod = 100_000 // microseconds over which the share of the processors is counted

const serverGroup = "server" // name of the group of this process

// findGroups finds the groups of our own process, and tests them.
func findGroups(prefix string) *groups {
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	own, _ := os.ReadFile("/proc/self/cgroup")
	found := locateGroups(mounts, own)
	found.prefix = prefix
	if !found.work() {
		return found
	}
	if found.unified != "" && found.delegate() != nil {
		return &groups{}
	}
	found.sweep()
	trial, err := found.make("trial", Limits{Memory: 64 << 20, CPU: 1, Processes: 16}.complete())
	for _, folder := range trial {
		_ = os.Remove(folder)
	}
	if err != nil || len(trial) == 0 {
		return &groups{}
	}
	return found
}

// locateGroups parses the kernel's tables. Version 1 is used only if it has all controllers.
func locateGroups(mounts, own []byte) *groups {
	found := &groups{trees: map[string]string{}}
	type mounted struct{ root, point string } // the mounted part of the tree, and its mount point
	trees := map[string]mounted{}             // by controller; "" for version 2
	for line := range bytes.Lines(mounts) {
		before, after, cut := strings.Cut(string(line), " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if !cut || len(fields) < 5 || len(kind) < 3 {
			continue
		}
		switch kind[0] {
		case "cgroup2":
			trees[""] = mounted{fields[3], fields[4]}
		case "cgroup":
			for option := range strings.SplitSeq(kind[2], ",") {
				trees[option] = mounted{fields[3], fields[4]}
			}
		}
	}
	for line := range strings.Lines(string(own)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		for controller := range strings.SplitSeq(fields[1], ",") {
			tree, there := trees[controller]
			if !there {
				continue
			}
			folder := filepath.Join(tree.point, strings.TrimPrefix(fields[2], strings.TrimSuffix(tree.root, "/")))
			if strings.HasSuffix(folder, "-"+serverGroup) { // this process entered it before
				folder = filepath.Dir(folder)
			}
			if controller == "" {
				found.unified = folder
			} else {
				found.trees[controller] = folder
			}
		}
	}
	for _, controller := range controllers {
		if found.trees[controller] == "" {
			found.trees = nil
			return found
		}
	}
	found.unified = "" // controllers of version 1 aren't available in version 2
	return found
}

func (g *groups) work() bool { return g.unified != "" || len(g.trees) > 0 }

// delegate enables the controllers of version 2 in folders below ours. A folder that contains processes can't do that,
// so ours are moved into a subfolder first.
func (g *groups) delegate() error {
	control := filepath.Join(g.unified, "cgroup.subtree_control")
	words := "+" + strings.Join(controllers, " +")
	if os.WriteFile(control, []byte(words), 0o600) == nil {
		return nil
	}
	if err := enterGroup(g.folder(g.unified, serverGroup), nil); err != nil {
		return err
	}
	return os.WriteFile(control, []byte(words), 0o600)
}

// answerFirst moves this process into a group with the largest weight that the kernel knows: 100 boxes that compute take
// half of the processors in version 2, and 256 in version 1.
func (g *groups) answerFirst() error {
	if g.unified != "" {
		return enterGroup(g.folder(g.unified, serverGroup), map[string]string{"cpu.weight": "10000"})
	}
	return enterGroup(g.folder(g.trees["cpu"], serverGroup), map[string]string{"cpu.shares": "262144"})
}

// leave moves this process out of its group and removes it, where the kernel allows that.
func (g *groups) leave() {
	for _, tree := range []string{g.unified, g.trees["cpu"]} {
		if folder := g.folder(tree, serverGroup); tree != "" && os.WriteFile(filepath.Join(tree, "cgroup.procs"), ownPID(), 0o600) == nil {
			_ = os.Remove(folder)
		}
	}
}

func enterGroup(folder string, files map[string]string) error {
	if err := writeGroup(folder, files); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "cgroup.procs"), ownPID(), 0o600)
}

func ownPID() []byte { return []byte(strconv.Itoa(os.Getpid())) }

// make returns the folders whose cgroup.procs the first process of a box must enter.
func (g *groups) make(name string, limits Limits) ([]string, error) {
	quota := strconv.Itoa(int(limits.CPU * groupPeriod))
	memory, processes := strconv.FormatInt(limits.Memory, 10), strconv.Itoa(limits.Processes)
	weight, shares := strconv.Itoa(limits.Weight), strconv.Itoa(limits.Weight*normalShares/NormalWeight)
	if g.unified != "" {
		folder := g.folder(g.unified, name)
		return []string{folder}, writeGroup(folder, map[string]string{
			"memory.max": memory, "pids.max": processes, "cpu.max": quota + " " + strconv.Itoa(groupPeriod), "cpu.weight": weight,
		})
	}
	var folders []string
	for _, controller := range controllers {
		tree := g.trees[controller]
		if tree == "" {
			return nil, nil
		}
		folder := g.folder(tree, name)
		var files map[string]string
		switch controller {
		case "memory":
			files = map[string]string{"memory.limit_in_bytes": memory}
		case "pids":
			files = map[string]string{"pids.max": processes}
		case "cpu":
			files = map[string]string{"cpu.cfs_period_us": strconv.Itoa(groupPeriod), "cpu.cfs_quota_us": quota, "cpu.shares": shares}
		}
		if err := writeGroup(folder, files); err != nil {
			return folders, err
		}
		folders = append(folders, folder)
	}
	return folders, nil
}

func (g *groups) folder(tree, name string) string { return filepath.Join(tree, g.prefix+"-"+name) }

func writeGroup(folder string, files map[string]string) error {
	if err := os.Mkdir(folder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for name, value := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(value), 0o600); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// sweep deletes what an earlier server with the same data left; the kernel keeps folders with processes.
func (g *groups) sweep() {
	trees := slices.Collect(maps.Values(g.trees))
	if g.unified != "" {
		trees = append(trees, g.unified)
	}
	for _, tree := range trees {
		left, _ := filepath.Glob(g.folder(tree, "*"))
		for _, folder := range left {
			_ = os.Remove(folder)
		}
	}
}

// MakeGroups creates control groups with limits and returns their folders, for any number of boxes that share the
// limits; none unless Grouped. With an error it returns those that were created.
func (s *Sandbox) MakeGroups(name string, limits Limits) ([]string, error) {
	if !s.groups.work() {
		return nil, nil
	}
	return s.groups.make(name, limits.complete())
}

// AnswerFirst gives this process precedence over computing boxes on the processors, until Close: what it answers doesn't
// wait for them. It does nothing unless Grouped. Control groups of a Sandbox that is opened later are beside those of
// this one.
func (s *Sandbox) AnswerFirst() error {
	if !s.groups.work() {
		return nil
	}
	s.answersFirst = true
	return s.groups.answerFirst()
}

// Grouped reports whether control groups limit a box as a whole. Without them, limits apply to each process.
func (s *Sandbox) Grouped() bool { return s.groups.work() }

// RemoveGroups removes control groups whose processes have ended. A group that isn't empty yet, because a parent hasn't
// reaped its dead child, is tried again at the next call.
func (s *Sandbox) RemoveGroups(folders []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groupsLeft = slices.DeleteFunc(append(s.groupsLeft, folders...), func(folder string) bool {
		return !errors.Is(os.Remove(folder), syscall.EBUSY)
	})
}

// removeGroupsLeft tries for five seconds to remove all of them: a busy machine takes its time to reap processes.
func (s *Sandbox) removeGroupsLeft() {
	for range 500 {
		s.RemoveGroups(nil)
		s.mu.Lock()
		left := len(s.groupsLeft)
		s.mu.Unlock()
		if left == 0 {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
}
