package catalog

import (
	"context"
	"net/url"
	"strings"

	"cairn/internal/diskcache"
	"cairn/internal/fault"
	"cairn/internal/notebook"
)

// hasNotebook tells whether there can be a notebook: that of an entry itself, or the one at a path of its repository.
func hasNotebook(r Resource, path string) bool {
	return (r.Type == Notebook && path == "") || (r.Type == Repository && path != "")
}

// showNotebook gives a part of the notebook of an entry, or of the one at a path of its repository.
func (s *Service) showNotebook(ctx context.Context, r Resource, path string, part int) (shownNotebook, error) {
	if r.Type != Repository || path == "" || s.notebooks == nil {
		return s.notebooks.show(ctx, r, part)
	}
	repository, err := s.repositoryOf(r)
	if err != nil {
		return shownNotebook{}, err
	}
	file, err := s.hosts.File(ctx, repository, path, notebook.SourceBytes)
	if err != nil {
		return shownNotebook{}, err
	}
	document, err := s.notebooks.rendered.part(ctx, diskcache.DigestOf(file.Content), part, func() ([]byte, error) { return file.Content, nil })
	shown := shownNotebook{Document: document, Size: int64(len(file.Content)), Fetched: file.AsOf}
	if file.FilesURL != "" {
		shown.Link = file.FilesURL + strings.TrimPrefix((&url.URL{Path: "/" + file.Path}).EscapedPath(), "/")
	}
	if file.Stale {
		shown.Failure = fault.New(fault.Unavailable, "The code host cannot be asked at the moment. Try again in a while.")
	}
	return shown, err
}
