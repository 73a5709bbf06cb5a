package catalog

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"cairn/internal/entries/catalog/index"
	"cairn/internal/foundation/fault"
)

// RunVerdict is what a run says about a file.
type RunVerdict string

// The verdicts, the worst last.
const (
	RunClean            RunVerdict = "CLEAN"              // every cell that isn't tagged to be skipped ran, and its stored outputs came out again
	RunNothingToCompare RunVerdict = "NOTHING_TO_COMPARE" // every cell ran, and none had a stored output
	RunNeeds            RunVerdict = "NEEDS"              // it needs something that runs don't have; LastRun.Needs says what
	RunDiffers          RunVerdict = "DIFFERS"            // outputs differ from the stored ones, or didn't come out
	RunFailed           RunVerdict = "FAILED"             // a cell failed, or the file couldn't be run
)

// RunNeed is something that runs don't have.
type RunNeed string

// The needs.
const (
	NeedsInternet RunNeed = "internet"
	NeedsPackage  RunNeed = "package" // which wasn't installed; the reason names it
	NeedsMemory   RunNeed = "memory"
	NeedsGPU      RunNeed = "gpu"
	NeedsTime     RunNeed = "time"
	NeedsInput    RunNeed = "input"  // a person's answer
	NeedsKernel   RunNeed = "kernel" // a language that this server doesn't run
)

// LastRun is what an entry shows of its runs by the catalog: the worst of the latest verdicts on its files.
type LastRun struct {
	ID              string       `json:"id" format:"uuid" doc:"The run"`
	File            string       `json:"file" doc:"The file that was run"`
	Verdict         RunVerdict   `json:"verdict" enum:"CLEAN,DIFFERS,FAILED,NOTHING_TO_COMPARE,NEEDS"`
	At              time.Time    `json:"at" doc:"When it ended"`
	Seconds         float64      `json:"seconds" doc:"The time that its cells took"`
	PeakMemoryBytes int64        `json:"peakMemoryBytes,omitempty" doc:"The most memory that it used; absent if it wasn't measured"`
	Commit          string       `json:"commit,omitempty" doc:"The commit of the repository that was run"`
	Needs           RunNeed      `json:"needs,omitempty" enum:"internet,package,memory,gpu,time,input,kernel" doc:"NEEDS: what runs don't have"`
	Reason          string       `json:"reason,omitempty" doc:"FAILED and NEEDS: why, in a sentence"`
	Cells           LastRunCells `json:"cells"`
	Moved           bool         `json:"moved,omitempty" doc:"The repository has newer commits than the one that was run"`
}

// LastRunCells counts code cells.
type LastRunCells struct {
	Total    int `json:"total"`
	Ran      int `json:"ran"`
	Compared int `json:"compared" doc:"Those with stored outputs, whose outputs were compared"`
	Differs  int `json:"differs" doc:"Those of them that gave others"`
	Format   int `json:"format,omitempty" doc:"Those of these that differ only in how the same values are written, or in the size of a picture"`
}

// runGrowsOld is the age from which a run says little about today.
const runGrowsOld = 90 * 24 * time.Hour

// Stale reports whether a run says little about today: it is older than 90 days, or the repository has changed since.
func (l *LastRun) Stale(now time.Time) bool { return l.Moved || now.Sub(l.At) > runGrowsOld }

// needed says in words what runs don't have.
var needed = map[RunNeed]string{
	NeedsInternet: "the internet", NeedsPackage: "a package that is missing", NeedsMemory: "more memory", NeedsGPU: "a GPU",
	NeedsTime: "more time", NeedsInput: "keyboard input", NeedsKernel: "another kernel",
}

// reasonInWords limits what Words tells of a reason, in characters.
const reasonInWords = 60

// Words says what came out, on one line without a period at its end, and no more than is known now.
func (l *LastRun) Words(now time.Time) string {
	text := l.outcomeInWords()
	switch ago := timeAgo(now.Sub(l.At)); {
	case l.Verdict == RunClean && l.Stale(now):
		text += " " + ago
	case l.Verdict == RunClean:
		text += " " + ago + " in " + duration(l.Seconds)
	case now.Sub(l.At) > runGrowsOld:
		text += " (" + ago + ")"
	}
	return text + l.reservations()
}

// DatedWords says the same with the day of the run, for what is kept and shown later, such as a picture in a cache. The year is
// named if it isn't that of now.
func (l *LastRun) DatedWords(now time.Time) string {
	day := "Jan 2"
	if l.At.UTC().Year() != now.UTC().Year() {
		day = "Jan 2, 2006"
	}
	text, at := inSentence(l.outcomeInWords()), l.At.UTC().Format(day)
	if l.Verdict == RunClean {
		return text + " " + at + l.reservations()
	}
	return text + " (" + at + ")" + l.reservations()
}

