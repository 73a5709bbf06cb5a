package catalog

import (
	"context"
	"time"
)

// Changed makes searches of this process reflect a write of the store.
func (s *Service) Changed(ctx context.Context, changes Changes) {
	s.searchIndex.changed(ctx, changes, s.searchIndex.loadDocuments)
}

// CountAddition is Store.CountAddition.
func (s *Service) CountAddition(ctx context.Context, accountID string, most int) (wait time.Duration, err error) {
	return s.store.CountAddition(ctx, accountID, most)
}
