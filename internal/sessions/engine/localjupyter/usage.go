package localjupyter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"cairn/internal/filetree"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter/folders"
	"cairn/internal/versions"
)

// leastFile is the minimum that a file counts: an empty one takes room in the tables of the file system.
const leastFile = 4 << 10

// growthWindow is the time in which growth counts.
const growthWindow = 10 * time.Minute

// usage is the disk space that a session takes.
type usage struct {
	bytes   int64
	files   int       // including folders and everything else
	changed time.Time // when something in its work folder last changed; times that programs can set don't count
}

// measure adds up a session's disk space, without its datasets: its folders, and deleted files that its processes keep
// open. It stops with filetree.ErrTooDeep, filetree.ErrTooMany or sandbox.ErrTooManyHandles at its limits, so its time
// is bounded whatever the session does.
func (s *session) measure(ctx context.Context, walked map[string]versions.Usage) (found usage, err error) {
	s.mu.Lock()
	box, groups := s.box(), s.record.Groups
	s.mu.Unlock()
	for _, name := range []string{folders.Work, folders.Home, folders.Temporary, folders.Clone} {
		if known, here := walked[name]; here {
			found.add(known, name == folders.Work)
			if known.Err != nil {
				return found, known.Err
			}
			continue
		}
		if err := s.measureFolder(ctx, s.folder, name, &found); err != nil {
			return found, err
		}
	}
	if err := s.measureFolder(ctx, filepath.Dir(s.runtime), filepath.Base(s.runtime), &found); err != nil {
		return found, err
	}
	deleted, count, err := s.engine.sandbox.DeletedFiles(ctx, box, groups, s.folder, s.runtime)
	found.bytes += deleted
	if found.files += count; err == nil && found.files > s.engine.options.Limits.Files {
		err = filetree.ErrTooMany
	}
	return found, err
}

// add adds what a version knows about a folder.
func (u *usage) add(known versions.Usage, isWork bool) {
	u.bytes += known.Bytes
	u.files += known.Files
	if isWork {
		u.changed = latest(u.changed, known.Changed)
	}
}

// measureFolder adds up a folder; a missing one takes nothing.
func (s *session) measureFolder(ctx context.Context, parent, name string, found *usage) error {
	root, err := os.OpenRoot(parent)
	if err != nil {
		return unlessMissing(err)
	}
	defer root.Close()
	isWork := name == folders.Work
	note := func(stat *unix.Stat_t) {
		found.bytes += max(stat.Blocks*512, leastFile)
		if isWork {
			found.changed = latest(found.changed, time.Unix(stat.Ctim.Unix()))
		}
	}
	var top unix.Stat_t
	if unix.Lstat(filepath.Join(parent, name), &top) == nil {
		note(&top)
	}
	return unlessMissing(filetree.Walk(ctx, root, name, filetree.Limits{}, func(entry *filetree.Entry) error {
		if isWork && entry.Depth == 1 && entry.Name == engine.DataFolder && entry.IsFolder() {
			return fs.SkipDir
		}
		if found.files++; found.files > s.engine.options.Limits.Files {
			return filetree.ErrTooMany
		}
		note(&entry.Stat)
		return nil
	}))
}

func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// diskState is the state of a session's disk.
type diskState struct {
	since   time.Time // when it first exceeded its limit; zero below
	warning string
	sizes   []sizeAt // in the growthWindow, oldest first
}

type sizeAt struct {
	at    time.Time
	bytes int64
}

// excess is the reason to end a session.
type excess struct {
	what string // the rest of a sentence
	hard bool   // it can't be started again in this state
}

// note records what measure returned, and returns why the session has to end; nil while it may continue.
func (c *diskState) note(found usage, err error, limits Limits, now time.Time) *excess {
	switch {
	case errors.Is(err, filetree.ErrTooMany):
		return &excess{fmt.Sprintf("it has more than the %d files and folders allowed", limits.Files), true}
	case errors.Is(err, filetree.ErrTooDeep):
		return &excess{fmt.Sprintf("it has more than %d folders inside each other", filetree.MaxDepth), true}
	case errors.Is(err, sandbox.ErrTooManyHandles):
		return &excess{"its processes keep too many files open", true}
	case err != nil:
		return nil // nothing is known
	}
	used := found.bytes
	c.sizes = append(c.sizes, sizeAt{now, used})
	for now.Sub(c.sizes[0].at) > growthWindow {
		c.sizes = c.sizes[1:]
	}
	if used <= limits.Disk {
		c.since, c.warning = time.Time{}, ""
		return nil
	}
	if c.since.IsZero() {
		c.since = now
	}
	end, hard := c.since.Add(limits.DiskGrace), used > 2*limits.Disk
	if now.Before(end) && !hard {
		c.warning = fmt.Sprintf("This session's files take %s, more than the %s allowed. Delete some, or the session is stopped at %s UTC; the files are kept.",
			engine.Size(used), engine.Size(limits.Disk), end.UTC().Format("15:04"))
		return nil
	}
	return &excess{fmt.Sprintf("its files take %s, more than the %s allowed", engine.Size(used), engine.Size(limits.Disk)), hard}
}

