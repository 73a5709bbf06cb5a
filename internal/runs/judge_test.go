package runs

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

// A verdict says no more than was done: cells that are skipped count and are told, and without the outputs of a cell that may run
// nothing is clean.
func TestVerdictsStandOnAllCells(t *testing.T) {
	t.Parallel()
	printed := `[{"output_type": "stream", "name": "stdout", "text": "1"}]`
	one := func(id int, tags, count, outputs string) string {
		return fmt.Sprintf(`{"cell_type": "code", "id": "c%d", "metadata": {"tags": [%s]}, "source": "print(%d)", "execution_count": %s, "outputs": %s}`, id, tags, id, count, outputs)
	}
	of := func(cells ...string) *comparator.Notebook {
		read, err := comparator.Read([]byte(`{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [` + strings.Join(cells, ",") + `]}`))
		check(t, err)
		return read
	}
	var mostSkipped, oneSkipped []string
	for i := range 10 {
		tags := `"skip-execution"`
		if i == 0 {
			tags = ""
		}
		mostSkipped = append(mostSkipped, one(i, tags, "1", printed))
		if tags = ""; i == 9 {
			tags = `"skip-execution"`
		}
		oneSkipped = append(oneSkipped, one(i, tags, "1", printed))
	}
	for name, c := range map[string]struct {
		author, run []string
		want        Verdict
		cells       comparator.Counts
		reason      string
	}{
		"nine of ten are skipped": {mostSkipped, mostSkipped, Clean, comparator.Counts{Total: 10, Ran: 1, Skipped: 9, Same: 1}, "9 of 10 code cells are tagged to be skipped."},
		"one of ten is":           {oneSkipped, oneSkipped, Clean, comparator.Counts{Total: 10, Ran: 9, Skipped: 1, Same: 9}, "1 of 10 code cells are tagged to be skipped."},
		"all are, with outputs": {
			[]string{one(1, `"skip-execution"`, "1", printed), one(2, `"hide", "skip-execution"`, "2", printed)},
			[]string{one(1, `"skip-execution"`, "1", printed), one(2, `"hide", "skip-execution"`, "2", printed)},
			NothingToCompare,
			comparator.Counts{Total: 2, Skipped: 2},
			"No cell ran: every code cell is tagged to be skipped.",
		},
		"one without outputs is": {
			[]string{one(1, "", "1", printed), one(2, `"skip-execution"`, "null", "[]")},
			[]string{one(1, "", "1", printed), one(2, `"skip-execution"`, "null", "[]")},
			Clean,
			comparator.Counts{Total: 2, Ran: 1, Skipped: 1, Same: 1},
			"1 of 2 code cells are tagged to be skipped.",
		},
		"one is, and another that may run didn't": {
			[]string{one(1, "", "1", printed), one(2, `"skip-execution"`, "2", printed), one(3, "", "3", printed)},
			[]string{one(1, "", "1", printed), one(2, `"skip-execution"`, "2", printed), one(3, "", "null", "[]")},
			Differs,
			comparator.Counts{Total: 3, Ran: 1, Skipped: 1, Missed: 1, Same: 1},
			"1 of 3 code cells are tagged to be skipped.",
		},
		"all with outputs are": {
			[]string{one(1, `"skip-execution"`, "1", printed), one(2, "", "2", "[]")},
			[]string{one(1, `"skip-execution"`, "1", printed), one(2, "", "1", "[]")},
			NothingToCompare,
			comparator.Counts{Total: 2, Ran: 1, Skipped: 1},
			"1 of 2 code cells are tagged to be skipped.",
		},
		"a kernel of another language that does nothing": {
			[]string{one(1, "", "1", printed), one(2, "", "2", printed)},
			[]string{one(1, "", "1", printed), one(2, "", "null", "[]")},
			Differs,
			comparator.Counts{Total: 2, Ran: 1, Missed: 1, Same: 1},
			"1 of 2 cells with stored outputs didn't run.",
		},
		"another cell in its place": {
			[]string{one(1, "", "1", printed), one(2, "", "2", printed)},
			[]string{one(1, "", "1", printed), one(3, "", "2", printed)},
			Differs,
			comparator.Counts{Total: 2, Ran: 1, Missed: 1, Same: 1},
			"1 of 2 cells with stored outputs didn't run.",
		},
		"all of them": {
			[]string{one(1, "", "1", printed), one(2, "", "2", "[]")}, []string{one(1, "", "1", printed), one(2, "", "2", "[]")}, Clean, comparator.Counts{Total: 2, Ran: 2, Same: 1}, "",
		},
	} {
		compared := comparator.Compare(of(c.author...), of(c.run...), nil)
		got := judge(executor.Executed{Ending: executor.Finished, EndedAt: -1}, compared, nil, false)
		if got.verdict != c.want || compared.Counts != c.cells || !strings.Contains(got.reason, c.reason) || (c.reason == "") != (got.reason == "") {
			t.Errorf("%s: %+v, %+v", name, got, compared.Counts)
		}
		last := lastOf([]Run{{State: Done, Verdict: got.verdict, Cells: RunCells{
			Total: c.cells.Total, Ran: c.cells.Ran, Skipped: c.cells.Skipped, Missed: c.cells.Missed, Same: c.cells.Same,
		}}})
		if words := last.Words(time.Time{}); strings.Contains(words, "didn't run") != (c.want == Clean && c.cells.Skipped > 0) || c.want == Differs && !strings.HasPrefix(words, "1 of 2 outputs differs") {
			t.Errorf("%s: an entry says %q", name, words)
		}
	}
}

// A run whose outputs differ only in formatting says so, and so does its entry, except where an output didn't come out.
func TestDifferencesInFormatting(t *testing.T) {
	of := func(texts ...string) *comparator.Notebook {
		read, err := comparator.Read([]byte(notebook(texts...)))
		check(t, err)
		return read
	}
	author := of("[ 1.  2.]\n", "[ 3.]\n", "done\n")
	for name, c := range map[string]struct {
		run    *comparator.Notebook
		reason string
		entry  string
	}{
		"all":        {of("[1. 2.]\n", "[3.]\n", "done\n"), "2 of 3 cells with stored outputs gave others, but only in formatting.", "2 of 3 outputs differ in formatting"},
		"one of two": {of("[1. 2.]\n", "[4.]\n", "done\n"), "gave others, 1 of them only in formatting.", "2 of 3 outputs differ"},
		"none":       {of("[1. 3.]\n", "[ 3.]\n", "done\n"), "gave others.", "1 of 3 outputs differs"},
	} {
		compared := comparator.Compare(author, c.run, nil)
		got := judge(executor.Executed{Ending: executor.Finished, EndedAt: -1}, compared, nil, false)
		cells := RunCells{Total: 3, Ran: 3, Same: compared.Counts.Same, Differs: compared.Counts.Differs, Format: compared.Counts.Format}
		last := lastOf([]Run{{State: Done, Verdict: got.verdict, Cells: cells}})
		if got.verdict != Differs || !strings.HasSuffix(got.reason, c.reason) || last.Words(time.Time{}) != c.entry {
			t.Errorf("%s: %+v, and its entry says %q", name, got, last.Words(time.Time{}))
		}
	}
}

// A file that is not a notebook fails with a reason.
func TestWhatIsNoNotebookFails(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.service.execute = executor.Execute
		w.batch.files = map[string]string{"first.ipynb": `{"cells": [`}
		w.work(w.service)
		if run := w.run(""); run.State != Done || run.Verdict != Fails || run.Reason == "" || len(run.Digest) != 64 {
			t.Errorf("broken JSON: %+v", run)
		}
	})
}
