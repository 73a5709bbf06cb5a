// Package jobs is what goes on without its user: the execution of the rest of a notebook in its living session, and of a whole notebook,
// with other values, in a session of its own. The session does the work, so servers may be killed meanwhile; this room records who
// asked for it and what came of it.
//
// The package may import sessions, sizes, the contract of engines and the front of their sessions.
package jobs

import (
	"encoding/json"
	"time"

	"cairn/internal/sessions/machine/broker"
)

// State is what a job is doing.
type State string

// The states.
const (
	Queued   State = "QUEUED"
	Running  State = "RUNNING"
	Done     State = "DONE"
	Failed   State = "FAILED"
	Canceled State = "CANCELED"
)

// The kinds of jobs.
const (
	FinishKind = "finish" // executes the rest of a notebook in its session
	OwnKind    = "job"    // executes a whole notebook in a session of its own
)

// Job is what goes on, or went on, without its user.
type Job struct {
	ID               string                     `json:"id" format:"uuid"`
	Name             string                     `json:"name" doc:"As its user called it, or the name of the file"`
	Kind             string                     `json:"kind" enum:"finish,job" doc:"finish: the rest of a notebook is executed in its session. job: a whole notebook in a session of its own"`
	Resource         string                     `json:"resource,omitempty" doc:"The id of the entry whose notebook it is"`
	Project          string                     `json:"project,omitempty" doc:"Or of the project"`
	From             *FromSession               `json:"fromSession,omitempty" doc:"Or the session"`
	Session          string                     `json:"session" doc:"The id of the session in which it happens; empty before that is started. It may be gone"`
	File             string                     `json:"file" doc:"finish: the notebook's path in the session. job: in the repository, empty until it's known which one opens"`
	Ref              string                     `json:"ref,omitempty" doc:"The branch, tag or commit that was asked for"`
	Parameters       map[string]json.RawMessage `json:"parameters,omitempty" doc:"The values that were given"`
	State            State                      `json:"state" enum:"QUEUED,RUNNING,DONE,FAILED,CANCELED"`
	Code             string                     `json:"code,omitempty" doc:"FAILED: why: cell_failed, asked_for_input, kernel_died, deadline, not_saved, interrupted (its session ended, or lost it), session_failed, no_notebook, no_kernel, parameters, or the code of a refusal, such as not_found"`
	Reason           string                     `json:"reason,omitempty" doc:"FAILED: why, in a sentence. QUEUED: what it waits for"`
	Beside           string                     `json:"beside,omitempty" doc:"The file that has the outputs, because the notebook was changed meanwhile"`
	Cells            Cells                      `json:"cells"`
	AskedAt          time.Time                  `json:"askedAt"`
	StartedAt        *time.Time                 `json:"startedAt,omitempty"`
	EndedAt          *time.Time                 `json:"endedAt,omitempty"`
	DeletedAt        *time.Time                 `json:"deletedAt,omitempty" doc:"When it was deleted; it can be undeleted for a while"`
	Seconds          float64                    `json:"seconds" doc:"How long it has taken so far, or took"`
	ExpectedSeconds  float64                    `json:"expectedSeconds,omitempty" doc:"How long this file took its user the last time; absent: never before"`
	ProcessorSeconds float64                    `json:"processorSeconds,omitempty" doc:"The processor time of everything in its session meanwhile"`
	PeakMemoryBytes  int64                      `json:"peakMemoryBytes,omitempty" doc:"The most memory that its session used; absent if it wasn't measured"`
	ScheduleID       string                     `json:"scheduleId,omitempty" format:"uuid" doc:"The schedule that it is of"`
	Previous         string                     `json:"previous,omitempty" format:"uuid" doc:"The job before it on the same file, with which its outputs can be compared"`

	accountID string
	request   string // what the session was asked, in JSON; "" before it is ready for that
	asked     Asked
	target    string // equal for jobs on the same file of the same thing; "" until the file is known
	key       string
	digest    string // of what was sent with the key
	dueAt     time.Time
	cancelBy  time.Time // zero: its owner hasn't canceled it
}

// Cells counts cells with code.
type Cells struct {
	Total    int  `json:"total"`
	Done     int  `json:"done"`
	FailedAt *int `json:"failedAt,omitempty" doc:"The index of the cell at which it ended, among all cells, from 0"`
}

// live reports whether the job hasn't ended.
func (j Job) live() bool { return j.State == Queued || j.State == Running }

// handed returns what the job's session was asked; the zero value before that.
func (j Job) handed() (asked broker.FinishRequest) {
	if j.request != "" {
		_ = json.Unmarshal([]byte(j.request), &asked) // it was written here
	}
	return asked
}

// where returns the path of the job's notebook in its session; "" before that is known.
func (j Job) where() string { return j.handed().File }

// JobPage is a page of jobs.
type JobPage struct {
	Content       []Job `json:"content"`
	TotalElements int   `json:"totalElements"`
	Number        int   `json:"number"`
	Size          int   `json:"size"`
}

// Asked says which notebook is executed, and how.
type Asked struct {
	Name       string                     `json:"name,omitempty" maxLength:"200" doc:"What the job is called; absent: the name of the file, or of what it belongs to"`
	ResourceID string                     `json:"resourceId,omitempty" doc:"An entry"`
	ProjectID  string                     `json:"projectId,omitempty" doc:"Or a project"`
	From       *FromSession               `json:"fromSession,omitempty" doc:"Or a notebook of one of the caller's sessions: now as it is, and on a schedule as its newest version has it"`
	File       string                     `json:"file,omitempty" maxLength:"1000" doc:"A notebook's path in the repository; absent: the file that a session opens"`
	Ref        string                     `json:"ref,omitempty" maxLength:"250" doc:"A branch, tag or commit; absent: the default branch, as it is when the job starts"`
	Parameters map[string]json.RawMessage `json:"parameters,omitempty" doc:"Values of the notebook's parameters, by name; one that isn't given keeps its default"`
	Profile    string                     `json:"profile,omitempty" maxLength:"100" doc:"A size that its engine offers"`
	Engine     string                     `json:"engine,omitempty" maxLength:"100" doc:"The name of a configured engine"`
	Deadline   string                     `json:"deadline,omitempty" maxLength:"40" doc:"How long its cells may take, such as 2h30m" example:"2h"`
}

// FromSession names a notebook of a session.
type FromSession struct {
	Session string `json:"session" doc:"The session's id"`
	Path    string `json:"path" maxLength:"1000" doc:"The notebook's path in it"`
}
