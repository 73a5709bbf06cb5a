// Package site holds what an institution changes without a rebuild: brand, landing page, events and footer. It reads
// them from one YAML file, by default the embedded site.yaml, and from the pictures beside it, and checks every value,
// because the page shows them unchanged; the file can be reloaded while the server runs. Settings of the server are in
// internal/app; the live figures of the landing page come from the catalog.
package site

import (
	_ "embed"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"cairn/internal/foundation/fault"
)

//go:embed site.yaml
var defaultFile []byte

// Default returns the text of the embedded site file.
func Default() []byte { return slices.Clone(defaultFile) }

// sizeLimit is far above any real site file, and small enough to read into memory.
const sizeLimit = 256 << 10

// Load reads and checks the site file at path, or the embedded default when path is empty. An Invalid fault names every
// fault of the file, with a line of its message and a field each, and with the line in the file.
func Load(path string) (*Site, error) {
	if path == "" {
		return parse("site.yaml", "", defaultFile, time.Now())
	}
	data, revised, err := readLimited(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid,
			"The site file %s can't be read: %v. Name another file or leave the setting out.", path, reasonOf(err))
	}
	return parse(filepath.Base(path), filepath.Dir(path), data, revised)
}

// reasonOf returns the operating system's words without the path, which the sentence already names.
func reasonOf(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

func readLimited(path string) (data []byte, revised time.Time, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, revised, err
	}
	if !info.Mode().IsRegular() { // opening a named pipe would block
		return nil, revised, errors.New("it isn't a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, revised, err
	}
	defer func() { _ = file.Close() }()
	data, err = io.ReadAll(io.LimitReader(file, sizeLimit+1))
	if err == nil && len(data) > sizeLimit {
		return nil, revised, errors.New("it is larger than 256 KiB")
	}
	return data, info.ModTime(), err
}
