package schedules

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/jobs"
)

// Jobs is what the service asks of jobs.
type Jobs interface {
	// Check returns what is asked for with a name, if the caller may start it now.
	Check(ctx context.Context, asked jobs.Asked) (jobs.Asked, error)
	// Ask starts a job.
	Ask(ctx context.Context, asked jobs.Asked, key string) (jobs.Job, error)
	// Wake has a job looked at that was stored by another room.
	Wake()
}

// Service keeps the schedules of people.
type Service struct {
	store  *Store
	jobs   Jobs
	now    func() time.Time
	logger *slog.Logger
}

// NewService returns a service.
func NewService(store *Store, jobs Jobs, now func() time.Time, logger *slog.Logger) *Service {
	return &Service{store: store, jobs: jobs, now: now, logger: logger}
}

// Add stores a schedule of jobs that the caller could start now. It doesn't start one at once.
func (s *Service) Add(ctx context.Context, asked jobs.Asked, when When, key string) (Schedule, error) {
	rule := when.rule(s.now())
	if err := rule.Check(); err != nil {
		return Schedule{}, err
	}
	digest, err := digestOf(asked, when)
	if err != nil {
		return Schedule{}, err
	}
	due, ok := rule.Next(s.now())
	if !ok {
		return Schedule{}, fault.InvalidField("body.schedule.until", "Nothing would ever be due: it ends before its first time.")
	}
	if !catalog.ValidText(key, false) {
		return Schedule{}, fault.InvalidField("header.Idempotency-Key", "The Idempotency-Key must be text without control characters.")
	}
	if asked, err = s.jobs.Check(ctx, asked); err != nil {
		return Schedule{}, err
	}
	caller, err := identity.Require(ctx)
	if err != nil {
		return Schedule{}, err
	}
	return s.store.add(ctx, Schedule{ID: newID(), Name: asked.Name, accountID: caller.AccountID, asked: asked, rule: rule, dueAt: due, key: key, digest: digest})
}

// digestOf identifies what a client has sent.
func digestOf(asked jobs.Asked, when When) (string, error) {
	digest, err := asked.Digest()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(when)
	return digest + string(text), err
}

// List returns a page of the caller's schedules, newest first.
func (s *Service) List(ctx context.Context, offset, limit int) ([]Schedule, int, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return nil, 0, err
	}
	return s.store.of(ctx, caller.AccountID, offset, limit)
}

// Get returns one of the caller's schedules.
func (s *Service) Get(ctx context.Context, id string) (Schedule, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Schedule{}, err
	}
	return s.store.byID(ctx, caller.AccountID, id)
}

// Pause pauses one of the caller's schedules, or lets it go on. What was due meanwhile isn't made up for.
func (s *Service) Pause(ctx context.Context, id string, paused bool) (Schedule, error) {
	schedule, err := s.Get(ctx, id)
	if err != nil {
		return Schedule{}, err
	}
	due := schedule.dueAt
	if !paused {
		due, _ = schedule.rule.Next(s.later(schedule))
	}
	if err := s.store.pause(ctx, id, paused, due); err != nil {
		return Schedule{}, err
	}
	return s.Get(ctx, id)
}

// later returns now, or the last due time of a schedule if that is later, because the clock was set back.
func (s *Service) later(schedule Schedule) time.Time {
	if now := s.now(); now.After(schedule.firedAt) {
		return now
	}
	return schedule.firedAt
}

// Delete deletes one of the caller's schedules; its jobs stay.
func (s *Service) Delete(ctx context.Context, id string) error {
	if _, err := s.Get(ctx, id); err != nil {
		return err
	}
	return s.store.remove(ctx, id)
}

// lookInterval is the time between two looks at what is due. Schedules are to the minute.
const lookInterval = 5 * time.Second

// Run starts jobs that are due until ctx ends.
func (s *Service) Run(ctx context.Context) {
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	for {
		if err := s.Look(ctx); err != nil && ctx.Err() == nil {
			s.logger.WarnContext(ctx, "what is due can't be started; trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Look starts what is due now. Of the times that a schedule has missed, the last one is made up for.
func (s *Service) Look(ctx context.Context) error {
	now := s.now()
	found, err := s.store.due(ctx, now)
	for _, one := range found {
		due, ok := one.rule.Latest(one.dueAt.Add(-time.Microsecond), now)
		if !ok { // the time zone has been changed since
			due = one.dueAt
		}
		next, _ := one.rule.Next(due)
		err = errors.Join(err, s.store.fire(ctx, one, due, next))
	}
	if len(found) > 0 {
		s.jobs.Wake()
	}
	return err
}
