package filetree

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strconv"

	"golang.org/x/sys/unix"
)

// Permissions that are needed to look into a folder, and to remove what is in it.
const (
	reading  = 0o500
	removing = 0o700
)

// batchBytes is how much of a folder is read at a time: about 1,000 names.
const batchBytes = 32 << 10

// openTop opens a folder below a root.
func openTop(root *os.Root, name string, permissions uint32) (int, error) {
	parent, err := root.Open(path.Dir(name))
	if err != nil {
		return -1, err
	}
	defer parent.Close()
	folder, err := openFolder(int(parent.Fd()), path.Base(name), permissions)
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return folder, nil
}

// openFolder opens a folder, and fails for a link. A folder of the account that this runs in is first opened up: where
// hostile programs share it, they could otherwise hide files.
func openFolder(parent int, name string, permissions uint32) (int, error) {
	handle, err := openat(parent, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW)
	if err != nil {
		return -1, err
	}
	defer unix.Close(handle)
	var about unix.Stat_t
	if err := unix.Fstat(handle, &about); err != nil {
		return -1, err
	}
	if about.Mode&permissions != permissions && int(about.Uid) == currentAccount() {
		// By this path, because fchmod refuses such a handle, and fchmodat follows links.
		if err := unix.Chmod("/proc/self/fd/"+strconv.Itoa(handle), about.Mode&0o7777|permissions); err != nil {
			return -1, err
		}
	}
	return openat(handle, ".", unix.O_RDONLY|unix.O_DIRECTORY)
}

func openat(parent int, name string, flags int) (int, error) {
	for {
		opened, err := unix.Openat(parent, name, flags|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return opened, err
		}
	}
}

// readNames returns the next names in a folder; none at its end.
func readNames(folder int, buffer []byte) ([]string, error) {
	for {
		count, err := unix.ReadDirent(folder, buffer)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || count == 0 {
			return nil, err
		}
		if _, _, names := unix.ParseDirent(buffer[:count], -1, nil); len(names) > 0 {
			return names, nil
		}
	}
}

// vanished reports whether a name is gone, or now is something else.
func vanished(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}

func closedToUs(err error) bool { return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) }
