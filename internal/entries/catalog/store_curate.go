package catalog

import (
	"context"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// Curation is what operators change in an entry; nil leaves a field unchanged.
type Curation struct {
	Hidden   *bool
	Reason   string // why it is hidden
	Featured *bool
	Status   *Status
}

// Curate changes what operators decide about an active entry, and closes the reports of one that it hides; NotFound
// when there is no such entry.
func (s *Store) Curate(ctx context.Context, id string, change Curation) (Changes, error) {
	return s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		var columns []string
		var arguments []any
		set := func(column string, value any) {
			arguments = append(arguments, value)
			columns = append(columns, column+" = $"+strconv.Itoa(len(arguments)))
		}
		if change.Hidden != nil {
			set("hidden", *change.Hidden)
			set("hidden_reason", change.Reason)
		}
		if change.Featured != nil {
			featured := int64(0)
			if *change.Featured {
				featured = sqldb.Micros(tx.Now)
			}
			set("featured_at", featured)
		}
		if change.Status != nil {
			set("status", *change.Status)
		}
		if len(columns) == 0 {
			return nil
		}
		if err := serializeWrites(ctx, tx); err != nil {
			return err
		}
		before, err := entryIn(ctx, tx, id)
		if err != nil {
			return err
		}
		tx.Changed(id)
		arguments = append(arguments, id, StateActive)
		written, err := tx.ExecContext(ctx, `UPDATE resource SET `+strings.Join(columns, ", ")+
			` WHERE id = $`+strconv.Itoa(len(arguments)-1)+` AND state = $`+strconv.Itoa(len(arguments)), arguments...)
		if err != nil {
			return err
		}
		if count, err := written.RowsAffected(); err != nil || count == 0 {
			if err == nil {
				err = notFound()
			}
			return err
		}
		if change.Hidden != nil && *change.Hidden {
			if _, err := tx.ExecContext(ctx, `DELETE FROM report WHERE resource_id = $1`, id); err != nil {
				return err
			}
		}
		after, err := entryIn(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := recordEntry(ctx, tx, audit.CurateEntry, before, after); err != nil || before.Public() == after.Public() {
			return err // harvesters don't learn what else operators decide
		}
		return noteAppearances(ctx, tx, id)
	})
}

// Erase deletes a hidden entry and what it says, so that nothing can bring it back. An empty row stays, because projects
// refer to it, and so that an import doesn't add it again. It returns Conflict unless the entry is hidden.
func (s *Store) Erase(ctx context.Context, id string) (Changes, error) {
	return s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		if err := serializeWrites(ctx, tx); err != nil {
			return err
		}
		before, err := entryIn(ctx, tx, id)
		if err != nil {
			return err
		}
		tx.Changed(id)
		var columns []string
		arguments := []any{id, StateActive}
		values := entryValues(Entry{}, sqldb.Micros(tx.Now))
		for i, column := range entryColumns {
			switch column {
			case "id", "external_id", "type", "privacy", "state", "created_at":
			default:
				arguments = append(arguments, values[i])
				columns = append(columns, column+" = $"+strconv.Itoa(len(arguments)))
			}
		}
		arguments = append(arguments, StateDeleted)
		written, err := tx.ExecContext(ctx, `UPDATE resource SET `+strings.Join(columns, ", ")+
			`, hidden = FALSE, hidden_reason = '', featured_at = 0, last_run = '', state = $`+strconv.Itoa(len(arguments))+
			` WHERE id = $1 AND state = $2 AND hidden`, arguments...)
		if err != nil {
			return err
		}
		if count, err := written.RowsAffected(); err != nil || count == 0 {
			if err == nil {
				err = fault.New(fault.Conflict, "Only a hidden entry can be deleted permanently. Hide it first.")
			}
			return err
		}
		for _, table := range []string{"resource_tag", "resource_author", "star", "report", "left_author", "named_author", "entry_content", "entry_start", "run", "entry_version"} {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE resource_id = $1`, id); err != nil {
				return err
			}
		}
		if err := recordEntry(ctx, tx, audit.EraseEntry, before, before); err != nil {
			return err
		}
		return noteAppearances(ctx, tx, id)
	})
}

// additionTime is the time in which the additions of an account are counted.
const additionTime = time.Hour

// CountAddition counts an entry that an account is about to add. If the account has added as many as it may, nothing
// is counted, and wait is the time until the next one.
func (s *Store) CountAddition(ctx context.Context, accountID string, most int) (wait time.Duration, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := serializeWrites(ctx, tx); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM addition WHERE account_id = $1 AND added_at <= $2`, accountID, sqldb.Micros(tx.Now.Add(-additionTime)))
		if err != nil {
			return err
		}
		var count int
		var oldest int64
		err = tx.QueryRowContext(ctx, `SELECT count(*), coalesce(min(added_at), 0) FROM addition WHERE account_id = $1`, accountID).Scan(&count, &oldest)
		if err != nil {
			return err
		}
		if count >= most {
			wait = sqldb.Time(oldest).Add(additionTime).Sub(tx.Now)
			return nil
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO addition (account_id, added_at) VALUES ($1, $2)`, accountID, sqldb.Micros(tx.Now))
		return err
	})
	return wait, err
}
