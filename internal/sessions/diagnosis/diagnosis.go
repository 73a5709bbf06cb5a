// Package diagnosis explains why a launch, a kernel or a notebook failed. It is pure: the same failure always has the same
// cause. It believes codes first; where there is none, it reads what pip, git, Python and Jupyter print, in their stable
// forms. It never reads this product's own sentences.
package diagnosis

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// Code identifies a cause for programs. Codes are stable.
type Code string

// The causes.
const (
	AddressGone       Code = "address_gone"       // an address that code loads from doesn't exist any more
	CloneRefused      Code = "clone_refused"      // the repository doesn't exist or isn't public
	CloneUnreachable  Code = "clone_unreachable"  // its host doesn't answer, or can't be trusted
	CodeFailed        Code = "code_failed"        // the code raised an exception that has no code of its own here
	DatasetMissing    Code = "dataset_missing"    // a dataset isn't on this server
	DiskFull          Code = "disk_full"          // the disk of this server is full
	Evicted           Code = "evicted"            // the cluster took the session's pod away
	FileMissing       Code = "file_missing"       // code opened a file that isn't there
	IndexUnreachable  Code = "index_unreachable"  // the package index doesn't answer
	KernelDied        Code = "kernel_died"        // a kernel ended without a word
	LibraryMissing    Code = "library_missing"    // a library, header or program of the system is missing
	Memory            Code = "memory"             // more memory than there is
	ModuleMissing     Code = "module_missing"     // a Python module isn't installed
	NameShadowed      Code = "name_shadowed"      // a file has the name of a module of Python
	Network           Code = "network"            // code can't reach a host
	NoGPU             Code = "no_gpu"             // code wants a GPU
	NotebookInvalid   Code = "notebook_invalid"   // a file isn't a notebook
	PackageBuild      Code = "package_build"      // a package can't be built
	PackageDamaged    Code = "package_damaged"    // a package isn't what it should be
	PackageUnknown    Code = "package_unknown"    // the index has no such package
	PythonVersion     Code = "python_version"     // a package isn't for this Python
	ReadOnly          Code = "read_only"          // code wrote where it may not
	RefUnknown        Code = "ref_unknown"        // the repository has no such branch, tag or commit
	RequirementBroken Code = "requirement_broken" // a line of requirements.txt can't be read
	ServerFault       Code = "server_fault"       // this server is at fault
	Time              Code = "time"               // a limit of time
	TooLarge          Code = "too_large"          // the files are over the limit of a session
	VersionConflict   Code = "version_conflict"   // packages or code want other versions
	VersionUnknown    Code = "version_unknown"    // the index has the package, but not in this version
	WrongLanguage     Code = "wrong_language"     // code in a language that doesn't run here
)

// Who can fix a cause.
type Who string

// Those who can.
const (
	You       Who = "you"
	Authors   Who = "authors"
	Operators Who = "operators"
)

// Action is the first thing to do about a cause.
type Action string

// The actions that a page can offer.
const (
	Again        Action = "again"        // start it again
	Without      Action = "without"      // start it without the datasets that are missing
	Requirements Action = "requirements" // edit requirements.txt at the code host
	Repository   Action = "repository"   // open the repository there
	Entry        Action = "entry"        // go to the entry, which names its authors
	Contact      Action = "operators"    // write to the operators
)

// Failure is what is known about a failure.
type Failure struct {
	Code     Code   // what the engine or the gateway knows; "": only the log does
	Reason   string // the sentence that came with Code
	Step     Step   // where it failed; "": anywhere
	Log      string
	Datasets []string // the folders below data that the session has
}

// Step is a part of a launch. What the log says about another one didn't stop the launch: a package that isn't there may
// have been left out.
type Step string

// The steps that run programs of their own.
const (
	Clone   Step = "clone"
	Install Step = "install"
	Run     Step = "run" // Jupyter, its kernels and notebooks
)

// Cause is why something failed, and what to do.
type Cause struct {
	Code     Code   `json:"code" doc:"A stable word for programs"`
	Sentence string `json:"sentence" doc:"Why it failed"`
	Fix      string `json:"fix" doc:"What to do"`
	Who      Who    `json:"who" enum:"you,authors,operators" doc:"Who can do it"`
	Action   Action `json:"action" enum:"again,without,requirements,repository,entry,operators" doc:"The first thing to do: start it again, or without the missing datasets; edit requirements.txt, or the repository, at its code host; go to the entry; write to the operators"`

	From int `json:"-"` // the lines of the log that show it, from 0; To isn't part of them
	To   int `json:"-"`
}

