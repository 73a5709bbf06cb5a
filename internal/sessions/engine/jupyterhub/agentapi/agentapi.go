// Package agentapi is what a server and the agent beside a hub say to each other: the paths of the agent's calls, their bodies,
// and the errors. The hub's hook, which is in Python, makes one of the calls: POST prepare.
//
// All bodies are JSON but archives, files and exports. Both sides ignore fields that they don't know, so an agent and a server
// of neighboring releases understand each other as long as Protocol is the same.
package agentapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// Protocol changes when a server and an agent of different releases can no longer talk.
const Protocol = 1

// Path is where a hub's proxy serves the agent. Hubs of earlier releases have a service of the same name, which answers "" with an
// empty body and knows GET and DELETE of a session alone.
const Path = "/services/cairn-work/"

// About is the answer to GET "".
type About struct {
	Protocol int    `json:"protocol"`
	Release  string `json:"release"` // of the program

	Packages bool `json:"packages"` // sessions get the packages that repositories ask for
	R        bool `json:"r"`        // those of R too
	Runs     bool `json:"runs"`     // it runs batch sessions
	Private  bool `json:"private"`  // it asks for the clones of private repositories, which agents before take for public ones
}

// States is the answer to GET states?epoch=&after=, which waits up to PollTime for a change.
type States struct {
	Epoch    string           `json:"epoch"` // another one after each start of the agent: then all sessions are in the answer
	Last     int64            `json:"last"`  // the number of the last change, to ask for those after it
	Sessions map[string]State `json:"sessions"`
	Gone     []string         `json:"gone"` // those that were removed

	Kernels []engine.Kernel `json:"kernels"` // that sessions have; none where the agent can't know them, as those of an image
}

// PollTime is how long the agent waits for a change before it answers without one.
const PollTime = 20 * time.Second

// StateHeader is the header of answers to calls that change a session: a Told of its state afterwards.
const StateHeader = "Cairn-State"

// Told is the state of one session.
type Told struct {
	Session string `json:"session"`
	Epoch   string `json:"epoch"`
	State   State  `json:"state"`
}

// State is what the agent knows of a session.
type State struct {
	Number int64        `json:"number"` // of the change
	Owner  string       `json:"owner"`
	Phase  engine.Phase `json:"phase"`  // starting, running or ended
	Launch int64        `json:"launch"` // the number of the last launch
	Batch  bool         `json:"batch"`  // a program runs notebooks in it; GET runs has the rest
	Saving Saving       `json:"saving"`

	// Wants is the number of the launch that waits for the clone of its private repository, which a server sends with
	// PUT {session}/clone?launch=, packed by bareclone; 0: none does.
	Wants int64 `json:"wants,omitempty"`
}

// Saving is engine.Saving; names of files are bytes, which JSON has as base64.
type Saving struct {
	At       time.Time  `json:"at"`
	Versions int        `json:"versions"`
	Stopped  string     `json:"stopped"`
	Retired  bool       `json:"retired"`
	Restored []Restored `json:"restored"`
}

// Restored is engine.RestoredPath.
type Restored struct {
	Path []byte    `json:"path"`
	At   time.Time `json:"at"`
}

// SavingOf returns how a state is sent.
func SavingOf(one engine.Saving) Saving {
	sent := Saving{At: one.At, Versions: one.Versions, Stopped: one.Stopped, Retired: one.Retired}
	for _, restored := range one.Restored {
		sent.Restored = append(sent.Restored, Restored{[]byte(restored.Path), restored.At})
	}
	return sent
}

// Engine returns what was sent.
func (s Saving) Engine() engine.Saving {
	found := engine.Saving{At: s.At, Versions: s.Versions, Stopped: s.Stopped, Retired: s.Retired}
	for _, restored := range s.Restored {
		found.Restored = append(found.Restored, engine.RestoredPath{Path: string(restored.Path), At: restored.At})
	}
	return found
}

// Phase is the body of PUT {session}/phase, by which a server says what became of a session. Ended makes the last version and
// answers when it is made, or can't be.
type Phase struct {
	Owner  string              `json:"owner"`
	Phase  engine.Phase        `json:"phase"`
	Launch int64               `json:"launch"`          // whose phase it is: one that is older than the last that was prepared changes nothing
	Cause  engine.VersionCause `json:"cause,omitempty"` // of Ended
}

// Owner is the body of PUT {session}/owner.
type Owner struct {
	Owner string `json:"owner"`
}

// Versions is the answer to GET {session}/versions?path=&offset=&most=; path is base64url.
type Versions struct {
	Versions []engine.Version `json:"versions"`
	Total    int              `json:"total"`
}

// Name is the body of POST {session}/versions, which answers engine.Version.
type Name struct {
	Name string `json:"name"`
}

