package checkout

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// Options say which git copies repositories, and what it reaches. All but Web are required.
type Options struct {
	Folder     string           // of the bare clones
	CacheBytes int64            // that the bare clones may take
	Scratch    string           // a folder whose subfolders with folders.RemovedPrefix are deleted after a crash
	Git        string           // absolute path of the program
	GitConfig  string           // absolute path of git's only configuration
	Account    int              // that owns the bare clones and runs git on them; 0: this server's own
	DiskLimit  int64            // bytes that the answer about a commit, and the files behind it, may take
	Deadline   time.Duration    // after which a launch without progress fails
	Web        *safehttp.Client // by which git reaches hosts; nil: it reaches none
	Sandbox    *sandbox.Sandbox // in which git runs
	RunAlone   Runner           // runs git for no session
	Logger     *slog.Logger
}

// Runner runs a command in a box to its end, and passes its output to read.
type Runner func(ctx context.Context, box sandbox.Box, read func(io.Reader) error) error

// Session is the session that a repository is copied into.
type Session interface {
	// Run runs a command in a box of the session to its end, and passes its output to read. If the context ends first, all of
	// the session is killed.
	Run(ctx context.Context, box sandbox.Box, read func(io.Reader) error) error
	// Log adds a line to the session's log.
	Log(line string)
	// Pin keeps an entry in the cache as long as the session lives, or until Unpin.
	Pin(key string)
	Unpin(key string)
	// DiskLimit returns how many bytes the session's files may take.
	DiskLimit() int64
	// RecordCommit records durably which commit was checked out, and its time according to itself.
	RecordCommit(commit string, at time.Time) error
}

// Repositories keeps bare clones of repositories, which sessions clone from.
type Repositories struct {
	options Options
	cache   *cache.Cache
}

// Open opens the cache, and makes its folder if there is none.
func Open(options Options) (*Repositories, error) {
	opened, err := cache.Open(options.Folder, options.CacheBytes, true)
	return &Repositories{options, opened}, err
}

// Evict makes room in the cache. inUse reports whether a live session uses an entry, and lacking whether the disk needs room.
func (r *Repositories) Evict(inUse func(key string) bool, lacking func() bool) error {
	return r.cache.Evict(inUse, lacking)
}

// inside returns the path by which a command in its box finds a path of the machine.
func (r *Repositories) inside(path, name string) string {
	return folders.Inside(r.options.Sandbox.Level(), path, name)
}

// checkLocal returns an error if a repository of this server is no longer there.
func checkLocal(repository engine.Repository) error {
	if repository.LocalPath == "" {
		return nil
	}
	if _, err := os.Stat(repository.LocalPath); err != nil {
		return diagnosis.With(fault.Wrap(err, fault.Unavailable, "The repository is no longer on this server."), diagnosis.CloneRefused)
	}
	return nil
}

// checkout is one checkout, for one session.
type checkout struct {
	*Repositories

	session Session
}

// insteadOf returns the variables that make git use a source on this machine in place of an address.
func insteadOf(address, source string) []string {
	return []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url." + source + ".insteadOf", "GIT_CONFIG_VALUE_0=" + address}
}
