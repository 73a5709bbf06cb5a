package progress_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"cairn/internal/workshops/progress"
)

// room is a seat and what happens at it, a second each.
type room struct {
	*progress.Seat

	now  time.Time
	runs int
}

func newRoom(notebook progress.Cells) *room {
	return &room{Seat: progress.NewSeat(notebook), now: time.Date(2026, 8, 20, 9, 0, 0, 0, time.UTC)}
}

func (r *room) say(event progress.Event) {
	r.now = r.now.Add(time.Second)
	r.Apply(event, r.now)
}

// runAt has code run to an end. A class of error is that of a failure.
func (r *room) runAt(place progress.Place, source string, end progress.Kind, class string) {
	r.runs++
	event := progress.Event{Kind: progress.Started, Request: fmt.Sprint(r.runs), Cell: place, Digest: progress.Digest(source)}
	if end != progress.Aborted {
		r.say(event)
	}
	event.Kind, event.Class = end, class
	r.say(event)
}

func (r *room) done(source string) { r.runAt(progress.Place{Index: -1}, source, progress.Done, "") }

func (r *room) failed(source, class string) {
	r.runAt(progress.Place{Index: -1}, source, progress.Failed, class)
}

func (r *room) expect(t *testing.T, when string, cell, passed int, failure string) {
	t.Helper()
	got := ""
	if r.Error != nil {
		got = fmt.Sprint(r.Error.Cell, " ", r.Error.Name)
	}
	if r.Cell != cell || r.Passed != passed || got != failure {
		t.Errorf("%s, the cell is %d, passed are %d, and the error is %q; not %d, %d, %q", when, r.Cell, r.Passed, got, cell, passed, failure)
	}
}

func TestASeatIsAsFarAsItsFurthestCell(t *testing.T) {
	t.Parallel()
	r := newRoom(notebookOf(t, "a: 0", "# text", "b: 1", "c: 2", "d: 3"))
	r.expect(t, "before", -1, 0, "")
	r.done("0")
	r.done("2") // without the one between
	r.expect(t, "after two cells", 2, 3, "")
	r.done("1")
	r.expect(t, "back again", 1, 3, "")
	r.done("0") // of a second kernel, or of one that was restarted
	r.expect(t, "from the top", 0, 3, "")
	if r.CellID != "a" || !r.Cells[1].Done || r.Cells[3] != nil {
		t.Errorf("the seat is %+v", r.Seat)
	}
}

func TestTheLastFailureIsShownUntilItsCellSucceeds(t *testing.T) {
	t.Parallel()
	r := newRoom(notebookOf(t, "a: 0", "b: 1", "c: 2", "d: 3"))
	r.done("0")
	r.failed("1", "NameError")
	r.expect(t, "failed", 1, 1, "1 NameError")
	r.done("0")
	r.expect(t, "an earlier one succeeded", 0, 1, "1 NameError")
	r.done("1")
	r.expect(t, "it succeeded", 1, 2, "")
	r.failed("1", "NameError")
	r.failed("2", "KeyError")
	r.expect(t, "another failed", 2, 2, "2 KeyError")
	r.done("3")
	r.expect(t, "a later one succeeded", 3, 4, "")
	if got := r.Cells[1]; !got.Done || got.Failed != 2 || got.Errors["NameError"] != 2 {
		t.Errorf("the cell is %+v", got)
	}
}

func TestAbortedCellsAreNoFailures(t *testing.T) {
	t.Parallel()
	r := newRoom(notebookOf(t, "a: 0", "b: 1", "c: 2", "d: 3"))
	r.done("0")
	r.failed("1", "ValueError")
	r.runAt(progress.Place{ID: "c", Index: -1}, "2", progress.Aborted, "")
	r.runAt(progress.Place{ID: "d", Index: -1}, "3", progress.Aborted, "")
	r.expect(t, "after Run All", 1, 1, "1 ValueError")
	if len(r.Cells) != 2 {
		t.Errorf("the cells are %v", r.Cells)
	}
}

