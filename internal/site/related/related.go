package related

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/projects"
	"cairn/internal/site"
)

// The bounds of an answer, and of the searches for it.
const (
	most          = 6
	comparedTags  = 8  // tags of the entry at most, by value
	candidates    = 12 // found by each search, most used first
	comparedUsers = 20 // projects at most, newest first
)

// Reason is why an entry is related.
type Reason string

// The reasons, the strongest first.
const (
	SameRepository Reason = "repository"
	SameProject    Reason = "project"
	SameEvent      Reason = "event"
	SameTags       Reason = "tags"
)

// RelatedEntry is an entry with why it is related.
type RelatedEntry struct {
	ID       string       `json:"id" format:"uuid"`
	Name     string       `json:"name"`
	Type     catalog.Type `json:"type"`
	CoverURL string       `json:"coverUrl,omitempty"`
	Why      Why          `json:"why"`
}

// Why is a reason with what it is about.
type Why struct {
	Reason  Reason       `json:"reason" enum:"repository,project,event,tags"`
	Project *ProjectName `json:"project,omitempty" doc:"The project that holds both"`
	Event   *EventName   `json:"event,omitempty" doc:"The event that both are from"`
	Tags    []string     `json:"tags,omitempty" doc:"The tags that both have, the rarest first"`
}

// ProjectName names a project that the caller may see.
type ProjectName struct {
	ID   string `json:"id" format:"uuid"`
	Name string `json:"name"`
}

// EventName names an event; its slug is the fragment of its address on the page of events.
type EventName struct {
	Slug  string `json:"slug"`
	Title string `json:"title"`
}

// Service finds related entries for callers, within what they may see.
type Service struct {
	Entries  *catalog.Service
	Projects *projects.Service
	Events   func() []site.Event
}

// Of returns the entries that belong to one, the closest first, and the events that it is from; NotFound when it is absent
// or hidden from the caller.
func (s *Service) Of(ctx context.Context, id string) ([]RelatedEntry, []EventName, error) {
	entry, err := s.Entries.Detail(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	found := &finding{entry: entry, reasons: map[string]Why{entry.ID: {}}}
	if entry.RepositoryID != "" {
		found.add(entry.RepositoryID, Why{Reason: SameRepository})
	}
	using, err := s.Projects.Using(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	for _, project := range using[:min(len(using), comparedUsers)] {
		why := Why{Reason: SameProject, Project: &ProjectName{ID: project.ID, Name: project.Name}}
		found.add(project.RepositoryResource.ID, why)
		for _, dataset := range project.DatasetResources {
			found.add(dataset.ID, why)
		}
	}
	shared, err := s.sharing(ctx, entry)
	if err != nil {
		return nil, nil, err
	}
	found.sameRepository(shared)
	events := s.eventsOf(entry)
	for _, event := range events {
		for _, one := range shared.entries {
			if slices.ContainsFunc(one.Tags, func(tag catalog.Tag) bool { return tag.Value == event.tag }) {
				found.add(one.ID, Why{Reason: SameEvent, Event: &event.EventName})
			}
		}
	}
	for _, one := range shared.closest() {
		found.add(one.ID, Why{Reason: SameTags, Tags: shared.with(one)})
	}
	entries, err := s.visible(ctx, found)
	names := make([]EventName, len(events))
	for i, event := range events {
		names[i] = event.EventName
	}
	return entries, names, err
}

// finding collects entries in the order of their reasons.
type finding struct {
	entry   catalog.Resource
	ids     []string
	reasons map[string]Why // by id; each entry has the first one found
}

func (f *finding) add(id string, why Why) {
	if _, there := f.reasons[id]; id == "" || there {
		return
	}
	f.reasons[id] = why
	f.ids = append(f.ids, id)
}

// sameRepository adds the notebooks of the entry's repository. Their authors tag them alike, so they are among those that
// share a tag.
func (f *finding) sameRepository(shared sharing) {
	key := f.entry.HoldingRepository()
	for _, one := range shared.entries {
		if key != "" && one.HoldingRepository() == key {
			f.add(one.ID, Why{Reason: SameRepository})
		}
	}
	slices.SortStableFunc(f.ids, func(a, b string) int { return cmp.Compare(f.rank(a), f.rank(b)) })
}

func (f *finding) rank(id string) int {
	if f.reasons[id].Reason == SameRepository {
		return 0
	}
	return 1
}

// visible returns the first of the found entries that the caller may see now.
func (s *Service) visible(ctx context.Context, found *finding) ([]RelatedEntry, error) {
	entries := []RelatedEntry{}
	for ids := found.ids; len(ids) > 0 && len(entries) < most; {
		batch := ids[:min(len(ids), most)]
		ids = ids[len(batch):]
		rows, err := s.Entries.Visible(ctx, batch)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if len(entries) < most {
				entries = append(entries, RelatedEntry{ID: r.ID, Name: r.Name, Type: r.Type, CoverURL: r.CoverURL, Why: found.reasons[r.ID]})
			}
		}
	}
	return entries, nil
}

// sharing are entries that share tags with one.
type sharing struct {
	entries []*catalog.Resource
	weights map[string]float64 // of the tags; the rarer, the more
}

func (s *Service) sharing(ctx context.Context, entry catalog.Resource) (sharing, error) {
	shared := sharing{weights: map[string]float64{}}
	seen := map[string]bool{entry.ID: true}
	for _, tag := range entry.Tags[:min(len(entry.Tags), comparedTags)] {
		page, err := s.Entries.Search(ctx, catalog.Query{Tags: []string{tag.Value}, Sort: catalog.SortUsed, Limit: candidates + 1}, true)
		if err != nil {
			return shared, err
		}
		shared.weights[tag.Value] = 1 / math.Log2(2+float64(page.Total))
		for i := range page.Resources {
			if one := &page.Resources[i]; !seen[one.ID] {
				seen[one.ID] = true
				shared.entries = append(shared.entries, one)
			}
		}
	}
	return shared, nil
}

// with returns the tags that an entry shares, the rarest first.
func (s sharing) with(one *catalog.Resource) []string {
	var tags []string
	for _, tag := range one.Tags {
		if _, both := s.weights[tag.Value]; both {
			tags = append(tags, tag.Value)
		}
	}
	slices.SortFunc(tags, func(a, b string) int { return cmp.Or(cmp.Compare(s.weights[b], s.weights[a]), strings.Compare(a, b)) })
	return tags
}

// closest returns the entries by the weight of what they share.
func (s sharing) closest() []*catalog.Resource {
	weight := func(one *catalog.Resource) (sum float64) {
		for _, tag := range s.with(one) {
			sum += s.weights[tag]
		}
		return sum
	}
	sorted := slices.Clone(s.entries)
	slices.SortStableFunc(sorted, func(a, b *catalog.Resource) int { return cmp.Compare(weight(b), weight(a)) })
	return sorted
}

type taggedEvent struct {
	EventName

	tag string
}

// eventsOf returns the events whose tag an entry has.
func (s *Service) eventsOf(entry catalog.Resource) []taggedEvent {
	var events []taggedEvent
	for _, event := range s.Events() {
		if event.Tag != "" && slices.ContainsFunc(entry.Tags, func(tag catalog.Tag) bool { return tag.Value == event.Tag }) {
			events = append(events, taggedEvent{EventName{Slug: event.Slug, Title: event.Title}, event.Tag})
		}
	}
	return events
}
