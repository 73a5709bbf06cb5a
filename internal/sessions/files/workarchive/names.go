package workarchive

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// archiveFolder is a folder of an archive.
type archiveFolder struct {
	path  string         // with a trailing slash; "" at the top
	taken map[string]int // names, as case-insensitive systems compare them, with the last number that each got
}

func newArchiveFolder(path string) archiveFolder { return archiveFolder{path, map[string]int{}} }

// nameBytes is the maximum length of a name on most file systems.
const nameBytes = 255

// claim returns a name that all systems read alike and that is unique in the folder.
func (f archiveFolder) claim(name string) (claimed string, changed bool) {
	plain := portableName(name)
	key := comparedName(plain)
	number, taken := f.taken[key]
	claimed = plain
	for taken {
		number++
		f.taken[key] = number
		stem, extension := plain, path.Ext(plain)
		if len(extension) > 20 || extension == plain {
			extension = ""
		}
		stem = strings.TrimSuffix(stem, extension)
		suffix := " (" + strconv.Itoa(number+1) + ")" + extension
		for len(stem)+len(suffix) > nameBytes && stem != "" {
			_, last := utf8.DecodeLastRuneInString(stem)
			stem = stem[:len(stem)-last]
		}
		claimed = stem + suffix
		_, taken = f.taken[comparedName(claimed)]
	}
	f.taken[comparedName(claimed)] = number
	return claimed, claimed != name
}

// comparedName is a name as systems compare it that ignore case and the composition of characters.
func comparedName(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// Windows opens devices under these names, whatever follows a period.
var deviceName = regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)`)

// portableName replaces what some systems don't read as a part of a name: separators, drives, wildcards, bytes that
// aren't text, invisible characters and those that change the direction of others, and blanks and periods at the end.
func portableName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || strings.ContainsRune(`\/:*?"<>|`, r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return '_'
		}
		return r
	}, name)
	if kept := strings.TrimRight(name, ". "); kept != name {
		name = kept + strings.Repeat("_", len(name)-len(kept))
	}
	if deviceName.MatchString(name) {
		name = "_" + name
	}
	return name
}
