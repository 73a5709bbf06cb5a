package localjupyter

import (
	"os"
	"strings"
	"sync"
	"time"

	"cairn/internal/foundation/humanize"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/sandbox"
)

// health is what is known of the server of a session since its last launch.
type health struct {
	// mu guards the fields below.
	mu       sync.Mutex
	activity engine.Activity
	memory   memoryState
	computed processorState
	kernels  kernelState
}

// reset forgets everything, for a new launch.
func (h *health) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.activity, h.memory, h.computed, h.kernels = engine.Activity{}, memoryState{}, processorState{}, kernelState{}
}

// noteActivity records what the server tells; nil if it doesn't tell. It reports whether that differs from what was known.
func (h *health) noteActivity(told *engine.Activity, changed time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.activity
	if told != nil {
		h.activity.Busy, h.activity.Connections = told.Busy, told.Connections
		h.activity.LastAt = latest(h.activity.LastAt, told.LastAt)
	}
	h.activity.LastAt = latest(h.activity.LastAt, changed)
	return h.activity != before
}

// lastActivity returns what happens in the session, as far as is known.
func (h *health) lastActivity() engine.Activity {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.activity
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

// processorLook is how far apart two looks at the processors are at least: in a shorter time a tick of the clock counts too much.
const processorLook = time.Second

// processorState is how much a session computes.
type processorState struct {
	total time.Duration // when it was last looked at
	at    time.Time     // of that look; zero: never
	busy  float64       // processors, between the last two looks
}

// note records how long the session has computed since it began.
func (p *processorState) note(total time.Duration, now time.Time) {
	since := now.Sub(p.at)
	if !p.at.IsZero() && since < processorLook {
		return
	}
	if !p.at.IsZero() {
		p.busy = max(0, (total-p.total).Seconds()/since.Seconds())
	}
	p.total, p.at = total, now
}

// noteProcessors records what the control groups of the session say, if anything, and returns how many processors it keeps busy.
func (h *health) noteProcessors(groups []string, now time.Time) float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if total, counted := sandbox.ProcessorTime(groups); counted {
		h.computed.note(total, now)
	}
	return h.computed.busy
}

// noteMemory records what the control groups of the session say, if anything.
func (h *health) noteMemory(groups []string, now time.Time) memoryState {
	h.mu.Lock()
	defer h.mu.Unlock()
	if found := sandbox.MemoryOf(groups); found != (sandbox.Memory{}) {
		h.memory.note(found, now)
	}
	return h.memory
}

// lastMemory returns what is known of the memory.
func (h *health) lastMemory() memoryState {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.memory
}

// kernelState says whether a kernel of a session couldn't start.
type kernelState struct {
	size     int64  // of the log when it was last read
	line     string // that said so last
	counted  bool
	failedAt time.Time // when it said so; zero: never
	why      string    // sentences
}

// noteKernels reads what was added to the log, whose end is text. What happened before the first look is of an earlier time.
func (h *health) noteKernels(path string, text func() string, now time.Time) {
	about, err := os.Lstat(path)
	h.mu.Lock()
	unchanged := err != nil || h.kernels.counted && about.Size() == h.kernels.size
	h.mu.Unlock()
	if unchanged {
		return
	}
	line, cause := diagnosis.KernelFailure(text())
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kernels.counted && line != "" && line != h.kernels.line {
		h.kernels.failedAt, h.kernels.why = now, "A kernel couldn't start."
		if cause.Code != "" && cause.Code != diagnosis.KernelDied {
			h.kernels.why += " " + cause.Sentence + " " + cause.Fix
		}
	}
	h.kernels.size, h.kernels.line, h.kernels.counted = about.Size(), line, true
}

// warning returns what the user of a running session has to know about its kernels; memory is the limit in bytes.
func (h *health) warning(memory int64, now time.Time) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var warnings []string
	if h.memory.scarce(now) {
		warnings = append(warnings, "A kernel ran out of memory and was stopped: the limit is "+humanize.Bytes(memory)+
			". Its variables are lost; the files are kept.")
	}
	if isRecent(h.kernels.failedAt, now) {
		warnings = append(warnings, h.kernels.why)
	}
	return strings.Join(warnings, " ")
}

func latest(one, other time.Time) time.Time {
	if other.After(one) {
		return other
	}
	return one
}
