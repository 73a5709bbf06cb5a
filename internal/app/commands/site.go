package commands

import "cairn/internal/site"

// SiteFile returns the built-in site file, for operators to change.
func SiteFile() []byte { return site.Default() }
