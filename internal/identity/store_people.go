package identity

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"cairn/internal/sqldb"
)

// People returns the e-mails that signed in or have a decision, each once. Enabled is set if Decided is. An e-mail of an
// account that is disabled under a former one is disabled too.
func (s *Store) People(ctx context.Context) ([]Person, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT a.email, max(a.name), min(a.created_at), max(a.disabled_as), g.enabled, g.role
		FROM account a LEFT JOIN account_grant g ON g.email = a.email WHERE a.email <> ''
		GROUP BY a.email, g.enabled, g.role
		UNION ALL
		SELECT g.email, '', 0, '', g.enabled, g.role FROM account_grant g
		WHERE NOT EXISTS (SELECT 1 FROM account a WHERE a.email = g.email)`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	people := []Person{}
	for rows.Next() {
		var person Person
		var seen int64
		var enabled sql.NullBool
		var role sql.NullString
		var disabledAs string
		if err := rows.Scan(&person.Email, &person.Name, &seen, &disabledAs, &enabled, &role); err != nil {
			return nil, err
		}
		person.Enabled, person.Role = enabled.Bool && disabledAs == "", cmp.Or(role.String, RoleUser)
		person.Decided = enabled.Valid || disabledAs != ""
		if seen != 0 {
			at := sqldb.Time(seen)
			person.SeenAt = &at
		}
		people = append(people, person)
	}
	return people, rows.Err()
}

// decideOne writes a decision. What it leaves open stays as an earlier decision, also one about a former e-mail of a
// disabled account, or the policy has it.
func (s *Store) decideOne(ctx context.Context, email string, decision Decision, byPolicy bool) (person Person, err error) {
	err = s.writeAccounts(ctx, func(tx *sqldb.Tx) error {
		person = Person{Email: email, Enabled: byPolicy, Role: RoleUser, Decided: true}
		err := tx.QueryRowContext(ctx, `SELECT enabled, role FROM account_grant WHERE email = $1`, email).Scan(&person.Enabled, &person.Role)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var disabled bool
		err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM account WHERE email = $1 AND disabled_as <> '')`, email).Scan(&disabled)
		if err != nil {
			return err
		}
		person.Enabled = person.Enabled && !disabled
		before := Grant{Email: email, Enabled: person.Enabled, Role: person.Role}
		if decision.Enabled != nil {
			person.Enabled = *decision.Enabled
		}
		if decision.Role != nil {
			person.Role = *decision.Role
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO account_grant (email, enabled, role, updated_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (email) DO UPDATE SET enabled = excluded.enabled, role = excluded.role, updated_at = excluded.updated_at`,
			email, person.Enabled, person.Role, sqldb.Micros(tx.Now))
		if err == nil {
			err = enable(ctx, tx, Grant{Email: email, Enabled: person.Enabled})
		}
		if err == nil {
			err = recordDecision(ctx, tx, before, Grant{Email: email, Enabled: person.Enabled, Role: person.Role})
		}
		if err != nil {
			return err
		}
		var seen sql.NullInt64
		err = tx.QueryRowContext(ctx, `SELECT min(created_at), coalesce(max(name), '') FROM account WHERE email = $1`, email).
			Scan(&seen, &person.Name)
		if seen.Valid {
			at := sqldb.Time(seen.Int64)
			person.SeenAt = &at
		}
		return err
	})
	return person, err
}

func (s *Store) accounts(ctx context.Context, ids []string) ([]Account, error) {
	var result []Account
	err := sqldb.Chunks(ids, func(part []string) error {
		rows, err := s.db.QueryContext(ctx, selectAccount+` WHERE a.id IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			account, err := scanAccount(rows)
			if err != nil {
				return err
			}
			result = append(result, account)
		}
		return rows.Err()
	})
	return result, err
}
