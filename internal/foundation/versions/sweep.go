package versions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// mark is what is known about the chunks of a store while it is swept.
type mark struct {
	store *storeState
	ctx   context.Context //nolint:containedctx // of one Sweep
	live  map[key]bool
	seen  map[visited]bool
}

// visited is a chunk that was read as a list or tree. A file could have the bytes of one.
type visited struct {
	digest digest
	depth  uint8
	tree   bool
}

// content calls found for each chunk of a content, and for the lists, except for what it was called for before.
func (m *mark) content(content reference, size int64, found func(key)) error {
	if size == 0 || content.digest == (digest{}) {
		return nil
	}
	if content.depth > 0 {
		here := visited{content.digest, content.depth, false}
		if m.seen[here] {
			return nil
		}
		parts, err := m.store.listParts(content.digest)
		if err != nil {
			return err
		}
		for _, one := range parts {
			if err := m.content(reference{content.depth - 1, one.digest}, one.length, found); err != nil {
				return err
			}
		}
		m.seen[here] = true
	}
	found(keyOf(content.digest))
	return m.ctx.Err()
}

func (m *mark) tree(content reference, size int64, found func(key)) error {
	here := visited{content.digest, content.depth, true}
	if m.seen[here] {
		return nil
	}
	inside, err := m.store.tree(content, size)
	if err != nil {
		return err
	}
	for i := range inside.nodes {
		n := &inside.nodes[i]
		if n.kind == Folder {
			err = m.tree(n.content, n.size, found)
		} else {
			err = m.content(n.content, n.size, found)
		}
		if err != nil {
			return err
		}
	}
	m.seen[here] = true
	return m.content(content, size, found)
}

func (m *mark) version(v *version, found func(key)) error {
	return errors.Join(m.tree(v.content, v.size, found), m.content(v.leftOut, v.leftLen, found))
}

func (s *storeState) sweep(ctx context.Context) (freed int64, err error) {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.RLock()
	closed, idle := s.closed, s.deleted == 0 || s.holds > 0
	var all []*version
	for _, line := range s.series {
		all = append(all, line.versions...)
	}
	deleted, purged, before := s.deleted, s.purged, s.bytes+s.logLength
	s.mu.RUnlock()
	if closed {
		return 0, ErrClosed
	}
	if idle {
		return 0, nil
	}
	m := &mark{s, ctx, map[key]bool{}, map[visited]bool{}}
	for _, v := range all {
		if err := m.version(v, func(one key) { m.live[one] = true }); err != nil {
			return 0, err // what can't be read may lead to what is needed
		}
	}
	gone := map[uint32]bool{} // packs with something that has to go
	m.seen = map[visited]bool{}
	for _, v := range purged {
		err := m.version(v, func(one key) {
			s.mu.RLock()
			defer s.mu.RUnlock()
			if found, there := s.index[one]; there && !m.live[one] {
				gone[found.pack] = true
			}
		})
		if err != nil && !errors.Is(err, ErrDamaged) { // an earlier sweep may have taken a part
			return 0, err
		}
	}
	if err := s.repack(ctx, m.live, gone); err != nil {
		return 0, err
	}
	s.committing.Lock()
	defer s.committing.Unlock()
	if err := s.rewriteLog(); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deleted -= deleted
	s.purged = s.purged[len(purged):]
	return before - s.bytes - s.logLength, nil
}

// repack writes the live chunks of packs that are mostly dead, or have something that has to go, to other packs, and then
// removes them.
func (s *storeState) repack(ctx context.Context, live map[key]bool, gone map[uint32]bool) error {
	if err := s.commit(); err != nil {
		return err
	}
	needed := map[uint32][]packed{}
	total := map[uint32]int64{}
	var victims []*pack
	s.mu.Lock()
	failures := s.failures
	for one, found := range s.index {
		if live[one] {
			needed[found.pack] = append(needed[found.pack], packed{one, found.at, found.length})
			total[found.pack] += int64(found.length)
		}
	}
	for number, one := range s.packs {
		if total[number]*2 < one.length || gone[number] {
			victims = append(victims, one)
			if one == s.current {
				s.current = nil
			}
		}
	}
	s.mu.Unlock()
	var failed error
	var moved []*pack
	for _, one := range victims {
		err := s.move(ctx, one, needed[one.number])
		if errors.Is(err, ErrDamaged) { // what can still be read of the pack is kept
			s.moveBack(one, needed[one.number])
			failed = err
			continue
		}
		moved = append(moved, one)
		if err != nil {
			failed = err
			break
		}
	}
	err := s.commit()
	s.mu.RLock()
	lost := failures != s.failures // something that was moved isn't on the disk
	s.mu.RUnlock()
	if err != nil || lost || failed != nil && !errors.Is(failed, ErrDamaged) {
		for _, one := range moved {
			s.moveBack(one, needed[one.number])
		}
		return errors.Join(failed, err)
	}
	return errors.Join(failed, s.removePacks(moved))
}

// move appends chunks of a pack to another.
func (s *storeState) move(ctx context.Context, from *pack, chunks []packed) error {
	slices.SortFunc(chunks, func(a, b packed) int { return cmp.Compare(a.at, b.at) })
	for _, one := range chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		text, err := s.recordOf(from.number, one)
		if err != nil {
			return err
		}
		s.mu.Lock()
		_, err = s.add(one.key, text)
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// moveBack finds chunks where they were, when they couldn't be written elsewhere.
func (s *storeState) moveBack(from *pack, chunks []packed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range chunks {
		s.index[one.key] = place{from.number, one.at, one.length}
	}
}

// recordOf returns a chunk's record as it is stored.
func (s *storeState) recordOf(number uint32, one packed) ([]byte, error) {
	text := make([]byte, one.length)
	for {
		s.mu.RLock()
		from := s.packs[number].file
		var err error
		if from != nil {
			_, err = from.ReadAt(text, int64(one.at))
		}
		s.mu.RUnlock()
		if from == nil {
			if err = s.openPack(number); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		break
	}
	header, _, err := parseRecord(text)
	if err != nil || keyOf(header.digest) != one.key {
		return nil, fmt.Errorf("%w: a chunk isn't what was written", ErrDamaged)
	}
	return text, nil
}

// removePacks removes packs of which everything live is elsewhere. The index goes first: an index must never be taken for
// that of a later pack of the same number.
func (s *storeState) removePacks(packs []*pack) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := map[uint32]bool{}
	for _, one := range packs {
		gone[one.number] = true
	}
	for one, found := range s.index {
		if gone[found.pack] {
			delete(s.index, one)
		}
	}
	for _, one := range packs {
		if one.file != nil {
			_ = one.file.Close()
		}
		delete(s.packs, one.number)
		s.bytes -= one.length + one.indexBytes
		if err := s.disk.Remove(indexName(one.number)); err != nil {
			return explain(err)
		}
	}
	if err := s.disk.Sync(); err != nil {
		return explain(err)
	}
	for _, one := range packs {
		if err := s.disk.Remove(packName(one.number)); err != nil {
			return explain(err)
		}
	}
	return explain(s.disk.Sync())
}
