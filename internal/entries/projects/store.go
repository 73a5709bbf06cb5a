package projects

import (
	"context"
	"database/sql"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// Store stores projects.
type Store struct{ db *sqldb.DB }

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db: db} }

// row is a project as stored: its entries are ids.
type row struct {
	Project

	externalID   string // its id, unless an import gave another
	repositoryID string
	datasetIDs   []string
}

var datasetColumns = []string{"project_id", "position", "resource_id"}

// ByID returns a project in any state; none when it doesn't exist, or the text isn't an id.
func (s *Store) ByID(ctx context.Context, id string) ([]row, error) {
	if !sqldb.IsID(id) {
		return nil, nil
	}
	return list(ctx, s.db, `p.id = $1`, id)
}

// OwnedBy returns the active projects of an owner, newest first.
func (s *Store) OwnedBy(ctx context.Context, email string) ([]row, error) {
	return list(ctx, s.db, `p.owner_email = $1 AND p.state = $2`, email, catalog.StateActive)
}

// Using returns the active projects with an entry that are published or that somebody owns or is a member of, newest first.
func (s *Store) Using(ctx context.Context, resourceID, email string) ([]row, error) {
	return list(ctx, s.db, using, catalog.StateActive, email, resourceID)
}

// CountUsing counts what Using returns.
func (s *Store) CountUsing(ctx context.Context, resourceID, email string) (count int, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM project p WHERE `+using, catalog.StateActive, email, resourceID).Scan(&count)
	return count, err
}

const using = `p.state = $1 AND (p.published OR p.owner_email = $2 OR EXISTS (SELECT 1 FROM project_member m WHERE m.project_id = p.id AND m.email = $2)) AND (p.repository_id = $3
	OR EXISTS (SELECT 1 FROM project_dataset d WHERE d.project_id = p.id AND d.resource_id = $3))`

// Delete hides a project of an owner permanently; its row stays for history. ProjectChanged if somebody else owns it now.
func (s *Store) Delete(ctx context.Context, id, owner string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		before, err := projectIn(ctx, tx, id)
		if err != nil {
			return err
		}
		if before.OwnerID != owner {
			return errOwnerChanged
		}
		_, err = tx.ExecContext(ctx, `UPDATE project SET state = $1, updated_at = $2 WHERE id = $3`,
			catalog.StateDeleted, sqldb.Micros(tx.Now), id)
		if err != nil {
			return err
		}
		return record(ctx, tx, audit.DeleteProject, before, before)
	})
}

// errOwnerChanged says that a project has changed hands since it was read.
var errOwnerChanged = fault.New(fault.ProjectChanged, "The project has changed in the meantime. Load it again to see who owns it now.")

// Change changes an active project, as its owner or one of its editors; what is nil stays as it is. An entry may occur once among the
// datasets. It returns Conflict when the project has changed since change.UpdatedAt, or the one who changes it may no longer.
func (s *Store) Change(ctx context.Context, id, by string, change Change) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		var seen *int64
		if !change.UpdatedAt.IsZero() {
			micros := sqldb.Micros(change.UpdatedAt)
			seen = &micros
		}
		before, err := projectIn(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := mayChange(ctx, tx, before, by); err != nil {
			return err
		}
		// Two changes within a microsecond need different times, because the time is the version.
		written, err := tx.ExecContext(ctx, `UPDATE project SET name = COALESCE($1, name), published = COALESCE($2, published),
			updated_at = CASE WHEN updated_at < $3 THEN $3 ELSE updated_at + 1 END
			WHERE id = $4 AND state = $5 AND updated_at = COALESCE($6, updated_at)`,
			change.Name, change.Published, sqldb.Micros(tx.Now), id, catalog.StateActive, seen)
		if err != nil {
			return err
		}
		switch count, err := written.RowsAffected(); {
		case err != nil:
			return err
		case count == 0:
			return fault.New(fault.ProjectChanged, "The project has changed in the meantime. Load it again to see the current version, then make your change.")
		case change.DatasetIDs == nil:
			return recordChange(ctx, tx, before)
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM project_dataset WHERE project_id = $1`, id); err != nil {
			return err
		}
		rows := make([][]any, len(change.DatasetIDs))
		for position, datasetID := range change.DatasetIDs {
			rows[position] = []any{id, position, datasetID}
		}
		if err := tx.InsertRows(ctx, "project_dataset", datasetColumns, rows, ""); err != nil {
			return err
		}
		return recordChange(ctx, tx, before)
	})
}

// reader runs queries: the database, a transaction on it, or a snapshot.
type reader interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sqldb.Rows, error)
}

