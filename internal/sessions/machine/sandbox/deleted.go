package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrTooManyHandles means that processes have more files open or mapped than are looked at.
var ErrTooManyHandles = errors.New("too many files are open or mapped")

// maxHandles is how many open files and mappings of a box are looked at.
const maxHandles = 500_000

// DeletedFiles returns the bytes on disks, and the number, of the files that no folder has any more but processes of a box
// keep, because they are open or mapped. Files in memory don't count, unless they lie on the file system of one of the
// folders. Control groups, if there are any, are those of the box alone.
//
// It doesn't find files that are under way through a socket, and without the rights of root those of processes that
// hide themselves (PR_SET_DUMPABLE); of files that are only mapped, what is mapped counts then.
func (s *Sandbox) DeletedFiles(ctx context.Context, box Record, groups []string, folders ...string) (used int64, count int, err error) {
	found := deletedFiles{account: box.Account, onDisk: map[uint64]bool{}, bytes: map[inode]int64{}}
	for _, folder := range folders {
		var about unix.Stat_t
		if unix.Stat(folder, &about) == nil {
			found.onDisk[about.Dev] = true
		}
	}
	processes, err := s.processes(box, groups)
	if err != nil {
		return 0, 0, err
	}
	for _, process := range processes {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		if err := found.of(process); err != nil {
			return 0, 0, err
		}
	}
	for file, bytes := range found.bytes {
		whole := inode{device: file.device, number: file.number}
		if _, open := found.bytes[whole]; file == whole || !open {
			used += bytes
			count++
		}
	}
	return used, count, nil
}

// processes lists the processes of a box, also those whose first thread has ended.
func (s *Sandbox) processes(box Record, groups []string) ([]int, error) {
	if len(groups) > 0 {
		if content, err := os.ReadFile(filepath.Join(groups[0], "cgroup.procs")); err == nil {
			var found []int
			for _, field := range bytes.Fields(content) {
				if pid, err := strconv.Atoi(string(field)); err == nil && pid > 0 {
					found = append(found, pid)
				}
			}
			return found, nil
		}
	}
	found, err := processesOf(s.tag(box.Name), box.Account)
	namespace := namespaceOf(box.First.PID)
	if err != nil || namespace == "" || namespace == namespaceOf(os.Getpid()) || !box.First.Alive() {
		return found, err
	}
	entries, err := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err == nil && namespaceOf(pid) == namespace && !slices.Contains(found, pid) {
			found = append(found, pid)
		}
	}
	return found, err
}

// namespaceOf names the namespace of a process's ids; "" if there is no such process.
func namespaceOf(pid int) string {
	name, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/ns/pid")
	return name
}

// inode is a file, or a part of one of which only mappings are known.
type inode struct {
	device, number uint64
	part           string
}

// deletedFiles collects deleted files, each once.
type deletedFiles struct {
	account int             // whose files count; 0: anybody's
	onDisk  map[uint64]bool // by device
	bytes   map[inode]int64
	handles int
}

// of looks at a process: at each table of descriptors that its threads have, and at its memory. What can't be read,
// because it has ended or is closed to us, is left out.
func (d *deletedFiles) of(process int) error {
	folder := "/proc/" + strconv.Itoa(process)
	var tables []int // a thread for each
	mapped := false
	return readNames(folder+"/task", func(name string) error {
		thread, err := strconv.Atoi(name)
		if err != nil {
			return nil //nolint:nilerr // no thread
		}
		threadFolder := folder + "/task/" + name
		if !mapped { // a thread that has ended has no memory
			var err error
			if mapped, err = d.ofMemory(folder, threadFolder); err != nil {
				return err
			}
		}
		if slices.ContainsFunc(tables, func(other int) bool { return sameDescriptors(thread, other) }) {
			return nil
		}
		tables = append(tables, thread)
		return readNames(threadFolder+"/fd", func(name string) error { return d.handle(threadFolder + "/fd/" + name) })
	})
}

