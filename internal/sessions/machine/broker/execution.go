package broker

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// Place says which cell of a notebook code comes from.
type Place struct {
	ID    string `json:"id,omitempty"` // of the cell; "": it has none, or that isn't known
	Index int    `json:"index"`        // of the cell among all; -1: not known
}

// execution is a request of a page to execute code, and what came of it.
type execution struct {
	id    string // of the request
	code  string
	page  *page  // that asked for it
	place *Place // nil: no page has said that it's a cell
	cell  cell
	count *int

	began   time.Time // zero while it waits behind others
	ended   time.Time // zero until then
	status  string    // of the reply: ok, error or aborted; or lost, when its kernel ended
	replied bool
	idle    bool
	waits   *message // the request for input that nobody has answered yet

	changed chan struct{} // has an element when it has ended or waits; nil: nobody looks

	seen    bool // a page was there when it ended, or was told of it later
	written bool // its outputs, as they are now, are in the file
}

func (x *execution) done() bool { return !x.ended.IsZero() }

// isBefore reports whether the execution has ended so long before a file was changed that the file has its outputs, if whoever changed it knew them.
func (x *execution) isBefore(changed time.Time) bool {
	return x.done() && x.ended.Add(saveMargin).Before(changed)
}

// take changes the execution as a message of the kernel says. It reports whether it has ended with it.
func (x *execution) take(m *message, d displays, now time.Time) (ended bool) {
	if x.done() && x.status == "lost" { // it wasn't
		x.ended, x.status = time.Time{}, ""
	}
	switch m.Channel {
	case "iopub":
		switch m.header.Type {
		case "execute_input":
			x.began = now
			x.number(m.Content)
		case "status":
			x.idle = x.idle || stateOf(m) == "idle"
		default:
			x.written = false
			_ = d.apply(&x.cell, m.header.Type, m.Content) // a kernel's own fault
		}
	case "shell":
		if m.header.Type != "execute_reply" {
			return false
		}
		var reply struct{ Status string }
		_ = json.Unmarshal(m.Content, &reply)
		x.replied, x.status = true, reply.Status
		x.idle = x.idle || x.status == "aborted" // of which R's kernel says nothing else
		x.number(m.Content)
	case "stdin":
		if m.header.Type == "input_request" {
			x.waits = m
			x.tell()
		}
	}
	if x.done() || !x.replied || !x.idle {
		return false
	}
	x.end(now)
	return true
}

func (x *execution) end(now time.Time) {
	x.ended, x.waits, x.written = now, nil, false
	if x.status == "" {
		x.status = "lost"
	}
	x.tell()
}

// tell has whoever waits for the execution look at it.
func (x *execution) tell() {
	select {
	case x.changed <- struct{}{}:
	default: // nobody waits, or somebody will look anyway
	}
}

// number takes over the number of the execution.
func (x *execution) number(content json.RawMessage) {
	var said struct {
		Count *int `json:"execution_count"`
	}
	if json.Unmarshal(content, &said) == nil && said.Count != nil {
		x.count = said.Count
	}
}

// stateOf returns the state that a message of the type status tells; "" for others.
func stateOf(m *message) string {
	var said struct {
		State string `json:"execution_state"`
	}
	if m.header.Type == "status" {
		_ = json.Unmarshal(m.Content, &said)
	}
	return said.State
}

// Execution is what a page is told of one, so that its cell can show it.
type Execution struct {
	ID      string           `json:"id"` // of the request
	Place   *Place           `json:"cell"`
	Code    string           `json:"code"`
	Count   *int             `json:"count"`
	Status  string           `json:"status"` // "" while it runs or waits; else ok, error, aborted or lost
	Began   *time.Time       `json:"began,omitempty"`
	Ended   *time.Time       `json:"ended,omitempty"`
	Seen    bool             `json:"seen"`    // a page was there when it ended
	Outputs []map[string]any `json:"outputs"` // as notebooks store them, with transient.display_id where later messages may change them
	Input   *message         `json:"input,omitempty"`
}

// told returns what a page is told. It stays as it is when the execution goes on.
func (x *execution) told() Execution {
	told := Execution{ID: x.id, Place: x.place, Code: x.code, Count: x.count, Seen: x.seen, Input: x.waits, Outputs: []map[string]any{}}
	if x.done() {
		ended := x.ended
		told.Status, told.Ended = x.status, &ended
	}
	if !x.began.IsZero() {
		began := x.began
		told.Began = &began
	}
	for _, one := range x.cell.outputs {
		fields := maps.Clone(one.json())
		if one.display != "" {
			fields["transient"] = map[string]string{"display_id": one.display}
		}
		told.Outputs = append(told.Outputs, fields)
	}
	return told
}

// record is what a kernel was asked to execute since the files of its notebook had it all.
type record struct {
	executions []*execution // in the order of the requests
	displays   displays
	limit      int // bytes of outputs that are kept
	size       int // at least as much as there is
	thinned    int // size when that was made smaller last
}

func (r *record) find(id string) *execution {
	for _, x := range slices.Backward(r.executions) { // the answer is nearly always the last
		if x.id == id {
			return x
		}
	}
	return nil
}

// bound makes the outputs, which have grown by so many bytes at most, fit into the limit: those of old streams are shortened first, results and pictures last.
func (r *record) bound(grown int) {
	if r.size += grown; r.size <= r.limit {
		return
	}
	r.size = 0
	for _, x := range r.executions {
		r.size += x.cell.size() + len(x.code)
	}
	if r.size <= r.limit || r.size < r.thinned*9/8 { // it couldn't be made much smaller before
		return
	}
	defer func() { r.thinned = r.size }()
	excess := r.size - r.limit*3/4 // so that this isn't needed for every message
	for _, streamsOnly := range []bool{true, false} {
		for _, x := range r.executions {
			if excess <= 0 {
				return
			}
			saved := x.cell.thin(r.displays, excess, streamsOnly)
			if excess -= saved; saved > 0 {
				x.written = false
			}
			r.size -= saved
		}
	}
}

// settle forgets the executions that end with something that the file has now.
func (r *record) settle(isSettled func(*execution) bool) {
	r.executions = slices.DeleteFunc(r.executions, func(x *execution) bool {
		if !isSettled(x) {
			return false
		}
		r.size -= x.cell.size() + len(x.code)
		for _, one := range x.cell.outputs {
			r.displays.forget(one)
		}
		return true
	})
}
