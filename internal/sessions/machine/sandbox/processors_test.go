package sandbox

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestProcessorTimeOfBothVersionsOfControlGroups(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file, content string
		want          time.Duration
		counted       bool
	}{
		"version 2":          {"cpu.stat", "usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n", 2500 * time.Millisecond, true},
		"version 1":          {"cpuacct.usage", "2500000000\n", 2500 * time.Millisecond, true},
		"limits alone":       {"cpu.stat", "nr_periods 3\nnr_throttled 0\nthrottled_time 0\n", 0, false},
		"another controller": {"pids.max", "60\n", 0, false},
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, test.file), []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, counted := ProcessorTime([]string{t.TempDir(), folder}); got != test.want || counted != test.counted {
			t.Errorf("%s: %v %t, want %v %t", name, got, counted, test.want, test.counted)
		}
	}
}
