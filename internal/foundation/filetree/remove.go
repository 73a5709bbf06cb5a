package filetree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strconv"

	"golang.org/x/sys/unix"
)

// Remove deletes whatever has this name below a root, a folder with all that is in it; nil if there is nothing. Folders
// in folders are moved up to the topmost one before they are emptied, so three descriptors do at any depth. Folders of
// the account that it runs in are opened up (u+rwx). When it fails, the rest stays for another try.
func Remove(ctx context.Context, root *os.Root, name string) error {
	parent, err := root.Open(path.Dir(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer parent.Close()
	err = removeEntry(int(parent.Fd()), path.Base(name))
	if !notEmpty(err) {
		return pathError(name, err)
	}
	if err := emptyTop(ctx, root, name); err != nil {
		return pathError(name, err)
	}
	return pathError(name, removeEntry(int(parent.Fd()), path.Base(name)))
}

// Empty deletes everything in a folder as Remove does.
func Empty(ctx context.Context, root *os.Root) error { return pathError(".", emptyTop(ctx, root, ".")) }

func emptyTop(ctx context.Context, root *os.Root, name string) error {
	top, err := openTop(root, name, removing)
	if err != nil {
		return err
	}
	defer unix.Close(top)
	r := &removal{ctx: ctx, top: top, buffer: make([]byte, batchBytes)}
	return r.empty(top, r.flatten)
}

func pathError(name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "remove", Path: name, Err: err}
}

// removal is a removal under way.
type removal struct {
	ctx    context.Context //nolint:containedctx // of one removal
	top    int             // descriptor of the topmost folder
	buffer []byte
	done   int // entries removed or moved
	moved  int // the last number that a moved folder has as its name
}

// errNoRoom means that the topmost folder takes no more folders until some are gone from it.
var errNoRoom = errors.New("the topmost folder takes no more folders")

// empty removes everything in a folder, and calls nested for each folder in it that isn't empty. Removing while reading
// makes some file systems skip names, so it reads again until there are none.
func (r *removal) empty(folder int, nested func(parent int, name string) error) error {
	for {
		before := r.done
		found, err := r.pass(folder, nested)
		if !found || r.done == before || r.ctx.Err() != nil || errors.Is(err, errNoRoom) {
			return err
		}
	}
}

// pass reads a folder once and removes what it can. The error is the last one.
func (r *removal) pass(folder int, nested func(parent int, name string) error) (found bool, last error) {
	if _, err := unix.Seek(folder, 0, unix.SEEK_SET); err != nil {
		return false, err
	}
	for before := r.done; ; {
		names, err := readNames(folder, r.buffer)
		if err != nil {
			return found, err
		}
		if len(names) == 0 {
			return found, last
		}
		found = true
		for _, name := range names {
			if err := r.ctx.Err(); err != nil {
				return found, err
			}
			err := removeEntry(folder, name)
			if notEmpty(err) {
				err = nested(folder, name)
			} else if err == nil {
				r.done++
			}
			if errors.Is(err, errNoRoom) && r.done > before {
				return found, err // there will be room
			}
			if err != nil {
				last = err
			}
		}
	}
}

// flatten empties a folder in the topmost one by moving the folders in it beside it, and removes it.
func (r *removal) flatten(parent int, name string) error {
	folder, err := openFolder(parent, name, removing)
	if err != nil {
		return err
	}
	defer unix.Close(folder)
	before := r.done
	err = r.empty(folder, r.moveUp)
	if errors.Is(err, errNoRoom) && r.done > before {
		return nil // the topmost folder is read again
	}
	if err == nil {
		err = removeEntry(parent, name)
	}
	if err == nil {
		r.done++
	}
	return err
}

// moveUp moves a folder into the topmost one.
func (r *removal) moveUp(parent int, name string) error {
	folder, err := openFolder(parent, name, removing) // its own permissions have to allow it, because its ".." changes
	if err != nil {
		return err
	}
	_ = unix.Close(folder)
	for {
		r.moved++
		err := unix.Renameat(parent, name, r.top, "."+strconv.Itoa(r.moved))
		switch {
		case err == nil:
			r.done++
			return nil
		case notEmpty(err), errors.Is(err, unix.ENOTDIR): // the name is taken
		case errors.Is(err, unix.EMLINK), errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
			return errNoRoom
		default:
			return err
		}
	}
}

// removeEntry removes a file or an empty folder; nil if it is gone.
func removeEntry(parent int, name string) error {
	err := unix.Unlinkat(parent, name, 0)
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) {
		if asFolder := unix.Unlinkat(parent, name, unix.AT_REMOVEDIR); !errors.Is(asFolder, unix.ENOTDIR) {
			err = asFolder
		}
	}
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

func notEmpty(err error) bool { return errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) }
