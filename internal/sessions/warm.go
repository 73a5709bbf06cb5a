package sessions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"sync"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/warm"
)

const (
	warmInterval = 30 * time.Second // between looks at the entries whose sessions are kept warm
	refillPause  = 5 * time.Second  // after a claim, so that the kernel of whoever claimed it starts first
	warmPause    = time.Minute      // after a warm session that failed, doubled each time, up to
	longestPause = time.Hour
)

// warmth is what this process knows about warm sessions.
type warmth struct {
	store *warm.Store

	mutex     sync.Mutex
	contents  map[string]warmContent // by entry, since it was first looked at
	failures  map[string]warmFailure // by entry, since a session of it was last ready
	claimedAt time.Time
}

// warmContent is what a session of an entry holds now.
type warmContent struct {
	made      Session
	held      string
	changedAt time.Time
	refused   string // why there is none
}

type warmFailure struct {
	count uint
	until time.Time
}

func newWarmth(store *warm.Store) warmth {
	return warmth{store: store, contents: map[string]warmContent{}, failures: map[string]warmFailure{}}
}

func (w *warmth) noteClaim(now time.Time) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.claimedAt = now
}

// content returns what is known about an entry; false before the first look.
func (w *warmth) content(entry string) (warmContent, bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	found, known := w.contents[entry]
	return found, known
}

