package sandbox

import (
	"os/exec"
	"testing"
)

// Process 1 here may never reap its children: a dead one would look alive to kill(pid, 0).
func TestZombieIsDead(t *testing.T) {
	command := exec.Command("/usr/bin/cat")
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	running, err := identify(command.Process.Pid)
	if err != nil || !running.Alive() {
		t.Fatalf("The living process is dead: %+v %v", running, err)
	}
	other := running
	other.StartTime++
	if other.Alive() {
		t.Error("A pid that was used again counts as the same process")
	}
	other = running
	other.BootID = "before"
	if other.Alive() {
		t.Error("A process of an earlier boot counts as the same")
	}
	watched, err := running.watch()
	if err != nil {
		t.Fatal(err)
	}
	defer watched.close()
	_ = input.Close()
	if err := watched.ended(); err != nil {
		t.Fatal(err)
	}
	if state, _, err := stat(running.PID); err != nil || state != 'Z' {
		t.Fatalf("The process is no zombie: %c %v", state, err)
	}
	if running.Alive() {
		t.Error("The zombie is alive")
	}
	_ = command.Wait()
}

func TestAccountsFitTheMap(t *testing.T) {
	for text, want := range map[string]accounts{
		"         0          0 4294967295\n": {0x70000000, 0x0fffffff},
		"         0     100000      65536\n": {20000, 40000},
		"0 1000 1\n":                         {20000, 1},
	} {
		if got := accountsOf([]byte(text)); got != want {
			t.Errorf("%q gives %v, want %v", text, got, want)
		}
	}
}
