package catalog

import (
	"context"
	"slices"

	"cairn/internal/foundation/sqldb"
)

// exportedAtOnce is the number of entries that are read together.
const exportedAtOnce = 250

// Export calls each with all active entries and the content that an import gave, in the order of their ids.
func Export(ctx context.Context, snapshot *sqldb.Snapshot, yield func(Entry) error) error {
	ids, err := texts(ctx, snapshot, `SELECT id FROM resource WHERE state = $1`, StateActive)
	if err != nil {
		return err
	}
	slices.Sort(ids)
	for part := range slices.Chunk(ids, exportedAtOnce) {
		entries, err := load(ctx, snapshot, part, true)
		if err != nil {
			return err
		}
		contents := map[string]string{}
		err = forEachRow(ctx, snapshot, func(rows *sqldb.Rows) error {
			var id, text string
			err := rows.Scan(&id, &text)
			contents[id] = text
			return err
		}, `SELECT resource_id, text FROM entry_content WHERE source = $1 AND resource_id IN (`+sqldb.Placeholders(2, len(part))+`)`,
			append([]any{importSource}, sqldb.Arguments(part)...)...)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			entry.Content = contents[entry.ID]
			if err := yield(entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// ExportFeatured returns the ids of the featured entries, the earliest first.
func ExportFeatured(ctx context.Context, snapshot *sqldb.Snapshot) ([]string, error) {
	return texts(ctx, snapshot, `SELECT id FROM resource WHERE featured_at > 0 AND state = $1 ORDER BY featured_at, id`, StateActive)
}

// Star is that an account starred an entry.
type Star struct {
	AccountID, ResourceID string
	At                    int64 // as stored
}

// ExportStars calls each with the stars of active entries, in the order of their accounts and entries.
func ExportStars(ctx context.Context, snapshot *sqldb.Snapshot, yield func(Star) error) error {
	var stars []Star
	err := forEachRow(ctx, snapshot, func(rows *sqldb.Rows) error {
		var star Star
		err := rows.Scan(&star.AccountID, &star.ResourceID, &star.At)
		stars = append(stars, star)
		return err
	}, `SELECT s.account_id, s.resource_id, s.created_at FROM star s JOIN resource r ON r.id = s.resource_id AND r.state = $1
		ORDER BY s.account_id, s.resource_id`, StateActive)
	for _, star := range stars {
		if err == nil {
			err = yield(star)
		}
	}
	return err
}

// ImportStars writes stars of existing accounts and entries; those that are there stay as they are.
func (s *Store) ImportStars(ctx context.Context, stars []Star) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		rows := make([][]any, len(stars))
		for i, star := range stars {
			tx.Changed(star.ResourceID)
			rows[i] = []any{star.AccountID, star.ResourceID, star.At}
		}
		return tx.InsertRows(ctx, "star", []string{"account_id", "resource_id", "created_at"}, rows, "ON CONFLICT (account_id, resource_id) DO NOTHING")
	})
}
