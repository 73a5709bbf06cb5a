package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Identity identifies one process forever: pids are reused, but not with the same start time since the same boot. It is
// stored as JSON, so fields may only be added.
type Identity struct {
	PID       int
	StartTime uint64 // clock ticks since boot, field 22 of /proc/<pid>/stat
	BootID    string
}

// identify identifies a process that hasn't been waited for.
func identify(pid int) (Identity, error) {
	_, started, err := stat(pid)
	if err != nil {
		return Identity{}, err
	}
	boot, err := bootID()
	return Identity{PID: pid, StartTime: started, BootID: boot}, err
}

// Alive reports whether this process still runs. A zombie doesn't: it waits for its parent, which may never reap it.
func (i Identity) Alive() bool {
	if i.PID <= 0 {
		return false
	}
	state, started, err := stat(i.PID)
	if err != nil || state == 'Z' || started != i.StartTime {
		return false
	}
	boot, err := bootID()
	return err == nil && boot == i.BootID
}

func bootID() (string, error) {
	content, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(content)), err
}

// stat returns state and start time. The command's name may contain spaces and parentheses, so fields are counted from
// the last one.
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

// watch is a handle on a process, which needn't be a child, to wait for its end without a thread.
type watch struct{ handle *os.File }

func (i Identity) watch() (*watch, error) {
	handle, err := unix.PidfdOpen(i.PID, unix.PIDFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	opened := &watch{handle: os.NewFile(uintptr(handle), "pidfd")}
	if _, started, err := stat(i.PID); err != nil || started != i.StartTime {
		_ = opened.handle.Close()
		return nil, fmt.Errorf("process %d has ended", i.PID)
	}
	return opened, nil
}

// ended waits until the process has ended; it returns an error when the watch is closed.
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
