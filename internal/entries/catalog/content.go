package catalog

import (
	"context"
	"maps"
)

// NoteContent makes the text of one of an entry's files findable: Markdown of which only the beginning counts. It is for
// whoever reads a file anyway to show it to somebody who may see the entry. Failures are logged: the file is shown all the
// same.
func (s *Service) NoteContent(ctx context.Context, id, source, markdown string) {
	text := contentOf(markdown)
	known, _ := s.searchIndex.noted.Get(id)
	if before, ok := known[source]; ok && before == text {
		return
	}
	ctx = context.WithoutCancel(ctx) // the reader may leave
	stored, changes, err := s.store.NoteContent(ctx, id, source, text)
	if err != nil {
		s.searchIndex.logger.WarnContext(ctx, "the content of an entry can't be made findable; trying again when it is shown again", "entry", id, "error", err)
		return
	}
	s.searchIndex.changed(ctx, changes, s.searchIndex.loadDocuments)
	if stored {
		known, _ = s.searchIndex.noted.Get(id)
		next := maps.Clone(known)
		if next == nil {
			next = map[string]string{}
		}
		next[source] = text
		s.searchIndex.noted.Add(id, next)
	}
}
