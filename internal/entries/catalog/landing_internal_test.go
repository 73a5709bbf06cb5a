package catalog

import "testing"

func TestTheExampleIsANotebookIfOneRuns(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	answer := func(id string, kind Type, runnable *bool) Resource {
		return Resource{EntryJSON: EntryJSON{ID: id, Type: kind}, Runnable: runnable}
	}
	entries := []Resource{
		answer("1", Notebook, &no), answer("2", Dataset, &yes), answer("3", Notebook, &yes), answer("4", Notebook, nil),
	}
	for want, among := range map[string][]Resource{"3": entries, "2": entries[:2], "": entries[:1]} {
		if got := exampleOf(among); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
