package workshops

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/reconcile"
	"cairn/internal/sessions/warm"
	"cairn/internal/workshops/handouts"
	"cairn/internal/workshops/progress"
)

// lookEvery is how often a server looks what is to be done in workshops.
const lookEvery = time.Second

// Run does what is to be done in workshops, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for {
		if err := s.Look(ctx); err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "workshops are not as they should be; trying again", "error", err)
		}
		select {
		case <-ticks.C:
		case <-s.handing.woken():
		case <-ctx.Done():
			s.handing.wait()
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookEvery)
			defer cancel()
			_ = s.progress.store(ctx, s.store) // a second of progress may be lost with a server that is killed, and none otherwise
			return
		}
	}
}

// Look does what is to be done in workshops now: stores what has passed at the seats, ends those whose time is over, hands out, and deletes
// what was kept long enough. Several servers may do so at once.
func (s *Service) Look(ctx context.Context) error {
	failed := s.progress.store(ctx, s.store)
	found, err := s.current(ctx)
	failed = errors.Join(failed, err)
	for _, about := range found {
		failed = errors.Join(failed, s.look(ctx, about))
	}
	return failed
}

// current returns the workshops in which something is to be done.
func (s *Service) current(ctx context.Context) ([]Workshop, error) {
	return s.running.get("", s.Now(), boardLife, func() ([]Workshop, error) { return s.store.unfinished(ctx, s.Now()) })
}

func (s *Service) look(ctx context.Context, about Workshop) error {
	now := s.Now()
	switch {
	case about.EndedAt != nil:
		return s.clean(ctx, about, now)
	case about.stateAt(now) == Ended:
		return s.finish(ctx, about)
	}
	owner, err := s.Accounts.Account(ctx, about.accountID)
	if err != nil {
		return err
	}
	if !owner.Enabled { // whose rights all its sessions have
		about.EndsAt = now
		return s.finish(ctx, about)
	}
	if about.cells == "" {
		s.handing.start("cells "+about.ID, func() bool {
			bounded, cancel := context.WithTimeout(ctx, cellsTime)
			defer cancel()
			if err := readCells(bounded, s, about); err != nil {
				s.Logger.DebugContext(ctx, "the cells of a workshop's notebook aren't known yet", "workshop", about.ID, "error", err)
			}
			return false
		})
	}
	return handOutAll(ctx, s, about)
}

// finish ends a workshop: its sessions stop, and their work is kept. Those of signed-in people become ordinary ones of theirs.
func (s *Service) finish(ctx context.Context, about Workshop) error {
	if err := endAll(ctx, s.Seats, about); err != nil {
		return err
	}
	if _, err := s.store.end(ctx, about, about.end()); err != nil {
		return err
	}
	s.changed()
	return endAll(ctx, s.Seats, about) // what was started meanwhile; from now on nothing is
}

func endAll(ctx context.Context, all SeatSessions, about Workshop) error {
	live, err := all.OfWorkshop(ctx, about.ID)
	if err != nil {
		return err
	}
	ids := make([]string, len(live))
	for i, session := range live {
		ids[i] = session.ID
	}
	if err := all.EndSeats(ctx, about.ID, ids...); err != nil {
		return err
	}
	return all.LeaveWorkshop(ctx, about.ID, "")
}

// clean deletes the work of guests, and later what they called themselves.
func (s *Service) clean(ctx context.Context, about Workshop, now time.Time) error {
	if err := s.Seats.EraseGuests(ctx, about.ID); err != nil {
		return err
	}
	err := s.store.clean(ctx, about.ID, !now.Before(about.end().Add(namesKept)))
	s.running.clear()
	return err
}

// WarmSeats implements reconcile.Seats: as many sessions are warm as there are seats that nobody has.
func (s *Service) WarmSeats(ctx context.Context, engine string) ([]reconcile.SeatsWanted, error) {
	found, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	var wanted []reconcile.SeatsWanted
	for _, about := range found {
		state := about.stateAt(s.Now())
		if about.Engine != engine || state != Warming && state != Open {
			continue
		}
		planned, err := s.plan(ctx, about)
		if err != nil {
			s.Logger.WarnContext(ctx, "no more sessions of a workshop get warm", "workshop", about.ID, "reason", fault.MessageOf(err))
			wanted = append(wanted, reconcile.SeatsWanted{Want: warm.Want{Entry: about.ID, Engine: engine}, Unknown: true})
			continue
		}
		seats, err := s.store.taken(ctx, about.ID)
		if err != nil {
			return nil, err
		}
		live, err := s.Seats.OfWorkshop(ctx, about.ID)
		if err != nil {
			return nil, err
		}
		running := len(slices.DeleteFunc(live, func(session sessions.Session) bool { return !session.Status.Live() }))
		wanted = append(wanted, reconcile.SeatsWanted{
			Want: warm.Want{Entry: about.ID, Engine: engine, Count: max(0, about.Seats.Total-len(seats))}, Content: planned, ChangedAt: about.createdAt,
			Room: max(0, about.Seats.Total-running),
		})
	}
	return wanted, nil
}

