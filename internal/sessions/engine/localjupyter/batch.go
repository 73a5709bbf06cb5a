package localjupyter

import (
	"cmp"

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

func (l *launch) batchEnvironment() []string {
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	return checkout.BatchEnvironment(l.session.record.CommittedAt)
}

// hasNoNetwork reports whether the session is to reach nothing.
func (l *launch) hasNoNetwork() bool {
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	return l.session.record.Spec.NoNetwork
}
