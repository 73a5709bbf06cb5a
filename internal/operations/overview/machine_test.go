package overview

import (
	"testing"
	"testing/fstest"
)

func TestReadMachine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		load, memory string
		want         Machine
	}{
		"a machine":     {"1.25 0.80 0.50 2/345 6789\n", "MemTotal:       2048 kB\nMemFree:  100 kB\nMemAvailable:    512 kB\nHugePages_Total:       0\n", Machine{Load: 1.25, MemoryBytes: 2048 << 10, MemoryUsedBytes: 1536 << 10}},
		"an odd answer": {"-", "MemTotal: many kB\n\nMemAvailable: 5 kB", Machine{}},
		"nothing":       {"", "", Machine{}},
	} {
		got := ReadMachine(fstest.MapFS{"proc/loadavg": {Data: []byte(test.load)}, "proc/meminfo": {Data: []byte(test.memory)}})
		if got.Processors < 1 {
			t.Errorf("%s: %d processors", name, got.Processors)
		}
		if got.Processors = 0; got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
	if got := ReadMachine(fstest.MapFS{}); got.MemoryBytes != 0 {
		t.Errorf("without files it is %+v", got)
	}
}
