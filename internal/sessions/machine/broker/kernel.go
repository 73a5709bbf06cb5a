package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"cairn/internal/sessions/machine/jupyterkernel"
)

// Messages that pages send on the shell channel to the broker itself. They never reach a kernel.
const (
	attachType = "cairn_attach" // answered with executionsType, after which the page gets what follows
	placeType  = "cairn_cell"   // {request, cell: Place}: from which cell the code of a request comes
)

// Messages of the broker to pages, on the channel iopub.
const (
	executionsType = "cairn_executions" // {executions: [Execution], files: [Rewrite]}
	rewritesType   = "cairn_rewrites"   // {files: [Rewrite]}
)

const (
	pagesKept = 4                // pages without a connection, of a kernel
	pageLife  = 30 * time.Minute // without a connection

	executionsKept = 2000 // of which those of consoles, and what files have, are forgotten
	redials        = 20   // of a server that has hung up, before pages are told to connect again
	redialGap      = 250 * time.Millisecond
)

// kernel is one kernel of the session's server: the only connection to it, its pages, and what it was asked to execute.
type kernel struct {
	id     string
	broker *Broker

	// dialing guards the making of a connection: one at a time.
	dialing sync.Mutex

	// mu guards the fields below.
	mu       sync.Mutex
	server   *websocket.Conn // nil: there is no connection
	pages    []*page
	record   record
	latest   *execution  // the one that began last
	process  string      // the name that the kernel's process gives itself; another one after a restart
	notebook notebook    // whose kernel it is
	saves    int         // how often pages have saved it, and
	writes   int         // the broker has written it
	workedAt time.Time   // when something was executed, or the notebook was saved or opened, last; zero: not known
	version  int64       // another one after each change of what its cells show
	leaving  *time.Timer // ends the connection when nobody needs it; nil: somebody does, or there is none
	saving   *time.Timer // writes outputs while nobody is there; nil: there is nothing to write
}

var errClosing = errors.New("the session ends")

// connect returns once there is a connection to the kernel. Its error is a jupyterkernel.StatusError if the server refuses.
func (k *kernel) connect(ctx context.Context) error {
	k.dialing.Lock()
	defer k.dialing.Unlock()
	k.mu.Lock()
	there := k.server != nil
	k.mu.Unlock()
	if there {
		return nil
	}
	// The name is the same each time, because Jupyter keeps for it what kernels say while there is no connection.
	address := k.broker.server.URL + "api/kernels/" + url.PathEscape(k.id) + "/channels?session_id=cairn-" + url.QueryEscape(k.id)
	socket, answer, err := websocket.Dial(ctx, address, &websocket.DialOptions{ //nolint:bodyclose // the package closes it
		HTTPClient: k.broker.server.Client, HTTPHeader: k.broker.server.Header,
	})
	if err != nil {
		if answer != nil && answer.StatusCode != http.StatusSwitchingProtocols {
			return &jupyterkernel.StatusError{Status: answer.StatusCode, Message: http.StatusText(answer.StatusCode)}
		}
		return err
	}
	socket.SetReadLimit(-1) // the server has its own
	k.mu.Lock()
	k.server = socket
	k.mu.Unlock()
	if !k.broker.begin(func() { k.listen(socket) }) {
		return errClosing
	}
	return nil
}

// listen takes what comes from the kernel until the connection ends.
func (k *kernel) listen(socket *websocket.Conn) {
	form := formOf(socket.Subprotocol())
	for {
		kind, frame, err := socket.Read(k.broker.ctx)
		if err != nil {
			break
		}
		if m, err := form.decode(kind, frame); err == nil {
			k.fromKernel(m)
		}
	}
	_ = socket.CloseNow()
	k.mu.Lock()
	left := k.server != socket
	if !left {
		k.server = nil
	}
	k.mu.Unlock()
	if !left && k.broker.ctx.Err() == nil {
		k.hungUp()
	}
}

// hungUp connects again, if the kernel is still there and somebody needs it; else its work has ended.
func (k *kernel) hungUp() {
	for range redials {
		if !k.isNeeded() {
			return
		}
		err := k.connect(k.broker.ctx)
		if err == nil {
			return
		}
		if jupyterkernel.StatusOf(err) == http.StatusNotFound {
			k.end()
			return
		}
		select {
		case <-time.After(redialGap):
		case <-k.broker.ctx.Done():
			return
		}
	}
	k.closePages(websocket.StatusServiceRestart)
}

// isNeeded reports whether somebody listens to the kernel or it has something to do.
func (k *kernel) isNeeded() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.isBusy() || slices.ContainsFunc(k.pages, func(p *page) bool { return p.socket != nil })
}

// isWatched reports whether somebody's page is connected. k.mu must be held.
func (k *kernel) isWatched() bool {
	return slices.ContainsFunc(k.pages, func(p *page) bool { return p.socket != nil && !p.isProgram() })
}

