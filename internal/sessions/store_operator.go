package sessions

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions/diagnosis"
)

// AllQuery selects sessions of all accounts: all conditions must hold.
type AllQuery struct {
	Live         bool   // only those that run or start
	Text         string // a part of the owner's e-mail, or an id
	Status       Status // "": any
	Engine       string // "": any
	Offset, Size int
}

var likeSigns = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// All returns a page of sessions of all accounts, newest first, and the number of all that match.
func (s *Store) All(ctx context.Context, query AllQuery) (found []Session, total int, err error) {
	condition := visible
	var values []any
	add := func(value any) string {
		values = append(values, value)
		return sqldb.Placeholders(len(values), 1)
	}
	if query.Live {
		condition += ` AND status IN (` + add(Created) + `, ` + add(Running) + `)`
	}
	if query.Status != "" {
		condition += ` AND status = ` + add(query.Status)
	}
	if query.Engine != "" {
		condition += ` AND engine = ` + add(query.Engine)
	}
	if text := strings.ToLower(strings.TrimSpace(query.Text)); text != "" {
		condition += ` AND (owner_email LIKE ` + add("%"+likeSigns.Replace(text)+"%") + ` ESCAPE '\' OR id = ` + add(text) + `)`
	}
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM session WHERE `+condition, values...).Scan(&total); err != nil {
		return nil, 0, err
	}
	page := `SELECT id FROM session WHERE ` + condition + ` ORDER BY created_at DESC, id DESC LIMIT ` + add(query.Size) + ` OFFSET ` + add(query.Offset)
	found, err = list(ctx, s.db, `id IN (`+page+`) ORDER BY created_at DESC, id DESC`, values...)
	return found, total, err
}

// Failure is a session that failed.
type Failure struct {
	Engine string
	Cause  *diagnosis.Cause // nil: unknown
	Reason string
	At     time.Time
}

// failedLimit is how many failures are looked at.
const failedLimit = 10_000

// FailedSince returns the sessions that failed since a time and weren't started again or deleted, newest first.
func (s *Store) FailedSince(ctx context.Context, since time.Time) (all []Failure, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT engine, cause, status_reason, updated_at FROM session
		WHERE status = 'ERROR' AND updated_at >= $1 AND `+visible+` ORDER BY updated_at DESC LIMIT $2`, sqldb.Micros(since), failedLimit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one Failure
		var cause string
		var at int64
		if err := rows.Scan(&one.Engine, &cause, &one.Reason, &at); err != nil {
			return nil, err
		}
		if cause != "" {
			if err := json.Unmarshal([]byte(cause), &one.Cause); err != nil {
				return nil, err
			}
		}
		one.At = sqldb.Time(at)
		all = append(all, one)
	}
	return all, rows.Err()
}

// LongestWait returns since when the session waits that has waited longest for room; the zero time if none does.
func (s *Store) LongestWait(ctx context.Context) (time.Time, error) {
	var since sql.NullInt64
	err := s.db.QueryRowContext(ctx, `SELECT min(queued_at) FROM session WHERE status = 'CREATED' AND admitted_at = 0 AND requested = ''`).Scan(&since)
	if err != nil || !since.Valid {
		return time.Time{}, err
	}
	return sqldb.Time(since.Int64), nil
}

// Counts returns how many sessions there are on each engine in each state; those that wait for room count as QUEUED.
func (s *Store) Counts(ctx context.Context) (counts []StateCount, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT engine, status, count(*), sum(CASE WHEN status = 'CREATED' AND admitted_at = 0 THEN 1 ELSE 0 END)
		FROM session WHERE `+visible+` GROUP BY engine, status ORDER BY engine, status`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one StateCount
		var queued int
		if err := rows.Scan(&one.Engine, &one.State, &one.Count, &queued); err != nil {
			return nil, err
		}
		if queued > 0 {
			counts = append(counts, StateCount{Engine: one.Engine, State: Queued, Count: queued})
		}
		if one.Count -= queued; one.Count > 0 {
			counts = append(counts, one)
		}
	}
	return counts, rows.Err()
}

// reasonLimit is the maximum length of an operator's reason, in characters.
const reasonLimit = 1000

// StoppedByOperators begins the sentence for the owner of a session that operators stop. Code reads Session.RequestedBy instead.
const StoppedByOperators = "The operators stopped this session"

// CheckReason returns the sentence for the owner of a session that operators stop; Invalid without a reason.
func CheckReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" || len([]rune(reason)) > reasonLimit || !catalog.ValidText(reason, false) {
		return "", fault.InvalidField("body.reason", "Say why, in 1 to %d characters. The session's owner will see it.", reasonLimit)
	}
	return StoppedByOperators + ": " + reason, nil
}

// Queued is the state of sessions that wait for room, in counts.
const Queued = "QUEUED"

// StateCount is a number of sessions in a state: a Status, or Queued.
type StateCount struct {
	Engine string
	State  string
	Count  int
}

// RequestStop records that operators want a live session to be terminated, with the sentence that tells its owner why, and
// returns the session. It returns NotFound for a session that doesn't exist.
func (s *Store) RequestStop(ctx context.Context, id, reason string) (Session, error) {
	err := s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
		var owner, email string
		err := tx.QueryRowContext(ctx, `UPDATE session SET requested = $1, status_reason = $2, queue_position = 0, updated_at = $3, requested_by = $4
			WHERE id = $5 AND requested = '' AND status IN ($6, $7) RETURNING account_id, owner_email`,
			Terminated, reason, sqldb.Micros(tx.Now), ByOperators, id, Created, Running).Scan(&owner, &email)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		changed.of(owner)
		event := AuditEvent(audit.StopSession, []string{id}, audit.Change{Column: "session.status_reason", New: reason})
		event.Concerns = []string{email}
		return audit.Record(ctx, tx, event)
	})
	if err != nil {
		return Session{}, err
	}
	found, err := s.ByID(ctx, id)
	if err == nil && (len(found) == 0 || found[0].Gone()) {
		return Session{}, errNoSuchSession
	}
	if err != nil {
		return Session{}, err
	}
	return found[0], nil
}
