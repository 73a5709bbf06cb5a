package schedules

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions/jobs"
)

// Store stores schedules. Several processes may work on one database.
type Store struct{ db *sqldb.DB }

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db: db} }

// newID returns the id of a new schedule.
func newID() string { return sqldb.NewID() }

var errNoSchedule = fault.New(fault.NotFound, "This schedule doesn't exist.")

// mostOfAccount is how many schedules an account may have.
const mostOfAccount = 50

const columns = `id, account_id, name, asked, rule, paused, due_at, fired_at, note, created_at,
	COALESCE((SELECT id FROM job WHERE job.schedule_id = schedule.id AND job.schedule_id <> '' AND job.deleted_at = 0 ORDER BY job.due_at DESC LIMIT 1), '')`

// querier is the database, or a transaction on it.
type querier interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sqldb.Rows, error)
}

func list(ctx context.Context, db querier, condition string, arguments ...any) ([]Schedule, error) {
	rows, err := db.QueryContext(ctx, `SELECT `+columns+` FROM schedule WHERE `+condition, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Schedule{}
	for rows.Next() {
		var one Schedule
		var asked, rule string
		var due, fired, created int64
		if err := rows.Scan(&one.ID, &one.accountID, &one.Name, &asked, &rule, &one.Paused, &due, &fired, &one.Note, &created, &one.Last); err != nil {
			return nil, err
		}
		if err := errors.Join(json.Unmarshal([]byte(asked), &one.asked), json.Unmarshal([]byte(rule), &one.rule)); err != nil {
			return nil, err
		}
		one.dueAt, one.firedAt, one.CreatedAt = stored(due), stored(fired), sqldb.Time(created)
		found = append(found, one.filled())
	}
	return found, rows.Err()
}

// stored returns a stored time; zero for 0.
func stored(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return sqldb.Time(micros)
}

// micros returns a time as it is stored.
func micros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return sqldb.Micros(at)
}

// add stores a schedule, and returns it. The same key returns the same one, unless it is "".
func (s *Store) add(ctx context.Context, made Schedule) (Schedule, error) {
	asked, err := json.Marshal(made.asked)
	if err != nil {
		return made, err
	}
	rule, err := json.Marshal(made.rule)
	if err != nil {
		return made, err
	}
	id := made.ID
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE account SET id = id WHERE id = $1`, made.accountID); err != nil { // one after the other
			return err
		}
		if made.key != "" {
			var before string
			err := tx.QueryRowContext(ctx, `SELECT id, asked_digest FROM schedule WHERE account_id = $1 AND idempotency_key = $2`, made.accountID, made.key).Scan(&id, &before)
			switch {
			case err == nil && before != made.digest:
				return fault.New(fault.Conflict, "This Idempotency-Key was used to schedule another job. Use a new one for each schedule.")
			case !errors.Is(err, sql.ErrNoRows):
				return err
			}
		}
		var there int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM schedule WHERE account_id = $1`, made.accountID).Scan(&there); err != nil {
			return err
		}
		if there >= mostOfAccount {
			return fault.New(fault.Conflict, "You have %d schedules, the maximum. Delete one first.", there)
		}
		id = made.ID
		_, err := tx.ExecContext(ctx, `INSERT INTO schedule (id, account_id, name, asked, rule, due_at, idempotency_key, asked_digest, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			made.ID, made.accountID, made.Name, string(asked), string(rule), micros(made.dueAt), made.key, made.digest, sqldb.Micros(tx.Now))
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, event(audit.AddSchedule, made.ID))
	})
	if err != nil {
		return made, err
	}
	return s.byID(ctx, made.accountID, id)
}

func event(action audit.Action, id string) audit.Event {
	return audit.Event{Action: action, Object: audit.Object{Type: audit.Schedule, ID: id, Private: true}}
}

// byID returns a schedule of an account.
func (s *Store) byID(ctx context.Context, accountID, id string) (Schedule, error) {
	if !sqldb.IsID(id) {
		return Schedule{}, errNoSchedule
	}
	found, err := list(ctx, s.db, `id = $1 AND account_id = $2`, id, accountID)
	if err == nil && len(found) == 0 {
		err = errNoSchedule
	}
	if err != nil {
		return Schedule{}, err
	}
	return found[0], nil
}

// of returns a page of an account's schedules, newest first, and how many there are.
func (s *Store) of(ctx context.Context, accountID string, offset, limit int) (found []Schedule, total int, err error) {
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM schedule WHERE account_id = $1`, accountID).Scan(&total); err != nil {
		return nil, 0, err
	}
	found, err = list(ctx, s.db, `account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`, accountID, limit, offset)
	return found, total, err
}

// pause stores whether a schedule is paused, and when it is due next; zero: never again.
func (s *Store) pause(ctx context.Context, id string, paused bool, due time.Time) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE schedule SET paused = $1, due_at = $2, note = '' WHERE id = $3 AND paused <> $1`, paused, micros(due), id)
		if err != nil {
			return err
		}
		if count, err := result.RowsAffected(); err != nil || count == 0 {
			return err
		}
		return audit.Record(ctx, tx, event(audit.PauseSchedule, id))
	})
}

// remove deletes a schedule; its jobs stay.
func (s *Store) remove(ctx context.Context, id string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM schedule WHERE id = $1`, id); err != nil {
			return err
		}
		return audit.Record(ctx, tx, event(audit.DeleteSchedule, id))
	})
}

// due returns the schedules that are due at a time.
func (s *Store) due(ctx context.Context, now time.Time) ([]Schedule, error) {
	return list(ctx, s.db, `due_at > 0 AND due_at <= $1 AND NOT paused ORDER BY due_at, id LIMIT 1000`, sqldb.Micros(now))
}

// hopeless are the codes of jobs after which the next one would come to the same.
var hopeless = []fault.Code{"not_found", fault.NotEnabled}

// fire makes the job of a schedule that was due at a time, and stores when it is due next, unless another server did so before or it was
// changed meanwhile. While its job before goes on, none is made, and the schedule says so.
func (s *Store) fire(ctx context.Context, schedule Schedule, due, next time.Time) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE schedule SET fired_at = $1, due_at = $2, note = '' WHERE id = $3 AND due_at = $4 AND fired_at < $1 AND NOT paused`,
			sqldb.Micros(due), micros(next), schedule.ID, micros(schedule.dueAt))
		if err != nil {
			return err
		}
		if count, err := result.RowsAffected(); err != nil || count == 0 {
			return err
		}
		var last, reason string
		err = tx.QueryRowContext(ctx, `SELECT code, reason FROM job WHERE schedule_id = $1 AND schedule_id <> '' ORDER BY due_at DESC LIMIT 1`, schedule.ID).Scan(&last, &reason)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if slices.Contains(hopeless, fault.Code(last)) {
			_, err := tx.ExecContext(ctx, `UPDATE schedule SET paused = TRUE, note = $1 WHERE id = $2`, "Paused, because its latest job couldn't start: "+reason, schedule.ID)
			return err
		}
		why := ""
		going, err := jobs.Fire(ctx, tx, schedule.accountID, schedule.ID, schedule.asked, due)
		switch {
		case fault.KindOf(err) == fault.Conflict: // too many wait
			why = fault.MessageOf(err)
		case err != nil:
			return err
		case going:
			why = "The job before it was still going on."
		}
		if why == "" {
			return nil
		}
		_, err = tx.ExecContext(ctx, `UPDATE schedule SET note = $1 WHERE id = $2`, "Skipped on "+due.UTC().Format("2006-01-02 15:04")+" UTC: "+why, schedule.ID)
		return err
	})
}
