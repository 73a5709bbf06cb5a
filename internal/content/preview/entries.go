package preview

import (
	"context"
	"path"
	"strings"

	"cairn/internal/entries/catalog"
)

// Entries is the part of the catalog that previews need.
type Entries interface {
	// Readable returns an entry that the caller may see; NotFound for any other.
	Readable(ctx context.Context, id string) (catalog.Entry, error)
	// LoadAny returns entries in any state and privacy; unknown ids are left out.
	LoadAny(ctx context.Context, ids []string) ([]catalog.Entry, error)
	// NoteContent makes the text of one of an entry's files findable.
	NoteContent(ctx context.Context, id, source, markdown string)
}

// proseLimit is how much of a text is noted, in bytes; less of it counts.
const proseLimit = 64 << 10

// readme are the files that introduce a folder, in lower case.
var readme = map[string]bool{"readme": true, "readme.md": true, "readme.markdown": true, "readme.txt": true, "readme.rst": true}

func isReadme(file string) bool { return readme[strings.ToLower(path.Base(file))] }
