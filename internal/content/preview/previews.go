package preview

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"cairn/internal/content/cite"
	"cairn/internal/content/notebook"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/safehttp"
)

// Links sign the addresses of previews, which are opened without a token.
type Links struct {
	Images    ImageLinks
	Frames    FrameLinks
	Downloads DownloadLinks
}

// NewLinks returns the links, signed with secrets that all servers on one database share. secret returns the one of a name.
func NewLinks(ctx context.Context, secret func(ctx context.Context, name string) ([]byte, error), addresses FrameAddresses, now func() time.Time) (links Links, err error) {
	var keys [3][]byte
	for i, name := range []string{ImageSecret, FrameSecret, DownloadSecret} {
		if keys[i], err = secret(ctx, name); err != nil {
			return links, err
		}
	}
	return Links{NewImageLinks(keys[0], now), NewFrameLinks(keys[1], addresses, now), NewDownloadLinks(keys[2], now)}, nil
}

// Dependencies are what all previews together need.
type Dependencies struct {
	Entries   Entries
	Links     Links
	Hosts     *codehost.Hosts
	Datasets  DatasetSource
	Client    *safehttp.Client // for addresses in entries
	Folder    string           // of the caches
	Downloads DatasetDownloads // its links are set by New
	Script    []byte           // MathJax's; without it formulas stay text
	Public    string           // origin of the page
	Publisher func() string    // the name of who publishes the entries, for citations
	Embedders []string         // origins of other pages that show notebooks
	GitHubRaw string           // "": github.com's own
	Bundled   fs.FS            // notebooks that ship with the server; nil: none
	Kept      KeptFiles        // nil: this server keeps none
	BundledAt string           // of bundled notebooks
	Now       func() time.Time
	Logger    *slog.Logger
}

// Previews are all of them. The zero value only has routes.
type Previews struct {
	Images    *HeaderImages
	Files     *Files
	Notebooks *Notebooks
	Datasets  *Datasets
}

// New opens the previews and their caches.
func New(ctx context.Context, d Dependencies) (p Previews, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	p.Images, err = NewHeaderImages(ctx, d.Entries, d.Links.Images, HeaderImageOptions{
		Client: d.Client, Hosts: d.Hosts, Folder: filepath.Join(d.Folder, "header-images"), Now: d.Now, Logger: d.Logger,
	})
	if err != nil {
		return p, err
	}
	renderer, err := notebook.New(notebook.Options{Script: d.Script})
	if err != nil {
		return p, err
	}
	p.Notebooks, err = NewNotebooks(ctx, d.Entries, d.Links.Frames, NotebookOptions{
		Client: d.Client, Folder: filepath.Join(d.Folder, "notebooks"), Bundled: d.Bundled, Kept: d.Kept, BundledAt: d.BundledAt, GitHubRaw: d.GitHubRaw,
		Hosts: d.Hosts, Pictures: p.Images, Renderer: renderer, Downloads: d.Links.Downloads, Public: d.Public, Embedders: d.Embedders, Now: d.Now, Logger: d.Logger,
	})
	if err != nil {
		return p, err
	}
	highlighter, err := notebook.NewHighlighter()
	if err != nil {
		return p, err
	}
	p.Files = NewFiles(d.Entries, d.Hosts, highlighter, cite.Catalog{Publisher: d.Publisher, Public: d.Public})
	d.Downloads.Links = d.Links.Downloads
	p.Datasets = NewDatasets(d.Entries, d.Datasets, d.Downloads)
	return p, nil
}

// Close ends the fetches under way and waits for them.
func (p Previews) Close() error {
	var faults []error
	if p.Notebooks != nil {
		faults = append(faults, p.Notebooks.Close())
	}
	if p.Images != nil {
		faults = append(faults, p.Images.Close())
	}
	return errors.Join(faults...)
}
