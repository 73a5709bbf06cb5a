package localjupyter

import (
	"cmp"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/checkout"
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