// held identifies everything that a session holds and opens.
func (s Session) held() string {
	from := s.origin
	from.Profile = ""                               // warm sessions have the one that everybody gets
	text, _ := json.Marshal([]any{s.Project, from}) // of texts alone
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// followWarm looks at the entries whose sessions are kept warm, until ctx ends.
func (s *Service) followWarm(ctx context.Context) {
	if len(s.Warm) == 0 {
		return
	}
	ticker := time.NewTicker(warmInterval)
	defer ticker.Stop()
	for {
		s.lookAtWarm(ctx)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// lookAtWarm finds out what sessions of these entries hold for everybody. What can't be found out now stays as it was.
func (s *Service) lookAtWarm(ctx context.Context) {
	changed := false
	for _, want := range s.Warm {
		before, known := s.warm.content(want.Entry)
		now, err := s.holdForAll(ctx, want.Entry)
		switch kind := fault.KindOf(err); {
		case err == nil:
		case kind == fault.Internal || kind == fault.Unavailable:
			continue
		default:
			now.refused = fault.MessageOf(err)
		}
		if known && before.held == now.held && before.refused == now.refused && before.changedAt.Equal(now.changedAt) {
			continue
		}
		if now.refused != "" {
			s.Logger.WarnContext(ctx, "no sessions of an entry are kept warm", "entry", want.Entry, "reason", now.refused)
		}
		s.warm.mutex.Lock()
		s.warm.contents[want.Entry] = now
		s.warm.mutex.Unlock()
		changed = true
	}
	if changed {
		s.announce()
	}
}

// holdForAll returns what a session of an entry or a project holds if somebody without an account could start it.
func (s *Service) holdForAll(ctx context.Context, id string) (found warmContent, err error) {
	entry, err := s.Entries.Get(ctx, id)
	switch {
	case err == nil:
		found.changedAt = entry.UpdatedAt
		if entry.RunCode == fault.NoProfileFits {
			return warmContent{}, fault.New(entry.RunCode, "%s", entry.RunNote)
		}
		err = s.addEntry(ctx, &found.made, Wish{ResourceID: id})
	case fault.KindOf(err) == fault.NotFound:
		err = s.addProject(ctx, &found.made, id)
	}
	if err != nil {
		return warmContent{}, err
	}
	found.held = found.made.held()
	return found, nil
}

// readyFor returns the warm sessions that a start may claim: those that hold exactly what it holds, and run.
func (s *Service) readyFor(ctx context.Context, one NamedEngine, made Session) (ready []string) {
	if len(s.Warm) == 0 || !one.Local || made.origin.Profile != one.forAll(made.origin.Needs).Name {
		return nil
	}
	ids, err := s.warm.store.Ready(ctx, one.Name, made.held())
	if err != nil {
		s.Logger.WarnContext(ctx, "warm sessions cannot be read", "error", err)
	}
	return slices.DeleteFunc(ids, func(id string) bool {
		status, err := one.Status(ctx, id)
		return err != nil || status.Phase != engine.Running
	})
}

// keepWarm starts and ends warm sessions on an engine of this machine, and returns those that it keeps. People come first:
// while one waits there are none, and while a session is launched none is started.
func (s *Service) keepWarm(ctx context.Context, one NamedEngine, people []Session, reported map[string]*engine.Status) ([]warm.Session, error) {
	if !one.Local {
		return nil, nil
	}
	all, err := s.warm.store.On(ctx, one.Name)
	if err != nil || (len(all) == 0 && len(s.Warm) == 0) {
		return nil, err
	}
	names, _ := s.sharing(one)
	batch, err := places(ctx, s.store.db, names)
	if err != nil {
		return all, err
	}
	room, busy := s.roomForWarm(one, people, len(batch))
	targets, unknown := s.warmTargets(one, busy)
	plan := func(all []warm.Session, now time.Time) ([]warm.Session, *warm.Target) {
		all = slices.DeleteFunc(slices.Clone(all), func(session warm.Session) bool { return slices.Contains(unknown, session.Entry) })
		return warm.Plan(all, targets, room, now)
	}
	if end, add := plan(all, s.Now()); len(end) > 0 || add != nil {
		if err := s.warm.store.Follow(ctx, one.Name, plan); err != nil {
			return all, err
		}
		if all, err = s.warm.store.On(ctx, one.Name); err != nil {
			return nil, err
		}
	}
	for _, session := range all {
		if err := s.driveWarm(ctx, one, session, reported[session.ID]); err != nil {
			s.Logger.WarnContext(ctx, "a warm session is not as it should be; trying again", "session", session.ID, "error", err)
		}
	}
	return all, nil
}

// roomForWarm returns how many warm sessions there may be on an engine beside those of people and batch ones, and whether
// people's sessions are starting.
func (s *Service) roomForWarm(one NamedEngine, people []Session, batch int) (room int, busy bool) {
	names, capacity := s.sharing(one)
	room = math.MaxInt
	if capacity > 0 {
		room = capacity - batch
	}
	for _, session := range people {
		if !slices.Contains(names, session.Engine) || !session.Status.Live() {
			continue
		}
		if session.Status == Created {
			busy = true
			if !session.refusedAt.IsZero() { // one that only waits for room takes it below
				return 0, true
			}
		}
		room--
	}
	return max(0, room), busy
}

// warmTargets returns what should be warm on an engine, and the entries that haven't been looked at yet.
func (s *Service) warmTargets(one NamedEngine, busy bool) (targets []warm.Target, unknown []string) {
	first := slices.IndexFunc(s.Engines, func(other NamedEngine) bool { return other.Local })
	if s.Engines[first].Name != one.Name {
		return nil, nil
	}
	s.warm.mutex.Lock()
	defer s.warm.mutex.Unlock()
	busy = busy || s.Now().Before(s.warm.claimedAt.Add(refillPause))
	for _, want := range s.Warm {
		content, known := s.warm.contents[want.Entry]
		switch {
		case !known:
			unknown = append(unknown, want.Entry)
		case content.refused == "":
			targets = append(targets, warm.Target{
				Want: want, Name: content.made.Project.Name, Held: content.held, ChangedAt: content.changedAt,
				Paused: busy || s.Now().Before(s.warm.failures[want.Entry].until),
			})
		}
	}
	return targets, unknown
}

// driveWarm does what is next for a warm session.
func (s *Service) driveWarm(ctx context.Context, one NamedEngine, session warm.Session, report *engine.Status) error {
	phase := engine.Phase("")
	if report != nil {
		phase = report.Phase
	}
	switch {
	case session.Phase == warm.Ending:
		s.inBackground(ctx, session.ID, func(ctx context.Context) error {
			if err := one.Remove(ctx, session.ID); err != nil {
				return err
			}
			return s.warm.store.Forget(ctx, session.ID)
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
		s.warm.mutex.Lock()
		delete(s.warm.failures, session.Entry)
		s.warm.mutex.Unlock()
		s.inBackground(ctx, session.ID, func(ctx context.Context) error {
			asked, cancel := context.WithTimeout(ctx, answerTime)
			defer cancel()
			if err := s.openOnce(asked, one, Session{ID: session.ID, Opens: opened.File}); err != nil {
				s.Logger.WarnContext(ctx, "a warm session doesn't show its page", "session", session.ID, "error", err)
			}
			return s.warm.store.Open(ctx, session.ID, opened)
		})
	case report == nil && session.Phase == warm.Starting:
		if err := s.startWarm(ctx, one, session); err != nil {
			return s.failWarm(ctx, session, fault.MessageOf(err))
		}
	case report == nil: // it may be younger than the list
		if _, err := one.Status(ctx, session.ID); fault.KindOf(err) != fault.NotFound {
			return err
		}
		return s.warm.store.End(ctx, session.ID)
	default:
		return s.failWarm(ctx, session, report.Reason)
	}
	return nil
}

// startWarm asks the engine for a warm session; it waits while what the session should hold isn't known.
func (s *Service) startWarm(ctx context.Context, one NamedEngine, session warm.Session) error {
	content, _ := s.warm.content(session.Entry)
	if content.held != session.Held {
		return nil
	}
	made := content.made
	made.ID = session.ID
	bounded, cancel := context.WithTimeout(ctx, engineTime)
	defer cancel()
	readable, err := s.projects.Readable(bounded, "", made.ids())
	if err != nil {
		return err
	}
	spec := made.spec(s.Sources, readable)
	spec.Profile = one.forAll(made.origin.Needs).spec() // nobody claims one of another size
	if err := s.addNotebook(bounded, made, &spec); err != nil {
		return err
	}
	return one.Start(bounded, spec)
}

// failWarm ends a warm session that didn't start or has ended, and pauses before the next one.
func (s *Service) failWarm(ctx context.Context, session warm.Session, reason string) error {
	s.warm.mutex.Lock()
	failure := s.warm.failures[session.Entry]
	failure.until = s.Now().Add(min(warmPause<<min(failure.count, 6), longestPause)) // 6: the first above the longest pause
	failure.count++
	s.warm.failures[session.Entry] = failure
	s.warm.mutex.Unlock()
	s.Logger.WarnContext(ctx, "a warm session failed", "session", session.ID, "entry", session.Entry, "reason", reason)
	return s.warm.store.End(ctx, session.ID)
}
