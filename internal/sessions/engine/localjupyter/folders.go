package localjupyter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"cairn/internal/filetree"
	"cairn/internal/sessions/engine"
)

// The folders of a session.
const (
	workName      = "work"
	homeName      = "home"
	datasetsName  = "datasets"
	cloneName     = "clone"
	sourceName    = "source" // without bubblewrap
	temporaryName = "tmp"    // without bubblewrap
	logName       = "session.log"
	exitName      = "exit.json"
)

// Permissions of our folders. The accounts of sessions pass through the passable ones to deeper folders.
const (
	private  = os.FileMode(0o700)
	passable = os.FileMode(0o711)
)

// makeFolder creates a folder of ours.
func makeFolder(folder string, mode os.FileMode) error {
	if err := os.MkdirAll(folder, mode); err != nil {
		return fmt.Errorf("the folder %s cannot be made: %w", folder, err)
	}
	if err := isOurs(folder); err != nil {
		return err
	}
	if about, err := os.Lstat(folder); err == nil && about.Mode().Perm() == mode {
		return nil // its disk may be one that can't be written
	}
	return os.Chmod(folder, mode)
}

// isOurs returns an error unless a path is a folder of this server's own account.
func isOurs(folder string) error {
	about, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	if stat, known := about.Sys().(*syscall.Stat_t); !about.IsDir() || !known || int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("the folder %s must be a folder of this server's own account", folder)
	}
	return nil
}

// ownFolder creates a folder that belongs only to an account, 0 being our own.
func ownFolder(root *os.Root, name string, userID int) error {
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

// ownTree hands over a folder and everything below it to an account, 0 being our own; it changes links themselves,
// never their targets.
func ownTree(ctx context.Context, root *os.Root, name string, userID int) error {
	user, group := owners(userID)
	err := filetree.Walk(ctx, root, name, filetree.Limits{}, func(entry *filetree.Entry) error { return entry.Chown(user, group) })
	return errors.Join(err, root.Lchown(name, user, group))
}

// owners are the user and the group of what an account owns, 0 being our own, whose group may have another number.
func owners(userID int) (user, group int) {
	if userID == 0 {
		return os.Geteuid(), os.Getegid()
	}
	return userID, userID
}

// dataFolder makes sure that work/data is a real folder. Anything else that a user put there is kept beside it.
func dataFolder(root *os.Root, stamp int64) error {
	name := path.Join(workName, engine.DataFolder)
	about, err := root.Lstat(name)
	if err == nil && about.IsDir() {
		return nil
	}
	if err == nil {
		err = root.Rename(name, fmt.Sprintf("%s.replaced-%d", name, stamp))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return sharedFolder(root, name)
}

// sharedFolder creates a folder of ours that sessions read, with its parents, if it doesn't exist.
func sharedFolder(root *os.Root, name string) error {
	if name == "." {
		return nil
	}
	err := root.Mkdir(name, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err = sharedFolder(root, path.Dir(name)); err == nil {
			err = root.Mkdir(name, 0o700)
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return root.Chmod(name, 0o755)
}

// removeTree deletes a folder and never follows a link.
func removeTree(root *os.Root, name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), removalTime)
	defer cancel()
	return filetree.Remove(ctx, root, name)
}

// copyTree copies a file or a folder, without its links, to a new place, and removes the write permission from
// everything but the topmost folder, which otherwise couldn't be moved.
func copyTree(ctx context.Context, from string, root *os.Root, to string) error {
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