// readCells finds out which cells the notebook of a workshop has, from a session that nobody has changed anything in if there is one.
func readCells(ctx context.Context, s *Service, about Workshop) error {
	id, file, err := s.store.warmFile(ctx, about.ID)
	if err != nil {
		return err
	}
	session := sessions.Session{ID: id, Engine: about.Engine, Opens: file}
	if id == "" {
		live, err := s.Seats.OfWorkshop(ctx, about.ID)
		if err != nil {
			return err
		}
		live = slices.DeleteFunc(live, func(one sessions.Session) bool { return one.Status != sessions.Running || one.Opens == "" })
		if len(live) == 0 {
			return nil
		}
		session = live[int(s.Now().Unix())%len(live)] // one of them may not answer
	}
	target, err := s.Target(ctx, session)
	if err != nil {
		return err
	}
	content, err := handouts.Read(ctx, handouts.Target{Session: session.ID, Target: target}, session.Opens)
	if err != nil { // somebody may have moved it
		return err
	}
	cells, err := progress.ReadCells(content)
	if err != nil { // it isn't a notebook, or not one that can be followed: then only activity is known
		cells = progress.Cells{}
	}
	text, err := json.Marshal(cells)
	if err == nil {
		err = s.store.setCells(ctx, about.ID, string(text))
	}
	s.running.clear()
	return err
}

// handing has the goroutines that hand out, of which there are few.
type handing struct {
	mu    sync.Mutex
	going map[string]bool // seats; protected by mu
	group sync.WaitGroup
	calls chan struct{}
}

const (
	cellsTime       = 5 * time.Second
	handingTogether = 8                // seats to which one server hands out at a time
	handingTime     = 2 * time.Minute  // after which another try, or another server, may begin
	handingAgain    = 10 * time.Second // after which a seat is tried again that couldn't be reached
)

func (h *handing) wake() {
	select {
	case h.calls <- struct{}{}:
	default:
	}
}

func (h *handing) woken() <-chan struct{} { return h.calls }

func (h *handing) wait() { h.group.Wait() }

// start does something for a seat beside others, unless it is being done or there is too much to do. If there may be more to do, it is looked
// for at once.
func (h *handing) start(seat string, do func() (more bool)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.going[seat] || len(h.going) >= handingTogether {
		return
	}
	h.going[seat] = true
	h.group.Go(func() {
		defer func() {
			h.mu.Lock()
			delete(h.going, seat)
			h.mu.Unlock()
		}()
		if do() {
			defer h.wake() // once it isn't going any more
		}
	})
}

// handOutAll brings what was handed out to all seats that run and lack it.
func handOutAll(ctx context.Context, s *Service, about Workshop) error {
	lacking, err := s.store.undelivered(ctx, about.ID)
	if err != nil || len(lacking) == 0 {
		return err
	}
	live, err := s.Seats.OfWorkshop(ctx, about.ID)
	if err != nil {
		return err
	}
	seats, err := s.store.taken(ctx, about.ID)
	if err != nil {
		return err
	}
	for _, seat := range seats {
		at := slices.IndexFunc(live, func(session sessions.Session) bool {
			return session.ID == seat.sessionID && session.Status == sessions.Running
		})
		if at < 0 || len(lacking[seat.id]) == 0 {
			continue
		}
		s.handing.start(seat.id, func() bool {
			for _, id := range lacking[seat.id] { // one after the other: the later one knows the earlier one
				err := handOutTo(ctx, s, seat, live[at], id)
				if errors.Is(err, errBeingHanded) {
					return false // what comes after it must not overtake it
				}
				if err != nil {
					s.Logger.WarnContext(ctx, "something can't be handed out to a seat; trying again", "workshop", about.ID, "seat", seat.number, "error", err)
					return false
				}
			}
			return true
		})
	}
	return nil
}

// errBeingHanded says that another server hands something out, or that it is tried again in a moment.
var errBeingHanded = errors.New("it is being handed out")

func handOutTo(ctx context.Context, s *Service, seat Seat, session sessions.Session, id string) error {
	claimed, err := s.store.claim(ctx, seat.id, id, s.Now().Add(handingTime))
	if err == nil && !claimed {
		err = errBeingHanded
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, handingTime)
	defer cancel()
	again := time.Time{}
	bundle, err := s.store.bundle(ctx, id)
	if err != nil {
		return err
	}
	target, err := s.Target(ctx, session)
	var delivered handouts.Delivered
	if err == nil {
		delivered, err = handouts.Deliver(ctx, handouts.Target{Session: session.ID, Target: target}, bundle)
	}
	if err != nil {
		again = s.Now().Add(handingAgain)
	}
	err = errors.Join(err, s.store.deliver(context.WithoutCancel(ctx), seat.id, id, delivered.Files, again))
	s.boards.clear()
	return err
}
