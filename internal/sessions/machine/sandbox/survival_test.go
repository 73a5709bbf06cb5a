package sandbox_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"cairn/internal/sessions/machine/sandbox"
)

// TestBoxesSurviveKillNine lets a server start a box, kills it with kill -9, and adopts the box here: it continues with
// its network, and its end is noticed. What connects its network ends with it, even without a sweep.
func TestBoxesSurviveKillNine(t *testing.T) {
	t.Parallel()
	b := open(t)
	far := elsewhere(t)
	box := b.box(`
import os, sys, time, urllib.request
while not os.path.exists("go"): time.sleep(0.01)
open("answer.next", "wb").write(urllib.request.urlopen("http://` + far + `/far.txt", timeout=20).read())
os.rename("answer.next", "answer")
while not os.path.exists("end"): time.sleep(0.01)
sys.exit(7)`)
	box.Network, box.Report = sandbox.Internet, filepath.Join(b.folder, "report")
	record := b.killedServer(box)
	if record.Account != box.Account || record.First.PID == 0 || record.First.PID == record.Process.PID {
		t.Fatalf("The record is %+v", record)
	}
	if len(processesNaming("slirp4netns")) == 0 {
		t.Error("Nothing serves the network")
	}
	process, err := b.Adopt(record)
	if err != nil {
		t.Fatal(err)
	}
	work := box.Mounts[0].From
	b.write(filepath.Join(work, "go"), "")
	b.awaitThat("An answer", func() bool {
		answer, err := os.ReadFile(filepath.Join(work, "answer"))
		return err == nil && string(answer) == "REACHED"
	})
	b.write(filepath.Join(work, "end"), "")
	b.await(process)
	if code, err := sandbox.ExitCode(box.Report); code != 7 || err != nil {
		t.Errorf("The exit code is %d %v", code, err)
	}
	b.awaitThat("The end of all", func() bool { return len(processesNaming("CAIRN_TEST_BOX="+box.Name)) == 0 })
	if _, err := b.Adopt(record); err == nil || errors.Is(err, sandbox.ErrRestarted) {
		t.Errorf("A box that has ended: %v", err)
	}
	record.Process.BootID = "another"
	if _, err := b.Adopt(record); !errors.Is(err, sandbox.ErrRestarted) {
		t.Errorf("A box of an earlier boot: %v", err)
	}
}

// killedServer starts a box through another process, which is killed.
func (b *bench) killedServer(box sandbox.Box) (record sandbox.Record) {
	b.Helper()
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	text, err := json.Marshal(wanted{b.folder, box})
	if err != nil {
		b.Fatal(err)
	}
	command := exec.Command(program)
	command.Env = []string{serverVariable + "=" + string(text)}
	output, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	line, _ := bufio.NewReader(output).ReadBytes('\n')
	_ = command.Process.Kill()
	_ = command.Wait()
	if err := json.Unmarshal(line, &record); err != nil {
		b.Fatalf("The server said %q", line)
	}
	return record
}

func (b *bench) awaitThat(what string, holds func() bool) {
	b.Helper()
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	for late := time.After(time.Minute); !holds(); {
		select {
		case <-ticks.C:
		case <-late:
			b.Fatalf("%s does not come", what)
		}
	}
}
