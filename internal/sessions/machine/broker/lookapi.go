package broker

import "time"

// LookPath is where the server of a session says what it shows now: GET, with the query notebook, the path of a notebook relative to the
// work folder ("": the one in which somebody worked last), and the query have, the Revision that the asker has of the answer to the same
// question. It is answered with a Look, or with 304 if nothing has changed since.
const LookPath = "cairn/look"

// Look is what a session shows to people who may only see it.
type Look struct {
	Revision  string         `json:"revision"`  // another one after every change
	Notebooks []LookNotebook `json:"notebooks"` // that have a kernel; the one in which somebody worked last is the first
	Files     []LookFile     `json:"files"`     // of the work folder, by path; without hidden ones, links and what is in the datasets
	MoreFiles bool           `json:"moreFiles"` // there are more than Files has
	Notebook  *LookedAt      `json:"notebook"`  // nil: it isn't there, or isn't a notebook
}

// LookNotebook is a notebook with a kernel.
type LookNotebook struct {
	Path     string    `json:"path"` // relative to the work folder, as all paths here
	Busy     bool      `json:"busy"`
	WorkedAt time.Time `json:"workedAt"` // when something was executed in it, or it was saved or opened, last
}

// LookFile is a file or a folder.
type LookFile struct {
	Path       string    `json:"path"`
	IsFolder   bool      `json:"isFolder"`
	Bytes      int64     `json:"bytes"` // of a folder: 0
	ModifiedAt time.Time `json:"modifiedAt"`
}

// LookedAt is what a notebook shows, with everything that was executed since its file was saved.
type LookedAt struct {
	Path     string     `json:"path"`
	Language string     `json:"language"` // as the notebook names it, such as "python"; "": it doesn't
	IsBusy   bool       `json:"isBusy"`
	Cells    []LookCell `json:"cells"`
	Cut      bool       `json:"cut"` // something of it is too large, or too much, to be shown
}

// LookCell is what a cell shows.
type LookCell struct {
	ID      string           `json:"id"`   // "": it has none
	Kind    string           `json:"kind"` // code, markdown or raw
	Source  string           `json:"source"`
	Count   *int             `json:"count"`   // of code: the number of its execution; nil: there is none
	State   string           `json:"state"`   // of code: one of those below
	Outputs []map[string]any `json:"outputs"` // as notebooks store them, with each text in one piece
}

// The states of a LookCell.
const (
	LookUnknown = ""        // nothing is known but what is in the file
	LookWaiting = "waiting" // behind others
	LookRunning = "running"
	LookInput   = "input" // it waits until somebody types something
	LookOK      = "ok"
	LookError   = "error"
	LookAborted = "aborted" // it wasn't executed, because one before it had failed
	LookLost    = "lost"    // the kernel ended before it had
)
