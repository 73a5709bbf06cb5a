package preview

import (
	"context"

	"cairn/internal/catalog"
)

// Entries is the part of the catalog that previews need.
type Entries interface {
	// Get returns an entry that the caller may see; NotFound for any other.
	Get(ctx context.Context, id string) (catalog.Resource, error)
	// LoadAny returns entries in any state and privacy; unknown ids are left out.
	LoadAny(ctx context.Context, ids []string) ([]catalog.Resource, error)
}
