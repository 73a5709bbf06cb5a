package preview

import (
	"bytes"
	"context"
	"slices"

	"cairn/internal/content/notebook"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/diskcache"
	"cairn/internal/foundation/fault"
)

// hasNotebook reports whether there can be a notebook: the entry's own, or the one at a path in its repository.
func hasNotebook(r catalog.Entry, path string) bool {
	return r.Type == catalog.Notebook || (r.Type == catalog.Repository && path != "")
}

// allParts, in an address allPartsText, stands for all parts of a notebook together.
const (
	allParts     = -1
	allPartsText = "all"
	allBytes     = 16_000_000 // of HTML; larger ones show part by part
)

// show returns a part of an entry's notebook, or of the one at a path in its repository, that of an entry's own notebook included; or allParts as one. The first
// part stands for all when they are too large for a page.
func (n *Notebooks) show(ctx context.Context, r catalog.Entry, path string, part int) (shownNotebook, error) {
	if part != allParts {
		return n.showPart(ctx, r, path, part)
	}
	first, err := n.showPart(ctx, r, path, 1)
	if err != nil || first.Parts == 1 {
		return first, err
	}
	all, html := first, [][]byte{first.HTML}
	all.Headings, all.Notes = slices.Clone(first.Headings), slices.Clone(first.Notes)
	for part, size := 2, len(first.HTML); part <= first.Parts; part++ {
		next, err := n.showPart(ctx, r, path, part)
		if err != nil {
			return shownNotebook{}, err
		}
		if size += len(next.HTML); size > allBytes {
			return first, nil
		}
		html, all.Headings = append(html, next.HTML), append(all.Headings, next.Headings...)
		for _, note := range next.Notes {
			if !slices.Contains(all.Notes, note) {
				all.Notes = append(all.Notes, note)
			}
		}
	}
	all.Parts, all.HTML = 1, bytes.Join(html, nil)
	return all, nil
}

// showPart returns one part.
func (n *Notebooks) showPart(ctx context.Context, r catalog.Entry, path string, part int) (shownNotebook, error) {
	if r.Type != catalog.Repository || path == "" {
		return n.showOwn(ctx, r, path, part)
	}
	repository, err := repositoryOf(r, n.options.Hosts)
	if err != nil {
		return shownNotebook{}, err
	}
	file, err := n.options.Hosts.File(ctx, repository, path, notebook.SourceBytes)
	if err != nil {
		return shownNotebook{}, err
	}
	document, err := n.rendered.part(ctx, diskcache.DigestOf(file.Content), file.Path, part, func() ([]byte, error) { return file.Content, nil })
	shown := shownNotebook{Document: document, Size: int64(len(file.Content)), Fetched: file.AsOf, beside: beside{path: file.Path, pages: file.FilesURL}}
	if file.FilesURL != "" {
		shown.Link = file.FilesURL + escapedPath("/" + file.Path)[1:]
	}
	if file.Stale {
		shown.Failure = fault.New(fault.Unavailable, "The code host can't be reached at the moment. Try again in a while.")
	}
	return shown, err
}
