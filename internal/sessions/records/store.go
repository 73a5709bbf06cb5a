// Package records stores the records of engines in the database, where all servers share them.
package records

import (
	"context"
	"database/sql"
	"errors"

	"cairn/internal/foundation/sqldb"
)

// Records stores one engine's records in the database, which all servers share; it implements engine.Records.
type Records struct {
	db     *sqldb.DB
	engine string
}

// New returns the records of the engine with this name.
func New(db *sqldb.DB, engine string) *Records { return &Records{db: db, engine: engine} }

// Load implements engine.Records.
func (r *Records) Load(ctx context.Context, known map[string]int64) (versions map[string]int64, contents map[string][]byte, err error) {
	versions, contents = map[string]int64{}, map[string][]byte{}
	var news []string
	err = r.each(ctx, `SELECT session_id, version, '' FROM engine_record WHERE engine = $1`, []any{r.engine}, func(id string, version int64, _ string) {
		versions[id] = version
		if known[id] != version {
			news = append(news, id)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	err = sqldb.Chunks(news, func(part []string) error {
		return r.each(ctx, `SELECT session_id, version, content FROM engine_record WHERE engine = $1 AND session_id IN (`+
			sqldb.Placeholders(2, len(part))+`)`, append([]any{r.engine}, sqldb.Arguments(part)...), func(id string, version int64, content string) {
			versions[id], contents[id] = version, []byte(content)
		})
	})
	return versions, contents, err
}

func (r *Records) each(ctx context.Context, query string, arguments []any, row func(id string, version int64, content string)) error {
	rows, err := r.db.QueryContext(ctx, query, arguments...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id, content string
		var version int64
		if err := rows.Scan(&id, &version, &content); err != nil {
			return err
		}
		row(id, version, content)
	}
	return rows.Err()
}

// Read implements engine.Records.
func (r *Records) Read(ctx context.Context, id string, known int64) (version int64, content []byte, err error) {
	var text string
	err = r.db.QueryRowContext(ctx, `SELECT version, CASE WHEN version = $1 THEN '' ELSE content END FROM engine_record
		WHERE engine = $2 AND session_id = $3`, known, r.engine, id).Scan(&version, &text)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, nil, nil
	case err != nil || version == known:
		return version, nil, err
	}
	return version, []byte(text), nil
}

// Save implements engine.Records.
func (r *Records) Save(ctx context.Context, id string, version int64, content []byte) (next int64, err error) {
	err = r.db.Write(ctx, func(tx *sqldb.Tx) error {
		next = max(version+1, sqldb.Micros(tx.Now)) // so that it ascends even across a removal
		var done sql.Result
		var err error
		switch {
		case content == nil:
			done, err = tx.ExecContext(ctx, `DELETE FROM engine_record WHERE engine = $1 AND session_id = $2 AND version = $3`, r.engine, id, version)
		case version == 0:
			done, err = tx.ExecContext(ctx, `INSERT INTO engine_record (engine, session_id, version, content) VALUES ($1, $2, $3, $4)
				ON CONFLICT DO NOTHING`, r.engine, id, next, string(content))
		default:
			done, err = tx.ExecContext(ctx, `UPDATE engine_record SET version = $1, content = $2 WHERE engine = $3 AND session_id = $4 AND version = $5`,
				next, string(content), r.engine, id, version)
		}
		if err != nil {
			return err
		}
		changed, err := done.RowsAffected()
		if changed == 0 {
			next = 0
		}
		return err
	})
	return next, err
}
