package viewing

import (
	"bytes"
	"encoding/json"
	"maps"

	"cairn/internal/sessions"
	"cairn/internal/sessions/machine/broker"
)

// View is what a session shows.
type View struct {
	Number      int                   `json:"number" doc:"It rises with every change"`
	SessionName string                `json:"sessionName"`
	Holds       string                `json:"holds" doc:"The name of the project or entry that it was started from"`
	Status      sessions.Status       `json:"status" enum:"CREATED,RUNNING,FINISHED,TERMINATED,ERROR"`
	Note        string                `json:"note" doc:"A sentence about why nothing is shown, or nothing new; or empty"`
	Present     []sessions.Visit      `json:"present" nullable:"false" doc:"Who is there, its owner too"`
	Notebooks   []broker.LookNotebook `json:"notebooks" nullable:"false" doc:"That have a kernel, the one in which somebody worked last first"`
	Files       []broker.LookFile     `json:"files" nullable:"false" doc:"At most 1,000, by path"`
	MoreFiles   bool                  `json:"moreFiles"`
	Notebook    *broker.LookedAt      `json:"notebook" doc:"null: there is none"`
}

// Change is what differs from the view before: only what changed is there. Of the same notebook, these are the cells that did, by their
// places, and how many there are now.
type Change struct {
	Number   int                        `json:"number"`
	Fields   map[string]json.RawMessage `json:"fields" doc:"Of the View, each one whole"`
	Notebook *NotebookChange            `json:"notebook,omitempty"`
}

// NotebookChange is what differs in a notebook.
type NotebookChange struct {
	Fields map[string]json.RawMessage `json:"fields" doc:"Of the notebook, without its cells"`
	Count  int                        `json:"count"`
	Cells  map[int]json.RawMessage    `json:"cells"`
}

// written is a view as it is sent.
type written struct {
	fields   map[string]json.RawMessage // without the number and the notebook
	path     string                     // of the notebook; "": there is none
	notebook map[string]json.RawMessage // without the cells
	cells    []json.RawMessage
	whole    []byte
}

// write returns a view as it is sent.
func write(view View) (made written, err error) {
	if made.whole, err = marshal(view); err != nil {
		return made, err
	}
	if err = json.Unmarshal(made.whole, &made.fields); err != nil {
		return made, err
	}
	if view.Notebook != nil {
		made.path = view.Notebook.Path
		if err = json.Unmarshal(made.fields["notebook"], &made.notebook); err == nil {
			err = json.Unmarshal(made.notebook["cells"], &made.cells)
		}
		delete(made.notebook, "cells")
		delete(made.fields, "notebook") // null stays, and says that there is none
	}
	delete(made.fields, "number")
	return made, err
}

// marshal is json.Marshal that leaves the signs of HTML as they are: a page reads it as JSON, and it may be full of them.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimRight(text.Bytes(), "\n"), err
}

// changeFrom returns what differs from the view before; whole reports that it's so different that all of it has to be sent, and same that
// nothing differs.
func (w written) changeFrom(before written, number int) (change Change, whole, same bool) {
	if w.path != before.path {
		return change, true, false
	}
	change = Change{Number: number, Fields: differing(w.fields, before.fields)}
	same = len(change.Fields) == 0
	if w.path == "" {
		return change, false, same
	}
	changed := &NotebookChange{Fields: differing(w.notebook, before.notebook), Count: len(w.cells), Cells: map[int]json.RawMessage{}}
	for i, cell := range w.cells {
		if i >= len(before.cells) || !bytes.Equal(cell, before.cells[i]) {
			changed.Cells[i] = cell
		}
	}
	if len(changed.Fields) > 0 || len(changed.Cells) > 0 || len(w.cells) != len(before.cells) {
		change.Notebook, same = changed, false
	}
	return change, false, same
}

// differing returns the fields that aren't as they were.
func differing(now, before map[string]json.RawMessage) map[string]json.RawMessage {
	found := maps.Clone(now)
	maps.DeleteFunc(found, func(name string, value json.RawMessage) bool { return bytes.Equal(value, before[name]) })
	return found
}
