package filetree

import (
	"context"
	"io"
)

// Reader returns a reader that ends with a context: a copy of a large file takes long.
func Reader(ctx context.Context, from io.Reader) io.Reader { return reader{ctx, from} }

type reader struct {
	ctx context.Context //nolint:containedctx // of one copy
	io.Reader
}

// Read implements io.Reader.
func (r reader) Read(into []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(into)
}
