package history

import (
	"context"
	"errors"
	"slices"
	"time"

	"cairn/internal/foundation/versions"
)

// makeRoom frees what versions take, because the owner's quota or the disk's reserve is reached: the versions of
// deleted sessions go first, the oldest of them before the others, and then retention tightens. It reports whether saving is
// worth another try.
func (m *Manager) makeRoom(ctx context.Context, needs *Work, cause error) bool {
	quota := errors.Is(cause, versions.ErrQuota)
	enough := func() bool { return m.options.Disk.Shortage() == "" }
	owned := needs.folder()
	if quota {
		enough = func() bool {
			store, done, err := m.stores.use(owned, false)
			if err != nil {
				return false
			}
			defer done()
			return store.StoredBytes() < m.quota(owned)-m.quota(owned)/20
		}
	}
	for _, retired := range m.retired(owned, !quota) {
		if err := ctx.Err(); err != nil {
			return false
		}
		m.options.Logger.Info("the versions of a deleted session are deleted to make room", "session", retired.session.ID(), "cause", cause)
		_ = retired.session.Remove(ctx) // if it stays, others may go
		if ctx.Err() != nil {
			return false
		}
		name := retired.Record().History
		m.sweepVersions(name)
		if enough() {
			return true
		}
	}
	store, done, err := m.stores.use(owned, false)
	if err != nil {
		return false
	}
	defer done()
	for _, policy := range retentionLadder {
		deleted, err := store.Retain(policy)
		if err == nil && deleted > 0 {
			_, err = store.Sweep(ctx)
		}
		if err != nil {
			m.options.Logger.Warn("no room can be made for versions", "error", err)
			return false
		}
		if enough() {
			m.countVersions(store)
			return true
		}
	}
	m.countVersions(store)
	return false
}

// retired returns the work of the deleted sessions of an owner, or of all, the first deleted first.
func (m *Manager) retired(folder string, all bool) []*Work {
	var found []*Work
	deletedAt := map[*Work]time.Time{}
	for _, work := range m.options.All() {
		state, record := work.session.State(), work.Record()
		if record.isRetired(work.session.ID()) && !state.Wanted && !state.Gone && !state.Removing && (all || record.History == folder) {
			found = append(found, work)
			deletedAt[work] = record.RetiredAt
		}
	}
	slices.SortFunc(found, func(one, other *Work) int { return deletedAt[one].Compare(deletedAt[other]) })
	return found
}
