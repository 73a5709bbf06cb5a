package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// entryColumns are the columns that entryValues fills: what the entry says, and what the store knows without it.
var entryColumns = append(columnsWrittenBy(byCreation), "external_id", "status", "state", "repository_key", "issued_at", "created_at", "updated_at")

func entryValues(r Entry, now int64) []any {
	created := now
	if !r.CreatedAt.IsZero() {
		created = sqldb.Micros(r.CreatedAt)
	}
	var issued int64
	if at := r.issued(sqldb.Time(now)); !at.IsZero() {
		issued = sqldb.Micros(at)
	}
	externalID := sql.NullString{String: r.ExternalID, Valid: r.ExternalID != "" && r.ExternalID != r.ID}
	return append(valuesWrittenBy(byCreation, &r), externalID, StatusNone, StateActive, r.repositoryKey(), issued, created, now)
}

// Create writes a new entry, which must be normalized and checked, and returns its id.
func (s *Store) Create(ctx context.Context, r Entry) (Changes, error) {
	r.ID = sqldb.NewID()
	return s.create(ctx, r, nil)
}

// CreateWith is Create for an entry that has its id already, and what it consists of.
func (s *Store) CreateWith(ctx context.Context, r Entry, made NewVersion) (Changes, error) {
	return s.create(ctx, r, &made)
}

func (s *Store) create(ctx context.Context, r Entry, made *NewVersion) (Changes, error) {
	return s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		if err := serializeWrites(ctx, tx); err != nil {
			return err
		}
		err := createEntry(ctx, tx, r)
		if err == nil && made != nil {
			err = noteFirstVersion(ctx, tx, r.ID, sqldb.Micros(tx.Now), *made)
		}
		return err
	})
}

// CreateOnce is Create for what may be in the catalog only once, a repository or the data of a DOI: if active entries have it, it
// writes nothing and returns their ids, oldest first. commit is what a repository consists of, "" if it isn't known.
func (s *Store) CreateOnce(ctx context.Context, r Entry, commit string) (changes Changes, existing []string, err error) {
	r.ID = sqldb.NewID()
	changes, err = s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		if err := serializeWrites(ctx, tx); err != nil {
			return err
		}
		if r.Type == Dataset {
			existing, err = publicWithData(ctx, tx, r.DatasetURL)
		} else {
			existing, err = idsOfRepository(ctx, tx, r.repositoryKey(), r.HostID)
		}
		if err != nil || len(existing) > 0 {
			return err
		}
		err = createEntry(ctx, tx, r)
		if err == nil && commit != "" {
			err = noteFirstVersion(ctx, tx, r.ID, sqldb.Micros(tx.Now), NewVersion{Digest: commit})
		}
		return err
	})
	return changes, existing, err
}

func createEntry(ctx context.Context, tx *sqldb.Tx, r Entry) error {
	tx.Changed(r.ID)
	rows := [][]any{entryValues(r, sqldb.Micros(tx.Now))}
	if err := tx.InsertRows(ctx, "resource", entryColumns, rows, ""); err != nil {
		return err
	}
	if err := writeAuthored(ctx, tx, r); err != nil {
		return err
	}
	if err := recordEntry(ctx, tx, audit.AddEntry, Entry{}, r); err != nil {
		return err
	}
	return noteAppearances(ctx, tx, r.ID)
}

// Update replaces an entry, normalized and checked, if it is still in the state of the time in seen; Conflict if it has
// changed. Its type, status and stars stay. The action is what the record of the change calls it. made is what it consists of from now
// on; nil if only what is said about it changes, or its address.
func (s *Store) Update(ctx context.Context, action audit.Action, r Entry, seen time.Time, made *NewVersion) (Changes, error) {
	return s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		if err := serializeWrites(ctx, tx); err != nil {
			return err
		}
		before, err := entryIn(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		if r, err = updateEntry(ctx, tx, r, seen); err != nil {
			return err
		}
		if err := noteVersion(ctx, tx, before, r, made); err != nil {
			return err
		}
		if err := recordEntry(ctx, tx, action, before, r); err != nil {
			return err
		}
		return noteAppearances(ctx, tx, r.ID)
	})
}

