package versions

import (
	"context"
	"errors"
	"io"
	"sync"
)

// ahead reads the chunks of files before they are needed, several at a time.
type ahead struct {
	ctx    context.Context //nolint:containedctx // of one Restore
	cancel context.CancelFunc
	store  *storeState
	queue  chan *coming
	work   chan *coming
	done   sync.WaitGroup
	feeder sync.WaitGroup
}

// coming is a chunk that is being read. A hole has no content.
type coming struct {
	part

	chunk  []byte
	buffer []byte // that it is in
	err    error
	ready  chan struct{}
}

var buffers = sync.Pool{New: func() any { return make([]byte, 0, chunkMost) }}

func (c *coming) read(store *storeState, near *window) {
	header, body, err := store.read(c.digest, near)
	if err == nil {
		c.buffer, _ = buffers.Get().([]byte)
		c.chunk, err = header.contentIn(body, c.buffer)
	}
	if err == nil && !header.compressed {
		c.chunk = append(c.buffer[:0], c.chunk...) // out of the window
	}
	if err == nil && int64(len(c.chunk)) != c.length {
		err = ErrDamaged
	}
	c.err = err
}

// done gives the chunk's memory back.
func (c *coming) done() {
	if c.buffer != nil {
		buffers.Put(c.buffer) //nolint:staticcheck // a slice's header is small beside its chunk
		c.buffer, c.chunk = nil, nil
	}
}

const (
	readers   = 2
	readAhead = 64 // chunks
)

func newAhead(ctx context.Context, store *storeState) *ahead {
	a := &ahead{store: store, queue: make(chan *coming, readAhead), work: make(chan *coming, readAhead)}
	a.ctx, a.cancel = context.WithCancel(ctx)
	for range readers {
		a.done.Go(func() {
			near := &window{}
			for one := range a.work {
				one.read(store, near)
				close(one.ready)
			}
		})
	}
	return a
}

// begin says which files come next: after those that it was called for before.
func (a *ahead) begin(files []*node) {
	a.feeder.Wait() // the files before are in the queue
	a.feeder.Go(func() {
		for _, n := range files {
			err := a.store.parts(n.content, n.size, a.expect)
			if err == nil {
				continue
			}
			failed := &coming{err: err, ready: make(chan struct{})}
			close(failed.ready)
			select {
			case a.queue <- failed:
			case <-a.ctx.Done():
			}
			return
		}
	})
}

func (a *ahead) expect(one part) error {
	next := &coming{part: one, ready: make(chan struct{})}
	select {
	case a.queue <- next:
	case <-a.ctx.Done():
		return a.ctx.Err()
	}
	if one.digest == (digest{}) {
		close(next.ready)
		return nil
	}
	select {
	case a.work <- next:
		return nil
	case <-a.ctx.Done():
		return a.ctx.Err()
	}
}

// next returns the next chunk of all files.
func (a *ahead) next() (*coming, error) {
	select {
	case one := <-a.queue:
		select {
		case <-one.ready:
			if one.err == nil && one.length <= 0 {
				one.err = errors.Join(ErrDamaged, io.ErrUnexpectedEOF)
			}
			return one, one.err
		case <-a.ctx.Done():
		}
	case <-a.ctx.Done():
	}
	return nil, a.ctx.Err()
}

func (a *ahead) stop() {
	a.cancel()
	a.feeder.Wait()
	close(a.work)
	a.done.Wait()
}
