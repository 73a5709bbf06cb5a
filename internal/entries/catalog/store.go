package catalog

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"cairn/internal/entries/catalog/index"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// Store is the durable truth about entries.
type Store struct{ db *sqldb.DB }

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db: db} }

// Load returns the entries with these ids in any state, in the order of the ids; unknown ids are left out, and texts
// that aren't ids aren't even queried.
func (s *Store) Load(ctx context.Context, ids []string) ([]Entry, error) {
	return load(ctx, s.db, ids, true)
}

// LoadUnlabeled is Load without tags and authors.
func (s *Store) LoadUnlabeled(ctx context.Context, ids []string) ([]Entry, error) {
	return load(ctx, s.db, ids, false)
}

func load(ctx context.Context, db reader, ids []string, labeled bool) ([]Entry, error) {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !sqldb.IsID(id) })
	found := make(map[string]*Entry, len(ids))
	err := sqldb.Chunks(ids, func(part []string) error {
		in := ` IN (` + sqldb.Placeholders(1, len(part)) + `)`
		arguments := sqldb.Arguments(part)
		err := forEachRow(ctx, db, func(rows *sqldb.Rows) error {
			resource, err := scanEntry(rows)
			found[resource.ID] = &resource
			return err
		}, `SELECT `+resourceColumns+` FROM resource r WHERE r.id`+in, arguments...)
		if err != nil || !labeled {
			return err
		}
		return addTagsAndAuthors(ctx, db, found, `resource_id`+in, arguments...)
	})
	if err != nil {
		return nil, err
	}
	ordered := make([]*Entry, 0, len(found))
	for _, id := range ids {
		if resource := found[id]; resource != nil {
			ordered = append(ordered, resource)
		}
	}
	return sortTags(ordered), nil
}

// Access returns only the fields that decide who sees an entry; if there is none, an Entry without a state, which nobody sees.
func (s *Store) Access(ctx context.Context, id string) (r Entry, err error) {
	if !sqldb.IsID(id) {
		return Entry{}, nil
	}
	r.ID = id
	err = forEachRow(ctx, s.db, func(rows *sqldb.Rows) error {
		var author string
		err := rows.Scan(&r.State, &r.Privacy, &r.Audience, &r.RepositoryURL, &r.HostID, &r.Hidden, &r.AddedBy, &author)
		r.Authors = append(r.Authors, author)
		return err
	}, `SELECT r.state, r.privacy, r.audience, r.repository_url, r.host_id, r.hidden, r.added_by, coalesce(a.email, '') FROM resource r LEFT JOIN resource_author a ON a.resource_id = r.id
		WHERE r.id = $1`, id)
	return r, err
}

// addTagsAndAuthors adds both to the entries that meet a condition.
func addTagsAndAuthors(ctx context.Context, db reader, found map[string]*Entry, condition string, arguments ...any) error {
	err := forEachRow(ctx, db, func(rows *sqldb.Rows) error {
		var id string
		var tag Tag
		err := rows.Scan(&id, &tag.ID, &tag.Value)
		if resource := found[id]; resource != nil { // another may have been written in the meantime
			resource.Tags = append(resource.Tags, tag)
		}
		return err
	}, `SELECT rt.resource_id, t.id, t.value FROM resource_tag rt JOIN tag t ON t.id = rt.tag_id WHERE rt.`+condition, arguments...)
	if err != nil {
		return err
	}
	return forEachRow(ctx, db, func(rows *sqldb.Rows) error {
		var id, email string
		err := rows.Scan(&id, &email)
		if resource := found[id]; resource != nil {
			resource.Authors = append(resource.Authors, email)
		}
		return err
	}, `SELECT resource_id, email FROM resource_author WHERE `+condition+` ORDER BY resource_id, position`, arguments...)
}

// sortTags returns the entries with their tags in byte order: the databases collate text differently.
func sortTags(found []*Entry) []Entry {
	result := make([]Entry, len(found))
	for i, resource := range found {
		slices.SortFunc(resource.Tags, func(a, b Tag) int { return index.CompareTags(a.Value, b.Value) })
		result[i] = *resource
	}
	return result
}

