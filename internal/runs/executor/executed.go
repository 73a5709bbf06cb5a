package executor

import (
	"fmt"
	"time"
)

// Options bound a run. The zero value is usable.
type Options struct {
	Folder string // where the kernel starts, below the server's own folder, such as "work/project"; empty: there

	CellTimeout  time.Duration // of one cell; 0: none
	Timeout      time.Duration // of the whole run without its clean-up; 0: none
	StartTimeout time.Duration // until the kernel answers; 0: a minute

	// Grace is how long an interrupted cell has to say where it was, and a kernel has to end; 0: ten seconds. After a cell
	// has replied, its run goes on when the kernel neither prints nor becomes idle for so long.
	Grace time.Duration

	// CellOutput and Output are the most bytes that are kept of the outputs of a cell and of all cells; 0: 16 MiB and 100 MiB.
	// A cell with more goes on, and what it prints is dropped from there on, which a last output in words says. When all
	// have more, the run ends there.
	CellOutput, Output int64

	Progress   func(cell, of int) // called before each cell is executed, which is the cell-th of so many; may be nil
	MemoryPeak func() int64       // the most bytes of memory that the server has used, 0 if unknown; may be nil
}

func (o Options) filled() Options {
	if o.StartTimeout <= 0 {
		o.StartTimeout = time.Minute
	}
	if o.Grace <= 0 {
		o.Grace = 10 * time.Second
	}
	if o.CellOutput <= 0 {
		o.CellOutput = 16 << 20
	}
	if o.Output <= 0 {
		o.Output = 100 << 20
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	if o.MemoryPeak == nil {
		o.MemoryPeak = func() int64 { return 0 }
	}
	return o
}

// Executed is a run that has ended.
type Executed struct {
	// Notebook is the executed notebook, in format 4.5. Cells that were not run have no outputs; those that are tagged
	// skip-execution keep their author's.
	Notebook []byte

	Cells      []Cell // those with code, in their order
	Kernel     Kernel
	Ending     Ending
	EndedAt    int    // the index in Cells of the cell at which the run ended early; -1 if it was at none
	Reason     string // why the run ended early, as a sentence
	Took       time.Duration
	MemoryPeak int64 // bytes; 0 if unknown
	Malformed  int   // messages of the kernel that nobody understood
	KernelLeft bool  // the server didn't end the kernel in time: end the server
}

// Cell is what became of a cell with code.
type Cell struct {
	Index       int // in the notebook, from 0, all cells counted
	State       State
	Took        time.Duration
	Name, Value string // of the exception that it raised; empty if it raised none
	Cut         bool   // it printed more than is kept
}

// Kernel is what executed the notebook; empty if none started.
type Kernel struct {
	Name     string // as the server knows it, such as "python3"
	Language string // such as "python"
	Version  string // of the language
}

// State is what became of a cell.
type State string

// The states of cells.
const (
	Ran     State = "ran"     // to its end; it may have raised an exception that the notebook allows
	Failed  State = "failed"  // the run ended in it
	Skipped State = "skipped" // it is tagged skip-execution
	NotRun  State = "not-run" // the run ended before
)

// Ending is how a run ended.
type Ending string

// The endings of runs.
const (
	Finished       Ending = "finished"        // every cell ran or was skipped
	Raised         Ending = "raised"          // a cell raised an exception that isn't allowed
	TimedOut       Ending = "timed-out"       // a cell or the run took too long
	AskedForInput  Ending = "asked-for-input" // a cell wanted somebody to type
	OutputLimit    Ending = "output-limit"    // the cells printed too much
	KernelDied     Ending = "kernel-died"     // the kernel's process ended
	KernelSilent   Ending = "kernel-silent"   // the kernel never answered, as on a machine that is busy
	ServerLost     Ending = "server-lost"     // the Jupyter server is gone, or hung up
	NoKernel       Ending = "no-kernel"       // the server has no kernel for the notebook's language
	Unintelligible Ending = "unintelligible"  // the kernel doesn't speak Jupyter's protocol
	Canceled       Ending = "canceled"        // the caller ended it
)

// stop is why a run ends early.
type stop struct {
	ending Ending
	reason string
}

func (s stop) Error() string { return s.reason }

func stopped(ending Ending, format string, arguments ...any) error {
	return stop{ending, fmt.Sprintf(format, arguments...)}
}
