package localjupyter

import (
	"cmp"
	"strconv"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/checkout"
	"cairn/internal/sessions/machine/sandbox"
)

// batch returns what the session is started with if a program runs notebooks in it; else nil.
func (l *launch) batch() *engine.Batch {
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	return l.session.record.Spec.Batch
}

// of returns the limits of a session, of which its profile may set some.
func (l Limits) of(profile engine.Profile) Limits {
	l.Memory = cmp.Or(profile.Memory, l.Memory)
	l.CPU = cmp.Or(profile.CPU, l.CPU)
	l.Disk = cmp.Or(profile.Disk, l.Disk)
	return l
}

// boxOf returns the limits of each box of a session.
func (l Limits) boxOf(spec engine.Spec) sandbox.Limits {
	limits := l.of(spec.Profile).box()
	limits.Background = spec.Batch != nil
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
