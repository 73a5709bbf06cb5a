// Package wiring puts the rooms of sessions together: the service that records what people request, the reconciler that
// carries it out, the session origin, downloads and versions of work, batch sessions, and what operators see.
package wiring

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/batch"
	"cairn/internal/sessions/jobs"
	"cairn/internal/sessions/operators"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/reconcile"
	"cairn/internal/sessions/schedules"
	"cairn/internal/sessions/shares"
	"cairn/internal/sessions/sizes"
	"cairn/internal/sessions/viewing"
	"cairn/internal/sessions/warm"
	"cairn/internal/sessions/work"
)

// Options configure sessions.
type Options struct {
	Engines sizes.Engines
	Limit   int // the maximum number of sessions per account that are CREATED or RUNNING
	Idle    reconcile.IdleLimits
	Warm    []warm.Want   // the sessions that run before anybody asks for them, on the first local engine
	Keep    time.Duration // the minimum time that the work of ended sessions is kept; zero: forever
	Undo    time.Duration // how long deleted sessions can be undeleted; zero: forever

	Jobs        jobs.Limits
	Sharing     Sharing
	Descriptors []string // the names of the files in which a repository describes itself, the first one counts

	CookieLife time.Duration // how long a browser may enter sessions after the last valid token of its account; zero: forever
	Address    origin.AddressTemplate
	Public     string // the page's own origin
	Tokens     string // the style sheet with the design tokens
	// Mark returns the product's mark and its media type; it is called for each request, because the site file may change.
	Mark func() (kind string, content []byte)
	// Product returns the product's name; it is called for each request, too.
	Product func() string

	Resolver *sessions.Resolver
	Now      func() time.Time
	Logger   *slog.Logger
	Counter  reconcile.Counter // optional; nil disables metrics

	Timing Timing
}

// Sharing says what sharing of sessions the operators allow.
type Sharing struct {
	HelpDesk []string // e-mail addresses of those whom owners may ask for help
	Links    shares.LinkPolicy
}

// Timing are waits that tests shorten; zero values stand for the defaults of each package.
type Timing struct {
	Settle   time.Duration // sessions.Options.Settle
	Sign     time.Duration // reconcile.Options.SignInterval
	Grant    time.Duration // origin.Options.GrantTime
	Recheck  time.Duration // origin.Options.RecheckTime
	Patience time.Duration // origin.Options.Patience and work.Options.Patience
	Jobs     time.Duration // jobs.Options.Patience
	Views    time.Duration // viewing.Options.Recheck
}

// Sessions are the rooms, each of which can be used alone.
type Sessions struct {
	Store      *sessions.Store
	Changes    *sessions.Changes
	Service    *sessions.Service
	Seats      *sessions.Seats
	Reconciler *reconcile.Reconciler
	Gateway    *origin.Gateway
	Work       *work.Service
	Batch      *batch.Service
	Operators  *operators.Service
	Jobs       *jobs.Service
	Schedules  *schedules.Service
	Shares     *shares.Service
	Presence   *shares.Presence
	Viewing    *viewing.Service

	pool   *reconcile.WarmPool
	logger *slog.Logger
}

