package catalog

import (
	"context"

	"cairn/internal/people/identity"
)

// Stars are the stars that accounts gave to entries.
type Stars struct{ entries *Service }

// Of returns the caller's starred entries that are still visible to them, newest star first.
func (s Stars) Of(ctx context.Context, email string) ([]Resource, error) {
	caller, err := identity.RequireEmail(ctx, email)
	if err != nil {
		return nil, err
	}
	ids, err := s.entries.store.StarredBy(ctx, caller.AccountID)
	if err != nil {
		return nil, err
	}
	return s.entries.Visible(ctx, ids)
}

// Set sets or removes the caller's star on an entry and returns its state.
func (s Stars) Set(ctx context.Context, id string, starred bool) (bool, error) {
	return s.change(ctx, id, func(accountID string) (bool, Changes, error) {
		changes, err := s.entries.store.SetStar(ctx, accountID, id, starred)
		return starred, changes, err
	})
}

// Toggle toggles the caller's star on an entry and returns its state.
func (s Stars) Toggle(ctx context.Context, id string) (bool, error) {
	return s.change(ctx, id, func(accountID string) (bool, Changes, error) {
		return s.entries.store.ToggleStar(ctx, accountID, id)
	})
}

func (s Stars) change(ctx context.Context, id string, change func(accountID string) (bool, Changes, error)) (bool, error) {
	if err := identity.RefuseDisabled(ctx); err != nil {
		return false, err
	}
	entry, err := s.entries.store.Access(ctx, id)
	if err != nil {
		return false, err
	}
	if !entry.VisibleTo(identity.Email(ctx)) {
		if !entry.ForHost() {
			return false, notFound()
		}
		if err := s.entries.mayRead(ctx, entry); err != nil {
			return false, err
		}
	}
	caller, _ := identity.From(ctx)
	starred, changes, err := change(caller.AccountID)
	if err != nil {
		return false, err
	}
	s.entries.searchIndex.changed(ctx, changes, s.entries.searchIndex.loadCounted)
	return starred, nil
}
