package viewing

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"

	"cairn/internal/sessions/machine/broker"
)

// applied is what a page does with a change.
func applied(t *testing.T, before map[string]any, change Change) map[string]any {
	t.Helper()
	after := maps.Clone(before)
	set := func(into map[string]any, fields map[string]json.RawMessage) {
		for name, text := range fields {
			var value any
			if err := json.Unmarshal(text, &value); err != nil {
				t.Fatal(err)
			}
			into[name] = value
		}
	}
	after["number"] = float64(change.Number)
	set(after, change.Fields)
	if change.Notebook == nil {
		return after
	}
	notebook := map[string]any{}
	old, _ := before["notebook"].(map[string]any)
	maps.Copy(notebook, old)
	set(notebook, change.Notebook.Fields)
	cells := make([]any, change.Notebook.Count)
	known, _ := old["cells"].([]any)
	copy(cells, known)
	for at, text := range change.Notebook.Cells {
		if err := json.Unmarshal(text, &cells[at]); err != nil {
			t.Fatal(err)
		}
	}
	notebook["cells"] = cells
	after["notebook"] = notebook
	return after
}

func decoded(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var value map[string]any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// Whatever changes, the changes lead from each view to the next.
func TestChangesLeadFromViewToView(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	view := View{SessionName: "Session", Notebook: &broker.LookedAt{Path: "a.ipynb", Cells: []broker.LookCell{}}}
	before, err := write(view)
	if err != nil {
		t.Fatal(err)
	}
	page := decoded(t, before.whole)
	wholes := 0
	for round := range 3000 {
		view.Number = round + 1
		switch notebook := view.Notebook; random.IntN(8) {
		case 0:
			view.Files = append([]broker.LookFile{}, broker.LookFile{Path: fmt.Sprint(round)})
		case 1:
			view.Note = fmt.Sprint(random.IntN(3))
		case 2:
			if random.IntN(10) == 0 {
				view.Notebook = nil
			}
		case 3:
			if notebook == nil || random.IntN(10) == 0 {
				view.Notebook = &broker.LookedAt{Path: fmt.Sprint(random.IntN(3), ".ipynb"), Cells: []broker.LookCell{{ID: "new"}}}
			}
		default:
			if notebook == nil {
				break
			}
			cells := append([]broker.LookCell{}, notebook.Cells...)
			at := random.IntN(len(cells) + 1)
			switch {
			case random.IntN(3) == 0 && at < len(cells):
				cells = append(cells[:at], cells[at+1:]...)
			case random.IntN(2) == 0:
				cells = append(cells[:at], append([]broker.LookCell{{ID: fmt.Sprint(round)}}, cells[at:]...)...)
			case at < len(cells):
				cells[at].Source = fmt.Sprint(round)
			}
			view.Notebook = &broker.LookedAt{Path: notebook.Path, IsBusy: random.IntN(2) == 0, Cells: cells}
		}
		now, err := write(view)
		if err != nil {
			t.Fatal(err)
		}
		change, whole, same := now.changeFrom(before, view.Number)
		want := decoded(t, now.whole)
		switch {
		case whole:
			wholes++
			page = want
		case same:
			page["number"] = want["number"]
		default:
			page = applied(t, page, change)
		}
		if !reflect.DeepEqual(page, want) {
			t.Fatalf("round %d: the page has\n%v, want\n%v", round, page, want)
		}
		before = now
	}
	if wholes == 0 || wholes > 1000 {
		t.Errorf("%d views were sent whole", wholes)
	}
}

// Somebody who is behind gets the changes that they lack, or all of it.
func TestThoseBehindCatchUp(t *testing.T) {
	t.Parallel()
	room := &room{}
	for number := 1; number <= 10; number++ {
		room.add(number, written{whole: fmt.Appendf(nil, `"view %d"`, number)}, Change{Number: number}, number != 1 && number != 8)
	}
	for have, want := range map[int]int{0: 1, 5: 1, 6: 1, 7: 1, 8: 2, 9: 1, 10: 0} {
		events, last := room.since(have)
		if len(events) != want || last != 10 {
			t.Errorf("whoever has %d gets %d events, up to %d", have, len(events), last)
		}
		if have < 8 && string(events[0]) != "event: view\ndata: \"view 10\"\n\n" {
			t.Errorf("whoever has %d gets %s", have, events[0])
		}
	}
}
