package contribute

import (
	"fmt"
	"regexp"
	"strconv"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
)

// Numbers as people write them: not 1e30, NaN or 0x10, which programs read too.
var (
	cpusPattern = regexp.MustCompile(`^[0-9]{1,4}(?:\.[0-9]{1,3})?$`)
	gpusPattern = regexp.MustCompile(`^[0-9]{1,4}$`)
)

// needs returns what is below needs; nil if nothing is asked for.
func (c *descriptorCheck) needs(written codehost.Descriptor) *catalog.Needs {
	c.faults = append(c.faults, written.Needs.Faults...)
	var needs catalog.Needs
	read := func(field codehost.DescriptorField, name, wanted, example string, parse func(text string) bool) {
		if text := firstText(field); text != "" && !parse(text) {
			c.item(field.Texts[0], name, fault.Quote(text)+" isn't "+wanted, fmt.Sprintf("Write, for example: %s: %s", name, example))
		}
	}
	read(written.Memory, "memory", "a size from 1MB to 1024TiB, with its unit", "8GiB", func(text string) (ok bool) {
		needs.MemoryBytes, ok = humanize.ParseBytes(text)
		return ok && needs.MemoryBytes >= 1e6 && needs.MemoryBytes <= catalog.MemoryMost
	})
	read(written.CPUs, "cpus", fmt.Sprintf("a number of processors above 0 and up to %d", catalog.CPUsMost), "2", func(text string) bool {
		needs.CPUs, _ = strconv.ParseFloat(text, 64) // the pattern says more
		return cpusPattern.MatchString(text) && needs.CPUs > 0 && needs.CPUs <= catalog.CPUsMost
	})
	read(written.GPUs, "gpus", fmt.Sprintf("a whole number of GPUs up to %d", catalog.GPUsMost), "1", func(text string) bool {
		needs.GPUs, _ = strconv.Atoi(text) // the pattern says more
		return gpusPattern.MatchString(text) && needs.GPUs <= catalog.GPUsMost
	})
	if needs == (catalog.Needs{}) {
		return nil
	}
	return &needs
}
