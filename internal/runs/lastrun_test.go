package runs

import (
	"log/slog"
	"maps"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/catalog/index"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// Each step ends a run of one of two files of an entry.
func TestEntriesShowTheWorstOfTheLatestRunsOfTheirFiles(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	sqldbtest.EachAt(t, func() time.Time { return clock }, func(t *testing.T, db *sqldb.DB) {
		w := catalogtest.New(t, db, catalogtest.Entry("code", catalogtest.Repository("https://github.com/o/code")))
		id, ctx := w.ID("code"), t.Context()
		service := NewService(NewStore(db), nil, w, Options{Logger: slog.New(slog.DiscardHandler)})
		end := func(file string, state State, verdict Verdict, reason string) string {
			clock = clock.Add(time.Hour)
			run, _, err := service.store.Add(ctx, Run{ResourceID: id, File: file, StartedBy: BySchedule}, "code", 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			run.State, run.Verdict, run.Reason, run.Commit, run.Seconds, run.PeakMemoryBytes = state, verdict, reason, "c0ffee", 41, 300_000_000
			run.Cells = RunCells{Total: 17, Ran: 14, Same: 5, Close: 1, Differs: 2, Varies: 1}
			if verdict == Needs {
				run.Needs = NeedsInternet
			}
			for range 2 { // the second time changes nothing
				if err := service.recordEnd(ctx, run, nil); err != nil {
					t.Fatal(err)
				}
				run.Verdict = Clean
			}
			return run.ID
		}
		shows := func(run, file string, verdict Verdict, reason string, found int) {
			t.Helper()
			want := catalog.LastRun{
				ID: run, File: file, Verdict: verdict, At: clock, Seconds: 41, PeakMemoryBytes: 300_000_000, Commit: "c0ffee", Reason: reason,
				Cells: catalog.LastRunCells{Total: 17, Ran: 14, Compared: 9, Differs: 2},
			}
			if verdict == Needs {
				want.Needs = NeedsInternet
			}
			got := w.Entry("", id).LastRun
			if got == nil {
				t.Fatal("it shows no run")
			}
			if want.At = got.At; *got != want {
				t.Errorf("it shows %+v, want %+v", *got, want)
			}
			if page := w.Find("", catalog.Query{Runs: []index.Outcome{index.OutcomeClean}}); page.Total != found {
				t.Errorf("with %s, %d ran clean", verdict, page.Total)
			}
		}
		if w.Entry("", id).LastRun != nil {
			t.Error("it shows a run before the first")
		}
		first := end("a.ipynb", Done, Clean, "")
		shows(first, "a.ipynb", Clean, "", 1)
		second := end("b.ipynb", Done, Fails, "The module nest is missing.")
		shows(second, "b.ipynb", Fails, "The module nest is missing.", 0)
		end("b.ipynb", Stopped, "", "It was stopped.")
		shows(second, "b.ipynb", Fails, "The module nest is missing.", 0)
		end("a.ipynb", Done, Differs, "2 of 9 cells with stored outputs gave others.")
		shows(second, "b.ipynb", Fails, "The module nest is missing.", 0)
		third := end("b.ipynb", Done, Needs, "It needs the internet.")
		fourth := end("a.ipynb", Done, NothingToCompare, "Every cell ran.")
		shows(third, "b.ipynb", Needs, "It needs the internet.", 0)
		end("b.ipynb", Done, Clean, "")
		shows(fourth, "a.ipynb", NothingToCompare, "", 0)
		fifth := end("a.ipynb", Done, Clean, "")
		shows(fifth, "a.ipynb", Clean, "", 1)
	})
}

func TestRunsAreCounted(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	sqldbtest.EachAt(t, func() time.Time { return clock }, func(t *testing.T, db *sqldb.DB) {
		w := catalogtest.New(t, db, catalogtest.Entry("code", catalogtest.Repository("https://github.com/o/code")))
		service := NewService(NewStore(db), nil, w, Options{Logger: slog.New(slog.DiscardHandler)})
		begin := clock
		for _, verdict := range []Verdict{Clean, Differs, Differs, ""} {
			clock = clock.Add(time.Hour)
			run, _, err := service.store.Add(t.Context(), Run{ResourceID: w.ID("code"), File: "a.ipynb", StartedBy: BySchedule}, "code", 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			if verdict == "" {
				continue // it waits
			}
			run.State, run.Verdict = Done, verdict
			if err := service.recordEnd(t.Context(), run, nil); err != nil {
				t.Fatal(err)
			}
		}
		for since, want := range map[time.Time]map[string]int{
			begin: {"QUEUED ": 1, "DONE CLEAN": 1, "DONE DIFFERS": 2}, begin.Add(150 * time.Minute): {"QUEUED ": 1, "DONE DIFFERS": 1}, clock.Add(time.Hour): {"QUEUED ": 1},
		} {
			counts, err := service.store.Count(t.Context(), since)
			got := map[string]int{}
			for _, one := range counts {
				got[string(one.State)+" "+string(one.Verdict)] = one.Count
			}
			if err != nil || !maps.Equal(got, want) {
				t.Errorf("since %s: got %v, want %v (%v)", since, got, want, err)
			}
		}
	})
}
