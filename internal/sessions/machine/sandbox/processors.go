package sandbox

import (
	"os"
	"path/filepath"
	"time"
)

// ProcessorTime returns how long the processes of a box have computed since its control groups were made; false if no group counts
// that.
func ProcessorTime(groups []string) (time.Duration, bool) {
	for _, folder := range groups {
		if used := line(filepath.Join(folder, "cpu.stat"), "usage_usec"); used > 0 { // version 2; the table of version 1 lacks it
			return time.Duration(used) * time.Microsecond, true
		}
		if used, err := os.ReadFile(filepath.Join(folder, "cpuacct.usage")); err == nil { // version 1
			return time.Duration(number(used)), true
		}
	}
	return 0, false
}
