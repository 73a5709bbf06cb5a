package catalog

import (
	"context"
	"errors"
	"io/fs"

	"cairn/internal/dataset"
	"cairn/internal/fault"
)

// Datasets finds the data of entries on this server.
type Datasets interface {
	// OpenDataset opens what a datasetUrl stands for; fs.ErrNotExist when that is not on this server.
	OpenDataset(address string) (*dataset.Tree, error)
}

// datasetReads is how many previews are made at once: each takes milliseconds and megabytes.
const datasetReads = 4

// DatasetFiles gives what lies in a folder of a dataset that the caller may see. That data is not on this server, or
// cannot be read there, is a state of the entry and no fault.
func (s *Service) DatasetFiles(ctx context.Context, id, path string) (dataset.Listing, error) {
	folder, err := preview(ctx, s, id, func(tree *dataset.Tree) (dataset.Listing, error) { return tree.List(path) })
	if _, unavailable := errors.AsType[*unavailableDataset](err); unavailable {
		return dataset.Listing{Note: fault.MessageOf(err), Path: path, Entries: []dataset.ListingEntry{}}, nil
	}
	return folder, err
}

// DatasetTable gives the beginning of a table of a dataset that the caller may see.
func (s *Service) DatasetTable(ctx context.Context, id, path string) (dataset.Table, error) {
	return preview(ctx, s, id, func(tree *dataset.Tree) (dataset.Table, error) { return tree.Table(path) })
}

// DatasetText gives the beginning of a text of a dataset that the caller may see.
func (s *Service) DatasetText(ctx context.Context, id, path string) (dataset.TextFile, error) {
	return preview(ctx, s, id, func(tree *dataset.Tree) (dataset.TextFile, error) { return tree.Text(path) })
}

// unavailableDataset is why there is nothing to look at; to other calls than the list NotFound.
type unavailableDataset struct{ error }

func (u *unavailableDataset) Unwrap() error { return u.error }

func unavailable(cause error, message string) error {
	return &unavailableDataset{fault.Wrap(cause, fault.NotFound, "%s", message)}
}

// preview looks into the data of an entry that the caller may see.
func preview[Result any](ctx context.Context, s *Service, id string, look func(*dataset.Tree) (Result, error)) (result Result, err error) {
	resource, err := s.Get(ctx, id)
	if err != nil {
		return result, err
	}
	if resource.Type != Dataset {
		return result, fault.New(fault.NotFound, "This entry is no dataset.")
	}
	select {
	case s.datasetSlots <- struct{}{}:
		defer func() { <-s.datasetSlots }()
	case <-ctx.Done():
		return result, ctx.Err()
	}
	tree, err := s.openDataset(resource.DatasetURL)
	if err != nil {
		return result, err
	}
	defer tree.Close()
	return look(tree)
}

func (s *Service) openDataset(address string) (*dataset.Tree, error) {
	if ValidHTTPS(address) {
		return nil, unavailable(nil, "The data lives at an address of its own, outside this server, so there is no preview of it.")
	}
	if s.datasets == nil {
		return nil, unavailable(nil, "The data is not on this server.")
	}
	tree, err := s.datasets.OpenDataset(address)
	switch {
	case err == nil:
		return tree, nil
	case errors.Is(err, fs.ErrPermission):
		return nil, unavailable(err, "The data is on this server, but the server may not read it. Tell the operators.")
	default:
		return nil, unavailable(err, "The data is not on this server.")
	}
}
