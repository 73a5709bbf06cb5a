package versions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

func (s *storeState) list(ctx context.Context, line string, filter Filter) (versions []Version, total int, err error) {
	s.mu.RLock()
	closed := s.closed
	var all []*version
	if one := s.series[line]; one != nil {
		all = one.versions
	}
	s.mu.RUnlock()
	if closed {
		return nil, 0, ErrClosed
	}
	if filter.Path != "" {
		if all, err = s.history(ctx, all, filter.Path); err != nil {
			return nil, 0, err
		}
	}
	first := min(max(filter.Offset, 0), len(all))
	for count := range min(max(filter.Most, 0), len(all)-first) {
		versions = append(versions, all[len(all)-1-first-count].about)
	}
	return versions, len(all), nil
}

// history returns the versions in which a path isn't what it was in the one before. Versions know the sums of the paths that
// changed in them, so that trees are read for few of them.
func (s *storeState) history(ctx context.Context, all []*version, path string) (found []*version, err error) {
	path = strings.Trim(path, "/")
	sum := pathSum(path)
	var last *node // what it was in the version before; nothing before the first
	for _, v := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.mu.RLock()
		_, may := slices.BinarySearch(v.changed, sum)
		may = may || v.many
		s.mu.RUnlock()
		if !may {
			continue // and it is what it was
		}
		now, err := s.fileAt(v, path)
		if err != nil {
			return nil, err
		}
		if (now == nil) != (last == nil) || now != nil && !now.same(last) {
			found = append(found, v)
		}
		last = now
	}
	return found, nil
}

// fileAt returns a file or link; nil if there is none.
func (s *storeState) fileAt(v *version, path string) (*node, error) {
	found, err := s.lookUp(v, path)
	if errors.Is(err, ErrNotFound) || err == nil && found.kind == Folder {
		return nil, nil
	}
	return found, err
}

// lookUp returns what a path of a version stands for.
func (s *storeState) lookUp(v *version, path string) (*node, error) {
	found := &node{kind: Folder, content: v.content, size: v.size, mode: 0o700, own: true}
	if path == "" {
		return found, nil
	}
	for name := range strings.SplitSeq(path, "/") {
		if found.kind != Folder {
			return nil, fmt.Errorf("%w: %q", ErrNotFound, path)
		}
		folder, err := s.tree(found.content, found.size)
		if err != nil {
			return nil, err
		}
		if found = folder.find(name); found == nil {
			return nil, fmt.Errorf("%w: %q", ErrNotFound, path)
		}
	}
	return found, nil
}

func (s *storeState) at(id, path string) (*node, error) {
	v, err := s.find(id)
	if err != nil {
		return nil, err
	}
	return s.lookUp(v, path)
}
