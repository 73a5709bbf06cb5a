// Package engine is the contract between sessions and the systems that run them. An engine brings a session's work
// folder and its Jupyter server up, reports what is true of them, and takes them down again. It knows nothing of users,
// rights, limits or names: those are the sessions slice's. Implementations live in the folders beside this file and
// pass enginetest.Run.
package engine

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Phase is what an engine sees of a session right now.
type Phase string

// The phases. A session that the engine does not know has no Status at all.
const (
	Starting Phase = "starting" // asked for; its steps tell how far it is
	Running  Phase = "running"  // Jupyter answers
	Ended    Phase = "ended"    // its processes ended by themselves or by Stop; the work is kept
	Full     Phase = "full"     // the engine had no room for the launch, so nothing was begun; Start asks again
	Failed   Phase = "failed"   // the launch or the running server failed; Reason and Log tell why; the work is kept
)

// StepName names a step of a launch, in the order in which a person reads them.
type StepName string

// The steps that engines report. "queued" belongs to the sessions slice.
const (
	StepRepository  StepName = "repository"  // the repository is copied into the work folder
	StepDatasets    StepName = "datasets"    // the datasets are put in place
	StepEnvironment StepName = "environment" // what the repository asks for is installed
	StepServer      StepName = "server"      // Jupyter starts and answers
)

// StepState is how far a step is.
type StepState string

// The states of a step.
const (
	Waiting StepState = "waiting"
	Active  StepState = "active"
	Done    StepState = "done"
	Broken  StepState = "failed"
)

// Step is one step of the launch under way, or of the last one. Steps may overlap. None is active unless the session is
// Starting: those that a failure or a stop interrupts are waiting again.
type Step struct {
	Name      StepName
	State     StepState
	StartedAt time.Time // zero while waiting
	EndedAt   time.Time // zero until done or failed
	Detail    string    // one short line for a person, such as "Receiving objects: 45 %"
}

// Spec says what a session holds. A later start of the same session may leave out datasets that its user does without; all
// else is the same at every start. Validate knows its rules.
type Spec struct {
	ID         string // the session's UUID; every runtime name is made from it alone
	Owner      string // the owner's e-mail in lower case
	Repository Repository
	Datasets   []Dataset
}

// Repository is the repository that the session works on.
type Repository struct {
	URL       string // clone address: https, or http of this server's own demo repositories
	LocalPath string // when set, a bare repository on this machine to copy from instead of dialling URL
	Folder    string // its folder below the work folder; checked with ValidFolder
}

// Dataset is put, read-only, into the folder "data" of the work folder.
type Dataset struct {
	ID          string // of its entry: what Status.Missing names it by
	Name        string // for messages
	Folder      string // its folder below work/data; checked with ValidFolder; unique in a session
	Path        string // absolute path of a file or folder on this machine; empty when URL or Unavailable is set
	URL         string // https address of a file or archive that the engine fetches; empty when Path or Unavailable is set
	Unavailable string // why it cannot be had: a sentence; the launch then fails at its datasets step with it
}

// Status is what an engine knows of one session.
type Status struct {
	ID     string
	Phase  Phase
	Steps  []Step
	Reason string // for Ended and Failed: a sentence for a person; may be empty for Ended
	// Failed: the ids of the datasets for want of which the launch failed; it can be started without them.
	Missing []string

	Log string // the end of the launch's and server's log, at most LogLimit bytes of valid UTF-8, without secrets; not in lists

	ProgressedAt time.Time // Starting: the last sign of progress, a step or a change of its Detail; zero before the first
	Warning      string    // Running: a sentence about what will end the session soon, such as a disk nearly full; or empty
	Activity     Activity  // Running: what happens in it
}

// ActiveStep is the first step that is under way, in the order in which a person reads them; "" when none is.
func (s Status) ActiveStep() StepName {
	for _, step := range s.Steps {
		if step.State == Active {
			return step.Name
		}
	}
	return ""
}

// Activity is what happens in a running session. Looking at the session from outside, as our own pages do, is none.
type Activity struct {
	LastAt      time.Time // when something last happened in it: a cell, a file, a terminal; zero when not known yet
	Busy        bool      // a kernel says that it works right now; one that says otherwise may work too: see Engine.Idle
	Connections int       // browser tabs that hold a kernel or terminal open
}

// LogLimit is the most bytes of log that a Status carries.
const LogLimit = 16 << 10

// Target is where the gateway sends the requests of a running session.
type Target struct {
	Transport     http.RoundTripper // dials the session's server
	URL           *url.URL          // scheme and host for outgoing requests; the path is kept as the client sent it
	Authorization string            // the header value that the server accepts; a secret
	Base          string            // escaped path below which all of the server lies, its last part the session's id; empty: /s/<id>/
}

// Engine runs sessions. All methods may be called at the same time from several goroutines, for the same session too.
// Errors are faults whose messages may be shown to a person. Engines keep their own durable record, so that after a
// kill -9 of the process a new engine on the same data finds every session again with its true phase.
type Engine interface {
	// Check reports whether sessions can be started here now. Unavailable names what is missing and how to mend it.
	Check(ctx context.Context) error

	// Start asks for the session to be brought to Running and returns once that wish is recorded, within a second: it
	// does not wait for clones or servers. While the session is Starting or Running it changes nothing. After Ended, Failed or
	// Full it starts again on the same work folder; a repository folder that is there is not fetched again. While a
	// Stop is under way the phase becomes Starting at once and the launch follows when the stop is done; a Stop after
	// that takes the wish back. Spec.Validate's Invalid fault refuses a spec that breaks the rules of its fields.
	Start(ctx context.Context, spec Spec) error

	// Stop ends every process of the session, launches included, keeps its work, and returns when that is confirmed or
	// when ctx ends (Unavailable; the stop goes on and Stop may be called again). Unknown and ended sessions: nil.
	// Afterwards the phase is Ended.
	Stop(ctx context.Context, id string) error

	// Remove stops the session, then deletes its work folder and every record of it. Unknown sessions: nil.
	Remove(ctx context.Context, id string) error

	// List returns the status of every session that the engine knows, in one call. Log is left empty: the list is read
	// every few seconds and at each sign of progress.
	List(ctx context.Context) ([]Status, error)

	// Status returns the status of one session; NotFound when the engine does not know it.
	Status(ctx context.Context, id string) (Status, error)

	// Changed signals, without blocking the engine, that the status of some session changed. Signals coalesce: one may
	// stand for many changes. The channel is the same at every call and is never closed.
	Changed() <-chan struct{}

	// Target returns the way to a session's server; Conflict unless it is Running (unknown sessions included).
	Target(ctx context.Context, id string) (Target, error)

	// Idle asks every kernel of a running session on the channel on which it takes cells, and reports whether all of them
	// answered before ctx ended: one that didn't is working, whatever its server says of it and also when it only waits. A
	// session without kernels is idle. Conflict unless it is Running; other errors tell why it couldn't be asked. The
	// question may show in the session's Activity.
	Idle(ctx context.Context, id string) (bool, error)

	// Archive writes the work folder as a zip file, without the datasets in work/data. Symbolic links are left out,
	// nothing outside the folder is read. NotFound when the engine does not know the session.
	Archive(ctx context.Context, id string, w io.Writer) error

	// Close lets go of everything but the sessions themselves: those go on and are found again by the next engine.
	Close() error
}
