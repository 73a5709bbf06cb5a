package versions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cairn/internal/foundation/filetree"
)

// ErrSwept says that a store was swept while it was copied, so the copy may lack something: copy it again.
var ErrSwept = errors.New("the versions were swept meanwhile")

// CopyForeign passes each file of a store on that another process may have open, and may go on saving in. Written to a
// folder, they are a store with at least the versions that were complete before. It changes nothing in the folder.
//
// Packs are only appended to, and what a version needs is in them before the version is in the log. So the log is read
// first: whatever the packs have got since then is of later versions, and Open drops it.
func CopyForeign(ctx context.Context, folder string, pass func(name string, content io.Reader) error) error {
	names, err := storeFiles(folder)
	if err != nil || !slices.Contains(names, logName) {
		return err
	}
	log, err := os.ReadFile(filepath.Join(folder, logName))
	if err != nil {
		return gone(err)
	}
	if names, err = storeFiles(folder); err != nil { // those to which the log refers are among them
		return err
	}
	if err := pass(logName, bytes.NewReader(log)); err != nil {
		return err
	}
	for _, name := range names {
		if name == logName {
			continue
		}
		if err := passFile(ctx, filepath.Join(folder, name), name, pass); err != nil {
			return gone(err)
		}
	}
	after, err := storeFiles(folder)
	if err != nil {
		return err
	}
	now, err := os.ReadFile(filepath.Join(folder, logName))
	if err != nil {
		return gone(err)
	}
	for _, name := range names {
		if !slices.Contains(after, name) {
			return fmt.Errorf("%w: %s is gone", ErrSwept, name)
		}
	}
	if !bytes.HasPrefix(now, log) {
		return fmt.Errorf("%w: the log was written anew", ErrSwept)
	}
	return nil
}

func passFile(ctx context.Context, path, name string, pass func(name string, content io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	about, err := file.Stat()
	if err != nil {
		return err
	}
	return pass(name, filetree.Reader(ctx, io.NewSectionReader(file, 0, about.Size())))
}

// storeFiles returns the log, the packs and their indexes.
func storeFiles(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if name := entry.Name(); entry.Type().IsRegular() && (name == logName || strings.HasSuffix(name, ".pack") || strings.HasSuffix(name, ".index")) {
			names = append(names, name)
		}
	}
	return names, err
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrSwept, err)
	}
	return err
}
