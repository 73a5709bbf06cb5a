package versions

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/gofrs/flock"
)

// file is an open file of a store.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer

	Sync() error
	Truncate(length int64) error
}

// disk is the folder of a store. Tests record what is done to it, and stop at any point.
type disk interface {
	Names() ([]string, error)
	Open(name string) (opened file, length int64, err error)
	Create(name string) (file, error) // empties what is there
	Rename(from, to string) error
	Remove(name string) error // nil if it is gone
	Sync() error              // of the names
	Close() error
}

// folderDisk is a folder of the operating system, locked against other processes.
type folderDisk struct {
	folder string
	lock   *flock.Flock
}

const lockName = "lock"

func openDisk(folder string) (*folderDisk, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, explain(err)
	}
	d := &folderDisk{folder, flock.New(filepath.Join(folder, lockName), flock.SetPermissions(0o600))}
	got, err := d.lock.TryLock()
	if err == nil && !got {
		err = ErrInUse
	}
	if err != nil {
		return nil, explain(err)
	}
	return d, nil
}

// withOurRights runs work in a goroutine of its own: the caller's may have the rights of another account (filetree.As). Only
// opening, naming and removing need it; an open file can be read and written in any case.
func withOurRights[T any](work func() (T, error)) (result T, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, err = work()
	}()
	<-done
	return result, err
}

func (d *folderDisk) path(name string) string { return filepath.Join(d.folder, name) }

// Names implements disk.
func (d *folderDisk) Names() ([]string, error) {
	return withOurRights(func() ([]string, error) {
		entries, err := os.ReadDir(d.folder)
		var names []string
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names, err
	})
}

// Open implements disk.
func (d *folderDisk) Open(name string) (opened file, length int64, err error) {
	opened, err = withOurRights(func() (file, error) {
		found, err := openToWrite(d.path(name))
		readOnly := errors.Is(err, syscall.EROFS)
		if readOnly {
			found, err = os.OpenFile(d.path(name), os.O_RDONLY|syscall.O_NOFOLLOW, 0)
		}
		if err != nil {
			return nil, err
		}
		about, err := found.Stat()
		if err != nil {
			return nil, errors.Join(err, found.Close())
		}
		length = about.Size()
		if readOnly {
			return &readOnlyFile{File: found, path: d.path(name)}, nil
		}
		return found, nil
	})
	return opened, length, err
}

func openToWrite(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
}

// readOnlyFile is a file of a disk that couldn't be written when it was opened. Writing tries to open it again.
type readOnlyFile struct {
	*os.File

	path     string
	mu       sync.Mutex
	writable *os.File // nil until the disk can be written
}

func (f *readOnlyFile) toWrite() (*os.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.writable != nil {
		return f.writable, nil
	}
	opened, err := withOurRights(func() (*os.File, error) { return openToWrite(f.path) })
	if err != nil {
		return nil, err
	}
	f.writable = opened
	return opened, nil
}

// WriteAt implements file.
func (f *readOnlyFile) WriteAt(part []byte, at int64) (int, error) {
	opened, err := f.toWrite()
	if err != nil {
		return 0, err
	}
	return opened.WriteAt(part, at)
}

// Truncate implements file.
func (f *readOnlyFile) Truncate(length int64) error {
	opened, err := f.toWrite()
	if err != nil {
		return err
	}
	return opened.Truncate(length)
}

// Close implements file.
func (f *readOnlyFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.File.Close()
	if f.writable != nil {
		err = errors.Join(err, f.writable.Close())
	}
	return err
}

// Create implements disk.
func (d *folderDisk) Create(name string) (file, error) {
	return withOurRights(func() (file, error) {
		created, err := os.OpenFile(d.path(name), os.O_RDWR|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, err
		}
		return created, nil
	})
}

// Rename implements disk.
func (d *folderDisk) Rename(from, to string) error {
	_, err := withOurRights(func() (any, error) { return nil, os.Rename(d.path(from), d.path(to)) })
	return err
}

// Remove implements disk.
func (d *folderDisk) Remove(name string) error {
	_, err := withOurRights(func() (any, error) { return nil, os.Remove(d.path(name)) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Sync implements disk.
func (d *folderDisk) Sync() error {
	_, err := withOurRights(func() (any, error) {
		folder, err := os.Open(d.folder)
		if err != nil {
			return nil, err
		}
		return nil, errors.Join(folder.Sync(), folder.Close())
	})
	return err
}

// Close implements disk.
func (d *folderDisk) Close() error { return d.lock.Close() }

// explained is an error of the system with what it means here.
type explained struct{ said, means error }

// Error implements error.
func (e explained) Error() string { return e.means.Error() + ": " + e.said.Error() }

// Unwrap is for errors.Is.
func (e explained) Unwrap() []error { return []error{e.means, e.said} }

// explain adds what an error of the system means.
func explain(err error) error {
	if errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly) {
		return err
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return explained{err, ErrFull}
	case errors.Is(err, syscall.EROFS):
		return explained{err, ErrReadOnly}
	}
	return err
}
