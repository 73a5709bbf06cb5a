// Package engine is the contract between sessions and the systems that run them. An engine starts a session's work
// folder and Jupyter server, reports their state, and stops them. It knows nothing about users, rights, quotas or
// names: those belong to the sessions slice. Implementations are in the folders beside this file and pass
// enginetest.Run.
package engine

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"cairn/internal/sessions/diagnosis"
)

// Phase is the state of a session on its engine.
type Phase string

// The phases. A session that the engine doesn't know has no Status at all.
const (
	Starting Phase = "starting" // requested; its steps show the progress
	Running  Phase = "running"  // Jupyter answers
	Ended    Phase = "ended"    // its processes ended on their own or by Stop; the work is kept
	Full     Phase = "full"     // the engine had no room for the launch, so nothing was started; call Start again; Reason may say why
	Failed   Phase = "failed"   // the launch or the running server failed; Reason and Log say why; the work is kept
)

// StepName names a step of a launch. Steps are listed in the order in which people read them.
type StepName string

// The steps that engines report. "queued" belongs to the sessions slice.
const (
	StepRepository  StepName = "repository"  // copies the repository into the work folder
	StepDatasets    StepName = "datasets"    // puts the datasets in place
	StepEnvironment StepName = "environment" // installs what the repository asks for
	StepServer      StepName = "server"      // starts Jupyter until it answers
)

// StepState is the state of a step.
type StepState string

// The states of a step.
const (
	Waiting StepState = "waiting"
	Active  StepState = "active"
	Done    StepState = "done"
	Broken  StepState = "failed"
)

// Step is one step of the current or the last launch. Steps may overlap. None is active unless the session is Starting:
// steps interrupted by a failure or a stop are waiting again.
type Step struct {
	Name      StepName
	State     StepState
	StartedAt time.Time // zero while waiting
	EndedAt   time.Time // zero until done or failed
	Detail    string    // one short line for people, such as "Receiving objects: 45 %"
}

// Spec says what a session contains. A later start of the same session may leave out datasets that its user goes
// without, and its profile may have other limits meanwhile; everything else is the same at every start. Validate checks it.
type Spec struct {
	ID         string     // the session's UUID; every runtime name is derived from it alone
	Owner      string     // the owner's e-mail in lower case; empty: nobody yet, which only engines of this machine are asked for
	Repository Repository // the zero value: none
	Datasets   []Dataset
	Notebook   Notebook // beside the repository or instead of it; the zero value: none
	Open       string   // the file of the repository that opens, as a path in it; empty: the first that fits

	// The catalog itself ships what opens, so Jupyter needn't distrust the outputs in it at the first launch. Engines that
	// can't tell Jupyter ignore it.
	Trusted bool `json:",omitempty"`

	Profile Profile `json:",omitzero"` // the size that was chosen; the zero value: the engine's own limits

	// From is the version that the work of the first launch is made from, of another session of the same owner, instead of
	// copying the repository; only Versioners know versions. nil: none.
	From *FromVersion `json:",omitempty"`

	// Attempt numbers the calls of Start for a session. Servers that share an engine may be late: a call whose number isn't above
	// the last one changes nothing. 0: not numbered.
	Attempt int64 `json:",omitempty"`

	NoNetwork bool `json:",omitempty"` // it reaches nothing, where the engine can enforce that, whatever other sessions reach

	// Clone gets the repository if that is Private, or kept by this server: then an engine elsewhere may use it, because it can't read what not
	// everybody can. It isn't stored with the rest.
	Clone Cloner `json:"-"`

	Batch *Batch `json:",omitempty"` // a program runs notebooks in it, which only a Runner is asked for; nil: a person works in it
}

// IsLateAfter reports whether a call of Start with this specification comes too late after the last one that was carried out.
func (s Spec) IsLateAfter(last Spec) bool { return s.Attempt != 0 && s.Attempt <= last.Attempt }

// Batch is what a session gets in which a program runs notebooks. Nobody owns it, nothing of a person is in it, and it has
// no terminal. Its kernels start with the same variables at every launch, in an empty home folder, and get what sessions of
// people leave of the processors.
type Batch struct {
	Network bool // it reaches what sessions reach; else nothing, where the engine can enforce that
}

// FromVersion names a version of another session.
type FromVersion struct {
	Session string `json:"session"` // its id
	Version string `json:"version"` // the id of one of its versions

	// Engine is the name of the engine that has the version, if that is another one: then the work is imported before the first launch,
	// and the session's engine never sees this field.
	Engine string `json:"engine,omitempty" hidden:"true"`
}

