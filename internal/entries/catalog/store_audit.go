package catalog

import (
	"context"
	"slices"
	"strings"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/sqldb"
)

// entryIn returns an entry as a transaction sees it; NotFound if there is none.
func entryIn(ctx context.Context, tx *sqldb.Tx, id string) (Entry, error) {
	found, err := load(ctx, tx, []string{id}, true)
	if err == nil && len(found) == 0 {
		err = notFound()
	}
	if err != nil {
		return Entry{}, err
	}
	return found[0], nil
}

// recordEntry records what somebody changes in an entry; before is the zero Entry if they add it. It concerns all its
// authors.
func recordEntry(ctx context.Context, tx *sqldb.Tx, action audit.Action, before, after Entry) error {
	object := after.audited()
	object.Private = object.Private || before.Privacy == PrivacyPrivate
	return audit.Record(ctx, tx, audit.Event{
		Action: action, Object: object, Changes: differences(before, after),
		Concerns: slices.Concat(before.Authors, after.Authors, []string{before.AddedBy, after.AddedBy}),
	})
}

// RecordAbout records what somebody does about an entry without changing it. It concerns nobody else.
func RecordAbout(ctx context.Context, tx *sqldb.Tx, action audit.Action, id string, changes ...audit.Change) error {
	about := Entry{ID: id}
	if err := tx.QueryRowContext(ctx, `SELECT name, privacy FROM resource WHERE id = $1`, id).Scan(&about.Name, &about.Privacy); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Event{Action: action, Object: about.audited(), Changes: changes})
}

func recordStar(ctx context.Context, tx *sqldb.Tx, entry Entry, starred bool) error {
	action := audit.UnstarEntry
	if starred {
		action = audit.StarEntry
	}
	return audit.Record(ctx, tx, audit.Event{Action: action, Object: entry.audited()})
}

func (r Entry) audited() audit.Object {
	return audit.Object{Type: audit.Entry, ID: r.ID, Name: r.Name, Private: r.Privacy != PrivacyPublic}
}

// differences compares all columns that people decide about.
func differences(before, after Entry) (changes []audit.Change) {
	for _, one := range fields {
		if !one.recorded {
			continue
		}
		column := one.column
		if !strings.Contains(column, ".") {
			column = "resource." + column
		}
		changes = append(changes, audit.Change{Column: column, Old: one.value(&before), New: one.value(&after)})
	}
	return changes
}
