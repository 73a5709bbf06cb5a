package progress

import (
	"slices"
	"time"
)

// The bounds of what a seat keeps.
const (
	classesKept = 8  // classes of errors of a cell
	runningKept = 16 // executions that have begun
)

// Seat is how far one participant is in a notebook. Its JSON is what can be stored; to go on from that, read it into what NewSeat returns.
// It isn't safe for use by several goroutines.
type Seat struct {
	Cell           int                `json:"cell"`                    // the code cell that was started last, by its index; -1: none was
	CellID         string             `json:"cellId,omitempty"`        // its id; "": it has none
	Passed         int                `json:"passed"`                  // the index of the furthest code cell that was done, plus one; 0: none was
	Error          *CellError         `json:"error,omitempty"`         // the last failure, until that cell or a later one is done; nil: there is none
	LastActivityAt time.Time          `json:"lastActivityAt,omitzero"` // when something was executed last, of this notebook or not
	Cells          map[int]*CellState `json:"cells,omitempty"`         // by the index of the code cell; those that were never done and never failed aren't in it

	Changed bool `json:"-"` // set by Apply, for whoever stores the seat and unsets it then

	notebook Cells
	Matched  bool        `json:"matched,omitempty"` // the cell of the last execution is certain
	Running  []execution `json:"running,omitempty"` // in the order in which they began
}

// CellError is a failure of a code cell.
type CellError struct {
	Cell int    `json:"cell"` // by its index
	Name string `json:"name"` // its class, as Class returns it
}

// CellState is what has become of a code cell at a seat.
type CellState struct {
	Done   bool           `json:"done,omitempty"`   // it succeeded once
	Failed int            `json:"failed,omitempty"` // how often it failed; whether it ever did is whether that's more than 0
	Errors map[string]int `json:"errors,omitempty"` // how often with which class; at most 8, so that the rest is counted as "Error"
}

// execution is one that has begun at a seat.
type execution struct {
	Request string `json:"request"`
	Place   Place  `json:"place"`
	Digest  string `json:"digest"`
	After   int    `json:"after"`             // the code cell before the one that was expected
	Follows bool   `json:"follows,omitempty"` // the execution before it has a certain cell
	Cell    int    `json:"cell"`              // its code cell; -1: not known
}

// NewSeat returns the seat of somebody who has begun with a notebook.
func NewSeat(notebook Cells) *Seat {
	return &Seat{Cell: -1, notebook: notebook}
}

// Apply changes the seat as an event says. An execution of no known cell is activity, and nothing more.
func (s *Seat) Apply(event Event, now time.Time) {
	s.LastActivityAt, s.Changed = now, true
	switch event.Kind {
	case Started:
		s.start(event)
	case Done:
		if cell := s.end(event); cell >= 0 {
			s.state(cell).Done = true
			s.Passed = max(s.Passed, cell+1)
			if s.Error != nil && cell >= s.Error.Cell {
				s.Error = nil
			}
		}
	case Failed:
		if cell := s.end(event); cell >= 0 {
			s.state(cell).fail(event.Class)
			s.Error = &CellError{Cell: cell, Name: event.Class}
		}
	case Aborted:
		s.Running = slices.DeleteFunc(s.Running, func(one execution) bool { return one.Request == event.Request })
	}
}

// start notes an execution, and where it is.
func (s *Seat) start(event Event) {
	after := s.Cell
	if s.Error != nil && s.Error.Cell == s.Cell {
		after-- // people try the cell that failed again
	}
	begun := execution{Request: event.Request, Place: event.Cell, Digest: event.Digest, After: after, Follows: s.Matched}
	if len(s.Running) == runningKept {
		s.Running = slices.Delete(s.Running, 0, 1)
	}
	s.Running = append(s.Running, begun)
	s.locate(&s.Running[len(s.Running)-1])
}

// end forgets an execution, and returns its code cell; -1: that isn't known. The page may have named it after the start.
func (s *Seat) end(event Event) (cell int) {
	isIt := func(one execution) bool { return one.Request == event.Request }
	at := slices.IndexFunc(s.Running, isIt)
	if at < 0 {
		s.start(event)
		at = len(s.Running) - 1
	}
	one := &s.Running[at]
	if one.Place != event.Cell {
		one.Place = event.Cell
		s.locate(one)
	}
	cell = one.Cell
	s.Running = slices.DeleteFunc(s.Running, isIt)
	return cell
}

// locate finds the code cell of an execution, and makes it the seat's if the execution is the last that began. A cell that is only likely
// makes no other likely: code that is changed and run ten times isn't the next ten cells.
func (s *Seat) locate(one *execution) {
	one.Cell = s.notebook.match(one.Place, one.Digest, one.After)
	matched := one.Cell >= 0
	if !matched && one.Follows {
		one.Cell = s.notebook.guess(one.Place, one.After)
	}
	if one != &s.Running[len(s.Running)-1] {
		return
	}
	s.Matched = matched
	if one.Cell >= 0 {
		s.Cell, s.CellID = one.Cell, s.notebook.Code[one.Cell].ID
	}
}

// state returns what has become of a code cell, to be changed.
func (s *Seat) state(cell int) *CellState {
	if s.Cells == nil {
		s.Cells = map[int]*CellState{}
	}
	if s.Cells[cell] == nil {
		s.Cells[cell] = &CellState{}
	}
	return s.Cells[cell]
}

// fail counts a failure.
func (c *CellState) fail(class string) {
	if c.Errors == nil {
		c.Errors = map[string]int{}
	}
	if c.Errors[class] == 0 && len(c.Errors) >= classesKept-1 {
		class = unknownClass
	}
	c.Failed++
	c.Errors[class]++
}
