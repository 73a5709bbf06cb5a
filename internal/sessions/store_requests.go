package sessions

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/warm"
)

// Create stores a new session and creates its id, unless the same was requested before: with the same idempotency key (Conflict
// if that was for something else), or with the same project and name within a window (zero: never). It returns the id to use: that of the first of these warm
// sessions that is still unclaimed, which then runs already, or that of the session given (a new one if it has none). Conflict
// over the limit.
func (s *Store) Create(ctx context.Context, session Session, key string, window time.Duration, limit int, ready ...string) (id string, err error) {
	holds, err := json.Marshal(session.Project)
	if err != nil {
		return "", err
	}
	var from []byte
	if session.Source != (Source{}) {
		if from, err = json.Marshal(session.Source); err != nil {
			return "", err
		}
	}
	err = s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
		if err := lockAccount(ctx, tx, session.AccountID); err != nil {
			return err
		}
		since := int64(math.MaxInt64)
		if window > 0 {
			since = sqldb.Micros(tx.Now.Add(-window))
		}
		var project, source, itsKey string
		err := tx.QueryRowContext(ctx, `SELECT id, project_id, started_from, idempotency_key FROM session WHERE account_id = $1 AND job_id = $6 AND `+visible+` AND (
				(idempotency_key = $2 AND $2 <> '') OR (project_id = $3 AND name = $4 AND created_at > $5))
				ORDER BY CASE WHEN idempotency_key = $2 AND $2 <> '' THEN 0 ELSE 1 END LIMIT 1`,
			session.AccountID, key, session.Project.ID, session.SessionName, since, session.Job).Scan(&id, &project, &source, &itsKey)
		if err == nil && key != "" && itsKey == key && !startsSame(session, project, source) {
			return errKeyUsed
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := checkLimit(ctx, tx, session, limit); err != nil {
			return err
		}
		claimed, opened, err := warm.Claim(ctx, tx, ready)
		if err != nil {
			return err
		}
		status, launched := Created, int64(0)
		if id = claimed; claimed != "" {
			status, launched = Running, sqldb.Micros(tx.Now)
		} else {
			id = cmp.Or(session.ID, sqldb.NewID())
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO session (id, name, account_id, owner_email, project_id, holds, engine, status,
				status_reason, requested, idempotency_key, created_at, updated_at, queued_at, started_from,
				admitted_at, launched_at, last_activity_at, opens, open_note, interface, left_out, job_id, workshop_id)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '', '', $9, $10, $10, $10, $11, $12, $12, $12, $13, $14, $15, $16, $17, $18)`,
			id, session.SessionName, session.AccountID, session.UserID, session.Project.ID, string(holds),
			session.Engine, status, key, sqldb.Micros(tx.Now), string(from), launched, opened.File, opened.Note, opened.Shows, opened.LeftOut, session.Job, session.Workshop)
		if err != nil {
			return err
		}
		changed.of(session.AccountID)
		if err := catalog.RecordStart(ctx, tx, session.AccountID, session.entries()); err != nil {
			return err
		}
		if session.Job != "" || session.Workshop != "" { // whose start is recorded
			return nil
		}
		event := AuditEvent(audit.StartSession, []string{id}, audit.Change{Column: "session.engine", New: session.Engine})
		if from := session.copyOf; from != nil {
			event.Concerns, event.Also = []string{from.UserID}, []string{from.ID}
		}
		return audit.Record(ctx, tx, event)
	})
	return id, err
}

// CheckCopy returns the id of the session that the same idempotency key has started from the same session of somebody else's; "" if there is
// none and another one may be started, else why not. Create decides; this spares what has to be done before.
func (s *Store) CheckCopy(ctx context.Context, copied Session, key string, limit int) (id string, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if key != "" {
			found, err := list(ctx, tx, `account_id = $1 AND idempotency_key = $2 AND job_id = '' AND `+visible, copied.AccountID, key)
			if err != nil {
				return err
			}
			if len(found) > 0 {
				if from := found[0].Source.Version; from == nil || from.Session != copied.Source.Version.Session {
					return errKeyUsed
				}
				id = found[0].ID
				return nil
			}
		}
		return checkLimit(ctx, tx, copied, limit)
	})
	return id, err
}

var errKeyUsed = fault.New(fault.Conflict, "This Idempotency-Key was used to start something else. Use a new one for each start.")

// startsSame reports whether a session starts what another one does, of which this is stored. What it's called, where it runs and
// how large it is doesn't count.
func startsSame(session Session, project, source string) bool {
	var stored Source
	if source != "" && json.Unmarshal([]byte(source), &stored) != nil {
		return false
	}
	resource, other := "", ""
	if session.Source.Resource != nil {
		resource = session.Source.Resource.ID
	}
	if stored.Resource != nil {
		other = stored.Resource.ID
	}
	var version, otherVersion engine.FromVersion
	if session.Source.Version != nil {
		version = *session.Source.Version
	}
	if stored.Version != nil {
		otherVersion = *stored.Version
	}
	return session.Project.ID == project && resource == other && version == otherVersion &&
		session.Source.File == stored.File && session.Source.Ref == stored.Ref
}

// lockAccount serializes changes that count an account's sessions.
func lockAccount(ctx context.Context, tx *sqldb.Tx, accountID string) error {
	_, err := tx.ExecContext(ctx, `UPDATE account SET id = id WHERE id = $1`, accountID)
	return err
}

// checkLimit refuses another session over the limit of an account: of those in which its owner works, or of those of jobs.
func checkLimit(ctx context.Context, tx *sqldb.Tx, session Session, limit int) error {
	if session.Workshop != "" { // it counts against the seats of the workshop
		return checkReservation(ctx, tx, session.Workshop)
	}
	var live int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM session WHERE account_id = $1 AND status IN ($2, $3) AND (job_id = '') = $4 AND workshop_id = '' AND `+visible,
		session.AccountID, Created, Running, session.Job == "").Scan(&live)
	if err == nil && live >= limit {
		return fault.New(fault.SessionLimit, "You already have the maximum number of sessions running or starting (%d). "+
			"Terminate one of them first; its work is kept.", limit)
	}
	return err
}

