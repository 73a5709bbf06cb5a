package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

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

// Memory is what a box's control groups say about its memory, in bytes; zero where they don't say it.
type Memory struct {
	Used  int64 // without copies of files, which the kernel drops when it needs the room
	Peak  int64 // the most ever, copies of files included
	Kills int64 // how many processes the kernel ended because there was no more
}

// MemoryOf reads the control groups of a box; the zero Memory without any.
func MemoryOf(groups []string) Memory {
	for _, folder := range groups {
		// Versions 2 and 1: the memory in use, tables with the copies of files and the ended processes, and the peak, which
		// version 2 has since Linux 5.19.
		for _, names := range [][]string{
			{"memory.current", "memory.stat", "inactive_file", "memory.events", "memory.peak"},
			{"memory.usage_in_bytes", "memory.stat", "total_inactive_file", "memory.oom_control", "memory.max_usage_in_bytes"},
		} {
			used, err := os.ReadFile(filepath.Join(folder, names[0]))
			if err != nil {
				continue
			}
			peak, _ := os.ReadFile(filepath.Join(folder, names[4]))
			return Memory{
				Used:  max(0, number(used)-line(filepath.Join(folder, names[1]), names[2])),
				Peak:  number(peak),
				Kills: line(filepath.Join(folder, names[3]), "oom_kill"),
			}
		}
	}
	return Memory{}
}

// line returns the number behind a name in one of the kernel's tables; 0 if there is none.
func line(table, name string) int64 {
	content, _ := os.ReadFile(table)
	for text := range bytes.Lines(content) {
		if value, found := bytes.CutPrefix(text, []byte(name+" ")); found {
			return number(value)
		}
	}
	return 0
}

func number(text []byte) int64 {
	value, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return value
}