// Explain returns the cause of a failure; its Code is "" if nothing is known.
func Explain(failure Failure) Cause {
	text := newText(failure)
	cause := text.explain()
	if failure.Code == "" || cause.Code == failure.Code {
		return cause
	}
	known := coded[failure.Code]
	known.Code = failure.Code
	known.Sentence = cmp.Or(known.Sentence, failure.Reason)
	known.From, known.To = text.fallback()
	return known
}

// kernelFailed is what Jupyter prints when a kernel ends before it has ever answered, with a time. One that has answered
// keeps its ports.
var kernelFailed = compile(`KernelRestarter: (?:restarting kernel \(\d+/\d+\), new random ports|restart failed)`)

// KernelFailure returns the last line of Jupyter's log that says that a kernel couldn't start, and its cause; "" if there is
// no such line.
func KernelFailure(log string) (line string, cause Cause) {
	t := newText(Failure{Log: log, Step: Run})
	found, at := t.find(kernelFailed)
	if found == nil {
		return "", Cause{}
	}
	line, t.lines = t.lines[at], t.lines[:at+1]
	return line, t.explain()
}

// coded are the causes that a code alone explains; where they have no sentence, it is the reason that came with the code.
var coded = map[Code]Cause{
	CloneRefused:     {Who: Authors, Action: Entry, Fix: "Ask the authors for the repository's public address."},
	CloneUnreachable: {Who: You, Action: Again, Fix: "Try again in a few minutes. If it happens again, tell the operators."},
	DatasetMissing:   {Who: Authors, Action: Without, Fix: "Start without it, or ask the authors where the data is."},
	DiskFull:         {Who: Operators, Action: Contact, Sentence: "This server's disk is full.", Fix: "Tell the operators."},
	Evicted:          {Who: You, Action: Again, Fix: "Start it again. If it happens often, ask the operators for a larger size."},
	IndexUnreachable: {
		Who: You, Action: Again, Sentence: "The package index can't be reached, so the packages weren't installed.",
		Fix: "Try again in a few minutes. If it happens again, tell the operators.",
	},
	Memory:          {Who: You, Action: Again, Fix: "Start it again and work on less data at a time, or ask the operators for more memory."},
	RefUnknown:      {Who: You, Action: Entry, Fix: "Start it from the entry again, or correct the link that brought you here."},
	ServerFault:     {Who: Operators, Action: Contact, Fix: "Send the operators this message."},
	Time:            {Who: You, Action: Again, Fix: "Try again. If it stops at the same place, tell the operators."},
	VersionConflict: {Who: Authors, Action: Repository, Fix: "Correct one of the two places, or ask the authors to."},
	TooLarge:        {Who: Authors, Action: Entry, Fix: "Ask the authors for a smaller version, or the operators for a higher limit."},
}

// text is a log that is searched.
type text struct {
	lines    []string
	datasets []string
	step     Step
}

func newText(failure Failure) *text {
	return &text{lines: strings.Split(strings.TrimRight(failure.Log, "\n"), "\n"), datasets: failure.Datasets, step: failure.Step}
}

// explain applies the first rule that matches, to its last match.
func (t *text) explain() Cause {
	for _, one := range t.rules() {
		for at, line := range slices.Backward(t.lines) {
			found := one.line.FindStringSubmatch(line)
			if found == nil {
				continue
			}
			if cause, fits := one.explain(t, at, found); fits {
				if cause.To == 0 {
					cause.From, cause.To = at, at+1
				}
				return cause
			}
		}
	}
	return Cause{}
}

// find returns the groups of the last line that matches, and its number; nil if there is none.
func (t *text) find(one pattern) ([]string, int) {
	for at, line := range slices.Backward(t.lines) {
		if found := one.FindStringSubmatch(line); found != nil {
			return found, at
		}
	}
	return nil, -1
}

func (t *text) has(one pattern) bool {
	found, _ := t.find(one)
	return found != nil
}

// fallback returns the last line that reports an error in any program's form; nothing if there is none.
func (t *text) fallback() (from, to int) {
	if _, at := t.find(anyError); at >= 0 {
		return at, at + 1
	}
	return 0, 0
}

// known is an error whose cause its author knows.
type known struct {
	error

	code Code
}

func (k *known) Unwrap() error { return k.error }

// With adds a code to an error.
func With(err error, code Code) error { return &known{err, code} }

// CodeOf returns the code that With added last; "" if none did.
func CodeOf(err error) Code {
	if found, ok := errors.AsType[*known](err); ok {
		return found.code
	}
	return ""
}
