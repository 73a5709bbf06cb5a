package workshops

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/shares"
	"cairn/internal/workshops/progress"
)

// observed knows what has passed at the seats that this server serves since it was last stored.
type observed struct {
	mu    sync.Mutex
	seats map[string]*seen // by session; protected by mu
}

// seen is what this server has seen of one session.
type seen struct {
	executions  *progress.Executions
	connections int     // protected by observed.mu
	events      []event // that aren't stored; protected by observed.mu
}

type event struct {
	progress.Event

	at time.Time
}

// eventsKept is how many events of a session wait to be stored at most; more are only activity.
const eventsKept = 5000

// Observe follows a new connection between a page and a kernel of a workshop's session, until done is called: which cells are executed and
// which fail, and nothing else.
func (s *Service) Observe(session sessions.Session, subprotocol string) (tap origin.Tap, done func()) {
	o := &s.progress
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seats == nil {
		o.seats = map[string]*seen{}
	}
	known := o.seats[session.ID]
	if known == nil {
		known = &seen{}
		known.executions = progress.NewExecutions(func(one progress.Event) { o.add(known, event{one, s.Now()}) })
		o.seats[session.ID] = known
	}
	known.connections++
	return known.executions.Tap(subprotocol), sync.OnceFunc(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		known.connections--
	})
}

func (o *observed) add(to *seen, one event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(to.events) < eventsKept {
		to.events = append(to.events, one)
	}
}

// take returns what isn't stored, by session. Sessions that nobody is connected to are forgotten with that.
func (o *observed) take() map[string][]event {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := map[string][]event{}
	for id, known := range o.seats {
		if len(known.events) > 0 {
			taken[id], known.events = known.events, nil
		} else if known.connections == 0 {
			delete(o.seats, id)
		}
	}
	return taken
}

// giveBack keeps what couldn't be stored for the next time.
func (o *observed) giveBack(id string, events []event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if known := o.seats[id]; known != nil {
		known.events = append(events, known.events...)
		known.events = known.events[:min(len(known.events), eventsKept)]
	}
}

// store stores what has passed at the seats, or keeps all of it for the next time. Other servers may store what passed at the same seat there.
func (o *observed) store(ctx context.Context, in *Store) error {
	taken := o.take()
	if len(taken) == 0 {
		return nil
	}
	err := in.updateProgress(ctx, slices.Sorted(maps.Keys(taken)), func(seat Seat, cells progress.Cells) *progress.Seat {
		state, err := seat.state(cells)
		if err != nil { // what can't be read begins anew, and holds up no other seat
			state = progress.NewSeat(cells)
		}
		for _, one := range taken[seat.sessionID] {
			state.Apply(one.Event, one.at)
		}
		return state
	})
	if err != nil {
		for session, events := range taken {
			o.giveBack(session, events)
		}
	}
	return err
}

// cellsOf returns the cells of a workshop's notebook, none while they aren't known.
func cellsOf(about Workshop) (cells progress.Cells) {
	if about.cells != "" {
		_ = json.Unmarshal([]byte(about.cells), &cells)
	}
	return cells
}

// state returns how far a seat is.
func (t Seat) state(cells progress.Cells) (*progress.Seat, error) {
	state := progress.NewSeat(cells)
	if t.progress == "" {
		return state, nil
	}
	return state, json.Unmarshal([]byte(t.progress), state)
}

// told is what all seats of a workshop are told.
type told struct {
	about    Workshop
	messages []Message
}

// PageState is what a page of a session in a workshop shows about it.
type PageState struct {
	ID       string      `json:"id"`
	Name     string      `json:"name"`
	Seat     int         `json:"seat"`
	EndsIn   int         `json:"endsIn"` // seconds
	Ending   bool        `json:"ending"` // a host is ending it
	HandUp   bool        `json:"handUp"`
	Messages []Message   `json:"messages"` // the last one first
	Handouts []Delivered `json:"handouts"` // likewise
	Asks     []PageAsk   `json:"asks"`     // hosts who ask to be let in
}

// PageAsk is a host who asks to be let in.
type PageAsk struct {
	ID  string       `json:"id"`
	Who string       `json:"who"`
	Can shares.Level `json:"can"`
}

// toldLife is how long what all seats are told may be out of date where another server has changed it.
const toldLife = time.Second

// PageState returns what the pages of a session show about its workshop; nil if it is in none that goes on. Owner says whether the page is
// that of whoever has the seat.
func (s *Service) PageState(ctx context.Context, session sessions.Session, owner bool) (*PageState, error) {
	known, err := s.said.get(session.Workshop, s.Now(), toldLife, func() (known told, err error) {
		if known.about, err = s.store.get(ctx, session.Workshop); err == nil {
			known.messages, err = s.store.messages(ctx, session.Workshop)
		}
		return known, err
	})
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil //nolint:nilnil // a workshop that was deleted says nothing
	}
	if err != nil {
		return nil, err
	}
	about, now := known.about, s.Now()
	seat, err := s.store.seatOfSession(ctx, session.ID)
	if about.stateAt(now) == Ended || fault.KindOf(err) == fault.NotFound {
		return nil, nil //nolint:nilnil // likewise
	}
	if err != nil {
		return nil, err
	}
	shown := &PageState{
		ID: about.ID, Name: about.Name, Seat: seat.number, EndsIn: int(about.end().Sub(now).Seconds()), Ending: about.EndingAt != nil,
		HandUp: !seat.handAt.IsZero(), Messages: known.messages, Asks: []PageAsk{},
	}
	if shown.Handouts, err = s.store.placed(ctx, seat.id); err != nil || !owner {
		return shown, err
	}
	asked, err := s.Requests.Requests(ctx, session.ID)
	for _, one := range asked {
		if one.AnsweredAt == nil && one.Kind == shares.Enter {
			shown.Asks = append(shown.Asks, PageAsk{ID: one.ID, Who: one.Name, Can: one.Can})
		}
	}
	return shown, err
}

// SeatState implements origin.Seats.
func (s *Service) SeatState(ctx context.Context, session sessions.Session, owner bool) (any, error) {
	state, err := s.PageState(ctx, session, owner)
	if state == nil {
		return nil, err
	}
	return state, err
}

// SetHandOf raises or lowers the hand of a session's seat.
func (s *Service) SetHandOf(ctx context.Context, session sessions.Session, up bool) error {
	seat, err := s.store.seatOfSession(ctx, session.ID)
	if err != nil {
		return err
	}
	about, err := s.store.get(ctx, seat.workshop)
	if err != nil {
		return err
	}
	return s.setHand(ctx, about, seat, up)
}

// AnswerAsk lets a host in, or doesn't: the caller has the seat.
func (s *Service) AnswerAsk(ctx context.Context, session sessions.Session, ask string, granted bool) error {
	_, err := s.Requests.Answer(ctx, session.ID, ask, shares.Answer{Granted: granted})
	return err
}
