// Package warm decides which sessions run before anybody asks for them, and stores them. What they hold, and how an engine
// starts them, belongs to the package sessions.
package warm

import (
	"cmp"
	"slices"
	"time"
)

// Want says how many sessions of an entry or a project should be warm.
type Want struct {
	Entry  string // its id
	Count  int
	Engine string // on which; "": the first that can
}

// Phase is the state of a warm session.
type Phase string

// The phases. Only a ready session can be claimed.
const (
	Starting Phase = "starting"
	Ready    Phase = "ready"
	Ending   Phase = "ending" // until its engine has removed it
)

// Session is a session that nobody has claimed.
type Session struct {
	ID        string
	Entry     string
	Name      string // of the entry, when the session was started
	Engine    string
	Held      string // identifies what it holds; a start claims only what holds exactly the same
	Phase     Phase
	Opened    Opened
	CreatedAt time.Time
}

// Opened is what an engine reported when a session began to run.
type Opened struct {
	File    string
	Note    string
	Shows   string // the interface of its server; "" while that isn't known
	LeftOut string // JSON, as in the row of a session; "" for nothing
}

// Target is a Want and what such a session holds now.
type Target struct {
	Want

	Name      string
	Held      string
	ChangedAt time.Time // when the entry last changed
	Paused    bool      // the last ones failed, so no more are started for now
}

// renewAfter is the age at which a warm session is replaced: the commit of its repository and its data may have changed.
const renewAfter = 30 * time.Minute

// outdated reports whether a session should be replaced by another one that holds the same.
func (t Target) outdated(session Session, now time.Time) bool {
	return now.Sub(session.CreatedAt) >= renewAfter || session.CreatedAt.Before(t.ChangedAt)
}

// Plan says which of an engine's warm sessions end, and of which targets some are started, one for each time that it's in the list.
// Outdated ones are still good for a claim until others are ready in their place. Room is the maximum number of warm sessions,
// and together how many may be starting at a time.
func Plan(all []Session, targets []Target, room, together int, now time.Time) (end []Session, add []Target) {
	var kept, spare []Session // in the order in which they are worth their room; spare are the outdated ones
	starting := 0
	for _, target := range targets {
		current, outdated := target.of(all, now)
		end = append(end, current[min(len(current), target.Count):]...)
		current = current[:min(len(current), target.Count)]
		ready := 0
		for _, session := range current {
			if session.Phase == Ready {
				ready++
			}
			if session.Phase == Starting {
				starting++
			}
		}
		kept = append(kept, current...)
		needed := min(len(outdated), target.Count-ready)
		spare = append(spare, outdated[:needed]...)
		end = append(end, outdated[needed:]...)
		for range target.Count - len(current) {
			if !target.Paused {
				add = append(add, target)
			}
		}
	}
	for _, session := range all {
		if session.Phase != Ending && !slices.ContainsFunc(targets, func(target Target) bool { return target.matches(session) }) {
			end = append(end, session)
		}
	}
	add = add[:max(0, min(len(add), together-starting, room-len(kept)))]
	if over := len(kept) - room; over > 0 {
		end, kept = append(end, kept[room:]...), kept[:room]
	}
	left := room - len(kept) - len(add)
	return append(end, spare[min(len(spare), max(0, left)):]...), add
}

func (t Target) matches(session Session) bool {
	return session.Entry == t.Entry && session.Held == t.Held
}

// of returns the target's sessions: those that are up to date, ready ones first, and the outdated ones that are ready.
func (t Target) of(all []Session, now time.Time) (current, outdated []Session) {
	for _, session := range all {
		switch {
		case session.Phase == Ending || !t.matches(session):
		case session.Phase == Starting || !t.outdated(session, now):
			current = append(current, session)
		default:
			outdated = append(outdated, session)
		}
	}
	slices.SortFunc(current, func(a, b Session) int {
		return cmp.Or(cmp.Compare(a.Phase, b.Phase), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) // "ready" < "starting"
	})
	return current, outdated
}