// Notebook is a file that a session gets at its first launch. It belongs to the session's user from then on, so a later
// launch neither changes it nor brings it back.
type Notebook struct {
	Name    string // in the work folder; checked with ValidNotebook
	Content []byte `json:"-"` // of a first launch
}

// Repository is the repository that the session works on.
type Repository struct {
	URL       string // clone address: https, or http of this server's own demo repositories
	LocalPath string // if set, a bare repository on this machine to copy from instead of connecting to URL
	Folder    string // its folder below the work folder; checked with ValidFolder
	Ref       string // a branch, tag or commit; checked with CheckRef; empty: the default branch
	Private   bool   `json:",omitempty"` // not everybody can read it: it is copied from what Spec.Clone makes, and nothing of the session connects to URL
}

// Cloner makes a bare clone of a session's repository in an empty folder of this machine, which only this server reads, and returns its path.
// What it makes says nothing of how it was read. NotFound or NotConnected if the session's owner can't read the repository.
type Cloner func(ctx context.Context, folder string) (path string, err error)

// Dataset is mounted or copied read-only into the folder "data" of the work folder. It has one of Path, URL, Files and Unavailable, or a Path
// and the Files that engines on other machines fetch instead.
type Dataset struct {
	ID          string // of its entry; Status.Missing identifies it by this
	Name        string // for messages
	Folder      string // its folder below work/data; checked with ValidFolder; unique in a session
	Path        string // absolute path of a file or folder on this machine
	URL         string // https address of a file or archive that the engine fetches
	Unavailable string // why it isn't available: a sentence; the launch then fails at its datasets step with it

	// Files are those of an archive's record, or a packed one of this server's, that the engine fetches. They are kept under the Key, because
	// what has it never changes, and what an engine has kept it uses even if the dataset is Unavailable, as while the archive doesn't answer.
	Files []RemoteFile `json:",omitempty"`
	Key   string       `json:",omitempty"` // such as doi:10.5281/zenodo.1; only with Files or Unavailable
}

// MostFiles is how many files of an archive's record a dataset may have: their list travels to hubs with every launch.
const MostFiles = 1000

// RemoteFile is a file of a dataset that is fetched.
type RemoteFile struct {
	Path   string `json:"path"`             // in the dataset, with slashes
	URL    string `json:"url"`              // https, or http on a loopback address, where the stand-ins of tests are
	Bytes  int64  `json:"bytes"`            // -1 if that isn't known
	Token  string `json:"token,omitempty"`  // that its server wants to see, good for this launch; "": none
	Digest string `json:"digest,omitempty"` // of what URL has, as in md5:d41d8cd98f00b204e9800998ecf8427e, or sha1, sha256 or sha512; "": only the size is checked
}

// Status is an engine's report on one session.
type Status struct {
	ID      string
	Phase   Phase
	Steps   []Step
	Reason  string    // for Ended, Full and Failed: a sentence for people; may be empty for the first two
	LeftOut []LeftOut // what the repository asks for and the current or last launch didn't install, as far as it is known
	// Failed: the ids of the missing datasets that caused it; the session can be started without them.
	Missing []string
	Code    diagnosis.Code // Failed: the cause where the engine knows it; empty where only the log may tell

	Log string // the end of the launch's and server's log, at most LogLimit bytes of valid UTF-8, without secrets; not in lists

	// Since the first launch that came to Running: the file that the session opens, as a path in the work folder, with a
	// slash at the end for a folder; empty for the list of files. OpenNote is a sentence about why that isn't the file
	// that was wanted, or empty.
	Opens     string
	OpenNote  string
	Interface Interface // likewise: the pages that its server shows

	Saving Saving // of a Versioner: what is known of its versions

	Batch   bool   // it was started with Spec.Batch
	Unowned bool   // of a Versioner: nobody owns it, so it has no versions; see Versioner.Own
	Commit  string // full id of the commit that was checked out from the repository; empty where the engine doesn't know it

	ProgressedAt time.Time // Starting: the last progress, a step or a change of its Detail; zero before the first
	Launch       int64     // counts the session's launches, for LaunchStopper; 0 in engines that are none
	Warning      string    // Running: sentences about what will end the session soon, such as a disk nearly full, or ended a kernel; or empty
	Activity     Activity  // Running: its activity
}

// ActiveStep returns the first active step, in the order of the list; "" when there is none.
func (s Status) ActiveStep() StepName {
	for _, step := range s.Steps {
		if step.State == Active {
			return step.Name
		}
	}
	return ""
}

