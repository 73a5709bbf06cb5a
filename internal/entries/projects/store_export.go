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
	members, err := membersOf(ctx, snapshot)
	if err != nil {
		return nil, err
	}
	for i := range drafts {
		drafts[i].Members = members[drafts[i].ID]
	}
	slices.SortFunc(drafts, func(a, b Draft) int { return strings.Compare(a.ID, b.ID) })
	return drafts, nil
}

// membersOf returns the members of all projects, by the ids of these.
func membersOf(ctx context.Context, snapshot *sqldb.Snapshot) (map[string][]Member, error) {
	rows, err := snapshot.QueryContext(ctx, `SELECT project_id, email, role FROM project_member ORDER BY project_id, email`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string][]Member{}
	for rows.Next() {
		var id string
		var one Member
		if err := rows.Scan(&id, &one.Email, &one.Role); err != nil {
			return nil, err
		}
		found[id] = append(found[id], one)
	}
	return found, rows.Err()
}
