package front

import (
	"os/exec"
	"testing"
	"time"
)

func TestTheProcessorTimeOfProgramsCounts(t *testing.T) {
	t.Parallel()
	before := processorTime()
	if output, err := exec.Command("sh", "-c", `sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'`).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	if used := processorTime() - before; used < 50*time.Millisecond {
		t.Errorf("a program that has counted to 300,000 has used %v", used)
	}
}
