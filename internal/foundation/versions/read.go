package versions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
)

func (s *storeState) files(id, folder string) ([]Entry, error) {
	found, err := s.at(id, folder)
	if err != nil {
		return nil, err
	}
	if found.kind != Folder {
		return nil, fmt.Errorf("%w: %q is no folder", ErrNotFound, folder)
	}
	inside, err := s.tree(found.content, found.size)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(inside.nodes))
	for i := range inside.nodes {
		entries = append(entries, inside.nodes[i].entry())
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(rank(a.Kind), rank(b.Kind)) })
	return entries, nil
}

func rank(kind Kind) int {
	if kind == Folder {
		return 0
	}
	return 1
}

func (s *storeState) stat(id, path string) (Entry, error) {
	found, err := s.at(id, path)
	if err != nil {
		return Entry{}, err
	}
	return found.entry(), nil
}

func (s *storeState) openFile(id, path string) (*Content, error) {
	found, err := s.at(id, path)
	if err == nil && found.kind != File {
		err = fmt.Errorf("%w: %q is no file", ErrNotFound, path)
	}
	if err != nil {
		return nil, err
	}
	return s.contentOf(found), nil
}

func (s *storeState) contentOf(n *node) *Content {
	return &Content{&contentReader{store: s, content: n.content, length: n.size}, n.entry()}
}

func (s *storeState) walk(ctx context.Context, id, at string, visit func(string, Entry, func() *Content) error) error {
	found, err := s.at(id, at)
	if err != nil {
		return err
	}
	if found.kind != Folder {
		return visit(at, found.entry(), func() *Content { return s.contentOf(found) })
	}
	return s.walkFolder(ctx, found, at, visit)
}

func (s *storeState) walkFolder(ctx context.Context, folder *node, at string, visit func(string, Entry, func() *Content) error) error {
	inside, err := s.tree(folder.content, folder.size)
	if err != nil {
		return err
	}
	for i := range inside.nodes {
		n := &inside.nodes[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		here := path.Join(at, n.name)
		err := visit(here, n.entry(), func() *Content { return s.contentOf(n) })
		if n.kind == Folder && errors.Is(err, fs.SkipDir) {
			continue
		}
		if err == nil && n.kind == Folder {
			err = s.walkFolder(ctx, n, here, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// contentReader reads a file of a version.
type contentReader struct {
	store   *storeState
	content reference
	length  int64
	at      int64
	chunk   []byte // the last one; nil: a hole
	begin   int64  // where it is
	end     int64
	lists   [depthMost + 1]struct { // the last ones, by depth
		digest digest
		parts  []part
	}
}

// Read implements io.Reader.
func (r *contentReader) Read(into []byte) (int, error) {
	if r.store == nil {
		return 0, fs.ErrClosed
	}
	if len(into) == 0 {
		return 0, nil
	}
	if r.at >= r.length {
		return 0, io.EOF
	}
	if r.at < r.begin || r.at >= r.end {
		if err := r.find(); err != nil {
			return 0, err
		}
	}
	into = into[:min(int64(len(into)), r.end-r.at)]
	if r.chunk == nil {
		clear(into)
	} else {
		copy(into, r.chunk[r.at-r.begin:])
	}
	r.at += int64(len(into))
	return len(into), nil
}

// find reads the chunk of the present position.
func (r *contentReader) find() error {
	one, begin := part{r.content.digest, r.length}, int64(0)
	for depth := r.content.depth; depth > 0; depth-- {
		last := &r.lists[depth]
		if last.parts == nil || last.digest != one.digest {
			parts, err := r.store.listParts(one.digest)
			if err != nil {
				return err
			}
			last.digest, last.parts = one.digest, parts
		}
		found := false
		for _, inside := range last.parts {
			if r.at < begin+inside.length {
				one, found = inside, true
				break
			}
			begin += inside.length
		}
		if !found {
			return fmt.Errorf("%w: a list is too short", ErrDamaged)
		}
		if depth == 1 && one.digest == (digest{}) {
			r.chunk, r.begin, r.end = nil, begin, begin+one.length
			return nil
		}
	}
	chunk, err := r.store.chunk(one.digest)
	if err == nil && int64(len(chunk)) != one.length {
		err = fmt.Errorf("%w: a chunk has another length", ErrDamaged)
	}
	if err != nil {
		return err
	}
	r.chunk, r.begin, r.end = chunk, begin, begin+one.length
	return nil
}

// Seek implements io.Seeker.
func (r *contentReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.length
	}
	if offset < 0 {
		return 0, errors.New("a position before the beginning of a file")
	}
	r.at = offset
	return offset, nil
}

// Close implements io.Closer.
func (r *contentReader) Close() error {
	r.store, r.chunk = nil, nil
	return nil
}
