package overview

import (
	"fmt"
	"io/fs"
	"runtime"
	"strings"
)

// Machine is what the server's machine has and does.
type Machine struct {
	Load       float64 `json:"load" doc:"How many programs ran or waited for a processor, averaged over the last minute"`
	Processors int     `json:"processors"`

	MemoryBytes     int64 `json:"memoryBytes"`
	MemoryUsedBytes int64 `json:"memoryUsedBytes" doc:"Without what the system can give back at once"`
}

// ReadMachine reads what Linux says about the machine, below the root of the file system; what isn't there stays zero.
// The formats are those of proc_loadavg(5) and proc_meminfo(5).
func ReadMachine(root fs.FS) Machine {
	machine := Machine{Processors: runtime.NumCPU()}
	load, _ := fs.ReadFile(root, "proc/loadavg")
	_, _ = fmt.Sscan(string(load), &machine.Load)
	memory, _ := fs.ReadFile(root, "proc/meminfo")
	var available int64
	for line := range strings.Lines(string(memory)) {
		var name string
		var kibibytes int64
		if _, err := fmt.Sscan(line, &name, &kibibytes); err != nil {
			continue
		}
		switch name {
		case "MemTotal:":
			machine.MemoryBytes = kibibytes << 10
		case "MemAvailable:":
			available = kibibytes << 10
		}
	}
	machine.MemoryUsedBytes = max(0, machine.MemoryBytes-available)
	return machine
}
