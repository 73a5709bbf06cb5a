package jobs

import (
	"context"
	"path"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions"
)

// Store stores jobs. Several processes may work on one database.
type Store struct{ db *sqldb.DB }

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db: db} }

// newID returns the id of a new job.
func newID() string { return sqldb.NewID() }

const columns = `id, account_id, session_id, kind, file, request, state, code, reason, beside, total, done, failed_at, asked_at, started_at, ended_at`

var errNoJob = fault.New(fault.NotFound, "This job doesn't exist.")

func (s *Store) list(ctx context.Context, condition string, arguments ...any) ([]Job, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+columns+` FROM job WHERE `+condition, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Job{}
	for rows.Next() {
		var one Job
		var failed int
		var asked, started, ended int64
		err := rows.Scan(&one.ID, &one.accountID, &one.Session, &one.Kind, &one.File, &one.request, &one.State, &one.Code, &one.Reason, &one.Beside,
			&one.Cells.Total, &one.Cells.Done, &failed, &asked, &started, &ended)
		if err != nil {
			return nil, err
		}
		if failed >= 0 {
			one.Cells.FailedAt = &failed
		}
		one.Name, one.AskedAt = path.Base(one.File), sqldb.Time(asked)
		for to, from := range map[**time.Time]int64{&one.StartedAt: started, &one.EndedAt: ended} {
			if from != 0 {
				at := sqldb.Time(from)
				*to = &at
			}
		}
		found = append(found, one)
	}
	return found, rows.Err()
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

// add stores a job that was asked for.
func (s *Store) add(ctx context.Context, job Job) (Job, error) {
	err := s.db.Write(ctx, func(tx *sqldb.Tx) error {
		job.AskedAt = tx.Now.Truncate(time.Microsecond)
		_, err := tx.ExecContext(ctx, `INSERT INTO job (id, account_id, session_id, kind, file, request, state, asked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			job.ID, job.accountID, job.Session, job.Kind, job.File, job.request, job.State, sqldb.Micros(job.AskedAt))
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, sessions.AuditEvent(audit.FinishNotebook, []string{job.Session}))
	})
	return job, err
}

// save stores how far a job is, unless it has ended before; stored says which.
func (s *Store) save(ctx context.Context, job Job) (stored bool, err error) {
	failed := -1
	if job.Cells.FailedAt != nil {
		failed = *job.Cells.FailedAt
	}
	micros := func(at *time.Time) int64 {
		if at == nil {
			return 0
		}
		return sqldb.Micros(*at)
	}
	changed, err := s.change(ctx, `UPDATE job SET state = $1, code = $2, reason = $3, beside = $4, total = $5, done = $6, failed_at = $7, started_at = $8, ended_at = $9
		WHERE id = $10 AND state IN ('QUEUED', 'RUNNING')`,
		job.State, job.Code, job.Reason, job.Beside, job.Cells.Total, job.Cells.Done, failed, micros(job.StartedAt), micros(job.EndedAt), job.ID)
	return changed > 0, err
}

// withdraw deletes a job that was refused.
func (s *Store) withdraw(ctx context.Context, id string) error {
	_, err := s.change(ctx, `DELETE FROM job WHERE id = $1`, id)
	return err
}

// end records that somebody ended a job, which is deleted if it had ended before.
func (s *Store) end(ctx context.Context, job Job) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if !job.live() {
			if _, err := tx.ExecContext(ctx, `DELETE FROM job WHERE id = $1`, job.ID); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, sessions.AuditEvent(audit.EndJob, []string{job.Session}))
	})
}

// expire deletes jobs that ended before a time.
func (s *Store) expire(ctx context.Context, before time.Time) error {
	_, err := s.change(ctx, `DELETE FROM job WHERE ended_at > 0 AND ended_at < $1`, sqldb.Micros(before))
	return err
}

// live returns the jobs that haven't ended.
func (s *Store) live(ctx context.Context) ([]Job, error) {
	return s.list(ctx, `state IN ('QUEUED', 'RUNNING') ORDER BY asked_at, id`)
}

// of returns a page of an account's jobs, newest first, and how many there are.
func (s *Store) of(ctx context.Context, accountID string, offset, limit int) (found []Job, total int, err error) {
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM job WHERE account_id = $1`, accountID).Scan(&total); err != nil {
		return nil, 0, err
	}
	found, err = s.list(ctx, `account_id = $1 ORDER BY asked_at DESC, id DESC LIMIT $2 OFFSET $3`, accountID, limit, offset)
	return found, total, err
}

// byID returns a job of an account.
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
	found, err := s.list(ctx, `session_id = $1 ORDER BY asked_at DESC, id DESC LIMIT 1`, sessionID)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// lastSeconds returns how long a file took an account the last time that all of it was executed; 0: never.
func (s *Store) lastSeconds(ctx context.Context, job Job) (float64, error) {
	found, err := s.list(ctx, `account_id = $1 AND file = $2 AND state = 'DONE' AND id <> $3 ORDER BY ended_at DESC LIMIT 1`, job.accountID, job.File, job.ID)
	if err != nil || len(found) == 0 || found[0].StartedAt == nil {
		return 0, err
	}
	return found[0].EndedAt.Sub(*found[0].StartedAt).Seconds(), nil
}
