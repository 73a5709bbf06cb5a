package shares

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/sessions"
)

const (
	// awayAfter is how long after the last request of somebody without an open connection they count as gone; of a page that shows
	// a session, which makes no others, it's as soon as the next look.
	awayAfter = 45 * time.Second
	// staleAfter is how long after its last confirmation a visit has ended whose server was killed.
	staleAfter = 30 * time.Second
	// confirmEvery is how often servers confirm the visits of those who are there.
	confirmEvery = 10 * time.Second
	// lookEvery is how often a server looks who has come or gone.
	lookEvery = 2 * time.Second
	// sameVisit is how long somebody may be away without beginning another visit.
	sameVisit = 10 * time.Minute
)

// place is somebody in a session, as something. Those without an account share one place.
type place struct {
	session, account string
	as               Level
}

// attendance is what this server knows of a place.
type attendance struct {
	session     sessions.Session
	visit       string // its id; "" while it isn't stored
	ended       bool   // the visit has; whoever comes back soon goes on with it
	connections int
	goneAt      time.Time // when they count as gone, unless they have a connection
	confirmedAt time.Time
	people      int // as it was stored last
}

// isThere reports whether somebody is.
func (a *attendance) isThere(now time.Time) bool { return a.connections > 0 || now.Before(a.goneAt) }

// Presence knows who is in shared sessions, and keeps who was. Every server knows those whom it serves, and the database all of them.
type Presence struct {
	store  *Store
	now    func() time.Time
	logger *slog.Logger

	storing chan struct{} // has an element while visits are stored, so that nobody begins two

	// mu guards the field below.
	mu    sync.Mutex
	there map[place]*attendance
}

// NewPresence returns a presence in which nobody is. Run keeps it.
func NewPresence(store *Store, now func() time.Time, logger *slog.Logger) *Presence {
	return &Presence{store: store, now: now, logger: logger, storing: make(chan struct{}, 1), there: map[place]*attendance{}}
}

// Enter notes that somebody uses a session, as something that they may, and records it before it returns the first time. With a
// connection, they are there at least until leave is called.
func (p *Presence) Enter(ctx context.Context, right Right, as Level, connected bool) (leave func(), err error) {
	at := place{right.Session.ID, right.Account.AccountID, as}
	leave, known := p.touch(at, right.Session, connected)
	if known || as == Owner { // whose visits matter only while somebody else may be there
		return leave, nil
	}
	if err := p.beginStoring(ctx); err != nil {
		leave()
		return nil, err
	}
	defer p.endStoring()
	// It may be stored by now, or forgotten again while this has waited.
	if _, known = p.touch(at, right.Session, false); known {
		return leave, nil
	}
	if at.account == "" {
		ctx = audit.As(ctx, audit.Actor{Email: "link"})
	}
	event := about(audit.EnterSession, right.Session, audit.Change{Column: "session_visit.can", New: string(as)})
	if err = p.begin(ctx, at, &event); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

func (p *Presence) beginStoring(ctx context.Context) error {
	select {
	case p.storing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *Presence) endStoring() { <-p.storing }

// touch notes that somebody is there, and reports whether that is stored.
func (p *Presence) touch(at place, session sessions.Session, connected bool) (leave func(), stored bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.there[at]
	if known == nil {
		known = &attendance{}
		p.there[at] = known
	}
	known.session = session
	stay := func(from time.Time) {
		if at.as != See {
			from = from.Add(awayAfter)
		}
		if from.After(known.goneAt) {
			known.goneAt = from
		}
	}
	stay(p.now().Add(time.Second))
	stored = known.visit != "" && !known.ended
	if !connected {
		return func() {}, stored
	}
	known.connections++
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		known.connections--
		stay(p.now())
	}), stored
}

// begin stores the visit of a place, which is there, between beginStoring and endStoring: so nobody forgets it meanwhile.
func (p *Presence) begin(ctx context.Context, at place, event *audit.Event) error {
	p.mu.Lock()
	known := p.there[at]
	people, owner, before := max(1, known.connections), known.session.AccountID, known.visit
	p.mu.Unlock()
	id, err := p.store.beginVisit(ctx, owner, at, people, before, event)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	known.visit, known.ended, known.confirmedAt, known.people = id, false, p.now(), people
	return nil
}

// Run stores who has come and gone, until ctx ends; then nobody is there for this server any longer.
func (p *Presence) Run(ctx context.Context) {
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return // the visits end by themselves, unless the browsers find another server
		}
		if err := p.Look(ctx); err != nil && ctx.Err() == nil {
			p.logger.WarnContext(ctx, "who is in shared sessions can't be stored; trying again", "error", err)
		}
	}
}

// Look stores who has come and gone since the last look.
func (p *Presence) Look(ctx context.Context) error {
	if err := p.beginStoring(ctx); err != nil {
		return err
	}
	defer p.endStoring()
	now := p.now()
	var come []place
	gone := map[string][]string{} // visits by the owner of their session
	going := map[string]int{}     // people by the visit that goes on
	var left, told []*attendance
	p.mu.Lock()
	for at, known := range p.there {
		stored := known.visit != "" && !known.ended
		switch {
		case !known.isThere(now) && stored:
			gone[known.session.AccountID] = append(gone[known.session.AccountID], known.visit)
			left = append(left, known)
		case !known.isThere(now):
			if known.visit == "" || now.Sub(known.goneAt) >= sameVisit {
				delete(p.there, at)
			}
		case !stored:
			come = append(come, at)
		case now.Sub(known.confirmedAt) >= confirmEvery || at.account == "" && known.people != max(1, known.connections):
			going[known.visit] = max(1, known.connections)
			told = append(told, known)
		}
	}
	p.mu.Unlock()
	if err := p.beginOwners(ctx, come); err != nil {
		return err
	}
	for owner, visits := range gone {
		if err := p.store.endVisits(ctx, owner, visits); err != nil {
			return err
		}
	}
	if err := p.store.confirmVisits(ctx, going); err != nil {
		return err
	}
	p.mu.Lock()
	for _, known := range left {
		known.ended = true
	}
	for _, known := range told {
		known.confirmedAt, known.people = now, going[known.visit]
	}
	p.mu.Unlock()
	return p.store.endStale(ctx)
}

// beginOwners stores that owners are in their sessions, if these are shared.
func (p *Presence) beginOwners(ctx context.Context, come []place) error {
	var ids []string
	for _, at := range come {
		ids = append(ids, at.session)
	}
	shared, err := p.store.sharedAmong(ctx, ids)
	if err != nil {
		return err
	}
	for _, at := range come {
		if at.as != Owner || !shared[at.session] {
			continue // guests are stored when they come
		}
		if err := p.begin(ctx, at, nil); err != nil {
			return err
		}
	}
	return nil
}
