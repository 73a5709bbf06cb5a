package projects

import (
	"context"
	"slices"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/sqldb"
)

// Export returns all active projects as an import would write them, with the ids of their entries, in the order of their ids.
func Export(ctx context.Context, snapshot *sqldb.Snapshot) ([]Draft, error) {
	found, err := list(ctx, snapshot, `p.state = $1`, catalog.StateActive)
	if err != nil {
		return nil, err
	}
	drafts := make([]Draft, len(found))
	for i, one := range found {
		drafts[i] = Draft{
			ID: one.ID, ExternalID: one.externalID, CreatedAt: one.CreatedAt, Name: one.Name, OwnerEmail: one.OwnerID,
			RepositoryID: one.repositoryID, DatasetIDs: one.datasetIDs, Published: one.Published,
		}
	}
	slices.SortFunc(drafts, func(a, b Draft) int { return strings.Compare(a.ID, b.ID) })
	return drafts, nil
}
