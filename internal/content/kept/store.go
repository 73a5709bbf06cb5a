package kept

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// Store stores what is known about kept files, and the tasks that make them.
type Store struct{ db *sqldb.DB }

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db} }

// newID returns an id for a task, an entry or a worker.
func newID() string { return sqldb.NewID() }

// isID reports whether a text can be the id of an entry.
func isID(text string) bool { return sqldb.IsID(text) }

// storedVersion is a version of an entry whose files this server keeps.
type storedVersion struct {
	number int
	stored string
	digest string
	madeAt time.Time
}

const storedQuery = `SELECT number, stored, digest, made_at, withdrawn_at FROM entry_version WHERE resource_id = $1 AND stored <> ''`

// find returns a version; errNotKept if this server doesn't keep it, VersionWithdrawn if it was withdrawn.
func (s *Store) find(ctx context.Context, id string, number int) (found storedVersion, err error) {
	if !sqldb.IsID(id) {
		return found, errNotKept
	}
	var made, withdrawn int64
	err = s.db.QueryRowContext(ctx, storedQuery+` AND number = $2`, id, number).Scan(&found.number, &found.stored, &found.digest, &made, &withdrawn)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return found, errNotKept
	case err == nil && withdrawn != 0:
		return found, fault.New(fault.VersionWithdrawn, "Version %d was withdrawn.", number)
	}
	found.madeAt = sqldb.Time(made)
	return found, err
}

// stores returns which stored versions each of some entries has in the database; an entry that was erased has none.
func (s *Store) stores(ctx context.Context, ids []string) (known map[string][]string, err error) {
	known = map[string][]string{}
	err = sqldb.Chunks(ids, func(part []string) error {
		rows, err := s.db.QueryContext(ctx, `SELECT resource_id, stored FROM entry_version WHERE stored <> '' AND resource_id IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, stored string
			if err := rows.Scan(&id, &stored); err != nil {
				return err
			}
			known[id] = append(known[id], stored)
		}
		return rows.Err()
	})
	return known, err
}

// ofTask returns the number of the version that a task has made of an entry, and which of its store that is; 0 if it hasn't.
func (s *Store) ofTask(ctx context.Context, id, task string) (number int, stored string, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT number, stored FROM entry_version WHERE resource_id = $1 AND task = $2`, id, task).Scan(&number, &stored)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, "", nil
	}
	return number, stored, err
}

// State is how far a task is.
type State string

// The states.
const (
	Waiting State = "WAITING"
	Working State = "WORKING"
	Done    State = "DONE"
	Failed  State = "FAILED"
)

// UploadTask makes uploads the content of an entry.
type UploadTask struct {
	ID            string       `json:"id" format:"uuid"`
	State         State        `json:"state" enum:"WAITING,WORKING,DONE,FAILED"`
	ResourceID    string       `json:"resourceId" format:"uuid" doc:"The entry; a new one is there once the task is done"`
	VersionNumber int          `json:"versionNumber,omitempty" doc:"DONE: the version that was made"`
	Problem       *TaskProblem `json:"problem,omitempty" doc:"FAILED: why. The uploads stay, so it can be tried again"`
	UploadProgress

	account string
	isNew   bool
	request request
}

// UploadProgress is what a task has done so far.
type UploadProgress struct {
	Files      int   `json:"files" doc:"Files that were written"`
	Bytes      int64 `json:"bytes"`
	TotalBytes int64 `json:"totalBytes" doc:"Of all uploads, which may be packed"`
}

// TaskProblem is why a task failed.
type TaskProblem struct {
	Code   fault.Code    `json:"code"`
	Detail string        `json:"detail"`
	Errors []fault.Field `json:"errors,omitempty"`
}

const taskColumns = `id, account_id, resource_id, is_new, request, state, progress, problem, version`

func scanTask(from interface{ Scan(...any) error }) (one UploadTask, err error) {
	var request, progress, problem string
	err = from.Scan(&one.ID, &one.account, &one.ResourceID, &one.isNew, &request, &one.State, &progress, &problem, &one.VersionNumber)
	if err != nil {
		return UploadTask{}, err
	}
	if problem != "" {
		one.Problem = &TaskProblem{}
		err = json.Unmarshal([]byte(problem), one.Problem)
	}
	return one, errors.Join(err, json.Unmarshal([]byte(request), &one.request), json.Unmarshal([]byte(progress), &one.UploadProgress))
}

// waitingMost is how many tasks of an account may be under way.
const waitingMost = 20

// addTask stores a task that waits; TooMany if its account has too many.
func (s *Store) addTask(ctx context.Context, one UploadTask) error {
	request, err := json.Marshal(one.request)
	if err != nil {
		return err
	}
	progress, err := json.Marshal(one.UploadProgress)
	if err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		var waiting int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM content_task WHERE account_id = $1 AND state IN ('WAITING', 'WORKING')`, one.account).Scan(&waiting); err != nil {
			return err
		}
		if waiting >= waitingMost {
			return fault.New(fault.TooMany, "%d additions of yours are under way, the most an account can have at once. Try again when one is done.", waiting)
		}
		return tx.InsertRows(ctx, "content_task", []string{"id", "account_id", "resource_id", "is_new", "request", "state", "progress", "problem", "created_at"},
			[][]any{{one.ID, one.account, one.ResourceID, one.isNew, string(request), string(Waiting), string(progress), "", sqldb.Micros(tx.Now)}}, "")
	})
}

// task returns a task of an account; NotFound if there is none.
func (s *Store) task(ctx context.Context, accountID, id string) (UploadTask, error) {
	if !sqldb.IsID(id) {
		return UploadTask{}, errNoTask
	}
	one, err := scanTask(s.db.QueryRowContext(ctx, `SELECT `+taskColumns+` FROM content_task WHERE id = $1 AND account_id = $2`, id, accountID))
	if errors.Is(err, sql.ErrNoRows) {
		err = errNoTask
	}
	return one, err
}

var errNoTask = fault.New(fault.NotFound, "There is no such task. What has ended is forgotten after a day.")

// claim returns the oldest task that nobody works on, which worker has from now on until a time; false if there is none.
func (s *Store) claim(ctx context.Context, worker string, until time.Time, fetches bool) (one UploadTask, ok bool, err error) {
	which := ""
	if !fetches { // in JSON, quotes within texts are escaped, so nothing that somebody wrote reads like this
		which = `AND request NOT LIKE '%"record":"%'`
	}
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		row := tx.QueryRowContext(ctx, `UPDATE content_task SET state = 'WORKING', worker = $1, held_until = $2 WHERE id = (
			SELECT id FROM content_task WHERE state IN ('WAITING', 'WORKING') AND held_until < $3 `+which+` ORDER BY created_at, id LIMIT 1) AND held_until < $3 RETURNING `+taskColumns,
			worker, sqldb.Micros(until), sqldb.Micros(tx.Now))
		one, err = scanTask(row)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		ok = err == nil
		return err
	})
	return one, ok, err
}

// hold notes how far a worker is, and keeps the task its own until a time; false if it was canceled, or another has it.
func (s *Store) hold(ctx context.Context, id, worker string, progress UploadProgress, until time.Time) (held bool, err error) {
	text, err := json.Marshal(progress)
	if err != nil {
		return false, err
	}
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		written, err := tx.ExecContext(ctx, `UPDATE content_task SET progress = $1, held_until = $2 WHERE id = $3 AND worker = $4 AND state = 'WORKING'`,
			string(text), sqldb.Micros(until), id, worker)
		if err != nil {
			return err
		}
		count, err := written.RowsAffected()
		held = count > 0
		return err
	})
	return held, err
}

// release lets another server go on with a task at once.
func (s *Store) release(ctx context.Context, id, worker string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE content_task SET held_until = 0 WHERE id = $1 AND worker = $2 AND state = 'WORKING'`, id, worker)
		return err
	})
}