// Relaunch starts an ended session again, permanently without the datasets with these ids. Conflict over the limit, and
// while a stop is in progress; NotFound when it is gone.
func (s *Store) Relaunch(ctx context.Context, session Session, limit int, without ...string) error {
	return s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
		if err := lockAccount(ctx, tx, session.AccountID); err != nil {
			return err
		}
		found, err := list(ctx, tx, `id = $1 AND `+visible, session.ID)
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			return errNoSession
		case found[0].RequestedStatus != "":
			return fault.New(fault.SessionStopping, "This session is being stopped. Try again in a moment.")
		case found[0].Status.Live():
			return nil
		}
		if err := checkLimit(ctx, tx, session, limit); err != nil {
			return err
		}
		holds, err := json.Marshal(found[0].Project.without(without))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE session SET status = $1, status_reason = '', missing = '', cause = '', holds = $2, queued_at = $3, refused_at = 0, admitted_at = 0,
			launched_at = 0, step = '', last_activity_at = 0, updated_at = $3 WHERE id = $4`, Created, string(holds), sqldb.Micros(tx.Now), session.ID)
		if err != nil {
			return err
		}
		changed.of(session.AccountID)
		if err := catalog.RecordStart(ctx, tx, session.AccountID, found[0].entries()); err != nil {
			return err
		}
		return audit.Record(ctx, tx, AuditEvent(audit.RestartSession, []string{session.ID}))
	})
}

// Request records that sessions should be terminated, deleted, or deleted forever, which can't be withdrawn. Only the last
// goes for sessions that are deleted already.
func (s *Store) Request(ctx context.Context, ids []string, wish Status) error {
	return s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
		return recordWish(ctx, tx, changed, ids, wish)
	})
}

func recordWish(ctx context.Context, tx *sqldb.Tx, changed *changes, ids []string, wish Status) error {
	var requested []string
	condition := visible
	if wish == Erased {
		condition = `TRUE`
	}
	deletedAt := int64(0)
	if wish != Terminated {
		deletedAt = sqldb.Micros(tx.Now)
	}
	for _, id := range slices.Sorted(slices.Values(ids)) { // in the same order in every transaction that locks several
		var owner string
		err := tx.QueryRowContext(ctx, `UPDATE session SET requested = $1, queue_position = 0, updated_at = $2, deleted_at = $3
			WHERE id = $4 AND requested <> $5 AND `+condition+` RETURNING account_id`, wish, sqldb.Micros(tx.Now), deletedAt, id, Erased).Scan(&owner)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		changed.of(owner)
		requested = append(requested, id)
	}
	if len(requested) == 0 {
		return nil
	}
	return audit.Record(ctx, tx, AuditEvent(actionOf(wish), requested))
}

// Claim numbers an attempt to launch a session, above all earlier ones; 0 if another process tried since it was read, or it
// changed. The number is a time where it can be, so that it rises even if the database was restored from a backup.
func (s *Store) Claim(ctx context.Context, session Session) (attempt int64, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		next := max(session.Attempts+1, sqldb.Micros(tx.Now))
		result, err := tx.ExecContext(ctx, `UPDATE session SET attempts = $1
			WHERE id = $2 AND status = $3 AND requested = '' AND queued_at = $4 AND launched_at = 0 AND attempts = $5`,
			next, session.ID, Created, stored(session.QueuedAt), session.Attempts)
		if err != nil {
			return err
		}
		if count, err := result.RowsAffected(); count == 0 || err != nil {
			return err
		}
		attempt = next
		return nil
	})
	return attempt, err
}

// Still reports whether a session is as it was read: another process may have acted on it since.
func (s *Store) Still(ctx context.Context, session Session) (bool, error) {
	found, err := s.ByID(ctx, session.ID)
	return len(found) == 1 && found[0].Status == session.Status && found[0].RequestedStatus == session.RequestedStatus &&
		found[0].QueuedAt.Equal(session.QueuedAt) && found[0].KeptAt.Equal(session.KeptAt), err
}

// Launched records that the engine was asked to start the session, unless it changed since it was read.
func (s *Store) Launched(ctx context.Context, session Session, at time.Time) error {
	_, err := s.update(ctx, session, func(now int64) (string, []any) {
		return `launched_at = $5, updated_at = $6`, []any{sqldb.Micros(at), now}
	})
	return err
}

// Advance records the current step of a launch.
func (s *Store) Advance(ctx context.Context, session Session, step engine.StepName) error {
	_, err := s.update(ctx, session, func(int64) (string, []any) { return `step = $5`, []any{step} })
	return err
}

// Keep records that a running session should be kept going; false unless it is still as it was read.
func (s *Store) Keep(ctx context.Context, session Session, at time.Time) (bool, error) {
	return s.update(ctx, session, func(int64) (string, []any) { return `kept_at = $5`, []any{stored(at)} },
		AuditEvent(audit.KeepSession, []string{session.ID}))
}

// Settle records a status if nobody changed the session since it was read; it reports whether it did. A session that
// begins to run counts as active now. Missing are the ids of the missing datasets that made it fail. The Cause of the
// session, and what it says was left out, are recorded as well.
func (s *Store) Settle(ctx context.Context, session Session, status Status, reason string, missing ...string) (bool, error) {
	return s.settle(ctx, session, status, reason, missing)
}

// SettleTerminated is Settle for a session that has ended and that its user terminates.
func (s *Store) SettleTerminated(ctx context.Context, session Session) (bool, error) {
	return s.settle(ctx, session, Terminated, "", nil, AuditEvent(audit.TerminateSession, []string{session.ID}))
}

func (s *Store) settle(ctx context.Context, session Session, status Status, reason string, missing []string, events ...audit.Event) (bool, error) {
	var cause, leftOut []byte
	var err error
	if session.Cause != nil {
		cause, err = json.Marshal(session.Cause)
	}
	if err == nil && len(session.LeftOut) > 0 {
		leftOut, err = json.Marshal(session.LeftOut)
	}
	if err != nil {
		return false, err
	}
	return s.update(ctx, session, func(now int64) (string, []any) {
		active := stored(session.ActiveAt)
		if status == Running {
			active = now
		}
		return `status = $5, status_reason = $6, requested = '', requested_by = '', queue_position = 0, stops_at = 0, warning = '', last_activity_at = $7,
			updated_at = $8, missing = $9, opens = $10, open_note = $11, cause = $12, left_out = $13, interface = $14`,
			[]any{status, reason, active, now, strings.Join(missing, " "), session.Opens, session.OpenNote, string(cause), string(leftOut), session.Interface}
	}, events...)
}
