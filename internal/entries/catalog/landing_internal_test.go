package catalog

import "testing"

func TestTheExampleIsTheEntryThatShowsBestWhatARunIs(t *testing.T) {
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
	ran := func(one Resource, verdict RunVerdict, seconds float64) Resource {
		one.LastRun = &LastRun{Verdict: verdict, Seconds: seconds}
		return one
	}
	slow := ran(answer("slow", Notebook, &yes), RunClean, 50)
	fast := ran(answer("fast", Repository, &yes), RunClean, 2)
	failed := ran(answer("failed", Notebook, &yes), RunFailed, 1)
	featured := answer("featured", Repository, &yes)
	featured.Featured = true
	dataset := answer("dataset", Dataset, &no)
	dataset.Featured = true
	for want, among := range map[string][]Resource{
		"fast": {failed, dataset, slow, fast}, "slow": {failed, slow}, "featured": {fast, featured}, "failed": {failed, dataset},
	} {
		if got := exampleOf(among); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
