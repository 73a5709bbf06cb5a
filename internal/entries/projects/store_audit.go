package projects

import (
	"context"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// projectIn returns a project as a transaction sees it; NotFound if there is none.
func projectIn(ctx context.Context, tx *sqldb.Tx, id string) (row, error) {
	found, err := list(ctx, tx, `p.id = $1`, id)
	if err == nil && len(found) == 0 {
		err = fault.New(fault.NotFound, "This project doesn't exist, or you don't have access to it.")
	}
	if err != nil {
		return row{}, err
	}
	return found[0], nil
}

func recordChange(ctx context.Context, tx *sqldb.Tx, before row) error {
	after, err := projectIn(ctx, tx, before.ID)
	if err != nil {
		return err
	}
	return record(ctx, tx, audit.EditProject, before, after)
}

// record records what its owner changes in a project; before is the zero row if they add it. Only projects that are
// published, before and after, are known to others.
func record(ctx context.Context, tx *sqldb.Tx, action audit.Action, before, after row) error {
	return audit.Record(ctx, tx, audit.Event{
		Action: action,
		Object: audit.Object{
			Type: audit.Project, ID: after.ID, Name: after.Name, Private: !after.Published || (before.ID != "" && !before.Published),
		},
		Changes: []audit.Change{
			{Column: "project.name", Old: before.Name, New: after.Name},
			{Column: "project.repository_id", Old: before.repositoryID, New: after.repositoryID},
			{Column: "project_dataset.resource_id", Old: before.datasetIDs, New: after.datasetIDs},
			{Column: "project.published", Old: before.Published, New: after.Published},
		},
		Concerns: []string{after.OwnerID},
	})
}
