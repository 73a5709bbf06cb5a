package engine

import "regexp"

// folderPattern matches names that are one path element, and not an option, a hidden or a relative name.
var folderPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]{0,99}$`)

// ValidFolder reports whether a name can be a folder in a session: 1 to 100 letters, digits or "._+-", beginning with a
// letter, a digit or "_".
func ValidFolder(name string) bool { return folderPattern.MatchString(name) }
