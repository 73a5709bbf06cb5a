package handouts

import (
	"context"

	"cairn/internal/foundation/fault"
)

// Read returns the content of a file in the work folder of a running session, of at most FileLimit bytes. NotFound if there is no such
// file, or none that can be read.
func Read(ctx context.Context, from Target, path string) ([]byte, error) {
	read, err := openContents(from).look(ctx, path)
	if err == nil && read.state != known {
		err = fault.New(fault.NotFound, "The session has no file %s that can be read.", fault.Quote(path))
	}
	return read.content, err
}