// LastChange returns the number of the newest committed change.
func (s *Store) LastChange(ctx context.Context) (int64, error) {
	var seq int64
	err := s.db.QueryRowContext(ctx, `SELECT seq FROM change_counter`).Scan(&seq)
	return seq, err
}

// ChangedSince returns the ids of entries that changed after a number, without duplicates, and the number up to which
// it read: at most this many changes. ErrMissed when changes after the number have been deleted.
func (s *Store) ChangedSince(ctx context.Context, seq int64, most int) (ids []string, upTo int64, err error) {
	upTo, first := seq, int64(0)
	err = forEachRow(ctx, s.db, func(rows *sqldb.Rows) error {
		var id string
		err := rows.Scan(&upTo, &id)
		if ids = append(ids, id); len(ids) == 1 {
			first = upTo
		}
		return err
	}, `SELECT seq, resource_id FROM change WHERE seq > $1 ORDER BY seq LIMIT $2`, seq, most)
	if err == nil && first != seq+1 {
		err = ErrMissed
	}
	slices.Sort(ids)
	return slices.Compact(ids), upTo, err
}

// ErrMissed means that changes were deleted before they were applied.
var ErrMissed = errors.New("changes of the catalog were forgotten before they were followed")

// changesPerTransaction limits how long other writes wait while changes are deleted.
const changesPerTransaction = 5000

// ForgetChanges deletes the rows of changes up to a number.
func (s *Store) ForgetChanges(ctx context.Context, upTo int64) error {
	for count := int64(changesPerTransaction); count == changesPerTransaction; {
		err := s.db.Write(ctx, func(tx *sqldb.Tx) error {
			deleted, err := tx.ExecContext(ctx, `DELETE FROM change WHERE seq IN (SELECT seq FROM change WHERE seq <= $1 ORDER BY seq LIMIT $2)`,
				upTo, changesPerTransaction)
			if err != nil {
				return err
			}
			count, err = deleted.RowsAffected()
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// StarredBy returns the ids of the entries that an account starred, newest star first.
func (s *Store) StarredBy(ctx context.Context, accountID string) ([]string, error) {
	return texts(ctx, s.db, `SELECT resource_id FROM star WHERE account_id = $1 ORDER BY created_at DESC, resource_id`, accountID)
}

// StarredAmong returns which of the entries an account has starred.
func (s *Store) StarredAmong(ctx context.Context, accountID string, ids []string) (map[string]bool, error) {
	starred := make(map[string]bool, len(ids))
	err := sqldb.Chunks(ids, func(part []string) error {
		found, err := texts(ctx, s.db, `SELECT resource_id FROM star WHERE account_id = $1 AND resource_id IN (`+
			sqldb.Placeholders(2, len(part))+`)`, append([]any{accountID}, sqldb.Arguments(part)...)...)
		for _, id := range found {
			starred[id] = true
		}
		return err
	})
	return starred, err
}

// SetStar sets or removes an account's star.
func (s *Store) SetStar(ctx context.Context, accountID, resourceID string, starred bool) (Changes, error) {
	return s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		entry, err := setStar(ctx, tx, accountID, resourceID, starred)
		if err != nil || entry == nil {
			return err
		}
		return recordStar(ctx, tx, *entry, starred)
	})
}

// ToggleStar toggles an account's star and returns its state.
func (s *Store) ToggleStar(ctx context.Context, accountID, resourceID string) (starred bool, changes Changes, err error) {
	changes, err = s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		// Neither way changes anything if another toggle committed in between; then it's the other way's turn again.
		var entry *Entry
		for entry == nil {
			var err error
			if entry, err = setStar(ctx, tx, accountID, resourceID, false); err != nil {
				return err
			}
			if starred = entry == nil; starred {
				if entry, err = setStar(ctx, tx, accountID, resourceID, true); err != nil {
					return err
				}
			}
		}
		return recordStar(ctx, tx, *entry, starred)
	})
	return starred, changes, err
}

