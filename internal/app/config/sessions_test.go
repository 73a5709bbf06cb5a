package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTimesInTheConfiguration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"": 0, "never": 0, "90m": 90 * time.Minute, "1h30m": 90 * time.Minute, "30d": 30 * 24 * time.Hour, "1y": 365 * 24 * time.Hour} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q: got %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"60", "d", "-1d", "0s", "-5m", "1.5d", "99999999d", "y", "200y", "forever", "1h 30m"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q was read as %s", text, got)
		}
	}
}

func TestCapacityComesFromTheMemoryThatThereIs(t *testing.T) {
	t.Parallel()
	const (
		meminfo = "proc/meminfo"
		second  = "sys/fs/cgroup/memory.max"
		first   = "sys/fs/cgroup/memory/memory.limit_in_bytes"
	)
	for name, test := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"a machine":               {map[string]string{meminfo: "MemTotal:        4194304 kB\nMemFree: 1 kB\n"}, 4 << 30},
		"a container":             {map[string]string{meminfo: "MemTotal: 4194304 kB\n", second: "1073741824\n"}, 1 << 30},
		"without a limit":         {map[string]string{meminfo: "MemTotal: 4194304 kB\n", second: "max\n"}, 4 << 30},
		"an older one":            {map[string]string{meminfo: "MemTotal: 4194304 kB\n", first: "2147483648\n"}, 2 << 30},
		"a limit above the whole": {map[string]string{meminfo: "MemTotal: 4194304 kB\n", first: "9223372036854771712\n"}, 4 << 30},
		"nothing known":           {nil, memoryPerSession},
	} {
		root := t.TempDir()
		for path, content := range test.files {
			if err := os.MkdirAll(filepath.Join(root, filepath.Dir(path)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, path), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := memoryOf(root); got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
	if got := (Sessions{Capacity: 7}).TotalCapacity(); got != 7 {
		t.Errorf("a set capacity became %d", got)
	}
	if got := (Sessions{}).TotalCapacity(); got < 1 {
		t.Errorf("there is room for %d sessions", got)
	}
}
