package catalog

import "cairn/internal/foundation/sqldb"

type (
	// Changes are the entries that a write changed.
	Changes = sqldb.Changes

	news = sqldb.News
)

// Follow subscribes to the feed, which keeps the index up to date with changes by other processes.
func (s *Service) Follow(feed *sqldb.Feed) {
	feed.Subscribe(sqldb.Entries, s.searchIndex.followChanges)
}

// Wake makes the feed read at once.
func (s *Store) Wake() { s.db.Wake() }
