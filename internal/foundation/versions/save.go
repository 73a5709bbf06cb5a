package versions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

const (
	leftOutMost = 200
	lineMost    = 200
	entriesMost = 1_000_000
)

func (s *storeState) save(ctx context.Context, request Request) (Saved, error) {
	if request.Line == "" || len(request.Line) > lineMost {
		return Saved{}, fmt.Errorf("the name of a line has 1 to %d bytes", lineMost)
	}
	names := map[string]bool{}
	for _, root := range request.Roots {
		if !validName(root.Name) || names[root.Name] {
			return Saved{}, fmt.Errorf("%q can't be the name of a root", root.Name)
		}
		names[root.Name] = true
	}
	s.saving.RLock()
	defer s.saving.RUnlock()
	defer s.onlyOne(request.Line)()
	s.mu.RLock()
	closed, failures, previous := s.closed, s.failures, s.last(request.Line)
	var known *tree
	if previous != nil && s.states[request.Line].version == previous.about.ID {
		known = s.states[request.Line].tree
	}
	taken := s.bytes + s.logLength
	s.mu.RUnlock()
	if closed {
		return Saved{}, ErrClosed
	}
	b := &builder{store: s, request: request, usage: map[string]Usage{}, leftOut: map[string]bool{}}
	if request.Entries <= 0 {
		b.request.Entries = entriesMost
	}
	var err error
	most := int64(0)
	if request.StoredBytes > 0 {
		most = max(1, request.StoredBytes-taken)
	}
	if b.chunker, err = newChunker(ctx, s, most); err != nil {
		return Saved{}, err
	}
	if previous != nil {
		b.devices = previous.devices
		if b.previous = known; known == nil {
			if b.previous, err = s.tree(previous.content, previous.size); err != nil && !errors.Is(err, ErrDamaged) {
				return Saved{}, err
			} // a damaged version mustn't keep the next one from being saved
		}
	}
	top, err := b.build()
	saved := Saved{Usage: b.usage}
	if err != nil {
		return saved, explain(err)
	}
	if previous != nil && !b.changed && !request.Always {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.states[request.Line], saved.Version = seenTree{previous.about.ID, top}, previous.about
		return saved, nil
	}
	v, err := b.version(top)
	if err == nil {
		err = s.publish(v, b, failures)
	}
	if err != nil {
		return saved, explain(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.states[request.Line] = seenTree{v.about.ID, top}
	saved.Version, saved.Changed = v.about, true
	return saved, nil
}

// onlyOne waits until no other Save of the line is under way.
func (s *storeState) onlyOne(line string) (done func()) {
	s.mu.Lock()
	lock := s.busy[line]
	if lock == nil {
		lock = &sync.Mutex{}
		s.busy[line] = lock
	}
	s.mu.Unlock()
	lock.Lock()
	return lock.Unlock
}

// last returns the last version of a line; nil if there is none. s.mu must be held.
func (s *storeState) last(line string) *version {
	if one := s.series[line]; one != nil {
		return one.versions[len(one.versions)-1]
	}
	return nil
}

func (s *storeState) forget(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.states, line)
}

// version makes a version of what was built, without its id.
func (b *builder) version(top *tree) (*version, error) {
	v := &version{
		about:   Version{Line: b.request.Line, At: b.store.now().UTC(), Cause: b.request.Cause, Name: b.request.Name, Roots: b.roots, MoreLeftOut: b.moreLeftOut},
		content: top.content, size: top.size, devices: b.seen, changed: b.sums, many: b.many,
	}
	slices.Sort(v.changed)
	v.changed = slices.Compact(v.changed)
	if len(v.changed) > changedMost || b.many {
		v.changed, v.many = nil, true
	}
	if len(b.left) > 0 {
		text, err := encodeLeftOut(b.left)
		if err == nil {
			v.leftLen = int64(len(text))
			v.leftOut, err = b.chunker.storeBytes(text)
		}
		if err != nil {
			return nil, err
		}
	}
	return v, nil
}

// publish writes what a version needs to the disk, and then its record.
func (s *storeState) publish(v *version, b *builder, failures int) error {
	s.committing.Lock()
	defer s.committing.Unlock()
	if err := s.sync(); err != nil {
		return err
	}
	s.mu.Lock()
	if failures != s.failures { // what it relied on may be gone
		defer s.mu.Unlock()
		return s.failure
	}
	v.about.ID = s.newID()
	s.mu.Unlock()
	text, err := logRecord(versionRecord, v.note())
	if err == nil {
		v.about.StoredBytes = b.chunker.added + int64(len(text)) // which makes the record longer by a byte or two
		text, err = logRecord(versionRecord, v.note())
	}
	if err == nil && b.chunker.most > 0 && b.chunker.added+int64(len(text)) > b.chunker.most {
		err = ErrQuota
	}
	if err == nil {
		err = s.appendLog(text)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remember(v)
	return nil
}

func encodeLeftOut(left []LeftOut) ([]byte, error) {
	escaped := slices.Clone(left)
	for i := range escaped {
		escaped[i].Path = EscapePath(escaped[i].Path)
	}
	slices.SortFunc(escaped, func(a, b LeftOut) int { return strings.Compare(a.Path, b.Path) })
	return json.Marshal(escaped)
}

func decodeLeftOut(text []byte) (left []LeftOut, err error) {
	err = json.Unmarshal(text, &left)
	for i := range left {
		if err == nil {
			left[i].Path, err = UnescapePath(left[i].Path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return left, nil
}
