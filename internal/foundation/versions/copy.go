package versions

import (
	"context"
	"errors"
	"fmt"
	"io"

	"cairn/internal/foundation/filetree"
)

// copied is a file to copy: what comes after the length belongs to later versions.
type copied struct {
	name   string
	length int64
}

func (s *storeState) copyTo(ctx context.Context, folder string) error {
	release, err := s.hold()
	if err != nil {
		return err
	}
	defer release()
	files := s.complete()
	to, err := openDisk(folder)
	if err != nil {
		return err
	}
	if names, err := to.Names(); err != nil || len(names) > 1 { // its lock
		return errors.Join(fmt.Errorf("%w: %s isn't empty", ErrExists, folder), err, to.Close())
	}
	for _, one := range files {
		if err = s.copyFile(ctx, to, one); err != nil {
			break
		}
	}
	if err == nil {
		err = to.Sync()
	}
	return explain(errors.Join(err, to.Close()))
}

// hold keeps Sweep away until release, but no Save.
func (s *storeState) hold() (release func(), err error) {
	s.saving.RLock() // waits for a Sweep under way
	defer s.saving.RUnlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	s.holds++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.holds--
	}, nil
}

// complete returns what versions need at this moment. Files are appended to, so their length is enough to know.
func (s *storeState) complete() (files []copied) {
	s.committing.Lock()
	defer s.committing.Unlock()
	s.mu.RLock()
	defer s.mu.RUnlock()
	for number, one := range s.packs {
		if one.synced > 0 {
			files = append(files, copied{packName(number), one.synced})
		}
		if one.indexBytes > 0 {
			files = append(files, copied{indexName(number), one.indexBytes})
		}
	}
	return append(files, copied{logName, s.logLength})
}

func (s *storeState) copyFile(ctx context.Context, to disk, one copied) error {
	from, _, err := s.disk.Open(one.name)
	if err != nil {
		return err
	}
	defer from.Close()
	created, err := to.Create(one.name)
	if err != nil {
		return err
	}
	count, err := io.Copy(io.NewOffsetWriter(created, 0), filetree.Reader(ctx, io.NewSectionReader(from, 0, one.length)))
	if err == nil && count < one.length {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		err = created.Sync()
	}
	return errors.Join(err, created.Close())
}
