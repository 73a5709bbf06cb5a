package diagnosis

import (
	"regexp"
	"slices"
	"strings"
)

type pattern = *regexp.Regexp

// rule explains a line that matches, unless what is around it says otherwise.
type rule struct {
	line    pattern
	explain func(t *text, at int, found []string) (Cause, bool)
}

// always is the explanation of lines that mean the same wherever they stand.
func always(cause Cause) func(*text, int, []string) (Cause, bool) {
	return func(_ *text, _ int, found []string) (Cause, bool) {
		cause := cause
		for i, group := range found {
			mark := "$" + string(rune('0'+i))
			cause.Sentence = strings.ReplaceAll(cause.Sentence, mark, group)
			cause.Fix = strings.ReplaceAll(cause.Fix, mark, group)
		}
		return cause, true
	}
}

func compile(form string) pattern { return regexp.MustCompile(form) }

// rules are asked in this order: first what is certain wherever it is printed, then pip, whose builds print tracebacks,
// and Python's exceptions last.
func (t *text) rules() []rule {
	switch t.step {
	case Clone:
		return slices.Concat(systemRules, gitRules)
	case Install:
		return slices.Concat(systemRules, pipRules)
	case Run:
		return slices.Concat(systemRules, pythonRules, jupyterRules)
	}
	return slices.Concat(systemRules, gitRules, pipRules, pythonRules, jupyterRules)
}

// anyError are the forms in which these programs report errors.
var anyError = compile(`^(?:ERROR: |fatal: |error: |\[[CE] |\S*(?:Error|Exception)\b)`)

var systemRules = []rule{
	{compile(`No space left on device|Disk quota exceeded`), always(Cause{
		Code: DiskFull, Sentence: "The disk is full.", Fix: "Tell the operators.", Who: Operators, Action: Contact,
	})},
	{compile(`^(?:numpy\.core\._exceptions\.)?_?(?:Array)?MemoryError\b(?:: (Unable to allocate \S+ \S+).*)?`), func(_ *text, _ int, found []string) (Cause, bool) {
		sentence := "The code needed more memory than the session has."
		if found[1] != "" {
			sentence = "The code needed more memory than the session has: " + lowerFirst(found[1]) + "."
		}
		return lessData(sentence), true
	}},
	{compile(`DeadKernelError: Kernel died$|std::bad_alloc|(?i:virtual memory exhausted)|Killed signal terminated program`), func(*text, int, []string) (Cause, bool) {
		return lessData("A program was stopped, probably because it needed more memory than the session has."), true
	}},
	{compile(`CellTimeoutError: .* after (\d+) seconds`), always(Cause{
		Code: Time, Sentence: "A cell ran longer than the $1 seconds allowed.",
		Fix: "Ask the authors for a shorter version, or run it in a session, where cells have no limit.", Who: Authors, Action: Entry,
	})},
	{compile(`NotJSONError|(?:Notebook|jsonschema\.exceptions\.)ValidationError|[Nn]otebook is invalid|Unreadable Notebook`), func(t *text, at int, _ []string) (Cause, bool) {
		cause := Cause{
			Code: NotebookInvalid, Sentence: "The file isn't a notebook that Jupyter can read.",
			Fix: "Ask the authors to save it again with Jupyter.", Who: Authors, Action: Entry,
		}
		if strings.Contains(t.lines[at], "<<<<<<<") {
			cause.Sentence = "The notebook contains conflict markers from an unfinished Git merge."
			cause.Fix = "The authors have to finish the merge: remove the lines with <<<<<<<, ======= and >>>>>>>, or take one of the two versions."
		}
		return cause, true
	}},
	{compile(`NoSuchKernel: No such kernel named (\S+)|Kernel not found: (\S+)`), missingKernel},
}

func lessData(sentence string) Cause {
	return Cause{
		Code: Memory, Sentence: sentence, Who: You, Action: Again,
		Fix: "Start it again and work on less data at a time, or ask the operators for more memory.",
	}
}

