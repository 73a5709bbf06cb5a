package reconcile

import (
	"slices"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/sizes"
	"cairn/internal/sessions/warm"
)

// planSeats plans the warm sessions of workshops, each within its own room, and lets others plan the rest. Together all of them start no
// more at a time than an engine starts well, the seats first: they are wanted at a certain time.
func (p *WarmPool) planSeats(
	on sizes.Engine, all []warm.Session, seats []SeatsWanted, busy bool, now time.Time, others func(all []warm.Session, together int) ([]warm.Session, []warm.Target),
) (end []warm.Session, add []warm.Target) {
	together := on.StartsTogether()
	for _, session := range all {
		if session.Phase == warm.Starting {
			together--
		}
	}
	for _, one := range seats {
		var own []warm.Session
		own, all = divide(all, one.Entry)
		if one.Unknown {
			continue
		}
		starting := len(slices.DeleteFunc(slices.Clone(own), func(session warm.Session) bool { return session.Phase != warm.Starting }))
		target := warm.Target{
			Want: one.Want, Name: one.Content.Project.Name, Held: one.Content.ContentsHash(), ChangedAt: one.ChangedAt, Paused: p.paused(on, one.Entry, busy),
		}
		ended, added := warm.Plan(own, []warm.Target{target}, one.Room, max(0, together)+starting, now)
		together -= len(added)
		end, add = append(end, ended...), append(add, added...)
	}
	starting := len(slices.DeleteFunc(slices.Clone(all), func(session warm.Session) bool { return session.Phase != warm.Starting }))
	ended, added := others(all, max(0, together)+starting)
	return append(end, ended...), append(add, added...)
}

// paused reports whether no warm sessions are started now: while people's sessions start, and after some failed.
func (p *WarmPool) paused(on sizes.Engine, entry string, busy bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return busy || p.now().Before(p.failures[place{on.Name, entry}].until)
}

// starting reports whether somebody's session is being launched on an engine. Those that wait for room don't count: they may wait because of
// the workshop.
func starting(on sizes.Engine, people []sessions.Session) bool {
	return slices.ContainsFunc(people, func(session sessions.Session) bool {
		return session.Engine == on.Name && session.Status == sessions.Created && !session.AdmittedAt.IsZero()
	})
}

// divide returns the warm sessions of an entry or a workshop, and the others.
func divide(all []warm.Session, entry string) (own, others []warm.Session) {
	for _, session := range all {
		if session.Entry == entry {
			own = append(own, session)
		} else {
			others = append(others, session)
		}
	}
	return own, others
}
