package preview

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"cairn/internal/content/dataset"
	"cairn/internal/content/dataset/hierarchy"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
)

// DatasetSource finds the data of entries on this server.
type DatasetSource interface {
	// OpenDataset opens the data of a datasetUrl; fs.ErrNotExist when it isn't on this server.
	OpenDataset(address string) (*dataset.Tree, error)
}

// datasetReads limits concurrent previews: each takes milliseconds and megabytes, up to a second and 60 MB for files that are
// made to take long.
const datasetReads = 4

// Datasets previews the data of entries on this server.
type Datasets struct {
	entries   Entries
	source    DatasetSource
	downloads DatasetDownloads
	slots     chan struct{} // limits concurrent previews
	archives  chan struct{} // limits concurrent downloads of whole datasets
	digests   *dataset.Digests
}

// NewDatasets returns a Datasets for a source.
func NewDatasets(entries Entries, source DatasetSource, downloads DatasetDownloads) *Datasets {
	return &Datasets{entries, source, downloads, make(chan struct{}, datasetReads), make(chan struct{}, archivesAtOnce), dataset.NewDigests()}
}

// DatasetFolder is the content of a folder in a dataset, for a caller.
type DatasetFolder struct {
	dataset.Listing

	Download DatasetDownload `json:"download"`
}

// List returns the content of a folder in a dataset that the caller may see. If the data isn't on this server or can't
// be read, that is a state of the entry, not a fault.
func (d *Datasets) List(ctx context.Context, id, path string) (DatasetFolder, error) {
	folder, err := withDataset(ctx, d, id, func(tree *dataset.Tree, r catalog.Entry) (DatasetFolder, error) {
		listing, err := tree.List(path)
		return DatasetFolder{listing, d.downloadOf(ctx, r)}, err
	})
	if _, unavailable := errors.AsType[*unavailableDataset](err); unavailable {
		return DatasetFolder{dataset.Listing{Note: fault.MessageOf(err), Path: path, Entries: []dataset.ListingEntry{}}, DatasetDownload{State: "NONE"}}, nil
	}
	return folder, err
}

// Total returns how much data a dataset has that the caller may see.
func (d *Datasets) Total(ctx context.Context, id string) (dataset.Total, error) {
	return withDataset(ctx, d, id, func(tree *dataset.Tree, _ catalog.Entry) (dataset.Total, error) { return tree.Total() })
}

// Table returns the beginning of a table in a dataset that the caller may see; of a spreadsheet, of one of its sheets.
func (d *Datasets) Table(ctx context.Context, id, path, sheet string) (dataset.Table, error) {
	table, err := withDataset(ctx, d, id, func(tree *dataset.Tree, _ catalog.Entry) (dataset.Table, error) { return tree.Table(ctx, path, sheet) })
	if err == nil && table.Header {
		names := make([]string, len(table.Columns))
		for i, column := range table.Columns {
			names[i] = column.Name
		}
		d.entries.NoteContent(ctx, id, path, strings.Join(names, "\n"))
	}
	return table, err
}

// Structure returns what a file of arrays in a dataset that the caller may see says about itself.
func (d *Datasets) Structure(ctx context.Context, id, path string) (hierarchy.Tree, error) {
	return withDataset(ctx, d, id, func(tree *dataset.Tree, _ catalog.Entry) (hierarchy.Tree, error) { return tree.Structure(ctx, path) })
}

// Text returns the beginning of a text in a dataset that the caller may see.
func (d *Datasets) Text(ctx context.Context, id, path string) (dataset.TextFile, error) {
	text, err := withDataset(ctx, d, id, func(tree *dataset.Tree, _ catalog.Entry) (dataset.TextFile, error) { return tree.Text(path) })
	if err == nil && isReadme(path) {
		d.entries.NoteContent(ctx, id, path, text.Text)
	}
	return text, err
}

// unavailableDataset says why there is nothing to see; all calls except List return NotFound for it.
type unavailableDataset struct{ error }

func (u *unavailableDataset) Unwrap() error { return u.error }

func unavailable(cause error, message string) error {
	return &unavailableDataset{fault.Wrap(cause, fault.NotFound, "%s", message)}
}

var errNoDataset = fault.New(fault.NotFound, "This entry isn't a dataset.")

// withDataset calls a function with the data of an entry that the caller may see.
func withDataset[Result any](ctx context.Context, d *Datasets, id string, look func(*dataset.Tree, catalog.Entry) (Result, error)) (result Result, err error) {
	resource, err := d.entries.Readable(ctx, id)
	if err != nil {
		return result, err
	}
	if resource.Type != catalog.Dataset {
		return result, errNoDataset
	}
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-ctx.Done():
		return result, ctx.Err()
	}
	tree, err := d.open(resource.DatasetURL)
	if err != nil {
		return result, err
	}
	defer tree.Close()
	return look(tree, resource)
}

func (d *Datasets) open(address string) (*dataset.Tree, error) {
	if catalog.DataAddress(address) != "" {
		return nil, unavailable(nil, "The data is hosted outside this server, so there's no preview here.")
	}
	tree, err := d.source.OpenDataset(address)
	switch {
	case err == nil:
		return tree, nil
	case errors.Is(err, fs.ErrPermission):
		return nil, unavailable(err, "The data is on this server, but the server isn't allowed to read it. Tell the operators.")
	default:
		return nil, unavailable(err, "The data isn't on this server.")
	}
}