// isSeen reports whether a page that shows an execution is connected. k.mu must be held.
func (k *kernel) isSeen(x *execution) bool {
	return slices.ContainsFunc(k.pages, func(p *page) bool { return p.socket != nil && (p.attached || p == x.page) })
}

// isBusy reports whether an execution hasn't ended. k.mu must be held.
func (k *kernel) isBusy() bool {
	return slices.ContainsFunc(k.record.executions, func(x *execution) bool { return !x.done() })
}

// end is the end of the kernel.
func (k *kernel) end() {
	k.mu.Lock()
	k.loseAll()
	watched := k.isWatched()
	k.mu.Unlock()
	if !watched {
		_ = k.save(k.broker.ctx)
	}
	k.closePages(websocket.StatusGoingAway)
	k.broker.forget(k)
}

// loseAll ends the executions of a kernel that can't end them any more. k.mu must be held.
func (k *kernel) loseAll() {
	k.changed()
	for _, x := range k.record.executions {
		if !x.done() {
			x.end(k.broker.now())
			x.seen = k.isSeen(x)
		}
	}
}

func (k *kernel) closePages(code websocket.StatusCode) {
	k.mu.Lock()
	var open []*websocket.Conn
	for _, p := range k.pages {
		if p.socket != nil {
			open = append(open, p.socket)
		}
	}
	k.mu.Unlock()
	for _, socket := range open {
		go func() { _ = socket.Close(code, "") }() // which waits for the other side
	}
}

// fromKernel takes a message of the kernel.
func (k *kernel) fromKernel(m *message) {
	now := k.broker.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.noteProcess(m)
	if x := k.record.find(m.parent.ID); x != nil {
		k.changed()
		ended := x.take(m, k.record.displays, now)
		if m.header.Type == "execute_input" {
			k.latest = x
		}
		k.record.bound(m.size())
		if ended {
			x.seen, k.workedAt = k.isSeen(x), now
		}
	} else if m.Channel == "iopub" && m.header.Type == "update_display_data" {
		k.changed()
		_ = k.record.displays.apply(&cell{}, m.header.Type, m.Content)
	}
	for _, p := range k.pages {
		p.push(m)
	}
	if !k.isWatched() {
		k.scheduleSave()
		k.leaveLater()
	}
}

// noteProcess ends what the kernel was working on if it has ended or been started again. k.mu must be held.
func (k *kernel) noteProcess(m *message) {
	switch state := stateOf(m); {
	case state == "dead" || state == "restarting" || state == "autorestarting":
		k.loseAll()
		k.latest = nil
	case m.parent.ID == "" || m.Channel != "iopub": // of the server, perhaps
	case m.header.Session == m.parent.Session: // R's and Julia's kernels repeat the name of whoever asks
	case k.process != m.header.Session:
		if k.process != "" {
			k.changed()
			k.latest = nil
			current := k.record.find(m.parent.ID)
			for _, x := range k.record.executions {
				if x == current {
					break // and those behind it are the new process's
				}
				if !x.done() {
					x.end(k.broker.now())
				}
			}
		}
		k.process = m.header.Session
	}
}

// fromPage takes a message of a page.
func (k *kernel) fromPage(ctx context.Context, p *page, m *message) error {
	switch {
	case m.Channel == "shell" && m.header.Type == attachType:
		k.attach(p, m)
		return nil
	case m.Channel == "shell" && m.header.Type == placeType:
		k.notePlace(m)
		return nil
	case m.Channel == "shell" && m.header.Type == "execute_request":
		k.noteRequest(p, m)
	case m.Channel == "stdin" && m.header.Type == "input_reply":
		k.noteAnswer()
	}
	return k.sendOn(ctx, m)
}

// sendOn sends a message to the kernel.
func (k *kernel) sendOn(ctx context.Context, m *message) error {
	if err := k.connect(ctx); err != nil {
		return err
	}
	k.mu.Lock()
	server := k.server
	k.mu.Unlock()
	if server == nil {
		return errors.New("the kernel has hung up")
	}
	kind, frame, err := formOf(server.Subprotocol()).encode(m)
	if err != nil {
		return err
	}
	return server.Write(k.broker.ctx, kind, frame)
}

