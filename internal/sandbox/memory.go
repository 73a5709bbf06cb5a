package sandbox

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// MountMemory covers a folder of this machine with an empty file system in memory that belongs to an account alone. It
// needs the rights of root, and holds at most so many bytes and files; what is in it counts as memory of the box that
// writes it.
func MountMemory(folder string, account int, bytes int64, files int) error {
	options := fmt.Sprintf("size=%d,nr_inodes=%d,mode=0700,uid=%d,gid=%d", bytes, files, account, account)
	return unix.Mount("tmpfs", folder, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, options)
}

// Unmount takes everything away that is mounted at a path; nil if nothing is, or there is no such path. Without the
// rights of root, nothing was mounted.
func Unmount(path string) error {
	for {
		err := unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
		switch {
		case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT), errors.Is(err, unix.EPERM):
			return nil
		case err != nil:
			return fmt.Errorf("%s can't be unmounted: %w", path, err)
		}
	}
}
