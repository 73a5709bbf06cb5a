package reconcile

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
	"cairn/internal/sessions/warm"
)

const (
	warmInterval = 30 * time.Second // between looks at the entries whose sessions are kept warm
	refillPause  = 5 * time.Second  // after a claim, so that the kernel of whoever claimed it starts first
	warmPause    = time.Minute      // after a warm session that failed, doubled each time, up to
	longestPause = time.Hour
)

// WarmPool keeps sessions that run before anybody asks for them.
type WarmPool struct {
	store    *warm.Store
	sessions *sessions.Store
	wants    []warm.Want
	engines  sizes.Engines
	resolver *sessions.Resolver
	changes  *sessions.Changes
	now      func() time.Time
	logger   *slog.Logger

	seats Seats // optional

	mu        sync.Mutex
	contents  map[string]poolContents // protected by mu; by entry, since it was first looked at
	failures  map[place]poolFailure   // protected by mu; since a session of it was last ready
	claimedAt time.Time               // protected by mu
}

// poolContents is what a session of an entry holds now.
type poolContents struct {
	sessions.PublicContents

	refused string // why there is none
}

// place is an engine and an entry or a project of which it keeps sessions warm.
type place struct{ engine, entry string }

type poolFailure struct {
	count uint
	until time.Time
}

// Seats are sessions that are to be warm for a while, beside those that the configuration names: those of workshops.
type Seats interface {
	// WarmSeats returns what should be warm on an engine now.
	WarmSeats(ctx context.Context, engine string) ([]SeatsWanted, error)
}

// SeatsWanted are warm sessions of a workshop.
type SeatsWanted struct {
	warm.Want // whose entry is the id of the workshop

	Content   sessions.Session // what they hold, without an owner
	Unknown   bool             // that can't be found out now, so those that are there stay
	ChangedAt time.Time        // when that last changed
	Room      int              // how many of them its reservation has room for
}

// Follow has the pool keep seats warm too, from now on. It must be called before the reconciler runs.
func (p *WarmPool) Follow(seats Seats) { p.seats = seats }

// WarmOptions say what is kept warm, and where.
type WarmOptions struct {
	Wants    []warm.Want
	Engines  sizes.Engines
	Resolver *sessions.Resolver
	Now      func() time.Time
	Logger   *slog.Logger
}

// NewWarmPool returns a pool; a Reconciler keeps it filled.
func NewWarmPool(store *warm.Store, all *sessions.Store, changes *sessions.Changes, options WarmOptions) *WarmPool {
	return &WarmPool{
		store: store, sessions: all, changes: changes, wants: options.Wants, engines: options.Engines, resolver: options.Resolver, now: options.Now, logger: options.Logger,
		contents: map[string]poolContents{}, failures: map[place]poolFailure{},
	}
}

// Claimed implements sessions.WarmPool.
func (p *WarmPool) Claimed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claimedAt = p.now()
}

// content returns what is known about an entry; false before the first look.
func (p *WarmPool) content(entry string) (poolContents, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	found, known := p.contents[entry]
	return found, known
}

