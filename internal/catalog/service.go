package catalog

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"cairn/internal/fault"
	"cairn/internal/identity"
)

// Service answers questions about entries as a given caller may see them.
type Service struct {
	store  *Store
	index  *scan
	logger *slog.Logger
	images *HeaderImages // nil: none are shown

	refreshing sync.Mutex // one refresh at a time, so that a late one never puts an older state back
	followed   int64      // the change up to which the index knows everything
}

// NewService makes a service whose index holds all entries of the store.
func NewService(ctx context.Context, store *Store, logger *slog.Logger) (*Service, error) {
	s := &Service{store: store, index: newScan(), logger: logger}
	seq, err := store.LastChange(ctx) // before reading the entries: what changes meanwhile is read again
	if err != nil {
		return nil, err
	}
	ids, err := store.AllIDs(ctx)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(ids, changesPerRead) {
		if err := s.refresh(ctx, part); err != nil {
			return nil, err
		}
	}
	s.followed = seq
	return s, nil
}

// followInterval is how long a change by another process may stay unseen.
const followInterval = 500 * time.Millisecond

// Follow keeps the index up with changes by other processes until ctx ends.
func (s *Service) Follow(ctx context.Context) {
	ticker := time.NewTicker(followInterval)
	defer ticker.Stop()
	for {
		if err := s.catchUp(ctx); err != nil && ctx.Err() == nil {
			s.logger.WarnContext(ctx, "catalog changes cannot be followed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (s *Service) catchUp(ctx context.Context) error {
	for {
		last, err := s.store.LastChange(ctx)
		if err != nil || last == s.followed {
			return err
		}
		ids, upTo, err := s.store.ChangedSince(ctx, s.followed)
		if err != nil {
			return err
		}
		if err := s.refresh(ctx, ids); err != nil {
			return err
		}
		s.followed = upTo
	}
}

func (s *Service) refresh(ctx context.Context, ids []string) error {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	resources, err := s.store.Load(ctx, ids)
	if err != nil {
		return err
	}
	s.index.apply(ids, resources)
	return nil
}

// Page is a part of a search's answer.
type Page struct {
	Resources []Resource
	Total     int
	Facets    *Facets
}

// Search finds entries that the caller may see. What the store says counts: an entry that changed since the index saw
// it is shown as it is now, or not at all.
func (s *Service) Search(ctx context.Context, query Query) (Page, error) {
	query.Email = identity.Email(ctx)
	result, err := s.index.Search(ctx, query)
	if err != nil {
		return Page{}, err
	}
	resources, err := s.visible(ctx, result.IDs)
	return Page{Resources: resources, Total: result.Total, Facets: result.Facets}, err
}

func (s *Service) visible(ctx context.Context, ids []string) ([]Resource, error) {
	resources, err := s.store.Load(ctx, ids)
	if err != nil {
		return nil, err
	}
	email := identity.Email(ctx)
	resources = slices.DeleteFunc(resources, func(r Resource) bool { return !r.VisibleTo(email) })
	s.addHeaderImages(resources, email)
	return resources, s.personalize(ctx, resources)
}

// personalize adds what entries are to a signed-in caller.
func (s *Service) personalize(ctx context.Context, resources []Resource) error {
	caller, ok := identity.From(ctx)
	if !ok {
		return nil
	}
	starred, err := s.store.StarredBy(ctx, caller.AccountID)
	if err != nil {
		return err
	}
	for i := range resources {
		r := &resources[i]
		isStarred, mayDelete := slices.Contains(starred, r.ID), r.DeletableBy(caller.Email)
		maySync := mayDelete && r.Type == Repository
		r.Starred, r.CanDelete, r.CanSync = &isStarred, &mayDelete, &maySync
	}
	return nil
}

// Get gives one entry; NotFound when it is absent or not visible to the caller.
func (s *Service) Get(ctx context.Context, id string) (Resource, error) {
	absent := fault.New(fault.NotFound, "There is no such entry, or it is not shown to you.")
	found, err := s.visible(ctx, []string{id})
	if err != nil {
		return Resource{}, err
	}
	if len(found) == 0 {
		return Resource{}, absent
	}
	return found[0], nil
}

// LoadAny gives entries whatever their state and privacy, for slices that keep references to them and apply the rules
// themselves.
func (s *Service) LoadAny(ctx context.Context, ids []string) ([]Resource, error) {
	return s.store.Load(ctx, ids)
}

// Tags gives the tags of the entries that the caller may see.
func (s *Service) Tags(ctx context.Context) ([]TagCount, error) {
	return s.store.Tags(ctx, identity.Email(ctx))
}

// Starred gives the caller's starred entries that are still visible to them, newest star first.
func (s *Service) Starred(ctx context.Context, email string) ([]Resource, error) {
	caller, err := identity.RequireEmail(ctx, email)
	if err != nil {
		return nil, err
	}
	ids, err := s.store.StarredBy(ctx, caller.AccountID)
	if err != nil {
		return nil, err
	}
	return s.visible(ctx, ids)
}

// SetStar sets or removes the caller's star on an entry and tells how it is now.
func (s *Service) SetStar(ctx context.Context, id string, starred bool) (bool, error) {
	return s.changeStar(ctx, id, func(accountID string) (bool, error) {
		return starred, s.store.SetStar(ctx, accountID, id, starred)
	})
}

// ToggleStar turns the caller's star on an entry around and tells how it is now.
func (s *Service) ToggleStar(ctx context.Context, id string) (bool, error) {
	return s.changeStar(ctx, id, func(accountID string) (bool, error) { return s.store.ToggleStar(ctx, accountID, id) })
}

func (s *Service) changeStar(ctx context.Context, id string, change func(accountID string) (bool, error)) (bool, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return false, err
	}
	caller, _ := identity.From(ctx)
	starred, err := change(caller.AccountID)
	if err != nil {
		return false, err
	}
	return starred, s.refresh(ctx, []string{id})
}

// Delete hides an entry for good; Forbidden for others than its authors.
func (s *Service) Delete(ctx context.Context, id string) error {
	resource, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	if !resource.DeletableBy(identity.Email(ctx)) {
		return fault.New(fault.Forbidden, "Only the authors of %s can delete it: %s.", quote(resource.Name), authorsText(resource))
	}
	if err := s.store.Delete(ctx, id); err != nil {
		return err
	}
	return s.refresh(ctx, []string{id})
}

func authorsText(r Resource) string {
	if len(r.Authors) > 1 {
		return r.Authors[0] + " and others"
	}
	return r.Authors[0]
}