// noteRequest remembers what a page asks to be executed. Pages that know the cell say so in the request (JupyterLab).
func (k *kernel) noteRequest(p *page, m *message) {
	var asked struct {
		Code    string
		Silent  bool
		History *bool `json:"store_history"`
	}
	if json.Unmarshal(m.Content, &asked) != nil || asked.Silent || asked.History != nil && !*asked.History {
		return
	}
	var about struct {
		CellID string `json:"cellId"`
	}
	_ = json.Unmarshal(m.Metadata, &about)
	x := &execution{id: m.header.ID, code: asked.Code, page: p}
	if about.CellID != "" {
		x.place = &Place{ID: about.CellID, Index: -1}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(x)
	if len(k.record.executions) > executionsKept {
		k.record.settle(func(x *execution) bool { return x.done() && (x.place == nil || x.written) })
	}
	k.broker.begin(func() { k.findNotebook(k.broker.ctx) })
}

// add remembers an execution that is asked for. k.mu must be held.
func (k *kernel) add(x *execution) {
	k.record.executions = append(k.record.executions, x)
	k.forgetOlder(x)
	k.workedAt = k.broker.now()
	k.changed()
}

// changed is called when what the cells show changes. k.mu must be held.
func (k *kernel) changed() { k.version = k.broker.changes.Add(1) }

// forgetOlder forgets what the same cell printed before. k.mu must be held.
func (k *kernel) forgetOlder(x *execution) {
	if x.place == nil {
		return
	}
	k.record.settle(func(other *execution) bool {
		return other != x && other.done() && other.place != nil && other.place.isSame(*x.place)
	})
}

func (p Place) isSame(other Place) bool {
	if p.ID != "" || other.ID != "" {
		return p.ID == other.ID
	}
	return p.Index == other.Index
}

func (k *kernel) notePlace(m *message) {
	var told struct {
		Request string
		Cell    Place
	}
	if json.Unmarshal(m.Content, &told) != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if x := k.record.find(told.Request); x != nil {
		x.place = &told.Cell
		k.forgetOlder(x)
		k.changed()
	}
}

func (k *kernel) noteAnswer() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, x := range k.record.executions {
		x.waits = nil
	}
	k.changed()
}

// attach tells a page what the cells of its notebook show; what happens after that reaches it as messages.
func (k *kernel) attach(p *page, asked *message) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p.attached = true
	k.changed() // they are seen now
	told := make([]Execution, 0, len(k.record.executions))
	for _, x := range k.record.executions {
		told = append(told, x.told())
		x.seen = x.seen || x.done()
	}
	p.push(ownMessage(executionsType, asked.Header, map[string]any{"executions": told, "files": k.notebook.rewrites}))
}

// ownMessage returns a message of the broker.
func ownMessage(kind string, parent json.RawMessage, content any) *message {
	m := &message{Channel: "iopub", Parent: parent}
	m.header = header{ID: kind, Type: kind, Session: "cairn"}
	m.Header, _ = json.Marshal(map[string]any{ // maps of texts always can be
		"msg_id": kind, "msg_type": kind, "session": "cairn", "username": "", "version": "5.3", "date": time.Now().UTC().Format(time.RFC3339Nano),
	})
	var err error
	if m.Content, err = json.Marshal(content); err != nil {
		m.Content, _ = json.Marshal(map[string]string{"error": fmt.Sprint(err)})
	}
	m.fill()
	return m
}

// enter gives a connection to a page: to the one that had this name before, if it is still known.
func (k *kernel) enter(session string, socket *websocket.Conn) (*page, <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.leaving != nil {
		k.leaving.Stop()
		k.leaving = nil
	}
	if k.saving != nil && !newPage(session).isProgram() {
		k.saving.Stop()
		k.saving = nil
	}
	for _, p := range k.pages {
		if p.session == session && session != "" {
			if p.socket != nil {
				_ = p.socket.CloseNow() // as Jupyter does
			}
			p.socket, p.wake = socket, make(chan struct{}, 1)
			return p, p.wake
		}
	}
	p := newPage(session)
	p.socket, p.wake = socket, make(chan struct{}, 1)
	k.pages = append(k.pages, p)
	if !p.isProgram() {
		k.workedAt = k.broker.now()
	}
	return p, p.wake
}

// leave is called when a connection has ended.
func (k *kernel) leave(p *page, socket *websocket.Conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p.socket != socket {
		return // it has another one
	}
	now := k.broker.now()
	p.socket, p.leftAt = nil, now
	absent := 0
	for _, other := range slices.Backward(slices.Clone(k.pages)) {
		if other.socket != nil {
			continue
		}
		if absent++; absent > pagesKept || other.session == "" || other.isProgram() || now.Sub(other.leftAt) > pageLife {
			k.pages = slices.DeleteFunc(k.pages, func(one *page) bool { return one == other })
		}
	}
	if !k.isWatched() {
		writes := k.writes
		k.broker.begin(func() {
			k.noteFile(k.broker.ctx, writes)
			k.mu.Lock()
			defer k.mu.Unlock()
			if !k.isWatched() {
				k.scheduleSave()
			}
		})
		k.leaveLater()
	}
}

// leaveLater ends the connection to the kernel in a moment, if nobody needs it by then. The server sees nobody connected, as without us.
// k.mu must be held.
func (k *kernel) leaveLater() {
	if k.leaving != nil || k.isBusy() {
		return
	}
	k.leaving = time.AfterFunc(k.broker.linger, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.leaving = nil
		if k.server == nil || k.isBusy() || slices.ContainsFunc(k.pages, func(p *page) bool { return p.socket != nil }) {
			return
		}
		_ = k.server.CloseNow()
		k.server = nil
	})
}
