package broker

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/machine/jupyterkernel"

	"github.com/coder/websocket"
)

// The bounds of what waits for a page and of how fast it gets what programs print: more than a browser can show in time would only freeze
// it. Jupyter's own limits, which drop output for good, are off in sessions.
const (
	queueLimit  = 4 << 20   // bytes; of more, the text of streams is left out
	slowest     = 256 << 20 // bytes of everything at which a page has to connect again
	streamRate  = 1_000_000 // bytes of streams per second
	streamBurst = 3_000_000 // at once
	pingEvery   = 15 * time.Second
	pongTime    = 15 * time.Second
)

// page is a tab, or another client of a kernel. It lives on for a while without a connection, for a client that connects again under
// the same name: what came meanwhile waits for it.
type page struct {
	session string // the name that the client gave itself

	// The kernel's mu guards the fields below.
	socket   *websocket.Conn // nil: it isn't connected
	wake     chan struct{}   // of this connection; has an element if the queue may have grown
	attached bool            // it shows what it's told of executions that others have asked for
	queue    []waiting
	queued   int       // bytes of queue
	sending  bool      // a message that isn't in the queue any more
	caughtUp time.Time // when it had got everything last
	leftAt   time.Time
}

// isBehind reports whether the page had not got everything at a time. The kernel's mu must be held.
func (p *page) isBehind(at time.Time) bool {
	return p.socket != nil && !p.isProgram() && (len(p.queue) > 0 || p.sending || p.caughtUp.After(at))
}

// isProgram reports whether it's a connection of ours, such as one that asks whether the kernel is idle.
func (p *page) isProgram() bool { return strings.HasPrefix(p.session, jupyterkernel.SessionPrefix) }

func newPage(session string) *page {
	return &page{session: session}
}

// push adds a message to what the page gets. The kernel's mu must be held.
func (p *page) push(m *message) {
	if last := len(p.queue) - 1; last < 0 || !p.queue[last].join(m) {
		p.queue = append(p.queue, newWaiting(m))
	}
	p.queued += m.size()
	if p.queued > queueLimit {
		p.thin()
	}
	p.tell()
}

// tell has the connection look at the queue. The kernel's mu must be held.
func (p *page) tell() {
	select {
	case p.wake <- struct{}{}:
	default: // there is none, or it will look anyway
	}
}

type streamContent struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// joinedLimit is how long the text of joined messages is at most, in bytes.
const joinedLimit = 64 << 10

// waiting is a message that waits for a page, or several of the same stream, which are sent as one. They become one when they are sent: a
// kernel may print faster than each sum could be written.
type waiting struct {
	*message

	stream string // the name of the stream; "" for other messages
	more   []string
	bytes  int // of all
	text   int // of these, of the contents of streams
}

func newWaiting(m *message) waiting {
	w := waiting{message: m, bytes: m.size()}
	if isStream(m) {
		w.text = len(m.Content)
		if content, ok := contentOf(m); ok {
			w.stream = content.Name
		}
	}
	return w
}

// join adds a part of the same stream; it reports whether it could.
func (w *waiting) join(m *message) bool {
	if w.stream == "" || !isStream(m) || w.parent.ID != m.parent.ID || w.text+len(m.Content) > joinedLimit {
		return false
	}
	content, ok := contentOf(m)
	if !ok || content.Name != w.stream {
		return false
	}
	w.more = append(w.more, content.Text)
	w.bytes += m.size()
	w.text += len(m.Content)
	return true
}

// whole returns the message that is sent.
func (w *waiting) whole() *message {
	content, ok := contentOf(w.message)
	if len(w.more) == 0 || !ok {
		return w.message
	}
	return withText(w.message, w.stream, content.Text+strings.Join(w.more, ""))
}

// contentOf returns the content of a message of a stream, if it can be read.
func contentOf(m *message) (content streamContent, ok bool) {
	err := json.Unmarshal(m.Content, &content)
	return content, err == nil
}

func isStream(m *message) bool { return m.Channel == "iopub" && m.header.Type == "stream" }

