package shares

import (
	"context"
	"slices"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
)

// Sessions is what the store needs of stored sessions.
type Sessions interface {
	// ByID returns the sessions among the ids, including those that were deleted.
	ByID(ctx context.Context, ids ...string) ([]sessions.Session, error)
	// ChangeListOf runs a transaction that changes what an account's list of sessions shows.
	ChangeListOf(ctx context.Context, accountID string, fn func(tx *sqldb.Tx) error) error
}

// Accounts finds accounts.
type Accounts interface {
	// Callers returns accounts by their ids; unknown ids are left out.
	Callers(ctx context.Context, ids []string) (map[string]identity.Caller, error)
}

// Store stores shares, requests and visits. Several processes may work on one database.
type Store struct {
	db       *sqldb.DB
	sessions Sessions
}

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB, stored Sessions) *Store { return &Store{db: db, sessions: stored} }

// querier is the database, or a transaction on it.
type querier interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sqldb.Rows, error)
}

// newID returns the id of something new.
func newID() string { return sqldb.NewID() }

// list returns the shares that fulfill a condition, with the names of their projects, the oldest first.
func list(ctx context.Context, db querier, condition string, arguments ...any) ([]Share, error) {
	rows, err := db.QueryContext(ctx, `SELECT s.id, s.session_id, s.kind, s.whom, s.digest, s.can, s.until_at, s.run_at, s.created_at, COALESCE(p.name, '')
		FROM session_share s LEFT JOIN project p ON s.kind = '`+byProject+`' AND p.id = s.whom WHERE `+condition+` ORDER BY s.created_at, s.id`, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Share{}
	for rows.Next() {
		var one Share
		var until, run, created int64
		if err := rows.Scan(&one.ID, &one.sessionID, &one.kind, &one.whom, &one.digest, &one.Can, &until, &run, &created, &one.ProjectName); err != nil {
			return nil, err
		}
		if until != 0 {
			one.Until = new(sqldb.Time(until))
		}
		one.runAt, one.CreatedAt = sqldb.Time(run), sqldb.Time(created)
		switch one.kind {
		case byEmail:
			one.With.Email = one.whom
		case byProject:
			one.With.Project = one.whom
		case byLink:
			one.With.Link = true
		}
		found = append(found, one)
	}
	return found, rows.Err()
}

// ofSession returns all shares of a session, also those that have ended.
func (s *Store) ofSession(ctx context.Context, sessionID string) ([]Share, error) {
	return list(ctx, s.db, `s.session_id = $1`, sessionID)
}

// rights reads who may do what with sessions, as far as it concerns these accounts.
func (s *Store) rights(ctx context.Context, accounts Accounts, policy LinkPolicy, sessionIDs, accountIDs []string) (*Rights, error) {
	found := &Rights{
		now: s.db.Now(), policy: policy, sessions: map[string]sessions.Session{}, shares: map[string][]Share{}, members: map[string]map[string]bool{}, joined: map[string]map[string]bool{},
	}
	known, err := s.sessions.ByID(ctx, sessionIDs...)
	if err != nil {
		return nil, err
	}
	ids := slices.Clone(accountIDs)
	for _, session := range known {
		found.sessions[session.ID] = session
		ids = append(ids, session.AccountID)
	}
	slices.Sort(ids)
	if found.accounts, err = accounts.Callers(ctx, slices.Compact(ids)); err != nil {
		return nil, err
	}
	var links, projects []string
	err = sqldb.Chunks(sessionIDs, func(part []string) error {
		shares, err := list(ctx, s.db, `s.session_id IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
		for _, share := range shares {
			found.shares[share.sessionID] = append(found.shares[share.sessionID], share)
			switch share.kind {
			case byLink:
				links = append(links, share.ID)
			case byProject:
				projects = append(projects, share.whom)
			}
		}
		return err
	})
	if err == nil {
		err = s.pairs(ctx, found.joined, links, `SELECT share_id, account_id FROM session_share_joined WHERE share_id`)
	}
	if err == nil {
		err = s.pairs(ctx, found.members, projects, `SELECT m.project_id, m.email FROM project_member m JOIN project p ON p.id = m.project_id WHERE p.state = 'ACTIVE' AND p.id`)
	}
	if err == nil {
		err = s.pairs(ctx, found.members, projects, `SELECT id, owner_email FROM project WHERE state = 'ACTIVE' AND id`)
	}
	return found, err
}

// pairs reads rows of two texts into sets of the second, by the first, for the given ones of the latter.
func (s *Store) pairs(ctx context.Context, into map[string]map[string]bool, of []string, query string) error {
	return sqldb.Chunks(of, func(part []string) error {
		rows, err := s.db.QueryContext(ctx, query+` IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var one, other string
			if err := rows.Scan(&one, &other); err != nil {
				return err
			}
			if into[one] == nil {
				into[one] = map[string]bool{}
			}
			into[one][other] = true
		}
		return rows.Err()
	})
}

// sharesLimit is the maximum number of shares of a session.
const sharesLimit = 100

// add stores a share of a session; Conflict over sharesLimit. One for the same person or project is replaced.
func (s *Store) add(ctx context.Context, session sessions.Session, made Share, event audit.Event) error {
	return s.sessions.ChangeListOf(ctx, session.AccountID, func(tx *sqldb.Tx) error {
		if err := addIn(ctx, tx, session, made, true); err != nil {
			return err
		}
		return audit.Record(ctx, tx, event)
	})
}

// addIn is add within a transaction, without a record; replaces says whether others for the same person or project go. Those that have
// ended go in any case.
func addIn(ctx context.Context, tx *sqldb.Tx, session sessions.Session, made Share, replaces bool) error {
	now := sqldb.Micros(tx.Now)
	_, err := tx.ExecContext(ctx, `DELETE FROM session_share WHERE session_id = $1 AND (
			kind = $2 AND whom = $3 AND $3 <> '' AND $4 OR until_at <> 0 AND until_at <= $5 OR until_at = 0 AND run_at <> $6)`,
		session.ID, made.kind, made.whom, replaces, now, sqldb.Micros(session.QueuedAt))
	if err != nil {
		return err
	}
	var others int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM session_share WHERE session_id = $1`, session.ID).Scan(&others); err != nil {
		return err
	}
	if others >= sharesLimit {
		return fault.New(fault.Conflict, "This session is shared in %d ways, the maximum. End one of them first.", others)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO session_share (id, session_id, kind, whom, digest, can, until_at, run_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, made.ID, session.ID, made.kind, made.whom, made.digest, made.Can, stored(made.Until), sqldb.Micros(made.runAt), now)
	return err
}

// stored returns a time as it is stored.
func stored(at *time.Time) int64 {
	if at == nil {
		return 0
	}
	return sqldb.Micros(*at)
}

// end deletes a share of a session; NotFound if it has none.
func (s *Store) end(ctx context.Context, session sessions.Session, id string, event func(ended Share) audit.Event) error {
	return s.sessions.ChangeListOf(ctx, session.AccountID, func(tx *sqldb.Tx) error {
		found, err := list(ctx, tx, `s.session_id = $1 AND s.id = $2`, session.ID, id)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fault.New(fault.NotFound, "This session isn't shared that way any longer.")
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM session_share WHERE id = $1`, id); err != nil {
			return err
		}
		return audit.Record(ctx, tx, event(found[0]))
	})
}

