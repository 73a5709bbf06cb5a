package front

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// ticksPerSecond is the unit of times in /proc, the same on every architecture: USER_HZ in proc(5).
const ticksPerSecond = 100

// processorTime returns the processor time of this process and all that it has started, directly or not, including those that have
// ended and were waited for. Those whose parents didn't wait for them aren't in it, nor is what can't be read.
func processorTime() time.Duration {
	type process struct {
		parent int
		ticks  int64
	}
	found := map[int]process{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has just ended
		}
		// The name of the program, which may have spaces and parentheses in it, is before the last parenthesis.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) < 15 {
			continue
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		one := process{}
		one.parent, _ = strconv.Atoi(string(fields[1]))
		for _, field := range fields[11:15] { // utime, stime, cutime, cstime
			ticks, _ := strconv.ParseInt(string(field), 10, 64)
			one.ticks += ticks
		}
		found[id] = one
	}
	self, sum := os.Getpid(), int64(0)
	for id, one := range found {
		for at, steps := id, 0; at > 0 && steps < len(found); at, steps = found[at].parent, steps+1 {
			if at == self {
				sum += one.ticks
				break
			}
		}
	}
	return time.Duration(sum) * time.Second / ticksPerSecond
}
