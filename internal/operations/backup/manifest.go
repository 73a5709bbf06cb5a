package backup

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
)

const (
	manifestName = "manifest.jsonl"
	keysName     = "keys.age"
	databaseName = "database"
	sessionsName = "sessions"
	versionsName = "versions"
	format       = "cairn backup 1"
)

// Header is what a backup says about itself.
type Header struct {
	Format    string    `json:"format"`
	At        time.Time `json:"at"` // the moment of the database
	Version   string    `json:"version"`
	Schema    int64     `json:"schema"` // the version of the tables
	PublicURL string    `json:"publicUrl"`
	Issuer    string    `json:"issuer"` // "" for the embedded identity provider
}

// The types of items.
const (
	typeFile   = "file"
	typeFolder = "folder"
	typeLink   = "link"
)

// item is one file, folder or symbolic link.
type item struct {
	Path   string      `json:"path"` // from the backup's folder, with slashes
	Type   string      `json:"type"`
	Mode   fs.FileMode `json:"mode"`
	Time   time.Time   `json:"time,omitzero"`
	Size   int64       `json:"size,omitempty"`
	SHA256 string      `json:"sha256,omitempty"`
	Target string      `json:"target,omitempty"`
}

func writeManifest(folder *os.Root, header Header, items []item) error {
	const partial = manifestName + ".partial"
	file, err := folder.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(file)
	lines := json.NewEncoder(buffered)
	err = lines.Encode(header)
	for i := 0; i < len(items) && err == nil; i++ {
		err = lines.Encode(items[i])
	}
	err = errors.Join(err, buffered.Flush(), file.Sync(), file.Close())
	if err != nil {
		return err
	}
	return folder.Rename(partial, manifestName)
}

// readManifest reads and checks a manifest; what it lists may still be missing or different.
func readManifest(folder *os.Root) (header Header, items []item, err error) {
	file, err := folder.Open(manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return header, nil, fault.New(fault.Invalid, "%s has no %s, so it isn't a backup, or its backup never finished.", folder.Name(), manifestName)
	}
	if err != nil {
		return header, nil, err
	}
	defer file.Close()
	lines := json.NewDecoder(bufio.NewReader(file))
	if err := lines.Decode(&header); err != nil || header.Format != format {
		return header, nil, fault.New(fault.Invalid, "The manifest of %s is not one that this version reads: its format is %s, not %q.",
			folder.Name(), fault.Quote(header.Format), format)
	}
	seen := map[string]string{}
	for number := 2; ; number++ {
		var next item
		err := lines.Decode(&next)
		if errors.Is(err, io.EOF) {
			return header, items, nil
		}
		if err == nil {
			err = next.check(seen)
		}
		if err != nil {
			return header, nil, fault.Wrap(err, fault.Invalid, "Line %d of the manifest is damaged: %s.", number, err.Error())
		}
		seen[next.Path] = next.Type
		items = append(items, next)
	}
}

// check requires a local path below a folder that came before, so that nothing leads out of the backup or through a link.
func (i item) check(seen map[string]string) error {
	if !fs.ValidPath(i.Path) || i.Path == "." || !filepath.IsLocal(i.Path) || strings.ContainsRune(i.Path, 0) {
		return errors.New("it names a path outside of the backup")
	}
	if _, twice := seen[i.Path]; twice {
		return fmt.Errorf("it names %q again", i.Path)
	}
	if parent := path.Dir(i.Path); parent != "." && seen[parent] != typeFolder {
		return fmt.Errorf("the folder of %q isn't in it", i.Path)
	}
	if i.Type != typeFile && i.Type != typeFolder && i.Type != typeLink {
		return fmt.Errorf("%q is of an unknown type", i.Path)
	}
	return nil
}
