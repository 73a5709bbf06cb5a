package identity

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/memory"
	"cairn/internal/foundation/sqldb"

	"golang.org/x/sync/singleflight"
)

// Account is the account of a (issuer, subject) that was seen with a valid token.
type Account struct {
	ID    string
	Email string
	Name  string
	Grant *Grant // the operators' decision about this e-mail; nil without one
	// DisabledAs is the e-mail under which operators disabled the account, if the token doesn't name it any more; only a
	// decision that enables one of the two ends that.
	DisabledAs string
	// SeenAt is when a valid token of the account was last seen, to a minute; only Store.Account returns it up to date.
	SeenAt time.Time

	// GuestUntil is until when a guest of a workshop may work; the zero time: the account isn't a guest.
	GuestUntil time.Time

	updatedAt time.Time // when the e-mail or the name last changed
}

// nameTime is how long a name stays before another spelling replaces it.
const nameTime = 24 * time.Hour

// matches reports whether a token with this e-mail and name leaves the account unchanged. Tokens from one person's
// clients may spell the name differently or lack it; if each of them rewrote it, every request could invalidate all
// cached accounts.
func (a Account) matches(email, name string) bool {
	sameName := name == "" || name == a.Name || (a.Name != "" && time.Since(a.updatedAt) < nameTime)
	return a.Email == email && sameName
}

// The roles of a grant.
const (
	RoleUser     = "user"
	RoleOperator = "operator"
)

// Grant is a decision of the operators about an e-mail, which may not have signed in yet.
type Grant struct {
	Email   string
	Enabled bool
	Role    string // RoleUser or RoleOperator
}

// Operator reports whether the grant makes its account an operator.
func (g Grant) Operator() bool { return g.Role == RoleOperator }

// Store stores accounts and grants.
type Store struct {
	db      *sqldb.DB
	seen    *seen
	marked  *memory.Cache[string, struct{}] // ids of accounts that MarkSeen need not write
	marking singleflight.Group              // by id
}

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store {
	return &Store{db: db, seen: newSeen(), marked: memory.New[string, struct{}](seenKept, db.Now)}
}

const selectAccount = `SELECT a.id, CASE WHEN a.guest_until = 0 THEN a.email ELSE a.subject END, a.name, a.updated_at, a.seen_at, a.disabled_as, a.guest_until, g.enabled, g.role FROM account a
	LEFT JOIN account_grant g ON g.email = a.email AND a.email <> ''`

