package runs

import (
	"strings"
	"testing"

	"cairn/internal/content/comparator"
	"cairn/internal/runs/executor"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	raised := func(name, value string) executor.Executed {
		return executor.Executed{Ending: executor.Raised, EndedAt: 2, Cells: []executor.Cell{
			{State: executor.Ran}, {State: executor.Ran}, {State: executor.Failed, Name: name, Value: value}, {State: executor.NotRun},
		}}
	}
	ended := func(ending executor.Ending, reason string) executor.Executed {
		return executor.Executed{Ending: ending, EndedAt: 0, Reason: reason, Cells: []executor.Cell{{State: executor.Failed}}}
	}
	finished := executor.Executed{Ending: executor.Finished, EndedAt: -1}
	left := []engine.LeftOut{{What: "nest-simulator (conda)", Why: "It isn't on the package index."}, {What: "Scikit_Learn>=1.5", Why: "The index has older ones."}}
	for name, c := range map[string]struct {
		executed  executor.Executed
		counts    comparator.Counts
		networked bool
		want      outcome
	}{
		"the same":            {finished, comparator.Counts{Total: 3, Ran: 3, Same: 2, Close: 1}, false, outcome{verdict: Clean}},
		"some vary":           {finished, comparator.Counts{Total: 3, Ran: 3, Same: 2, Varies: 1}, false, outcome{verdict: Clean}},
		"nothing stored":      {finished, comparator.Counts{Total: 3, Ran: 3}, false, outcome{verdict: NothingToCompare, reason: "no outputs"}},
		"others":              {finished, comparator.Counts{Total: 9, Ran: 9, Same: 7, Differs: 2}, false, outcome{verdict: Differs, reason: "2 of 9 cells"}},
		"an exception":        {raised("ValueError", "no such river\nmore"), comparator.Counts{}, false, outcome{verdict: Fails, code: diagnosis.CodeFailed, reason: "ValueError: no such river."}},
		"a module":            {raised("ModuleNotFoundError", "No module named 'nest'"), comparator.Counts{}, false, outcome{verdict: Fails, code: diagnosis.ModuleMissing, reason: "nest"}},
		"a module left out":   {raised("ModuleNotFoundError", "No module named 'nest_simulator'"), comparator.Counts{}, false, outcome{verdict: Needs, needs: NeedsPackage, code: diagnosis.ModuleMissing, reason: "doesn't install nest-simulator (conda)"}},
		"an older one":        {raised("ModuleNotFoundError", "No module named 'scikit_learn'"), comparator.Counts{}, false, outcome{verdict: Needs, needs: NeedsPackage, code: diagnosis.ModuleMissing, reason: "doesn't install Scikit_Learn>=1.5"}},
		"the internet":        {raised("URLError", "<urlopen error [Errno -3] Temporary failure in name resolution>"), comparator.Counts{}, false, outcome{verdict: Needs, needs: NeedsInternet, code: diagnosis.Network, reason: "needs the internet"}},
		"a host that is away": {raised("URLError", "<urlopen error [Errno -3] Temporary failure in name resolution>"), comparator.Counts{}, true, outcome{verdict: Fails, code: diagnosis.Network, reason: "can't reach a host"}},
		"memory":              {raised("MemoryError", ""), comparator.Counts{}, false, outcome{verdict: Needs, needs: NeedsMemory, code: diagnosis.Memory, reason: "more memory"}},
		"time":                {ended(executor.TimedOut, "The notebook took longer than 10 minutes."), comparator.Counts{}, false, outcome{verdict: Needs, needs: NeedsTime, reason: "longer than 10 minutes"}},
		"a question":          {ended(executor.AskedForInput, "A cell asks somebody to type."), comparator.Counts{}, false, outcome{verdict: Needs, needs: NeedsInput, reason: "asks"}},
		"a language":          {ended(executor.NoKernel, "The notebook needs the kernel ir."), comparator.Counts{}, false, outcome{verdict: Needs, needs: NeedsKernel, reason: "ir"}},
		"a silent kernel":     {ended(executor.KernelSilent, "The kernel didn't answer."), comparator.Counts{}, false, outcome{reason: "isn't to blame"}},
		"a dead kernel":       {ended(executor.KernelDied, "The kernel ended."), comparator.Counts{}, false, outcome{verdict: Fails, reason: "The kernel ended."}},
	} {
		got := judge(c.executed, comparator.Result{Counts: c.counts}, left, c.networked)
		if got.verdict != c.want.verdict || got.needs != c.want.needs || got.code != c.want.code || !strings.Contains(got.reason, c.want.reason) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
