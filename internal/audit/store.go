package audit

import (
	"context"
	"slices"

	"cairn/internal/sqldb"
)

// Store reads records and seals them.
type Store struct{ db *sqldb.DB }

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db: db} }

// record is a row of audit_record.
type record struct {
	id         string
	at         int64
	actorID    string
	actor      string
	action     Action
	objectType ObjectType
	objectID   string
	objectName string
	changes    string
	address    string
	requestID  string
	seal       int64
	concerns   []string // in order
}

const recordColumns = `r.id, r.at, r.actor_id, r.actor, r.action, r.object_type, r.object_id, r.object_name, r.changes, r.address, r.request_id, r.seal`

func insert(ctx context.Context, tx *sqldb.Tx, r record) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO audit_record (id, at, actor_id, actor, action, object_type, object_id, object_name, changes, address, request_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		r.id, r.at, r.actorID, r.actor, r.action, r.objectType, r.objectID, r.objectName, r.changes, r.address, r.requestID)
	if err != nil || len(r.concerns) == 0 {
		return err
	}
	rows := make([][]any, len(r.concerns))
	for i, whom := range r.concerns {
		rows[i] = []any{whom, r.id}
	}
	return tx.InsertRows(ctx, "audit_concern", []string{"whom", "record_id"}, rows, "")
}

func scanRecord(rows *sqldb.Rows) (r record, err error) {
	err = rows.Scan(&r.id, &r.at, &r.actorID, &r.actor, &r.action, &r.objectType, &r.objectID, &r.objectName, &r.changes, &r.address,
		&r.requestID, &r.seal)
	return r, err
}

// reader is the database, or one state of it.
type reader interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sqldb.Rows, error)
}

// records returns the records of a query with what they concern.
func records(ctx context.Context, db reader, query string, arguments ...any) ([]record, error) {
	found, err := recordsOnly(ctx, db, query, arguments...)
	if err != nil {
		return nil, err
	}
	return found, addConcerns(ctx, db, found)
}

func recordsOnly(ctx context.Context, db reader, query string, arguments ...any) (found []record, err error) {
	rows, err := db.QueryContext(ctx, `SELECT `+recordColumns+` FROM audit_record r `+query, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		r, err := scanRecord(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, rows.Err()
}

func addConcerns(ctx context.Context, db reader, found []record) error {
	places := make(map[string]int, len(found))
	ids := make([]string, len(found))
	for i, r := range found {
		places[r.id], ids[i] = i, r.id
	}
	err := sqldb.Chunks(ids, func(part []string) error {
		rows, err := db.QueryContext(ctx, `SELECT record_id, whom FROM audit_concern WHERE record_id IN (`+sqldb.Placeholders(1, len(part))+`)`,
			sqldb.Arguments(part)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, whom string
			if err := rows.Scan(&id, &whom); err != nil {
				return err
			}
			r := &found[places[id]]
			r.concerns = append(r.concerns, whom)
		}
		return rows.Err()
	})
	for _, r := range found {
		slices.Sort(r.concerns)
	}
	return err
}
