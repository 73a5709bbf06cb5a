package catalog

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"cairn/internal/foundation/sqldb"
)

// SitemapEntry is what search engines read about a public entry.
type SitemapEntry struct {
	ID        string
	Type      Type
	UpdatedAt time.Time
}

const publicEntries = ` FROM resource WHERE state = $1 AND privacy = $2 AND NOT hidden AND id > $3 `

// publicIDAfter returns the id of a public entry in id order: the next after one when offset is 0; "" when there aren't
// that many.
func (s *Store) publicIDAfter(ctx context.Context, after string, offset int) (string, error) {
	var id string
	err := s.db.QueryRowContext(ctx, `SELECT id`+publicEntries+`ORDER BY id LIMIT 1 OFFSET $4`,
		StateActive, PrivacyPublic, after, offset).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// publicAfter returns public entries in id order, after one id and up to another.
func (s *Store) publicAfter(ctx context.Context, after, upTo string, limit int) ([]SitemapEntry, error) {
	var result []SitemapEntry
	err := forEachRow(ctx, s.db, func(rows *sqldb.Rows) error {
		var entry SitemapEntry
		var updated int64
		err := rows.Scan(&entry.ID, &entry.Type, &updated)
		entry.UpdatedAt = sqldb.Time(updated)
		result = append(result, entry)
		return err
	}, `SELECT id, type, updated_at`+publicEntries+`AND id <= $4 ORDER BY id LIMIT $5`, StateActive, PrivacyPublic, after, upTo, limit)
	return result, err
}
