package config

import (
	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/jobs"
)

// Limits returns them for the jobs of sessions.
func (c Jobs) Limits() jobs.Limits {
	return jobs.Limits{PerAccount: c.PerAccount, Keep: Duration(c.Keep), Deadline: Duration(c.Deadline)}
}

// faults returns what is wrong with the configuration of jobs.
func (c Jobs) faults() (faults []string) {
	if c.PerAccount < 1 {
		faults = append(faults, "jobs.per_account: must be at least 1")
	}
	for key, text := range map[string]string{"keep": c.Keep, "deadline": c.Deadline} {
		if length, err := ParseDuration(text); err != nil || length == 0 {
			faults = append(faults, "jobs."+key+": "+humanize.Quote(text)+" must be a time such as 12h or 30d")
		}
	}
	return faults
}
