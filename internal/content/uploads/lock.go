package uploads

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/tus/tusd/v2/pkg/handler"
	"github.com/tus/tusd/v2/pkg/memorylocker"
)

// How often a server asks for the lock that another one has on an upload, and looks whether others ask for its own.
const lockPause = 200 * time.Millisecond

// locks are the locks of uploads: within this server, and between all servers that have their folder.
type locks struct {
	folder string
	here   *memorylocker.MemoryLocker
}

// NewLock implements handler.Locker.
func (l locks) NewLock(id string) (handler.Lock, error) {
	here, err := l.here.NewLock(id)
	return &lock{here: here, path: filepath.Join(l.folder, id+".lock")}, err
}

// lock is the lock of an upload.
type lock struct {
	here handler.Lock
	path string

	file *os.File
	done chan struct{}
	ends sync.WaitGroup
}

// Lock implements handler.Lock. Whoever has it is asked to let go: the rest of a broken connection must not keep out its successor.
func (l *lock) Lock(ctx context.Context, letGo func()) error {
	if err := l.here.Lock(ctx, letGo); err != nil {
		return err
	}
	file, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return errors.Join(err, l.here.Unlock())
	}
	ticks := time.NewTicker(lockPause)
	defer ticks.Stop()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return errors.Join(err, file.Close(), l.here.Unlock())
		}
		_, _ = file.WriteAt([]byte{'1'}, 0) // asks the server that has it
		select {
		case <-ctx.Done():
			return errors.Join(handler.ErrLockTimeout, file.Close(), l.here.Unlock())
		case <-ticks.C:
		}
	}
	_ = file.Truncate(0)
	l.file, l.done = file, make(chan struct{})
	l.ends.Go(func() { l.watch(letGo) })
	return nil
}

// watch calls letGo when another server asks for the lock.
func (l *lock) watch(letGo func()) {
	ticks := time.NewTicker(lockPause)
	defer ticks.Stop()
	for {
		select {
		case <-l.done:
			return
		case <-ticks.C:
			if about, err := l.file.Stat(); err == nil && about.Size() > 0 {
				letGo()
				return
			}
		}
	}
}

// Unlock implements handler.Lock.
func (l *lock) Unlock() error {
	close(l.done)
	l.ends.Wait()
	return errors.Join(l.file.Close(), l.here.Unlock())
}
