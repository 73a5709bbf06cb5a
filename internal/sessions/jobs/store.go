package jobs

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"path"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// Store stores jobs. Several processes may work on one database.
type Store struct{ db *sqldb.DB }

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db: db} }

// newID returns the id of a new job.
func newID() string { return sqldb.NewID() }

const columns = `id, account_id, session_id, kind, file, request, state, code, reason, beside, total, done, failed_at, asked_at, started_at, ended_at,
	name, resource_id, project_id, asked, target, schedule_id, due_at, previous_id, processor_ms, peak_memory, deleted_at, cancel_by`

var errNoJob = fault.New(fault.NotFound, "This job doesn't exist.")

func (s *Store) list(ctx context.Context, condition string, arguments ...any) ([]Job, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+columns+` FROM job WHERE `+condition, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Job{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, rows.Err()
}

func scan(rows *sqldb.Rows) (one Job, err error) {
	var failed int
	var asked, started, ended, due, deleted, processor, cancel int64
	var text string
	err = rows.Scan(&one.ID, &one.accountID, &one.Session, &one.Kind, &one.File, &one.request, &one.State, &one.Code, &one.Reason, &one.Beside,
		&one.Cells.Total, &one.Cells.Done, &failed, &asked, &started, &ended, &one.Name, &one.Resource, &one.Project, &text, &one.target,
		&one.ScheduleID, &due, &one.Previous, &processor, &one.PeakMemoryBytes, &deleted, &cancel)
	if err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &one.asked)
	}
	if failed >= 0 {
		one.Cells.FailedAt = &failed
	}
	one.Name, one.AskedAt = cmp.Or(one.Name, path.Base(one.File)), sqldb.Time(asked)
	one.ProcessorSeconds = float64(processor) / 1000
	one.From, one.Ref, one.Parameters = one.asked.From, one.asked.Ref, one.asked.Parameters
	if due != 0 {
		one.dueAt = sqldb.Time(due)
	}
	if cancel != 0 {
		one.cancelBy = sqldb.Time(cancel)
	}
	for to, from := range map[**time.Time]int64{&one.StartedAt: started, &one.EndedAt: ended, &one.DeletedAt: deleted} {
		if from != 0 {
			at := sqldb.Time(from)
			*to = &at
		}
	}
	return one, err
}

// change carries out one statement that writes, and returns how many rows it has changed.
func (s *Store) change(ctx context.Context, statement string, arguments ...any) (rows int64, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		result, err := tx.ExecContext(ctx, statement, arguments...)
		if err == nil {
			rows, err = result.RowsAffected()
		}
		return err
	})
	return rows, err
}

// queuedMost is how many jobs of an account may wait or go on.
const queuedMost = 100

// add stores a job that was asked for, and returns it. If the same was asked for with the same key, unless that is "", it returns that
// job; Conflict if the key was used for something else, and over queuedMost.
func (s *Store) add(ctx context.Context, job Job, event audit.Event) (Job, error) {
	known := ""
	err := s.db.Write(ctx, func(tx *sqldb.Tx) (err error) {
		job.AskedAt = tx.Now.Truncate(time.Microsecond)
		if known, err = insert(ctx, tx, job); err != nil || known != "" {
			return err
		}
		return audit.Record(ctx, tx, event)
	})
	if err != nil || known == "" {
		return job, err
	}
	return s.byID(ctx, job.accountID, known)
}

// Fire stores, in a transaction, the job of a schedule that is due, unless a job of that time is there or an earlier one hasn't ended,
// which it reports.
func Fire(ctx context.Context, tx *sqldb.Tx, accountID, scheduleID string, asked Asked, due time.Time) (busy bool, err error) {
	var going int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM job WHERE schedule_id = $1 AND state IN ('QUEUED', 'RUNNING')`, scheduleID).Scan(&going); err != nil || going > 0 {
		return going > 0, err
	}
	job := newOwn(accountID, asked)
	job.ScheduleID, job.dueAt, job.AskedAt = scheduleID, due, tx.Now.Truncate(time.Microsecond)
	_, err = insert(ctx, tx, job)
	return false, err
}

// insert stores a job, unless there is one with its key, whose id it returns, or of the same due time.
func insert(ctx context.Context, tx *sqldb.Tx, job Job) (known string, err error) {
	text := []byte{}
	if job.Kind == OwnKind {
		if text, err = json.Marshal(job.asked); err != nil {
			return "", err
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE account SET id = id WHERE id = $1`, job.accountID); err != nil { // one after the other
		return "", err
	}
	if known, err := keyed(ctx, tx, job.accountID, job.key, job.digest); known != "" || err != nil {
		return known, err
	}
	var going int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM job WHERE account_id = $1 AND state IN ('QUEUED', 'RUNNING')`, job.accountID).Scan(&going); err != nil {
		return "", err
	}
	if going >= queuedMost {
		return "", fault.New(fault.Conflict, "%d of your jobs wait or run already, the maximum. Cancel some of them, or wait until some have ended.", going)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO job (id, account_id, session_id, kind, file, request, state, asked_at, name, resource_id, project_id, asked,
			idempotency_key, asked_digest, schedule_id, due_at, target)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ON CONFLICT (schedule_id, due_at) WHERE schedule_id <> '' DO NOTHING`,
		job.ID, job.accountID, job.Session, job.Kind, job.File, job.request, job.State, sqldb.Micros(job.AskedAt), job.Name, job.Resource, job.Project,
		string(text), job.key, job.digest, job.ScheduleID, micros(&job.dueAt), job.target)
	return "", err
}

