package sessions

import (
	"net/url"
	"slices"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// Status is the state of a session as its user sees it.
type Status string

// The states. Only next decides on transitions, from what an engine reports.
const (
	Created    Status = "CREATED"    // requested, starting
	Running    Status = "RUNNING"    // answers
	Finished   Status = "FINISHED"   // ended on its own; work kept
	Terminated Status = "TERMINATED" // ended by its user; work kept
	Failed     Status = "ERROR"      // could not start or broke; work kept
	Deleted    Status = "DELETED"    // deleted by its user; versions of its work are kept for a while
)

// Live reports whether a session in this state takes up room and counts toward its user's limit.
func (s Status) Live() bool { return s == Created || s == Running }

// Erased is the RequestedStatus of a session that is deleted forever. That of one whose deletion can be undone is Deleted,
// until its engine has retired it. Neither is shown as a RequestedStatus.
const Erased Status = "ERASED"

// Session is one user's session.
type Session struct {
	ID              string                `json:"id" format:"uuid"`
	SessionName     string                `json:"sessionName"`
	UserID          string                `json:"userId" doc:"The owner's e-mail address in lower case"`
	Status          Status                `json:"status" enum:"CREATED,RUNNING,FINISHED,TERMINATED,ERROR,DELETED" doc:"DELETED: recently, so it can be undeleted; only in lists that ask for it"`
	StatusReason    string                `json:"statusReason" doc:"Why it is FINISHED, ERROR, or TERMINATED by the operators; else empty"`
	Missing         []string              `json:"missing,omitempty" doc:"ERROR: ids of the missing datasets that made its launch fail; it can be started without them"`
	Cause           *diagnosis.Cause      `json:"cause,omitempty" doc:"ERROR: why, and what to do, if that is known"`
	Help            *Help                 `json:"help,omitempty" doc:"ERROR: what a page can offer about its cause"`
	RequestedStatus Status                `json:"requestedStatus,omitempty" enum:"TERMINATED" doc:"A stop that is under way"`
	QueuePosition   int                   `json:"queuePosition,omitempty" doc:"CREATED and waiting for room: 1 is next"`
	Step            string                `json:"step,omitempty" doc:"CREATED and launched: what its launch is at, in a few words"`
	Warning         string                `json:"warning,omitempty" doc:"Sentences. RUNNING: what will end it soon, or why a kernel ended or couldn't start; in the queue: what it waits for, if not only for a place"`
	LastActivityAt  *time.Time            `json:"lastActivityAt,omitempty" doc:"When something last happened in it, to the minute"`
	StopsAt         *time.Time            `json:"stopsAt,omitempty" doc:"RUNNING: when it is stopped if nothing happens in it, to the minute"`
	KeptUntil       *time.Time            `json:"keptUntil,omitempty" doc:"Ended: until when its work is kept at least. DELETED: until when it can be undeleted"`
	SavedAt         *time.Time            `json:"savedAt,omitempty" doc:"When the last version of its work was made; absent: none yet, or its engine makes none"`
	Versions        int                   `json:"versions,omitempty" doc:"How many versions of its work there are"`
	SavingStopped   string                `json:"savingStopped,omitempty" doc:"Why no versions are made at the moment: a sentence"`
	Engine          string                `json:"engine"`
	Limits          sizes.Limits          `json:"limits"`
	Profile         *sizes.SessionProfile `json:"profile,omitempty" doc:"The size that was chosen; absent where its engine has one size alone"`
	Needs           *catalog.Needs        `json:"needs,omitempty" doc:"What its repository asks for; absent if nothing"`
	Lacks           []sizes.Shortfall     `json:"lacks,omitempty" enum:"memory,cpus,gpus" doc:"What of that its size doesn't have enough of"`
	Usage           *Usage                `json:"usage,omitempty" doc:"RUNNING, in the answer about one session alone: what it uses now, as far as that is known"`
	Opens           string                `json:"opens,omitempty" doc:"The file that it opens, relative to its work folder; absent until it runs, and when it opens the list of files"`
	OpenNote        string                `json:"openNote,omitempty" doc:"Why that is not the file that was wanted"`
	LeftOut         []engine.LeftOut      `json:"leftOut,omitempty" doc:"What its repository asks for and its last launch didn't install"`
	CreatedAt       time.Time             `json:"createdAt"`
	UpdatedAt       time.Time             `json:"updatedAt"`
	Project         Holds                 `json:"project" doc:"What the session holds"`
	Resource        *SessionResource      `json:"resource,omitempty" doc:"The entry that it was started from, if not from a project"`
	Shares          int                   `json:"shares,omitempty" doc:"In how many ways it is shared"`
	Present         []Visit               `json:"present,omitempty" doc:"Who else is there now"`
	Visits          []Visit               `json:"visits,omitempty" doc:"Who was there, the last first, at most ten"`
	Workshop        string                `json:"workshop,omitempty" format:"uuid" doc:"The workshop of which it is a seat's"`
	Job             string                `json:"job,omitempty" format:"uuid" doc:"The job that it was started for: nobody works in it, and no list of its owner has it"`

	// What follows is stored with a session, and no answer shows it.

	AccountID   string           `json:"-"`
	Source      Source           `json:"-"`
	RequestedBy Requester        `json:"-"` // who made the request in RequestedStatus
	QueuedAt    time.Time        `json:"-"` // when its launch was requested
	RefusedAt   time.Time        `json:"-"` // when its engine last had no room for it; zero if it never had none
	AdmittedAt  time.Time        `json:"-"` // when there was room for it; zero while it is queued
	LaunchStep  engine.StepName  `json:"-"`
	Interface   engine.Interface `json:"-"` // of its last server; "" while that isn't known
	Attempts    int64            `json:"-"` // the number of the last one to launch it, which only rises
	LaunchedAt  time.Time        `json:"-"` // when the engine was asked for the current or the last launch; zero until then
	ActiveAt    time.Time        `json:"-"` // LastActivityAt to the microsecond
	KeptAt      time.Time        `json:"-"` // when its user last asked to keep it going; zero: never
	DeletedAt   time.Time        `json:"-"` // when its user deleted it; zero: they didn't
	copyOf      *Session         // of somebody else, whose work it begins with; it isn't stored
	StartedNow  bool             `json:"-"` // by the call that returned it; it isn't stored
}

// Requester is who requested that a session end.
type Requester string

// Who may request it. The deletion of sessions whose time is up counts as their owners'.
const (
	ByOwner     Requester = ""
	ByOperators Requester = "operators"
)

// Gone reports whether its user, or an expiry, deleted the session: lists don't have it any longer.
func (s Session) Gone() bool {
	return s.Status == Deleted || s.RequestedStatus == Deleted || s.RequestedStatus == Erased
}

// Undeletable reports whether the deletion of the session can be undone where its engine keeps versions.
func (s Session) Undeletable() bool { return s.Gone() && s.RequestedStatus != Erased }

// Queued reports whether a session waits for room on its engine.
func (s Session) Queued() bool {
	return s.Status == Created && s.RequestedStatus == "" && s.AdmittedAt.IsZero()
}

// SessionResource is the entry that a session was started from.
type SessionResource struct {
	ID   string       `json:"id" format:"uuid"`
	Name string       `json:"name"`
	Type catalog.Type `json:"type" enum:"REPOSITORY,NOTEBOOK,DATASET"`
}

// Source is what a session was started from besides its project.
type Source struct {
	Notebook string           `json:"notebook,omitempty"` // the notebookPath of the notebook that its work begins with
	Resource *SessionResource `json:"resource,omitempty"`
	File     string           `json:"file,omitempty"` // the file of the repository that opens; "" for the first that fits
	Ref      string           `json:"ref,omitempty"`  // a branch, tag or commit of the repository; "" for its default branch

	Profile string `json:"profile,omitempty"` // its size; "": the default one of its engine

	Host      string `json:"host,omitempty"`      // in a workshop: whose rights say what it may read; "": its owner's
	NoNetwork bool   `json:"noNetwork,omitempty"` // it reaches nothing, whatever other sessions reach

	Needs *catalog.Needs `json:"needs,omitempty"` // of its repository, when it was started

	Version *engine.FromVersion `json:"version,omitempty"` // whose work the session began with; nil: none
}

// entries returns the ids of the entries that a start of the session uses.
func (s Session) entries() []string {
	if s.Resource != nil {
		return []string{s.Resource.ID}
	}
	ids := []string{s.Project.Repository.ID}
	for _, dataset := range s.Project.Datasets {
		if !dataset.Skipped && !slices.Contains(ids, dataset.ID) {
			ids = append(ids, dataset.ID)
		}
	}
	return ids
}

// needed returns the entry without which the session can't be launched.
func (s Session) needed() Part {
	if s.Resource != nil {
		return Part{ID: s.Resource.ID, Name: s.Resource.Name}
	}
	return s.Project.Repository
}

// OwnedBy reports whether an account may do anything with the session: only its owner may, until its deletion is
// requested.
func (s Session) OwnedBy(accountID string) bool {
	return accountID != "" && s.AccountID == accountID && !s.Gone()
}

// EntryID returns the id of the entry that the session runs.
func (s Session) EntryID() string { return s.needed().ID }

// ids returns the ids of the entries that a launch of the session uses.
func (s Session) ids() []string {
	ids := []string{s.needed().ID}
	for _, part := range s.Project.Datasets {
		ids = append(ids, part.ID)
	}
	return ids
}

// keepLimit is how long an idle session can be kept going after something last happened in it.
const keepLimit = 8 * time.Hour

// KeptAtMost returns until when a session can be kept going after something last happened in it.
func KeptAtMost(lastAt time.Time) time.Time { return MinuteAfter(lastAt.Add(keepLimit)) }

// MayKeep reports whether its user can keep the session going for longer.
func (s Session) MayKeep() bool {
	return s.Status == Running && s.StopsAt != nil && s.StopsAt.Before(KeptAtMost(s.ActiveAt))
}

// MinuteAfter returns the first full minute that isn't before a time: people see the minute, so nothing happens before it.
func MinuteAfter(t time.Time) time.Time {
	if whole := t.Truncate(time.Minute); whole.Before(t) {
		return whole.Add(time.Minute)
	}
	return t
}

// ServerPath is the path of a session's server at the session origin, in both forms of addresses.
func ServerPath(id string) string { return "/s/" + id + "/" }

// ReadyPath is the path that a browser opens once the session runs: the page of Jupyter that shows the session's file.
func (s Session) ReadyPath() string {
	return (&url.URL{Path: ServerPath(s.ID) + s.Interface.Address(s.Opens)}).EscapedPath()
}

// Usage is what a running session uses now.
type Usage struct {
	MemoryBytes int64   `json:"memoryBytes,omitempty"`
	DiskBytes   int64   `json:"diskBytes,omitempty" doc:"Of its files, without the datasets"`
	CPUs        float64 `json:"cpus,omitempty" doc:"How many processors it kept busy in the last seconds"`
}

// Visit is somebody else in a session, at some time.
type Visit struct {
	Name   string     `json:"name" doc:"To the owner, a name or e-mail address; empty: people with a link who haven't signed in, or more than are named"`
	Email  string     `json:"-"`
	As     string     `json:"as" enum:"owner,edit,see" doc:"owner: in what is shared with the caller"`
	People int        `json:"people" doc:"1, or how many they are"`
	Since  time.Time  `json:"since"`
	Until  *time.Time `json:"until,omitempty" doc:"Absent: they are there"`
}

// Guests are how a session is shared, and who was there because of it.
type Guests struct {
	Shares          int
	Present, Visits []Visit
}

// OptionalTime returns a time in UTC; nil for the zero time.
func OptionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// Help is what a page offers about a cause besides starting the session again: a link, or a button that copies a message.
type Help struct {
	Label   string `json:"label" doc:"Of the link or button; empty if starting the session again is all there is to do"`
	Address string `json:"address" doc:"Where the link leads; empty for a button"`
	Message string `json:"message" doc:"What the button copies: a message for the operators"`
}

// StepLabels are the steps of launches as people see them.
var StepLabels = map[engine.StepName]string{
	engine.StepRepository:  "Copy the repository",
	engine.StepDatasets:    "Connect the datasets",
	engine.StepEnvironment: "Prepare the environment",
	engine.StepServer:      "Start Jupyter",
}
