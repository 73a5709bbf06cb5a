package projects

import (
	"context"
	"database/sql"

	"cairn/internal/catalog"
	"cairn/internal/sqldb"
)

// Store keeps projects.
type Store struct{ db *sqldb.DB }

// NewStore makes a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db: db} }

// row is a project as it is stored: its entries by id.
type row struct {
	Project

	repositoryID string
	datasetIDs   []string
}

// ByID gives a project whatever its state; none when it is absent, or the text is no id.
func (s *Store) ByID(ctx context.Context, id string) ([]row, error) {
	if !sqldb.IsID(id) {
		return nil, nil
	}
	return s.list(ctx, `p.id = $1`, id)
}

// OwnedBy gives the active projects of an owner, newest first.
func (s *Store) OwnedBy(ctx context.Context, email string) ([]row, error) {
	return s.list(ctx, `p.owner_email = $1 AND p.state = $2`, email, catalog.StateActive)
}

// Using gives the active projects that hold an entry and are published or belong to an e-mail, newest first.
func (s *Store) Using(ctx context.Context, resourceID, email string) ([]row, error) {
	return s.list(ctx, `p.state = $1 AND (p.published OR p.owner_email = $2) AND (p.repository_id = $3
		OR EXISTS (SELECT 1 FROM project_dataset d WHERE d.project_id = p.id AND d.resource_id = $3))`,
		catalog.StateActive, email, resourceID)
}

// Delete hides a project for good; its row stays for history.
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE project SET state = $1, updated_at = $2 WHERE id = $3`,
			catalog.StateDeleted, sqldb.Micros(tx.Now), id)
		return err
	})
}

func (s *Store) list(ctx context.Context, condition string, arguments ...any) ([]row, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT p.id, p.name, p.owner_email, p.repository_id, p.published, p.state,
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
		err := rows.Scan(&next.ID, &next.Name, &next.OwnerID, &next.repositoryID, &next.Published, &next.State,
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

// Import writes projects that carry an ExternalID; those that are there are updated and keep their id and state.
func (s *Store) Import(ctx context.Context, drafts []Draft) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		for _, draft := range drafts {
			if _, err := writeOne(ctx, tx, draft); err != nil {
				return err
			}
		}
		return nil
	})
}

// Create writes a new project and gives its id. An entry may occur once among the datasets.
func (s *Store) Create(ctx context.Context, draft Draft) (id string, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		id, err = writeOne(ctx, tx, draft)
		return err
	})
	return id, err
}

// writeOne writes a project; the one that has the draft's ExternalID already is updated and keeps its id and state.
func writeOne(ctx context.Context, tx *sqldb.Tx, draft Draft) (string, error) {
	var id string
	err := tx.QueryRowContext(ctx, `INSERT INTO project (id, external_id, name, owner_email, repository_id, published, state,
			created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
		ON CONFLICT (external_id) DO UPDATE SET name = excluded.name, owner_email = excluded.owner_email,
			repository_id = excluded.repository_id, published = excluded.published, updated_at = excluded.updated_at
		RETURNING id`,
		sqldb.NewID(), sql.NullString{String: draft.ExternalID, Valid: draft.ExternalID != ""}, draft.Name, draft.OwnerEmail, draft.RepositoryID, draft.Published,
		catalog.StateActive, sqldb.Micros(tx.Now)).Scan(&id)
	if err != nil {
		return "", err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM project_dataset WHERE project_id = $1`, id); err != nil {
		return "", err
	}
	rows := make([][]any, len(draft.DatasetIDs))
	for position, datasetID := range draft.DatasetIDs {
		rows[position] = []any{id, position, datasetID}
	}
	return id, tx.InsertRows(ctx, "project_dataset", []string{"project_id", "position", "resource_id"}, rows, "")
}