// end notes how a task ended that a worker has.
func (s *Store) end(ctx context.Context, id, worker string, version int, problem *TaskProblem) error {
	state, text := Done, ""
	if problem != nil {
		state = Failed
		said, err := json.Marshal(problem)
		if err != nil {
			return err
		}
		text = string(said)
	}
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE content_task SET state = $1, version = $2, problem = $3, ended_at = $4 WHERE id = $5 AND worker = $6 AND state = 'WORKING'`,
			string(state), version, text, sqldb.Micros(tx.Now), id, worker)
		return err
	})
}

// cancel deletes a task that hasn't ended; false if it has, or there is none.
func (s *Store) cancel(ctx context.Context, accountID, id string) (canceled bool, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		written, err := tx.ExecContext(ctx, `DELETE FROM content_task WHERE id = $1 AND account_id = $2 AND state IN ('WAITING', 'WORKING')`, id, accountID)
		if err != nil {
			return err
		}
		count, err := written.RowsAffected()
		canceled = count > 0
		return err
	})
	return canceled, err
}

// forgetTasks deletes what ended before a time.
func (s *Store) forgetTasks(ctx context.Context, before time.Time) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM content_task WHERE ended_at > 0 AND ended_at < $1`, sqldb.Micros(before))
		return err
	})
}

// working returns the entries that tasks are about.
func (s *Store) working(ctx context.Context) (map[string]bool, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT resource_id FROM content_task WHERE state IN ('WAITING', 'WORKING')`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	entries := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		entries[id] = true
	}
	return entries, rows.Err()
}
