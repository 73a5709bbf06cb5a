package runs

import (
	"fmt"
	"strings"

	"cairn/internal/content/comparator"
	"cairn/internal/runs/executor"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// outcome is what a run came to.
type outcome struct {
	verdict Verdict
	needs   Need
	reason  string
	code    diagnosis.Code
}

// judge returns the outcome of an executed notebook. Left out is what the environment lacks of what the repository asks for;
// networked says that the run could reach the internet.
func judge(executed executor.Executed, compared comparator.Result, leftOut []engine.LeftOut, networked bool) outcome {
	switch executed.Ending {
	case executor.Finished:
		return judgeOutputs(compared.Counts)
	case executor.Raised:
		return judgeException(executed, leftOut, networked)
	case executor.TimedOut:
		return outcome{verdict: Needs, needs: NeedsTime, reason: executed.Reason}
	case executor.AskedForInput:
		return outcome{verdict: Needs, needs: NeedsInput, reason: executed.Reason}
	case executor.NoKernel:
		return outcome{verdict: Needs, needs: NeedsKernel, reason: executed.Reason}
	case executor.KernelSilent: // runs have the lowest weight, so this says something about the machine
		return outcome{reason: executed.Reason + " This server is busy, or its Jupyter doesn't work; the entry isn't to blame."}
	case executor.KernelDied, executor.ServerLost, executor.OutputLimit, executor.Unintelligible, executor.Canceled:
	}
	return outcome{verdict: Fails, reason: executed.Reason}
}

// judgeOutputs compares claims with what was done: a run is clean only if every cell that may run did, and gave what was stored.
func judgeOutputs(counts comparator.Counts) outcome {
	skipped := ""
	if counts.Skipped > 0 {
		skipped = fmt.Sprintf(" %d of %d code cells are tagged to be skipped.", counts.Skipped, counts.Total)
	}
	format := ""
	switch {
	case counts.Format > 0 && counts.Format == counts.Differs:
		format = ", but only in formatting"
	case counts.Format > 0:
		format = fmt.Sprintf(", %d of them only in formatting", counts.Format)
	}
	switch {
	case counts.Differs > 0:
		reason := fmt.Sprintf("%d of %d cells with stored outputs gave others%s.", counts.Differs, counts.Compared(), format)
		return outcome{verdict: Differs, reason: reason + skipped}
	case counts.Missed > 0:
		return outcome{verdict: Differs, reason: fmt.Sprintf("%d of %d cells with stored outputs didn't run.", counts.Missed, counts.Missed+counts.Compared()) + skipped}
	case counts.Skipped > 0 && counts.Skipped == counts.Total:
		return outcome{verdict: NothingToCompare, reason: "No cell ran: every code cell is tagged to be skipped."}
	case counts.Compared() == 0 && skipped != "":
		return outcome{verdict: NothingToCompare, reason: "Every other cell ran, without stored outputs to compare with." + skipped}
	case counts.Compared() == 0:
		return outcome{verdict: NothingToCompare, reason: "Every cell ran. The author stored no outputs to compare with."}
	}
	return outcome{verdict: Clean, reason: strings.TrimSpace(skipped)}
}

// judgeException says why a cell failed, from the exception that ended the run.
func judgeException(executed executor.Executed, leftOut []engine.LeftOut, networked bool) outcome {
	failed := executed.Cells[executed.EndedAt]
	exception := failed.Name + ": " + failed.Value
	cause := diagnosis.Explain(diagnosis.Failure{Step: diagnosis.Run, Log: exception})
	switch missing := missingPackage(failed, leftOut); {
	case missing != "":
		return outcome{verdict: Needs, needs: NeedsPackage, code: cause.Code, reason: missing}
	case cause.Code == diagnosis.Memory:
		return outcome{verdict: Needs, needs: NeedsMemory, code: cause.Code, reason: cause.Sentence}
	case cause.Code == diagnosis.NoGPU:
		return outcome{verdict: Needs, needs: NeedsGPU, code: cause.Code, reason: cause.Sentence}
	case cause.Code == diagnosis.Network && !networked:
		return outcome{verdict: Needs, needs: NeedsInternet, code: cause.Code, reason: "It needs the internet, which runs can't reach."}
	case cause.Code != "" && cause.Code != diagnosis.CodeFailed:
		return outcome{verdict: Fails, code: cause.Code, reason: cause.Sentence}
	}
	return outcome{verdict: Fails, code: diagnosis.CodeFailed, reason: short(exception) + "."}
}

func ranOf(executed executor.Executed) (ran int) {
	for _, cell := range executed.Cells {
		if cell.State == executor.Ran {
			ran++
		}
	}
	return ran
}

// missingPackage returns the sentence about a package that a launch left out, if its absence is what failed.
func missingPackage(failed executor.Cell, leftOut []engine.LeftOut) string {
	if failed.Name != "ModuleNotFoundError" && failed.Name != "ImportError" {
		return ""
	}
	_, module, _ := strings.Cut(failed.Value, "'")
	module, _, _ = strings.Cut(module, "'")
	module, _, _ = strings.Cut(module, ".")
	if module == "" {
		return ""
	}
	for _, one := range leftOut {
		name := strings.FieldsFunc(one.What, func(r rune) bool { return strings.ContainsRune(" =<>!~[;(", r) })
		if len(name) > 0 && samePackage(name[0], module) {
			return "The module " + module + " is missing: this server doesn't install " + one.What + ". " + one.Why
		}
	}
	return ""
}

func samePackage(a, b string) bool {
	plain := strings.NewReplacer("-", "", "_", "", ".", "")
	return strings.EqualFold(plain.Replace(a), plain.Replace(b))
}

// exceptionLimit is how many characters of an exception are shown.
const exceptionLimit = 300

func short(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if runes := []rune(text); len(runes) > exceptionLimit {
		return string(runes[:exceptionLimit]) + "…"
	}
	return strings.TrimRight(text, ". ")
}
