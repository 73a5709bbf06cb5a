package sessions

import (
	"cmp"
	"slices"
	"time"
)

// admitAll is admit with what is set aside for workshops now, whose sessions have queues of their own.
func admitAll(live []Session, batch []BatchSlot, capacity int, reserved []Reservation, freed, now time.Time) (changed []Session) {
	for _, one := range reserved {
		var own []Session
		own, live = one.divide(live)
		running := 0
		for _, session := range own {
			if session.Status == Running {
				running++
			}
		}
		changed = append(changed, admit(own, nil, min(one.Sessions, running+one.Together), freed, now)...)
	}
	if capacity > 0 {
		if capacity -= Places(reserved); capacity <= 0 {
			capacity = -1 // 0 stands for no limit
		}
	}
	return append(changed, admit(live, batch, capacity, freed, now)...)
}

// admit decides about the live sessions of engines that share a capacity (zero: no limit) with batch sessions: which queued
// sessions are launched now, and the places of the others. It returns the sessions that change. First come, first served,
// and jobs after everybody who wants to work.
// Freed is when a session last made room, which matters after an engine had none.
func admit(live []Session, batch []BatchSlot, capacity int, freed, now time.Time) (changed []Session) {
	live = slices.Clone(live)
	slices.SortFunc(live, func(a, b Session) int {
		return cmp.Or(byJob(a, b), a.QueuedAt.Compare(b.QueuedAt), cmp.Compare(a.ID, b.ID))
	})
	free := capacity - len(batch)
	for _, session := range live {
		if session.Status == Running || (session.Status == Created && !session.AdmittedAt.IsZero()) {
			free-- // even while it is being stopped
		}
	}
	if capacity == 0 {
		free = len(live)
	}
	people := slices.DeleteFunc(slices.Clone(live), func(session Session) bool { return session.Job != "" })
	room, roomOfJobs := min(free, roomAfterRefusal(people, freed, now)), min(free, roomAfterRefusal(live, freed, now)) // nobody waits because of a job
	waiting := 0
	for _, session := range live {
		if !session.Queued() {
			continue
		}
		before := session
		left := &room
		if session.Job != "" {
			left = &roomOfJobs
		}
		if *left > 0 {
			room, roomOfJobs = room-1, roomOfJobs-1
			session.AdmittedAt, session.QueuePosition = now, 0
		} else {
			waiting++
			session.QueuePosition = waiting
		}
		if session.QueuePosition != before.QueuePosition || !session.AdmittedAt.Equal(before.AdmittedAt) {
			changed = append(changed, session)
		}
	}
	return changed
}

// byJob sorts the sessions of jobs behind those in which people work.
func byJob(a, b Session) int {
	switch {
	case (a.Job == "") == (b.Job == ""):
		return 0
	case a.Job == "":
		return -1
	}
	return 1
}

// admittedOf counts the sessions among those that admit changed that have a place now.
func admittedOf(changed []Session) (count int) {
	for _, session := range changed {
		if !session.AdmittedAt.IsZero() {
			count++
		}
	}
	return count
}

// refusalPause is how long an engine that had no room isn't asked again, unless a session makes room.
const refusalPause = 10 * time.Second

// roomAfterRefusal returns how many sessions may be launched on engines that recently had no room: one at a time, and
// the next one after its first step.
func roomAfterRefusal(live []Session, freed, now time.Time) int {
	var refused time.Time
	for _, session := range live {
		switch {
		case session.Status != Created || session.RefusedAt.IsZero():
		case !session.AdmittedAt.IsZero() && session.LaunchStep == "":
			return 0 // this launch finds out whether there is room now
		case session.Queued() && session.RefusedAt.After(refused):
			refused = session.RefusedAt
		}
	}
	switch {
	case refused.IsZero():
		return len(live)
	case now.Sub(refused) < refusalPause && freed.Before(refused):
		return 0
	}
	return 1
}

// waiting counts the sessions in a queue.
func waiting(live []Session) (count int) {
	for _, session := range live {
		if session.Queued() {
			count++
		}
	}
	return count
}

// preempted returns the batch sessions that give up their places to as many who wait: the youngest, which have done least.
func preempted(slots []BatchSlot, wanted int) (ids []string) {
	for _, slot := range slices.Backward(slots) {
		if len(ids) < wanted {
			ids = append(ids, slot.ID)
		}
	}
	return ids
}

// BatchSlot is the place of a batch session on an engine.
type BatchSlot struct {
	ID        string
	Preempted bool // somebody waits for the place, so its session gives it up
}
