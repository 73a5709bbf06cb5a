package sessions

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/explore"
)

// Status is the state of a session as its user sees it.
type Status string

// The states. Only next decides on transitions, from what an engine reports.
const (
	Created    Status = "CREATED"    // requested, starting
	Running    Status = "RUNNING"    // answers
	Finished   Status = "FINISHED"   // ended by itself; work kept
	Terminated Status = "TERMINATED" // ended by its user; work kept
	Failed     Status = "ERROR"      // could not start or broke; work kept
	Deleted    Status = "DELETED"    // deleted by its user; versions of its work are kept for a while
)

// Live reports whether a session in this state takes up room and counts toward its user's limit.
func (s Status) Live() bool { return s == Created || s == Running }

// erased is the RequestedStatus of a session that is deleted for ever. That of one whose deletion can be undone is Deleted,
// until its engine has retired it. Neither is shown as a RequestedStatus.
const erased Status = "ERASED"

// Session is one user's session.
type Session struct {
	ID              string           `json:"id" format:"uuid"`
	SessionName     string           `json:"sessionName"`
	UserID          string           `json:"userId" doc:"The owner's e-mail address in lower case"`
	Status          Status           `json:"status" enum:"CREATED,RUNNING,FINISHED,TERMINATED,ERROR,DELETED" doc:"DELETED: recently, so it can be undeleted; only in lists that ask for it"`
	StatusReason    string           `json:"statusReason" doc:"Why it is FINISHED, ERROR, or TERMINATED by the operators; else empty"`
	Missing         []string         `json:"missing,omitempty" doc:"ERROR: ids of the missing datasets that made its launch fail; it can be started without them"`
	Cause           *diagnosis.Cause `json:"cause,omitempty" doc:"ERROR: why, and what to do, if that is known"`
	Help            *Help            `json:"help,omitempty" doc:"ERROR: what a page can offer about its cause"`
	RequestedStatus Status           `json:"requestedStatus,omitempty" enum:"TERMINATED" doc:"A stop that is under way"`
	QueuePosition   int              `json:"queuePosition,omitempty" doc:"CREATED and waiting for room: 1 is next"`
	Step            string           `json:"step,omitempty" doc:"CREATED and launched: what its launch is at, in a few words"`
	Warning         string           `json:"warning,omitempty" doc:"Sentences. RUNNING: what will end it soon, or why a kernel ended or couldn't start; in the queue: what it waits for, if not only for a place"`
	LastActivityAt  *time.Time       `json:"lastActivityAt,omitempty" doc:"When something last happened in it, to the minute"`
	StopsAt         *time.Time       `json:"stopsAt,omitempty" doc:"RUNNING: when it is stopped if nothing happens in it, to the minute"`
	KeptUntil       *time.Time       `json:"keptUntil,omitempty" doc:"Ended: until when its work is kept at least. DELETED: until when it can be undeleted"`
	SavedAt         *time.Time       `json:"savedAt,omitempty" doc:"When the last version of its work was made; absent: none yet, or its engine makes none"`
	Versions        int              `json:"versions,omitempty" doc:"How many versions of its work there are"`
	SavingStopped   string           `json:"savingStopped,omitempty" doc:"Why no versions are made at the moment: a sentence"`
	Engine          string           `json:"engine"`
	Limits          Limits           `json:"limits"`
	Profile         *SessionProfile  `json:"profile,omitempty" doc:"The size that was chosen; absent where its engine has one size alone"`
	Needs           *catalog.Needs   `json:"needs,omitempty" doc:"What its repository asks for; absent if nothing"`
	Lacks           []Lack           `json:"lacks,omitempty" enum:"memory,cpus,gpus" doc:"What of that its size doesn't have enough of"`
	Usage           *Usage           `json:"usage,omitempty" doc:"RUNNING, in the answer about one session alone: what it uses now, as far as that is known"`
	Opens           string           `json:"opens,omitempty" doc:"The file that it opens, relative to its work folder; absent until it runs, and when it opens the list of files"`
	OpenNote        string           `json:"openNote,omitempty" doc:"Why that is not the file that was wanted"`
	LeftOut         []engine.LeftOut `json:"leftOut,omitempty" doc:"What its repository asks for and its last launch didn't install"`
	CreatedAt       time.Time        `json:"createdAt"`
	UpdatedAt       time.Time        `json:"updatedAt"`
	Project         Holds            `json:"project" doc:"What the session holds"`
	Resource        *SessionResource `json:"resource,omitempty" doc:"The entry that it was started from, if not from a project"`

	accountID      string
	origin         origin
	queuedAt       time.Time // when its launch was requested
	refusedAt      time.Time // when its engine last had no room for it; zero if it never had none
	admittedAt     time.Time // when there was room for it; zero while it is queued
	step           engine.StepName
	shows          engine.Interface // its last server; "" while that isn't known
	attempts       int64            // attempts to launch it so far
	launchedAt     time.Time        // when the engine was asked for the current or the last launch; zero until then
	lastActivityAt time.Time        // to the microsecond
	keptAt         time.Time        // when its user last asked to keep it going; zero: never
	deletedAt      time.Time        // when its user deleted it; zero: they didn't
	begun          bool             // by the call that returned it
}

