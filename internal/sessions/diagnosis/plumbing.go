package diagnosis

// plumbing are lines that say nothing about a failure: of the network's and the box's own programs, and warnings to the
// authors of libraries.
var plumbing = compile(`^(?:WARNING: Support for seccomp is experimental|sent tapfd=|received tapfd=|Starting slirp|\* (?:MTU|Network|Netmask|Gateway|DNS|DHCP begin|DHCP end|Recommended IP): |` +
	`seccomp: |slirp4netns: |bwrap: |0\.00s - |\[notice\] |Looking in indexes: |Looking in links: |WARNING: Running pip as the 'root' user|Requirement already satisfied: |` +
	`\[I .*(?:Writing |Loading |Serving notebooks|Jupyter Notebook .* is running|Use Control-C|http|Kernel started)|\[W .*(?:All authentication is disabled|WARNING: The notebook server is listening)|` +
	`\[NbClientApp\] )|(?:Future|Deprecation|PendingDeprecation|User|Runtime|Resource)Warning: |^  warnings\.warn\(|^` + frames)

// frames are lines of tracebacks in Jupyter's own code.
const frames = `  File "/usr/lib/python3[^"]*/(?:nbclient|jupyter_core|jupyter_client|jupyter_server|traitlets|asyncio|tornado|notebook|ipykernel|importlib)/`

var (
	frame   = compile(`^` + frames)
	deeper  = compile(`^(?:    |\s+\^+$)`)
	leastOf = 2 // lines that are worth folding
)

// LogPart is a run of lines of a log that are shown alike.
type LogPart struct {
	Kind PartKind `json:"kind" enum:"plain,folded,marked"`
	Text string   `json:"text" doc:"With the end of its last line"`
	Size int      `json:"size" doc:"Lines"`
}

// PartKind is how a part is shown.
type PartKind string

// The kinds of parts.
const (
	Plain  PartKind = "plain"
	Folded PartKind = "folded" // plumbing
	Marked PartKind = "marked" // the cause
)

// Parts cuts a log into parts: the lines of its cause are marked, and runs of plumbing folded. Their texts are the log.
func Parts(log string, cause Cause) []LogPart {
	lines := linesOf(log)
	kinds := make([]PartKind, len(lines))
	inFrame := false
	for i, line := range lines {
		inFrame = frame.MatchString(line) || inFrame && deeper.MatchString(line)
		switch {
		case i >= cause.From && i < cause.To:
			kinds[i] = Marked
		case inFrame, plumbing.MatchString(line):
			kinds[i] = Folded
		default:
			kinds[i] = Plain
		}
	}
	parts := []LogPart{}
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && kinds[to] == kinds[from] {
			to++
		}
		part := LogPart{Kind: kinds[from], Size: to - from}
		if part.Kind == Folded && part.Size < leastOf {
			part.Kind = Plain
		}
		for _, line := range lines[from:to] {
			part.Text += line
		}
		if last := len(parts) - 1; last >= 0 && parts[last].Kind == part.Kind {
			parts[last].Text, parts[last].Size = parts[last].Text+part.Text, parts[last].Size+part.Size
		} else {
			parts = append(parts, part)
		}
		from = to
	}
	return parts
}

// linesOf returns the lines with their ends.
func linesOf(log string) []string {
	var lines []string
	for from := 0; from < len(log); {
		to := from
		for to < len(log) && log[to] != '\n' {
			to++
		}
		to = min(to+1, len(log))
		lines = append(lines, log[from:to])
		from = to
	}
	return lines
}
