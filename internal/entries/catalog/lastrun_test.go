package catalog

import (
	"testing"
	"time"
)

func TestRunsInWords(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	failed := func(reason string, ran int) LastRun {
		return LastRun{Verdict: RunFailed, Reason: reason, Cells: LastRunCells{Total: 17, Ran: ran}}
	}
	differs := LastRun{Verdict: RunDiffers, Cells: LastRunCells{Total: 12, Ran: 12, Compared: 9, Differs: 2}}
	needs := func(what RunNeed) LastRun {
		return LastRun{Verdict: RunNeeds, Needs: what, Reason: "It can't reach example.org."}
	}
	moved := func(last LastRun) LastRun {
		last.Moved = true
		return last
	}
	for _, c := range []struct {
		last  LastRun
		ago   time.Duration
		want  string
		stale bool
	}{
		{LastRun{Verdict: RunClean, Seconds: 41.4}, 3*day + time.Hour, "Ran clean 3 days ago in 41 s", false},
		{LastRun{Verdict: RunClean, Seconds: 0.2}, 30 * time.Second, "Ran clean just now in less than 1 s", false},
		{LastRun{Verdict: RunClean, Seconds: 0.2}, -time.Minute, "Ran clean just now in less than 1 s", false},
		{LastRun{Verdict: RunClean, Seconds: 119.4}, time.Minute, "Ran clean 1 minute ago in 119 s", false},
		{LastRun{Verdict: RunClean, Seconds: 119.6}, 23*time.Hour + 59*time.Minute, "Ran clean 23 hours ago in 2 min", false},
		{LastRun{Verdict: RunClean, Seconds: 3 * 3600}, 90 * day, "Ran clean 3 months ago in 3 h", false},
		{LastRun{Verdict: RunClean, Seconds: 41}, 90*day + time.Second, "Ran clean 3 months ago", true},
		{LastRun{Verdict: RunClean, Seconds: 41}, 800 * day, "Ran clean 2 years ago", true},
		{moved(LastRun{Verdict: RunClean, Seconds: 41}), 3 * day, "Ran clean 3 days ago; the repository has changed since", true},
		{differs, day, "2 of 9 outputs differ", false},
		{LastRun{Verdict: RunDiffers, Cells: LastRunCells{Total: 1, Ran: 1, Compared: 1, Differs: 1}}, day, "1 of 1 output differs", false},
		{LastRun{Verdict: RunDiffers, Cells: LastRunCells{Total: 12, Ran: 12, Compared: 9, Differs: 2, Format: 1}}, day, "2 of 9 outputs differ", false},
		{LastRun{Verdict: RunDiffers, Cells: LastRunCells{Total: 12, Ran: 12, Compared: 9, Differs: 2, Format: 2}}, day, "2 of 9 outputs differ in formatting", false},
		{LastRun{Verdict: RunDiffers, Cells: LastRunCells{Total: 1, Ran: 1, Compared: 1, Differs: 1, Format: 1}}, day, "1 of 1 output differs in formatting", false},
		{differs, 150 * day, "2 of 9 outputs differ (5 months ago)", true},
		{moved(differs), day, "2 of 9 outputs differ; the repository has changed since", true},
		{failed("The module nest is missing.", 14), day, "14 of 17 cells ran: the module nest is missing", false},
		{failed("A module is missing. Add it to requirements.txt.", 14), day, "14 of 17 cells ran: a module is missing", false},
		{failed("ValueError: no such river.", 14), day, "14 of 17 cells ran: ValueError: no such river", false},
		{failed("GPU memory is used up.", 14), day, "14 of 17 cells ran: GPU memory is used up", false},
		{failed("It can't be started: the branch doesn't exist.", 0), day, "It can't be started: the branch doesn't exist", false},
		{failed("", 0), day, "0 of 17 cells ran", false},
		{
			failed("The first value is 北京 of a very long text that goes on and on and still goes on\nand on and on.", 14), day,
			"14 of 17 cells ran: the first value is 北京 of a very long text that goes on and…", false,
		},
		{needs(NeedsInternet), day, "Needs the internet", false},
		{needs(NeedsPackage), day, "Needs a package that is missing", false},
		{needs(NeedsGPU), day, "Needs a GPU", false},
		{needs(NeedsKernel), 100 * day, "Needs another kernel (3 months ago)", true},
		{needs("something new"), day, "Can't be run here", false},
		{LastRun{Verdict: RunNothingToCompare, Cells: LastRunCells{Total: 3, Ran: 3}}, day, "Ran (no saved outputs)", false},
		{LastRun{Verdict: RunNothingToCompare}, day, "Nothing to run", false},
	} {
		c.last.At = now.Add(-c.ago)
		if got := c.last.Words(now); got != c.want || c.last.Stale(now) != c.stale {
			t.Errorf("%+v:\n got %q, stale: %t\nwant %q", c.last, got, c.last.Stale(now), c.want)
		}
	}
}
