package history

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
)

// Versions says how versions of work are kept.
type Versions struct {
	Dir       string        // a folder of each owner's is made in it; closed to others; default "versions" in Options.Dir
	Every     time.Duration // how old a change may get before it is in a version; default 60 seconds
	Quota     int64         // bytes that the versions of an owner may take; 0: any number
	FileLimit int64         // bytes of a file beyond which it isn't in versions; 0: any number
}

// Options say how versions are kept, and of what. All but the quota and the limit in Versions are required.
type Options struct {
	Versions Versions
	Entries  int           // files, folders and everything else that a version may have
	Interval time.Duration // between two looks at a running session
	Disk     Disk
	Find     func(id string) *Work // returns the work of a session; nil if there is no such session
	All      func() []*Work        // returns the work of all sessions
	Changed  func()                // is called when what a session's status says about its versions has changed
	Closing  context.Context       //nolint:containedctx // ends when the engine is closed
	Logger   *slog.Logger
	Now      func() time.Time
}

// Disk tells how full the disks are.
type Disk interface {
	// IsFull reports whether a disk had less than its reserve when it was last checked.
	IsFull() bool
	// Shortage describes a disk that has less than its reserve now; "" if there is none.
	Shortage() string
}

// Manager keeps the versions of all owners.
type Manager struct {
	options Options
	stores  *stores
	sweeps  chan string // folders of owners, from whose versions something was deleted

	// mu guards the field below.
	mu     sync.Mutex
	limits map[string]int64 // by folder: bytes that the versions of an owner may take, where others have some of the quota
}

// NewManager returns one, which opens stores when they are needed.
func NewManager(options Options) *Manager {
	return &Manager{
		options: options, sweeps: make(chan string, 1000), limits: map[string]int64{},
		stores: &stores{dir: options.Versions.Dir, now: options.Now, open: map[string]*openStore{}},
	}
}

// quota returns how many bytes the versions in a folder may take; 0: any number.
func (m *Manager) quota(folder string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	own, limit := m.options.Versions.Quota, m.limits[folder]
	if own == 0 || limit > 0 && limit < own {
		return limit
	}
	return own
}

// Close closes all stores for good.
func (m *Manager) Close() error { return m.stores.closeUnused(true) }

const (
	lostInterval      = 10 * time.Minute // between looks at sessions whose last version is lacking
	retentionInterval = time.Hour        // between looks at the versions of all owners
)

// retentionLadder are the policies that apply one after the other while an owner's versions take more than they may. The last
// version of each session and those with a name stay in any case.
var retentionLadder = []versions.Policy{
	versions.DefaultPolicy,
	{All: 6 * time.Hour, Hourly: 24 * time.Hour, Daily: 14 * 24 * time.Hour},
	{All: time.Hour, Hourly: 6 * time.Hour, Daily: 3 * 24 * time.Hour},
	{},
}

// Run deletes the versions that no policy keeps, frees what they took, saves what couldn't be saved when it should have been,
// and closes the stores that nobody uses, until the engine is closed.
func (m *Manager) Run() {
	m.saveLost()
	ticks := time.NewTicker(lostInterval)
	defer ticks.Stop()
	var lookedAt time.Time
	for {
		if now := m.options.Now(); lookedAt.IsZero() || now.Sub(lookedAt) >= retentionInterval || now.Before(lookedAt) {
			lookedAt = now
			m.retainAll()
		}
		select {
		case <-m.options.Closing.Done():
			return
		case name := <-m.sweeps:
			m.sweepVersions(name)
		case <-ticks.C:
			m.saveLost()
			if err := m.stores.closeUnused(false); err != nil {
				m.options.Logger.Warn("versions cannot be closed", "error", err)
			}
		}
	}
}

// retainAll applies the policy to the versions of all owners.
func (m *Manager) retainAll() {
	names, err := m.stores.names()
	if err != nil {
		m.options.Logger.Warn("versions cannot be listed", "error", err)
	}
	for _, name := range names {
		if m.options.Closing.Err() != nil {
			return
		}
		store, done, err := m.stores.use(name, false)
		if err != nil {
			m.options.Logger.Warn("versions cannot be opened", "folder", name, "error", err)
			continue
		}
		if _, err := store.Retain(retentionLadder[0]); err != nil {
			m.options.Logger.Warn("old versions cannot be deleted", "folder", name, "error", err)
		}
		if _, err := store.Sweep(m.options.Closing); err != nil && m.options.Closing.Err() == nil {
			m.options.Logger.Warn("what deleted versions took cannot be freed", "folder", name, "error", err)
		}
		m.countVersions(store)
		done()
	}
}

// countVersions notes how many versions each session of an owner has.
func (m *Manager) countVersions(store *versions.Store) {
	for _, line := range store.Lines() {
		if known := m.options.Find(line.Name); known != nil {
			known.mu.Lock()
			known.record.Saved, known.record.SavedAt = line.Versions, line.Last.At
			known.mu.Unlock()
		}
	}
	m.options.Changed()
}

// sweepVersions frees what was deleted from an owner's versions.
func (m *Manager) sweepVersions(name string) {
	store, done, err := m.stores.use(name, false)
	if err == nil {
		_, err = store.Sweep(m.options.Closing)
		done()
	}
	if err != nil && m.options.Closing.Err() == nil {
		m.options.Logger.Warn("what deleted versions took cannot be freed yet; trying again", "folder", name, "error", err)
	}
}

// sweepSoon asks for a sweep; without room for the request, the next look at all owners does it.
func (m *Manager) sweepSoon(name string) {
	select {
	case m.sweeps <- name:
	default:
	}
}

// saveLost makes the last versions of sessions that ended without one: the server was killed, or couldn't save.
func (m *Manager) saveLost() {
	for _, work := range m.options.All() {
		if work.isLost() && !work.session.State().Wanted {
			work.session.Enqueue(func(context.Context) error {
				if work.isLost() && work.SaveStopped(engine.VersionLost) == nil {
					return work.session.Save()
				}
				return nil
			})
		}
	}
}
