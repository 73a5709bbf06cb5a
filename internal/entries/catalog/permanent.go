package catalog

import "context"

// Permanent returns the entry that a permanent address is for, as everybody sees it: a public one, or a deleted one that was
// public until its authors deleted it, of which only the name, the dates and the identifier are left. Everything else is
// NotFound, so nobody learns that it exists.
func (s *Service) Permanent(ctx context.Context, id string) (Entry, error) {
	found, err := s.store.LoadUnlabeled(ctx, []string{id})
	if err != nil {
		return Entry{}, err
	}
	if len(found) == 0 {
		return Entry{}, notFound()
	}
	r := found[0]
	switch {
	case r.Public():
		return s.inVersionOf(ctx, r)
	case r.State == StateDeleted && r.Privacy == PrivacyPublic && !r.Hidden && r.IssuedAt != nil:
		return Entry{ID: r.ID, Type: r.Type, Name: r.Name, DOI: r.DOI, State: r.State, IssuedAt: r.IssuedAt, UpdatedAt: r.UpdatedAt}, nil
	}
	return Entry{}, notFound()
}