// gone reports whether its user, or an expiry, deleted the session: lists don't have it any longer.
func (s Session) gone() bool {
	return s.Status == Deleted || s.RequestedStatus == Deleted || s.RequestedStatus == erased
}

// undeletable reports whether the deletion of the session can be undone where its engine keeps versions.
func (s Session) undeletable() bool { return s.gone() && s.RequestedStatus != erased }

// queued reports whether a session waits for room on its engine.
func (s Session) queued() bool {
	return s.Status == Created && s.RequestedStatus == "" && s.admittedAt.IsZero()
}

// Holds is a copy of what a session was made from, taken when it was started. It outlives the project and its entries.
type Holds struct {
	ID         string `json:"id" doc:"Empty if the session was started from an entry"`
	Name       string `json:"name"`
	Repository Part   `json:"repositoryResource" doc:"Its fields are empty if the session has no repository"`
	Datasets   []Part `json:"datasetResources"`
}

// without returns a copy that skips the datasets with these ids.
func (h Holds) without(ids []string) Holds {
	h.Datasets = slices.Clone(h.Datasets)
	for i, part := range h.Datasets {
		h.Datasets[i].Skipped = part.Skipped || slices.Contains(ids, part.ID)
	}
	return h
}

// folders returns the folder of each dataset below engine.DataFolder, in the order of the datasets.
func (h Holds) folders() []string {
	var all []string
	for _, part := range h.Datasets {
		folder := catalog.DatasetFolder(part.Address)
		for name, count := folder, 2; slices.Contains(all, folder); count++ {
			folder = fmt.Sprintf("%s-%d", name, count)
		}
		all = append(all, folder)
	}
	return all
}

// missing returns the datasets with these ids that aren't skipped yet.
func (h Holds) missing(ids []string) []Part {
	return slices.DeleteFunc(slices.Clone(h.Datasets), func(part Part) bool { return part.Skipped || !slices.Contains(ids, part.ID) })
}

// SessionResource is the entry that a session was started from.
type SessionResource struct {
	ID   string       `json:"id" format:"uuid"`
	Name string       `json:"name"`
	Type catalog.Type `json:"type" enum:"REPOSITORY,NOTEBOOK,DATASET"`
}

