package cover

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"

	"golang.org/x/sync/singleflight"
)

// Covers makes covers and caches them on disk.
type Covers struct {
	options Options
	cache   *Cache
	making  singleflight.Group // by key
	painter chan struct{}      // one picture is decoded at a time: it may take a hundred megabytes
	running context.Context    //nolint:containedctx // a cover is made for all who asked for it, and ends with the server
	stop    context.CancelFunc
	tasks   sync.WaitGroup
}

// Options configure Covers.
type Options struct {
	Images    *preview.HeaderImages
	Notebooks Notebooks
	Datasets  preview.DatasetSource
	Hosts     *codehost.Hosts
	Cache     *Cache
	Wait      time.Duration // how long a reader waits for the sources of a cover; 0: 4 s
	Now       func() time.Time
	Logger    *slog.Logger
}

// Notebooks reads notebooks.
type Notebooks interface {
	// Source returns the notebook at a notebookPath.
	Source(ctx context.Context, notebookPath string) ([]byte, error)
}

// codehostShare is whose share of a code host's limit covers use. Those who open a page full of repositories keep theirs.
const codehostShare = "covers"

const (
	readerWait  = 4 * time.Second
	makingTime  = 30 * time.Second // with the wait for other covers
	retryAfter  = 10 * time.Minute // a source that failed is asked again
	cacheSize   = 200_000_000      // bytes on disk
	coverBytes  = 60_000           // of a cover
	readingSize = 1_000_000        // bytes of a README
)

// Cover is a picture, ready to serve.
type Cover struct {
	MIME    string
	Content []byte
	Lasting bool // as good as it gets until the entry changes; otherwise its source is asked again
}

// about is what the cache stores about a cover beside its content.
type about struct {
	MIME  string    `json:"mime"`
	Kind  Kind      `json:"kind"`
	Until time.Time `json:"until"` // zero for a lasting one
}

// New returns the covers, which are made when they are asked for.
func New(ctx context.Context, options Options) *Covers {
	if options.Wait == 0 {
		options.Wait = readerWait
	}
	c := &Covers{options: options, cache: options.Cache, painter: make(chan struct{}, 1)}
	c.running, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	return c
}

// Close ends the covers being made and waits for them.
func (c *Covers) Close() error {
	c.stop()
	c.tasks.Wait()
	return nil
}

// look is raised when all covers have to be made again.
const look = "2"

// version changes with an entry, so that its cover may be cached forever.
func version(r catalog.Entry) string {
	return look + kindLetter(r) + strconv.FormatInt(r.UpdatedAt.UnixMilli(), 36)
}

func kindLetter(r catalog.Entry) string {
	if r.Type == "" {
		return "x"
	}
	return string(r.Type[0] | 0x20)
}

// open returns the cover of an entry, or the picture for links to it in chats. It never fails: while a source is slow,
// the cover is a drawing.
func (c *Covers) open(ctx context.Context, r catalog.Entry, social bool) Cover {
	if !social && !hasSource(r, c.options.Hosts) {
		return Cover{drawingMIME, stones(r).svg(), true}
	}
	key := keyOf(r)
	if social {
		key += "\nsocial"
	}
	if kept, ok := c.cached(key); ok {
		return kept
	}
	ended := c.making.DoChan(key, func() (any, error) {
		if kept, ok := c.cached(key); ok { // it may have been made since this reader looked
			return kept, nil
		}
		c.tasks.Add(1)
		defer c.tasks.Done()
		return c.keep(key, r, social), nil
	})
	late := time.NewTimer(c.options.Wait)
	defer late.Stop()
	select {
	case result := <-ended:
		if made, ok := result.Val.(Cover); ok {
			return made
		}
	case <-late.C:
	case <-ctx.Done():
	}
	return c.drawn(r, social)
}

// drawn is the cover of an entry whose sources can't be read now.
func (c *Covers) drawn(r catalog.Entry, social bool) Cover {
	if social {
		return Cover{MIME: pngMIME, Content: socialDrawing(r)}
	}
	return Cover{MIME: drawingMIME, Content: stones(r).svg()}
}

func (c *Covers) cached(key string) (Cover, bool) {
	item := c.cache.files.Get(key)
	if item == nil {
		return Cover{}, false
	}
	defer item.Close()
	lasting := item.About.Until.IsZero()
	if !lasting && !c.options.Now().Before(item.About.Until) {
		return Cover{}, false
	}
	content, err := io.ReadAll(item)
	return Cover{item.About.MIME, content, lasting}, err == nil
}

// keep makes a cover and caches it. A drawing in place of a source that failed is kept for a while only.
func (c *Covers) keep(key string, r catalog.Entry, social bool) Cover {
	ctx, cancel := context.WithTimeout(codehost.AskedBy(c.running, codehostShare), makingTime)
	defer cancel()
	found, err := c.find(ctx, r)
	select {
	case c.painter <- struct{}{}:
		defer func() { <-c.painter }()
	case <-ctx.Done():
		return c.drawn(r, social)
	}
	if err == nil {
		err = found.decode()
	}
	made := Cover{Lasting: err == nil}
	if social {
		made.MIME, made.Content = pngMIME, found.social(r)
	} else {
		made.MIME, made.Content = found.cover(r)
	}
	if c.running.Err() != nil { // the source failed because the server ends
		return made
	}
	kept := about{MIME: made.MIME, Kind: found.kind(r, made.MIME)}
	now := c.options.Now()
	if err != nil {
		kept.Until = now.Add(retryAfter)
	}
	if err := c.cache.put(key, kept, made.Content, now); err != nil {
		c.options.Logger.Error("a cover cannot be kept", "error", err)
	}
	return made
}
