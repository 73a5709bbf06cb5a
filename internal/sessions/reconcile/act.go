package reconcile

import (
	"context"
	"errors"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// act does what is next for a session. The report is nil if the engine doesn't know it.
func (l *engineLoop) act(ctx context.Context, session sessions.Session, what action, report *engine.Status) error {
	inBackground := func(work func(ctx context.Context) error) error {
		l.background.start(ctx, session.ID, work)
		return nil
	}
	switch what.do {
	case launch:
		return l.launch(ctx, session)
	case settle:
		return l.settleReported(ctx, session, what, report)
	case requeue:
		return l.requeue(ctx, session, what.reason)
	case stop, expire:
		return inBackground(func(ctx context.Context) error { return l.stop(ctx, session, what, report) })
	case retire:
		return inBackground(func(ctx context.Context) error { return l.retire(ctx, session) })
	case remove:
		return inBackground(func(ctx context.Context) error { return l.remove(ctx, session) })
	case rest:
	}
	return nil
}

// settleReported records a status that the engine reported, with what else it says of the session.
func (l *engineLoop) settleReported(ctx context.Context, session sessions.Session, what action, report *engine.Status) error {
	switch what.status {
	case sessions.Running:
		session.Opens, session.OpenNote, session.Interface = report.Opens, report.OpenNote, report.Interface
	case sessions.Failed:
		session.Cause = l.explain(ctx, session, what)
	case sessions.Created, sessions.Finished, sessions.Terminated, sessions.Deleted:
	}
	if report != nil {
		session.LeftOut = report.LeftOut
	}
	changed, err := l.settle(ctx, session, what)
	if changed && what.status == sessions.Running && !session.LaunchedAt.IsZero() {
		taken := sessions.LaunchDurations(session, report.Steps, l.Now())
		countLaunch(l.Counter, l.engine.Name, taken)
		err = l.stores.Launches.Add(ctx, l.engine.Name, taken)
	}
	return err
}

// explain returns why a session failed; nil if nothing is known.
func (l *engineLoop) explain(ctx context.Context, session sessions.Session, what action) *diagnosis.Cause {
	report := l.engine.Report(ctx, l.Logger, session.ID)
	cause := diagnosis.Explain(diagnosis.Failure{
		Code: what.code, Reason: what.reason, Step: sessions.FailedStep(report), Log: report.Log, Datasets: session.Project.Folders(),
	})
	if cause.Code == "" {
		return nil
	}
	return &cause
}

// requeue puts a session back into its place in the queue, because its engine has no room for it.
func (l *engineLoop) requeue(ctx context.Context, session sessions.Session, why string) error {
	changed, err := l.stores.Sessions.Requeue(ctx, session, why)
	if changed {
		l.Counter.Corrected("requeued")
		l.changes.Announce()
	}
	return err
}

// stop stops a session on the engine and records its status. One that seems idle is asked first, and goes on if it is busy.
func (l *engineLoop) stop(ctx context.Context, session sessions.Session, what action, report *engine.Status) error {
	if what.do == expire {
		if idle, err := l.confirmIdle(ctx, session, *report); !idle || err != nil {
			return err
		}
	}
	if still, err := l.stores.Sessions.Still(ctx, session); !still || err != nil {
		return err
	}
	cause := engine.VersionStop
	if what.do == expire {
		cause = engine.VersionIdle
	}
	if err := stopReported(ctx, l.engine, session.ID, report, cause); err != nil {
		return err
	}
	_, err := l.settle(ctx, session, what)
	return err
}

// stopReported stops what an engine reported before the session was last read; nil: that it knows no such session. Since
// then another process may have stopped it and launched it again, which goes on.
func stopReported(ctx context.Context, on sizes.Engine, id string, report *engine.Status, cause engine.VersionCause) error {
	shared, isShared := on.Engine.(engine.LaunchStopper)
	versioner, keeps := on.Versioner()
	switch {
	case isShared && report == nil:
		return shared.StopLaunch(ctx, id, 0, cause)
	case isShared:
		return shared.StopLaunch(ctx, id, report.Launch, cause)
	case keeps:
		return versioner.StopBecause(ctx, id, cause)
	}
	return on.Stop(ctx, id)
}

// confirmIdle asks the kernels of a session that seems idle. One that is busy, or can't be asked, counts as active now
// and is asked again when it would be stopped next. The activity that the question itself causes makes no difference.
func (l *engineLoop) confirmIdle(ctx context.Context, session sessions.Session, report engine.Status) (bool, error) {
	bounded, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	idle, err := l.engine.Idle(bounded, session.ID)
	if idle {
		return true, nil
	}
	report.Activity.LastAt = l.Now()
	return false, errors.Join(err, l.observe(ctx, session, report))
}

// retire carries out a deletion that can be undone: the engine keeps the session's versions alone. Engines that keep none
// forget it.
func (l *engineLoop) retire(ctx context.Context, session sessions.Session) error {
	versioner, ok := l.engine.Versioner()
	if !ok {
		return l.remove(ctx, session)
	}
	if still, err := l.stores.Sessions.Still(ctx, session); !still || err != nil { // its user may have undone it
		return err
	}
	if err := versioner.Retire(ctx, session.ID); err != nil {
		return err
	}
	_, err := l.stores.Sessions.Retired(ctx, session)
	l.countDeleted(session, err)
	return err
}

func (l *engineLoop) remove(ctx context.Context, session sessions.Session) error {
	if err := l.engine.Remove(ctx, session.ID); err != nil {
		return err
	}
	err := l.stores.Sessions.Forget(ctx, session.ID)
	l.countDeleted(session, err)
	return err
}

func (l *engineLoop) countDeleted(session sessions.Session, err error) {
	if err == nil && session.Status == sessions.Running {
		l.Counter.Stopped(byDeletion)
	}
}

// launch asks the engine to start a session with what its owner may read now. If the engine refuses permanently, or for
// too long, the error is recorded.
func (l *engineLoop) launch(ctx context.Context, session sessions.Session) error {
	readable, err := l.Resolver.Readable(ctx, session)
	if err != nil {
		return err
	}
	if reason := sessions.Unavailable(session, readable); reason != "" {
		return l.failLaunch(ctx, session, reason)
	}
	attempt, err := l.stores.Sessions.Claim(ctx, session)
	if attempt == 0 || err != nil {
		return err
	}
	size, known := l.engine.Profile(session.Source.Profile)
	if !known {
		return l.failLaunch(ctx, session, fault.MessageOf(sizes.ErrGone))
	}
	bounded, cancel := context.WithTimeout(ctx, sizes.CallTime)
	defer cancel()
	spec, err := l.Resolver.Spec(bounded, session, readable)
	spec.Profile, spec.Attempt = size.Spec(), attempt
	if from := spec.From; err == nil && from != nil && from.Engine != "" {
		l.launchFrom(ctx, session, spec, *from)
		return nil
	}
	if err == nil {
		err = l.engine.Start(bounded, spec)
	}
	return l.settleLaunch(ctx, session, err)
}

func (l *engineLoop) failLaunch(ctx context.Context, session sessions.Session, reason string) error {
	_, err := l.settle(ctx, session, action{status: sessions.Failed, reason: reason})
	return err
}

// settleLaunch records that the engine was asked to start a session, or why that can't be; it returns what may pass.
func (l *engineLoop) settleLaunch(ctx context.Context, session sessions.Session, err error) error {
	if err == nil {
		return l.stores.Sessions.Launched(ctx, session, l.Now())
	}
	kind := fault.KindOf(err)
	if (kind == fault.Internal || kind == fault.Unavailable) && l.Now().Sub(session.AdmittedAt) < l.engine.Patience() {
		return err // the next pass tries again
	}
	return l.failLaunch(ctx, session, fault.MessageOf(err))
}
