package localjupyter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// process names one process for good: pids are used again, but not with the same start time since the same boot.
type process struct {
	PID       int
	StartTime uint64 // clock ticks since boot, field 22 of /proc/<pid>/stat
	BootID    string
}

// sessionVariable marks all processes of a session in their environment, so that those are found that a crash left
// before their pid was written down.
const sessionVariable = "CAIRN_SESSION_ID"

// identify describes a process that runs now.
func identify(pid int) (process, error) {
	state, started, err := stat(pid)
	if err != nil {
		return process{}, err
	}
	if state == 'Z' {
		return process{}, fmt.Errorf("process %d has ended", pid)
	}
	boot, err := bootID()
	return process{PID: pid, StartTime: started, BootID: boot}, err
}

// alive tells whether this very process still runs. A zombie is dead: it waits for its parent, which may never ask.
func (p process) alive() bool {
	if p.PID <= 0 {
		return false
	}
	now, err := identify(p.PID)
	return err == nil && now == p
}

func bootID() (string, error) {
	content, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(content)), err
}

// stat reads state and start time. The command's name may hold blanks and brackets: fields count from the last one.
func stat(pid int) (state byte, started uint64, err error) {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, err
	}
	fields := strings.Fields(string(content[bytes.LastIndexByte(content, ')')+1:]))
	if len(fields) < 20 {
		return 0, 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	started, err = strconv.ParseUint(fields[19], 10, 64)
	return fields[0][0], started, err
}

// watch is a handle on a process, also on one that is not a child, by which its end can be awaited without a thread.
type watch struct{ handle *os.File }

func (p process) watch() (*watch, error) {
	handle, err := unix.PidfdOpen(p.PID, unix.PIDFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	opened := &watch{handle: os.NewFile(uintptr(handle), "pidfd")}
	if _, started, err := stat(p.PID); err != nil || started != p.StartTime {
		_ = opened.handle.Close()
		return nil, fmt.Errorf("process %d has ended", p.PID)
	}
	return opened, nil
}

// ended waits until the process has ended, or gives an error when the watch is closed.
func (w *watch) ended() error {
	connection, err := w.handle.SyscallConn()
	if err != nil {
		return err
	}
	return connection.Read(func(handle uintptr) bool {
		ready := []unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}
		_, err := unix.Poll(ready, 0)
		return err == nil && ready[0].Revents != 0
	})
}

func (w *watch) close() { _ = w.handle.Close() }

// sweep kills every process of a session and returns when none is left. UserID 0 stands for no account of its own.
func sweep(ctx context.Context, id string, userID int) error {
	pause := time.Millisecond
	for {
		found, err := processesOf(id, userID)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, pid := range found {
			killIf(pid, func() bool { return belongs(pid, id, userID) })
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d processes of session %s do not end", len(found), id)
		case <-time.After(pause):
			pause = min(2*pause, 100*time.Millisecond)
		}
	}
}

// killIf holds on to the process before it looks whether it is the right one, so that no stranger with a pid used again
// is hit.
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

// processesOf lists the living processes of a session.
func processesOf(id string, userID int) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var found []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err == nil && pid != os.Getpid() && belongs(pid, id, userID) {
			found = append(found, pid)
		}
	}
	return found, nil
}

func belongs(pid int, id string, userID int) bool {
	state, _, err := stat(pid)
	if err != nil || state == 'Z' || state == 'X' {
		return false
	}
	folder := "/proc/" + strconv.Itoa(pid)
	if userID != 0 {
		if status, err := os.ReadFile(folder + "/status"); err == nil && runsAs(status, userID) {
			return true
		}
	}
	environment, err := os.ReadFile(folder + "/environ")
	if err != nil {
		return false
	}
	for _, variable := range bytes.Split(environment, []byte{0}) {
		if string(variable) == sessionVariable+"="+id {
			return true
		}
	}
	return false
}

// runsAs looks for the account among the real, effective and saved ones.
func runsAs(status []byte, userID int) bool {
	_, rest, found := bytes.Cut(status, []byte("\nUid:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	if !found {
		return false
	}
	wanted := strconv.Itoa(userID)
	for _, field := range bytes.Fields(line) {
		if string(field) == wanted {
			return true
		}
	}
	return false
}

// errNoExit says that the monitor left no exit code: it was killed too, or the machine stopped.
var errNoExit = errors.New("no exit code")
