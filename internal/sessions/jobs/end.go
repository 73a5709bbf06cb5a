package jobs

import (
	"context"
	"errors"
	"net/http"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/machine/broker"
)

// cancelTime is how long a session has to end a job that its owner cancels.
const cancelTime = 30 * time.Second

// Delete cancels one of the caller's jobs, or deletes it if it has ended, which can be undone for a while.
func (s *Service) Delete(ctx context.Context, id string) error {
	job, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	if !job.live() {
		return errors.Join(s.deleteSession(ctx, job), s.store.end(ctx, job))
	}
	if job.State == Queued { // its session may not know it yet, and isn't asked again
		if err := s.cancel(ctx, job); err != nil {
			return err
		}
	}
	session, err := s.Sessions.OfAccount(ctx, job.Session, job.accountID)
	if err != nil || session.Status != sessions.Running { // its session is gone, or doesn't run yet
		return errors.Join(s.interrupt(ctx, job, ""), s.store.end(ctx, job))
	}
	if job.State == Queued && job.request == "" && job.Kind == OwnKind {
		return errors.Join(s.endSession(ctx, job), s.store.end(ctx, job))
	}
	server, err := s.server(ctx, session)
	if err != nil {
		return err
	}
	if job.Kind == OwnKind {
		if err := s.store.cancelBy(ctx, id, s.Now().Add(cancelTime)); err != nil {
			return err
		}
	}
	asking, stop := context.WithTimeout(ctx, answerTime)
	defer stop()
	err = server.Call(asking, http.MethodDelete, broker.FinishPath+"?id="+id, nil, nil)
	switch {
	case err != nil && job.Kind == OwnKind: // it is nobody's but the job's
		err = errors.Join(s.cancel(ctx, job), s.endSession(ctx, job))
	case err != nil:
		err = fault.Wrap(err, fault.Unavailable, "The session isn't responding. Try again in a moment.")
	}
	if err != nil {
		return err
	}
	s.Wake()
	return s.store.end(ctx, job)
}

// cancel ends a job without asking its session.
func (s *Service) cancel(ctx context.Context, job Job) error {
	now := s.Now().UTC()
	job.State, job.Reason, job.EndedAt = Canceled, "", &now
	_, err := s.store.save(ctx, job)
	return err
}

// Undelete brings one of the caller's deleted jobs back, with its result.
func (s *Service) Undelete(ctx context.Context, id string) (Job, error) {
	job, err := s.getOrDeleted(ctx, id)
	if err != nil || job.DeletedAt == nil {
		return job, err
	}
	if job.Session != "" && job.Kind == OwnKind {
		if _, err := s.Sessions.Undelete(ctx, job.Session); err != nil && fault.KindOf(err) != fault.NotFound {
			return Job{}, err
		}
	}
	if err := s.store.undelete(ctx, id); err != nil {
		return Job{}, err
	}
	return s.Get(ctx, id)
}

// deleteSession deletes the session of a job, which holds its result, so that it can be undone.
func (s *Service) deleteSession(ctx context.Context, job Job) error {
	if job.Session == "" || job.Kind != OwnKind {
		return nil
	}
	session, err := s.Sessions.OwnOrDeleted(ctx, job.Session)
	if err == nil && session.Job == job.ID { // nobody works in it
		err = s.Sessions.Delete(ctx, []string{job.Session}, false)
	}
	if fault.KindOf(err) == fault.NotFound {
		err = nil // it has been already
	}
	return err
}

// expireEvery is the time between two looks for jobs that aren't kept any longer.
const expireEvery = time.Minute

// expire deletes jobs forever that ended long ago, or that were deleted and can't be undeleted any longer, with their results.
func (s *Service) expire(ctx context.Context) error {
	now, deleted := s.Now(), time.UnixMicro(0)
	if now.Sub(s.expired) < expireEvery {
		return nil
	}
	s.expired = now
	if s.Undo > 0 {
		deleted = now.Add(-s.Undo)
	}
	old, err := s.store.outdated(ctx, now.Add(-s.Keep), deleted)
	if err != nil {
		return err
	}
	var failed error
	for _, job := range old {
		owner, err := s.as(ctx, job.accountID)
		if err == nil && job.Kind == OwnKind {
			err = s.Sessions.EraseOfJob(owner, job.ID)
		}
		if err == nil {
			err = s.store.remove(ctx, job)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