// Activity describes what happens in a running session. Viewing the session from outside, as our own pages do, doesn't
// count.
type Activity struct {
	LastAt      time.Time // when something last happened in it: a cell, a file, a terminal; zero while unknown
	Busy        bool      // a kernel reports that it is busy; one that reports otherwise may be busy too: see Engine.Idle
	Connections int       // browser tabs with an open kernel or terminal
}

// Usage is what a running session uses now; zero where that isn't known.
type Usage struct {
	MemoryBytes int64
	// The most memory since the launch began. Unlike MemoryBytes it may contain copies of files, which the kernel drops when
	// it needs the room, and what the launch itself took.
	PeakMemoryBytes int64
	DiskBytes       int64   // of its files, without the datasets
	CPUs            float64 // how many processors it kept busy between the last two looks, which are seconds apart
	Warning         string  // Status.Warning, as it is now
}

// LogLimit is the maximum size of the log in a Status, in bytes.
const LogLimit = 16 << 10

// Target says where the gateway sends the requests of a running session.
type Target struct {
	Transport     http.RoundTripper // dials the session's server
	URL           *url.URL          // scheme and host for outgoing requests; the path is kept as the client sent it
	Authorization string            // the header value that the server accepts; a secret
	Base          string            // escaped path that begins all paths of the server, SessionOf knows its last part; empty: /s/<id>/
}

// Headers between the catalog and the servers of sessions, as far as these know them.
const (
	// WhoHeader says in requests who makes them: the same text for the same person, and nothing else about them.
	WhoHeader = "X-Cairn-Who"
	// KeptHeader is in the answer to whoever saves over what somebody else has saved since: the escaped path of the copy that has it.
	KeptHeader = "X-Cairn-Kept"
)

// Engine runs sessions. All methods may be called concurrently, also for the same session. Errors are faults whose
// messages may be shown to people. Engines keep their own durable record: after a kill -9 of the process, a new engine
// on the same data finds every session again in its true phase.
type Engine interface {
	// Check reports whether sessions can be started here now. Unavailable says what is missing and how to fix it.
	Check(ctx context.Context) error

	// Start requests that the session be brought to Running and returns once the request is recorded, within a second:
	// it doesn't wait for clones or servers. While the session is Starting or Running, it changes nothing. After Ended,
	// Failed or Full, it starts the session again on the same work folder; an existing repository folder isn't fetched
	// again. While a Stop is in progress, the phase becomes Starting at once and the launch follows when the stop is
	// done; another Stop cancels the request. A spec that breaks the rules of its fields is refused with
	// Spec.Validate's Invalid fault.
	Start(ctx context.Context, spec Spec) error

	// Stop ends every process of the session, including launches, keeps its work, and returns when that is confirmed or
	// when ctx ends (Unavailable; the stop continues, and Stop may be called again). Unknown and ended sessions: nil.
	// Afterwards the phase is Ended.
	Stop(ctx context.Context, id string) error

	// Remove stops the session, then deletes its work folder and every record of it. Unknown sessions: nil.
	Remove(ctx context.Context, id string) error

	// List returns the status of every session that the engine knows, in one call. Log is empty: the list is read every
	// few seconds and after every progress.
	List(ctx context.Context) ([]Status, error)

	// Status returns the status of one session; NotFound when the engine doesn't know it.
	Status(ctx context.Context, id string) (Status, error)

	// Changed signals, without blocking the engine, that the status of some session changed. Signals coalesce: one may
	// represent many changes. The channel is the same at every call and is never closed.
	Changed() <-chan struct{}

	// Target returns how to reach a session's server; Conflict unless it is Running (unknown sessions included).
	Target(ctx context.Context, id string) (Target, error)

	// Idle asks every kernel of a running session on the channel that takes cells, and reports whether all of them
	// answered before ctx ended. A kernel that didn't is busy, whatever its server says, even if it only waits. A
	// session without kernels is idle. Conflict unless the session is Running; other errors say why it couldn't be
	// asked. The question may show in the session's Activity.
	Idle(ctx context.Context, id string) (bool, error)

	// Archive writes the work folder as a zip file, without the datasets in work/data. Symbolic links are left out;
	// nothing outside the folder is read. NotFound when the engine doesn't know the session.
	Archive(ctx context.Context, id string, w io.Writer) error

	// Close releases everything except the sessions themselves: they keep running, and the next engine finds them
	// again.
	Close() error
}
