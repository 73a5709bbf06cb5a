package agent

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/files/bareclone"
	"cairn/internal/sessions/files/folders"
)

// A private repository is read by the server, with what belongs to the session's owner. The launch that has to copy it says so in the
// session's state, and waits until a server sends a bare clone, which lies where the session's account can't look until it is copied.

// awaitedClone is the clone that a launch waits for.
type awaitedClone struct {
	launch int64
	offers chan *offeredClone
	over   chan struct{} // closed when none is taken any more
}

// offeredClone is a clone that a server is sending.
type offeredClone struct {
	body   io.Reader
	cut    func()     // ends reading the body
	result chan error // gets one
}

var (
	errNotSent    = fault.New(fault.Unavailable, "The private repository wasn't sent to the hub. Start the session again in a while.")
	errNotAwaited = fault.New(fault.Conflict, "The session isn't waiting for the clone of a private repository.")
)

const (
	sentName  = "sent.git"
	sentLimit = 20 << 30 // bytes, where the disks of sessions have no limit
)

// receive implements engine.Cloner with what a server sends. A clone that breaks off may be sent again.
func (p *preparation) receive(ctx context.Context, folder string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	awaited := p.session.awaitClone(p.asked.Permit.Launch)
	end := func() { p.session.endAwaiting(awaited) }
	defer end()
	late := time.NewTimer(p.session.agent.options.CloneTime)
	defer late.Stop()
	for {
		select {
		case offered := <-awaited.offers:
			err := p.take(ctx, root, offered)
			again := errors.Is(err, bareclone.ErrCut) && ctx.Err() == nil
			if !again {
				end() // before its server is answered, which would else send it again
			}
			offered.result <- err
			if !again {
				return filepath.Join(folder, sentName), err
			}
		case <-late.C:
			return "", errNotSent
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// take writes what a server sends.
func (p *preparation) take(ctx context.Context, root *os.Root, offered *offeredClone) error {
	if err := folders.Remove(root, sentName); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, offered.cut)
	defer stop()
	limit := p.DiskLimit()
	if limit == 0 {
		limit = sentLimit
	}
	err := bareclone.Read(ctx, root, sentName, offered.body, limit)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, bareclone.ErrCut):
		return fault.Wrap(err, fault.Unavailable, "The private repository didn't come completely.")
	}
	return err
}

// awaitClone says that a launch waits for a clone.
func (s *session) awaitClone(launch int64) *awaitedClone {
	awaited := &awaitedClone{launch: launch, offers: make(chan *offeredClone), over: make(chan struct{})}
	s.mu.Lock()
	s.awaited = awaited
	s.mu.Unlock()
	s.agent.noteAll()
	return awaited
}

// endAwaiting says that it doesn't any more; it may be called again.
func (s *session) endAwaiting(awaited *awaitedClone) {
	s.mu.Lock()
	current := s.awaited == awaited
	if current {
		s.awaited = nil
		close(awaited.over)
	}
	s.mu.Unlock()
	if current {
		s.agent.noteAll()
	}
}

// awaitedBy returns what a launch waits for; nil if it waits for no clone.
func (s *session) awaitedBy(launch string) *awaitedClone {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.awaited == nil || strconv.FormatInt(s.awaited.launch, 10) != launch {
		return nil
	}
	return s.awaited
}

// serveClone hands the clone of a private repository over to the launch that waits for it.
func (a *Agent) serveClone(w http.ResponseWriter, r *http.Request) error {
	known, err := a.known(r)
	if err != nil {
		return err
	}
	awaited := known.awaitedBy(r.URL.Query().Get("launch"))
	if awaited == nil {
		return errNotAwaited
	}
	offered := &offeredClone{
		body: r.Body, cut: func() { _ = http.NewResponseController(w).SetReadDeadline(time.Now()) }, result: make(chan error, 1),
	}
	select {
	case awaited.offers <- offered:
	case <-awaited.over:
		return errNotAwaited
	case <-r.Context().Done():
		return r.Context().Err()
	}
	if err := <-offered.result; err != nil {
		return err
	}
	a.tellState(w, r)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
