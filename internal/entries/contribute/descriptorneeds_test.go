package contribute

import (
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
)

// Each of these is a value below needs.
func TestNeedsOfDescriptors(t *testing.T) {
	t.Parallel()
	const (
		noMemory = `isn't a size from 1MB to 1024TiB, with its unit. Write, for example: memory: 8GiB`
		noCPUs   = `isn't a number of processors above 0 and up to 4096. Write, for example: cpus: 2`
		noGPUs   = `isn't a whole number of GPUs up to 1024. Write, for example: gpus: 1`
	)
	for _, one := range []struct {
		needs string
		want  catalog.Needs
		fault string
	}{
		{"memory: 8GiB", catalog.Needs{MemoryBytes: 8 << 30}, ""},
		{"memory: 1.5 GB", catalog.Needs{MemoryBytes: 15e8}, ""},
		{"memory: 1024TiB", catalog.Needs{MemoryBytes: 1 << 50}, ""},
		{"memory: 1MB", catalog.Needs{MemoryBytes: 1e6}, ""},
		{"memory: 1024.001TiB", catalog.Needs{}, noMemory},
		{"memory: 0.9MB", catalog.Needs{}, noMemory},
		{"memory: 8 gigs", catalog.Needs{}, noMemory},
		{"memory: 8Gi", catalog.Needs{}, noMemory},
		{"memory: 8", catalog.Needs{}, noMemory},
		{"memory: 0GiB", catalog.Needs{}, noMemory},
		{"memory: -8GiB", catalog.Needs{}, noMemory},
		{"memory: 1e30", catalog.Needs{}, noMemory},
		{"memory: .nan", catalog.Needs{}, noMemory},
		{"memory: .inf", catalog.Needs{}, noMemory},
		{"memory: true", catalog.Needs{}, noMemory},
		{"memory: {least: 8GiB}", catalog.Needs{}, "This is a group of fields, but a single value is expected."},
		{"cpus: 2", catalog.Needs{CPUs: 2}, ""},
		{"cpus: 0.5", catalog.Needs{CPUs: 0.5}, ""},
		{`cpus: "4096"`, catalog.Needs{CPUs: 4096}, ""},
		{"cpus: 4096.5", catalog.Needs{}, noCPUs},
		{"cpus: 0", catalog.Needs{}, noCPUs},
		{"cpus: -1", catalog.Needs{}, noCPUs},
		{"cpus: 1e30", catalog.Needs{}, noCPUs},
		{"cpus: 1e3", catalog.Needs{}, noCPUs},
		{"cpus: NaN", catalog.Needs{}, noCPUs},
		{"cpus: Inf", catalog.Needs{}, noCPUs},
		{"cpus: 0x10", catalog.Needs{}, noCPUs},
		{"cpus: 1_000", catalog.Needs{}, noCPUs},
		{"cpus: many", catalog.Needs{}, noCPUs},
		{"cpus: [2]", catalog.Needs{}, "This is a list, but a single value is expected."},
		{"gpus: 1", catalog.Needs{GPUs: 1}, ""},
		{"gpus: 1024", catalog.Needs{GPUs: 1024}, ""},
		{"gpus: 1025", catalog.Needs{}, noGPUs},
		{"gpus: 1.5", catalog.Needs{}, noGPUs},
		{"gpus: -1", catalog.Needs{}, noGPUs},
		{"gpus: 1e30", catalog.Needs{}, noGPUs},
		{"gpus: yes", catalog.Needs{}, noGPUs},
		{"gpus: 99999999999999999999", catalog.Needs{}, noGPUs},
	} {
		content := "project:\n  name: Cells\n  description: Counts cells.\n  authors: [ada@example.org]\n  privacy: PUBLIC\n  needs: {" + one.needs + "}\n"
		d, faults := readDescriptor([]byte(content), false)
		switch {
		case one.fault == "" && (len(faults) > 0 || d.Needs == nil || *d.Needs != one.want):
			t.Errorf("%s: %+v, %v, want %+v", one.needs, d.Needs, faults, one.want)
		case one.fault != "" && (len(faults) != 1 || !strings.Contains(faults[0].Message, one.fault) || !strings.HasPrefix(faults[0].Location, "line 6: ")):
			t.Errorf("%s: %+v, %v, want one fault: %s", one.needs, d.Needs, faults, one.fault)
		}
	}
}