// editQuery replaces an entry that is still in the state of a time. Its arguments are the values that an edit writes, and those
// that editQuery names after them.
var editQuery = func() string {
	var query strings.Builder
	columns := columnsWrittenBy(byEdit)
	for i, column := range columns {
		fmt.Fprintf(&query, "%s = $%d, ", column, i+1)
	}
	arguments := []string{}
	for i, name := range []string{"{repository key}", "{notebook}", "{now}", "{issued}", "{id}", "{state}", "{seen}"} {
		arguments = append(arguments, name, "$"+strconv.Itoa(len(columns)+i+1))
	}
	// A run says nothing about other code. Two changes within a microsecond need different times, because the time is the version.
	return "UPDATE resource SET " + query.String() + strings.NewReplacer(arguments...).Replace(`repository_key = {repository key},
		last_run = CASE WHEN repository_key = {repository key} AND notebook_path = {notebook} THEN last_run ELSE '' END,
		updated_at = CASE WHEN updated_at < {now} THEN {now} ELSE updated_at + 1 END,
		issued_at = CASE WHEN issued_at = 0 THEN {issued} ELSE issued_at END
		WHERE id = {id} AND state = {state} AND updated_at = {seen}`)
}()

// updateEntry returns the entry as it was written: without those who left it.
func updateEntry(ctx context.Context, tx *sqldb.Tx, r Entry, seen time.Time) (Entry, error) {
	if err := leaveOut(ctx, tx, &r); err != nil {
		return r, err
	}
	tx.Changed(r.ID)
	if err := dropMovedContent(ctx, tx, r); err != nil {
		return r, err
	}
	var issued int64
	if r.Privacy == PrivacyPublic {
		issued = sqldb.Micros(tx.Now)
	}
	values := append(valuesWrittenBy(byEdit, &r), r.repositoryKey(), r.NotebookPath, sqldb.Micros(tx.Now), issued, r.ID, StateActive, sqldb.Micros(seen))
	written, err := tx.ExecContext(ctx, editQuery, values...)
	if err != nil {
		return r, err
	}
	if count, err := written.RowsAffected(); err != nil || count == 0 {
		if err == nil {
			err = fault.New(fault.EntryChanged, "The entry has changed in the meantime. Load it again to see the current version, then make your change.")
		}
		return r, err
	}
	if err := dropLabels(ctx, tx, []string{r.ID}); err != nil {
		return r, err
	}
	return r, writeAuthored(ctx, tx, r)
}

