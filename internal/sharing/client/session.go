package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"cairn/internal/foundation/fault"
)

// Session is a session as far as the commands need it.
type Session struct {
	ID            string
	SessionName   string
	Status        string
	StatusReason  string
	Step          string
	QueuePosition int
	OpenNote      string
	Cause         *struct{ Sentence, Fix string }

	JSON json.RawMessage `json:"-"` // as the server sent it
}

// UnmarshalJSON keeps what the server sent.
func (s *Session) UnmarshalJSON(text []byte) error {
	type plain Session
	if err := json.Unmarshal(text, (*plain)(s)); err != nil {
		return err
	}
	s.JSON = append(json.RawMessage(nil), text...)
	return nil
}

// The states of sessions that commands tell apart.
const (
	created = "CREATED"
	running = "RUNNING"
	failed  = "ERROR"
)

// OpenAddress returns where a browser opens a session, for somebody who is signed in there.
func (c *Client) OpenAddress(session Session) string {
	return c.Page("/sessions/" + url.PathEscape(session.ID) + "/open")
}

// Start starts a session from an entry; file is the one that it opens, "" for what the entry says.
func (c *Client) Start(ctx context.Context, id, file string) (session Session, err error) {
	body := map[string]string{"resourceId": id}
	if file != "" {
		body["file"] = file
	}
	err = c.call(ctx, http.MethodPost, "/sessions", nil, body, &session, "Idempotency-Key", rand.Text())
	if err == nil && session.ID == "" {
		err = c.noServer(http.StatusOK)
	}
	return session, err
}

// patience is how many looks at a session in a row may fail.
const patience = 10

// Follow waits until a session runs, or until it has ended, and tells each state that differs from the one before. It returns
// Conflict for a session that failed.
func (c *Client) Follow(ctx context.Context, session Session, untilEnd bool, tell func(Session)) error {
	session, err := poll(ctx, c, "/sessions/"+url.PathEscape(session.ID), session, tell,
		func(now Session) bool { return now.Status == created || (untilEnd && now.Status == running) })
	switch {
	case err != nil:
		return err
	case session.Status == failed && session.Cause != nil:
		return fault.New(fault.Conflict, "The session couldn't run. %s %s", Printable(session.Cause.Sentence), Printable(session.Cause.Fix))
	case session.Status == failed, session.Status != running && !untilEnd:
		return fault.New(fault.Conflict, "The session doesn't run: %s", Printable(cmp.Or(session.StatusReason, session.Status)))
	}
	return nil
}

// followed is what changes on the server, and says when it has.
type followed interface{ state() state }

// poll looks at something until it is settled, and returns it as it is then. It tells each state that differs from the one before.
func poll[T followed](ctx context.Context, c *Client, path string, last T, tell func(T), goesOn func(T) bool) (T, error) {
	tell(last)
	ticks := time.NewTicker(c.interval)
	defer ticks.Stop()
	failures := 0
	for goesOn(last) {
		select {
		case <-ctx.Done():
			return last, ctx.Err()
		case <-ticks.C:
		}
		var now T
		err := c.call(ctx, http.MethodGet, path, nil, nil, &now)
		if fault.KindOf(err) == fault.Unavailable && failures < patience {
			failures++
			continue
		}
		if err != nil {
			return last, err
		}
		failures = 0
		if now.state() != last.state() {
			tell(now)
		}
		last = now
	}
	return last, nil
}

type state struct {
	status, step string
	position     int
}

func (s Session) state() state { return state{s.Status, s.Step, s.QueuePosition} }
