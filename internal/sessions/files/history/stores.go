package history

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
)

// stores are the stores of versions, one for each owner. They are opened when they are needed, and closed when they
// haven't been for a while.
type stores struct {
	dir string
	now func() time.Time

	// mu guards the fields below, and those of the stores.
	mu     sync.Mutex
	open   map[string]*openStore // by the name of the folder
	closed bool
}

// openStore is a store that is open or being opened.
type openStore struct {
	store  *versions.Store
	err    error
	ready  chan struct{} // closed when it is open, or couldn't be opened
	users  int
	usedAt time.Time
}

// unusedTime is how long an unused store stays open.
const unusedTime = 10 * time.Minute

// folderOf returns the name of an owner's folder: addresses of people aren't names of folders.
func folderOf(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(sum[:16])
}

// use opens a store, and makes it if asked to; done must be called. fs.ErrNotExist if there is none.
func (s *stores) use(name string, create bool) (store *versions.Store, done func(), err error) {
	folder := filepath.Join(s.dir, name)
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, nil, engine.ErrClosing
	}
	found := s.open[name]
	if found == nil {
		if !create {
			if _, err := os.Lstat(folder); err != nil {
				s.mu.Unlock()
				return nil, nil, err
			}
		}
		found = &openStore{ready: make(chan struct{})}
		s.open[name] = found
		found.users++
		s.mu.Unlock()
		if err = folders.Make(s.dir, folders.Private); err == nil {
			found.store, err = versions.Open(folder, versions.Options{Now: s.now})
		}
		s.mu.Lock()
		if found.err = err; err != nil {
			delete(s.open, name)
		}
		close(found.ready)
	} else {
		found.users++
		s.mu.Unlock()
		<-found.ready
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	if found.err != nil {
		return nil, nil, found.err
	}
	var once sync.Once
	return found.store, func() {
		once.Do(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			found.users--
			found.usedAt = s.now()
		})
	}, nil
}

// closeUnused closes the stores that nobody used for a while; all: every store, for good.
func (s *stores) closeUnused(all bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = s.closed || all
	var failed error
	for name, found := range s.open {
		if found.store == nil || !all && (found.users > 0 || s.now().Sub(found.usedAt) < unusedTime) {
			continue
		}
		delete(s.open, name)
		failed = errors.Join(failed, found.store.Close())
	}
	return failed
}

// names returns the names of the folders of all owners.
func (s *stores) names() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names, err
}