// origin is what a session was started from besides its project.
type origin struct {
	Notebook string           `json:"notebook,omitempty"` // the notebookPath of the notebook that its work begins with
	Resource *SessionResource `json:"resource,omitempty"`
	File     string           `json:"file,omitempty"` // the file of the repository that opens; "" for the first that fits
	Ref      string           `json:"ref,omitempty"`  // a branch, tag or commit of the repository; "" for its default branch

	Profile string `json:"profile,omitempty"` // its size; "": the default one of its engine

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

// ids returns the ids of the entries that a launch of the session uses.
func (s Session) ids() []string {
	ids := []string{s.needed().ID}
	for _, part := range s.Project.Datasets {
		ids = append(ids, part.ID)
	}
	return ids
}

// Part is an entry that a session uses.
type Part struct {
	ID      string `json:"id" format:"uuid"`
	Name    string `json:"name"`
	Address string `json:"address" doc:"Its repositoryUrl or datasetUrl"`
	Skipped bool   `json:"skipped,omitempty" doc:"A dataset that the session does without, by its user's choice"`
}

// Sources finds repositories and datasets on this machine.
type Sources interface {
	// RepositoryPath returns the bare repository behind an address if it is on this machine, else "".
	RepositoryPath(address string) string
	// DatasetPath returns the file or folder behind a dataset's address; an error's message says why there is none.
	DatasetPath(address string) (string, error)
}

// spec returns what the engine is asked to start. Datasets that the owner may no longer read are unavailable.
func (s Session) spec(sources Sources, readable map[string]bool) engine.Spec {
	spec := engine.Spec{ID: s.ID, Owner: s.UserID, From: s.origin.Version}
	if address := s.Project.Repository.Address; address != "" {
		spec.Open = s.origin.File
		spec.Repository = engine.Repository{
			URL: address, LocalPath: sources.RepositoryPath(address), Folder: catalog.RepositoryFolder(address), Ref: s.origin.Ref,
		}
	}
	switch {
	case s.origin.Notebook != "":
		spec.Notebook.Name = catalog.NotebookFile(s.origin.Notebook)
	case s.Resource != nil && s.Resource.Type == catalog.Dataset:
		spec.Notebook.Name = explore.Name
	}
	folders := s.Project.folders()
	for i, part := range s.Project.Datasets {
		if part.Skipped {
			continue // the others keep their folders
		}
		dataset := engine.Dataset{ID: part.ID, Name: part.Name, Folder: folders[i]}
		var err error
		switch {
		case !readable[part.ID]:
			err = errNotShown
		case strings.HasPrefix(part.Address, "https://"):
			dataset.URL = part.Address
		default:
			dataset.Path, err = sources.DatasetPath(part.Address)
		}
		if err != nil {
			dataset.Unavailable = fmt.Sprintf("The dataset %q isn't available: %s.", part.Name, err)
		}
		spec.Datasets = append(spec.Datasets, dataset)
	}
	return spec
}

var errNotShown = errors.New("it is gone or no longer visible to you")

// launchDeadline is how long a launch may go on without progress, unless operators set another time.
const launchDeadline = 3 * time.Minute

// action is the next thing to do for a session.
type action struct {
	do     verb
	status Status // the session's status once that is done
	reason string

	missing []string       // Failed: ids of the missing datasets that caused it
	code    diagnosis.Code // Failed: the cause if it is known without the log

	corrects string // what it puts right, for those who count; may be empty
}

type verb int

const (
	rest    verb = iota // nothing to do
	launch              // ask the engine to start it
	settle              // record the status
	requeue             // put it back into the queue
	stop                // stop it on the engine, then record the status
	expire              // the same, unless one of its kernels is busy
	retire              // let the engine keep its versions alone, then record that it is deleted
	remove              // remove it from the engine, then delete its row
)

// next is the state machine: the next action for a session with this request when its engine reports this. A nil report
// means that the engine doesn't know the session. A launch may go on for the timeout without progress.
func next(session Session, report *engine.Status, timeout time.Duration, now time.Time) action {
	switch session.RequestedStatus {
	case Deleted:
		return action{do: retire}
	case erased:
		return action{do: remove}
	case Terminated:
		return action{do: stop, status: Terminated, reason: session.StatusReason} // the operators' reason, if they requested it
	}
	phase := engine.Phase("")
	reason := ""
	if report != nil {
		phase, reason = report.Phase, report.Reason
	}
	switch {
	case session.Status == Created && phase == engine.Running:
		return action{do: settle, status: Running}
	case session.queued():
		return action{}
	case session.Status == Created && phase == engine.Starting:
		if session.launchedAt.IsZero() {
			return action{do: launch, status: Created}
		}
		if now.Sub(lastProgress(session, report)) > timeout {
			return action{do: settle, status: Failed, reason: "It didn't become ready: no step made progress for " + inWords(timeout) + ".", code: diagnosis.Time, corrects: "timeout"}
		}
		return action{}
	case session.Status == Created && session.launchedAt.IsZero():
		return action{do: launch, status: Created}
	case session.Status == Created && phase == engine.Full:
		return action{do: requeue, status: Created, reason: reason}
	case session.Status.Live() && phase == engine.Ended:
		return action{do: settle, status: Finished, reason: cmp.Or(reason, "Jupyter was shut down.")}
	case session.Status.Live() && phase == engine.Failed:
		failed := action{do: settle, status: Failed, reason: cmp.Or(reason, "It failed for an unknown reason. The log may say more."), missing: report.Missing, code: report.Code}
		if failed.code == "" && len(failed.missing) > 0 {
			failed.code = diagnosis.DatasetMissing
		}
		return failed
	case session.Status.Live() && phase == "":
		return action{do: settle, status: Failed, reason: "The engine no longer knows this session. Start it again.", corrects: "lost"}
	}
	return action{}
}

// withdraw replaces the next action for the session of an account that isn't enabled: a live session is stopped, unless
// its user is already ending it.
func withdraw(session Session, what action) action {
	if !session.Status.Live() || what.do == retire || what.do == remove || what.do == stop {
		return what
	}
	return action{do: stop, status: Finished, reason: "The operators disabled this account, so the session was stopped. Its work is kept."}
}

// inWords formats a duration as people say it: "3 minutes", "90 seconds".
func inWords(length time.Duration) string {
	number, unit := length/time.Second, "second"
	if length%time.Minute == 0 {
		number, unit = length/time.Minute, "minute"
	}
	if number != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", number, unit)
}

func lastProgress(session Session, report *engine.Status) time.Time {
	if report.ProgressedAt.After(session.launchedAt) {
		return report.ProgressedAt
	}
	return session.launchedAt
}

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