// handle looks at a link in /proc that leads to an open or mapped file.
func (d *deletedFiles) handle(path string) error {
	if d.handles++; d.handles > maxHandles {
		return ErrTooManyHandles
	}
	// The link is read first: a stat may wait for the server of a network's file system.
	var target [unix.PathMax]byte
	length, err := unix.Readlink(path, target[:])
	if errors.Is(err, unix.ENOENT) || (err == nil && length < len(target) && !bytes.HasSuffix(target[:length], []byte(deletedMark))) {
		return nil
	}
	d.stat(path)
	return nil
}

const deletedMark = " (deleted)"

// stat notes a file if no folder has it; it reports whether it could be looked at.
func (d *deletedFiles) stat(path string) bool {
	var about unix.Stat_t
	if unix.Stat(path, &about) != nil {
		return false
	}
	if about.Nlink == 0 && (d.account == 0 || int(about.Uid) == d.account) && d.counts(about.Dev, path) {
		d.bytes[inode{device: about.Dev, number: about.Ino}] = about.Blocks * 512
	}
	return true
}

// counts reports whether a device is a disk.
func (d *deletedFiles) counts(device uint64, path string) bool {
	counts, known := d.onDisk[device]
	if !known {
		var about unix.Statfs_t
		counts = unix.Statfs(path, &about) == nil && about.Type != unix.TMPFS_MAGIC && about.Type != unix.RAMFS_MAGIC &&
			about.Type != unix.HUGETLBFS_MAGIC
		d.onDisk[device] = counts
	}
	return counts
}

// ofMemory looks at the mappings of a process; it reports whether there are any.
func (d *deletedFiles) ofMemory(folder, threadFolder string) (mapped bool, err error) {
	maps, err := os.Open(threadFolder + "/maps")
	if err != nil {
		return false, nil // it has ended, or is closed to us
	}
	defer maps.Close()
	err = readLines(maps, func(line []byte) error {
		mapped = true
		if d.handles++; d.handles > maxHandles {
			return ErrTooManyHandles
		}
		if bytes.HasSuffix(line, []byte(deletedMark)) {
			d.mapping(folder, strings.Fields(string(line)))
		}
		return nil
	})
	return mapped, err
}

// mapping notes the file of a mapping: range, permissions, offset, device, inode, path.
func (d *deletedFiles) mapping(folder string, fields []string) {
	if len(fields) < 6 || d.stat(folder+"/map_files/"+fields[0]) {
		return
	}
	from, to, _ := strings.Cut(fields[0], "-")
	begin, err := strconv.ParseUint(from, 16, 64)
	end, err2 := strconv.ParseUint(to, 16, 64)
	major, minor, _ := strings.Cut(fields[3], ":")
	high, err3 := strconv.ParseUint(major, 16, 32)
	low, err4 := strconv.ParseUint(minor, 16, 32)
	number, err5 := strconv.ParseUint(fields[4], 10, 64)
	device := unix.Mkdev(uint32(high), uint32(low))
	if errors.Join(err, err2, err3, err4, err5) == nil && d.onDisk[device] {
		d.bytes[inode{device: device, number: number, part: fields[2]}] = int64(end - begin)
	}
}

// sameDescriptors reports whether two threads have the same table of open files.
func sameDescriptors(one, other int) bool {
	const files = 2 // KCMP_FILES
	result, _, failed := unix.Syscall6(unix.SYS_KCMP, uintptr(one), uintptr(other), files, 0, 0, 0)
	return failed == 0 && result == 0
}

// readNames calls visit for each name in a folder of /proc, without its order and without keeping them.
func readNames(folder string, visit func(name string) error) error {
	opened, err := os.Open(folder)
	if err != nil {
		return nil // what has ended has no folder
	}
	defer opened.Close()
	for {
		names, err := opened.Readdirnames(1000)
		for _, name := range names {
			if err := visit(name); err != nil {
				return err
			}
		}
		if err != nil {
			return nil // the end, or it has ended meanwhile
		}
	}
}

// readLines calls visit for each line, cut to 8 kB.
func readLines(from io.Reader, visit func(line []byte) error) error {
	lines := bufio.NewReaderSize(from, 8<<10)
	for {
		line, long, err := lines.ReadLine()
		if err != nil {
			return nil //nolint:nilerr // the end, or its process has ended
		}
		if err := visit(line); err != nil {
			return err
		}
		for long && err == nil {
			_, long, err = lines.ReadLine()
		}
	}
}
