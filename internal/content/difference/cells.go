package difference

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"cairn/internal/content/comparator"
	"cairn/internal/content/nbformat"
	"cairn/internal/foundation/fault"

	"znkr.io/diff"
)

// NotebookCell is a cell of a notebook.
type NotebookCell struct {
	ID          string                  `json:"id" doc:"Empty in notebooks before format 4.5"`
	Kind        string                  `json:"kind" enum:"code,markdown,raw"`
	Op          Op                      `json:"op" enum:"same,added,removed,changed"`
	Before      string                  `json:"before" doc:"Its text in the first state; empty if it was added"`
	After       string                  `json:"after" doc:"Its text in the second state; empty if it was removed"`
	Lines       []TextLine              `json:"lines,omitempty" doc:"Of a changed one: how the text differs"`
	Uncompared  bool                    `json:"uncompared,omitempty" doc:"Of a changed one: its text is too different to be compared line by line, so there are no lines"`
	Outputs     Op                      `json:"outputs" enum:"same,changed" doc:"Of a changed one: whether its outputs differ"`
	Verdict     comparator.Verdict      `json:"verdict,omitempty" enum:"IDENTICAL,WITHIN_TOLERANCE,LOOKS_THE_SAME,DIFFERENT,NOT_RUN,NOTHING_TO_COMPARE" doc:"How much outputs of the same text differ. IDENTICAL: only in times, addresses and ids"`
	Differences []comparator.Difference `json:"differences,omitempty" doc:"Of such outputs; author is the first state, and run the second"`
}

// Limits of notebooks.
const (
	NotebookBytes = 32 << 20 // of one state
	notebookCells = 5_000
	sourceBytes   = 100_000
	sourceLines   = 1_000

	comparedLines = 50_000 // of all changed cells together, in one state
)

// cell is a cell as it is compared.
type cell struct {
	NotebookCell

	source  string
	outputs []byte // its JSON without white space
	place   int    // among all cells
}

// Notebook compares two states of a notebook, until the context ends; an empty one has no cells. TooLarge over 32 MiB or 5,000
// cells, Invalid if one isn't a notebook. Of cells with too many lines it says only that they differ.
func Notebook(ctx context.Context, before, after []byte) (FileDifference, error) {
	left, err := cells(before)
	if err != nil {
		return FileDifference{}, err
	}
	right, err := cells(after)
	if err != nil {
		return FileDifference{}, err
	}
	verdicts, err := judge(ctx, before, after)
	if err != nil {
		return FileDifference{}, err
	}
	rest := room{shown: shownLines, compared: comparedLines}
	result := FileDifference{Cells: []NotebookCell{}}
	for _, pair := range align(left, right) {
		if err := ctx.Err(); err != nil {
			return FileDifference{}, err
		}
		result.Cells = append(result.Cells, pair.compare(verdicts, &rest, &result.Cut))
	}
	return result, nil
}

// room is how many lines of a notebook may still be shown and compared, of all cells together.
type room struct{ shown, compared int }

func cells(source []byte) ([]cell, error) {
	if len(source) > NotebookBytes {
		return nil, fault.New(fault.TooLarge, "The notebook has more than 32 MiB, so it can't be compared cell by cell. Download both states instead.")
	}
	if len(source) == 0 {
		return nil, nil
	}
	file, err := nbformat.Read(source)
	if err != nil {
		return nil, err
	}
	if len(file.Cells) > notebookCells {
		return nil, fault.New(fault.TooLarge, "The notebook has more than 5,000 cells, so it can't be compared cell by cell. Download both states instead.")
	}
	all := make([]cell, len(file.Cells))
	for i, raw := range file.Cells {
		var read struct {
			ID      string          `json:"id"`
			Kind    string          `json:"cell_type"`
			Source  nbformat.Text   `json:"source"`
			Input   nbformat.Text   `json:"input"` // in format 3
			Outputs json.RawMessage `json:"outputs"`
		}
		if err := json.Unmarshal(raw, &read); err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "Cell %d of the notebook can't be read, so the notebook can't be compared. Download both states instead.", i+1)
		}
		one := cell{source: cmp.Or(string(read.Source), string(read.Input)), place: i}
		one.ID, one.Kind = read.ID, read.Kind
		if one.Kind != "code" && one.Kind != "raw" {
			one.Kind = "markdown" // and the headings of format 3
		}
		if outputs := (&bytes.Buffer{}); len(read.Outputs) > 0 && json.Compact(outputs, read.Outputs) == nil && outputs.String() != "null" {
			one.outputs = outputs.Bytes()
		}
		all[i] = one
	}
	return all, nil
}

