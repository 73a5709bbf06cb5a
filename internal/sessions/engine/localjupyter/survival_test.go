package localjupyter_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/sandbox"
)

func itoa(number int) string { return strconv.Itoa(number) }

// gateway adopts or starts the session of a folder, says so, and waits to be killed.
func gateway(folder, id, jupyter string) {
	opened, err := localjupyter.New(localjupyter.Options{
		Dir: folder, Jupyter: jupyter, Network: sandbox.Internet, Web: localWeb(nil),
	})
	for err == nil {
		var status engine.Status
		switch status, err = opened.Status(context.Background(), id); status.Phase {
		case engine.Running:
			pid, _ := opened.Process(id)
			_, _ = os.Stdout.WriteString("running " + itoa(pid) + "\n")
			select {}
		case engine.Failed:
			err = errors.New(status.Reason + strings.ReplaceAll(status.Log, "\n", " | "))
		default:
			<-opened.Changed()
		}
	}
	_, _ = os.Stdout.WriteString(err.Error() + "\n")
	os.Exit(1)
}

// TestSessionsSurviveKillNine lets one gateway launch a session, kills it with kill -9, lets a second one adopt it, kills
// that, and adopts it here: it is the same process all along.
func TestSessionsSurviveKillNine(t *testing.T) {
	t.Parallel()
	b := newBench(t, withInternet)
	b.open()
	spec := b.spec(b.url("slow.git"))
	b.start(spec)
	b.engine.Abandon() // the launch is recorded; the gateways below take it up
	b.engine = nil
	b.repositories.Release()
	var apart []string
	if os.Geteuid() == 0 { // others can't see what it mounts
		apart = []string{"/usr/bin/unshare", "--mount", "--propagation", "private"}
	}
	first, second := b.killedGateway(spec.ID, apart...), b.killedGateway(spec.ID)
	b.open()
	status := b.await(spec.ID, engine.Running)
	if len(status.Steps) != 4 {
		t.Errorf("The steps are %+v", status.Steps)
	}
	pid, _ := b.engine.Process(spec.ID)
	if first != second || second != pid {
		t.Errorf("The session's process was %d, %d and %d", first, second, pid)
	}
	b.wants("a cell after it", b.cell(spec.ID, `print(open("slow/README.md").read())`), "# slow.git")
	b.stop(spec.ID)
	b.nothingLeft(spec.ID)
}

// TestLimitsAreSetAgainForSessionsThatRun opens the engine again after the limits of a running session were taken away, as
// systemd's unit does before it starts a server.
func TestLimitsAreSetAgainForSessionsThatRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, withInternet)
	b.open()
	spec := b.spec(b.url("working.git"))
	b.start(spec)
	b.await(spec.ID, engine.Running)
	var files []string
	for _, folder := range b.engine.Groups(spec.ID) {
		if found, err := filepath.Glob(filepath.Join(folder, "pids.max")); err == nil {
			files = append(files, found...)
		}
	}
	if len(files) == 0 {
		t.Skip("there are no control groups here that limit a session")
	}
	limit, err := os.ReadFile(files[0])
	if err == nil {
		err = os.WriteFile(files[0], []byte("max"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.open()
	b.await(spec.ID, engine.Running)
	if now, err := os.ReadFile(files[0]); err != nil || string(now) != string(limit) || string(limit) == "max\n" {
		t.Errorf("the limit was %q and is %q, %v", limit, now, err)
	}
	b.stop(spec.ID)
}

// killedGateway runs a gateway, with a program around it if one is named, until its session runs.
func (b *bench) killedGateway(id string, around ...string) (server int) {
	b.Helper()
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	around = append(around, program)
	command := exec.Command(around[0], around[1:]...)
	command.Env = []string{"PATH=/usr/bin:/bin", gatewayVariable + "=" + strings.Join([]string{b.options.Dir, id, b.options.Jupyter}, "|")}
	output, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	line, _ := bufio.NewReader(output).ReadString('\n')
	_ = command.Process.Kill()
	_ = command.Wait()
	server, err = strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "running ")))
	if err != nil {
		b.Fatalf("The gateway said %q", line)
	}
	return server
}

// TestServersThatEndedMeanwhile reads the truth from the record of the monitor, which goes on without a gateway.
func TestServersThatEndedMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.open()
	clean, crashed := b.running(b.url("working.git")), b.running(b.url("working.git"))
	b.end(clean.ID, true)
	b.await(clean.ID, engine.Ended)
	b.start(clean)
	b.await(clean.ID, engine.Running)
	target, err := b.engine.Target(t.Context(), clean.ID)
	if err != nil {
		t.Fatal(err)
	}
	b.engine.Abandon()
	enginetest.Call(t, target, "POST", "/s/"+clean.ID+"/api/shutdown")
	b.end(crashed.ID, false)
	for late := time.Now().Add(8 * time.Minute); len(processesNaming(clean.ID))+len(processesNaming(crashed.ID)) > 0; {
		if time.Now().After(late) {
			t.Fatal("The servers do not end")
		}
		runtime.Gosched()
	}
	b.engine = nil
	b.open()
	status, err := b.engine.Status(t.Context(), clean.ID)
	if err != nil || status.Phase != engine.Ended {
		t.Errorf("The session that ended is %+v %v", status, err)
	}
	status, err = b.engine.Status(t.Context(), crashed.ID)
	if err != nil || status.Phase != engine.Failed || status.Reason == "" || status.Log == "" {
		t.Errorf("The session that crashed is %+v %v", status, err)
	}
}
