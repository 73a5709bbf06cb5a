package engine

import "regexp"

// folderPattern admits names that are one path element, no option, and no hidden or relative name.
var folderPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]{0,99}$`)

// ValidFolder reports whether a name may become a folder in a session: 1..100 characters of letters, digits, "._+-",
// beginning with a letter, a digit or "_".
func ValidFolder(name string) bool { return folderPattern.MatchString(name) }
