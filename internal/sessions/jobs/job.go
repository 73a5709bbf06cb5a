// Package jobs is what goes on without its user: the execution of the rest of a notebook in its living session. The session does the work,
// so servers may be killed meanwhile; this room records who asked for it and what came of it.
//
// The package may import sessions, sizes, the contract of engines and the front of their sessions.
package jobs

import "time"

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

// FinishKind is the kind of a job that executes the rest of a notebook in its session.
const FinishKind = "finish"

// Job is what goes on, or went on, without its user.
type Job struct {
	ID              string     `json:"id" format:"uuid"`
	Name            string     `json:"name" doc:"Of the file"`
	Kind            string     `json:"kind" enum:"finish" doc:"finish: the rest of a notebook is executed in its session"`
	Session         string     `json:"session" format:"uuid" doc:"The id of the session; it may be gone"`
	File            string     `json:"file" doc:"The notebook's path in the session"`
	State           State      `json:"state" enum:"QUEUED,RUNNING,DONE,FAILED,CANCELED"`
	Code            string     `json:"code,omitempty" enum:"cell_failed,asked_for_input,kernel_died,deadline,not_saved,interrupted" doc:"FAILED: why. interrupted: its session ended"`
	Reason          string     `json:"reason,omitempty" doc:"FAILED: why, in a sentence"`
	Beside          string     `json:"beside,omitempty" doc:"The file that has the outputs, because the notebook was changed meanwhile"`
	Cells           Cells      `json:"cells"`
	AskedAt         time.Time  `json:"askedAt"`
	StartedAt       *time.Time `json:"startedAt,omitempty"`
	EndedAt         *time.Time `json:"endedAt,omitempty"`
	Seconds         float64    `json:"seconds" doc:"How long it has taken so far, or took"`
	ExpectedSeconds float64    `json:"expectedSeconds,omitempty" doc:"How long this file took its user the last time; absent: never before"`

	accountID string
	request   string
}

// Cells counts cells with code.
type Cells struct {
	Total    int  `json:"total"`
	Done     int  `json:"done"`
	FailedAt *int `json:"failedAt,omitempty" doc:"The index of the cell at which it ended, among all cells, from 0"`
}

// live reports whether the job hasn't ended.
func (j Job) live() bool { return j.State == Queued || j.State == Running }

// JobPage is a page of jobs.
type JobPage struct {
	Content       []Job `json:"content"`
	TotalElements int   `json:"totalElements"`
	Number        int   `json:"number"`
	Size          int   `json:"size"`
}
