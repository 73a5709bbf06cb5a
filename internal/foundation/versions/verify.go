package versions

import (
	"context"
	"errors"
	"fmt"
	"io"
)

const toldMost = 20

func (s *storeState) verify(ctx context.Context) error {
	release, err := s.hold()
	if err != nil {
		return err
	}
	defer release()
	s.mu.RLock()
	var all []*version
	for _, line := range s.series {
		all = append(all, line.versions...)
	}
	s.mu.RUnlock()
	c := &check{store: s, ctx: ctx, whole: map[visited]bool{}, chunks: map[key]bool{}}
	for _, v := range all {
		if err := c.folder(v, "", v.content, v.size); err != nil {
			return err
		}
		if _, err := s.load(v.leftOut, v.leftLen); err != nil {
			c.tell(v, "", err)
		}
	}
	return errors.Join(c.found...)
}

// check is a Verify under way.
type check struct {
	store  *storeState
	ctx    context.Context //nolint:containedctx // of one Verify
	whole  map[visited]bool
	chunks map[key]bool // read, and what they should be
	found  []error
}

func (c *check) tell(v *version, path string, err error) {
	if len(c.found) < toldMost {
		c.found = append(c.found, fmt.Errorf("version %s, %q: %w", v.about.ID, path, err))
	}
}

func (c *check) folder(v *version, path string, content reference, size int64) error {
	here := visited{content.digest, content.depth, true}
	if c.whole[here] {
		return nil
	}
	inside, err := c.store.tree(content, size)
	if err != nil {
		c.tell(v, path, err)
		return c.ctx.Err()
	}
	before := len(c.found)
	for i := range inside.nodes {
		n := &inside.nodes[i]
		if err := c.ctx.Err(); err != nil {
			return err
		}
		switch n.kind {
		case Folder:
			if err := c.folder(v, join(path, n.name), n.content, n.size); err != nil {
				return err
			}
		case File:
			if err := c.file(n); err != nil {
				c.tell(v, join(path, n.name), err)
			}
		}
	}
	c.whole[here] = len(c.found) == before
	return nil
}

func (c *check) file(n *node) error {
	total := int64(0)
	err := c.store.parts(n.content, n.size, func(one part) error {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		total += one.length
		if one.digest == (digest{}) || c.chunks[keyOf(one.digest)] {
			return nil
		}
		chunk, err := c.store.chunk(one.digest)
		if err == nil && int64(len(chunk)) != one.length {
			err = io.ErrUnexpectedEOF
		}
		c.chunks[keyOf(one.digest)] = err == nil
		return err
	})
	if err == nil && total != n.size {
		err = fmt.Errorf("%w: a file has another length", ErrDamaged)
	}
	return err
}
