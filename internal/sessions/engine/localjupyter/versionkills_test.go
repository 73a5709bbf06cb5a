package localjupyter_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
)

// crashes is how often something is killed.
const crashes = 100

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

// lossMost is how old a save may be that is in no version.
const lossMost = time.Minute

// TestThoroughSavesSurviveCrashes kills the session, its kernel or the server a hundred times while a script saves each second.
// After each kill, whatever was saved more than a minute before it is in a version, and no file of a version is torn.
func TestThoroughSavesSurviveCrashes(t *testing.T) {
	b := newBench(t, func(options *localjupyter.Options) { options.WatchEvery = time.Second })
	random := rand.New(rand.NewPCG(1, 2))
	b.open()
	spec := b.running(b.url("working.git"))
	b.saves(spec.ID)
	longest := time.Duration(0)
	for i := range crashes {
		time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond) //nolint:forbidigo // kills come at any time
		killedAt := time.Now()
		switch i % 3 {
		case 0: // the session with everything in it
			b.end(spec.ID, false)
			b.awaitThat(spec.ID, func(status engine.Status) bool { return status.Phase != engine.Running })
		case 1: // what saves
			b.killSaver(spec.ID)
		case 2: // the server, and half the time the session while it is away
			b.engine.Abandon()
			if i%2 == 0 {
				b.end(spec.ID, false)
			}
			b.engine = nil
			b.open()
		}
		status, err := b.engine.Status(t.Context(), spec.ID)
		if err != nil {
			t.Fatal(err)
		}
		if status.Phase != engine.Running {
			b.start(spec)
			b.await(spec.ID, engine.Running)
		}
		newest := time.Time{}
		if list := b.versions(spec.ID); len(list) > 0 {
			newest = b.savedAt(spec.ID, list[0].ID)
		}
		longest = max(longest, killedAt.Sub(newest))
		if killedAt.Sub(newest) > lossMost+5*time.Second { // the saves are a second apart, and the clock of the watch ticks each second
			t.Errorf("After kill %d, the newest save in a version is of %v before it", i, killedAt.Sub(newest))
		}
		b.saves(spec.ID)
	}
	t.Logf("the oldest newest save was of %v before a kill", longest)
	for _, version := range b.versions(spec.ID) {
		b.savedAt(spec.ID, version.ID)
		b.restoresEqual(spec.ID, version.ID)
	}
}

// saves lets the script save in the work folder, with the session's account and in its control of processes.
func (b *bench) saves(id string) {
	b.Helper()
	b.killSaver(id)
	about, err := os.Stat(b.work(id, ""))
	if err != nil {
		b.Fatal(err)
	}
	owner := about.Sys().(*syscall.Stat_t)
	command := exec.Command("/usr/bin/python3", "-c", saver, "saver-"+id)
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Geteuid() == 0 && owner.Uid != 0 {
		folder, err := os.Open(b.work(id, "")) // entered before the rights are left, as the way to it is closed
		if err != nil {
			b.Fatal(err)
		}
		defer folder.Close()
		command.Args = []string{"/usr/bin/python3", "-c", "import os\nos.fchdir(3)\nos.setgroups([])\nos.setgid(" + strconv.Itoa(int(owner.Gid)) + ")\nos.setuid(" +
			strconv.Itoa(int(owner.Uid)) + ")\n" + saver, "saver-" + id}
		command.ExtraFiles = []*os.File{folder}
	} else {
		command.Dir = b.work(id, "")
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	go func() { _ = command.Wait() }()
	b.Cleanup(func() { _ = command.Process.Kill() })
}

func (b *bench) killSaver(id string) {
	for _, pid := range processesNaming("saver-" + id) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// savedAt returns when the save of a version was made, and fails if the file is torn.
func (b *bench) savedAt(id, version string) time.Time {
	b.Helper()
	opened, err := b.engine.OpenVersion(context.Background(), id, version, "save.txt")
	if err != nil {
		return time.Now() // nothing was saved by then
	}
	defer opened.Close()
	text, err := io.ReadAll(opened)
	if err != nil {
		b.Fatal(err)
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if !bytes.Equal(text, bytes.Repeat(append(bytes.Clone(line), '\n'), 20000)) {
		b.Errorf("The file of version %s is torn: it begins with %q and has %d bytes", version, line, len(text))
	}
	_, nanoseconds, _ := strings.Cut(string(line), " ")
	at, err := strconv.ParseInt(nanoseconds, 10, 64)
	if err != nil {
		b.Errorf("The save of version %s is %q", version, line)
	}
	return time.Unix(0, at)
}

// restoresEqual restores the save of a version beside the present one, and compares them.
func (b *bench) restoresEqual(id, version string) {
	b.Helper()
	opened, err := b.engine.OpenVersion(b.Context(), id, version, "save.txt")
	if err != nil {
		return
	}
	defer opened.Close()
	wanted, err := io.ReadAll(opened)
	if err != nil {
		b.Fatal(err)
	}
	written, err := b.engine.RestoreVersion(b.Context(), id, engine.Restore{Version: version, Path: "save.txt"})
	if err != nil {
		b.Fatal(fmt.Errorf("version %s: %w", version, err))
	}
	found, err := os.ReadFile(b.work(id, written))
	if err != nil || !bytes.Equal(found, wanted) {
		b.Errorf("Version %s isn't restored as it was: %d bytes of %d, %v", version, len(found), len(wanted), err)
	}
	if err := os.Remove(b.work(id, written)); err != nil {
		b.Error(err)
	}
}