// setStar returns what is recorded of the entry; nil if nothing changed.
func setStar(ctx context.Context, tx *sqldb.Tx, accountID, resourceID string, starred bool) (*Entry, error) {
	query, arguments := `DELETE FROM star WHERE account_id = $1 AND resource_id = $2`, []any{accountID, resourceID}
	if starred {
		query = `INSERT INTO star (account_id, resource_id, created_at) VALUES ($1, $2, $3) ON CONFLICT (account_id, resource_id) DO NOTHING`
		arguments = append(arguments, sqldb.Micros(tx.Now))
	}
	entry := Entry{ID: resourceID}
	err := tx.QueryRowContext(ctx, query+` RETURNING (SELECT name FROM resource WHERE id = $2), (SELECT privacy FROM resource WHERE id = $2)`, arguments...).
		Scan(&entry.Name, &entry.Privacy)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	tx.Changed(resourceID)
	return &entry, nil
}

// Delete hides an entry permanently; its row stays for projects and history.
func (s *Store) Delete(ctx context.Context, id string) (Changes, error) {
	return s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		if err := serializeWrites(ctx, tx); err != nil {
			return err
		}
		before, err := entryIn(ctx, tx, id)
		if err != nil {
			return err
		}
		tx.Changed(id)
		if err := dropContent(ctx, tx, id); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE resource SET state = $1, updated_at = $2 WHERE id = $3`,
			StateDeleted, sqldb.Micros(tx.Now), id)
		if err != nil {
			return err
		}
		if err := recordEntry(ctx, tx, audit.DeleteEntry, before, before); err != nil {
			return err
		}
		return noteAppearances(ctx, tx, id)
	})
}

// IDByExternalID returns the id of an imported entry; NotFound when there is none.
func (s *Store) IDByExternalID(ctx context.Context, externalID string) (string, error) {
	var id string
	err := s.db.QueryRowContext(ctx, `SELECT id FROM resource WHERE external_id = $1`, externalID).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fault.New(fault.NotFound, "no entry has the externalId %s", fault.Quote(externalID))
	}
	return id, err
}

// Imported contains what decides whether a project may use an imported entry.
type Imported struct {
	ID      string
	Type    Type
	Privacy Privacy
	State   string
}

// ByExternalID returns the imported entries that exist, in any state. Entries that weren't imported have their id for it.
func (s *Store) ByExternalID(ctx context.Context, externalIDs []string) (map[string]Imported, error) {
	return byExternalID(ctx, s.db, externalIDs)
}

func byExternalID(ctx context.Context, db reader, externalIDs []string) (map[string]Imported, error) {
	there := map[string]Imported{}
	err := sqldb.Chunks(externalIDs, func(part []string) error {
		return forEachRow(ctx, db, func(rows *sqldb.Rows) error {
			var externalID string
			var found Imported
			err := rows.Scan(&externalID, &found.ID, &found.Type, &found.Privacy, &found.State)
			there[externalID] = found
			return err
		}, `SELECT coalesce(external_id, id), id, type, privacy, state FROM resource WHERE external_id IN (`+sqldb.Placeholders(1, len(part))+`)
			OR (external_id IS NULL AND id IN (`+sqldb.Placeholders(1, len(part))+`))`, sqldb.Arguments(part)...)
	})
	return there, err
}

// ByRepositoryKey returns the ids of the active entries of one repository, oldest first. There is at most one, unless
// an import contained a repository twice.
func (s *Store) ByRepositoryKey(ctx context.Context, key string) ([]string, error) {
	return idsByRepositoryKey(ctx, s.db, key)
}

func idsByRepositoryKey(ctx context.Context, db reader, key string) ([]string, error) {
	return idsOfRepository(ctx, db, key, "")
}

// idsOfRepository also finds entries by the code host's own id, unless that is "".
func idsOfRepository(ctx context.Context, db reader, key, hostID string) ([]string, error) {
	// The comparisons with '' let SQLite use the indexes, which leave out entries that aren't repositories.
	return texts(ctx, db, `SELECT id FROM resource WHERE repository_key = $1 AND repository_key <> '' AND state = $2
		UNION SELECT id FROM resource WHERE host_id = $3 AND host_id <> '' AND state = $2 ORDER BY id`, key, StateActive, hostID)
}
