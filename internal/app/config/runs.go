package config

import (
	"slices"

	"cairn/internal/foundation/humanize"
)

// faults returns what is wrong with the configuration of runs.
func (c Runs) faults(engines []Engine) (faults []string) {
	if c.Engine != "" && !slices.ContainsFunc(engines, func(one Engine) bool { return one.Name == c.Engine }) {
		faults = append(faults, "runs.engine: there is no engine "+humanize.Quote(c.Engine)+"; leave it out to use the first one that can")
	}
	for key, text := range map[string]string{"every": c.Every, "keep": c.Keep, "timeout": c.Timeout} {
		if length, err := ParseDuration(text); err != nil || (key == "timeout" && length == 0) {
			faults = append(faults, "runs."+key+": "+humanize.Quote(text)+" must be a time such as 10m, 8h or 30d")
		}
	}
	if c.Share < 0 || c.Share > 1 {
		faults = append(faults, "runs.share: must be from 0 to 1, such as 0.25 for a quarter of sessions.capacity")
	}
	if c.Network != "none" && c.Network != "internet" {
		faults = append(faults, "runs.network: must be none or internet, not "+humanize.Quote(c.Network))
	}
	if c.PerDay < 1 {
		faults = append(faults, "runs.per_day: must be at least 1")
	}
	return faults
}

// MaxConcurrent returns how many runs may be carried out at once: a share of the capacity, at most one for two processors.
func (c Runs) MaxConcurrent(capacity, processors int) int {
	return max(1, min(int(c.Share*float64(capacity)), processors/2))
}
