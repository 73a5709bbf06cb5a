package catalog

import "cairn/internal/sqldb"

type (
	// Changes are the entries that a write changed.
	Changes = sqldb.Changes

	news = sqldb.News
)

// Follow has the feed keep the index up with changes by other processes.
func (s *Service) Follow(feed *sqldb.Feed) { feed.Subscribe(sqldb.Entries, s.mirror.notice) }

// Wake has the feed look at once.
func (s *Store) Wake() { s.db.Wake() }