func TestACellThatRunsFortyTimesCountsEachFailure(t *testing.T) {
	t.Parallel()
	r := newRoom(notebookOf(t, "a: 0"))
	for run := range 40 {
		r.failed("0", fmt.Sprint("Error", run%20))
	}
	got := r.Cells[0]
	sum := 0
	for _, count := range got.Errors {
		sum += count
	}
	if got.Failed != 40 || sum != 40 || len(got.Errors) != 8 || got.Errors["Error"] != 26 || got.Errors["Error6"] != 2 {
		t.Errorf("the cell is %+v", got)
	}
}

func TestOtherCodeIsActivityAlone(t *testing.T) {
	t.Parallel()
	r := newRoom(notebookOf(t, "a: 0", "b: 1"))
	r.done("0")
	r.Changed = false
	r.runAt(progress.Place{ID: "added", Index: 1}, "ls", progress.Failed, "NameError")
	r.expect(t, "after a cell that was added", 0, 1, "")
	if !r.Changed || !r.LastActivityAt.Equal(r.now) {
		t.Errorf("it has changed: %v, at %v", r.Changed, r.LastActivityAt)
	}
}

// Cells with the same source, without ids: an execution is one cell from its start to its end.
func TestCellsOfTheSameSourceCountInOrder(t *testing.T) {
	t.Parallel()
	r := newRoom(notebookOf(t, ": same", ": x", ": same", ": same"))
	for cell, source := range []string{"same", "x", "same"} {
		r.done(source)
		r.expect(t, source, cell, cell+1, "")
	}
	r.failed("same", "KeyError")
	r.failed("same", "KeyError") // it's the cell that failed again
	r.expect(t, "after a failure", 3, 3, "3 KeyError")
	if r.Cells[3].Failed != 2 {
		t.Errorf("the cells are %v", r.Cells)
	}
}

func TestEditedCellsFollowTheOneBefore(t *testing.T) {
	t.Parallel()
	r := newRoom(notebookOf(t, ": 0", ": 1", ": 2", ": 3"))
	r.done("edited")
	r.expect(t, "nothing is known yet", -1, 0, "")
	r.done("0")
	r.failed("edited 1", "NameError")
	r.expect(t, "the next", 1, 1, "1 NameError")
	r.done("edited 1 again") // this isn't the next cell
	r.expect(t, "again", 1, 1, "1 NameError")
	r.failed("2", "NameError")
	r.done("edited 2")
	r.expect(t, "the cell that failed", 2, 3, "")
}

func TestTheFirstCellMayBeEditedAfterItFailed(t *testing.T) {
	t.Parallel()
	r := newRoom(notebookOf(t, ": 0", ": 1"))
	r.failed("0", "ModuleNotFoundError")
	r.done("edited 0")
	r.expect(t, "edited", 0, 1, "")
}

func TestACellThatIsNamedLateIsTheOneThatCounts(t *testing.T) {
	t.Parallel()
	r := newRoom(notebookOf(t, ": 0", ": same", ": same"))
	event := progress.Event{Kind: progress.Started, Request: "r", Cell: progress.Place{Index: -1}, Digest: progress.Digest("same")}
	r.say(event)
	r.expect(t, "at the start", 1, 0, "")
	event.Kind, event.Cell.Index = progress.Done, 2
	r.say(event)
	r.expect(t, "at the end", 2, 3, "")
}

// Two kernels: the cell that was started last stays the last when another one ends.
func TestTwoKernelsAtOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(notebookOf(t, "a: 0", "b: 1", "c: 2"))
	event := func(kind progress.Kind, request, id string) progress.Event {
		return progress.Event{Kind: kind, Request: request, Cell: progress.Place{ID: id, Index: -1}}
	}
	r.say(event(progress.Started, "one", "a"))
	r.say(event(progress.Started, "two", "c"))
	r.say(event(progress.Done, "two", "c"))
	r.say(event(progress.Done, "one", "a"))
	r.expect(t, "after both", 2, 3, "")
	if !r.Cells[0].Done || !r.Cells[2].Done {
		t.Errorf("the cells are %v", r.Cells)
	}
}