// queryer is the database, or a transaction on it.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, arguments ...any) *sqldb.Row
}

// keyed returns the id of an account's job that was asked for with a key; "" for none, or without a key. Conflict if something else was
// asked for.
func keyed(ctx context.Context, db queryer, accountID, key, digest string) (id string, err error) {
	if key == "" {
		return "", nil
	}
	var before string
	err = db.QueryRowContext(ctx, `SELECT id, asked_digest FROM job WHERE account_id = $1 AND idempotency_key = $2`, accountID, key).Scan(&id, &before)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", nil
	case err == nil && before != digest:
		return "", fault.New(fault.Conflict, "This Idempotency-Key was used to start another job. Use a new one for each job.")
	}
	return id, err
}

// micros returns a time as it is stored.
func micros(at *time.Time) int64 {
	if at == nil || at.IsZero() {
		return 0
	}
	return sqldb.Micros(*at)
}

// launched stores that a job has a session, or why it waits, unless another server has stored one, or it has ended; stored says which.
func (s *Store) launched(ctx context.Context, job Job) (stored bool, err error) {
	changed, err := s.change(ctx, `UPDATE job SET session_id = $1, reason = $2 WHERE id = $3 AND state = 'QUEUED' AND session_id = ''`, job.Session, job.Reason, job.ID)
	return changed > 0, err
}

// cancelBy stores until when a job that its owner cancels has to have ended.
func (s *Store) cancelBy(ctx context.Context, id string, at time.Time) error {
	_, err := s.change(ctx, `UPDATE job SET cancel_by = $1 WHERE id = $2 AND cancel_by = 0`, sqldb.Micros(at), id)
	return err
}

// save stores how far a job is, unless it has ended before, or another server has given it another session; stored says which.
func (s *Store) save(ctx context.Context, job Job) (stored bool, err error) {
	failed := -1
	if job.Cells.FailedAt != nil {
		failed = *job.Cells.FailedAt
	}
	changed, err := s.change(ctx, `UPDATE job SET state = $1, code = $2, reason = $3, beside = $4, total = $5, done = $6, failed_at = $7, started_at = $8, ended_at = $9,
			session_id = $10, file = $11, request = $12, target = $13, previous_id = $14, processor_ms = $15, peak_memory = $16
		WHERE id = $17 AND state IN ('QUEUED', 'RUNNING') AND session_id IN ('', $10)`,
		job.State, job.Code, job.Reason, job.Beside, job.Cells.Total, job.Cells.Done, failed, micros(job.StartedAt), micros(job.EndedAt),
		job.Session, job.File, job.request, job.target, job.Previous, int64(job.ProcessorSeconds*1000), job.PeakMemoryBytes, job.ID)
	return changed > 0, err
}

// claim reports whether the caller prepares a job now: nobody else does until a time.
func (s *Store) claim(ctx context.Context, id string, now, until time.Time) (bool, error) {
	changed, err := s.change(ctx, `UPDATE job SET claimed_until = $1 WHERE id = $2 AND state = 'QUEUED' AND request = '' AND claimed_until < $3`,
		sqldb.Micros(until), id, sqldb.Micros(now))
	return changed > 0, err
}

// remove deletes a job forever, if it's still as it was read.
func (s *Store) remove(ctx context.Context, job Job) error {
	_, err := s.change(ctx, `DELETE FROM job WHERE id = $1 AND deleted_at = $2`, job.ID, micros(job.DeletedAt))
	return err
}

