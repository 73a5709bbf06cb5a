package comparator

import (
	"regexp"
	"slices"
	"strings"
)

// rule replaces something that says where or how a run took place, not what came out.
type rule struct {
	needs   string // a part of every match: most lines lack it, and looking for it is quick
	pattern *regexp.Regexp
	mark    string
}

func rules(parts ...string) []rule {
	all := make([]rule, 0, len(parts)/3)
	for i := 0; i < len(parts); i += 3 {
		all = append(all, rule{parts[i], regexp.MustCompile(parts[i+1]), parts[i+2]})
	}
	return all
}

// roots are where the files of people, programs and runs lie. A path elsewhere may be a name in a file of data.
const roots = `/(?:home|Users|root|work|workspaces?|content|srv|mnt|media|opt|usr|var|tmp|private|data|scratch|app|nfs|gpfs|kaggle|github|builds|run|__w)/`

var (
	// everywhere are the rules of all texts.
	everywhere = rules(
		"0x", `\bat 0x[0-9a-fA-F]{6,16}\b`, "at <address>",
		"0x", `\b0x(?:[0-9a-fA-F]{12}|[0-9a-fA-F]{16})\b`, "<address>", // shorter ones may be results
		"-", `\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`, "<uuid>",
		"[", `\b(In|Out) ?\[\d+\]`, "$1[]",
		"<ipython-input-", `<ipython-input-\d+-[0-9a-f]+>`, "<cell>",
		"ipykernel_", `\S*ipykernel_\d+/\d+\.py`, "<cell>",
		"Axes", `<(?:matplotlib\.axes\._(?:subplots|axes)\.)?Axes(?:Subplot)?(?: at <address>|:[^>]*)>`, "<Axes>",
		"np.", `\bnp\.(?:float|int|uint|complex|longdouble|str_|bytes_|bool)\w*\(([^()]*)\)`, "$1", // how NumPy writes its scalars since version 2
		"np.", `\bnp\.(True|False)_`, "$1",
		"-packages", `[^\s'"(<>=]*[/\\](?:site|dist)-packages[/\\]`, "<packages>/",
		"/lib/python", `[^\s'"(<>=]*/lib/python\d\.\d+/`, "<lib>/",
		"/", `(?:/var/folders/[^\s'"]+/T|/private/tmp|/var/tmp|/tmp)/[^\s'"/,:;)>]+`, "<temporary>",
		`:\`, `\b[A-Z]:(?:\\{1,2}[^\s'"\\]+)*\\{1,2}([^\s'"\\.]+\.\w+)\b`, "<path>/$1",
		`:\`, `\b[A-Z]:(?:\\{1,2}[^\s'"\\]+)+`, "<folder>",
		"/", `(^|file://|[\s'"(\[{=:,>])`+roots+`(?:[^\s'"/,:;)\]}<>]+/)*([^\s'"/,:;)\]}<>]+\.\w+)`, "$1<path>/$2",
		"/", `(^|file://|[\s'"(\[{=:,>])`+roots+`[^\s'",:;)\]}<>]*`, "$1<folder>",
		"/root", `(^|file://|[\s'"(\[{=:,>])/root\b`, "$1<folder>",
		"~/", `(^|file://|[\s'"(])~/`, "$1<folder>/",
	)
	// inMarkup are those of HTML, SVG and JSON: numbers of elements.
	inMarkup = rules(
		"", `[0-9a-f]{32,}`, "<id>",
		"T_", `\bT_[0-9a-f]{5,}(_|\b)`, "T_<id>$1",
		"sk-", `\bsk-(container|estimator)-id-\d+`, "sk-$1-id",
		"", `\b(bk|altair-viz|vis|mpld3|el|fig_el|df)[-_]?[0-9a-f]{8,}\b`, "$1-<id>",
	)
	// timed are lines about times alone, each with one of the words of timers.
	timed  = regexp.MustCompile(`^(\s*(?:CPU times|Wall time|Compiler\s*|Parser\s*): ).*|.*\bper loop \(mean.*|.*\bbest of \d+: .* per loop.*|.*\d+%\|.*\|.*\[.*|.*\d(?:it/s|s/it)\b.*`)
	timers = []string{"CPU times", "Wall time", "Compiler", "Parser", "per loop", "%|", "it/s", "s/it"}
	// timing are lines in which numbers with a unit of time say how long something took.
	timing = regexp.MustCompile(`(?i)\b(?:elapsed|took|takes|finished in|done in|completed in|ran in|executed in|(?:execution|running|computation|computing|training|fitting|processing|loading|compute|wall|cpu|total|run) ?time|runtime|time (?:taken|elapsed|used|spent)|[nuµm]?s/(?:step|epoch|iter|sample))\b`)
	// amounts of time, on those lines.
	amounts = regexp.MustCompile(`(?i)\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)? ?(?:ns|µs|μs|us|ms|s|secs?|seconds?|milliseconds?|microseconds?|m|mins?|minutes?|h|hours?)\b(?:/\w+)?`)
	// bare amounts of time, which say their unit elsewhere.
	bare = regexp.MustCompile(`(?i)((?:elapsed|time|took|taken|runtime)(?: ?[\(\[](?:s|sec|seconds|ms)[\)\]])?\s*[:=]?\s*)\d+\.\d+(?:e[-+]?\d+)?`)
	// unstable begins a line that timeit writes or doesn't.
	unstable = "The slowest run took "
)

// masked replaces in a line what the rules say. Dates are left to moments.go.
func masked(line string, kind kind) string {
	if slices.ContainsFunc(timers, func(words string) bool { return strings.Contains(line, words) }) {
		if match := timed.FindStringSubmatch(line); match != nil {
			return match[1] + "<timing>"
		}
	}
	if timing.MatchString(line) {
		line = amounts.ReplaceAllString(line, "<time>")
		line = bare.ReplaceAllString(line, "${1}<time>")
	}
	line = apply(line, everywhere)
	if kind == markup || kind == drawing || kind == values {
		line = apply(line, inMarkup)
	}
	return strings.TrimRight(line, " ")
}

func apply(line string, all []rule) string {
	for _, one := range all {
		if strings.Contains(line, one.needs) {
			line = one.pattern.ReplaceAllString(line, one.mark)
		}
	}
	return line
}
