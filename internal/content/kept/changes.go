package kept

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"cairn/internal/content/difference"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
)

// Limits of a comparison of two versions.
const (
	changesShown  = 500 // files
	changesInside = 20  // files whose lines or cells are compared
	insideBytes   = 4 << 20
)

// Change says how a file differs between two versions.
type Change string

// The changes.
const (
	Added    Change = "added"
	Removed  Change = "removed"
	Modified Change = "modified"
)

// EntryChanges is how a version differs from an earlier one.
type EntryChanges struct {
	Files []EntryChange `json:"files" nullable:"false" doc:"By path, at most 500"`
	More  int           `json:"more,omitempty" doc:"How many more files differ"`
}

// EntryChange is a file that differs.
type EntryChange struct {
	Path        string `json:"path"`
	Change      Change `json:"change" enum:"added,removed,modified"`
	BytesBefore int64  `json:"bytesBefore"`
	BytesAfter  int64  `json:"bytesAfter"`

	*difference.FileDifference
}

// Changes returns how the files of a version that the caller may see differ from those of another one, which is earlier; with 0, from the one
// before. Conflict if this server doesn't keep both.
func (s *Service) Changes(ctx context.Context, id string, number, with int) (EntryChanges, error) {
	if with == 0 {
		with = number - 1
	}
	if _, _, _, err := s.options.Versions.Get(ctx, id, number); err != nil { // first of all, so that nobody learns of what they don't see
		return EntryChanges{}, err
	}
	var trees [2]*os.Root
	for i, one := range []int{with, number} {
		if one < 1 {
			return EntryChanges{}, fault.New(fault.Conflict, "There is no version before this one.")
		}
		if _, _, _, err := s.options.Versions.Get(ctx, id, one); err != nil {
			return EntryChanges{}, err
		}
		folder, err := s.files.trees.path(ctx, catalog.Kept{ID: id, Number: one})
		if errors.Is(err, errNotKept) {
			return EntryChanges{}, fault.New(fault.Conflict, "This server doesn't keep the files of version %d, so it can't compare them.", one)
		}
		if err != nil {
			return EntryChanges{}, err
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			return EntryChanges{}, err
		}
		defer root.Close()
		trees[i] = root
	}
	return compareTrees(ctx, trees[0], trees[1])
}

func compareTrees(ctx context.Context, before, after *os.Root) (found EntryChanges, err error) {
	sizes := [2]map[string]int64{}
	for i, root := range []*os.Root{before, after} {
		if sizes[i], err = sizesIn(root); err != nil {
			return found, err
		}
	}
	names := make([]string, 0, len(sizes[0]))
	for name := range sizes[0] {
		names = append(names, name)
	}
	for name := range sizes[1] {
		if _, known := sizes[0][name]; !known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	found.Files = []EntryChange{}
	inside := 0
	for _, name := range names {
		was, had := sizes[0][name]
		is, has := sizes[1][name]
		one := EntryChange{Path: name, Change: Modified, BytesBefore: was, BytesAfter: is}
		switch {
		case !had:
			one.Change = Added
		case !has:
			one.Change = Removed
		default:
			same, err := isSame(ctx, before, after, name, was == is)
			if err != nil {
				return found, err
			}
			if same {
				continue
			}
		}
		if len(found.Files) == changesShown {
			found.More++
			continue
		}
		if one.Change == Modified && inside < changesInside && max(was, is) <= insideBytes {
			inside++
			one.FileDifference = differenceOf(ctx, before, after, name)
		}
		found.Files = append(found.Files, one)
	}
	return found, ctx.Err()
}

func sizesIn(root *os.Root) (map[string]int64, error) {
	sizes := map[string]int64{}
	return sizes, fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		about, err := entry.Info()
		if err == nil {
			sizes[name] = about.Size()
		}
		return err
	})
}

// isSame reports whether a file has the same content in both trees.
func isSame(ctx context.Context, before, after *os.Root, name string, equallyLong bool) (bool, error) {
	if !equallyLong {
		return false, nil
	}
	one, err := before.Open(name)
	if err != nil {
		return false, err
	}
	defer one.Close()
	other, err := after.Open(name)
	if err != nil {
		return false, err
	}
	defer other.Close()
	const part = 256 << 10
	first, second := make([]byte, part), make([]byte, part)
	for ctx.Err() == nil {
		count, err := io.ReadFull(one, first)
		again, failed := io.ReadFull(other, second)
		if !bytes.Equal(first[:count], second[:again]) {
			return false, nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return true, nil
		}
		if err := errors.Join(err, failed); err != nil {
			return false, err
		}
	}
	return false, ctx.Err()
}

// differenceOf compares the lines or cells of a file; nil if it isn't text, or too large to be compared.
func differenceOf(ctx context.Context, before, after *os.Root, name string) *difference.FileDifference {
	was, err := before.ReadFile(name)
	if err != nil {
		return nil
	}
	is, err := after.ReadFile(name)
	if err != nil {
		return nil
	}
	compare := func() (difference.FileDifference, error) { return difference.Text(was, is) }
	if strings.EqualFold(path.Ext(name), ".ipynb") {
		compare = func() (difference.FileDifference, error) { return difference.Notebook(ctx, was, is) }
	}
	found, err := compare()
	if err != nil {
		return nil
	}
	return &found
}