// withText returns a message of a stream with another text.
func withText(m *message, name, text string) *message {
	changed := *m
	changed.Content, _ = json.Marshal(streamContent{name, text}) // texts always can be
	return &changed
}

// thin leaves out the text of old streams, and says how much, until half of the queue is free; if that isn't enough, the page gets
// nothing more of the old.
func (p *page) thin() {
	kept := p.queue[:0:0]
	dropped := 0
	say := func(of waiting) {
		note := withText(of.message, of.stream, fmt.Sprintf("\n[%s of output were left out here.]\n", humanize.Bytes(int64(dropped))))
		kept, dropped = append(kept, newWaiting(note)), 0
	}
	var last waiting
	for index, one := range p.queue {
		if p.queued > queueLimit/2 && isStream(one.message) && index < len(p.queue)-1 {
			if last.message != nil && last.parent.ID != one.parent.ID {
				say(last)
			}
			p.queued -= one.bytes
			dropped += one.text
			last = one
			continue
		}
		if last.message != nil {
			say(last)
			last = waiting{}
		}
		kept = append(kept, one)
	}
	if last.message != nil {
		say(last)
	}
	p.queue = kept
	p.count()
	switch {
	case p.socket == nil && p.queued > queueLimit: // it will be told what the cells show if it comes back
		p.queue = slices.Delete(p.queue, 0, len(p.queue)/2)
		p.count()
	case p.socket != nil && p.queued > slowest: // likewise, once it has connected again
		socket := p.socket
		p.queue, p.queued = nil, 0
		go func() { _ = socket.CloseNow() }()
	}
}

// count counts the bytes of the queue.
func (p *page) count() {
	p.queued = 0
	for _, one := range p.queue {
		p.queued += one.bytes
	}
}

// next takes the next message from the queue, if there is one for this connection. It reports whether the connection still is the page's.
func (k *kernel) next(p *page, socket *websocket.Conn) (m *message, current bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p.socket != socket {
		return nil, false
	}
	if len(p.queue) == 0 {
		if p.sending {
			p.sending, p.caughtUp = false, k.broker.now()
		}
		return nil, true
	}
	p.sending = true
	first := p.queue[0]
	p.queue = p.queue[1:]
	p.queued -= first.bytes
	return first.whole(), true
}

// putBack has a message that couldn't be sent wait again.
func (k *kernel) putBack(p *page, m *message) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p.queue = slices.Insert(p.queue, 0, newWaiting(m))
	p.queued += m.size()
	p.sending = false
	p.tell() // another connection may have taken over
}

// send sends a page what waits for it until the connection ends, or is no longer the page's.
func (k *kernel) send(ctx context.Context, p *page, socket *websocket.Conn, wake <-chan struct{}, form wireForm) {
	budget, filled := float64(streamBurst), time.Now()
	for {
		m, current := k.next(p, socket)
		switch {
		case !current:
			return
		case m == nil:
			select {
			case <-wake:
				continue
			case <-ctx.Done():
				return
			}
		case isStream(m):
			now := time.Now()
			budget, filled = min(streamBurst, budget+now.Sub(filled).Seconds()*streamRate), now
			if budget -= float64(len(m.Content)); budget < 0 {
				select {
				case <-time.After(time.Duration(-budget / streamRate * float64(time.Second))):
				case <-ctx.Done():
					k.putBack(p, m)
					return
				}
			}
		}
		kind, frame, err := form.encode(m)
		if err != nil {
			continue // a kernel's own fault
		}
		if err := socket.Write(ctx, kind, frame); err != nil {
			k.putBack(p, m)
			return
		}
	}
}

// keepAlive ends a connection whose other end doesn't answer, such as a computer that sleeps.
func keepAlive(ctx context.Context, socket *websocket.Conn) {
	ticks := time.NewTicker(pingEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
		asked, cancel := context.WithTimeout(ctx, pongTime)
		err := socket.Ping(asked)
		cancel()
		if err != nil && ctx.Err() == nil {
			_ = socket.CloseNow()
			return
		}
	}
}