// A kernel that ends says no more of what it was executing.
func TestExecutionsWithoutAnEndAreForgotten(t *testing.T) {
	t.Parallel()
	r := newRoom(notebookOf(t, "a: 0"))
	for run := range 100 {
		r.say(progress.Event{Kind: progress.Started, Request: fmt.Sprint("lost ", run), Cell: progress.Place{ID: "a", Index: -1}})
	}
	r.done("0")
	r.expect(t, "after all", 0, 1, "")
}

func TestASeatGoesOnFromWhatIsStored(t *testing.T) {
	t.Parallel()
	notebook := notebookOf(t, "a: 0", "b: 1", "c: 2")
	r := newRoom(notebook)
	empty := encoded(r.Seat)
	r.done("0")
	r.failed("1", "KeyError")
	stored := encoded(r.Seat)
	if want := `{"cell":1,"cellId":"b","passed":1,"error":{"cell":1,"name":"KeyError"},"lastActivityAt":"2026-08-20T09:00:04Z",` +
		`"cells":{"0":{"done":true},"1":{"failed":1,"errors":{"KeyError":1}}},"matched":true}`; string(stored) != want || string(empty) != `{"cell":-1,"passed":0}` {
		t.Errorf("stored is %s, and of a new seat %s", stored, empty)
	}
	again := newRoom(notebook)
	if err := json.Unmarshal(stored, again.Seat); err != nil || again.Changed {
		t.Fatal(err, again.Changed)
	}
	again.expect(t, "read again", 1, 1, "1 KeyError")
	// The rest of an execution that had begun before.
	again.say(progress.Event{Kind: progress.Done, Request: "before", Cell: progress.Place{ID: "b", Index: -1}})
	again.expect(t, "going on", 1, 2, "")
}

// What passes between a page and a kernel becomes the state of a seat.
func TestFromBytesToASeat(t *testing.T) {
	t.Parallel()
	for name, w := range wires {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(notebookOf(t, "a: x = 1", "# text", "b: y", "c: z"))
			l := newLine(w)
			l.tap = progress.NewTap(w.subprotocol, r.say)
			l.page(request("r1", "x = 1", ""))
			l.run("r1", "x = 1")
			l.page(request("r2", "edited", ""))
			l.page(cell("", "r2", 2))
			l.kernel(input("r2", "edited"))
			l.kernel(failure("r2", "ERROR", "Error in library(zzz): there is no package called ‘zzz’\n"))
			l.kernel(reply("r2", "error", nil))
			r.expect(t, name, 1, 1, "1 no package")
		})
	}
}

func TestHintsSayWhoCanDoWhat(t *testing.T) {
	t.Parallel()
	if got := progress.Hint("ValueError", 13, 23, 60); got != "Cell 14 failed for 23 of 60 (ValueError): try it from the top in a new session." {
		t.Error(got)
	}
	general := progress.Hint("", 0, 1, 1)
	seen := map[string]string{}
	for class, same := range map[string]string{
		"ModuleNotFoundError": "package", "no package": "package", "NameError": "name", "UndefVarError": "name", "object not found": "name",
		"could not find function": "name", "FileNotFoundError": "file", "cannot open file": "file", "ConnectionError": "network", "URLError": "network",
		"cannot open URL": "network", "MemoryError": "memory", "cannot allocate memory": "memory", "SyntaxError": "syntax", "unexpected symbol": "syntax",
		"KeyboardInterrupt": "stopped",
	} {
		got := progress.Hint(class, 0, 1, 1)[len("Cell 1 failed for 1 of 1 (")+len(class):]
		if before, known := seen[same]; known && before != got || got == general[len("Cell 1 failed for 1 of 1 ("):] {
			t.Errorf("the hint for %s is %q, and %q for others of its kind", class, got, before)
		}
		seen[same] = got
	}
	if len(seen) != 7 {
		t.Errorf("the hints are %q", seen)
	}
}
