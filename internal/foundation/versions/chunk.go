package versions

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	chunkers "github.com/PlakarKorp/go-cdc-chunkers"
	_ "github.com/PlakarKorp/go-cdc-chunkers/chunkers/fastcdc" // the algorithm
)

// Bounds of a chunk. Sizes of 16 KiB find the pictures in notebooks again, and lines in tables.
const (
	chunkAverage = 16 << 10
	chunkLeast   = chunkAverage / 4
	chunkMost    = chunkAverage * 8
)

const (
	listEntry = sha256.Size + 8 // digest and length; a digest of zeros is a hole
	listMost  = 256             // entries
	listLeast = 16
	depthMost = 8 // 2^80 chunks
)

// chunker stores contents for one Save: it isn't for several goroutines.
type chunker struct {
	ctx    context.Context //nolint:containedctx // of one Save
	store  *storeState
	most   int64 // bytes that may be added; 0: any
	added  int64
	split  *chunkers.Chunker
	record []byte
}

func newChunker(ctx context.Context, store *storeState, most int64) (*chunker, error) {
	split, err := chunkers.NewChunker("fastcdc-v1.0.0", nil, &chunkers.ChunkerOpts{MinSize: chunkLeast, NormalSize: chunkAverage, MaxSize: chunkMost})
	return &chunker{ctx: ctx, store: store, most: most, split: split}, err
}

// put stores one chunk.
func (c *chunker) put(content []byte) (digest, error) {
	if err := c.ctx.Err(); err != nil {
		return digest{}, err
	}
	sum := digest(sha256.Sum256(content))
	if c.store.has(sum) {
		return sum, nil
	}
	c.record = appendRecord(c.record[:0], chunkRecord, sum, content)
	if c.most > 0 && c.added+int64(len(c.record)) > c.most {
		return sum, ErrQuota
	}
	added, err := c.store.append(sum, c.record)
	c.added += added
	return sum, err
}

// lists are the lists of a content that is being written, from the lowest: each list of listMost entries, or that ends with a
// digest that begins with six zeros, is a chunk and an entry of the one above. So a change in a large file changes few lists.
type lists struct {
	chunker *chunker
	levels  [][]byte
}

func (l *lists) add(level int, sum digest, length int64) error {
	if level == depthMost {
		return errors.New("a file has too many parts")
	}
	if level == len(l.levels) {
		l.levels = append(l.levels, nil)
	}
	l.levels[level] = append(l.levels[level], sum[:]...)
	l.levels[level] = binary.LittleEndian.AppendUint64(l.levels[level], uint64(length))
	count := len(l.levels[level]) / listEntry
	if count == listMost || count >= listLeast && sum[0] < 4 {
		return l.end(level)
	}
	return nil
}

func (l *lists) end(level int) error {
	list := l.levels[level]
	sum, err := l.chunker.put(list)
	if err != nil {
		return err
	}
	total := int64(0)
	for at := 0; at < len(list); at += listEntry {
		total += int64(binary.LittleEndian.Uint64(list[at+sha256.Size:]))
	}
	l.levels[level] = list[:0]
	return l.add(level+1, sum, total)
}

// finish returns the reference to all that was added.
func (l *lists) finish() (reference, error) {
	for level := 0; level < len(l.levels); level++ {
		list := l.levels[level]
		if level == len(l.levels)-1 && len(list) == listEntry && digest(list[:sha256.Size]) != (digest{}) {
			return reference{uint8(level), digest(list[:sha256.Size])}, nil
		}
		if len(list) > 0 {
			if err := l.end(level); err != nil {
				return reference{}, err
			}
		}
	}
	return reference{}, nil
}

// readError is an error of what is read, not of the store.
type readError struct{ error }

// Unwrap is for errors.Is.
func (e readError) Unwrap() error { return e.error }

type markedReader struct{ from io.Reader }

// Read implements io.Reader.
func (r markedReader) Read(into []byte) (int, error) {
	count, err := r.from.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		err = readError{err}
	}
	return count, err
}

// add splits what a reader has, and returns how long that is.
func (c *chunker) add(to *lists, from io.Reader) (length int64, err error) {
	c.split.Reset(markedReader{from})
	for {
		content, err := c.split.Next()
		if err != nil && !errors.Is(err, io.EOF) {
			return length, err
		}
		if len(content) > 0 {
			sum, err := c.put(content)
			if err == nil {
				err = to.add(0, sum, int64(len(content)))
			}
			if err != nil {
				return length, err
			}
			length += int64(len(content))
		}
		if err != nil {
			return length, nil //nolint:nilerr // the end
		}
	}
}

// storeBytes stores a content in memory.
func (c *chunker) storeBytes(content []byte) (reference, error) {
	to := &lists{chunker: c}
	if len(content) <= chunkLeast {
		sum, err := c.put(content)
		return reference{digest: sum}, err
	}
	if _, err := c.add(to, &byteReader{content}); err != nil {
		return reference{}, err
	}
	return to.finish()
}

type byteReader struct{ left []byte }

// Read implements io.Reader.
func (r *byteReader) Read(into []byte) (int, error) {
	if len(r.left) == 0 {
		return 0, io.EOF
	}
	count := copy(into, r.left)
	r.left = r.left[count:]
	return count, nil
}

// part is an entry of a list.
type part struct {
	digest digest
	length int64
}

func (s *storeState) listParts(sum digest) ([]part, error) {
	text, err := s.chunk(sum)
	if err != nil {
		return nil, err
	}
	if len(text)%listEntry != 0 {
		return nil, fmt.Errorf("%w: a list can't be read", ErrDamaged)
	}
	parts := make([]part, 0, len(text)/listEntry)
	for at := 0; at < len(text); at += listEntry {
		one := part{digest(text[at : at+sha256.Size]), int64(binary.LittleEndian.Uint64(text[at+sha256.Size:]))}
		if one.length < 0 {
			return nil, fmt.Errorf("%w: a list can't be read", ErrDamaged)
		}
		parts = append(parts, one)
	}
	return parts, nil
}

// parts calls visit for each chunk and hole of a content of this length, in order.
func (s *storeState) parts(content reference, length int64, visit func(part) error) error {
	if length == 0 {
		return nil
	}
	if content.depth == 0 {
		return visit(part{content.digest, length})
	}
	parts, err := s.listParts(content.digest)
	if err != nil {
		return err
	}
	for _, one := range parts {
		if content.depth == 1 {
			err = visit(one)
		} else {
			err = s.parts(reference{content.depth - 1, one.digest}, one.length, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// load returns a content of this length, which isn't a file's.
func (s *storeState) load(content reference, length int64) ([]byte, error) {
	var text []byte
	err := s.parts(content, length, func(one part) error {
		chunk, err := s.chunk(one.digest)
		text = append(text, chunk...)
		return err
	})
	if err == nil && int64(len(text)) != length {
		err = fmt.Errorf("%w: a content has another length", ErrDamaged)
	}
	return text, err
}

// tree returns a folder.
func (s *storeState) tree(content reference, size int64) (*tree, error) {
	text, err := s.load(content, size)
	if err != nil {
		return nil, err
	}
	found, err := decodeTree(text)
	if err != nil {
		return nil, err
	}
	found.content, found.size = content, size
	return found, nil
}
