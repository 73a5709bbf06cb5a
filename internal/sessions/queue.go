package sessions

import (
	"cmp"
	"slices"
	"time"
)

// admit decides about the live sessions of engines that share a capacity (zero: no limit): who of the queue is launched
// now, and at which place the others wait. It returns the sessions that change. First come, first served.
func admit(live []Session, capacity int, now time.Time) (changed []Session) {
	live = slices.Clone(live)
	slices.SortFunc(live, func(a, b Session) int {
		return cmp.Or(a.queuedAt.Compare(b.queuedAt), cmp.Compare(a.ID, b.ID))
	})
	free := capacity
	for _, session := range live {
		if session.Status == Running || (session.Status == Created && !session.admittedAt.IsZero()) {
			free-- // also while it is being stopped
		}
	}
	waiting := 0
	for _, session := range live {
		if !session.queued() {
			continue
		}
		before := session
		if free > 0 || capacity == 0 {
			free--
			session.admittedAt, session.QueuePosition = now, 0
		} else {
			waiting++
			session.QueuePosition = waiting
		}
		if session.QueuePosition != before.QueuePosition || !session.admittedAt.Equal(before.admittedAt) {
			changed = append(changed, session)
		}
	}
	return changed
}