// byLinkDigest returns the share whose link has a secret with this digest; NotFound if there is none.
func (s *Store) byLinkDigest(ctx context.Context, digest string) (Share, error) {
	found, err := list(ctx, s.db, `s.digest = $1 AND s.digest <> ''`, digest)
	if err == nil && len(found) == 0 {
		err = errNoLink
	}
	if err != nil {
		return Share{}, err
	}
	return found[0], nil
}

// join stores that an account has followed the link of a share.
func (s *Store) join(ctx context.Context, share Share, accountID string, event audit.Event) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		var there int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM session_share WHERE id = $1`, share.ID).Scan(&there); err != nil {
			return err
		}
		if there == 0 {
			return errNoLink // it has just ended
		}
		result, err := tx.ExecContext(ctx, `INSERT INTO session_share_joined (share_id, account_id, joined_at) VALUES ($1, $2, $3)
			ON CONFLICT (share_id, account_id) DO NOTHING`, share.ID, accountID, sqldb.Micros(tx.Now))
		if err != nil {
			return err
		}
		if count, err := result.RowsAffected(); err != nil || count == 0 {
			return err // they follow it again
		}
		return audit.Record(ctx, tx, event)
	})
}

// sharedWith returns the ids of the sessions of which a share is for an account, or was.
func (s *Store) sharedWith(ctx context.Context, caller identity.Caller) ([]string, error) {
	shares, err := list(ctx, s.db, `s.kind = '`+byEmail+`' AND s.whom = $1
		OR s.kind = '`+byProject+`' AND s.whom IN (SELECT project_id FROM project_member WHERE email = $1 UNION SELECT id FROM project WHERE owner_email = $1)
		OR s.id IN (SELECT share_id FROM session_share_joined WHERE account_id = $2)`, caller.Email, caller.AccountID)
	var ids []string
	for _, share := range slices.Backward(shares) {
		if !slices.Contains(ids, share.sessionID) {
			ids = append(ids, share.sessionID)
		}
	}
	return ids, err
}
