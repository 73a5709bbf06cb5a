package page

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/site"
)

// eventsContent is what the document of the events shows.
type eventsContent struct {
	*site.Site

	Held map[string][]heldWorkshop // by the slug of the event
}

// heldWorkshop is a workshop that took place as part of an event.
type heldWorkshop struct {
	Event    string
	Name     string
	StartsAt time.Time
	Entry    *heldEntry
}

type heldEntry struct {
	ID, Name string
	Type     catalog.Type
}

// Day returns when it took place.
func (w heldWorkshop) Day() moment { return momentOf(w.StartsAt) }

// Path returns the path of the entry's page.
func (e heldEntry) Path() string { return entryPath(catalog.Entry{ID: e.ID, Type: e.Type}) }

func (s *Server) eventsContentOf(ctx context.Context, found found) eventsContent {
	content := eventsContent{Site: found.site, Held: map[string][]heldWorkshop{}}
	var held []heldWorkshop
	if found.first.status == http.StatusOK {
		if err := json.Unmarshal(found.first.body, &held); err != nil {
			s.options.Logger.WarnContext(ctx, "the document's workshops cannot be read", "error", err)
		}
	}
	for _, one := range held {
		content.Held[one.Event] = append(content.Held[one.Event], one)
	}
	return content
}
