package installation

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"

	"github.com/gofrs/flock"
)

// lockTime is how long a server waits for the lock of the data folder. When a server is killed while it starts a child,
// the child holds the lock until the kernel has loaded its program.
const lockTime = 15 * time.Second

// LockData keeps a second server away from the same data folder until unlock is called.
func LockData(ctx context.Context, data string) (unlock func() error, err error) {
	lock := flock.New(filepath.Join(data, lockFile))
	bounded, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	locked, err := lock.TryLockContext(bounded, lockTime/150)
	if err != nil && bounded.Err() == nil {
		return nil, fault.Wrap(err, fault.Invalid, "The data folder %s can't be locked: %s.", data, humanize.Reason(err))
	}
	if !locked {
		return nil, fault.New(fault.Conflict, "Another cairn is already serving from the data folder %s. Stop it, or choose another folder with --data.",
			data)
	}
	return lock.Unlock, nil
}

// IsLocked reports whether a server runs on a data folder.
func IsLocked(data string) bool {
	lock := flock.New(filepath.Join(data, lockFile), flock.SetFlag(os.O_RDONLY)) // not made here, where it could get another owner
	locked, err := lock.TryLock()
	_ = lock.Close()
	return err == nil && !locked
}
