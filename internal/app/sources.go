package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cairn/internal/content/dataset"
	"cairn/internal/content/kept"
	"cairn/internal/sessions/engine"
	"cairn/internal/site/demo"
)

// sources finds repositories and datasets on this machine for the features.
type sources struct {
	demoDir   string // where the demo's content is installed; "" outside the demo
	publicURL string
	root      string // the operator's data root; "" when there is none
	kept      *kept.Files
}

// RepositoryPath implements sessions.Sources.
func (s sources) RepositoryPath(address string) string {
	if path := s.kept.RepositoryPath(address); path != "" || s.demoDir == "" {
		return path
	}
	path, _ := demo.RepositoryPath(s.demoDir, s.publicURL, address)
	return path
}

// dataRoot returns the folder of datasets that engines on other machines can also mount; "" when there isn't one. The
// demo's datasets are bundled.
func (s sources) dataRoot() string {
	if s.root == "" && s.demoDir != "" {
		return filepath.Join(s.demoDir, "datasets")
	}
	return s.root
}

// notebooks returns the notebooks that ship with this server; nil outside the demo.
func (s sources) notebooks() fs.FS {
	if s.demoDir == "" {
		return nil
	}
	return demo.NotebookFS()
}

var errNotHere = errors.New("it isn't on this server")

// DatasetPath implements sessions.Sources. Folders of the operator are opened below the root, which symbolic links
// can't leave.
func (s sources) DatasetPath(address string) (string, error) {
	if path, ok, err := s.kept.Path(address); ok {
		if err != nil {
			return "", errors.Join(errNotHere, err)
		}
		return path, nil
	}
	if s.demoDir != "" {
		if path, ok := demo.DatasetPath(s.demoDir, address); ok {
			return path, nil
		}
	}
	if s.root == "" || strings.Contains(address, ":") {
		return "", errNotHere
	}
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return "", errNotHere
	}
	defer root.Close()
	if _, err := root.Stat(address); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", errNotHere
		}
		return "", errors.New("it can't be read on this server")
	}
	// What the root lets us open is below it. The engine mounts the resolved path, so no link is followed again.
	path, err := filepath.EvalSymlinks(filepath.Join(s.root, address))
	if err != nil {
		return "", errNotHere
	}
	return filepath.Abs(path)
}

// PackedDataset implements sessions.Sources.
func (s sources) PackedDataset(ctx context.Context, address, sessionID string) (key string, file engine.RemoteFile, ok bool) {
	link, ok := s.kept.Link(ctx, s.publicURL, address, sessionID)
	return link.Key, engine.RemoteFile{Path: kept.PackedName, URL: link.URL, Token: link.Token, Bytes: -1}, ok && engine.CanFetch(link.URL)
}

// OpenDataset implements preview.DatasetSource, with the same rules.
func (s sources) OpenDataset(address string) (*dataset.Tree, error) {
	if tree, ok, err := s.kept.OpenDataset(address); ok {
		return tree, err
	}
	if s.demoDir != "" {
		if path, ok := demo.DatasetPath(s.demoDir, address); ok {
			return dataset.Open(path, ".")
		}
	}
	if s.root == "" || strings.Contains(address, ":") {
		return nil, fs.ErrNotExist
	}
	return dataset.Open(s.root, address)
}
