package config

import (
	"time"

	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/engine/localjupyter"
)

// Versions says how the work in sessions on this server is saved.
type Versions struct {
	Every     string `yaml:"every"`
	Quota     string `yaml:"quota"`      // of an account's versions
	FileLimit string `yaml:"file_limit"` // larger files aren't in versions
}

// noLimit is the size of what may have any size.
const noLimit = "none"

// sizes reads the sizes from a valid configuration; 0: none.
func (c Versions) sizes() (quota, fileLimit int64) {
	read := func(text string) int64 {
		if text == noLimit {
			return 0
		}
		size, _ := humanize.ParseBytes(text)
		return size
	}
	return read(c.Quota), read(c.FileLimit)
}

func (c Versions) faults() (faults []string) {
	every, err := time.ParseDuration(c.Every)
	if err != nil || every < 10*time.Second || every > time.Hour {
		faults = append(faults, "versions.every: "+humanize.Quote(c.Every)+" must be a time from 10s to 1h, such as 60s")
	}
	for key, value := range map[string]string{"quota": c.Quota, "file_limit": c.FileLimit} {
		if size, ok := humanize.ParseBytes(value); value != noLimit && (!ok || size < 1<<20) {
			faults = append(faults, "versions."+key+": "+humanize.Quote(value)+" must be a size of at least 1MiB, such as 20GiB, or none")
		}
	}
	return faults
}

// QuotaBytes returns what the versions of an account may take on all engines together, from a valid configuration; 0: any number.
func (c Versions) QuotaBytes() int64 {
	quota, _ := c.sizes()
	return quota
}

// EngineVersions are the options of a local engine, whose versions are in this folder.
func (c Versions) EngineVersions(folder string) localjupyter.Versions {
	quota, fileLimit := c.sizes()
	every, _ := time.ParseDuration(c.Every)
	return localjupyter.Versions{Dir: folder, Every: every, Quota: quota, FileLimit: fileLimit}
}