// File is one of the answer to GET {session}/versions/{version}/files?path=.
type File struct {
	Name     []byte    `json:"name"`
	Folder   bool      `json:"folder"`
	Link     bool      `json:"link"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
}

// The headers of the answer to GET {session}/versions/{version}/content?path=, which understands Range. Version "now" is the present state.
const (
	BytesHeader    = "Cairn-Bytes"
	ModifiedHeader = "Cairn-Modified" // RFC 3339 with nanoseconds
	DigestHeader   = "Cairn-Digest"
)

// Now stands for the present state in the place of a version.
const Now = "now"

// OwnerHeader is the header of PUT {session}/work, whose body is an export: whose work it is.
const OwnerHeader = "Cairn-Owner"

// Limit is the body of PUT history.
type Limit struct {
	Owner string `json:"owner"`
	Bytes int64  `json:"bytes"`
}

// Histories is the answer to GET backup. GET backup/histories/{owner} is a tar file of the files in that folder, and
// GET backup/records/{session} the record of a session as another hub may have it.
type Histories struct {
	Folder string   `json:"folder"` // on the hub's machine
	Bytes  int64    `json:"bytes"`
	Owners []string `json:"owners"` // names of folders in it
}

// Restore is the body of POST {session}/restore, which answers Written.
type Restore struct {
	Version string `json:"version"`
	Path    []byte `json:"path"`
	InPlace bool   `json:"inPlace"`
}

// Written is the path that was written.
type Written struct {
	Path []byte `json:"path"`
}

// Problem is the body of an answer that isn't a success.
type Problem struct {
	Code     fault.Code `json:"code"`
	Message  string     `json:"message"`
	Location string     `json:"location,omitempty"` // of the field that is invalid
}

// ProblemOf returns how an error is sent.
func ProblemOf(err error) Problem {
	problem := Problem{Code: fault.CodeOf(err), Message: fault.MessageOf(err)}
	if found, ok := errors.AsType[*fault.Fault](err); ok && len(found.Fields) == 1 {
		problem.Location = found.Fields[0].Location
	}
	return problem
}

// Fault returns the error that was sent.
func (p Problem) Fault() error {
	if p.Location != "" {
		found := fault.InvalidField(p.Location, "%s", p.Message)
		found.Code = p.Code
		return found
	}
	return fault.New(p.Code, "%s", p.Message)
}

// ReadProblem returns the error in an answer.
func ReadProblem(response *http.Response) error {
	var problem Problem
	if err := json.NewDecoder(http.MaxBytesReader(nil, response.Body, 64<<10)).Decode(&problem); err != nil || problem.Code == "" {
		return fault.Wrap(errors.New(response.Status), fault.Unavailable, "The hub's agent isn't responding (%d). Sessions and their work are kept: try again in a while.", response.StatusCode)
	}
	return problem.Fault()
}

// Run is the body of POST runs/{session}/start.
type Run struct {
	Catalog  string      `json:"catalog"` // which catalog starts it: GET runs?catalog= returns those of one
	Spec     engine.Spec `json:"spec"`    // without datasets
	Notebook []byte      `json:"notebook,omitempty"`
	Datasets []Dataset   `json:"datasets"`
}

// Head is the answer to POST runs/head.
type Head struct {
	Commit string `json:"commit"`
}

// Idle is the answer to GET runs/{session}/idle.
type Idle struct {
	Idle bool `json:"idle"`
}

// Open is the body of POST {session}/open, which puts a notebook into the work, unless something has its name, and answers Opens.
type Open struct {
	Repository  Repository `json:"repository"`
	File        string     `json:"file"`              // the file of the repository that opens; "": the first that fits
	Notebook    string     `json:"notebook"`          // its name; "": none
	Content     []byte     `json:"content,omitempty"` // of the notebook; none: it was put there before
	Descriptors []string   `json:"descriptors"`       // names of the file in a repository that may name a file to open
}

// Opens is the file that a session opens, as engine.Status has it.
type Opens struct {
	File string `json:"file"`
	Note string `json:"note"`
}

// Prepare is the body of POST {session}/prepare, by which the hub's hook has a session made ready for its server.
type Prepare struct {
	Permit   Permit `json:"permit"`
	Limits   Limits `json:"limits"`   // what the hub's operators and the permit come to
	Installs string `json:"installs"` // Here, InPod, or "" where packages aren't installed
}

// Where the packages of a session are installed.
const (
	Here  = "here"
	InPod = "pod" // by the session's own pod: it's told what to install
)

// Permit says what a session may use, signed for the hub's hook: that server of that user, for some minutes. The hook passes it on
// to the agent.
type Permit struct {
	Session    string     `json:"session"`
	Owner      string     `json:"owner"` // the hub's user whose server it is
	Launch     int64      `json:"launch"`
	Until      int64      `json:"until"`      // seconds since 1970
	Repository Repository `json:"repository"` // zero: none
	Datasets   []Dataset  `json:"datasets"`
	Limits     Limits     `json:"limits"`
	Profile    *Profile   `json:"profile,omitempty"`
	Files      []string   `json:"files"` // of the repository, whose texts hooks of earlier releases report

	// Checkout takes the place of Repository where a ref is wanted: hooks that know no refs refuse such a launch, and don't
	// copy the default branch instead.
	Checkout *Repository `json:"checkout,omitempty"`

	// Environment asks for what the repository asks for. Hooks of earlier releases ask back which packages that is.
	Environment bool `json:"environment,omitempty"`

	Descriptors []string `json:"descriptors"` // names of the file in a repository that may list packages

	// Person is whose work it is; "" for nobody's, and in permits of earlier releases.
	Person string `json:"person,omitempty"`

	// Batch is set if a program runs notebooks in it. Hooks of earlier releases are never asked for that.
	Batch *Batch `json:"batch,omitempty"`

	// What the session has beside Jupyter, of which hooks of earlier releases know nothing.
	VSCode  string `json:"vscode,omitempty"`  // the path of a code-server where sessions run
	Gallery bool   `json:"gallery,omitempty"` // of its extensions
	SSH     bool   `json:"ssh,omitempty"`

	// From is the version of another session on this hub that the work of the first launch is made from.
	From *engine.FromVersion `json:"from,omitempty"`

	// What the session opens and the notebook that it gets aren't the hook's business: the server sees to them once
	// Jupyter answers. They are here so that a session without a record can be recovered from its server.
	Open     string `json:"open,omitempty"`
	Notebook string `json:"notebook,omitempty"` // its name
}

// Batch is engine.Batch.
type Batch struct {
	Network bool `json:"network"`
}

// Limits are the session's limits; zero: the hub's operators decide.
type Limits struct {
	Memory    int64   `json:"memory,omitempty"`    // bytes
	CPU       float64 `json:"cpu,omitempty"`       // processors
	Disk      int64   `json:"disk,omitempty"`      // bytes of its files, including home
	Processes int     `json:"processes,omitempty"` // and threads; the hook adds it
}

// Profile is what the hook needs to know of a size besides its limits.
type Profile struct {
	Name  string `json:"name"`
	GPUs  int    `json:"gpus,omitempty"`
	Image string `json:"image,omitempty"`
}

// Repository is the repository that is copied.
type Repository struct {
	URL    string `json:"url"`
	Folder string `json:"folder"`
	Ref    string `json:"ref,omitempty"`

	// Private has the agent copy it from what a server sends, and nothing connect to the URL.
	Private bool `json:"private,omitempty"`
}

// Dataset is shown read-only.
type Dataset struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Folder      string `json:"folder"`
	Path        string `json:"path,omitempty"` // below the data root
	URL         string `json:"url,omitempty"`
	Unavailable string `json:"unavailable,omitempty"`

	Files []engine.RemoteFile `json:"files,omitempty"` // which the agent fetches
	Key   string              `json:"key,omitempty"`   // under which it keeps them
}

// WorkOwner returns whose work it is; "" for nobody's. Users of the hub that have no address aren't persons.
func (p Permit) WorkOwner() string {
	if p.Person == "" && strings.Contains(p.Owner, "@") {
		return p.Owner
	}
	return p.Person
}

// Wanted returns the repository that is copied, with or without a ref; the zero value for none.
func (p Permit) Wanted() Repository {
	if p.Checkout != nil {
		return *p.Checkout
	}
	return p.Repository
}

// Event is one line of the answer to POST {session}/prepare. Its last line has Done or Failed.
type Event struct {
	Step   engine.StepName  `json:"step,omitempty"`
	State  engine.StepState `json:"state,omitempty"`
	Detail string           `json:"detail,omitempty"`
	Log    string           `json:"log,omitempty"` // a line of the launch's log
	Done   *Prepared        `json:"done,omitempty"`
	Failed *Failure         `json:"failed,omitempty"`
}

// Prepared is what the server of a session needs.
type Prepared struct {
	Account int     `json:"account"` // that the session's files belong to; 0: that of the agent
	Commit  string  `json:"commit"`  // that was checked out
	Mounts  []Mount `json:"mounts"`

	Environment map[string]string `json:"environment"` // variables of the server
	Front       []string          `json:"front"`       // words before the server's command
	Arguments   []string          `json:"arguments"`   // and after it and those of the hub
	Packages    []string          `json:"packages"`    // InPod: lines for pip
	LeftOut     []engine.LeftOut  `json:"leftOut"`     // what the repository asks for and the session doesn't have; InPod: besides what pip finds out
}

// Mount shows a path of the hub's machine to the session, read-only.
type Mount struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Failure is why a launch can't go on.
type Failure struct {
	Reason  string         `json:"reason"`
	Code    diagnosis.Code `json:"code"`
	Missing []string       `json:"missing"` // ids of datasets
}
