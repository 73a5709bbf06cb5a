package viewing

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/shares"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// Seen is a view, and what the caller may do with the session.
type Seen struct {
	View

	Shared shares.Shared `json:"shared"`
}

type seenOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         Seen
}

type seeInput struct {
	ID       string `path:"id"`
	Notebook string `query:"notebook" maxLength:"1000" doc:"The path of a notebook; empty: the one in which somebody works"`
	Link     string `header:"Share-Link" maxLength:"100" doc:"What follows the # in a link; for callers without an account"`
}

const streamDescription = "Server-sent events: shared (a Shared, at the beginning and when it changes), view (a View), change (a Change that leads from one View to " +
	"the next), and ended (`{code, text}`) when the caller may no longer look; it ends with the access token, too."

// Routes registers the operations that show sessions to others.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Sharing"}
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "see-session", Method: http.MethodGet, Path: "/sessions/{id}/see", Tags: tags, Summary: "What a session shows now",
		Description: "For its owner, and for those with whom it is shared. Nothing of it reaches the session.",
	}, s.handleSee)
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "follow-session", Method: http.MethodGet, Path: "/sessions/{id}/see/events", Tags: tags, Summary: "What a session shows, as it changes",
		Description: streamDescription,
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}},
		}}},
	}, s.handleFollow)
}

// visit returns who looks, and what they may do.
func (s *Service) visit(ctx context.Context, input *seeInput) (*viewer, error) {
	caller, _ := identity.From(ctx)
	one := &viewer{session: input.ID, chosen: input.Notebook, visitor: shares.Visitor{AccountID: caller.AccountID, Link: input.Link}, caller: caller, changed: make(chan struct{}, 1)}
	var err error
	one.right, err = s.Shares.RightToSee(ctx, input.ID, one.visitor)
	return one, err
}

func (s *Service) handleSee(ctx context.Context, input *seeInput) (*seenOutput, error) {
	one, err := s.visit(ctx, input)
	if err != nil {
		return nil, err
	}
	entered, leave, err := s.enter(subject{input.ID, input.Notebook})
	if err != nil {
		return nil, err
	}
	defer leave()
	if _, err := s.arrive(ctx, one, false); err != nil {
		return nil, err
	}
	for {
		renewed := entered.renewed.Next()
		if found, ok := entered.latest(); ok {
			seen := Seen{Shared: s.Shares.Shown(one.now())}
			return &seenOutput{CacheControl: "no-store", Body: seen}, json.Unmarshal(found.whole[len("event: view\ndata: "):], &seen.View)
		}
		select {
		case <-renewed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// arrive notes that somebody looks. Owners who look at what others see aren't guests.
func (s *Service) arrive(ctx context.Context, one *viewer, connected bool) (leave func(), err error) {
	right := one.now()
	if right.Level == shares.Owner {
		return func() {}, nil
	}
	return s.Presence.Enter(ctx, right, shares.See, connected)
}

func (s *Service) handleFollow(ctx context.Context, input *seeInput) (*huma.StreamResponse, error) {
	one, err := s.visit(ctx, input)
	if err != nil {
		return nil, err
	}
	ctx, one.end = context.WithCancelCause(ctx)
	leave, err := s.add(one)
	if err != nil {
		return nil, err
	}
	entered, empty, err := s.enter(subject{input.ID, input.Notebook})
	if err != nil {
		leave()
		return nil, err
	}
	gone, err := s.arrive(ctx, one, true)
	if err != nil {
		leave()
		empty()
		return nil, err
	}
	return &huma.StreamResponse{Body: func(answer huma.Context) {
		defer leave()
		defer empty()
		defer gone()
		_, w := humachi.Unwrap(answer)
		s.stream(ctx, w, one, entered)
	}}, nil
}

const (
	keepAlive = 15 * time.Second // between two events; proxies cut silent streams
	sendTime  = 20 * time.Second // that a client may take to read an event
	lastTime  = time.Second      // and once it may no longer look
)

// stream sends what a room shows until somebody leaves, or may no longer look.
func (s *Service) stream(ctx context.Context, w http.ResponseWriter, one *viewer, entered *room) {
	defer one.end(nil)
	defer context.AfterFunc(s.leaving, func() { one.end(nil) })()
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	header.Set("Connection", "close") // its deadlines stay with the connection, and would end later answers on it
	controller := http.NewResponseController(w)
	// Whoever reads nothing is cut as soon as others.
	defer context.AfterFunc(ctx, func() { _ = controller.SetWriteDeadline(time.Now().Add(lastTime)) })()
	send := func(events ...[]byte) bool {
		_ = controller.SetWriteDeadline(time.Now().Add(sendTime))
		if ctx.Err() != nil { // it has just ended, and the line above has undone what that did
			_ = controller.SetWriteDeadline(time.Now().Add(lastTime))
		}
		for _, text := range events {
			if _, err := w.Write(text); err != nil {
				return false
			}
		}
		return controller.Flush() == nil
	}
	told := func() bool {
		text, err := json.Marshal(s.Shares.Shown(one.now()))
		return err == nil && send(event("shared", text))
	}
	number := 0
	silence := time.NewTicker(keepAlive)
	defer silence.Stop()
	for alive := told(); alive; {
		renewed := entered.renewed.Next()
		if events, last := entered.since(number); len(events) > 0 {
			alive, number = send(events...), last
			if !alive {
				return
			}
		}
		select {
		case <-renewed:
		case <-one.changed:
			alive = told()
		case <-silence.C:
			alive = send([]byte(": still here\n\n"))
		case <-ctx.Done():
			s.sayWhy(ctx, send)
			return
		}
	}
}

// sayWhy tells a page why its stream ends, unless it should come back.
func (s *Service) sayWhy(ctx context.Context, send func(...[]byte) bool) {
	cause := context.Cause(ctx)
	if fault.KindOf(cause) == fault.Internal {
		return
	}
	text, err := json.Marshal(map[string]string{"code": string(fault.CodeOf(cause)), "text": fault.MessageOf(cause)})
	if err == nil {
		send(event("ended", text))
	}
}
