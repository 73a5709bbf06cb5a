package environments

import (
	"bufio"
	"cmp"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
)

// pipOutput is pip's output.
type pipOutput struct {
	tell, log  func(string)
	plain      func(string) string // makes lines readable
	wheelsOnly bool                // packages that would have to be built count as missing

	// mu guards the fields below.
	mu   sync.Mutex
	now  string // the current step
	last string // its last error
	full bool
	away bool // its index, which it couldn't reach at least once

	lacking *lackingError // what its index lacks
}

// pipLacks is how pip says that its index lacks a package, perhaps one that another package needs.
var pipLacks = regexp.MustCompile(`^Could not find a version that satisfies the requirement (\S[^()]*?)(?: \(from ([A-Za-z0-9._-]+)\))? \(from versions:`)

// pipSteps are the prefixes of the lines that say what pip is doing; it repeats the last one during a build.
var pipSteps = []string{"Collecting ", "Downloading ", "Processing ", "Building wheel", "Installing ", "Preparing ", "Getting ", "still running"}

func (p *pipOutput) read(from io.Reader) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	running := 0
	for lines.Scan() {
		line := strings.TrimSpace(strings.ToValidUTF8(lines.Text(), "?"))
		if line == "" {
			continue
		}
		line = p.plain(line)
		p.log(line)
		p.mu.Lock()
		if reason, found := strings.CutPrefix(line, "ERROR: "); found {
			p.last = reason
			if found := pipLacks.FindStringSubmatch(reason); found != nil {
				p.lacking = &lackingError{root: cmp.Or(found[2], found[1]), needs: found[1]}
			}
		}
		p.full = p.full || strings.Contains(line, "No space left on device") || strings.Contains(line, "Disk quota exceeded")
		p.away = p.away || strings.Contains(line, "Retrying (Retry(") || strings.Contains(line, "Max retries exceeded")
		for _, step := range pipSteps {
			if !strings.HasPrefix(line, step) {
				continue
			}
			if step == "still running" {
				running++
				p.tell(p.now + strings.Repeat(".", running%4))
			} else {
				p.now = engine.Shorten(line, 120)
				p.tell(p.now)
			}
		}
		p.mu.Unlock()
	}
	return lines.Err()
}

// watch reports every further megabyte that was downloaded, and has the disk checked.
func (p *pipOutput) watch(done <-chan struct{}, received func() int64, look func()) {
	ticks := time.NewTicker(2 * time.Second)
	defer ticks.Stop()
	told := int64(0)
	for {
		select {
		case <-done:
			return
		case <-ticks.C:
		}
		look()
		if received == nil {
			continue
		}
		if now := received() >> 20; now > told {
			told = now
			p.mu.Lock()
			p.tell(p.now + ", " + humanize.Bytes(now<<20) + " fetched")
			p.mu.Unlock()
		}
	}
}

// failure says why pip failed. A package that is lacking is a lackingError.
func (p *pipOutput) failure(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	failed := fault.Wrap(err, fault.Unavailable, "%s", p.reason())
	switch {
	case p.full:
		return diagnosis.With(failed, diagnosis.DiskFull)
	case p.lacking != nil:
		return &lackingError{failed, p.lacking.root, p.lacking.needs}
	}
	return failed
}

// reason is failure in words. p.mu must be held.
func (p *pipOutput) reason() string {
	switch {
	case p.full:
		return folders.DiskFull
	case p.last == "":
		return "This repository's packages couldn't be installed. See the log."
	default:
		reason := "This repository's packages couldn't be installed: " + strings.TrimRight(engine.Shorten(p.last, 300), ".") + "."
		if p.wheelsOnly && strings.HasPrefix(p.last, "No matching distribution") {
			reason += " This server installs only packages that come as wheels."
		}
		return reason
	}
}
