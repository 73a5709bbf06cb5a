// Package progress works out from what passes between a notebook's page and its kernel which cell ran, and which one failed with what
// class of error. Sources are hashed, never kept; outputs and the texts of errors are neither.
package progress

import (
	"bytes"
	"encoding/json"
	"sync"
)

// The bounds of what is kept of executions.
const (
	requestsKept = 4000 // twice as many as a list of executions has, so that none of a list is reported again
	listLimit    = 2000 // executions of a list
	idLimit      = 200  // bytes of the id of a request; Jupyter's have about 50
)

// Kind says what has become of an execution.
type Kind string

// The kinds of events. Done and Failed come after Started. Aborted is said of what is executed no further: because a cell before it
// has failed, mostly without Started, or because R was interrupted.
const (
	Started Kind = "started"
	Done    Kind = "done"
	Failed  Kind = "failed"
	Aborted Kind = "aborted"
)

// Event is what is said of one execution.
type Event struct {
	Kind    Kind
	Request string // the id of the execution's request; the same for all its events
	Cell    Place  // what the page has said of its cell so far; of a console it's Place{Index: -1}
	Digest  string // of its code; "": the code was too long to be followed
	Class   string // of the error, if the kind is Failed, as Class returns it
}

// Executions knows what one seat has asked its kernels to execute. It outlives connections, because the answer to a request may come
// over the next one. All methods of it and of its taps may be called from several goroutines.
type Executions struct {
	report func(Event)

	mu       sync.Mutex          // guards the fields below, and those of the taps
	requests map[string]*request // by id
	order    []string            // the ids, the oldest first
}

// request is a request to execute code.
type request struct {
	place   Place
	digest  string
	class   string // of the error, once the kernel has told it
	started bool   // reported
	ended   bool   // reported
}

// NewExecutions returns an Executions that calls report with each event, one after the other, in order. report must not block, and must
// not call a tap.
func NewExecutions(report func(Event)) *Executions {
	return &Executions{report: report, requests: map[string]*request{}}
}

// Tap returns a tap for a new connection with a kernel of the seat. The subprotocol is the one that both sides have agreed on, "" if
// there is none.
func (x *Executions) Tap(subprotocol string) *Tap {
	return &Tap{executions: x, newForm: subprotocol == newSubprotocol}
}

// Tap follows one websocket between a page and a kernel, without extensions. It keeps at most 1 MiB for each direction. On bytes that
// aren't frames of a websocket it goes silent for good.
type Tap struct {
	executions *Executions
	newForm    bool

	// The mu of executions guards the fields below.
	page   stream
	kernel stream
	broken bool
}

// NewTap returns a tap for a connection that shares nothing with others; see NewExecutions and its Tap.
func NewTap(subprotocol string, report func(Event)) *Tap {
	return NewExecutions(report).Tap(subprotocol)
}

// FromPage takes the next bytes that the page has sent after the handshake, in pieces of any size. It doesn't keep or change p.
func (t *Tap) FromPage(p []byte) { t.follow(&t.page, p, t.executions.fromPage) }

// FromKernel takes the next bytes that the kernel's server has sent after the handshake, likewise.
func (t *Tap) FromKernel(p []byte) { t.follow(&t.kernel, p, t.executions.fromKernel) }

func (t *Tap) follow(s *stream, p []byte, take func(message)) {
	t.executions.mu.Lock()
	defer t.executions.mu.Unlock()
	if t.broken {
		return
	}
	err := s.follow(p, func(f frame) {
		if m, ok := decode(f, t.newForm); ok {
			take(m)
		}
	})
	if err != nil {
		t.broken, t.page, t.kernel = true, stream{}, stream{}
	}
}

// fromPage takes a message of a page. x.mu must be held.
func (x *Executions) fromPage(m message) {
	switch m.kind {
	case "execute_request":
		x.request(m)
	case "cairn_cell": // of our script in pages that don't name cells themselves
		content := members(m.content, "request", "cell")
		id, _ := textOf(content["request"])
		if known := x.requests[id]; known != nil {
			known.move(placeOf(content["cell"]))
		}
	}
}

