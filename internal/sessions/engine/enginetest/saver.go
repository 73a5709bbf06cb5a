package enginetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
)

// Crashes is how often something is killed.
const Crashes = 100

// LossMost is how old a save may be that is in no version.
const LossMost = time.Minute

// The script saves a file each second as Jupyter does: by a temporary name. Each save has its number and time in every line,
// so a torn one is found out.
const saver = `
import os, time
number = 0
try:
    number = int(open("save.txt").readline().split()[0])
except Exception: pass
while True:
    number += 1
    line = "%d %d\n" % (number, time.time_ns())
    with open(".save.txt.next", "w") as file: file.write(line * 20000)
    os.rename(".save.txt.next", "save.txt")
    time.sleep(1)
`

// Saver saves a file in the work folder of a session each second, in place of who works there.
type Saver struct {
	testing.TB

	ID     string
	Folder string // the work folder
}

// Start lets the script save, with the session's account and not in its control of processes.
func (s Saver) Start() {
	s.Helper()
	s.Kill()
	about, err := os.Stat(s.Folder)
	if err != nil {
		s.Fatal(err)
	}
	owner, known := about.Sys().(*syscall.Stat_t)
	if !known {
		s.Fatal("it isn't known who owns the work folder")
	}
	command := exec.Command("/usr/bin/python3", "-c", saver, "saver-"+s.ID)
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Geteuid() == 0 && owner.Uid != 0 {
		folder, err := os.Open(s.Folder) // entered before the rights are left, as the way to it is closed
		if err != nil {
			s.Fatal(err)
		}
		defer folder.Close()
		command.Args = []string{"/usr/bin/python3", "-c", "import os\nos.fchdir(3)\nos.setgroups([])\nos.setgid(" + strconv.Itoa(int(owner.Gid)) + ")\nos.setuid(" +
			strconv.Itoa(int(owner.Uid)) + ")\n" + saver, "saver-" + s.ID}
		command.ExtraFiles = []*os.File{folder}
	} else {
		command.Dir = s.Folder
	}
	if err := command.Start(); err != nil {
		s.Fatal(err)
	}
	go func() { _ = command.Wait() }()
	s.Cleanup(func() { _ = command.Process.Kill() })
}

// Kill kills the script.
func (s Saver) Kill() {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		command, _ := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if pid, err := strconv.Atoi(entry.Name()); err == nil && pid != os.Getpid() && bytes.Contains(command, []byte("saver-"+s.ID)) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// SavedAt returns when the save of a version was made, and fails if the file is torn.
func (s Saver) SavedAt(from engine.Versioner, version string) time.Time {
	s.Helper()
	opened, err := from.OpenVersion(context.Background(), s.ID, version, "save.txt")
	if err != nil {
		return time.Now() // nothing was saved by then
	}
	defer opened.Close()
	text, err := io.ReadAll(opened)
	if err != nil {
		s.Fatal(err)
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if !bytes.Equal(text, bytes.Repeat(append(bytes.Clone(line), '\n'), 20000)) {
		s.Errorf("The file of version %s is torn: it begins with %q and has %d bytes", version, line, len(text))
	}
	_, nanoseconds, _ := strings.Cut(string(line), " ")
	at, err := strconv.ParseInt(nanoseconds, 10, 64)
	if err != nil {
		s.Errorf("The save of version %s is %q", version, line)
	}
	return time.Unix(0, at)
}

// RestoresEqual restores the save of a version beside the present one, and compares them.
func (s Saver) RestoresEqual(from engine.Versioner, version string) {
	s.Helper()
	opened, err := from.OpenVersion(s.Context(), s.ID, version, "save.txt")
	if err != nil {
		return
	}
	defer opened.Close()
	wanted, err := io.ReadAll(opened)
	if err != nil {
		s.Fatal(err)
	}
	written, err := from.RestoreVersion(s.Context(), s.ID, engine.Restore{Version: version, Path: "save.txt"})
	if err != nil {
		s.Fatal(fmt.Errorf("version %s: %w", version, err))
	}
	restored := filepath.Join(s.Folder, written)
	found, err := os.ReadFile(restored)
	if err != nil || !bytes.Equal(found, wanted) {
		s.Errorf("Version %s isn't restored as it was: %d bytes of %d, %v", version, len(found), len(wanted), err)
	}
	if err := os.Remove(restored); err != nil {
		s.Error(err)
	}
}
