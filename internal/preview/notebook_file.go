package preview

import (
	"context"
	"net/url"
	"strings"

	"cairn/internal/catalog"
	"cairn/internal/diskcache"
	"cairn/internal/fault"
	"cairn/internal/notebook"
)

// hasNotebook reports whether there can be a notebook: the entry's own, or the one at a path in its repository.
func hasNotebook(r catalog.Resource, path string) bool {
	return (r.Type == catalog.Notebook && path == "") || (r.Type == catalog.Repository && path != "")
}

// show returns a part of an entry's notebook, or of the one at a path in its repository.
func (n *Notebooks) show(ctx context.Context, r catalog.Resource, path string, part int) (shownNotebook, error) {
	if r.Type != catalog.Repository || path == "" {
		return n.showOwn(ctx, r, part)
	}
	repository, err := repositoryOf(r, n.options.Hosts)
	if err != nil {
		return shownNotebook{}, err
	}
	file, err := n.options.Hosts.File(ctx, repository, path, notebook.SourceBytes)
	if err != nil {
		return shownNotebook{}, err
	}
	document, err := n.rendered.part(ctx, diskcache.DigestOf(file.Content), part, func() ([]byte, error) { return file.Content, nil })
	shown := shownNotebook{Document: document, Size: int64(len(file.Content)), Fetched: file.AsOf}
	if file.FilesURL != "" {
		shown.Link = file.FilesURL + strings.TrimPrefix((&url.URL{Path: "/" + file.Path}).EscapedPath(), "/")
	}
	if file.Stale {
		shown.Failure = fault.New(fault.Unavailable, "The code host cannot be asked at the moment. Try again in a while.")
	}
	return shown, err
}