// request takes a request to execute code, unless nobody is to see its execution. x.mu must be held.
func (x *Executions) request(m message) {
	content := members(m.content, "code", "silent", "store_history")
	if string(content["silent"]) == "true" || string(content["store_history"]) == "false" {
		return
	}
	cell, _ := textOf(members(m.metadata, "cellId")["cellId"])
	x.know(m.id, Place{ID: boundedID(cell), Index: -1}, digestOf(content["code"]))
}

// digestOf returns the digest of code; "" if the code is cut off.
func digestOf(code json.RawMessage) string {
	if text, ok := textOf(code); ok {
		return Digest(text)
	}
	return ""
}

// know returns what is known of a request, which is what is given if it's new; nil if its id can't be kept. x.mu must be held.
func (x *Executions) know(id string, place Place, digest string) *request {
	if id == "" || len(id) > idLimit {
		return nil
	}
	if known := x.requests[id]; known != nil {
		known.move(place)
		return known
	}
	if len(x.order) == requestsKept {
		delete(x.requests, x.order[0])
		x.order = x.order[1:]
	}
	known := &request{place: place, digest: digest}
	x.requests[id] = known
	x.order = append(x.order, id)
	return known
}

// move takes over what a place says more than what was known.
func (r *request) move(place Place) {
	if place.ID != "" {
		r.place.ID = place.ID
	}
	if place.Index >= 0 {
		r.place.Index, r.place.Of = place.Index, place.Of
	}
}

// fromKernel takes a message to a page. What belongs to requests of other clients is unknown here. x.mu must be held.
func (x *Executions) fromKernel(m message) {
	if m.kind == "cairn_executions" { // what our server tells of executions that no page has seen
		x.catchUp(members(m.content, "executions")["executions"])
		return
	}
	known := x.requests[m.parent]
	if known == nil {
		return
	}
	switch m.kind {
	case "execute_input":
		x.start(m.parent, known)
	case "error":
		known.class = classOf(m.content)
	case "execute_reply":
		status, _ := textOf(members(m.content, "status")["status"])
		if status == "error" && known.class == "" {
			known.class = classOf(m.content)
		}
		x.end(m.parent, known, status)
	}
}

// classOf returns the class of the error that a message's content tells.
func classOf(content json.RawMessage) string {
	told := members(content, "ename", "evalue")
	name, _ := textOf(told["ename"])
	value, _ := textOf(told["evalue"])
	return Class(name, value)
}

// start reports that an execution has begun, once. x.mu must be held.
func (x *Executions) start(id string, known *request) {
	if !known.started && !known.ended {
		known.started = true
		x.report(Event{Kind: Started, Request: id, Cell: known.place, Digest: known.digest})
	}
}

// end reports how an execution has ended, once. The reply may overtake what says that it has begun. x.mu must be held.
func (x *Executions) end(id string, known *request, status string) {
	if known.ended {
		return
	}
	event := Event{Request: id, Cell: known.place, Digest: known.digest}
	switch status {
	case "ok":
		event.Kind = Done
	case "error":
		event.Kind, event.Class = Failed, known.class
	case "aborted", "abort": // the second is R's, of a cell that was interrupted
		event.Kind = Aborted
	default:
		return
	}
	if event.Kind != Aborted {
		x.start(id, known)
	}
	known.ended = true
	x.report(event)
}

// catchUp takes a list of executions, which may be cut off. x.mu must be held.
func (x *Executions) catchUp(list json.RawMessage) {
	decoder := json.NewDecoder(bytes.NewReader(list))
	if start, err := decoder.Token(); err != nil || start != json.Delim('[') {
		return
	}
	for count := 0; count < listLimit && decoder.More(); count++ {
		var one struct {
			ID      string          `json:"id"`
			Cell    json.RawMessage `json:"cell"`
			Code    json.RawMessage `json:"code"`
			Status  string          `json:"status"` // "": it hasn't ended
			Outputs []struct {
				Type string `json:"output_type"`
				Name string `json:"ename"`
				Text string `json:"evalue"`
			} `json:"outputs"`
		}
		if decoder.Decode(&one) != nil {
			return
		}
		known := x.know(one.ID, placeOf(one.Cell), digestOf(one.Code))
		if known == nil {
			continue
		}
		for _, output := range one.Outputs {
			if output.Type == "error" {
				known.class = Class(output.Name, output.Text)
			}
		}
		if one.Status == "error" && known.class == "" {
			known.class = Class("", "")
		}
		x.end(one.ID, known, one.Status)
	}
}
