package runs

import (
	"cmp"
	"time"

	"cairn/internal/entries/catalog"
)

// State is where a run is on its way.
type State string

// The states. A run ends exactly once, as Done or as Stopped.
const (
	Queued  State = "QUEUED"
	Running State = "RUNNING"
	Done    State = "DONE"    // it came to a verdict
	Stopped State = "STOPPED" // by a person, or because it couldn't be carried out
)

// Verdict is what a run says about a file.
type Verdict = catalog.RunVerdict

// The verdicts, the worst last.
const (
	Clean            = catalog.RunClean
	NothingToCompare = catalog.RunNothingToCompare
	Needs            = catalog.RunNeeds
	Differs          = catalog.RunDiffers
	Fails            = catalog.RunFailed
)

var severity = map[Verdict]int{Clean: 1, NothingToCompare: 2, Needs: 3, Differs: 4, Fails: 5}

// Need is something that runs don't have.
type Need = catalog.RunNeed

// The needs.
const (
	NeedsInternet = catalog.NeedsInternet
	NeedsPackage  = catalog.NeedsPackage
	NeedsMemory   = catalog.NeedsMemory
	NeedsGPU      = catalog.NeedsGPU
	NeedsTime     = catalog.NeedsTime
	NeedsInput    = catalog.NeedsInput
	NeedsKernel   = catalog.NeedsKernel
)

// Starter is who started a run.
type Starter string

// The starters.
const (
	BySchedule Starter = "schedule"
	ByAuthor   Starter = "author"
	ByOperator Starter = "operator"
)

// Run is one execution of one file of an entry.
type Run struct {
	ID              string         `json:"id" format:"uuid"`
	ResourceID      string         `json:"resourceId" format:"uuid"`
	File            string         `json:"file" doc:"A path in the repository, or the name of the notebook; empty until it is known which file the entry opens"`
	Commit          string         `json:"commit,omitempty" doc:"The commit of the repository that was run"`
	Digest          string         `json:"digest,omitempty" doc:"SHA-256 of the file as it was before the run, in hexadecimal"`
	State           State          `json:"state" enum:"QUEUED,RUNNING,DONE,STOPPED"`
	Verdict         Verdict        `json:"verdict,omitempty" enum:"CLEAN,DIFFERS,FAILED,NOTHING_TO_COMPARE,NEEDS" doc:"DONE: what came out"`
	Needs           Need           `json:"needs,omitempty" enum:"internet,package,memory,gpu,time,input,kernel" doc:"NEEDS: what runs don't have"`
	Reason          string         `json:"reason,omitempty" doc:"Why, in a sentence; how far it came is in cells"`
	Code            string         `json:"code,omitempty" doc:"FAILED: the cause, as in the cause of a session"`
	QueuedAt        time.Time      `json:"queuedAt"`
	StartedAt       *time.Time     `json:"startedAt,omitempty"`
	EndedAt         *time.Time     `json:"endedAt,omitempty"`
	Seconds         float64        `json:"seconds,omitempty" doc:"The time that its cells took"`
	PeakMemoryBytes int64          `json:"peakMemoryBytes,omitempty" doc:"The most memory that it used; absent if it wasn't measured"`
	StartedBy       Starter        `json:"startedBy" enum:"schedule,author,operator"`
	Cells           RunCells       `json:"cells"`
	Environment     RunEnvironment `json:"environment"`
	Engine          string         `json:"engine"`
	Changes         *RunChanges    `json:"changes,omitempty" doc:"How its environment differs from that of the run of this file before; absent if it doesn't"`

	accountID string // "" for the schedule
	ref       string // the branch, tag or commit that was asked for; "" for the default branch
	attempts  int
	moved     bool // its repository has newer commits
}

// RunCells counts the code cells of a run.
type RunCells struct {
	Total   int `json:"total"`
	Ran     int `json:"ran" doc:"To their end; while it runs: how many have ended"`
	Stopped int `json:"stopped,omitempty" doc:"The number of the code cell in which it ended early, from 1; those after it never ran"`
	Skipped int `json:"skipped,omitempty" doc:"They are tagged skip-execution, so nothing is said of their outputs"`
	Missed  int `json:"missed,omitempty" doc:"They have stored outputs, but didn't run"`
	Same    int `json:"same" doc:"Their outputs are those that the author stored"`
	Close   int `json:"close" doc:"Numbers differ within the tolerance, or pictures look the same"`
	Differs int `json:"differs"`
	Format  int `json:"format,omitempty" doc:"Of those that differ: only in how the same values are written, or in the size of a picture"`
	Varies  int `json:"varies" doc:"Two runs in a row differ from each other, so nothing can be said"`
}

// RunEnvironment is what a run ran in.
type RunEnvironment struct {
	Digest   string   `json:"digest,omitempty" doc:"SHA-256 of everything that defines it"`
	Python   string   `json:"python,omitempty" doc:"Its version, if the kernel ran Python"`
	Language string   `json:"language,omitempty" doc:"That of the kernel, if it isn't Python, such as R"`
	Version  string   `json:"version,omitempty" doc:"Of that language"`
	Packages []string `json:"packages,omitempty" doc:"Of Python or R, as name==version, sorted; absent if the kernel ran another language"`
}

// lastOf returns what an entry shows of the latest runs of its files: the worst of them, of equal ones the latest; nil for
// none.
func lastOf(latest []Run) *catalog.LastRun {
	var worst *Run
	for i, one := range latest {
		if worst == nil || cmp.Or(cmp.Compare(severity[one.Verdict], severity[worst.Verdict]), one.ended().Compare(worst.ended())) > 0 {
			worst = &latest[i]
		}
	}
	if worst == nil {
		return nil
	}
	last := &catalog.LastRun{
		ID: worst.ID, File: worst.File, Verdict: worst.Verdict, At: worst.ended(), Seconds: worst.Seconds, PeakMemoryBytes: worst.PeakMemoryBytes, Commit: worst.Commit, Needs: worst.Needs,
		Cells: worst.Cells.shown(worst.Verdict), Moved: worst.moved,
	}
	if worst.Verdict == Fails || worst.Verdict == Needs {
		last.Reason = worst.Reason
	}
	return last
}

// shown returns what an entry shows of the cells. Where only outputs are spoken of, those that are missing differ too.
func (c RunCells) shown(verdict Verdict) catalog.LastRunCells {
	missed := 0
	if verdict == Differs {
		missed = c.Missed
	}
	return catalog.LastRunCells{Total: c.Total, Ran: c.Ran, Compared: c.Same + c.Close + c.Differs + c.Varies + missed, Differs: c.Differs + missed, Format: c.Format}
}

func (r Run) ended() time.Time {
	if r.EndedAt == nil {
		return time.Time{}
	}
	return *r.EndedAt
}

// live reports whether a run hasn't ended.
func (r Run) live() bool { return r.State == Queued || r.State == Running }