// end records that somebody ended a job, which is deleted if it had ended before.
func (s *Store) end(ctx context.Context, job Job) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if !job.live() {
			result, err := tx.ExecContext(ctx, `UPDATE job SET deleted_at = $1 WHERE id = $2 AND deleted_at = 0`, sqldb.Micros(tx.Now), job.ID)
			if err != nil {
				return err
			}
			if count, err := result.RowsAffected(); err != nil || count == 0 {
				return err
			}
		}
		return audit.Record(ctx, tx, event(audit.EndJob, job.ID))
	})
}

// undelete brings a deleted job back.
func (s *Store) undelete(ctx context.Context, id string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE job SET deleted_at = 0 WHERE id = $1 AND deleted_at > 0`, id)
		if err != nil {
			return err
		}
		if count, err := result.RowsAffected(); err != nil || count == 0 {
			return err
		}
		return audit.Record(ctx, tx, event(audit.UndeleteJob, id))
	})
}

// event returns what somebody does to a job. Whose it is and what it does is nobody else's business.
func event(action audit.Action, id string) audit.Event {
	return audit.Event{Action: action, Object: audit.Object{Type: audit.Job, ID: id, Private: true}}
}

// outdated returns some of the jobs that ended before a time, or that were deleted before another one.
func (s *Store) outdated(ctx context.Context, ended, deleted time.Time) ([]Job, error) {
	old, err := s.list(ctx, `ended_at > 0 AND ended_at < $1 ORDER BY ended_at LIMIT 100`, sqldb.Micros(ended))
	if err != nil {
		return nil, err
	}
	gone, err := s.list(ctx, `deleted_at > 0 AND deleted_at < $1 AND ended_at >= $2 ORDER BY deleted_at LIMIT 100`, sqldb.Micros(deleted), sqldb.Micros(ended))
	return append(old, gone...), err
}

// live returns the jobs that haven't ended, in the order in which they were asked for.
func (s *Store) live(ctx context.Context) ([]Job, error) {
	return s.list(ctx, `state IN ('QUEUED', 'RUNNING') ORDER BY asked_at, id`)
}

// of returns a page of an account's jobs, newest first, and how many there are: of those that were deleted, or of the others.
func (s *Store) of(ctx context.Context, accountID string, deleted bool, offset, limit int) (found []Job, total int, err error) {
	const condition = `account_id = $1 AND (deleted_at > 0) = $2`
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM job WHERE `+condition, accountID, deleted).Scan(&total); err != nil {
		return nil, 0, err
	}
	found, err = s.list(ctx, condition+` ORDER BY asked_at DESC, id DESC LIMIT $3 OFFSET $4`, accountID, deleted, limit, offset)
	return found, total, err
}

// byID returns a job of an account, also a deleted one.
func (s *Store) byID(ctx context.Context, accountID, id string) (Job, error) {
	if !sqldb.IsID(id) {
		return Job{}, errNoJob
	}
	found, err := s.list(ctx, `id = $1 AND account_id = $2`, id, accountID)
	if err == nil && len(found) == 0 {
		err = errNoJob
	}
	if err != nil {
		return Job{}, err
	}
	return found[0], nil
}

// latestOf returns the job of a session that was asked for last; nil for none.
func (s *Store) latestOf(ctx context.Context, sessionID string) (*Job, error) {
	found, err := s.list(ctx, `session_id = $1 AND deleted_at = 0 ORDER BY asked_at DESC, id DESC LIMIT 1`, sessionID)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// lastSeconds returns how long a file took an account the last time that all of it was executed; 0: never.
func (s *Store) lastSeconds(ctx context.Context, job Job) (float64, error) {
	found, err := s.list(ctx, `account_id = $1 AND file = $2 AND target = $3 AND state = 'DONE' AND id <> $4 ORDER BY ended_at DESC LIMIT 1`,
		job.accountID, job.File, job.target, job.ID)
	if err != nil || len(found) == 0 || found[0].StartedAt == nil || found[0].EndedAt == nil {
		return 0, err
	}
	return found[0].EndedAt.Sub(*found[0].StartedAt).Seconds(), nil
}

// before returns the id of the job before another one on the same file of the same thing that has come to its end; "" for none.
func (s *Store) before(ctx context.Context, job Job) (string, error) {
	found, err := s.list(ctx, `account_id = $1 AND target = $2 AND state = 'DONE' AND deleted_at = 0 AND id <> $3 AND asked_at <= $4 ORDER BY asked_at DESC, id DESC LIMIT 1`,
		job.accountID, job.target, job.ID, sqldb.Micros(job.AskedAt))
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].ID, nil
}
