package versions

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/filetree"
)

const (
	attempts = 3
	// leastHoles is how many bytes of holes make a file sparse; below, they are read as the zeros that they stand for.
	leastHoles = 1 << 20
	// clockTick is more than the time in which a file system gives changes the same time.
	clockTick = 20 * time.Millisecond
)

// file returns a file with its content, which is stored; keep is false if it is left out.
func (b *builder) file(path string, entry *filetree.Entry, n node, before *node) (_ node, keep bool, err error) {
	if before != nil && before.kind != File {
		before = nil
	}
	onRoot := entry.Stat.Dev == b.device
	if before != nil && onRoot && b.devices[b.root.Name] == b.device && n.size == before.size && n.sameInode(before) {
		n.content, n.holes = before.content, before.holes
		return n, true, nil
	}
	if limit := b.request.FileBytes; limit > 0 && min(n.size, entry.Stat.Blocks*512) > limit {
		b.tell(path, TooLarge)
		return n, false, nil
	}
	if first, found := b.linked[n.inode]; found && onRoot && n.sameInode(&first) && n.size == first.size {
		n.content, n.holes = first.content, first.holes
		return n, true, nil
	}
	for range attempts {
		var stable bool
		n, stable, err = b.content(entry, n)
		var unreadable readError
		switch {
		case errors.Is(err, errTooLarge):
			b.tell(path, TooLarge)
			return n, false, nil
		case errors.Is(err, fs.ErrNotExist): // it is gone, or another file has its name, as when a program saves
			if err := entry.Refresh(); err != nil || !entry.IsFile() {
				return n, false, nil //nolint:nilerr // as if the walk had come later
			}
		case errors.As(err, &unreadable):
			return b.instead(path, n, before, Unreadable)
		case err != nil:
			return n, false, err
		case stable:
			if onRoot && entry.Stat.Nlink > 1 {
				b.linked[n.inode] = n
			}
			return n, true, nil
		}
	}
	return b.instead(path, n, before, Changing)
}

// instead keeps what a file was in the version before.
func (b *builder) instead(path string, n node, before *node, why Reason) (node, bool, error) {
	b.tell(path, why)
	if before == nil {
		return n, false, nil
	}
	kept := *before
	kept.changed = 0 // so that it is read the next time
	return kept, true, nil
}

var errTooLarge = errors.New("the file is too large")

// content reads a file and stores what it has; stable is false if it changed meanwhile.
func (b *builder) content(entry *filetree.Entry, n node) (_ node, stable bool, err error) {
	opened, err := entry.Open()
	if err != nil {
		return n, false, readError{err}
	}
	defer opened.Close()
	before, err := settled(opened)
	if err != nil {
		return n, false, readError{err}
	}
	if before.Mode&unix.S_IFMT != unix.S_IFREG { // what took its place has the same number
		return n, false, readError{fs.ErrNotExist}
	}
	read := b.describe(n.name, &before)
	to := &lists{chunker: b.chunker}
	if before.Blocks*512+leastHoles < before.Size {
		read.holes, err = b.sparse(to, opened, before.Size)
	} else {
		_, err = b.chunker.add(to, io.LimitReader(opened, before.Size))
	}
	if err == nil {
		read.content, err = to.finish()
	}
	var after unix.Stat_t
	if err == nil {
		if failed := unix.Fstat(int(opened.Fd()), &after); failed != nil {
			err = readError{failed}
		}
	}
	return read, err == nil && after.Size == before.Size && after.Mtim == before.Mtim && after.Ctim == before.Ctim, err
}

// settled returns what a file is like, once another write would change its times: those of writes in the same tick of the
// clock are the same.
func settled(opened *os.File) (about unix.Stat_t, err error) {
	for range 10 {
		var now unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now); err != nil {
			return about, err
		}
		if err := unix.Fstat(int(opened.Fd()), &about); err != nil {
			return about, err
		}
		if since := now.Nano() - about.Ctim.Nano(); since > 0 || since < -int64(clockTick) { // in the future, after the clock stepped back
			return about, nil
		}
		<-time.After(clockTick / 8)
	}
	return about, nil
}

// sparse reads what isn't a hole.
func (b *builder) sparse(to *lists, opened *os.File, length int64) (holes int64, err error) {
	read := int64(0)
	for at := int64(0); at < length; {
		if err := b.chunker.ctx.Err(); err != nil {
			return 0, err
		}
		data, err := opened.Seek(at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			data, err = length, nil // no data up to the end
		}
		if err != nil {
			return 0, readError{err}
		}
		if hole := min(data, length) - at; hole > 0 {
			holes += hole
			if err := to.add(0, digest{}, hole); err != nil {
				return 0, err
			}
		}
		if data >= length {
			break
		}
		end, err := opened.Seek(data, unix.SEEK_HOLE)
		if err != nil {
			return 0, readError{err}
		}
		end = min(end, length)
		if read += end - data; b.request.FileBytes > 0 && read > b.request.FileBytes {
			return 0, errTooLarge
		}
		count, err := b.chunker.add(to, io.NewSectionReader(opened, data, end-data))
		if err == nil && count < end-data {
			err = readError{io.ErrUnexpectedEOF}
		}
		if err != nil {
			return 0, err
		}
		at = end
	}
	return holes, nil
}