// languages are the languages of kernels, by the beginning of their names.
var languages = map[string]string{
	"ir": "R", "julia": "Julia", "octave": "Octave", "matlab": "MATLAB", "sagemath": "SageMath", "scala": "Scala", "bash": "Bash", "xcpp": "C++",
	"javascript": "JavaScript", "deno": "TypeScript", "rust": "Rust", "haskell": "Haskell", "ruby": "Ruby", "perl": "Perl", "sos": "SoS", "stata": "Stata",
	"python2": "Python 2",
}

var kernelFamily = compile(`^[a-z]+(?:2$)?`)

func missingKernel(_ *text, _ int, found []string) (Cause, bool) {
	name := found[1] + found[2]
	language := languages[kernelFamily.FindString(strings.ToLower(name))]
	if language == "" { // the name of somebody's environment, most likely of Python
		return Cause{
			Code: WrongLanguage, Sentence: "The notebook needs a kernel named " + name + ", which this server doesn't have.",
			Fix: "If it is written in Python, choose Python 3 in Jupyter's menu Kernel, Change kernel.", Who: You, Action: Again,
		}, true
	}
	return Cause{
		Code: WrongLanguage, Sentence: "The notebook is written in " + language + ", which doesn't run here (kernel " + name + ").",
		Fix: "Ask the operators to install a kernel for " + language + ".", Who: Operators, Action: Contact,
	}, true
}

var gitRules = []rule{
	{compile(`^fatal: Remote branch (\S+) not found`), always(Cause{
		Code: RefUnknown, Sentence: "The repository has no branch named $1.", Fix: "Ask the authors for the branch.", Who: Authors, Action: Entry,
	})},
	{compile(`^fatal: (?:repository '.*' not found|could not read Username|Authentication failed|.* not valid: is this a git repository|.*does not appear to be a git repository)|` +
		`^fatal: unable to access .*returned error: 4(?:0[134]|10)\b|^remote: Repository not found`), always(Cause{
		Code: CloneRefused, Sentence: "The repository doesn't exist at this address, or it isn't public.",
		Fix: "Ask the authors for the repository's public address.", Who: Authors, Action: Entry,
	})},
	{compile(`^fatal: unable to access .*(?:certificate|SSL)`), always(Cause{
		Code: CloneUnreachable, Sentence: "The repository's host can't be trusted: its certificate isn't valid.",
		Fix: "Ask the authors for another address, or for a valid certificate of their host.", Who: Authors, Action: Entry,
	})},
	{compile(`^fatal: unable to access .*Could not resolve host: (\S+)`), always(Cause{
		Code: CloneUnreachable, Sentence: "The host $1 wasn't found.",
		Fix: "Try again in a few minutes. If it happens again, ask the authors whether the address is still right.", Who: You, Action: Again,
	})},
	{compile(`^fatal: unable to access .*(?:CONNECT tunnel failed, response|Received HTTP code) 502`), always(Cause{
		Code: CloneUnreachable, Sentence: "The repository's host can't be reached from this server, and copying the repository needs the internet.",
		Fix: "Try again when this server is online.", Who: You, Action: Again,
	})},
	{compile(`^(?:fatal|error): (?:unable to access|RPC failed|.*(?:early EOF|hung up|unexpected disconnect))`), always(Cause{
		Code: CloneUnreachable, Sentence: "The repository's host didn't answer, or dropped the connection.",
		Fix: "Try again in a few minutes.", Who: You, Action: Again,
	})},
}

var jupyterRules = []rule{
	{compile(`Kernel died before replying|KernelRestarter: (?:restarting kernel|restart failed)`), always(Cause{
		Code: KernelDied, Sentence: "The kernel stopped before it could run anything.",
		Fix: "Look at the lines around this one. If they don't explain it, start it again.", Who: You, Action: Again,
	})},
	{compile(`Running as root is not recommended|Address already in use|^(?:\[C .*\] )?Bad config encountered`), always(Cause{
		Code: ServerFault, Sentence: "Jupyter couldn't start on this server.", Fix: "Send the operators this message.", Who: Operators, Action: Contact,
	})},
}

func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }
