package catalog

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
)

const formerAuthors = `SELECT email FROM left_author WHERE resource_id = $1 ORDER BY email`

// FormerAuthors returns the addresses of the authors who left an entry. They stay out of it for good.
func (s *Store) FormerAuthors(ctx context.Context, id string) ([]string, error) {
	return texts(ctx, s.db, formerAuthors, id)
}

// leaveOut takes those who left an entry off what is about to be written; Conflict if no author would remain.
func leaveOut(ctx context.Context, tx *sqldb.Tx, r *Entry) error {
	left, err := texts(ctx, tx, formerAuthors, r.ID)
	if err != nil || len(left) == 0 {
		return err
	}
	named := len(r.Authors) > 0
	r.Authors = slices.DeleteFunc(slices.Clone(r.Authors), func(email string) bool { return slices.Contains(left, email) })
	r.People = slices.DeleteFunc(slices.Clone(r.People), func(p Credit) bool { return slices.Contains(left, p.Email) })
	if named && len(r.Authors) == 0 {
		return fault.New(fault.Conflict, "Everyone named as an author has left this entry. Name someone else.")
	}
	return nil
}

// writeAuthored writes the labels of an entry that somebody adds or changes, and remembers whom the caller named as
// authors besides themselves.
func writeAuthored(ctx context.Context, tx *sqldb.Tx, r Entry) error {
	if err := writeLabels(ctx, tx, []Entry{r}); err != nil {
		return err
	}
	by := identity.Email(ctx)
	var rows [][]any
	for _, email := range r.Authors {
		if by != "" && email != by {
			rows = append(rows, []any{r.ID, email, by})
		}
	}
	return tx.InsertRows(ctx, "named_author", []string{"resource_id", "email", "named_by"}, rows, "ON CONFLICT (resource_id, email) DO NOTHING")
}

// NamedBy returns who named somebody as an author of an entry; "" if they did it themselves, or if nobody knows.
func (s *Store) NamedBy(ctx context.Context, id, email string) (string, error) {
	var by string
	err := s.db.QueryRowContext(ctx, `SELECT named_by FROM named_author WHERE resource_id = $1 AND email = $2`, id, email).Scan(&by)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return by, err
}

// Leave takes an author, or whoever added an entry, off it and its credits, for good; LastAuthor unless there are others.
func (s *Store) Leave(ctx context.Context, id, email string) (Changes, error) {
	return s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		if err := serializeWrites(ctx, tx); err != nil {
			return err
		}
		var others int
		err := tx.QueryRowContext(ctx, `SELECT count(*) FROM resource_author WHERE resource_id = $1 AND email <> $2`, id, email).Scan(&others)
		if err != nil {
			return err
		}
		if others == 0 {
			return fault.New(fault.LastAuthor, "No one else could change this entry: among its authors and the person who added it, you're the only one with an e-mail address. "+
				"Name another author with an address first, or delete the entry.")
		}
		before, err := entryIn(ctx, tx, id)
		if err != nil {
			return err
		}
		rest := Entry{People: slices.DeleteFunc(slices.Clone(before.People), func(p Credit) bool { return p.Email == email })}
		tx.Changed(id)
		now := sqldb.Micros(tx.Now)
		for _, change := range []struct {
			query     string
			arguments []any
		}{
			{`DELETE FROM resource_author WHERE resource_id = $1 AND email = $2`, []any{id, email}},
			{`DELETE FROM named_author WHERE resource_id = $1 AND email = $2`, []any{id, email}},
			{`INSERT INTO left_author (resource_id, email) VALUES ($1, $2) ON CONFLICT (resource_id, email) DO NOTHING`, []any{id, email}},
			// Who edits it now must see that it changed.
			{`UPDATE resource SET people = $3, added_by = CASE WHEN added_by = $4 THEN '' ELSE added_by END,
				updated_at = CASE WHEN updated_at < $1 THEN $1 ELSE updated_at + 1 END WHERE id = $2`, []any{now, id, rest.storedPeople(), email}},
		} {
			if _, err := tx.ExecContext(ctx, change.query, change.arguments...); err != nil {
				return err
			}
		}
		after, err := entryIn(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := recordEntry(ctx, tx, audit.LeaveEntry, before, after); err != nil {
			return err
		}
		return noteAppearances(ctx, tx, id)
	})
}
