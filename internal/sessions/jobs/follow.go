package jobs

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/machine/jupyterkernel"
)

const (
	lookInterval = 2 * time.Second  // between two looks while a job goes on
	restInterval = 30 * time.Second // and else, because other servers take jobs too

	followedAtOnce = 32
	preparedAtOnce = 4
	answerTime     = 10 * time.Second // for a session, which is its user's: it may never answer
	prepareTime    = 2 * time.Minute  // until a kernel has started
)

// interrupted is the code of a job whose session has ended.
const interrupted = "interrupted"

// Wake has the jobs looked at now.
func (s *Service) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // it is awake already
	}
}

// Run follows the jobs until ctx ends. Each server follows those of the engines that it has.
func (s *Service) Run(ctx context.Context) {
	for {
		found, err := s.Follow(ctx)
		if err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "jobs can't be followed; trying again", "error", err)
		}
		pause := restInterval
		if found {
			pause = lookInterval
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-s.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// patience is how long a look waits by default for the sessions that it asks.
const patience = 5 * time.Second

// Follow looks once at all jobs that go on, and reports whether there are some.
func (s *Service) Follow(ctx context.Context) (found bool, err error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	running, err := s.Sessions.OfJobs(ctx)
	if err != nil {
		return false, err
	}
	live, err := s.store.live(ctx)
	if err != nil {
		return false, err
	}
	s.launchAll(ctx, live)
	var asked sync.WaitGroup
	for _, job := range live {
		if job.Session == "" {
			continue
		}
		leave, free := s.enter(job)
		if !free {
			continue
		}
		asked.Go(func() {
			defer leave()
			if err := s.follow(ctx, job); err != nil && ctx.Err() == nil {
				s.Logger.WarnContext(ctx, "a job can't be followed; trying again", "job", job.ID, "error", err)
			}
		})
	}
	done := make(chan struct{})
	go func() { asked.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(s.Patience): // what takes longer goes on, and the next look leaves it alone
	}
	return len(live) > 0, errors.Join(s.endLeft(ctx, running, live), s.expire(ctx))
}

// enter reports whether a job may be followed now: nobody does in this process, and as many sessions are asked at once as may be. Leave
// ends that. Slow ones are prepared apart from those that only have to answer.
func (s *Service) enter(job Job) (leave func(), free bool) {
	places := s.following
	if job.request == "" {
		places = s.preparing
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight[job.ID] {
		return nil, false
	}
	select {
	case places <- struct{}{}:
	default:
		return nil, false
	}
	s.inFlight[job.ID] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.inFlight, job.ID)
		<-places
	}, true
}

// follow asks the session of a job how far it is, after it has been prepared.
func (s *Service) follow(ctx context.Context, job Job) error {
	session, err := s.Sessions.OfAccount(ctx, job.Session, job.accountID)
	switch {
	case err == nil && !session.Status.Live() && job.State == Queued && job.Kind == OwnKind:
		return s.notLaunched(ctx, job, session)
	case fault.KindOf(err) == fault.NotFound, err == nil && !session.Status.Live():
		return s.interrupt(ctx, job, session.StatusReason)
	case err != nil || session.Status != sessions.Running:
		return err
	}
	if _, err := s.Engines.Of(session.Engine); err != nil {
		return nil // another server has it
	}
	if job.request == "" {
		return s.prepare(ctx, session, job)
	}
	if ended, err := s.endOverdue(ctx, session, job); ended || err != nil {
		return err
	}
	server, err := s.server(ctx, session)
	if err != nil {
		return err
	}
	var states []broker.FinishState
	asking, stop := context.WithTimeout(ctx, answerTime)
	defer stop()
	err = server.Call(asking, http.MethodGet, broker.FinishPath, nil, &states)
	if status := jupyterkernel.StatusOf(err); status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
		if err := server.Call(asking, http.MethodGet, "api/status", nil, nil); err != nil {
			return err // what is before the session doesn't find it at the moment
		}
		return s.lose(ctx, session, job) // started again, by a server that knows nothing of this
	}
	if err != nil {
		return err
	}
	for _, state := range states {
		if state.ID != job.ID {
			continue
		}
		s.take(&job, state)
		switch {
		case job.Kind == FinishKind:
		case job.live():
			s.measure(ctx, session, &job)
		default:
			if err := s.conclude(ctx, session, &job); err != nil {
				return err
			}
		}
		stored, err := s.store.save(ctx, job)
		switch {
		case err != nil || !stored || job.live():
			return err // another server has seen the end
		case job.Kind == OwnKind:
			return s.endSession(ctx, job)
		}
		return s.keepVersion(ctx, session, "After “%s” ran to the end", job.File)
	}
	switch { // the server that took it was killed before it could say so to the session
	case job.State == Queued && job.Kind == OwnKind:
		return s.beginOwn(ctx, session, job)
	case job.State == Queued:
		_, err := s.beginFinish(ctx, session, job)
		return err
	}
	return s.lose(ctx, session, job) // the session was started again
}

// overdue is how long after its deadline a job is ended whose session doesn't do so.
const overdue = 10 * time.Minute

// endOverdue ends a job whose session doesn't end it, although it should have: its server is its user's. It reports whether it did.
func (s *Service) endOverdue(ctx context.Context, session sessions.Session, job Job) (ended bool, err error) {
	now := s.Now().UTC()
	switch deadline := job.handed().Deadline; {
	case !job.cancelBy.IsZero() && now.After(job.cancelBy):
		job.State, job.Reason = Canceled, ""
	case now.After(deadline.Add(overdue)):
		job.State, job.Code = Failed, broker.FinishDeadline
		job.Reason = "It was still running at the deadline, and its session didn't stop it."
	default:
		return false, nil
	}
	job.EndedAt = &now
	if job.Kind == OwnKind {
		s.keepResult(ctx, session, job)
	}
	_, err = s.store.save(ctx, job)
	return true, errors.Join(err, s.endSession(ctx, job))
}

// lose is the end of a job of which its session, which runs, knows nothing any longer.
func (s *Service) lose(ctx context.Context, session sessions.Session, job Job) error {
	if job.Kind == OwnKind {
		s.keepResult(ctx, session, job)
	}
	return s.interrupt(ctx, job, "")
}

// interrupt is the end of a job whose session has ended, for this reason if that is known.
func (s *Service) interrupt(ctx context.Context, job Job, why string) error {
	now := s.Now().UTC()
	job.State, job.Code, job.EndedAt = Failed, interrupted, &now
	job.Reason = cmp.Or(plain(why, reasonLimit), "Its session ended before the notebook was finished.")
	if job.StartedAt != nil {
		job.Reason += " What it had printed by then is in the file."
	}
	_, err := s.store.save(ctx, job)
	return errors.Join(err, s.endSession(ctx, job))
}
