package runs

import (
	"slices"
	"testing"
	"time"
)

// A run says how its environment differs from that of the run of the same file before, wherever that one ran.
func TestRunsSayWhatChangedInTheirEnvironment(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		end := func(file, engine string, environment RunEnvironment) Run {
			t.Helper()
			w.clock.advance(time.Hour)
			run, _, err := w.store.Add(t.Context(), Run{ResourceID: w.ID("rivers"), File: file, Engine: engine, StartedBy: BySchedule}, "rivers", 0, 0)
			check(t, err)
			run.State, run.Verdict, run.Environment = Done, Clean, environment
			_, err = w.store.End(t.Context(), run, nil)
			check(t, err)
			found, err := w.service.Get(t.Context(), w.ID("rivers"), run.ID)
			check(t, err)
			return found
		}
		python := RunEnvironment{Digest: "one", Python: "3.11.2", Packages: []string{"numpy==1.26.4", "pandas==2.1.0"}}
		first := end("first.ipynb", "local", python)
		if first.Changes != nil {
			t.Errorf("the first run changed %+v", first.Changes)
		}
		if same := end("first.ipynb", "hub", python).Changes; same != nil {
			t.Errorf("the same environment on another engine changed %+v", same)
		}
		end("other.ipynb", "local", RunEnvironment{Digest: "R", Language: "R", Version: "4.2.2", Packages: []string{"glue==1.6.2"}})
		newer := RunEnvironment{Digest: "two", Python: "3.12.1", Packages: []string{"numpy==2.0.0", "scipy==1.13.0"}}
		changed := end("first.ipynb", "hub", newer).Changes
		want := []PackageChange{{"numpy", "1.26.4", "2.0.0"}, {"pandas", "2.1.0", ""}, {"Python", "3.11.2", "3.12.1"}, {"scipy", "", "1.13.0"}}
		if changed == nil || changed.Engine != "hub" || !slices.Equal(changed.Packages, want) {
			t.Errorf("the changes are %+v, want %+v", changed, want)
		}
		newer.Digest = "of another machine"
		if moved := end("first.ipynb", "local", newer).Changes; moved == nil || len(moved.Packages) != 0 || moved.Packages == nil {
			t.Errorf("the changes of a machine are %+v", moved)
		}
		for _, size := range []int{1, 10} {
			list, _, err := w.service.List(t.Context(), w.ID("rivers"), 1, size)
			if err != nil || list[0].Changes == nil || !slices.Equal(list[0].Changes.Packages, want) {
				t.Errorf("a list of %d has %+v, %v", size, list, err)
			}
		}
		w.clock.advance(time.Hour)
		if unknown := end("first.ipynb", "local", RunEnvironment{}).Changes; unknown != nil {
			t.Errorf("an unknown environment changed %+v", unknown)
		}
		if again := end("first.ipynb", "local", newer).Changes; again != nil {
			t.Errorf("the same one after an unknown one changed %+v", again)
		}
	})
}
