// Package broker holds the only connection to each kernel of a session's server, so that nothing a kernel says is lost when a page
// closes: pages connect to the broker, which keeps what cells print until a page has saved it, and writes it into the notebook's file
// if nobody is there. It runs in the box of the session, beside Jupyter's server, and lives as long as that.
package broker

import (
	"context"
	"errors"
	"hash/maphash"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"

	"cairn/internal/sessions/machine/jupyterkernel"
)

// Options configure a broker.
type Options struct {
	Server jupyterkernel.Server // Jupyter's
	Limit  int                  // bytes of outputs that are kept for each kernel; 0: 16 MiB
	Now    func() time.Time     // nil: time.Now
	Linger time.Duration        // how long the connection to a kernel that nobody needs is kept; 0: five seconds

	Folder   string // the root folder of Jupyter's server, for looks
	Datasets string // the folder in it whose content looks don't show

	ProcessorTime func() time.Duration // that the session has used so far; nil: it isn't measured
}

// Broker is the broker of one session. All methods may be called concurrently.
type Broker struct {
	server jupyterkernel.Server
	files  jupyterkernel.Server // the same one, for answers with a notebook in them
	limit  int
	now    func() time.Time
	linger time.Duration
	used   func() time.Duration
	looks  looks

	changes atomic.Int64 // of what kernels show

	ctx     context.Context //nolint:containedctx // that of the connections to kernels, which outlive those of pages
	cancel  context.CancelFunc
	running sync.WaitGroup

	// beginning guards the field below.
	beginning sync.Mutex
	closed    bool

	writing chan struct{} // has an element while files are changed: one after the other

	// mu guards the fields below.
	mu       sync.Mutex
	kernels  map[string]*kernel
	finishes []*finish
	saved    string    // the file that a page has saved last, and
	savedAt  time.Time // when
}

// notebookLimit is the most bytes of a notebook that outputs are written into.
const notebookLimit = 256 << 20

// begin runs something that Close waits for. It reports whether it does: it doesn't once the broker is closed.
func (b *Broker) begin(run func()) bool {
	b.beginning.Lock()
	defer b.beginning.Unlock()
	if b.closed {
		return false
	}
	b.running.Go(run)
	return true
}

// New returns a broker; Close ends it.
func New(options Options) *Broker {
	b := &Broker{server: options.Server, limit: options.Limit, now: options.Now, linger: options.Linger, kernels: map[string]*kernel{}, writing: make(chan struct{}, 1)}
	b.looks = looks{seed: maphash.MakeSeed(), folder: options.Folder, datasets: options.Datasets}
	b.files = b.server
	b.files.Limit = notebookLimit
	if b.limit == 0 {
		b.limit = 16 << 20
	}
	if b.now == nil {
		b.now = time.Now
	}
	if b.used = options.ProcessorTime; b.used == nil {
		b.used = func() time.Duration { return 0 }
	}
	if b.linger == 0 {
		b.linger = 5 * time.Second
	}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

// enterFiles waits until nobody else changes files, or ctx ends.
func (b *Broker) enterFiles(ctx context.Context) (leave func(), err error) {
	select {
	case b.writing <- struct{}{}:
		return func() { <-b.writing }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// kernel returns what is known of a kernel, which may be nothing yet.
func (b *Broker) kernel(id string) *kernel {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.kernels[id]
	if k == nil {
		k = &kernel{id: id, broker: b, record: record{displays: displays{}, limit: b.limit}}
		b.kernels[id] = k
	}
	return k
}

func (b *Broker) forget(k *kernel) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kernels[k.id] == k {
		delete(b.kernels, k.id)
	}
}

// all returns the kernels that are known; of a file, unless that is "".
func (b *Broker) all(file string) []*kernel {
	b.mu.Lock()
	found := slices.Collect(maps.Values(b.kernels))
	b.mu.Unlock()
	return slices.DeleteFunc(found, func(k *kernel) bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		return file != "" && k.notebook.path != file
	})
}

// ServeChannels serves the websocket of a page for a kernel, as Jupyter's server does at api/kernels/{id}/channels. Whether the page
// may come from where it does is for others to check.
func (b *Broker) ServeChannels(w http.ResponseWriter, r *http.Request, id string) {
	k := b.kernel(id)
	if err := k.connect(r.Context()); err != nil {
		status := jupyterkernel.StatusOf(err)
		if status == http.StatusNotFound {
			b.forget(k)
		}
		if status == 0 {
			status = http.StatusBadGateway
		}
		http.Error(w, http.StatusText(status), status)
		return
	}
	socket, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{newSubprotocol}, InsecureSkipVerify: true})
	if err != nil {
		return // it has answered
	}
	defer func() { _ = socket.CloseNow() }()
	socket.SetReadLimit(-1) // Jupyter has its own
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	p, wake := k.enter(r.URL.Query().Get("session_id"), socket)
	defer k.leave(p, socket)
	if k.connect(ctx) != nil { // it may have ended meanwhile
		return
	}
	form := formOf(socket.Subprotocol())
	go func() {
		defer cancel()
		k.send(ctx, p, socket, wake, form)
	}()
	go keepAlive(ctx, socket)
	for {
		kind, frame, err := socket.Read(ctx)
		if err != nil {
			return
		}
		m, err := form.decode(kind, frame)
		if err != nil {
			continue // as Jupyter does
		}
		if err := k.fromPage(ctx, p, m); err != nil {
			_ = socket.Close(websocket.StatusServiceRestart, "")
			return
		}
	}
}

// Check ends the executions of kernels that the server no longer has, because it doesn't announce that.
func (b *Broker) Check(ctx context.Context) {
	for _, k := range b.all("") {
		if has, err := b.server.Has(ctx, jupyterkernel.Kernel{ID: k.id}); err != nil || has {
			continue
		}
		k.mu.Lock()
		socket := k.server
		k.server = nil
		k.mu.Unlock()
		if socket != nil {
			_ = socket.CloseNow()
		}
		k.end()
	}
}

// Restarted ends what a kernel was working on, which somebody has started again.
func (b *Broker) Restarted(id string) {
	k := b.kernel(id)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.loseAll()
	k.latest, k.process = nil, ""
}

// Write has what a file's cells have printed in it, before somebody reads it who isn't told otherwise.
func (b *Broker) Write(ctx context.Context, file string) error {
	var wrong error
	for _, k := range b.all(file) {
		k.mu.Lock()
		watched := k.isWatched()
		k.mu.Unlock()
		if !watched {
			wrong = errors.Join(wrong, k.save(ctx))
		}
	}
	return wrong
}

// Saved is called when a page has saved a file, which it had sent at a time.
func (b *Broker) Saved(file string, begun time.Time) {
	b.mu.Lock()
	b.saved, b.savedAt = file, b.now()
	b.mu.Unlock()
	for _, k := range b.all(file) {
		k.saved(begun)
	}
}

// Close writes what files don't have yet, as far as that can be done before ctx ends, and ends all connections.
func (b *Broker) Close(ctx context.Context) error {
	var writing errgroup.Group
	for _, k := range b.all("") {
		writing.Go(func() error { return k.close(ctx) })
	}
	err := writing.Wait()
	for _, k := range b.all("") {
		k.closePages(websocket.StatusGoingAway)
	}
	b.beginning.Lock()
	b.closed = true
	b.beginning.Unlock()
	b.cancel()
	b.running.Wait()
	return err
}

// Known returns the ids of the kernels that are known, in order.
func (b *Broker) Known() (ids []string) {
	for _, k := range b.all("") {
		ids = append(ids, k.id)
	}
	slices.Sort(ids)
	return ids
}
