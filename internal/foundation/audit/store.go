package audit

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"cairn/internal/foundation/sqldb"
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

// recordColumns are those that both tables have. Records are in audit_inbox until they have a seal.
const (
	recordColumns = `id, at, actor_id, actor, action, object_type, object_id, object_name, changes, address, request_id`
	fromRecords   = `SELECT ` + recordColumns + `, seal, '[]' FROM audit_record r `
	fromInbox     = `SELECT ` + recordColumns + `, 0, concerns FROM audit_inbox r `
)

// values are those of recordColumns.
func (r record) values() []any {
	return []any{r.id, r.at, r.actorID, r.actor, r.action, r.objectType, r.objectID, r.objectName, r.changes, r.address, r.requestID}
}

func insert(tx *sqldb.Tx, r record) error {
	concerns, err := json.Marshal(r.concerns)
	if err != nil {
		return err
	}
	tx.InsertLast("audit_inbox", strings.Split(recordColumns+", concerns", ", "), append(r.values(), string(concerns)))
	return nil
}

func scanRecord(rows *sqldb.Rows) (r record, err error) {
	var concerns string
	err = rows.Scan(&r.id, &r.at, &r.actorID, &r.actor, &r.action, &r.objectType, &r.objectID, &r.objectName, &r.changes, &r.address,
		&r.requestID, &r.seal, &concerns)
	if err != nil {
		return r, err
	}
	if err = json.Unmarshal([]byte(concerns), &r.concerns); len(r.concerns) == 0 {
		r.concerns = nil // the same in every hash
	}
	return r, err
}

// reader is the database, or one state of it.
type reader interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sqldb.Rows, error)
}

// records returns the records of a query of audit_record with what they concern.
func records(ctx context.Context, db reader, query string, arguments ...any) ([]record, error) {
	found, err := recordsOnly(ctx, db, fromRecords+query, arguments...)
	if err != nil {
		return nil, err
	}
	return found, addConcerns(ctx, db, found)
}

func recordsOnly(ctx context.Context, db reader, query string, arguments ...any) (found []record, err error) {
	rows, err := db.QueryContext(ctx, query, arguments...)
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
