package catalog

import (
	"context"

	"cairn/internal/foundation/sqldb"
)

// CountActive returns the number of active entries.
func (s *Store) CountActive(ctx context.Context) (int, error) {
	var count int
	err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM resource WHERE state = $1`, StateActive).Scan(&count)
	return count, err
}

// After returns at most limit active entries whose ids come after one, by id.
func (s *Store) After(ctx context.Context, id string, limit int) ([]Entry, error) {
	var found []*Entry
	byID := map[string]*Entry{}
	err := forEachRow(ctx, s.db, func(rows *sqldb.Rows) error {
		resource, err := scanEntry(rows)
		found, byID[resource.ID] = append(found, &resource), &resource
		return err
	}, `SELECT `+resourceColumns+` FROM resource r WHERE r.id > $1 AND r.state = $2 ORDER BY r.id LIMIT $3`, id, StateActive, limit)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	last := found[len(found)-1].ID
	err = addTagsAndAuthors(ctx, s.db, byID, `resource_id > $1 AND resource_id <= $2`, id, last)
	return sortTags(found), err
}

// History distinguishes the state of the database after a change from that of another database with as many changes.
func (s *Store) History(ctx context.Context, seq int64) (string, error) {
	var id string
	err := s.db.QueryRowContext(ctx, `SELECT coalesce((SELECT resource_id FROM change WHERE seq = $1), '')`, seq).Scan(&id)
	return id, err
}

// Featured returns the ids of the public entries that operators featured, the latest decision first.
func (s *Store) Featured(ctx context.Context, limit int) ([]string, error) {
	return texts(ctx, s.db, `SELECT id FROM resource WHERE featured_at > 0 AND state = $1 AND privacy = $2 AND NOT hidden
		ORDER BY featured_at DESC, id DESC LIMIT $3`, StateActive, PrivacyPublic, limit)
}
