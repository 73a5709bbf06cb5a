package runs

import (
	"context"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/sqldb"
)

// againAfter is how long an entry isn't run again by the schedule after a run that was stopped, or of an older commit.
const againAfter = 24 * time.Hour

// Due returns the ids of public entries that the catalog runs of its own accord and hasn't run for a time, or not since
// their repository has changed: verified and featured ones, those that come with the program, and those whose adder, or else
// an author, an operator enabled.
func (s *Store) Due(ctx context.Context, every time.Duration, limit int) ([]string, error) {
	now := s.db.Now()
	return s.ids(ctx, `SELECT r.id FROM resource r WHERE r.state = 'ACTIVE' AND r.privacy = 'PUBLIC' AND NOT r.hidden AND r.type IN ('REPOSITORY', 'NOTEBOOK')
		AND (r.status = 'VERIFIED' OR r.featured_at > 0 OR r.notebook_path LIKE 'bundled:%'
			OR EXISTS (SELECT 1 FROM account_grant g WHERE g.enabled AND g.email = r.added_by)
			OR (r.added_by = '' AND EXISTS (SELECT 1 FROM resource_author a JOIN account_grant g ON g.email = a.email WHERE a.resource_id = r.id AND g.enabled)))
		AND NOT EXISTS (SELECT 1 FROM run WHERE run.resource_id = r.id
			AND (run.ended_at = 0 OR run.ended_at > $1 OR (run.latest AND NOT run.moved AND run.ended_at > $2)))
		ORDER BY r.id LIMIT $3`, sqldb.Micros(now.Add(-againAfter)), sqldb.Micros(now.Add(-every)), limit)
}

// Unchecked returns latest runs of repositories that weren't compared with their repository for a time, and that aren't known
// to be of an older commit; those that wait longest come first.
func (s *Store) Unchecked(ctx context.Context, every time.Duration, limit int) ([]Run, error) {
	before := sqldb.Micros(s.db.Now().Add(-every))
	return list(ctx, s.db, `latest AND NOT moved AND ref = '' AND commit_id <> '' AND checked_at < $1 AND ended_at < $1 ORDER BY checked_at, id LIMIT $2`, before, limit)
}

// Check records that the latest runs of an entry were compared with its repository, and whether that has newer commits.
func (s *Store) Check(ctx context.Context, resourceID string, moved bool) (catalog.Changes, error) {
	return s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE run SET checked_at = $1, moved = $2 WHERE resource_id = $3 AND latest AND ref = ''`, sqldb.Micros(tx.Now), moved, resourceID)
		if err != nil || !moved {
			return err
		}
		return show(ctx, tx, resourceID)
	})
}

// Expired returns runs whose files are kept although they ended longer ago than a time and aren't the latest of their file,
// oldest first.
func (s *Store) Expired(ctx context.Context, keep time.Duration, limit int) ([]Run, error) {
	return list(ctx, s.db, `kept AND ended_at < $1 AND NOT latest ORDER BY ended_at, id LIMIT $2`, sqldb.Micros(s.db.Now().Add(-keep)), limit)
}

// Forget records that the files that a run left are gone.
func (s *Store) Forget(ctx context.Context, id string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE run SET kept = FALSE WHERE id = $1`, id)
		return err
	})
}

// Known returns which runs there are among these.
func (s *Store) Known(ctx context.Context, ids []string) (known map[string]bool, err error) {
	known = map[string]bool{}
	err = sqldb.Chunks(ids, func(part []string) error {
		found, err := s.ids(ctx, `SELECT id FROM run WHERE id IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
		for _, id := range found {
			known[id] = true
		}
		return err
	})
	return known, err
}

func (s *Store) ids(ctx context.Context, query string, arguments ...any) (ids []string, err error) {
	rows, err := s.db.QueryContext(ctx, query, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