// follow looks at the entries whose sessions are kept warm, until ctx ends.
func (p *WarmPool) follow(ctx context.Context) {
	if len(p.wants) == 0 {
		return
	}
	ticker := time.NewTicker(warmInterval)
	defer ticker.Stop()
	for {
		p.refresh(ctx)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// refresh finds out what sessions of these entries hold for everybody. What can't be found out now stays as it was.
func (p *WarmPool) refresh(ctx context.Context) {
	changed := false
	for _, want := range p.wants {
		before, known := p.content(want.Entry)
		found, err := p.resolver.PublicContents(ctx, want.Entry)
		now := poolContents{PublicContents: found}
		switch kind := fault.KindOf(err); {
		case err == nil:
		case kind == fault.Internal || kind == fault.Unavailable:
			continue
		default:
			now.refused = fault.MessageOf(err)
		}
		if known && before.Hash == now.Hash && before.refused == now.refused && before.ChangedAt.Equal(now.ChangedAt) {
			continue
		}
		if now.refused != "" {
			p.logger.WarnContext(ctx, "no sessions of an entry are kept warm", "entry", want.Entry, "reason", now.refused)
		}
		p.mu.Lock()
		p.contents[want.Entry] = now
		p.mu.Unlock()
		changed = true
	}
	if changed {
		p.changes.Announce()
	}
}

// Ready implements sessions.WarmPool.
func (p *WarmPool) Ready(ctx context.Context, on sizes.Engine, made sessions.Session) (ready []string) {
	if !on.KeepsWarm() || made.Workshop == "" && (len(p.wants) == 0 || made.Source.Profile != on.ForAll(made.Source.Needs).Name) {
		return nil
	}
	ids, err := p.store.Ready(ctx, on.Name, made.ContentsHash())
	if err != nil {
		p.logger.WarnContext(ctx, "warm sessions cannot be read", "error", err)
	}
	return slices.DeleteFunc(ids, func(id string) bool {
		status, err := on.Status(ctx, id)
		return err != nil || status.Phase != engine.Running
	})
}

// keep starts and ends warm sessions on an engine, and returns those that it keeps. People come first:
// while one waits there are none, and while a session is launched none is started. Batch is how many batch sessions there are.
func (p *WarmPool) keep(ctx context.Context, on sizes.Engine, beside *background, seen look, batch int) ([]warm.Session, error) {
	if !on.KeepsWarm() {
		return nil, nil
	}
	all, err := p.store.On(ctx, on.Name)
	var seats []SeatsWanted
	if err == nil && p.seats != nil {
		seats, err = p.seats.WarmSeats(ctx, on.Name)
	}
	if err != nil || (len(all) == 0 && len(p.wants) == 0 && len(seats) == 0) {
		return nil, err
	}
	reserved, err := p.sessions.Reserved(ctx, []string{on.Name}, p.now())
	if err != nil {
		return nil, err
	}
	room, busy := p.room(on, seen.sessions, batch, reserved)
	starts := starting(on, seen.sessions)
	targets, unknown := p.targets(on, busy)
	plan := func(all []warm.Session, now time.Time) ([]warm.Session, []warm.Target) {
		all = slices.DeleteFunc(slices.Clone(all), func(session warm.Session) bool { return slices.Contains(unknown, session.Entry) })
		return p.planSeats(on, all, seats, starts, now, func(others []warm.Session, together int) ([]warm.Session, []warm.Target) {
			return warm.Plan(others, targets, room, together, now)
		})
	}
	if end, add := plan(all, p.now()); len(end) > 0 || len(add) > 0 {
		if err := p.store.Follow(ctx, on.Name, plan); err != nil {
			return all, err
		}
		if all, err = p.store.On(ctx, on.Name); err != nil {
			return nil, err
		}
	}
	for _, session := range all {
		if err := p.advance(ctx, on, beside, session, seen.byID[session.ID], seats); err != nil {
			p.logger.WarnContext(ctx, "a warm session is not as it should be; trying again", "session", session.ID, "error", err)
		}
	}
	return all, nil
}

// room returns how many warm sessions there may be on an engine beside those of people and batch ones, and whether
// people's sessions are starting.
func (p *WarmPool) room(on sizes.Engine, people []sessions.Session, batch int, reserved []sessions.Reservation) (room int, busy bool) {
	names, capacity := p.engines.Sharing(on)
	room = math.MaxInt
	if capacity > 0 {
		room = capacity - batch - sessions.Places(reserved)
	}
	for _, session := range people {
		if !slices.Contains(names, session.Engine) || !session.Status.Live() {
			continue
		}
		if session.Workshop != "" && slices.ContainsFunc(reserved, func(one sessions.Reservation) bool { return one.Workshop == session.Workshop }) {
			continue // it has room of its own
		}
		if session.Status == sessions.Created {
			busy = true
			if !session.RefusedAt.IsZero() { // one that only waits for room takes it below
				return 0, true
			}
		}
		room--
	}
	return max(0, room), busy
}

// targets returns what should be warm on an engine, and the entries that haven't been looked at yet.
func (p *WarmPool) targets(on sizes.Engine, busy bool) (targets []warm.Target, unknown []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	busy = busy || p.now().Before(p.claimedAt.Add(refillPause))
	for _, want := range p.wants {
		if !p.engines.KeepsWarm(on, want.Engine) {
			continue
		}
		content, known := p.contents[want.Entry]
		switch {
		case !known:
			unknown = append(unknown, want.Entry)
		case content.refused == "":
			targets = append(targets, warm.Target{
				Want: want, Name: content.Session.Project.Name, Held: content.Hash, ChangedAt: content.ChangedAt,
				Paused: busy || p.now().Before(p.failures[place{on.Name, want.Entry}].until),
			})
		}
	}
	return targets, unknown
}

// advance does what is next for a warm session.
func (p *WarmPool) advance(ctx context.Context, on sizes.Engine, beside *background, session warm.Session, report *engine.Status, seats []SeatsWanted) error {
	phase := engine.Phase("")
	if report != nil {
		phase = report.Phase
	}
	switch {
	case session.Phase == warm.Ending:
		beside.start(ctx, session.ID, func(ctx context.Context) error {
			if err := on.Remove(ctx, session.ID); err != nil {
				return err
			}
			return p.store.Forget(ctx, session.ID)
		})
	case phase == engine.Starting || session.Phase == warm.Ready && phase == engine.Running:
	case phase == engine.Running:
		opened := warm.Opened{File: report.Opens, Note: report.OpenNote, Shows: string(report.Interface)}
		if len(report.LeftOut) > 0 {
			text, err := json.Marshal(report.LeftOut)
			if err != nil {
				return err
			}
			opened.LeftOut = string(text)
		}
		p.mu.Lock()
		delete(p.failures, place{session.Engine, session.Entry})
		p.mu.Unlock()
		beside.start(ctx, session.ID, func(ctx context.Context) error {
			asked, cancel := context.WithTimeout(ctx, answerTime)
			defer cancel()
			if err := openOnce(asked, on, sessions.Session{ID: session.ID, Opens: opened.File}); err != nil {
				p.logger.WarnContext(ctx, "a warm session doesn't show its page", "session", session.ID, "error", err)
			}
			return p.store.Open(ctx, session.ID, opened)
		})
	case report == nil && session.Phase == warm.Starting:
		if err := p.start(ctx, on, session, seats); err != nil {
			return p.fail(ctx, session, fault.MessageOf(err))
		}
	case report == nil: // it may be younger than the list
		if _, err := on.Status(ctx, session.ID); fault.KindOf(err) != fault.NotFound {
			return err
		}
		return p.store.End(ctx, session.ID)
	default:
		return p.fail(ctx, session, report.Reason)
	}
	return nil
}

// start asks the engine for a warm session; it waits while what the session should hold isn't known.
func (p *WarmPool) start(ctx context.Context, on sizes.Engine, session warm.Session, seats []SeatsWanted) error {
	content, _ := p.content(session.Entry)
	made, hash := content.Session, content.Hash
	size := on.ForAll(made.Source.Needs) // nobody claims one of another size
	for _, one := range seats {
		if one.Entry == session.Entry {
			made, hash = one.Content, one.Content.ContentsHash()
			size, _ = on.Profile(made.Source.Profile)
		}
	}
	if hash != session.Held {
		return nil
	}
	made.ID = session.ID
	bounded, cancel := context.WithTimeout(ctx, sizes.CallTime)
	defer cancel()
	readable, err := p.resolver.Readable(bounded, made)
	if err != nil {
		return err
	}
	spec, err := p.resolver.Spec(bounded, made, readable)
	if err != nil {
		return err
	}
	spec.Profile = size.Spec()
	return on.Start(bounded, spec)
}

// fail ends a warm session that didn't start or has ended, and pauses before the next one.
func (p *WarmPool) fail(ctx context.Context, session warm.Session, reason string) error {
	p.mu.Lock()
	at := place{session.Engine, session.Entry}
	failure := p.failures[at]
	failure.until = p.now().Add(min(warmPause<<min(failure.count, 6), longestPause)) // 6: the first above the longest pause
	failure.count++
	p.failures[at] = failure
	p.mu.Unlock()
	p.logger.WarnContext(ctx, "a warm session failed", "session", session.ID, "entry", session.Entry, "reason", reason)
	return p.store.End(ctx, session.ID)
}

// openOnce asks a warm session for the page that it will open: what Jupyter loads for its first page takes longer than the
// page itself.
func openOnce(ctx context.Context, on sizes.Engine, session sessions.Session) error {
	target, err := on.Target(ctx, session.ID)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.URL.Scheme+"://"+target.URL.Host+session.ReadyPath(), http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", target.Authorization)
	answer, err := target.Transport.RoundTrip(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return errors.Join(err, answer.Body.Close())
}