// judge returns what the comparator says of the outputs of cells with the same text, by their places in both states.
func judge(ctx context.Context, before, after []byte) (map[[2]int]comparator.Cell, error) {
	if len(before) == 0 || len(after) == 0 {
		return nil, nil
	}
	left, err := comparator.Read(before)
	if err != nil {
		return nil, err
	}
	right, err := comparator.Read(after)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := map[[2]int]comparator.Cell{}
	for _, one := range comparator.Compare(left, right, nil).Cells {
		found[[2]int{one.Author, one.Run}] = one
	}
	return found, nil
}

// pair is a cell in both states, or in one of them.
type pair struct{ before, after *cell }

// align pairs the cells of two states: by their ids if all have one of their own, else by their texts, and what was put in
// the place of something else counts as changed.
func align(before, after []cell) (pairs []pair) {
	byID := haveIDs(before) && haveIDs(after)
	x, y := 0, 0
	var removed, added []*cell
	flush := func() {
		both := 0
		if !byID {
			both = min(len(removed), len(added))
		}
		for i := range both {
			pairs = append(pairs, pair{removed[i], added[i]})
		}
		for _, one := range removed[both:] {
			pairs = append(pairs, pair{before: one})
		}
		for _, one := range added[both:] {
			pairs = append(pairs, pair{after: one})
		}
		removed, added = nil, nil
	}
	for _, edit := range diff.Edits(keys(before, byID), keys(after, byID)) {
		switch edit.Op {
		case diff.Match:
			flush()
			pairs = append(pairs, pair{&before[x], &after[y]})
			x, y = x+1, y+1
		case diff.Delete:
			removed = append(removed, &before[x])
			x++
		case diff.Insert:
			added = append(added, &after[y])
			y++
		}
	}
	flush()
	return pairs
}

// haveIDs reports whether each cell has an id of its own.
func haveIDs(all []cell) bool {
	seen := make(map[string]bool, len(all))
	return !slices.ContainsFunc(all, func(one cell) bool {
		known := seen[one.ID] || one.ID == ""
		seen[one.ID] = true
		return known
	})
}

func keys(all []cell, byID bool) []string {
	found := make([]string, len(all))
	for i, one := range all {
		if found[i] = one.ID; !byID {
			sum := sha256.Sum256([]byte(one.Kind + "\n" + one.source))
			found[i] = string(sum[:])
		}
	}
	return found
}

// compare says how the two states differ, with the room that is left.
func (p pair) compare(verdicts map[[2]int]comparator.Cell, rest *room, cut *bool) NotebookCell {
	switch {
	case p.after == nil:
		found := p.before.NotebookCell
		found.Op, found.Before, found.Outputs = Removed, cutAt(p.before.source, sourceBytes), Same
		return found
	case p.before == nil:
		found := p.after.NotebookCell
		found.Op, found.After, found.Outputs = Added, cutAt(p.after.source, sourceBytes), Same
		return found
	}
	found := p.after.NotebookCell
	found.Op, found.Outputs = Same, Same
	found.Before, found.After = cutAt(p.before.source, sourceBytes), cutAt(p.after.source, sourceBytes)
	if p.before.source != p.after.source || p.before.Kind != p.after.Kind {
		found.Op = Changed
		p.compareLines(&found, rest, cut)
	}
	if bytes.Equal(p.before.outputs, p.after.outputs) {
		return found
	}
	verdict, judged := verdicts[[2]int{p.before.place, p.after.place}]
	if judged && verdict.Verdict == comparator.Identical && len(verdict.Notes) == 0 && len(verdict.Differences) == 0 {
		return found // only the numbers of the executions differ
	}
	found.Op, found.Outputs = Changed, Changed
	if judged {
		found.Verdict, found.Differences = verdict.Verdict, verdict.Differences
	}
	return found
}

// compareLines says which lines of a cell differ, unless they are too many.
func (p pair) compareLines(found *NotebookCell, rest *room, cut *bool) {
	count := 1 + max(strings.Count(p.before.source, "\n"), strings.Count(p.after.source, "\n"))
	if count > rest.compared {
		found.Uncompared = true
		return
	}
	rest.compared -= count
	var more bool
	found.Lines, more = compare(strings.Split(p.before.source, "\n"), strings.Split(p.after.source, "\n"), min(rest.shown, sourceLines))
	rest.shown -= len(found.Lines)
	*cut = *cut || more
}
