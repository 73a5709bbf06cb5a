// Package bounded reads files that strangers bring: what their bytes claim costs no more than the caller allows.
package bounded

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// ErrLimit is returned, possibly wrapped, when reading on would cost more than is allowed.
var ErrLimit = errors.New("there is more than may be read")

// Reader reads a file at any place, at most a number of bytes in all, until the context ends. It isn't safe for
// concurrent use.
type Reader struct {
	context context.Context
	file    io.ReaderAt
	left    int64
}

// New returns a Reader of at most limit bytes of a file.
func New(ctx context.Context, file io.ReaderAt, limit int64) *Reader {
	return &Reader{ctx, file, limit}
}

// ReadAt is that of io.ReaderAt. Bytes that were asked for and don't exist count, too, so that a loop over them ends.
func (r *Reader) ReadAt(into []byte, offset int64) (int, error) {
	if err := r.context.Err(); err != nil {
		return 0, err
	}
	if r.left -= int64(len(into)); r.left < 0 {
		return 0, ErrLimit
	}
	return r.file.ReadAt(into, offset)
}

// Bytes reads a part of the file that must be there. The memory for it counts against the limit before it is allocated.
func (r *Reader) Bytes(offset, length int64) ([]byte, error) {
	switch {
	case offset < 0 || length < 0:
		return nil, io.ErrUnexpectedEOF
	case length > r.left:
		return nil, ErrLimit
	}
	found := make([]byte, length)
	read, err := r.ReadAt(found, offset)
	if int64(read) == length {
		return found, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return nil, err
}

// Allow sets how many more bytes may be read.
func (r *Reader) Allow(limit int64) { r.left = limit }

// Stream returns a reader that fails with ErrLimit after a number of bytes, where io.LimitReader would pretend that the
// stream ends.
func Stream(from io.Reader, limit int64) io.Reader { return &stream{from, limit} }

type stream struct {
	from io.Reader
	left int64
}

func (s *stream) Read(into []byte) (int, error) {
	if s.left <= 0 {
		return 0, ErrLimit
	}
	read, err := s.from.Read(into[:min(int64(len(into)), s.left)])
	s.left -= int64(read)
	return read, err
}

// Recover turns a panic into an error. Readers of hostile files are written not to panic; if one does after all, a file
// must not cost its visitors more than its own preview. It must be deferred directly.
func Recover(err *error) {
	if value := recover(); value != nil {
		*err = fmt.Errorf("panic: %v", value)
	}
}
