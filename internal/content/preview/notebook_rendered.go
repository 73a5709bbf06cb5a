package preview

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"cairn/internal/content/notebook"
	"cairn/internal/foundation/fault"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// renderedNotebooks caches recently rendered parts of notebooks by the digest of their files, so it never becomes
// stale. It has nothing that depends on an entry or a reader: the addresses of other files come later.
type renderedNotebooks struct {
	renderer *notebook.Renderer
	slots    chan struct{} // one per processor except one, which serves
	slotTime time.Duration // how long a reader waits for a slot

	mu      sync.Mutex
	flights map[renderedKey]*flight
	recent  *simplelru.LRU[renderedKey, notebook.Document]
	bytes   int
}

type renderedKey struct {
	digest string // of the file
	path   string // in its repository, on which addresses in it depend; "" if it is in none
	part   int
}

// Limits of the cache, and of rendering one part.
const (
	renderedParts = 2_000
	renderedBytes = 64_000_000
	renderTime    = 20 * time.Second
	slotTime      = 10 * time.Second
)

func newRenderedNotebooks(renderer *notebook.Renderer) *renderedNotebooks {
	c := &renderedNotebooks{
		renderer: renderer, slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)), slotTime: slotTime, flights: map[renderedKey]*flight{},
	}
	recent, err := simplelru.NewLRU(renderedParts, func(_ renderedKey, document notebook.Document) { c.bytes -= len(document.HTML) })
	if err != nil {
		panic(err) // only for a size below 1
	}
	c.recent = recent
	return c
}

// part returns a part of the notebook that read returns; NotFound when there is no part of this number.
func (c *renderedNotebooks) part(ctx context.Context, digest, path string, number int, read func() ([]byte, error)) (notebook.Document, error) {
	first, err := c.get(ctx, renderedKey{digest, path, 1}, read)
	if err != nil || number == 1 {
		return first, err
	}
	if number < 1 || number > first.Parts { // without reading it again
		return notebook.Document{}, fault.New(fault.NotFound, "This notebook has no part %d; it has %d.", number, first.Parts)
	}
	return c.get(ctx, renderedKey{digest, path, number}, read)
}

// flight is a part that is being rendered.
type flight struct {
	done     chan struct{} // closed when it is rendered
	document notebook.Document
	err      error
}

// get renders a part once for all who ask for it at the same time. Whoever asked first stays until it is rendered, and
// so does what they read from; one who leaves before their turn leaves it to the next.
func (c *renderedNotebooks) get(ctx context.Context, key renderedKey, read func() ([]byte, error)) (notebook.Document, error) {
	for {
		c.mu.Lock()
		known, ok := c.recent.Get(key)
		making := c.flights[key]
		first := !ok && making == nil
		if first {
			making = &flight{done: make(chan struct{})}
			c.flights[key] = making
		}
		c.mu.Unlock()
		switch {
		case ok:
			return known, nil
		case first:
			making.document, making.err = c.render(ctx, key, read)
			c.mu.Lock()
			delete(c.flights, key)
			c.mu.Unlock()
			close(making.done)
			return making.document, making.err
		}
		select {
		case <-making.done:
			if !errors.Is(making.err, errLeft) {
				return making.document, making.err
			}
		case <-ctx.Done():
			return notebook.Document{}, ctx.Err()
		}
	}
}

// errLeft is the cause when a reader left before their turn.
var errLeft = errors.New("the reader left")

// acquireSlot waits for a slot, at most slotTime.
func (c *renderedNotebooks) acquireSlot(ctx context.Context) error {
	select {
	case c.slots <- struct{}{}:
		return nil
	default:
	}
	late := time.NewTimer(c.slotTime)
	defer late.Stop()
	select {
	case c.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return errors.Join(errLeft, ctx.Err())
	case <-late.C:
		busy := fault.New(fault.Unavailable, "Many notebooks are being rendered right now. Try again in a moment.")
		busy.RetryAfter = c.slotTime
		return busy
	}
}

// render renders a part and caches it. The server survives whatever a notebook does to the libraries that parse it.
func (c *renderedNotebooks) render(ctx context.Context, key renderedKey, read func() ([]byte, error)) (document notebook.Document, err error) {
	if err := c.acquireSlot(ctx); err != nil {
		return notebook.Document{}, err
	}
	ctx = context.WithoutCancel(ctx) // from here on others may wait for it
	defer func() { <-c.slots }()
	defer func() {
		if value := recover(); value != nil {
			err = fault.Wrap(fmt.Errorf("panic: %v\n%s", value, debug.Stack()), fault.Internal, "This notebook cannot be rendered. Tell the operators.")
		}
	}()
	content, err := read() // here, so that no more of them are in memory than are being rendered
	if err != nil {
		return notebook.Document{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, renderTime)
	defer cancel()
	document, err = c.renderer.Render(ctx, content, key.path, key.part)
	if ctx.Err() != nil {
		return notebook.Document{}, fault.Wrap(ctx.Err(), fault.Unavailable, "This notebook takes too long to render. Try again in a while, or open its source.")
	}
	if err == nil {
		c.keep(key, document)
	}
	return document, err
}

// keep keeps a part instead of those that were read longest ago, and one part even when it alone exceeds renderedBytes:
// the largest parts take longest to render.
func (c *renderedNotebooks) keep(key renderedKey, document notebook.Document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recent.Remove(key)
	c.bytes += len(document.HTML)
	c.recent.Add(key, document)
	for c.bytes > renderedBytes && c.recent.Len() > 1 {
		c.recent.RemoveOldest()
	}
}