// noticeTime is how long a session says that a kernel was ended or couldn't start.
const noticeTime = 10 * time.Minute

// isRecent reports whether something that happened then is still said; zero: it never happened.
func isRecent(then, now time.Time) bool { return !then.IsZero() && now.Sub(then) < noticeTime }

// memoryState is the state of a session's memory.
type memoryState struct {
	used     int64 // 0: unknown
	peak     int64 // likewise; where the kernel doesn't count it, the most that was seen
	counted  bool
	kills    int64     // as last counted
	killedAt time.Time // when that last grew; zero: never
}

// note records what the control groups of the session say. What happened before the first look is of an earlier time.
func (m *memoryState) note(found sandbox.Memory, now time.Time) {
	if m.counted && found.Kills > m.kills {
		m.killedAt = now
	}
	m.used, m.peak, m.kills, m.counted = found.Used, max(m.peak, found.Peak, found.Used), found.Kills, true
}

// scarce reports whether the kernel of the machine ended a program in the last minutes because there was no more memory.
func (m *memoryState) scarce(now time.Time) bool {
	return isRecent(m.killedAt, now)
}

// noteMemory requires the lock.
func (s *session) noteMemory() {
	if found := sandbox.MemoryOf(s.record.Groups); found != (sandbox.Memory{}) {
		s.memory.note(found, s.engine.options.Now())
	}
}

// kernelState says whether a kernel of a session couldn't start.
type kernelState struct {
	size     int64  // of the log when it was last read
	line     string // that said so last
	counted  bool
	failedAt time.Time // when it said so; zero: never
	why      string    // sentences
}

// noteKernels reads what was added to the log. What happened before the first look is of an earlier time.
func (s *session) noteKernels() {
	about, err := os.Lstat(filepath.Join(s.folder, logName))
	s.mu.Lock()
	unchanged := err != nil || s.kernels.counted && about.Size() == s.kernels.size
	s.mu.Unlock()
	if unchanged {
		return
	}
	line, cause := diagnosis.KernelFailure(s.log())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kernels.counted && line != "" && line != s.kernels.line {
		s.kernels.failedAt, s.kernels.why = s.engine.options.Now(), "A kernel couldn't start."
		if cause.Code != "" && cause.Code != diagnosis.KernelDied {
			s.kernels.why += " " + cause.Sentence + " " + cause.Fix
		}
	}
	s.kernels.size, s.kernels.line, s.kernels.counted = about.Size(), line, true
}

// warning requires the lock. It returns what the user of a running session has to know.
func (s *session) warning() string {
	warnings := []string{s.disk.warning}
	if s.memory.scarce(s.engine.options.Now()) {
		warnings = append(warnings, fmt.Sprintf("A kernel ran out of memory and was stopped: the limit is %s. Its variables are lost; the files are kept.",
			engine.Size(s.limits().Memory)))
	}
	if isRecent(s.kernels.failedAt, s.engine.options.Now()) {
		warnings = append(warnings, s.kernels.why)
	}
	return strings.TrimSpace(strings.Join(warnings, " "))
}

// Usage returns what a running session uses.
func (e *Engine) Usage(_ context.Context, id string) (engine.Usage, error) {
	if known := e.find(id); known != nil {
		known.mu.Lock()
		defer known.mu.Unlock()
		if known.record.Phase == engine.Running {
			known.noteMemory()
			found := engine.Usage{MemoryBytes: known.memory.used, PeakMemoryBytes: known.memory.peak, Warning: known.warning()}
			if sizes := known.disk.sizes; len(sizes) > 0 {
				found.DiskBytes = sizes[len(sizes)-1].bytes
			}
			return found, nil
		}
	}
	return engine.Usage{}, errNotRunning
}

// grown returns how much the files have grown since their minimum in the growthWindow.
func (c *diskState) grown(now time.Time) int64 {
	if len(c.sizes) == 0 {
		return 0
	}
	last := c.sizes[len(c.sizes)-1].bytes
	least := last
	for _, one := range c.sizes {
		if now.Sub(one.at) <= growthWindow {
			least = min(least, one.bytes)
		}
	}
	return last - least
}

func latest(one, other time.Time) time.Time {
	if other.After(one) {
		return other
	}
	return one
}
