package sqldb

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// Condition is what a database is like before a server opens it.
type Condition struct {
	Version int64     // of its tables; 0: there are none yet
	Known   int64     // the newest version that this program can make of them; 0 for a file that doesn't exist yet
	Clock   time.Time // of the system that the database is on; zero for a file
}

// Inspect reports on the database at an address and changes nothing. Its error is the one that Open would return, or ErrAttached
// if Attach would. SQLite's file may be missing, as long as it can be made.
func Inspect(ctx context.Context, address string, alone bool) (Condition, error) {
	var found Condition
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if err := unix.Faccessat(unix.AT_FDCWD, filepath.Dir(path), unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
				return found, openFault(&fs.PathError{Op: "create", Path: path, Err: err})
			}
			return found, nil
		}
	}
	db, err := connect(ctx, address)
	if err != nil {
		return found, err
	}
	defer db.Close()
	if db.dialect.clock != "" {
		var now int64
		if err := db.QueryRowContext(ctx, db.dialect.clock).Scan(&now); err != nil {
			return found, openFault(err)
		}
		found.Clock = Time(now)
	}
	provider, err := db.provider()
	if err != nil {
		return found, err
	}
	sources := provider.ListSources()
	found.Known = sources[len(sources)-1].Version
	versioned := false
	if err := db.QueryRowContext(ctx, db.dialect.versioned).Scan(&versioned); err != nil {
		return found, openFault(err)
	}
	if versioned {
		if found.Version, _, err = provider.GetVersions(ctx); err != nil {
			return found, openFault(err)
		}
	}
	if err := versionFault(found.Version, found.Known); err != nil {
		return found, err
	}
	return found, db.checkOthers(ctx, alone)
}

// checkOthers returns ErrAttached if another server is in the way of this one.
func (db *DB) checkOthers(ctx context.Context, alone bool) error {
	if db.path == "" {
		connection, err := db.lockServers(ctx, alone)
		if err == nil {
			err = connection.Close() // the lock ends with the pool
		}
		return err
	}
	file := flock.New(db.serversFile(), flock.SetFlag(os.O_RDONLY)) // not made here, where it could get another owner
	try := file.TryRLock
	if alone {
		try = file.TryLock
	}
	locked, err := try()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !locked {
		return ErrAttached
	}
	return errors.Join(err, file.Close())
}