// dropLabels removes the tags and authors of entries.
func dropLabels(ctx context.Context, tx *sqldb.Tx, ids []string) error {
	return sqldb.Chunks(ids, func(part []string) error {
		for _, table := range []string{"resource_tag", "resource_author"} {
			in := sqldb.Placeholders(1, len(part))
			_, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE resource_id IN (`+in+`)`, sqldb.Arguments(part)...)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// writeLabels writes the tags and authors of entries that don't have any yet.
func writeLabels(ctx context.Context, tx *sqldb.Tx, entries []Entry) error {
	tagIDs, err := ensureTags(ctx, tx, entries)
	if err != nil {
		return err
	}
	var tags, authors [][]any
	for _, r := range entries {
		for _, tag := range r.Tags {
			tags = append(tags, []any{r.ID, tagIDs[tag.Value]})
		}
		for position, email := range r.Authors {
			authors = append(authors, []any{r.ID, position, email})
		}
	}
	if err := tx.InsertRows(ctx, "resource_tag", []string{"resource_id", "tag_id"}, tags, ""); err != nil {
		return err
	}
	return tx.InsertRows(ctx, "resource_author", []string{"resource_id", "position", "email"}, authors, "")
}

// Import writes entries that have an ExternalID, all in one transaction: existing ones are updated and keep their id,
// state, stars, and what is noted of their files besides their Content. New ones get their ID and CreatedAt, if they have
// them. The entries must be normalized and checked; an ExternalID may occur once.
// The events are recorded with them.
func (s *Store) Import(ctx context.Context, resources []Entry, events ...audit.Event) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := serializeWrites(ctx, tx); err != nil {
			return err
		}
		externalIDs := make([]string, len(resources))
		for i, r := range resources {
			externalIDs[i] = r.ExternalID
		}
		there, err := byExternalID(ctx, tx, externalIDs)
		if err != nil {
			return err
		}
		if err := checkFree(ctx, tx, resources, there); err != nil {
			return err
		}
		entries := slices.Clone(resources)
		rows := make([][]any, len(entries))
		var known []string
		for i := range entries {
			r := &entries[i]
			if id := there[r.ExternalID].ID; id != "" {
				r.ID = id
				known = append(known, id)
				if r.IssuedAt == nil && r.Privacy == PrivacyPublic { // unless it was public before
					r.IssuedAt = &tx.Now
				}
			} else if r.ID == "" {
				r.ID = sqldb.NewID()
			}
			if there[r.ExternalID].State == StateDeleted {
				r.Content = ""
			}
			tx.Changed(r.ID)
			rows[i] = entryValues(*r, sqldb.Micros(tx.Now))
		}
		var update []string
		for _, column := range append(columnsWrittenBy(byImport), "repository_key", "updated_at") {
			update = append(update, column+" = excluded."+column)
		}
		// A run says nothing about other code.
		update = append(update, `last_run = CASE WHEN resource.repository_key = excluded.repository_key
			AND resource.notebook_path = excluded.notebook_path THEN resource.last_run ELSE '' END`)
		update = append(update, "issued_at = CASE WHEN resource.issued_at = 0 THEN excluded.issued_at ELSE resource.issued_at END")
		suffix := "ON CONFLICT (id) DO UPDATE SET " + strings.Join(update, ", ")
		if err := tx.InsertRows(ctx, "resource", entryColumns, rows, suffix); err != nil {
			return err
		}
		if err := dropLabels(ctx, tx, known); err != nil {
			return err
		}
		if err := importContent(ctx, tx, known, entries); err != nil {
			return err
		}
		if err := writeLabels(ctx, tx, entries); err != nil {
			return err
		}
		if err := audit.RecordAll(ctx, tx, events); err != nil {
			return err
		}
		ids := make([]string, len(entries))
		for i, r := range entries {
			ids[i] = r.ID
		}
		return noteAppearances(ctx, tx, ids...)
	})
}

// checkFree refuses new entries whose id another entry has: Conflict.
func checkFree(ctx context.Context, tx *sqldb.Tx, resources []Entry, there map[string]Imported) error {
	var wanted []string
	for _, r := range resources {
		if r.ID != "" && there[r.ExternalID].ID == "" {
			wanted = append(wanted, r.ID)
		}
	}
	return sqldb.Chunks(wanted, func(part []string) error {
		taken, err := texts(ctx, tx, `SELECT id FROM resource WHERE id IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
		if err == nil && len(taken) > 0 {
			err = fault.New(fault.Conflict, "The entry with the id %s has another externalId here", taken[0])
		}
		return err
	})
}

// ensureTags returns the id of each tag of the entries, and creates new ones.
func ensureTags(ctx context.Context, tx *sqldb.Tx, resources []Entry) (map[string]string, error) {
	ids := map[string]string{}
	var values []string
	for _, r := range resources {
		for _, tag := range r.Tags {
			if _, ok := ids[tag.Value]; !ok {
				ids[tag.Value] = ""
				values = append(values, tag.Value)
			}
		}
	}
	rows := make([][]any, len(values))
	for i, value := range values {
		rows[i] = []any{sqldb.NewID(), value}
	}
	if err := tx.InsertRows(ctx, "tag", []string{"id", "value"}, rows, "ON CONFLICT (value) DO NOTHING"); err != nil {
		return nil, err
	}
	err := sqldb.Chunks(values, func(part []string) error {
		return forEachRow(ctx, tx, func(rows *sqldb.Rows) error {
			var id, value string
			err := rows.Scan(&id, &value)
			ids[value] = id
			return err
		}, `SELECT id, value FROM tag WHERE value IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
	})
	return ids, err
}
