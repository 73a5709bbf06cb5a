// Package workarchive packs the work folders of sessions as zip files for their owners, and reads single files of them.
package workarchive

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"cairn/internal/foundation/humanize"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/filetree"
	"cairn/internal/sessions/engine"
)

const (
	archiveEntries = 1_000_000 // files and folders of an archive; each takes memory until the end
	// archiveFree is the maximum number of bytes in an archive that take no space on the disk, in addition to as many
	// as do: holes of sparse files, and further names of a file. Packing them takes as long as if they did.
	archiveFree = 256 << 20
)

// archiver packs a work folder that its user may be changing: files that vanish are left out, and those that grow are
// cut at their initial size.
type archiver struct {
	ctx    context.Context //nolint:containedctx // of one archive
	zip    *zip.Writer
	levels []archiveFolder // the folders that the walk is in
	stored int64           // bytes that take space on the disk
	free   int64           // bytes that don't
	linked map[uint64]bool // files with several names
	notes  archiveNotes
}

func newArchiver(ctx context.Context, w io.Writer) *archiver {
	return &archiver{ctx: ctx, zip: zip.NewWriter(w), levels: []archiveFolder{newArchiveFolder("")}, linked: map[uint64]bool{}}
}

// Write packs the work folder of a session, which has this name in the session's folder, without its datasets and links. It
// has the rights of the folder's owner: the account of the session, or
// this server's, at levels without accounts and in a data folder that was copied without its owners.
func Write(ctx context.Context, session, name string, w io.Writer) error {
	root, err := openWork(session, name)
	if err != nil {
		return err
	}
	defer root.Close()
	owner, err := filetree.Owner(root)
	if err != nil {
		return err
	}
	a := newArchiver(ctx, w)
	if owner == os.Geteuid() {
		err = a.write(root)
	} else {
		err = filetree.As(owner, func() error { return a.write(root) })
	}
	if err != nil {
		return err // without the directory at its end, nobody mistakes half an archive for a complete one
	}
	return a.zip.Close()
}

// openWork opens the work folder of a session, which may have closed it to itself.
func openWork(session, name string) (*os.Root, error) {
	root, err := os.OpenRoot(session)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	about, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !about.IsDir() {
		return nil, fmt.Errorf("%s is no folder", name)
	}
	if about.Mode().Perm()&0o700 != 0o700 {
		if err := root.Chmod(name, about.Mode().Perm()|0o700); err != nil {
			return nil, err
		}
	}
	return root.OpenRoot(name)
}

func (a *archiver) write(root *os.Root) error {
	err := filetree.Walk(a.ctx, root, ".", filetree.Limits{Entries: archiveEntries}, a.visit)
	if errors.Is(err, filetree.ErrTooMany) {
		a.notes.leaveOut("everything else", "An archive can't contain more files.")
		err = nil
	}
	if err != nil {
		return err
	}
	return a.addNotes()
}

func (a *archiver) visit(entry *filetree.Entry) error {
	if entry.Depth == 1 && entry.Name == engine.DataFolder {
		return fs.SkipDir
	}
	here := entry.Path()
	if why := leftOut(entry, here); why != "" {
		a.notes.leaveOut(here, why)
		return fs.SkipDir
	}
	a.levels = a.levels[:entry.Depth]
	parent := a.levels[entry.Depth-1]
	name, changed := parent.claim(entry.Name)
	header := &zip.FileHeader{Name: parent.path + name, Modified: archiveTime(entry.Stat.Mtim)}
	if changed {
		a.notes.rename(here, header.Name)
	}
	if entry.IsFolder() {
		header.Name += "/"
		header.SetMode(fs.ModeDir | 0o755)
		a.levels = append(a.levels, newArchiveFolder(header.Name))
		_, err := a.zip.CreateHeader(header)
		return err
	}
	header.Method = zip.Deflate
	header.SetMode(fs.FileMode(entry.Stat.Mode)&0o777 | 0o600)
	return a.add(entry, here, header)
}

func (a *archiver) add(entry *filetree.Entry, here string, header *zip.FileHeader) error {
	file, err := entry.Open()
	if err != nil { // it vanished, became something else, or its permissions close it
		a.notes.leaveOut(here, "It couldn't be read.")
		return nil
	}
	defer file.Close()
	free, err := a.withoutSpace(entry, file)
	if err != nil {
		return err
	}
	if a.free+free > archiveFree+a.stored+entry.Stat.Size-free {
		a.notes.leaveOut(here, "It takes "+humanize.Bytes(entry.Stat.Blocks*512)+" on the disk, or is another name of a file, and would take "+humanize.Bytes(entry.Stat.Size)+" here.")
		return nil
	}
	a.free, a.stored = a.free+free, a.stored+entry.Stat.Size-free
	to, err := a.zip.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, filetree.Reader(a.ctx, io.LimitReader(file, entry.Stat.Size)))
	return err
}

// withoutSpace returns how many bytes of a file take no space on the disk.
func (a *archiver) withoutSpace(entry *filetree.Entry, file *os.File) (int64, error) {
	if entry.Stat.Nlink > 1 {
		if a.linked[entry.Stat.Ino] {
			return entry.Stat.Size, nil
		}
		a.linked[entry.Stat.Ino] = true
	}
	if entry.Stat.Blocks*512 >= entry.Stat.Size {
		return 0, nil
	}
	return holes(a.ctx, file, entry.Stat.Size)
}

// holes adds up the holes of a sparse file, and returns to its beginning. A file compressed by the file system has
// none.
func holes(ctx context.Context, file *os.File, length int64) (total int64, err error) {
	for at := int64(0); at < length; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		data, err := file.Seek(at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			data, err = length, nil // no data up to the end
		}
		if err != nil {
			return 0, err
		}
		total += min(data, length) - at
		if data >= length {
			break
		}
		if at, err = file.Seek(data, unix.SEEK_HOLE); err != nil {
			return 0, err
		}
	}
	_, err = file.Seek(0, io.SeekStart)
	return total, err
}

var hooks = regexp.MustCompile(`(?i)(^|/)\.git/(modules/(.+/)?)?hooks$`)

var caches = map[string]bool{
	".cache": true, "__pycache__": true, ".pytest_cache": true, ".mypy_cache": true, ".ruff_cache": true, ".ipynb_checkpoints": true,
}

// leftOut returns why something isn't packed; "" if it is.
func leftOut(entry *filetree.Entry, here string) string {
	switch {
	case entry.IsFile():
		return ""
	case !entry.IsFolder():
		return "It's a link, or not a regular file."
	case hooks.MatchString(here):
		return "Git would run these programs on your computer."
	case caches[strings.ToLower(path.Base(here))]:
		return "Caches and checkpoints are recreated when needed."
	case entry.Depth == filetree.MaxDepth:
		return "Folders are nested too deep."
	}
	return ""
}

// archiveTime limits a time to what zip files can store.
func archiveTime(stamp unix.Timespec) time.Time { return limitTime(time.Unix(stamp.Unix())) }

func limitTime(found time.Time) time.Time {
	first, last := time.Date(1980, 1, 1, 0, 0, 0, 0, time.Local), time.Date(2100, 1, 1, 0, 0, 0, 0, time.Local)
	switch {
	case found.Before(first):
		return first
	case found.After(last):
		return last
	}
	return found
}
