package catalog

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/sqldb"
)

// writeAuthored writes the labels of an entry that somebody adds or changes. It leaves out authors who left the entry,
// and remembers whom the caller named as authors besides themselves.
func writeAuthored(ctx context.Context, tx *sqldb.Tx, r Resource) error {
	left, err := texts(ctx, tx, `SELECT email FROM left_author WHERE resource_id = $1`, r.ID)
	if err != nil {
		return err
	}
	named := len(r.Authors) > 0
	r.Authors = slices.DeleteFunc(slices.Clone(r.Authors), func(email string) bool { return slices.Contains(left, email) })
	if named && len(r.Authors) == 0 {
		return fault.New(fault.Conflict, "Everybody who is named as an author has left this entry. Name somebody else.")
	}
	if err := writeLabels(ctx, tx, []Resource{r}); err != nil {
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

// Leave takes an author off an entry, for good; LastAuthor unless there are others.
func (s *Store) Leave(ctx context.Context, id, email string) (Changes, error) {
	return s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		if err := oneByOne(ctx, tx); err != nil {
			return err
		}
		var others int
		err := tx.QueryRowContext(ctx, `SELECT count(*) FROM resource_author WHERE resource_id = $1 AND email <> $2`, id, email).Scan(&others)
		if err != nil {
			return err
		}
		if others == 0 {
			return fault.New(fault.LastAuthor, "You're the only author of this entry with an e-mail address. Name another one first, or delete the entry.")
		}
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
			{`UPDATE resource SET updated_at = CASE WHEN updated_at < $1 THEN $1 ELSE updated_at + 1 END WHERE id = $2`, []any{now, id}},
		} {
			if _, err := tx.ExecContext(ctx, change.query, change.arguments...); err != nil {
				return err
			}
		}
		return nil
	})
}
