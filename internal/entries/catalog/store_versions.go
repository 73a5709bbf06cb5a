package catalog

import (
	"context"
	"strconv"
	"strings"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
)

const versionColumns = `number, made_at, made_by, note, digest, files, bytes, stored, doi, entry, withdrawn_at, withdrawn_reason`

// versions returns the versions of an entry that are noted, the first first; none for an entry that hasn't changed.
func (s *Store) versions(ctx context.Context, id string) ([]EntryVersion, error) {
	return versionsIn(ctx, s.db, id)
}

func versionsIn(ctx context.Context, db reader, id string) (found []EntryVersion, err error) {
	if !sqldb.IsID(id) {
		return nil, nil
	}
	err = forEachRow(ctx, db, func(rows *sqldb.Rows) error {
		var one EntryVersion
		var at, withdrawn int64
		err := rows.Scan(&one.Number, &at, &one.By, &one.Note, &one.Digest, &one.Files, &one.Bytes, &one.Stored, &one.DOI, &one.entry, &withdrawn, &one.WithdrawnReason)
		one.At, one.Kept = sqldb.Time(at), one.Stored != ""
		if withdrawn != 0 {
			one.WithdrawnAt = new(sqldb.Time(withdrawn))
		}
		found = append(found, one)
		return err
	}, `SELECT `+versionColumns+` FROM entry_version WHERE resource_id = $1 ORDER BY number`, id)
	return found, err
}

// inVersion returns an entry as it was in a version.
func (s *Store) inVersion(ctx context.Context, entry Entry, number int) (Entry, EntryVersion, ShownVersion, error) {
	found, err := s.versions(ctx, entry.ID)
	if err != nil {
		return Entry{}, EntryVersion{}, ShownVersion{}, err
	}
	if len(found) == 0 {
		found = []EntryVersion{firstVersion(entry)}
	}
	for _, one := range found {
		if one.Number != number {
			continue
		}
		shown := ShownVersion{Number: number, Latest: found[len(found)-1].Number, At: one.At, WithdrawnReason: one.WithdrawnReason}
		if one.WithdrawnAt != nil {
			return Entry{}, one, shown, withdrawn(one)
		}
		was, err := one.thaw(entry)
		return was, one, shown, err
	}
	return Entry{}, EntryVersion{}, ShownVersion{}, fault.New(fault.NotFound, "There is no version %d of %s.", number, fault.Quote(entry.Name))
}

// noteVersion notes that an entry consists of something else than before; made is nil for a change of what is said about it, which makes
// no version.
func noteVersion(ctx context.Context, tx *sqldb.Tx, before, after Entry, made *NewVersion) error {
	if made == nil && before.consistsOf() == after.consistsOf() {
		return nil
	}
	if made == nil {
		made = &NewVersion{}
	}
	found, err := versionsIn(ctx, tx, after.ID)
	if err != nil {
		return err
	}
	was, err := frozen(before)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		first := firstVersion(before)
		err = insertVersion(ctx, tx, after.ID, first.Number, sqldb.Micros(first.At), "", NewVersion{Digest: first.Digest}, was)
		found = []EntryVersion{first}
	} else {
		_, err = tx.ExecContext(ctx, `UPDATE entry_version SET entry = $1 WHERE resource_id = $2 AND number = $3`, was, after.ID, found[len(found)-1].Number)
	}
	if err != nil {
		return err
	}
	return insertVersion(ctx, tx, after.ID, found[len(found)-1].Number+1, sqldb.Micros(tx.Now), identity.Email(ctx), *made, "")
}

// noteFirstVersion notes what a new entry consists of, or an older one whose content wasn't known.
func noteFirstVersion(ctx context.Context, tx *sqldb.Tx, id string, at int64, made NewVersion) error {
	return insertVersion(ctx, tx, id, 1, at, identity.Email(ctx), made, "")
}

