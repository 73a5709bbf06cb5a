package sizes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/humanize"
)

// Shortfall is something that an entry asks for and a size doesn't have enough of.
type Shortfall string

// The shortfalls.
const (
	shortOfMemory Shortfall = "memory"
	shortOfCPUs   Shortfall = "cpus"
	shortOfGPUs   Shortfall = "gpus"
)

// Shortfalls returns what a size doesn't have of what an entry asks for. A limit that is zero is none, or the engine's own: then
// nothing is known against it.
func (p Profile) Shortfalls(needs *catalog.Needs) (short []Shortfall) {
	if needs == nil {
		return nil
	}
	if least := p.Limits.MemoryBytes; least > 0 && least < needs.MemoryBytes {
		short = append(short, shortOfMemory)
	}
	if least := p.Limits.CPUs; least > 0 && least < needs.CPUs {
		short = append(short, shortOfCPUs)
	}
	if p.GPUs < needs.GPUs {
		short = append(short, shortOfGPUs)
	}
	return short
}

// bySize compares sizes by what there is least of on a cluster. No limit is more than any.
func bySize(one, other Profile) int {
	memory := func(p Profile) int64 { return cmp.Or(p.Limits.MemoryBytes, math.MaxInt64) }
	cpus := func(p Profile) float64 { return cmp.Or(p.Limits.CPUs, math.Inf(1)) }
	return cmp.Or(cmp.Compare(one.GPUs, other.GPUs), cmp.Compare(memory(one), memory(other)), cmp.Compare(cpus(one), cpus(other)))
}

// smallest returns the smallest of some sizes that has what an entry asks for, the first of several such; the default, which
// is the first of all, if the entry asks for nothing.
func smallest(sizes []Profile, needs *catalog.Needs) (found Profile, fits bool) {
	if needs != nil {
		sizes = slices.DeleteFunc(slices.Clone(sizes), func(one Profile) bool { return len(one.Shortfalls(needs)) > 0 })
	}
	switch {
	case len(sizes) == 0:
		return Profile{}, false
	case needs == nil:
		return sizes[0], true
	}
	return slices.MinFunc(sizes, bySize), true
}

// sizeText says what a session has or needs; what is zero is left out, except for GPUs that are missed.
func sizeText(memory int64, cpus float64, gpus int, missed bool) string {
	var parts []string
	if memory > 0 {
		parts = append(parts, humanize.Bytes(memory)+" of memory")
	}
	if cpus > 0 {
		parts = append(parts, strconv.FormatFloat(cpus, 'f', -1, 64)+" "+plural("processor", cpus == 1))
	}
	switch {
	case gpus > 0:
		parts = append(parts, fmt.Sprintf("%d %s", gpus, plural("GPU", gpus == 1)))
	case missed:
		parts = append(parts, "no GPU")
	}
	last := len(parts) - 1
	if last < 1 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

func plural(noun string, one bool) string {
	if one {
		return noun
	}
	return noun + "s"
}