// reservations are what has to be said besides the outcome.
func (l *LastRun) reservations() (text string) {
	if left := l.Cells.Total - l.Cells.Ran; l.Verdict == RunClean && left > 0 {
		text += fmt.Sprintf("; %d of %d cells didn't run", left, l.Cells.Total)
	}
	if l.Moved {
		text += "; the repository has changed since"
	}
	return text
}

func (l *LastRun) outcomeInWords() string {
	switch l.Verdict {
	case RunClean:
		return "Ran clean"
	case RunDiffers:
		outputs, differ := "outputs", "differ"
		if l.Cells.Compared == 1 {
			outputs = "output"
		}
		if l.Cells.Differs == 1 {
			differ = "differs"
		}
		if l.Cells.Format == l.Cells.Differs {
			differ += " in formatting"
		}
		return fmt.Sprintf("%d of %d %s %s", l.Cells.Differs, l.Cells.Compared, outputs, differ)
	case RunNeeds:
		if what := needed[l.Needs]; what != "" {
			return "Needs " + what
		}
		return "Can't be run here"
	case RunNothingToCompare:
		if l.Cells.Ran == 0 {
			return "Nothing to run"
		}
		return "Ran (no saved outputs)"
	case RunFailed:
	}
	reason := firstSentence(l.Reason)
	switch {
	case l.Cells.Ran == 0 && reason != "":
		return reason
	case reason == "":
		return fmt.Sprintf("%d of %d cells ran", l.Cells.Ran, l.Cells.Total)
	}
	return fmt.Sprintf("%d of %d cells ran: %s", l.Cells.Ran, l.Cells.Total, inSentence(reason))
}

// firstSentence returns the beginning of a text, without the period at its end.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(strings.Join(strings.Fields(text), " "), ". ")
	text = strings.TrimSuffix(text, ".")
	if runes := []rune(text); len(runes) > reasonInWords {
		text = strings.TrimRight(string(runes[:reasonInWords-1]), " ,;:") + "…"
	}
	return text
}

// inSentence returns a sentence as it stands after a colon: it begins in lower case, except where its first word is a name
// such as GPU.
func inSentence(text string) string {
	runes := []rune(text)
	if len(runes) > 1 && unicode.IsUpper(runes[0]) && (unicode.IsLower(runes[1]) || unicode.IsSpace(runes[1])) {
		first, _, _ := strings.Cut(text, " ")
		if strings.ToLower(first[1:]) == first[1:] && !strings.HasSuffix(first, ":") {
			runes[0] = unicode.ToLower(runes[0])
		}
	}
	return string(runes)
}

// timeAgo says how long ago something was, in the largest unit of which at least one has passed.
func timeAgo(since time.Duration) string {
	const day = 24 * time.Hour
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{365 * day, "year"}, {30 * day, "month"}, {day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		switch count := int(since / unit.length); {
		case count == 1:
			return "1 " + unit.name + " ago"
		case count > 1:
			return fmt.Sprintf("%d %ss ago", count, unit.name)
		}
	}
	return "just now"
}

// duration says how long something took.
func duration(seconds float64) string {
	switch {
	case seconds < 1:
		return "less than 1 s"
	case seconds < 119.5:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 119.5*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.0f h", seconds/3600)
}

// runs reports whether the catalog runs entries of a type.
func (t Type) runs() bool { return t == Repository || t == Notebook }

// outcome returns how searches tell an entry's last run from others, and when that was.
func (r *Entry) outcome() (index.Outcome, time.Time) {
	switch {
	case !r.Type.runs():
		return "", time.Time{}
	case r.LastRun == nil:
		return index.OutcomeNever, time.Time{}
	}
	return outcomes[r.LastRun.Verdict], r.LastRun.At
}

// outcomes are those of the verdicts.
var outcomes = map[RunVerdict]index.Outcome{
	RunClean: index.OutcomeClean, RunDiffers: index.OutcomeDiffers, RunFailed: index.OutcomeFails, RunNeeds: index.OutcomeNeeds,
	RunNothingToCompare: index.OutcomeNothing,
}

// ParseOutcomes parses a comma-separated list of outcomes of runs in any case and removes duplicates. An unknown one is
// Invalid, naming the valid ones.
func ParseOutcomes(list string) ([]index.Outcome, error) {
	return parseList(list, index.Outcomes[:], strings.ToLower, func(name string) error {
		return fault.InvalidField("query.runs", "%s isn't an outcome of runs; the valid ones are %s.", fault.Quote(name), names(index.Outcomes[:]))
	})
}
