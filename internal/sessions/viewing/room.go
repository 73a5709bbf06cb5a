package viewing

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/machine/jupyterkernel"
)

const (
	lookEvery = time.Second     // while somebody looks
	lookTime  = 4 * time.Second // for the answer of a session
	changes   = 4               // that are kept for those who are behind
)

// subject is what people look at: a notebook of a session, or the one in which somebody works ("").
type subject struct{ session, notebook string }

// frame is what is sent to all who look: a whole view, or the change that led to it.
type frame struct {
	number int
	whole  []byte // an event
	change []byte // an event; nil: only the whole will do
}

// room is a subject with the people who look at it.
type room struct {
	subject
	service *Service
	renewed sessions.Broadcast // there is a new frame
	end     context.CancelFunc

	people int // protected by Service.mu

	// mu guards the field below.
	mu     sync.Mutex
	frames []frame // the last ones, in order
}

// latest returns the last frame; false while there is none.
func (r *room) latest() (frame, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.frames) == 0 {
		return frame{}, false
	}
	return r.frames[len(r.frames)-1], true
}

// since returns the events that lead from a view, by its number, to the last one.
func (r *room) since(number int) (events [][]byte, last int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.frames) == 0 {
		return nil, number
	}
	latest := r.frames[len(r.frames)-1]
	missing := latest.number - number
	if missing > len(r.frames) {
		return [][]byte{latest.whole}, latest.number
	}
	for _, one := range r.frames[len(r.frames)-missing:] {
		if one.change == nil {
			return [][]byte{latest.whole}, latest.number
		}
		events = append(events, one.change)
	}
	return events, latest.number
}

// keepLooking looks at the subject until ctx ends.
func (r *room) keepLooking(ctx context.Context) {
	var look broker.Look
	var before written
	for number := 0; ; {
		view, seen := r.service.look(ctx, r.subject, look)
		look = seen
		view.Number = number + 1
		now, err := write(view)
		if err == nil && ctx.Err() == nil {
			change, whole, same := now.changeFrom(before, view.Number)
			if number == 0 || whole || !same {
				number++
				r.add(number, now, change, number > 1 && !whole)
				before = now
			}
		}
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return
		}
	}
}

// add sends a view to everybody.
func (r *room) add(number int, view written, change Change, hasChange bool) {
	one := frame{number: number, whole: event("view", view.whole)}
	if hasChange {
		text, err := marshal(change)
		if err != nil {
			return
		}
		one.change = event("change", text)
	}
	r.mu.Lock()
	for i := range r.frames { // only the last one is sent whole
		r.frames[i].whole = nil
	}
	r.frames = append(r.frames, one)
	r.frames = r.frames[max(0, len(r.frames)-changes):]
	r.mu.Unlock()
	r.renewed.Notify()
}

// event returns a server-sent event. JSON has no line breaks.
func event(name string, data []byte) []byte {
	return append(append([]byte("event: "+name+"\ndata: "), data...), '\n', '\n')
}

// look returns what a subject shows now, and what its session has answered; before is what it answered the last time.
func (s *Service) look(ctx context.Context, at subject, before broker.Look) (View, broker.Look) {
	view := View{Present: []sessions.Visit{}, Notebooks: []broker.LookNotebook{}, Files: []broker.LookFile{}}
	found, err := s.Sessions.ByID(ctx, at.session)
	if err != nil || len(found) == 0 {
		view.Note = "This session can't be shown at the moment."
		return view, before
	}
	session := found[0]
	view.SessionName, view.Holds, view.Status = session.SessionName, session.Project.Name, session.Status
	if present, err := s.Shares.Present(ctx, session, ""); err == nil {
		view.Present = append(view.Present, present...)
	}
	if session.Status != sessions.Running {
		view.Note = "This session isn't running."
		if session.Status == sessions.Created {
			view.Note = "This session is starting."
		}
		return view, broker.Look{}
	}
	now, err := s.ask(ctx, session, at.notebook, before)
	if err != nil {
		if view.Note = fault.MessageOf(err); ctx.Err() == nil && fault.KindOf(err) != fault.Conflict {
			s.Logger.DebugContext(ctx, "a session can't be looked at; trying again", "session", at.session, "error", err)
		}
		now = before // as it was, with the note
	}
	view.Notebooks, view.Files = append(view.Notebooks, now.Notebooks...), append(view.Files, now.Files...)
	view.MoreFiles, view.Notebook = now.MoreFiles, now.Notebook
	return view, now
}

// lookLimit is the most bytes of the answer of a session, which may be hostile.
const lookLimit = 6 << 20

// ask asks a session what it shows. Unchanged answers are the one before.
func (s *Service) ask(ctx context.Context, session sessions.Session, notebook string, before broker.Look) (broker.Look, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	chosen, err := s.Engines.Of(session.Engine)
	if err != nil {
		return before, err
	}
	target, err := chosen.Target(ctx, session.ID)
	if err != nil {
		return before, err
	}
	server := jupyterkernel.NewServer(target.URL.JoinPath(cmp.Or(target.Base, sessions.ServerPath(session.ID))), target.Authorization, target.Transport)
	server.Limit = lookLimit
	var said json.RawMessage
	err = server.Call(ctx, http.MethodGet, broker.LookPath+"?"+url.Values{"notebook": {notebook}, "have": {before.Revision}}.Encode(), nil, &said)
	switch jupyterkernel.StatusOf(err) {
	case http.StatusNotModified:
		return before, nil
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return before, fault.New(fault.Conflict, "The sessions of this engine can't be looked at from outside.")
	}
	if err != nil {
		return before, fault.Wrap(err, fault.Unavailable, "The session's server isn't responding.")
	}
	return read(said)
}

// The most that an answer has, which the session's own server keeps to. A hostile one could say more in lookLimit than any memory holds.
const (
	mostValues    = 100_000
	mostFiles     = 1000
	mostCells     = 500
	mostNotebooks = 200
)

var errTooMuch = fault.New(fault.Unavailable, "This session shows more than can be shown here.")

// read reads an answer.
func read(said []byte) (look broker.Look, err error) {
	if countValues(said) > mostValues {
		return look, errTooMuch
	}
	if err := json.Unmarshal(said, &look); err != nil {
		return look, fault.Wrap(err, fault.Unavailable, "The session's server answers something else.")
	}
	if len(look.Files) > mostFiles || len(look.Notebooks) > mostNotebooks || look.Notebook != nil && len(look.Notebook.Cells) > mostCells {
		return broker.Look{}, errTooMuch
	}
	return look, nil
}

// countValues returns how many values a JSON text has at most: each begins the text, or stands behind one of these signs.
func countValues(text []byte) (count int) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch sign := text[i]; {
		case quoted && sign == '\\':
			i++
		case sign == '"':
			quoted = !quoted
		case !quoted && (sign == '{' || sign == '[' || sign == ','):
			count++
		}
	}
	return count + 1
}
