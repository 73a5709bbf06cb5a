package datasets

import (
	"time"

	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/machine/sandbox"
)

// Options say where datasets come from and who reads them. All but Web and Lacks are required.
type Options struct {
	Folder     string           // of the cache of datasets from elsewhere
	CacheBytes int64            // that the cache may take
	MostBytes  int64            // that one dataset may take; 0: as much as the cache
	Web        *safehttp.Client // by which datasets are fetched; nil: none are
	Stall      time.Duration    // a transfer that brings nothing for longer is given up
	Level      sandbox.Level    // of sessions' isolation, which says how they read datasets
	Now        func() time.Time
	Lacks      func() bool // whether the disk has less than its reserve; nil: never
}

// Session is the session that datasets are put into.
type Session interface {
	// Pin keeps an entry in the cache as long as the session lives.
	Pin(key string)
	// Log adds a line to the session's log.
	Log(line string)
}

// Store keeps the datasets that sessions share, and puts them into sessions.
type Store struct {
	options Options
	cache   *cache.Cache
}

// Open opens the cache, and makes its folder if there is none.
func Open(options Options) (*Store, error) {
	opened, err := cache.Open(options.Folder, options.CacheBytes, false)
	return &Store{options, opened}, err
}

// Evict makes room in the cache. inUse reports whether a live session uses an entry, and lacking whether the disk needs room.
func (s *Store) Evict(inUse func(key string) bool, lacking func() bool) error {
	return s.cache.Evict(inUse, lacking)
}

// MissingError is the failure of a launch because of missing datasets. The launch can be tried without them.
type MissingError struct {
	error

	IDs []string
}

// Missing returns the failure of a launch that lacks one dataset, for this reason.
func Missing(reason error, id string) error { return &MissingError{reason, []string{id}} }

// Unwrap returns why they are missing.
func (m *MissingError) Unwrap() error { return m.error }
