package shares

import (
	"slices"
	"time"

	"cairn/internal/sessions"
)

// Level is what somebody may do with a session; each one includes those before it.
type Level string

// The levels. Nobody shares Owner.
const (
	See   Level = "see"   // its notebooks and files, on a page of the catalog
	Copy  Level = "copy"  // start a session of one's own from its work
	Edit  Level = "edit"  // enter it
	Owner Level = "owner" // everything
)

var levels = []Level{See, Copy, Edit, Owner}

// Includes reports whether a level allows what another one does.
func (l Level) Includes(other Level) bool {
	return slices.Contains(levels, l) && slices.Index(levels, l) >= slices.Index(levels, other)
}

// With says with whom a session is shared: one of the three.
type With struct {
	Email   string `json:"email,omitempty" maxLength:"254" doc:"A person, who may not have signed in yet"`
	Project string `json:"project,omitempty" maxLength:"100" doc:"The id of a project: everybody who is a member of it at the time"`
	Link    bool   `json:"link,omitempty" doc:"Whoever has the link"`
}

// The kinds of With, as they are stored.
const (
	byEmail   = "email"
	byProject = "project"
	byLink    = "link"
)

// Share lets others do something with a session.
type Share struct {
	ID          string     `json:"id" format:"uuid"`
	With        With       `json:"with"`
	ProjectName string     `json:"projectName,omitempty" doc:"Of with.project"`
	Can         Level      `json:"can" enum:"see,copy,edit"`
	Until       *time.Time `json:"until,omitempty" doc:"Absent: until the session ends"`
	CreatedAt   time.Time  `json:"createdAt"`
	URL         string     `json:"url,omitempty" format:"uri" doc:"Where it leads. That of a link has a secret in it, so it's only in the answer to the call that made it"`

	sessionID string
	kind      string
	whom      string    // the address or the project's id
	digest    string    // of the link's secret
	runAt     time.Time // the launch with which it ends, unless it has a time
}

// holds reports whether a share of a session is in force.
func (s Share) holds(session sessions.Session, now time.Time) bool {
	switch {
	case session.Gone():
		return false
	case s.Until != nil:
		return now.Before(*s.Until)
	}
	return session.Status.Live() && session.RequestedStatus == "" && session.QueuedAt.Equal(s.runAt)
}

// includes reports whether a share that holds lets others do as much as another one of the same session, for as long.
func (s Share) includes(other Share) bool {
	return s.Can.Includes(other.Can) && (s.Until == nil && other.Until == nil || s.Until != nil && other.Until != nil && !s.Until.Before(*other.Until))
}

// Shared is a session that somebody else shares with the caller.
type Shared struct {
	ID          string          `json:"id" format:"uuid"`
	SessionName string          `json:"sessionName"`
	Holds       string          `json:"holds" doc:"The name of the project or entry that it was started from"`
	Owner       string          `json:"owner" doc:"The owner's name"`
	Can         Level           `json:"can" enum:"see,copy,edit,owner" doc:"owner: it's the caller's own"`
	Share       string          `json:"share,omitempty" format:"uuid" doc:"What fromShare takes"`
	Until       *time.Time      `json:"until,omitempty" doc:"Absent: until it ends"`
	IsRunning   bool            `json:"isRunning"`
	Status      sessions.Status `json:"status" enum:"CREATED,RUNNING,FINISHED,TERMINATED,ERROR"`
	URL         string          `json:"url" format:"uri" doc:"The page that shows it; the way into it is GET /hub/resume/session/{id}"`
}

// Kind is what a request asks for.
type Kind string

// The kinds.
const (
	Help  Kind = "help"  // the session's owner asks the help desk to look at it
	Enter Kind = "enter" // somebody asks the owner to let them in
)

// Request asks for a share.
type Request struct {
	ID          string     `json:"id" format:"uuid"`
	SessionID   string     `json:"sessionId" format:"uuid"`
	SessionName string     `json:"sessionName,omitempty" doc:"For its owner, and for the help desk"`
	Kind        Kind       `json:"kind" enum:"help,enter"`
	By          string     `json:"by" doc:"The e-mail address of whoever asks"`
	Name        string     `json:"name" doc:"Their name, or e-mail address"`
	Can         Level      `json:"can" enum:"see,copy,edit" doc:"What they ask for; of help, what the one who answers may be given"`
	Message     string     `json:"message,omitempty"`
	CreatedAt   time.Time  `json:"createdAt"`
	AnsweredAt  *time.Time `json:"answeredAt,omitempty"`
	AnsweredBy  string     `json:"answeredBy,omitempty" doc:"An e-mail address; not told to those who ask to be let in"`
	Granted     bool       `json:"granted"`
	Mine        bool       `json:"mine" doc:"The caller asks"`

	accountID string
}

// answered reports whether somebody has.
func (r Request) answered() bool { return r.AnsweredAt != nil }