func list(ctx context.Context, db reader, condition string, arguments ...any) ([]row, error) {
	rows, err := db.QueryContext(ctx, `SELECT p.id, coalesce(p.external_id, p.id), p.name, p.owner_email, p.repository_id, p.published, p.state, p.offered_to,
		p.created_at, p.updated_at, d.resource_id
		FROM project p LEFT JOIN project_dataset d ON d.project_id = p.id
		WHERE `+condition+` ORDER BY p.created_at DESC, p.id, d.position`, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var result []row
	for rows.Next() {
		var next row
		var created, updated int64
		var datasetID sql.NullString
		err := rows.Scan(&next.ID, &next.externalID, &next.Name, &next.OwnerID, &next.repositoryID, &next.Published, &next.State, &next.OfferedTo,
			&created, &updated, &datasetID)
		if err != nil {
			return nil, err
		}
		if len(result) == 0 || result[len(result)-1].ID != next.ID {
			next.CreatedAt, next.UpdatedAt = sqldb.Time(created), sqldb.Time(updated)
			result = append(result, next)
		}
		if last := &result[len(result)-1]; datasetID.Valid {
			last.datasetIDs = append(last.datasetIDs, datasetID.String)
		}
	}
	return result, rows.Err()
}

// Import writes projects with an ExternalID; existing ones are updated and keep their id and state. New ones get their ID and
// CreatedAt, if they have them. Members are added, and none is removed. An ExternalID may occur once. The events
// are recorded with them.
func (s *Store) Import(ctx context.Context, drafts []Draft, events ...audit.Event) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		// Concurrent imports run one after the other: they would give a project two ids.
		if _, err := tx.ExecContext(ctx, `UPDATE change_counter SET seq = seq`); err != nil {
			return err
		}
		ids, err := write(ctx, tx, drafts)
		if err != nil {
			return err
		}
		for i, draft := range drafts {
			for _, member := range draft.Members {
				if err := putMember(ctx, tx, ids[i], member.Email, member.Role); err != nil {
					return err
				}
			}
		}
		return audit.RecordAll(ctx, tx, events)
	})
}

// Create writes a new project and returns its id. An entry may occur once among the datasets.
func (s *Store) Create(ctx context.Context, draft Draft) (id string, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		ids, err := write(ctx, tx, []Draft{draft})
		if err != nil {
			return err
		}
		id = ids[0]
		made, err := projectIn(ctx, tx, id)
		if err != nil {
			return err
		}
		return record(ctx, tx, audit.AddProject, row{}, made)
	})
	return id, err
}

// write writes projects and returns their ids; one with an existing ExternalID is updated and keeps its id and state.
func write(ctx context.Context, tx *sqldb.Tx, drafts []Draft) ([]string, error) {
	known, err := idsByExternalID(ctx, tx, drafts)
	if err != nil {
		return nil, err
	}
	ids, rows := make([]string, len(drafts)), make([][]any, len(drafts))
	var there []string
	var datasets [][]any
	now := sqldb.Micros(tx.Now)
	for i, draft := range drafts {
		if ids[i] = known[draft.ExternalID]; ids[i] != "" {
			there = append(there, ids[i])
		} else if ids[i] = draft.ID; ids[i] == "" {
			ids[i] = sqldb.NewID()
		}
		created := now
		if !draft.CreatedAt.IsZero() {
			created = sqldb.Micros(draft.CreatedAt)
		}
		rows[i] = []any{
			ids[i],
			sql.NullString{String: draft.ExternalID, Valid: draft.ExternalID != "" && draft.ExternalID != ids[i]},
			draft.Name, draft.OwnerEmail,
			draft.RepositoryID, draft.Published, catalog.StateActive, created, now,
		}
		for position, datasetID := range draft.DatasetIDs {
			datasets = append(datasets, []any{ids[i], position, datasetID})
		}
	}
	err = tx.InsertRows(ctx, "project",
		[]string{"id", "external_id", "name", "owner_email", "repository_id", "published", "state", "created_at", "updated_at"}, rows,
		`ON CONFLICT (id) DO UPDATE SET name = excluded.name, owner_email = excluded.owner_email,
			repository_id = excluded.repository_id, published = excluded.published, updated_at = excluded.updated_at`)
	if err != nil {
		return nil, err
	}
	err = sqldb.Chunks(there, func(part []string) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM project_dataset WHERE project_id IN (`+sqldb.Placeholders(1, len(part))+`)`,
			sqldb.Arguments(part)...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return ids, tx.InsertRows(ctx, "project_dataset", datasetColumns, datasets, "")
}

// idsByExternalID returns the ids of the existing imported projects.
func idsByExternalID(ctx context.Context, tx *sqldb.Tx, drafts []Draft) (map[string]string, error) {
	var externalIDs []string
	for _, draft := range drafts {
		if draft.ExternalID != "" {
			externalIDs = append(externalIDs, draft.ExternalID)
		}
	}
	ids := map[string]string{}
	err := sqldb.Chunks(externalIDs, func(part []string) error {
		in := ` IN (` + sqldb.Placeholders(1, len(part)) + `)`
		rows, err := tx.QueryContext(ctx, `SELECT coalesce(external_id, id), id FROM project WHERE external_id`+in+
			` OR (external_id IS NULL AND id`+in+`)`, sqldb.Arguments(part)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var externalID, id string
			if err := rows.Scan(&externalID, &id); err != nil {
				return err
			}
			ids[externalID] = id
		}
		return rows.Err()
	})
	return ids, err
}
