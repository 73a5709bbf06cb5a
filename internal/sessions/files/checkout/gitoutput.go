package checkout

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/files/folders"
)

// gitOutput is git's standard error.
type gitOutput struct {
	failed string // what couldn't be done if git fails: the beginning of a sentence
	limit  int64  // maximum size of a file, in bytes
	fatal  string
	tooBig bool
	full   bool

	noAnswer bool // the host failed, or the connection to it

	ref  string   // a branch, tag or commit that the repository doesn't have
	refs []string // those that it has

	submodules, pointers missing // whose files the copy hasn't, and the files that Git LFS keeps elsewhere

	commit      string // that was checked out
	committedAt time.Time
	heads       map[string]string // the ids behind the names that are its keys, for those that git ls-remote listed
}

// missing are the paths of what a copy lacks.
type missing struct {
	all   []string // at most missingNamed of them
	count int
}

// missingNamed is how many paths of a kind are kept.
const missingNamed = 1_000

func (m *missing) add(path string) {
	if m.count++; len(m.all) < missingNamed {
		m.all = append(m.all, path)
	}
}

func (m *missing) remove(path string) {
	if at := slices.Index(m.all, path); at >= 0 {
		m.all = slices.Delete(m.all, at, at+1)
		m.count--
	}
}

func (m *missing) String() string {
	var first []string
	for _, one := range m.all[:min(len(m.all), 3)] {
		first = append(first, fault.Quote(one))
	}
	text := strings.Join(first, ", ")
	if more := m.count - len(first); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// lacks returns a sentence about what the copy of a repository lacks; "" if that's nothing.
func (g *gitOutput) lacks() string {
	var sentences []string
	if g.submodules.count > 0 {
		sentences = append(sentences, "The files of submodules aren't copied: "+g.submodules.String()+".")
	}
	if g.pointers.count > 0 {
		sentences = append(sentences, "Files in Git LFS aren't copied; there are only pointers to them: "+g.pointers.String()+".")
	}
	return strings.Join(sentences, " ")
}

var (
	gitFailed  = regexp.MustCompile(`^(?:fatal|error): (?:unable to access|RPC failed|.*(?:early EOF|hung up unexpectedly|unexpected disconnect))`)
	gitRefused = regexp.MustCompile(`The requested URL returned error: 4(?:[013-9]|2[0-8])`) // responses of the host itself, except "too many requests"
)

// The lines of cloneScript and of git ls-remote that name a commit. Times are in seconds since 1970.
var (
	commitLine = regexp.MustCompile(`^` + commitPrefix + `([0-9a-f]{40}|[0-9a-f]{64})(?: ([0-9]*))?$`)
	headLine   = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})\t(.+)$`)
)

var gitProgress = regexp.MustCompile(`^(?:remote: )?([A-Z][a-z]+ [a-z]+): +([0-9]{1,3})%(?: \([0-9/]+\), ([0-9.]+ [KMG]iB))?`)

// read passes progress to tell and the other lines to the log, until git ends.
func (g *gitOutput) read(from io.Reader, tell, log func(string)) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	lines.Split(splitProgress)
	last := ""
	for lines.Scan() {
		line := strings.TrimSpace(strings.ToValidUTF8(lines.Text(), "?"))
		if found := gitProgress.FindStringSubmatch(line); found != nil {
			detail := fmt.Sprintf("%s: %s %%", found[1], found[2])
			if found[3] != "" {
				detail += ", " + found[3] // a large file doesn't change the percentage for a long time
			}
			if detail != last {
				last = detail
				tell(detail)
			}
			continue
		}
		if name, found := strings.CutPrefix(line, noRefPrefix); found {
			g.ref = name
			continue
		}
		if name, found := strings.CutPrefix(line, refPrefix); found {
			if name != "HEAD" {
				g.refs = append(g.refs, name)
			}
			continue
		}
		if path, found := strings.CutPrefix(line, submodulePrefix); found {
			g.submodules.add(path)
			continue
		}
		if path, found := strings.CutPrefix(line, pointerPrefix); found {
			g.pointers.add(path)
			continue
		}
		if found := commitLine.FindStringSubmatch(line); found != nil {
			seconds, _ := strconv.ParseInt(found[2], 10, 64) // whoever commits can make it any
			g.commit, g.committedAt = found[1], time.Unix(min(seconds, LatestDate.Unix()), 0).UTC()
			continue
		}
		if found := headLine.FindStringSubmatch(line); found != nil && g.heads != nil {
			if _, asked := g.heads[found[2]]; asked {
				g.heads[found[2]] = found[1]
			}
			continue
		}
		if line == "" {
			continue
		}
		log(line)
		g.tooBig = g.tooBig || strings.Contains(line, "File too large") || strings.Contains(line, "died of signal 25")
		g.noAnswer = g.noAnswer || (gitFailed.MatchString(line) && !gitRefused.MatchString(line))
		g.full = g.full || strings.Contains(line, "No space left on device")
		if reason, isFatal := strings.CutPrefix(line, "fatal: "); isFatal {
			g.fatal = reason
		}
	}
	return lines.Err()
}

// splitProgress also ends lines at carriage returns, with which git overwrites its progress.
func splitProgress(content []byte, atEnd bool) (advance int, line []byte, err error) {
	if end := bytes.IndexAny(content, "\r\n"); end >= 0 {
		return end + 1, content[:end], nil
	}
	if atEnd && len(content) > 0 {
		return len(content), content, nil
	}
	return 0, nil, nil
}

// reason turns git's last message into a sentence.
func (g *gitOutput) reason() string {
	switch {
	case g.full:
		return folders.DiskFull
	case g.tooBig:
		return "The repository is larger than the " + humanize.Bytes(g.limit) + " that a session's files may take."
	case strings.Contains(g.fatal, "could not read Username"), strings.Contains(g.fatal, "Authentication failed"):
		return g.failed + ": it doesn't exist, or it isn't public."
	case g.fatal == "" && g.heads != nil:
		return g.failed + "."
	case g.fatal == "":
		return g.failed + ". See the log."
	default:
		said := []rune(g.fatal)
		return g.failed + ": " + strings.TrimRight(string(said[:min(len(said), 300)]), ".") + "."
	}
}

// LatestDate bounds the times that commits claim: zip files can't store later ones.
var LatestDate = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
