package handouts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/engine"
)

// Limits of what is handed out.
const (
	FileLimit   = 10 << 20 // bytes of a file; whatever a session says of a file this large is still read
	BundleLimit = 50 << 20 // bytes of all files of a bundle
	FilesLimit  = 200      // files of a bundle

	uploadNameLimit = 200 // bytes of the name of a file that a host uploads
	nameLimit       = 250 // bytes of a name in a path: file systems have 255, and Jupyter writes beside a file with two more
	pathLimit       = 500 // bytes of a path
	beforeLimit     = 1000
)

// File is a file that is handed out.
type File struct {
	// Path is where it belongs in the work folder: slash-separated, in the repository's folder or at the root. It has at most 500
	// bytes, no hidden parts, and isn't in the folder of the datasets.
	Path    string
	Content []byte // at most FileLimit bytes

	// Before are the digests of earlier contents at this path that count as unchanged: what was handed out before, and what the
	// workshop's commit has. They are as Digest returns them.
	Before []string
}

// Bundle is what is handed out at once.
type Bundle struct {
	Files []File // at most FilesLimit, with different paths, of BundleLimit bytes together
	Label string // where it comes from, for people, such as "from the host" or "commit 1a2b3c4"
}

// Digest returns the SHA-256 of a content in hexadecimal, in lower case.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Check returns an Invalid fault about body.name or body.content unless a host may upload a file of that name and content, which will
// be at the root of the work folders. A name has 1 to 200 bytes in any script, isn't hidden, and has no slashes, no control characters
// and none that turn the direction of writing. Names that only Windows refuses are fine.
func Check(name string, content []byte) error {
	switch {
	case strings.TrimSpace(name) == "":
		return fault.InvalidField("body.name", "The file needs a name, such as \"exercise.ipynb\".")
	case len(name) > uploadNameLimit:
		return fault.InvalidField("body.name", "The file's name has %d bytes. It can have at most %d.", len(name), uploadNameLimit)
	case strings.ContainsAny(name, `/\`):
		return fault.InvalidField("body.name", "The file's name can't have slashes. Upload the file alone, without its folder.")
	case strings.HasPrefix(name, "."):
		return fault.InvalidField("body.name", "The file's name can't begin with a period: Jupyter doesn't show such files.")
	case !validName(name):
		return fault.InvalidField("body.name", "The file's name has characters that can't be shown. Rename the file, for example \"exercise.ipynb\".")
	case len(content) > FileLimit:
		return fault.InvalidField("body.content", "The file has %s. A file that is handed out can have at most %s.",
			humanize.Bytes(int64(len(content))), humanize.Bytes(FileLimit))
	}
	return nil
}

// validName reports whether Jupyter shows a file or folder of this name, and people read what it is.
func validName(name string) bool {
	return name != "" && len(name) <= nameLimit && !strings.HasPrefix(name, ".") && utf8.ValidString(name) &&
		!strings.ContainsAny(name, `/\`) && strings.TrimSpace(name) != "" &&
		!strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) })
}

// validPath reports whether a file can be handed out at a path of the work folder.
func validPath(name string) bool {
	if len(name) > pathLimit || !fs.ValidPath(name) || strings.HasPrefix(name, engine.DataFolder+"/") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if !validName(part) {
			return false
		}
	}
	return true
}

var digestPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// check returns an Invalid fault that names the first field of a bundle that breaks the rules of its fields.
func (b Bundle) check() error {
	if len(b.Files) > FilesLimit {
		return fault.InvalidField("files", "At most %d files can be handed out at once, not %d.", FilesLimit, len(b.Files))
	}
	seen, total := map[string]bool{}, 0
	for i, file := range b.Files {
		location := fmt.Sprintf("files[%d]", i)
		switch {
		case !validPath(file.Path):
			return fault.InvalidField(location+".path", "No file can be handed out at %s.", fault.Quote(file.Path))
		case seen[file.Path]:
			return fault.InvalidField(location+".path", "Two files are to be handed out at %s.", fault.Quote(file.Path))
		case len(file.Content) > FileLimit:
			return fault.InvalidField(location+".content", "%s has %s. A file that is handed out can have at most %s.",
				fault.Quote(file.Path), humanize.Bytes(int64(len(file.Content))), humanize.Bytes(FileLimit))
		case len(file.Before) > beforeLimit:
			return fault.InvalidField(location+".before", "%s has too many earlier contents.", fault.Quote(file.Path))
		}
		for _, one := range file.Before {
			if !digestPattern.MatchString(one) {
				return fault.InvalidField(location+".before", "%s isn't the digest of a content.", fault.Quote(one))
			}
		}
		seen[file.Path] = true
		total += len(file.Content)
	}
	if total > BundleLimit {
		return fault.InvalidField("files", "The files have %s together. At most %s can be handed out at once.",
			humanize.Bytes(int64(total)), humanize.Bytes(BundleLimit))
	}
	return nil
}

// besideLimit is how many names beside a path are tried.
const besideLimit = 20

// besideName returns the number-th name for a file that is laid beside what has its name, from 1. It is shortened to what file systems
// take.
func besideName(name string, number int) string {
	extension := path.Ext(name)
	stem := strings.TrimSuffix(name, extension)
	if stem == "" || len(extension) > 50 {
		stem, extension = name, ""
	}
	mark := " (from the host)"
	if number > 1 {
		mark = fmt.Sprintf(" (from the host %d)", number)
	}
	for len(stem)+len(mark)+len(extension) > nameLimit {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	return stem + mark + extension
}
