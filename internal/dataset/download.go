package dataset

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"cairn/internal/fault"
)

// File is a whole file of a dataset, open for reading.
type File struct {
	*os.File // to be closed by the caller

	Name     string
	Size     int64 // in bytes
	Modified time.Time
	Tag      string // an ETag, which changes with the file
}

// File opens a file, which stays open when the tree is closed.
func (t *Tree) File(name string) (*File, error) {
	file, size, err := t.open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, faultOf(err)
	}
	modified := info.ModTime()
	return &File{file, path.Base(name), size, modified, fmt.Sprintf(`"%x-%x"`, modified.UnixNano(), size)}, nil
}

// partsLimit is the largest number of files and folders in an archive.
const partsLimit = 100_000

// Part is a file in an archive of a dataset.
type Part struct {
	Path string
	Size int64 // in bytes
}

// Parts returns the files of the whole dataset, ordered by path, and their size in bytes. They are those that List
// shows, without what is in linked folders, whose links could lead in a circle. TooLarge for too many files.
func (t *Tree) Parts() (parts []Part, size int64, err error) {
	seen := 0
	for folders := []string{""}; len(folders) > 0; folders = folders[1:] {
		entries, err := t.children(folders[0], partsLimit-seen)
		if err != nil {
			return nil, 0, err
		}
		seen += len(entries)
		for _, entry := range entries {
			switch {
			case entry.Type == TypeFolder && !t.isLink(entry.Path):
				folders = append(folders, entry.Path)
			case entry.Type == typeFile:
				parts = append(parts, Part{entry.Path, entry.Size})
				size += entry.Size
			}
		}
	}
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.Path, b.Path) })
	return parts, size, nil
}

// children returns everything in a folder that isn't hidden, unordered.
func (t *Tree) children(folder string, limit int) ([]ListingEntry, error) {
	if t.single != "" {
		return []ListingEntry{t.entry("", path.Base(t.single))}, nil
	}
	opened, err := t.root.Open(cmp.Or(folder, "."))
	if err != nil {
		return nil, faultOf(err)
	}
	defer opened.Close()
	names, err := opened.Readdirnames(limit + 1)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, faultOf(err)
	case len(names) > limit:
		return nil, fault.New(fault.TooLarge, "This dataset has more than %d files, too many for one download.", partsLimit)
	}
	var entries []ListingEntry
	for _, name := range names {
		if !hidden(name) {
			entries = append(entries, t.entry(folder, name))
		}
	}
	return entries, nil
}

func (t *Tree) isLink(name string) bool {
	info, err := t.root.Lstat(name)
	return err != nil || info.Mode()&os.ModeSymlink != 0
}

// Zip writes files of the dataset as an archive without compression. A file that has become shorter or is gone is an
// error, and leaves the archive broken.
func (t *Tree) Zip(to io.Writer, parts []Part) error {
	archive := zip.NewWriter(to)
	for _, part := range parts {
		if err := t.add(archive, part); err != nil {
			return fmt.Errorf("%s: %w", part.Path, err)
		}
	}
	return archive.Close()
}

func (t *Tree) add(archive *zip.Writer, part Part) error {
	file, err := t.File(part.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	// Windows takes a backslash for a separator, with which a name could lead out of the folder.
	header := &zip.FileHeader{Name: strings.ReplaceAll(part.Path, `\`, "_"), Method: zip.Store, Modified: file.Modified}
	writer, err := archive.CreateHeader(header)
	if err == nil {
		_, err = io.CopyN(writer, file, part.Size)
	}
	return err
}
