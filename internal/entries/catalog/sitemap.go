package catalog

import (
	"context"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
)

// Sitemap lists the public entries for search engines, in parts by id. Ids ascend with time, so new entries are added
// to the last part and the others don't change. The boundaries of parts are cached for some minutes, because finding
// them means walking through all entries.
type Sitemap struct {
	store *Store
	size  int
	now   func() time.Time

	mu     sync.Mutex
	bounds []string // each part begins after one of these ids
	until  time.Time
}

const (
	sitemapSize  = 50_000 // entries in a part: the maximum of the sitemap protocol
	sitemapTime  = 10 * time.Minute
	sitemapChunk = 5_000 // entries in memory at once
	afterAllIDs  = "g"   // ids begin with a hexadecimal digit
)

// NewSitemap returns a sitemap of the store's public entries.
func NewSitemap(store *Store, now func() time.Time) *Sitemap {
	return &Sitemap{store: store, size: sitemapSize, now: now}
}

// Parts returns the number of parts.
func (m *Sitemap) Parts(ctx context.Context) (int, error) {
	bounds, err := m.find(ctx)
	return len(bounds), err
}

func (m *Sitemap) find(ctx context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now().Before(m.until) {
		return m.bounds, nil
	}
	var bounds []string
	after := ""
	for {
		next, err := m.store.publicIDAfter(ctx, after, 0)
		if err != nil {
			return nil, err
		}
		if next == "" {
			break
		}
		bounds = append(bounds, after)
		if after, err = m.store.publicIDAfter(ctx, after, m.size-1); err != nil {
			return nil, err
		}
		if after == "" {
			break
		}
	}
	m.bounds, m.until = bounds, m.now().Add(sitemapTime)
	return bounds, nil
}

// Part shows the entries of a part, counted from 1, a few thousand at a time; NotFound when there is no such part. No
// query is open while show runs.
func (m *Sitemap) Part(ctx context.Context, number int, show func([]SitemapEntry) error) error {
	bounds, err := m.find(ctx)
	if err != nil {
		return err
	}
	if number < 1 || number > len(bounds) {
		return fault.New(fault.NotFound, "The sitemap has no part of this number; it has %d.", len(bounds))
	}
	after, upTo := bounds[number-1], afterAllIDs
	if number < len(bounds) {
		upTo = bounds[number]
	}
	for left := m.size; left > 0; {
		entries, err := m.store.publicAfter(ctx, after, upTo, min(left, sitemapChunk))
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			return nil
		}
		if err := show(entries); err != nil {
			return err
		}
		left -= len(entries)
		after = entries[len(entries)-1].ID
	}
	return nil
}
