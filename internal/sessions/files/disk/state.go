package disk

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/filetree"
	"cairn/internal/sessions/machine/sandbox"
)

// growthWindow is the time in which growth counts.
const growthWindow = 10 * time.Minute

// Limits are those of a session's files.
type Limits struct {
	Bytes int64
	Files int
	Grace time.Duration // from the warning about exceeding Bytes to the end of the session
}

// State is what is known of the files of a session since its last launch. The zero value knows nothing.
type State struct {
	// mu guards the fields below.
	mu      sync.Mutex
	since   time.Time // when they first exceeded their limit; zero below
	warning string
	sizes   []sizeAt // in the growthWindow, oldest first
}

type sizeAt struct {
	at    time.Time
	bytes int64
	files int
}

// Growth is by how much the files of a session grew in the last minutes.
type Growth struct {
	Bytes int64
	Files int
}

// compare compares two growths: by files if these are short, else by bytes.
func (g Growth) compare(other Growth, byFiles bool) int {
	if byFiles {
		return cmp.Compare(g.Files, other.Files)
	}
	return cmp.Compare(g.Bytes, other.Bytes)
}

// text is the growth in words.
func (g Growth) text(byFiles bool) string {
	if byFiles {
		return fmt.Sprintf("the number of its files grew by %d", g.Files)
	}
	return "its files grew by " + humanize.Bytes(g.Bytes)
}

// Excess is the reason to end a session.
type Excess struct {
	What string // the rest of a sentence
	Hard bool   // it can't be started again in this state
}

// Reset forgets everything, for a new launch.
func (s *State) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since, s.warning, s.sizes = time.Time{}, "", nil
}

// Note records what Measure returned, and returns why the session has to end; nil while it may continue.
func (s *State) Note(found Usage, err error, limits Limits, now time.Time) *Excess {
	switch {
	case errors.Is(err, filetree.ErrTooMany):
		return &Excess{fmt.Sprintf("it has more than the %d files and folders allowed", limits.Files), true}
	case errors.Is(err, filetree.ErrTooDeep):
		return &Excess{fmt.Sprintf("it has more than %d folders inside each other", filetree.MaxDepth), true}
	case errors.Is(err, sandbox.ErrTooManyHandles):
		return &Excess{"its processes keep too many files open", true}
	case err != nil:
		return nil // nothing is known
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	used := found.Bytes
	s.sizes = append(s.sizes, sizeAt{now, used, found.Files})
	for now.Sub(s.sizes[0].at) > growthWindow {
		s.sizes = s.sizes[1:]
	}
	if used <= limits.Bytes {
		s.since, s.warning = time.Time{}, ""
		return nil
	}
	if s.since.IsZero() {
		s.since = now
	}
	end, hard := s.since.Add(limits.Grace), used > 2*limits.Bytes
	if now.Before(end) && !hard {
		s.warning = fmt.Sprintf("This session's files take %s, more than the %s allowed. Delete some, or the session is stopped at %s UTC; the files are kept.",
			humanize.Bytes(used), humanize.Bytes(limits.Bytes), end.UTC().Format("15:04"))
		return nil
	}
	return &Excess{fmt.Sprintf("its files take %s, more than the %s allowed", humanize.Bytes(used), humanize.Bytes(limits.Bytes)), hard}
}

// Warning returns what the session's user has to know about its files; "" if nothing.
func (s *State) Warning() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.warning
}

// Bytes returns what the files took when they were last measured; 0 if they weren't.
func (s *State) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sizes) == 0 {
		return 0
	}
	return s.sizes[len(s.sizes)-1].bytes
}

// Grown returns by how much the files have grown since their minimum in the growthWindow.
func (s *State) Grown(now time.Time) Growth {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sizes) == 0 {
		return Growth{}
	}
	last := s.sizes[len(s.sizes)-1]
	least := last
	for _, one := range s.sizes {
		if now.Sub(one.at) <= growthWindow {
			least.bytes, least.files = min(least.bytes, one.bytes), min(least.files, one.files)
		}
	}
	return Growth{last.bytes - least.bytes, last.files - least.files}
}
