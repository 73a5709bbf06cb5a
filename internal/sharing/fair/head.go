package fair

import (
	"context"
	"encoding/json"

	"cairn/internal/entries/catalog"
)

// headLimit is the size of the description in a page's head, in bytes. Others parse it with every page.
const headLimit = 10_000

// Described is what an entry's page says to programs.
type Described struct {
	JSONLD []byte // safe within a script element
	Links  string // its Link header
}

// Describe returns what the page of a public entry says to programs.
func (s *Service) Describe(ctx context.Context, r catalog.Resource) Described {
	entry, err := s.publicEntry(ctx, r.ID)
	if err != nil { // it was public a moment ago
		entry = *r.Entry()
	}
	record := s.record(ctx, entry, filesInHead)
	if r.HeaderImageURL != "" {
		record.Image = s.options.Site().Public + r.HeaderImageURL
	}
	return Described{headOf(record, s.options.Site()), pageLinks(record)}
}

// headOf writes the record within the limit: what takes most room goes first, the link to the whole form stays.
func headOf(r Record, site Site) []byte {
	short := func(text string, length int) string {
		if runes := []rune(text); len(runes) > length {
			return string(runes[:length])
		}
		return text
	}
	for _, shrink := range []func(){
		func() {},
		func() { r = r.bare(linksInHeader) },
		func() { r.Description = short(r.Description, 1000) },
		func() { r = r.bare(1); r.Relations, r.Funding = nil, nil },
		func() {
			for i := range r.Files {
				r.Files[i].Columns = nil
			}
		},
		func() { r.People, r.Others = r.People[:min(len(r.People), 10)], nil },
		func() { r.Description = short(r.Description, 300) },
		func() { r.Keywords = r.Keywords[:min(len(r.Keywords), 10)] },
		func() { r.Files, r.Source = nil, "" },
	} {
		shrink()
		if text, err := json.Marshal(schemaOf(r, site)); err == nil && len(text) <= headLimit {
			return text // Marshal escapes <, > and &, so no text of an entry can end the element
		}
	}
	return nil
}
