package preview

import (
	"context"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"time"

	"cairn/internal/content/dataset"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
)

// PublicFile is a file that strangers may download.
type PublicFile struct {
	Path     string
	Size     int64
	SHA256   string // in hexadecimal digits; "" while it is computed
	Modified time.Time
	Tag      string // changes with the file
	IsTable  bool   // it has a preview as a table
}

// PublicFiles returns the files of a public entry's dataset that strangers may download, ordered by path, at most a number,
// and whether there are more. NotFound where the data isn't here, Forbidden where strangers may not download.
func (d *Datasets) PublicFiles(ctx context.Context, r catalog.Entry, most int) (files []PublicFile, more bool, err error) {
	if !r.Public() || d.downloads.For != DownloadsForEveryone {
		return nil, false, fault.New(fault.Forbidden, "Not everyone may download datasets from this server.")
	}
	err = d.publicTree(ctx, r, func(tree *dataset.Tree) error {
		parts, _, err := tree.Parts()
		if err != nil {
			return err
		}
		parts = slices.DeleteFunc(parts, func(part dataset.Part) bool { return part.Size > d.downloads.Limit })
		more = len(parts) > most
		for _, part := range parts[:min(len(parts), most)] {
			file, err := tree.File(part.Path)
			if err != nil {
				continue // it is gone, or may not be read
			}
			one := PublicFile{Path: part.Path, Size: file.Size, Modified: file.Modified, Tag: file.Tag, IsTable: dataset.IsTable(part.Path)}
			if digest, known := d.digests.Of(tree, file); known {
				one.SHA256 = hex.EncodeToString(digest[:])
			}
			_ = file.Close()
			files = append(files, one)
		}
		return nil
	})
	return files, more, err
}

// PublicTable returns the beginning of a table in a public entry's dataset.
func (d *Datasets) PublicTable(ctx context.Context, r catalog.Entry, path string) (table dataset.Table, err error) {
	err = d.publicTree(ctx, r, func(tree *dataset.Tree) (err error) {
		table, err = tree.Table(ctx, path, "")
		return err
	})
	return table, err
}

func (d *Datasets) publicTree(ctx context.Context, r catalog.Entry, look func(*dataset.Tree) error) error {
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	tree, err := d.open(r.DatasetURL)
	if err != nil {
		return err
	}
	defer tree.Close()
	return look(tree)
}

// PublicFile returns the notebook of a public entry, if this server has it at hand or the context lets it ask others.
func (n *Notebooks) PublicFile(ctx context.Context, r catalog.Entry) (PublicFile, error) {
	sent, err := n.notebookFile(ctx, r)
	if err != nil {
		return PublicFile{}, err
	}
	defer sent.Close()
	size, err := sent.Seek(0, io.SeekEnd)
	return PublicFile{Path: sent.Name, Size: size, SHA256: strings.Trim(sent.Tag, `"`), Modified: sent.Modified, Tag: sent.Tag}, err
}
