package engine

import (
	"cmp"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
)

// versionNameLimit is the maximum length of a version's name, in characters.
const versionNameLimit = 200

// CheckVersionName returns an Invalid fault unless a text can name a version.
func CheckVersionName(name string) error {
	if count := utf8.RuneCountInString(name); !utf8.ValidString(name) || strings.TrimSpace(name) == "" || count > versionNameLimit ||
		strings.ContainsFunc(name, unicode.IsControl) {
		return fault.InvalidField("name", "A version's name is one line of 1 to %d characters.", versionNameLimit)
	}
	return nil
}

// CompareVersionFiles sorts folders first, then by name.
func CompareVersionFiles(one, other VersionFile) int {
	if one.Folder != other.Folder {
		if one.Folder {
			return -1
		}
		return 1
	}
	return cmp.Compare(one.Name, other.Name)
}

// mostRestored is the maximum length of Saving.Restored.
const mostRestored = 50

// AddRestored adds a path to a bounded list, whose earlier entry of the same path it replaces.
func AddRestored(list []RestoredPath, restored RestoredPath) []RestoredPath {
	var kept []RestoredPath
	for _, one := range list {
		if one.Path != restored.Path {
			kept = append(kept, one)
		}
	}
	kept = append(kept, restored)
	return kept[max(0, len(kept)-mostRestored):]
}

// nameBytes is the maximum length of a name on most file systems.
const nameBytes = 255

// BesideName returns a name for a version's file or folder beside the present one, such as "analysis (2026-11-25
// 12.40.05).ipynb", with the time of the version in UTC. Name "" stands for all of the work. A name that is taken gets a
// number.
func BesideName(name string, at time.Time, taken func(name string) bool) string {
	stamp := at.UTC().Format("2006-01-02 15.04.05")
	if name == "" {
		name, stamp = "Version", "of "+stamp
	} else {
		stamp = "(" + stamp + ")"
	}
	extension := path.Ext(name)
	if extension == name || len(extension) > 20 {
		extension = ""
	}
	stem := strings.TrimSuffix(name, extension)
	for number := 1; ; number++ {
		suffix := " " + stamp + extension
		if number > 1 {
			suffix = " " + stamp + " " + strconv.Itoa(number) + extension
		}
		short := stem
		for len(short)+len(suffix) > nameBytes {
			_, last := utf8.DecodeLastRuneInString(short)
			short = short[:len(short)-last]
		}
		if candidate := short + suffix; !taken(candidate) {
			return candidate
		}
	}
}
