package folders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/unpack"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/sandbox"
)

// The folders of a session.
const (
	Work      = "work"
	Home      = "home"
	Datasets  = "datasets"
	Clone     = "clone"
	Source    = "source"   // without bubblewrap
	Secluded  = "secluded" // of this server's account alone, for as long as a private repository is copied
	Temporary = "tmp"      // without bubblewrap
)

// RemovedPrefix begins the names of folders that wait to be deleted. What a crash leaves of them is deleted at the next start.
const RemovedPrefix = ".removed-"

// RemovalTime is how long one attempt to delete files may take.
const RemovalTime = 10 * time.Minute

// Permissions of our folders. The accounts of sessions pass through the passable ones to deeper folders.
const (
	Private  = os.FileMode(0o700)
	Passable = os.FileMode(0o711)
)

// Make creates a folder of ours.
func Make(folder string, mode os.FileMode) error {
	if err := os.MkdirAll(folder, mode); err != nil {
		return fmt.Errorf("the folder %s cannot be made: %w", folder, err)
	}
	if err := CheckOurs(folder); err != nil {
		return err
	}
	if about, err := os.Lstat(folder); err == nil && about.Mode().Perm() == mode {
		return nil // its disk may be one that can't be written
	}
	return os.Chmod(folder, mode)
}

// CheckOurs returns an error unless a path is a folder of this server's own account.
func CheckOurs(folder string) error {
	about, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	if stat, known := about.Sys().(*syscall.Stat_t); !about.IsDir() || !known || int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("the folder %s must be a folder of this server's own account", folder)
	}
	return nil
}

// Own creates a folder that belongs only to an account, 0 being our own.
func Own(root *os.Root, name string, userID int) error {
	if err := root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	about, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !about.IsDir() {
		return fmt.Errorf("%s is no folder", name)
	}
	if userID == 0 {
		return nil
	}
	return root.Lchown(name, userID, userID)
}

// OwnTree hands over a folder and everything below it to an account, 0 being our own; it changes links themselves,
// never their targets.
func OwnTree(ctx context.Context, root *os.Root, name string, userID int) error {
	user, group := Owners(userID)
	err := filetree.Walk(ctx, root, name, filetree.Limits{}, func(entry *filetree.Entry) error { return entry.Chown(user, group) })
	return errors.Join(err, root.Lchown(name, user, group))
}

// Owners returns the user and the group of what an account owns, 0 being our own, whose group may have another number.
func Owners(userID int) (user, group int) {
	if userID == 0 {
		return os.Geteuid(), os.Getegid()
	}
	return userID, userID
}

// Share creates a folder of ours that sessions read, with its parents, if it doesn't exist.
func Share(root *os.Root, name string) error { return unpack.MakeFolder(root, name) }

// MakeData makes sure that the folder of datasets in the work folder is a real folder. Anything else that a user put there is kept
// beside it.
func MakeData(root *os.Root, now time.Time) error {
	name := path.Join(Work, engine.DataFolder)
	about, err := root.Lstat(name)
	if err == nil && about.IsDir() {
		return nil
	}
	if err == nil {
		err = root.Rename(name, fmt.Sprintf("%s.replaced-%d", name, now.Unix()))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return Share(root, name)
}

// Remove deletes a folder and never follows a link.
func Remove(root *os.Root, name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), RemovalTime)
	defer cancel()
	return filetree.Remove(ctx, root, name)
}

// CopyTree copies a file or a folder, without its links, to a new place, and removes the write permission from
// everything but the topmost folder, which otherwise couldn't be moved.
func CopyTree(ctx context.Context, from string, root *os.Root, to string) error {
	about, err := os.Stat(from)
	if err != nil {
		return err
	}
	if !about.IsDir() {
		return copyFile(ctx, func() (*os.File, error) { return os.Open(from) }, root, to)
	}
	source, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer source.Close()
	if err := root.Mkdir(to, 0o755); err != nil {
		return err
	}
	var folders []string
	err = filetree.Walk(ctx, source, ".", filetree.Limits{}, func(entry *filetree.Entry) error {
		target := path.Join(to, entry.Path())
		if entry.IsFolder() {
			folders = append(folders, target)
			return root.Mkdir(target, 0o755)
		}
		if !entry.IsFile() {
			return nil
		}
		return copyFile(ctx, entry.Open, root, target)
	})
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if err := root.Chmod(folder, 0o555); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(ctx context.Context, open func() (*os.File, error), root *os.Root, to string) error {
	source, err := open()
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, filetree.Reader(ctx, source))
	return errors.Join(err, target.Chmod(0o444), target.Close())
}

// Exists reports whether anything has this name. It doesn't follow links.
func Exists(root *os.Root, name string) (bool, error) {
	_, err := root.Lstat(name)
	if err == nil {
		return true, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return false, err
}

// LeastFile is the minimum in bytes that a file or a folder counts: an empty one takes room in the tables of the file system.
const LeastFile = unpack.LeastFile

// DiskUse returns how many bytes a folder takes on the disk.
func DiskUse(folder string) (total int64, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	err = filetree.Walk(context.Background(), root, ".", filetree.Limits{}, func(entry *filetree.Entry) error {
		total += max(entry.Stat.Blocks*512, LeastFile)
		return nil
	})
	return total, err
}

// DiskFull is what a launch says that fails because of a full disk.
const DiskFull = "This server's disk is full, so the session couldn't be started. Tell the operators."

// IsFull reports whether an error is that of a full disk or an exhausted quota.
func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// IsReadOnly reports whether an error is that of a disk that can't be written.
func IsReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// Inside returns the path by which a command in its box finds a path of the machine, which is mounted there under the name.
func Inside(level sandbox.Level, path, name string) string {
	if level.Mounts() {
		return "/session/" + name
	}
	return path
}
