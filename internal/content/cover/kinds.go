package cover

import (
	"time"

	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/diskcache"
	"cairn/internal/foundation/fault"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Kind says what a cover shows.
type Kind = catalog.CoverKind

// Cache keeps covers on disk, and tells what those that were made show.
type Cache struct {
	files *diskcache.Cache[about]
	kinds *lru.Cache[string, Kind] // by keyOf; "" for those that weren't made yet, or whose source failed
}

// kindsKept bounds the kinds in memory; each is about 100 bytes.
const kindsKept = 20_000

// OpenCache opens a folder for covers; anything else in it is removed.
func OpenCache(folder string) (*Cache, error) {
	files, err := diskcache.Open[about](folder, cacheSize)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The folder %s for covers cannot be used.", folder)
	}
	kinds, err := lru.New[string, Kind](kindsKept)
	return &Cache{files, kinds}, err
}

func (c *Cache) put(key string, kept about, content []byte, at time.Time) error {
	if kept.Until.IsZero() {
		c.kinds.Add(key, kept.Kind)
	}
	return c.files.Put(key, kept, content, at)
}

// kindOf returns what the cover of an entry shows. Before it was made, that is what its source is likely to have.
func (c *Cache) kindOf(r catalog.Entry, hosts *codehost.Hosts) Kind {
	if !hasSource(r, hosts) {
		return catalog.CoverDrawing
	}
	key := keyOf(r)
	kind, known := c.kinds.Get(key)
	if !known {
		if item := c.files.Get(key); item != nil {
			if item.About.Until.IsZero() {
				kind = item.About.Kind
			}
			_ = item.Close()
		}
		c.kinds.Add(key, kind)
	}
	switch {
	case kind != "":
		return kind
	case preview.HasHeaderImage(r):
		return catalog.CoverHeader
	case r.Type == catalog.Notebook:
		return catalog.CoverPlot
	case r.Type == catalog.Dataset:
		return catalog.CoverColumn
	default:
		return catalog.CoverPicture
	}
}

// kind returns what a cover made from a source shows, by the kind of its content.
func (s source) kind(r catalog.Entry, mime string) Kind {
	switch {
	case s.lines != nil:
		return catalog.CoverColumn
	case len(s.languages) > 0:
		return catalog.CoverLanguages
	case s.decoded == nil || mime == drawingMIME:
		return catalog.CoverDrawing
	case s.photo:
		return catalog.CoverHeader
	case r.Type == catalog.Notebook:
		return catalog.CoverPlot
	default:
		return catalog.CoverPicture
	}
}

func keyOf(r catalog.Entry) string { return r.ID + "\n" + version(r) }
