package localjupyter

import (
	"cmp"
	"strconv"
	"time"

	"cairn/internal/sandbox"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter/checkout"
)

// batch returns what the session is started with if a program runs notebooks in it; else nil.
func (l *launch) batch() *engine.Batch {
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	return l.session.record.Spec.Batch
}

// limits requires the lock. It returns the limits of the session.
func (s *session) limits() Limits {
	limits, profile := s.engine.options.Limits, s.record.Spec.Profile
	limits.Memory = cmp.Or(profile.Memory, limits.Memory)
	limits.CPU = cmp.Or(profile.CPU, limits.CPU)
	limits.Disk = cmp.Or(profile.Disk, limits.Disk)
	return limits
}

// boxLimits requires the lock. It returns the limits of each box of the session.
func (s *session) boxLimits() sandbox.Limits {
	limits := s.limits().box()
	limits.Background = s.record.Spec.Batch != nil
	return limits
}

// earliestDate bounds the time that programs put into files instead of the present: zip files can't store earlier ones.
var earliestDate = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// batchEnvironment returns the variables by which the same notebook gives the same outputs. The backend of Matplotlib is
// the one that Jupyter's kernels have anyway, and draws with Agg: with plain Agg, notebooks would show no figures.
func (l *launch) batchEnvironment() []string {
	l.session.mu.Lock()
	committed := l.session.record.CommittedAt
	l.session.mu.Unlock()
	switch {
	case committed.Before(earliestDate):
		committed = earliestDate
	case committed.After(checkout.LatestDate):
		committed = checkout.LatestDate
	}
	return []string{
		"PYTHONHASHSEED=0", "MPLBACKEND=module://matplotlib_inline.backend_inline", "TZ=UTC", "COLUMNS=80", "LC_ALL=C.UTF-8",
		"SOURCE_DATE_EPOCH=" + strconv.FormatInt(committed.Unix(), 10),
	}
}