// New puts sessions together on an open database.
func New(db *sqldb.DB, accounts *identity.Service, options Options) *Sessions {
	store, changes := sessions.NewStore(db), &sessions.Changes{}
	stores := reconcile.Stores{Sessions: store, Launches: sessions.NewLaunchTimes(db), Batch: sessions.NewBatchSlots(db)}
	warmStore := warm.NewStore(db)
	pool := reconcile.NewWarmPool(warmStore, store, changes, reconcile.WarmOptions{
		Wants: options.Warm, Engines: options.Engines, Resolver: options.Resolver, Now: options.Now, Logger: options.Logger,
	})
	links, sockets := origin.NewLinks(db, options.Address), origin.NewSockets()
	made := &Sessions{Store: store, Changes: changes, pool: pool, logger: options.Logger}
	sharing := shares.NewStore(db, store)
	made.Presence = shares.NewPresence(sharing, options.Now, options.Logger)
	made.Shares = shares.NewService(sharing, shares.Options{
		Links: options.Sharing.Links, HelpDesk: options.Sharing.HelpDesk, Accounts: accounts, Projects: options.Resolver.Projects, Public: options.Public,
		Own: made.own, Changed: made.recheck, Now: options.Now,
	})
	service := sessions.NewService(store, changes, accounts, sessions.Options{
		Engines: options.Engines, Limit: options.Limit, Keep: options.Keep, Undo: options.Undo, Settle: options.Timing.Settle, Public: options.Public,
		Resolver: options.Resolver, Links: links, Shares: made.Shares, Warm: pool, Now: options.Now, Logger: options.Logger,
	})
	reconciler := reconcile.New(stores, changes, accounts, reconcile.Options{
		Engines: options.Engines, Idle: options.Idle, Undo: options.Undo, Tabs: sockets, Warm: pool, Counter: options.Counter,
		SignInterval: options.Timing.Sign, Resolver: options.Resolver, Now: options.Now, Logger: options.Logger,
	})
	downloads := work.NewService(store, changes, work.Options{
		Sessions: service, Links: links, Engines: options.Engines, Patience: options.Timing.Patience,
	})
	going := jobs.NewService(jobs.NewStore(db), jobs.Options{
		Sessions: service, Notebooks: options.Resolver, Accounts: accounts, Engines: options.Engines, Descriptors: options.Descriptors,
		Limits: options.Jobs, Undo: options.Undo, Patience: options.Timing.Jobs, PublicURL: options.Public, Product: options.Product, Now: options.Now, Logger: options.Logger,
	})
	made.Seats = sessions.NewSeats(service)
	made.Service, made.Reconciler, made.Work, made.Jobs = service, reconciler, downloads, going
	made.Gateway = origin.NewGateway(links, changes, origin.Options{
		Sessions: service, Guests: guests{made.Shares, made.Presence}, Idle: reconciler, Work: downloads, Jobs: going, Engines: options.Engines, Accounts: accounts, Sockets: sockets,
		Public: options.Public, Tokens: options.Tokens, Mark: options.Mark, Product: options.Product, CookieLife: options.CookieLife,
		GrantTime: options.Timing.Grant, RecheckTime: options.Timing.Recheck, Patience: options.Timing.Patience,
		Now: options.Now, Logger: options.Logger,
	})
	made.Viewing = viewing.NewService(viewing.Options{
		Sessions: store, Shares: made.Shares, Presence: made.Presence, Accounts: accounts, Engines: options.Engines,
		Recheck: options.Timing.Views, Logger: options.Logger,
	})
	made.Schedules = schedules.NewService(schedules.NewStore(db), going, options.Now, options.Logger)
	made.Batch = &batch.Service{Engines: options.Engines, Slots: stores.Batch, Resolver: options.Resolver, Changes: changes}
	made.Operators = &operators.Service{Store: store, Warm: warmStore, Entries: options.Resolver.Entries, Engines: options.Engines, Changes: changes, Logger: options.Logger}
	return made
}

// Workshops are what sessions ask of workshops.
type Workshops interface {
	origin.Seats
	reconcile.Seats
}

// FollowWorkshops has workshops keep sessions warm, and the session origin show what they say. It must be called before anything else.
func (s *Sessions) FollowWorkshops(workshops Workshops) {
	s.Gateway.Seats = workshops
	s.pool.Follow(workshops)
}

// guests are what the session origin needs to know of those whom owners let in.
type guests struct {
	*shares.Service
	*shares.Presence
}

// own returns one of the caller's sessions.
func (s *Sessions) own(ctx context.Context, id string) (sessions.Session, error) {
	return s.Service.Own(ctx, id)
}

// recheck has everybody checked who is in a session that isn't theirs.
func (s *Sessions) recheck() {
	s.Changes.Announce()
	s.Gateway.Recheck()
	s.Viewing.Revoked()
}

// Connections returns how many requests to sessions, launch pages and pages that show sessions are open in this process, by kind.
func (s *Sessions) Connections() map[string]int {
	open := s.Gateway.Connections()
	open["views"] = s.Viewing.Count()
	return open
}

// EndStreams ends all streams of events; their pages come back.
func (s *Sessions) EndStreams() {
	s.Gateway.EndStreams()
	s.Viewing.EndStreams()
}

// Routes registers the operations of all rooms; those of nil are described, and can't be called.
func (s *Sessions) Routes(api *httpapi.API) {
	if s == nil {
		s = &Sessions{}
	}
	s.Service.Routes(api)
	s.Work.Routes(api)
	s.Gateway.Routes(api)
	s.Operators.Routes(api)
	s.Jobs.Routes(api)
	s.Schedules.Routes(api)
	s.Shares.Routes(api)
	s.Viewing.Routes(api)
}

// Follow announces what other processes change, as the feed reports it.
func (s *Sessions) Follow(feed *sqldb.Feed) { s.Store.Follow(feed, s.Changes, s.logger) }

// Run carries out requests, starts jobs that are due and follows them, until ctx ends.
func (s *Sessions) Run(ctx context.Context) {
	var following sync.WaitGroup
	following.Go(func() { s.Jobs.Run(ctx) })
	following.Go(func() { s.Schedules.Run(ctx) })
	following.Go(func() { s.Presence.Run(ctx) })
	following.Go(func() { s.Viewing.Run(ctx) })
	s.Reconciler.Run(ctx)
	following.Wait()
}