// Account returns the account with an id; NotFound when there is none.
func (s *Store) Account(ctx context.Context, id string) (Account, error) {
	account, err := scanAccount(s.db.QueryRowContext(ctx, selectAccount+` WHERE a.id = $1`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return Account{}, fault.New(fault.NotFound, "This account doesn't exist.")
	}
	return account, err
}

// See returns the account of an issuer's subject with its current e-mail, and creates it the first time. A new name is
// stored together with a new e-mail, or nameTime after the last change. An account that is disabled under its former
// e-mail stays so.
func (s *Store) See(ctx context.Context, issuer, subject, email, name string) (Account, error) {
	account, generation, known := s.seen.get(subjectKey{issuer, subject})
	if known && account.matches(email, name) {
		return account, nil
	}
	account, err := scanAccount(s.db.QueryRowContext(ctx, selectAccount+` WHERE a.issuer = $1 AND a.subject = $2`, issuer, subject))
	if err == nil && account.matches(email, name) {
		s.seen.put(subjectKey{issuer, subject}, account, generation)
		return account, nil
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Account{}, err
	}
	id := sqldb.NewID()
	err = s.writeAccounts(ctx, func(tx *sqldb.Tx) error {
		before, err := scanAccount(tx.QueryRowContext(ctx, selectAccount+` WHERE a.issuer = $1 AND a.subject = $2`, issuer, subject))
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO account (id, issuer, subject, email, name, created_at, updated_at, seen_at)
			VALUES ($1, $2, $3, $4, $5, $6, $6, $6)
			ON CONFLICT (issuer, subject) DO UPDATE SET email = excluded.email, updated_at = excluded.updated_at,
				disabled_as = COALESCE((SELECT g.email FROM account_grant g
					WHERE g.email = account.email AND g.email <> excluded.email AND NOT g.enabled), account.disabled_as),
				name = CASE WHEN excluded.name = '' THEN account.name ELSE excluded.name END`,
			id, issuer, subject, email, name, sqldb.Micros(tx.Now))
		if err != nil {
			return err
		}
		account, err = scanAccount(tx.QueryRowContext(ctx, selectAccount+` WHERE a.issuer = $1 AND a.subject = $2`, issuer, subject))
		if added := account.ID == id; err == nil && (added || before.ID != "") { // else another request has just added it
			err = recordSeen(ctx, tx, before, account)
		}
		return err
	})
	return account, err
}

// recordSeen records what the sign-in of an account changed in it, if anything; before is the zero Account the first time.
func recordSeen(ctx context.Context, tx *sqldb.Tx, before, account Account) error {
	if before.ID != "" && before.Email == account.Email && before.Name == account.Name {
		return nil
	}
	event := audit.Event{Action: audit.ChangeAccount, Object: audit.Object{Type: audit.Account, ID: cmp.Or(account.Email, account.ID)}, Changes: []audit.Change{
		{Column: "account.email", Old: before.Email, New: account.Email}, {Column: "account.name", Old: before.Name, New: account.Name},
	}}
	if before.ID == "" {
		event.Action = audit.AddAccount
	}
	return audit.Record(audit.As(ctx, audit.Actor{AccountID: account.ID, Email: account.Email}), tx, event)
}

// SeeWithoutEmail is See for a token that names no e-mail: it returns the account without its e-mail and grant, though
// still disabled if it is, and leaves what another token of the same person said about them.
func (s *Store) SeeWithoutEmail(ctx context.Context, issuer, subject, name string) (Account, error) {
	account, generation, known := s.seen.get(subjectKey{issuer, subject})
	if !known {
		var err error
		account, err = scanAccount(s.db.QueryRowContext(ctx, selectAccount+` WHERE a.issuer = $1 AND a.subject = $2`, issuer, subject))
		if errors.Is(err, sql.ErrNoRows) {
			return s.See(ctx, issuer, subject, "", name)
		}
		if err != nil {
			return Account{}, err
		}
		s.seen.put(subjectKey{issuer, subject}, account, generation)
	}
	if account.Grant != nil && !account.Grant.Enabled {
		account.DisabledAs = account.Email
	}
	account.Email, account.Grant = "", nil
	return account, nil
}

// Decide writes grants; they replace earlier decisions about the same e-mails unless keep is set.
func (s *Store) Decide(ctx context.Context, grants []Grant, keep bool) error {
	conflict := `DO UPDATE SET enabled = excluded.enabled, role = excluded.role, updated_at = excluded.updated_at`
	if keep {
		conflict = `DO NOTHING`
	}
	return s.writeAccounts(ctx, func(tx *sqldb.Tx) error {
		for _, grant := range grants {
			grant.Email = NormalizeEmail(grant.Email)
			before, err := grantOf(ctx, tx, grant.Email)
			if err != nil {
				return err
			}
			result, err := tx.ExecContext(ctx, `INSERT INTO account_grant (email, enabled, role, updated_at) VALUES ($1, $2, $3, $4)
				ON CONFLICT (email) `+conflict, grant.Email, grant.Enabled, grant.Role, sqldb.Micros(tx.Now))
			if err != nil {
				return err
			}
			written, err := result.RowsAffected()
			if err == nil && written > 0 {
				err = errors.Join(enable(ctx, tx, grant), recordDecision(ctx, tx, before, grant))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// grantOf returns the decision about an e-mail; without one, nobody is enabled by it and everybody is a user.
func grantOf(ctx context.Context, tx *sqldb.Tx, email string) (Grant, error) {
	grant := Grant{Email: email, Role: RoleUser}
	err := tx.QueryRowContext(ctx, `SELECT enabled, role FROM account_grant WHERE email = $1`, email).Scan(&grant.Enabled, &grant.Role)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return grant, err
}

// recordDecision records the decision about an e-mail.
func recordDecision(ctx context.Context, tx *sqldb.Tx, before, after Grant) error {
	return audit.Record(ctx, tx, audit.Event{
		Action: audit.DecideAccount, Object: audit.Object{Type: audit.Account, ID: after.Email, Name: after.Email}, Concerns: []string{after.Email},
		Changes: []audit.Change{
			{Column: "account_grant.enabled", Old: before.Enabled, New: after.Enabled}, {Column: "account_grant.role", Old: before.Role, New: after.Role},
		},
	})
}

// enable ends what a former decision about the e-mail of a grant, or about a former e-mail of its accounts, left in the
// accounts, if the grant enables them.
func enable(ctx context.Context, tx *sqldb.Tx, grant Grant) error {
	if !grant.Enabled || grant.Email == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, `UPDATE account SET disabled_as = '' WHERE disabled_as <> '' AND (email = $1 OR disabled_as = $1)`,
		grant.Email)
	return err
}

func scanAccount(row interface{ Scan(...any) error }) (Account, error) {
	var account Account
	var enabled sql.NullBool
	var role sql.NullString
	var updated, seen, guest int64
	err := row.Scan(&account.ID, &account.Email, &account.Name, &updated, &seen, &account.DisabledAs, &guest, &enabled, &role)
	account.updatedAt, account.SeenAt = sqldb.Time(updated), sqldb.Time(seen)
	if guest != 0 {
		account.GuestUntil = sqldb.Time(guest)
	}
	if enabled.Valid {
		account.Grant = &Grant{Email: account.Email, Enabled: enabled.Bool, Role: role.String}
	}
	return account, err
}
