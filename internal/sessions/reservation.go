package sessions

import (
	"slices"
	"time"
)

// Reservation sets a part of what an engine runs aside for the seats of a workshop, for a while: others don't get it, and the seats get
// nothing else.
type Reservation struct {
	Workshop string // its id
	Engine   string
	Places   int // of the capacity, which small sessions share
	Sessions int // that run in them together, warm ones included
	Together int // of them that start at a time
	From     time.Time
	Until    time.Time
}

// Holds reports whether a reservation is in force.
func (r Reservation) Holds(now time.Time) bool { return !now.Before(r.From) && now.Before(r.Until) }

// Places returns how many places reservations take together.
func Places(reserved []Reservation) (places int) {
	for _, one := range reserved {
		places += one.Places
	}
	return places
}

// PeakPlaces returns how many places reservations take at most at one time between two.
func PeakPlaces(reserved []Reservation, from, until time.Time) (peak int) {
	for _, at := range reserved {
		moment := at.From
		if moment.Before(from) {
			moment = from
		}
		if !moment.Before(until) {
			continue
		}
		peak = max(peak, Places(slices.DeleteFunc(slices.Clone(reserved), func(one Reservation) bool { return !one.Holds(moment) })))
	}
	return peak
}

// divide returns the sessions that are of a reservation's workshop, and the others.
func (r Reservation) divide(live []Session) (own, others []Session) {
	for _, session := range live {
		if session.Workshop == r.Workshop && session.Engine == r.Engine {
			own = append(own, session)
		} else {
			others = append(others, session)
		}
	}
	return own, others
}

// outside returns the sessions that have no part in reservations.
func outside(live []Session, reserved []Reservation) []Session {
	for _, one := range reserved {
		_, live = one.divide(live)
	}
	return live
}
