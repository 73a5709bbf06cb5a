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
	// awayAfter is how long after the last request of somebody without an open connection they count as gone.
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
	owner       sessions.Session // the session, for its owner's list
	visit       string           // its id; "" while it isn't stored
	connections int
	touched     time.Time
	confirmed   time.Time
	people      int // as it was stored last
}

// Presence knows who is in shared sessions, and keeps who was. Every server knows those whom it serves, and the database all of them.
type Presence struct {
	store  *Store
	now    func() time.Time
	logger *slog.Logger

	// mu guards the field below.
	mu    sync.Mutex
	there map[place]*attendance

	storing sync.Mutex // held while visits are stored, so that nobody begins two
}

// NewPresence returns a presence in which nobody is. Run keeps it.
func NewPresence(store *Store, now func() time.Time, logger *slog.Logger) *Presence {
	return &Presence{store: store, now: now, logger: logger, there: map[place]*attendance{}}
}

// Enter notes that somebody uses a session, as something that they may, and records it before it returns the first time. With a
// connection, they are there at least until leave is called.
func (p *Presence) Enter(ctx context.Context, right Right, as Level, connected bool) (leave func(), err error) {
	at := place{right.Session.ID, right.Account.AccountID, as}
	leave = p.touch(at, right.Session, connected)
	if as == Owner { // whose visits matter only while somebody else may be there
		return leave, nil
	}
	p.storing.Lock()
	defer p.storing.Unlock()
	p.mu.Lock()
	known := p.there[at]
	stored := known == nil || known.visit != ""
	p.mu.Unlock()
	if stored {
		return leave, nil
	}
	if right.Account.AccountID == "" {
		ctx = audit.As(ctx, audit.Actor{Email: "link"})
	}
	event := about(audit.EnterSession, right.Session, audit.Change{Column: "session_visit.can", New: string(as)})
	if err = p.begin(ctx, at, &event); err != nil {
		leave()
	}
	return leave, err
}

// touch notes that somebody is there.
func (p *Presence) touch(at place, session sessions.Session, connected bool) (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.there[at]
	if known == nil {
		known = &attendance{}
		p.there[at] = known
	}
	known.owner, known.touched = session, p.now()
	if !connected {
		return func() {}
	}
	known.connections++
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		known.connections--
		known.touched = p.now()
		if at.as == See { // whose page has no other requests
			known.touched = known.touched.Add(lookEvery - awayAfter)
		}
	})
}

// begin stores the visit of a place. p.storing must be held.
func (p *Presence) begin(ctx context.Context, at place, event *audit.Event) error {
	p.mu.Lock()
	known := p.there[at]
	people := max(1, known.connections)
	owner := known.owner.AccountID
	p.mu.Unlock()
	id, err := p.store.beginVisit(ctx, owner, at, people, event)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	known.visit, known.confirmed, known.people = id, p.now(), people
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
	p.storing.Lock()
	defer p.storing.Unlock()
	now := p.now()
	var come, gone []place
	var confirmed []string
	counted := map[string]int{}
	p.mu.Lock()
	for at, known := range p.there {
		away := known.connections == 0 && now.Sub(known.touched) >= awayAfter
		switch {
		case away && known.visit == "":
			delete(p.there, at)
		case away:
			gone = append(gone, at)
		case known.visit == "":
			come = append(come, at)
		default:
			if now.Sub(known.confirmed) >= confirmEvery {
				confirmed = append(confirmed, known.visit)
				known.confirmed = now
			}
			if people := max(1, known.connections); at.account == "" && people != known.people {
				counted[known.visit], known.people = people, people
			}
		}
	}
	p.mu.Unlock()
	if err := p.beginOwners(ctx, come); err != nil {
		return err
	}
	for _, at := range gone {
		p.mu.Lock()
		known := p.there[at]
		p.mu.Unlock()
		if err := p.store.endVisit(ctx, known.owner.AccountID, known.visit); err != nil {
			return err
		}
		p.mu.Lock()
		known.visit = ""
		p.mu.Unlock()
	}
	if err := p.store.confirmVisits(ctx, confirmed, counted); err != nil {
		return err
	}
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
		if !shared[at.session] {
			continue
		}
		if err := p.begin(ctx, at, nil); err != nil {
			return err
		}
	}
	return nil
}
