package identity

import (
	"context"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/sqldb"
)

// Exported is an account with the sign-in that it belongs to.
type Exported struct {
	ID, Issuer, Subject     string
	Email, Name, DisabledAs string
	CreatedAt               time.Time
}

// ExportAccounts returns all accounts, in the order of their ids.
func ExportAccounts(ctx context.Context, snapshot *sqldb.Snapshot) (accounts []Exported, err error) {
	rows, err := snapshot.QueryContext(ctx, `SELECT id, issuer, subject, email, name, disabled_as, created_at FROM account WHERE guest_until = 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one Exported
		var created int64
		if err := rows.Scan(&one.ID, &one.Issuer, &one.Subject, &one.Email, &one.Name, &one.DisabledAs, &created); err != nil {
			return nil, err
		}
		one.CreatedAt = sqldb.Time(created)
		accounts = append(accounts, one)
	}
	slices.SortFunc(accounts, func(a, b Exported) int { return strings.Compare(a.ID, b.ID) })
	return accounts, rows.Err()
}

// ExportGrants returns all decisions of operators, in the order of their e-mails.
func ExportGrants(ctx context.Context, snapshot *sqldb.Snapshot) (grants []Grant, err error) {
	rows, err := snapshot.QueryContext(ctx, `SELECT email, enabled, role FROM account_grant`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one Grant
		if err := rows.Scan(&one.Email, &one.Enabled, &one.Role); err != nil {
			return nil, err
		}
		grants = append(grants, one)
	}
	slices.SortFunc(grants, func(a, b Grant) int { return strings.Compare(a.Email, b.Email) })
	return grants, rows.Err()
}

// Import writes accounts and returns the id of each, in their order. Those that have signed in here stay as they are; an ID
// that another account has is replaced. The events are recorded with them.
func (s *Store) Import(ctx context.Context, accounts []Exported, events ...audit.Event) (ids []string, err error) {
	ids = make([]string, len(accounts))
	err = s.writeAccounts(ctx, func(tx *sqldb.Tx) error {
		for i, one := range accounts {
			if one.ID == "" {
				one.ID = sqldb.NewID()
			}
			if one.CreatedAt.IsZero() {
				one.CreatedAt = tx.Now
			}
			_, err := tx.ExecContext(ctx, `INSERT INTO account (id, issuer, subject, email, name, disabled_as, created_at, updated_at, seen_at)
				SELECT CASE WHEN EXISTS (SELECT 1 FROM account WHERE id = $1) THEN $2 ELSE $1 END, $3, $4, $5, $6, $7, $8, $9, 0
				WHERE NOT EXISTS (SELECT 1 FROM account WHERE issuer = $3 AND subject = $4)`,
				one.ID, sqldb.NewID(), one.Issuer, one.Subject, one.Email, one.Name, one.DisabledAs, sqldb.Micros(one.CreatedAt), sqldb.Micros(tx.Now))
			if err != nil {
				return err
			}
			if err := tx.QueryRowContext(ctx, `SELECT id FROM account WHERE issuer = $1 AND subject = $2`, one.Issuer, one.Subject).Scan(&ids[i]); err != nil {
				return err
			}
		}
		return audit.RecordAll(ctx, tx, events)
	})
	return ids, err
}
