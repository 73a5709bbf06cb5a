package localjupyter

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter/folders"
	"cairn/internal/versions"
)

// Versions says how versions of work are kept.
type Versions struct {
	Dir       string        // a folder of each owner's is made in it; closed to others; default "versions" in Options.Dir
	Every     time.Duration // how old a change may get before it is in a version; default 60 seconds
	Quota     int64         // bytes that the versions of an owner may take; 0: any number
	FileLimit int64         // bytes of a file beyond which it isn't in versions; 0: any number
}

// histories are the stores of versions, one for each owner. They are opened when they are needed, and closed when they
// haven't been for a while.
type histories struct {
	dir    string
	now    func() time.Time
	mu     sync.Mutex
	open   map[string]*history // by the name of the folder
	closed bool
}

type history struct {
	store  *versions.Store
	err    error
	ready  chan struct{} // closed when it is open, or couldn't be opened
	users  int
	usedAt time.Time
}

// historyPause is how long an unused store stays open.
const historyPause = 10 * time.Minute

// historyName is the name of the folder of an owner: addresses of people aren't names of folders.
func historyName(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(sum[:16])
}

// use opens a store, and makes it if asked to; done must be called. fs.ErrNotExist if there is none.
func (h *histories) use(name string, create bool) (store *versions.Store, done func(), err error) {
	folder := filepath.Join(h.dir, name)
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil, nil, errClosed
	}
	found := h.open[name]
	if found == nil {
		if !create {
			if _, err := os.Lstat(folder); err != nil {
				h.mu.Unlock()
				return nil, nil, err
			}
		}
		found = &history{ready: make(chan struct{})}
		h.open[name] = found
		found.users++
		h.mu.Unlock()
		if err = folders.Make(h.dir, folders.Private); err == nil {
			found.store, err = versions.Open(folder, versions.Options{Now: h.now})
		}
		h.mu.Lock()
		if found.err = err; err != nil {
			delete(h.open, name)
		}
		close(found.ready)
	} else {
		found.users++
		h.mu.Unlock()
		<-found.ready
		h.mu.Lock()
	}
	defer h.mu.Unlock()
	if found.err != nil {
		return nil, nil, found.err
	}
	var once sync.Once
	return found.store, func() {
		once.Do(func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			found.users--
			found.usedAt = h.now()
		})
	}, nil
}

// closeUnused closes the stores that nobody used for a while; all: every store, for good.
func (h *histories) closeUnused(all bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = h.closed || all
	var failed error
	for name, found := range h.open {
		if found.store == nil || !all && (found.users > 0 || h.now().Sub(found.usedAt) < historyPause) {
			continue
		}
		delete(h.open, name)
		failed = errors.Join(failed, found.store.Close())
	}
	return failed
}

// names are the folders of all owners.
func (h *histories) names() ([]string, error) {
	entries, err := os.ReadDir(h.dir)
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

// history opens the versions of a session's owner; NotFound if there are none.
func (s *session) history() (store *versions.Store, done func(), err error) {
	s.mu.Lock()
	name := s.historyName()
	s.mu.Unlock()
	if name == "" {
		return nil, nil, errNoVersion
	}
	store, done, err = s.engine.histories.use(name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errNoVersion
	}
	if err != nil {
		return nil, nil, readingFault(err)
	}
	return store, done, nil
}

// historyName requires the lock. It stays the same when the owner's address changes; "" without an owner.
func (s *session) historyName() string {
	if s.record.Spec.Batch != nil {
		return ""
	}
	if s.record.History == "" && s.record.Spec.Owner != "" {
		s.record.History = historyName(s.record.Spec.Owner)
	}
	return s.record.History
}

var errNoVersion = fault.New(fault.NotFound, "The session has no such version. It may have been deleted since.")

// readingFault says why versions can't be read.
func readingFault(err error) error {
	if _, told := errors.AsType[*fault.Fault](err); told || err == nil {
		return err
	}
	switch {
	case errors.Is(err, versions.ErrNotFound):
		return errNoVersion
	case errors.Is(err, versions.ErrClosed):
		return errClosed
	case errors.Is(err, versions.ErrInUse):
		return fault.Wrap(err, fault.Unavailable, "The saved versions are in use by another program. Try again in a while.")
	case errors.Is(err, versions.ErrDamaged):
		return fault.Wrap(err, fault.Unavailable, "A part of the saved versions is damaged. Others may be whole. Tell the operators.")
	case errors.Is(err, context.Canceled):
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "The saved versions can't be read now. Try again in a while, or tell the operators.")
}

// stoppedSaving says why no version can be made, and what to do.
func (e *Engine) stoppedSaving(err error) string {
	const kept = " What was saved before is kept."
	switch {
	case errors.Is(err, versions.ErrQuota):
		return "Saving stopped: your versions take " + engine.Size(e.options.Versions.Quota) + ", as much as they may." + kept +
			" Delete sessions or versions that you no longer need."
	case errors.Is(err, versions.ErrFull), folders.IsFull(err):
		return "Saving stopped: this server's disk is full." + kept + " Tell the operators."
	case errors.Is(err, errReserve):
		return "Saving stopped: this server's disk is nearly full." + kept + " Saving goes on when there's room. Tell the operators."
	case errors.Is(err, versions.ErrReadOnly):
		return "Saving stopped: this server's disk can't be written." + kept + " Tell the operators."
	case errors.Is(err, versions.ErrInUse):
		return "Saving stopped: another program uses the versions." + kept + " Tell the operators."
	case errors.Is(err, versions.ErrDamaged):
		return "Saving stopped: a part of the versions is damaged. Others may be whole. Tell the operators."
	}
	return "Saving stopped because of a fault on this server." + kept + " The operators can find it in their log."
}

var errReserve = errors.New("the disk has less than its reserve")
