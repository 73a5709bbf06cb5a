package localjupyter

import (
	"path/filepath"
	"time"

	"cairn/internal/sessions/machine/sandbox"
)

// Weights of sessions on processors that several want. A room full of people may start, and sessions may be started ahead for them, without
// those who just want to begin waiting longer.
const (
	batchWeight = 1    // a program runs notebooks in it
	aheadWeight = 10   // nobody has it yet
	hurryWeight = 1000 // somebody waits for it
)

// hurryTime is how long a session comes before others once it runs: its page loads, and the first cells are executed.
const hurryTime = 30 * time.Second

// weight returns the weight of the session now. s.mu must be held.
func (s *session) weight() int {
	switch {
	case s.record.Spec.Batch != nil:
		return batchWeight
	case !s.engine.sandbox.Grouped(): // a process that was nice once stays so
		return sandbox.NormalWeight
	case s.record.Spec.Owner == "":
		return aheadWeight
	case s.launching != nil, s.engine.options.Now().Before(s.hurriesUntil):
		return hurryWeight
	}
	return sandbox.NormalWeight
}

// boxLimits returns the limits of each box of the session. s.mu must be held.
func (s *session) boxLimits() sandbox.Limits {
	limits := s.engine.options.Limits.of(s.record.Spec.Profile).box()
	limits.Weight = s.weight()
	return limits
}

// makeGroups makes the control groups of the session, or sets their limits again. s.mu must be held.
func (s *session) makeGroups() ([]string, error) {
	limits := s.boxLimits()
	s.weighs = limits.Weight
	return s.engine.sandbox.MakeGroups(filepath.Base(s.runtime), limits)
}

// limitAgain sets the limits of a session that has groups. s.mu must be held.
func (s *session) limitAgain() {
	if len(s.record.Groups) == 0 {
		return
	}
	if _, err := s.makeGroups(); err != nil {
		s.engine.options.Logger.Warn("a session's limits couldn't be set", "session", s.id, "error", err)
	}
}

// weighAgain sets the weight of a session that has groups if it has changed. s.mu must be held.
func (s *session) weighAgain() {
	if s.weighs != s.weight() {
		s.limitAgain()
	}
}
