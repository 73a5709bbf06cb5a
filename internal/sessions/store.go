package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// Store stores sessions and the secrets that open them.
type Store struct {
	db    *sqldb.DB
	lists listNumbers
}

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db: db} }

const sessionColumns = `id, name, account_id, owner_email, holds, started_from, opens, open_note, interface, engine, status, status_reason, missing, cause, left_out, requested, requested_by, queue_position, warning, step,
	queued_at, refused_at, admitted_at, attempts, launched_at, last_activity_at, kept_at, stops_at, created_at, updated_at, saved_at, versions, saving_stopped, deleted_at, job_id, workshop_id`

// visible are the sessions that their users see: those that nobody deleted.
const visible = `requested NOT IN ('DELETED', 'ERASED') AND status <> 'DELETED'`

// inLists are the sessions that lists of their owners have: not those of jobs.
const inLists = visible + ` AND job_id = ''`

// Of returns an account's sessions, newest first.
func (s *Store) Of(ctx context.Context, accountID string) ([]Session, error) {
	return list(ctx, s.db, `account_id = $1 AND `+inLists+` ORDER BY created_at DESC, id`, accountID)
}

// ByID returns the sessions among the ids, including those that were deleted. Any text may be passed.
func (s *Store) ByID(ctx context.Context, ids ...string) (found []Session, err error) {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !sqldb.IsID(id) })
	err = sqldb.Chunks(ids, func(part []string) error {
		next, err := list(ctx, s.db, `id IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
		found = append(found, next...)
		return err
	})
	return found, err
}

// Unfinished returns the sessions that may need an action.
func (s *Store) Unfinished(ctx context.Context) ([]Session, error) {
	return list(ctx, s.db, `status IN ($1, $2) OR requested IN ($3, $4, $5)`, Created, Running, Terminated, Deleted, Erased)
}

// reader is the database, or a transaction on it.
type reader interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sqldb.Rows, error)
}

func list(ctx context.Context, db reader, condition string, arguments ...any) ([]Session, error) {
	rows, err := db.QueryContext(ctx, `SELECT `+sessionColumns+` FROM session WHERE `+condition, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	result := []Session{}
	for rows.Next() {
		var next Session
		var holds, from, missing, cause, leftOut string
		var stops, saved time.Time
		err := rows.Scan(&next.ID, &next.SessionName, &next.AccountID, &next.UserID, &holds, &from, &next.Opens, &next.OpenNote, &next.Interface, &next.Engine, &next.Status,
			&next.StatusReason, &missing, &cause, &leftOut, &next.RequestedStatus, &next.RequestedBy, &next.QueuePosition, &next.Warning, &next.LaunchStep, storedTime{&next.QueuedAt}, storedTime{&next.RefusedAt}, storedTime{&next.AdmittedAt}, &next.Attempts,
			storedTime{&next.LaunchedAt}, storedTime{&next.ActiveAt}, storedTime{&next.KeptAt}, storedTime{&stops}, storedTime{&next.CreatedAt}, storedTime{&next.UpdatedAt},
			storedTime{&saved}, &next.Versions, &next.SavingStopped, storedTime{&next.DeletedAt}, &next.Job, &next.Workshop)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(holds), &next.Project); err != nil {
			return nil, err
		}
		if from != "" {
			if err := json.Unmarshal([]byte(from), &next.Source); err != nil {
				return nil, err
			}
			next.Resource, next.Needs = next.Source.Resource, next.Source.Needs
		}
		if leftOut != "" {
			if err := json.Unmarshal([]byte(leftOut), &next.LeftOut); err != nil {
				return nil, err
			}
		}
		next.Missing = strings.Fields(missing)
		if cause != "" {
			if err := json.Unmarshal([]byte(cause), &next.Cause); err != nil {
				return nil, err
			}
		}
		next.LastActivityAt, next.StopsAt = OptionalTime(next.ActiveAt.Truncate(time.Minute)), OptionalTime(stops)
		next.SavedAt = OptionalTime(saved)
		if next.Status == Created {
			next.Step = StepLabels[next.LaunchStep]
		}
		result = append(result, next)
	}
	return result, rows.Err()
}

var errNoSession = fault.New(fault.NotFound, "This session doesn't exist, or it isn't yours.")

// update sets columns of a session that is still as it was read, and records the events if it is; the parameters of
// assignments begin with $5.
func (s *Store) update(
	ctx context.Context, session Session, assignments func(now int64) (string, []any), events ...audit.Event,
) (changed bool, err error) {
	err = s.change(ctx, func(tx *sqldb.Tx, accounts *changes) error {
		text, arguments := assignments(sqldb.Micros(tx.Now))
		var err error
		if changed, err = updateIn(ctx, tx, session, text, arguments...); !changed || err != nil {
			return err
		}
		accounts.of(session.AccountID)
		return audit.RecordAll(ctx, tx, events)
	})
	return changed, err
}

// updateIn is update within a transaction; whoever calls it numbers the change for the account.
func updateIn(ctx context.Context, tx *sqldb.Tx, session Session, text string, arguments ...any) (changed bool, err error) {
	result, err := tx.ExecContext(ctx, `UPDATE session SET `+text+`
		WHERE id = $1 AND status = $2 AND requested = $3 AND queued_at = $4`,
		append([]any{session.ID, session.Status, session.RequestedStatus, stored(session.QueuedAt)}, arguments...)...)
	if err != nil {
		return false, err
	}
	count, err := result.RowsAffected()
	return count > 0, err
}

// change runs a transaction and numbers it for the accounts whose lists it changes.
func (s *Store) change(ctx context.Context, fn func(tx *sqldb.Tx, changed *changes) error) error {
	changed := &changes{accounts: map[string]struct{}{}}
	var seq int64
	err := s.db.Write(ctx, func(tx *sqldb.Tx) error {
		clear(changed.accounts)
		if err := fn(tx, changed); err != nil || len(changed.accounts) == 0 {
			return err
		}
		var err error
		if seq, err = tx.Count(ctx, sqldb.Sessions); err != nil {
			return err
		}
		var rows [][]any
		for id := range changed.accounts {
			rows = append(rows, []any{id, seq})
		}
		return tx.InsertRows(ctx, "session_version", []string{"account_id", "seq"}, rows,
			"ON CONFLICT (account_id) DO UPDATE SET seq = excluded.seq")
	})
	if err == nil {
		for id := range changed.accounts {
			s.lists.note(id, seq)
		}
	}
	return err
}

// ChangeListOf runs a transaction that changes what an account's list of sessions shows.
func (s *Store) ChangeListOf(ctx context.Context, accountID string, fn func(tx *sqldb.Tx) error) error {
	return s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
		changed.of(accountID)
		return fn(tx)
	})
}

var errNoSuchSession = fault.New(fault.NotFound, "This session doesn't exist.")

func liveOn(ctx context.Context, db reader, engines []string) ([]Session, error) {
	return list(ctx, db, `status IN ($1, $2) AND engine IN (`+sqldb.Placeholders(3, len(engines))+`)`,
		append([]any{Created, Running}, sqldb.Arguments(engines)...)...)
}

// storedTime scans a stored number into a time; 0 is the zero time.
type storedTime struct{ time *time.Time }

// Scan implements sql.Scanner.
func (s storedTime) Scan(value any) error {
	number, ok := value.(int64)
	if !ok {
		return errors.New("a time is stored as a number")
	}
	if *s.time = (time.Time{}); number != 0 {
		*s.time = sqldb.Time(number)
	}
	return nil
}

// stored returns a time as the number that storedTime scans.
func stored(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return sqldb.Micros(t)
}

// AuditEvent returns what somebody does to their own sessions. Names of sessions are nobody else's business.
func AuditEvent(action audit.Action, ids []string, changes ...audit.Change) audit.Event {
	event := audit.Event{
		Action: action, Changes: changes, Object: audit.Object{Type: audit.Session, ID: strings.Join(ids, ","), Private: true},
	}
	if len(ids) > 1 {
		event.Also = ids
	}
	return event
}

// about returns what somebody else does to a session.
func about(session Session, action audit.Action) audit.Event {
	event := AuditEvent(action, []string{session.ID})
	event.Concerns = []string{session.UserID}
	return event
}

func actionOf(wish Status) audit.Action {
	switch wish {
	case Deleted:
		return audit.DeleteSession
	case Erased:
		return audit.EraseSession
	}
	return audit.TerminateSession
}

// newID returns an id for a session that is about to be created.
func newID() string { return sqldb.NewID() }
