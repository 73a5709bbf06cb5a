package dataset

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
)

// File is a whole file of a dataset, open for reading.
type File struct {
	*os.File // to be closed by the caller

	Name     string
	Size     int64 // in bytes
	Modified time.Time
	Tag      string // an ETag, which changes with the file

	path string // in the dataset
}

// File opens a file, which stays open when the tree is closed.
func (t *Tree) File(name string) (*File, error) {
	file, size, err := t.open(name)
	if err != nil {
		return nil, err
	}
	state, err := versionOf(file)
	if err != nil {
		_ = file.Close()
		return nil, faultOf(err)
	}
	return &File{file, path.Base(name), size, time.Unix(state.modified.Unix()), state.tag(), name}, nil
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
	parts, more, err := t.walk(partsLimit)
	if more {
		err = fault.New(fault.TooLarge, "This dataset has more than %d files, which is too many for one download.", partsLimit)
	}
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.Path, b.Path) })
	return parts, sizeOf(parts), nil
}

// Total is what an archive of a dataset would contain.
type Total struct {
	Files int   `json:"files" doc:"How many there are, without those in linked folders"`
	Size  int64 `json:"size" doc:"Their bytes"`
	More  bool  `json:"more" doc:"There are at least that many: counting ended at 10,000 files and folders"`
}

// Total returns how many files the dataset has, and their size.
func (t *Tree) Total() (Total, error) {
	parts, more, err := t.walk(entriesRead)
	return Total{len(parts), sizeOf(parts), more}, err
}

// sizeOf adds up sizes. Files with holes may claim more than there are numbers.
func sizeOf(parts []Part) (size int64) {
	for _, part := range parts {
		size += min(part.Size, math.MaxInt64-size)
	}
	return size
}

// walk returns the files of the whole dataset, unordered, and whether there are more than a number of files and folders.
func (t *Tree) walk(limit int) (parts []Part, more bool, err error) {
	for folders := []string{""}; len(folders) > 0 && !more; folders = folders[1:] {
		var entries []ListingEntry
		entries, more, err = t.children(folders[0], &limit)
		if err != nil {
			return nil, false, err
		}
		for _, entry := range entries {
			switch {
			case entry.Type == TypeFolder && !t.isLink(entry.Path):
				folders = append(folders, entry.Path)
			case entry.Type == typeFile:
				parts = append(parts, Part{entry.Path, entry.Size})
			}
		}
	}
	return parts, more, nil
}

// children returns what is in a folder and isn't hidden, unordered, and whether there is more than the limit, from which
// it takes all that it read.
func (t *Tree) children(folder string, limit *int) (entries []ListingEntry, more bool, err error) {
	if t.single != "" {
		return []ListingEntry{t.entry("", path.Base(t.single))}, false, nil
	}
	opened, err := t.root.Open(cmp.Or(folder, "."))
	if err != nil {
		return nil, false, faultOf(err)
	}
	defer opened.Close()
	names, err := opened.Readdirnames(*limit + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, faultOf(err)
	}
	more = len(names) > *limit
	names = names[:min(*limit, len(names))]
	*limit -= len(names)
	for _, name := range names {
		if !isHidden(name) {
			entries = append(entries, t.entry(folder, name))
		}
	}
	return entries, more, nil
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
