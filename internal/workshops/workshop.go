package workshops

import (
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/sessions"
)

// State is where a workshop is in its day.
type State string

// The states. Only stateAt decides, from times alone, so that a server that was away is right as soon as it is back.
const (
	Planned State = "PLANNED"
	Warming State = "WARMING" // its sessions get warm
	Open    State = "OPEN"    // people can join
	Ended   State = "ENDED"
)

const (
	warmBefore = 15 * time.Minute            // the start, sessions begin to get warm
	workKept   = 14 * 24 * time.Hour         // after the end, for guests
	namesKept  = 30 * 24 * time.Hour         // after the end
	tokensKept = workKept + 365*24*time.Hour // after the end, so that a guest who comes too late is told why
)

// WorkshopPart is an entry or a project as a workshop shows it.
type WorkshopPart struct {
	ID   string       `json:"id" format:"uuid"`
	Name string       `json:"name"`
	Type catalog.Type `json:"type,omitempty" enum:"REPOSITORY,NOTEBOOK,DATASET" doc:"Of an entry"`
}

// Workshop is a workshop as its hosts see it.
type Workshop struct {
	ID        string        `json:"id" format:"uuid"`
	Name      string        `json:"name"`
	State     State         `json:"state" enum:"PLANNED,WARMING,OPEN,ENDED"`
	Owner     string        `json:"owner" doc:"The e-mail address of who prepared it"`
	Hosts     []string      `json:"hosts" doc:"E-mail addresses of those who host it too"`
	Entry     *WorkshopPart `json:"entry,omitempty"`
	Project   *WorkshopPart `json:"project,omitempty"`
	Event     string        `json:"event,omitempty" doc:"The slug of the event that it belongs to"`
	File      string        `json:"file,omitempty" doc:"The file of the repository that opens"`
	Ref       string        `json:"ref,omitempty" doc:"The branch, tag or commit of the repository"`
	Engine    string        `json:"engine"`
	Profile   string        `json:"profile,omitempty" doc:"The size of its sessions"`
	Network   Network       `json:"network" enum:"none,internet"`
	Guests    bool          `json:"guests" doc:"Whether people without an account can join"`
	StartsAt  time.Time     `json:"startsAt"`
	EndsAt    time.Time     `json:"endsAt"`
	Timezone  string        `json:"timezone" doc:"In which its hours are meant"`
	OpensAt   time.Time     `json:"opensAt" doc:"When people can join: at the start, or when a host opened it"`
	EndingAt  *time.Time    `json:"endingAt,omitempty" doc:"When it ends, once a host has asked for that"`
	EndedAt   *time.Time    `json:"endedAt,omitempty"`
	WorkUntil time.Time     `json:"workUntil" doc:"Until when guests can fetch their work"`
	NamesEnd  time.Time     `json:"namesUntil" doc:"When the names of its guests are deleted"`

	Seats       Seats  `json:"seats"`
	Warm        int    `json:"warm" doc:"How many sessions are ready before anybody asks for them"`
	WarmWanted  int    `json:"warmWanted" doc:"How many are to be"`
	Room        Takes  `json:"room"`
	JoinURL     string `json:"joinUrl" doc:"Leads to the page for participants and carries the code behind the #, so that no log has it"`
	JoinAddress string `json:"joinAddress" doc:"That address without the code"`
	Code        string `json:"code" doc:"Four words"`

	accountID string
	holdsName string
	holdsType catalog.Type
	key       string
	openedAt  time.Time
	cleanedAt time.Time
	cells     string // JSON of progress.Cells; "" while they aren't known
	createdAt time.Time
	revision  int64 // rises with each change by a host
}

// Seats counts the seats of a workshop.
type Seats struct {
	Total   int `json:"total"`
	Taken   int `json:"taken"`
	Running int `json:"running"`
	Waiting int `json:"waiting" doc:"In the queue, or starting"`
}

// Takes is what a workshop takes of the machine.
type Takes struct {
	Places   int `json:"places" doc:"Of the capacity, while it lasts"`
	Capacity int `json:"capacity" doc:"How many places there are; 0: no limit is known"`
}

// Network is what sessions of a workshop reach.
type Network string

// The networks.
const (
	NoNetwork Network = "none"
	Internet  Network = "internet" // as far as sessions on their engine do
)

// stateAt returns the state at a time.
func (w Workshop) stateAt(now time.Time) State {
	switch {
	case !now.Before(w.end()):
		return Ended
	case !w.openedAt.IsZero() || !now.Before(w.StartsAt):
		return Open
	case !now.Before(w.StartsAt.Add(-warmBefore)):
		return Warming
	}
	return Planned
}

// end returns when the workshop ends, or has ended.
func (w Workshop) end() time.Time {
	switch {
	case w.EndedAt != nil:
		return *w.EndedAt
	case w.EndingAt != nil && w.EndingAt.Before(w.EndsAt):
		return *w.EndingAt
	}
	return w.EndsAt
}

// began returns when people could join, which may have been before its time.
func (w Workshop) began() time.Time {
	if !w.openedAt.IsZero() && w.openedAt.Before(w.StartsAt) {
		return w.openedAt
	}
	return w.StartsAt
}

// workUntil returns until when guests can fetch their work.
func (w Workshop) workUntil() time.Time { return w.end().Add(workKept) }

// tokensUntil returns until when the tokens of guests are known.
func (w Workshop) tokensUntil() time.Time { return w.end().Add(tokensKept) }

// request is the start of a session in one of the seats.
func (w Workshop) request() sessions.StartRequest {
	asked := sessions.StartRequest{Name: w.Name, File: w.File, Ref: w.Ref, Engine: w.Engine, Profile: w.Profile, Workshop: w.ID, NoNetwork: w.Network == NoNetwork}
	if w.Entry != nil {
		asked.ResourceID = w.Entry.ID
	}
	if w.Project != nil {
		asked.ProjectID = w.Project.ID
	}
	return asked
}

// runsAs reports whether the sessions of two workshops are the same.
func (w Workshop) runsAs(other Workshop) bool {
	one, another := w.request(), other.request()
	one.Name, another.Name = "", ""
	return one == another
}

// guestUntil is until when guests may work: the end, once it is fixed.
func (w Workshop) guestUntil() time.Time { return w.end() }

// Seat is a seat that somebody has, or had.
type Seat struct {
	id        string
	workshop  string
	number    int
	accountID string
	isGuest   bool
	name      string
	sessionID string
	joinedAt  time.Time
	leftAt    time.Time
	handAt    time.Time
	activeAt  time.Time
	progress  string // JSON of progress.Seat; "" for nothing
}

// lettersOf returns the letters of a code, which is what counts of it.
func lettersOf(code string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(code))
}
