package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Record contains what is needed to find the processes of a box, whatever happened to this server. Zero fields are
// ignored.
type Record struct {
	Name    string
	Account int      // all of its processes belong to the box; 0 if it shares one
	Process Identity // the command, or the monitor of its sandbox
	First   Identity // process 1 of its namespace as seen from here; zero without bubblewrap
}

// Sweep kills every process of boxes, even those that an earlier server started or never recorded, and returns when
// none is left. The error says how many are left when the context ends.
func (s *Sandbox) Sweep(ctx context.Context, boxes ...Record) error {
	for _, box := range boxes { // all of a box at once, so that a process that keeps forking can't escape
		if box.First.PID != 0 {
			killIf(box.First.PID, box.First.Alive)
		} else if box.Account != 0 {
			s.killAccount(ctx, box.Account)
		}
	}
	for _, box := range boxes {
		if err := sweep(ctx, s.tag(box.Name), box); err != nil {
			return err
		}
	}
	return nil
}

// tag is in the environment of all processes of a box.
func (s *Sandbox) tag(name string) string { return s.options.Variable + "=" + name }

// killAccount kills all processes of an account.
func (s *Sandbox) killAccount(ctx context.Context, account int) {
	number := strconv.Itoa(account)
	command := exec.CommandContext(ctx, s.options.Setpriv, "--reuid", number, "--regid", number, "--clear-groups", "--",
		s.options.Shell, "-c", "kill -9 -1")
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	command.WaitDelay = time.Second
	_ = command.Run()
}

// sweep also waits for the first process: it ends after all others of its namespace, some of which can't be recognized.
func sweep(ctx context.Context, tag string, box Record) error {
	pause := time.Millisecond
	for {
		found, err := processesOf(tag, box.Account)
		if err != nil || len(found) == 0 && !box.First.Alive() {
			return err
		}
		for _, pid := range found {
			killIf(pid, func() bool { return belongs(pid, tag, box.Account) })
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d processes with %s do not end", len(found), tag)
		case <-time.After(pause):
			pause = min(2*pause, 100*time.Millisecond)
		}
	}
}

// killIf takes a handle on the process before it checks that it is the right one, so that no other process with a
// reused pid is hit.
func killIf(pid int, right func() bool) {
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(handle)
	if right() {
		_ = unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0)
	}
}

// processesOf lists the living processes that carry a tag or have an account other than 0.
func processesOf(tag string, account int) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var found []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err == nil && pid != os.Getpid() && belongs(pid, tag, account) {
			found = append(found, pid)
		}
	}
	return found, nil
}

func belongs(pid int, tag string, account int) bool {
	state, _, err := stat(pid)
	if err != nil || state == 'Z' || state == 'X' {
		return false
	}
	folder := "/proc/" + strconv.Itoa(pid)
	if account != 0 {
		if status, err := os.ReadFile(folder + "/status"); err == nil && runsAs(status, account) {
			return true
		}
	}
	environment, err := os.ReadFile(folder + "/environ")
	if err != nil {
		return false
	}
	for _, variable := range bytes.Split(environment, []byte{0}) {
		if string(variable) == tag {
			return true
		}
	}
	return false
}

// runsAs looks for the account among the real, effective and saved ones.
func runsAs(status []byte, account int) bool {
	_, rest, found := bytes.Cut(status, []byte("\nUid:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	if !found {
		return false
	}
	wanted := strconv.Itoa(account)
	for _, field := range bytes.Fields(line) {
		if string(field) == wanted {
			return true
		}
	}
	return false
}
