package engine

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// folderPattern matches names that are one path element, and not an option, a hidden or a relative name.
var folderPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]{0,99}$`)

// ValidFolder reports whether a name can be a folder in a session: 1 to 100 letters, digits or "._+-", beginning with a
// letter, a digit or "_".
func ValidFolder(name string) bool { return folderPattern.MatchString(name) }

// ValidNotebook reports whether a name can be that of a notebook in a work folder: at most 200 bytes in any script, ending
// in ".ipynb", without slashes and control characters, and not hidden.
func ValidNotebook(name string) bool {
	return len(name) <= 200 && utf8.ValidString(name) && strings.HasSuffix(name, ".ipynb") && !strings.HasPrefix(name, ".") &&
		!strings.ContainsAny(name, "/\\") && !strings.ContainsFunc(name, func(r rune) bool { return r != ' ' && unprintable(r) })
}
