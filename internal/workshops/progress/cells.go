package progress

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The bounds of a notebook whose cells are followed.
const (
	cellsLimit    = 2000     // cells with code
	notebookLimit = 64 << 20 // bytes
)

// cellIDLimit is how long the id of a cell is at most, in bytes; the format allows 64 characters.
const cellIDLimit = 100

// The reasons for which ReadCells can't follow a notebook.
var (
	ErrUnreadable = errors.New("the file isn't a notebook of the formats 3 or 4")
	ErrTooLarge   = fmt.Errorf("the notebook has more than %d cells with code, or more than %d MiB", cellsLimit, notebookLimit>>20)
)

// Cells are the cells with code of a notebook as it was handed out, without their source.
type Cells struct {
	Code []Cell `json:"code"` // in the order of the notebook; an index of a code cell is one of this list
	All  int    `json:"all"`  // how many cells the notebook has, those with text too
}

// Cell is one cell with code.
type Cell struct {
	ID     string `json:"id,omitempty"` // as the notebook's file has it; "": the file has none
	Digest string `json:"digest"`       // of the source, as Digest returns it
	All    int    `json:"all"`          // the index of the cell among all cells
}

// Place is what a page says about where code comes from.
type Place struct {
	ID    string `json:"id,omitempty"` // of the cell; "": it has none, or the page doesn't say
	Index int    `json:"index"`        // of the cell among all cells of the page's notebook; -1: the page doesn't say
	Of    int    `json:"of,omitempty"` // how many cells the page's notebook has; 0: the page doesn't say
}

// Digest returns 16 hexadecimal digits that stand for a source. Sources that differ in the kind of their line ends alone, or in white
// space at their end, have the same.
func Digest(source string) string {
	source = strings.TrimRight(strings.ReplaceAll(source, "\r\n", "\n"), " \t\r\n")
	sum := sha256.Sum256([]byte(source))
	return hex.EncodeToString(sum[:8])
}

// storedCell is a cell in a notebook's file.
type storedCell struct {
	Type   string          `json:"cell_type"`
	ID     json.RawMessage `json:"id"`
	Source json.RawMessage `json:"source"`
	Input  json.RawMessage `json:"input"` // the source in format 3
}

// ReadCells returns the cells with code of a notebook's file, of the format 3 or 4. Its errors are ErrUnreadable and ErrTooLarge.
func ReadCells(notebook []byte) (Cells, error) {
	if len(notebook) > notebookLimit {
		return Cells{}, ErrTooLarge
	}
	var stored struct {
		Cells      []storedCell `json:"cells"`
		Worksheets []struct {
			Cells []storedCell `json:"cells"`
		} `json:"worksheets"` // format 3
	}
	if err := json.Unmarshal(notebook, &stored); err != nil {
		return Cells{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	all := stored.Cells
	for _, sheet := range stored.Worksheets {
		all = append(all, sheet.Cells...)
	}
	if all == nil {
		return Cells{}, ErrUnreadable
	}
	cells := Cells{Code: []Cell{}, All: len(all)}
	for index, one := range all {
		if one.Type != "code" {
			continue
		}
		if len(cells.Code) == cellsLimit {
			return Cells{}, ErrTooLarge
		}
		source := one.Source
		if source == nil {
			source = one.Input
		}
		id, _ := textOf(one.ID)
		cells.Code = append(cells.Code, Cell{ID: boundedID(id), Digest: Digest(linesOf(source)), All: index})
	}
	return cells, nil
}

// linesOf returns a text that a notebook stores whole or as a list of lines.
func linesOf(value json.RawMessage) string {
	if text, ok := textOf(value); ok {
		return text
	}
	var lines []string
	_ = json.Unmarshal(value, &lines) // something else is no source
	return strings.Join(lines, "")
}

// boundedID returns an id of a cell, or "" for one that is too long to be kept.
func boundedID(id string) string {
	if len(id) > cellIDLimit {
		return ""
	}
	return id
}

// Find returns the index among the code cells of the one that an execution is of. after is the code cell of the execution just before;
// -1: that isn't known. It finds the cell with the id of the place; else one with the digest, the nearest to the index of the place, or
// to what comes after the last; else the one at the index of the place; else the one that follows. A cell with an id that the notebook
// doesn't have, while its other cells have ids, was added by the participant: only the digest counts then.
func (c Cells) Find(place Place, digest string, after int) (index int, ok bool) {
	index = c.match(place, digest, after)
	if index < 0 && after >= 0 {
		index = c.guess(place, after)
	}
	return index, index >= 0
}

// match returns the index that the id, the digest or the index tell; -1: they don't.
func (c Cells) match(place Place, digest string, after int) int {
	if place.ID != "" {
		if index := slices.IndexFunc(c.Code, func(one Cell) bool { return one.ID == place.ID }); index >= 0 {
			return index
		}
	}
	if index := c.nearest(place, digest, after); index >= 0 {
		return index
	}
	if place.Index < 0 || c.isAdded(place) || place.Of > 0 && place.Of != c.All {
		return -1
	}
	return slices.IndexFunc(c.Code, func(one Cell) bool { return one.All == place.Index })
}

// nearest returns the index of the cell with a digest; -1: there is none.
func (c Cells) nearest(place Place, digest string, after int) int {
	found, least := -1, 0
	for index, one := range c.Code {
		if digest == "" || one.Digest != digest {
			continue
		}
		distance := index - after
		switch {
		case place.Index >= 0:
			distance = max(one.All-place.Index, place.Index-one.All)
		case distance <= 0: // behind everything that is still to come
			distance = len(c.Code) - distance
		}
		if found < 0 || distance < least {
			found, least = index, distance
		}
	}
	return found
}

// guess returns the index of the cell that follows another, -1 for the first; -1: there is none, or the place is of a cell that was added.
func (c Cells) guess(place Place, after int) int {
	if after+1 >= len(c.Code) || c.isAdded(place) {
		return -1
	}
	return after + 1
}

// isAdded reports whether a place that has none of the notebook's ids is of a cell that the participant has added. Cells keep their ids
// when they are edited, but JupyterLab makes up ids for a notebook without.
func (c Cells) isAdded(place Place) bool {
	return place.ID != "" && slices.ContainsFunc(c.Code, func(one Cell) bool { return one.ID != "" })
}