func insertVersion(ctx context.Context, tx *sqldb.Tx, id string, number int, at int64, by string, made NewVersion, entry string, suffix ...string) error {
	return tx.InsertRows(ctx, "entry_version", []string{"resource_id", "number", "made_at", "made_by", "note", "digest", "files", "bytes", "stored", "task", "entry"},
		[][]any{{id, number, at, by, made.Note, made.Digest, made.Files, made.Bytes, made.Stored, made.Task, entry}}, strings.Join(suffix, " "))
}

// withdraw marks a version, once.
func (s *Store) withdraw(ctx context.Context, id string, number int, reason string) (Changes, error) {
	return s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		if err := serializeWrites(ctx, tx); err != nil {
			return err
		}
		found, err := versionsIn(ctx, tx, id)
		if err != nil {
			return err
		}
		var one *EntryVersion
		for i := range found {
			if found[i].Number == number {
				one = &found[i]
			}
		}
		switch {
		case one == nil && (number != 1 || len(found) > 0):
			return fault.New(fault.NotFound, "There is no version %d.", number)
		case one == nil || number == found[len(found)-1].Number:
			return fault.New(fault.Conflict, "Version %d is the latest one, which is what the entry shows. Add a better version first, or delete the entry.", number)
		case one.WithdrawnAt != nil:
			return nil
		}
		if _, err := tx.ExecContext(ctx, `UPDATE entry_version SET withdrawn_at = $1, withdrawn_reason = $2 WHERE resource_id = $3 AND number = $4`,
			sqldb.Micros(tx.Now), reason, id, number); err != nil {
			return err
		}
		tx.Changed(id)
		return RecordAbout(ctx, tx, audit.WithdrawVersion, id,
			audit.Change{Column: "entry_version.number", New: strconv.Itoa(number)}, audit.Change{Column: "entry_version.withdrawn_reason", New: reason})
	})
}

// SetVersionDOI notes the DOI under which an archive has a version. The latest version's is the entry's, unless that has one.
func (s *Store) SetVersionDOI(ctx context.Context, id string, number int, doi string) (Changes, error) {
	return s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		if err := serializeWrites(ctx, tx); err != nil {
			return err
		}
		before, err := entryIn(ctx, tx, id)
		if err != nil {
			return err
		}
		found, err := versionsIn(ctx, tx, id)
		if err != nil {
			return err
		}
		if len(found) == 0 && number == 1 {
			err = noteFirstVersion(ctx, tx, id, sqldb.Micros(before.CreatedAt), NewVersion{Digest: firstVersion(before).Digest})
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE entry_version SET doi = $1 WHERE resource_id = $2 AND number = $3`, doi, id, number); err != nil {
			return err
		}
		tx.Changed(id)
		return RecordAbout(ctx, tx, audit.DepositEntry, id, audit.Change{Column: "entry_version.doi", New: doi})
	})
}

// synced returns the version that a commit makes of an entry; nil if it has that commit already. What an entry that has no version yet was
// isn't known, so that commit is its first one.
func (s *Store) synced(ctx context.Context, id, commit string) (*NewVersion, error) {
	if commit == "" {
		return nil, nil //nolint:nilnil // it may be what it was
	}
	found, err := s.versions(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case len(found) > 0 && found[len(found)-1].Digest == commit:
		return nil, nil //nolint:nilnil // as documented
	case len(found) > 0:
		return &NewVersion{Digest: commit}, nil
	}
	entries, err := s.LoadUnlabeled(ctx, []string{id})
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	if known := firstVersion(entries[0]).Digest; known != "" && known != commit {
		return &NewVersion{Digest: commit}, nil
	}
	return nil, s.db.Write(ctx, func(tx *sqldb.Tx) error {
		return insertVersion(ctx, tx, id, 1, sqldb.Micros(entries[0].CreatedAt), "", NewVersion{Digest: commit}, "", ` ON CONFLICT DO NOTHING`) // another sync may do it too
	})
}
