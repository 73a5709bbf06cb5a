package runs

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// Store stores runs. Several processes may work on one database.
type Store struct{ db *sqldb.DB }

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db: db} }

// reader is the database, or a transaction on it.
type reader interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sqldb.Rows, error)
}

const columns = `id, resource_id, file, ref, started_by, account_id, engine, state, verdict, needs, reason, code, commit_id, digest,
	cells, environment, attempts, seconds, peak_memory, queued_at, started_at, ended_at, moved`

func list(ctx context.Context, db reader, condition string, arguments ...any) ([]Run, error) {
	rows, err := db.QueryContext(ctx, `SELECT `+columns+` FROM run WHERE `+condition, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Run{}
	for rows.Next() {
		var next Run
		var cells, environment string
		var queued, started, ended int64
		err := rows.Scan(&next.ID, &next.ResourceID, &next.File, &next.ref, &next.StartedBy, &next.accountID, &next.Engine, &next.State, &next.Verdict,
			&next.Needs, &next.Reason, &next.Code, &next.Commit, &next.Digest, &cells, &environment, &next.attempts, &next.Seconds, &next.PeakMemoryBytes,
			&queued, &started, &ended, &next.moved)
		if err != nil {
			return nil, err
		}
		for text, value := range map[string]any{cells: &next.Cells, environment: &next.Environment} {
			if text == "" {
				continue
			}
			if err := json.Unmarshal([]byte(text), value); err != nil {
				return nil, err
			}
		}
		next.QueuedAt, next.StartedAt, next.EndedAt = sqldb.Time(queued), optional(started), optional(ended)
		found = append(found, next)
	}
	return found, rows.Err()
}

func optional(micros int64) *time.Time {
	if micros == 0 {
		return nil
	}
	at := sqldb.Time(micros)
	return &at
}

// RunCount is how many runs there are in a state, with a verdict.
type RunCount struct {
	State   State
	Verdict Verdict // of those that are Done
	Count   int
}

// Count counts the runs that haven't ended, and those that ended since a time.
func (s *Store) Count(ctx context.Context, since time.Time) (counts []RunCount, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT state, verdict, count(*) FROM run WHERE state IN ($1, $2) OR ended_at >= $3 GROUP BY state, verdict`,
		Queued, Running, sqldb.Micros(since))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one RunCount
		if err := rows.Scan(&one.State, &one.Verdict, &one.Count); err != nil {
			return nil, err
		}
		counts = append(counts, one)
	}
	return counts, rows.Err()
}

// Of returns a page of the runs of an entry that were asked for in a span, newest first, and how many there are.
func (s *Store) Of(ctx context.Context, resourceID string, during span, offset, limit int) (found []Run, total int, err error) {
	if !sqldb.IsID(resourceID) {
		return []Run{}, 0, nil
	}
	from, until := int64(0), int64(math.MaxInt64)
	if !during.from.IsZero() {
		from = sqldb.Micros(during.from)
	}
	if !during.until.IsZero() {
		until = sqldb.Micros(during.until)
	}
	const inSpan = `resource_id = $1 AND queued_at >= $2 AND queued_at < $3`
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM run WHERE `+inSpan, resourceID, from, until).Scan(&total); err != nil {
		return nil, 0, err
	}
	// The index alone skips the pages before; the rows of runs are long.
	found, err = list(ctx, s.db, `id IN (SELECT id FROM run WHERE `+inSpan+` ORDER BY queued_at DESC, id DESC LIMIT $4 OFFSET $5)
		ORDER BY queued_at DESC, id DESC`, resourceID, from, until, limit, offset)
	return found, total, err
}

// ByID returns a run of an entry; NotFound if there is none.
func (s *Store) ByID(ctx context.Context, resourceID, id string) (Run, error) {
	if !sqldb.IsID(resourceID) || !sqldb.IsID(id) {
		return Run{}, errNoRun
	}
	return one(ctx, s.db, `resource_id = $1 AND id = $2`, resourceID, id)
}

// lastBefore returns the run of the same file before one whose environment is known; nil for none.
func (s *Store) lastBefore(ctx context.Context, run Run) (*Run, error) {
	// The digest is the first field of the environment, if it is known.
	found, err := list(ctx, s.db, `resource_id = $1 AND file = $2 AND state = $3 AND environment LIKE $4 AND queued_at < $5 ORDER BY queued_at DESC, id DESC LIMIT 1`,
		run.ResourceID, run.File, Done, `{"digest":"%`, sqldb.Micros(run.QueuedAt))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

var errNoRun = fault.New(fault.NotFound, "This run doesn't exist.")

func one(ctx context.Context, db reader, condition string, arguments ...any) (Run, error) {
	found, err := list(ctx, db, condition, arguments...)
	if err != nil {
		return Run{}, err
	}
	if len(found) == 0 {
		return Run{}, errNoRun
	}
	return found[0], nil
}

// Live returns the runs that haven't ended, in the order in which they should be carried out: what people asked for before
// what the schedule did, and the oldest first.
func (s *Store) Live(ctx context.Context) ([]Run, error) {
	return list(ctx, s.db, `state IN ($1, $2) ORDER BY CASE WHEN account_id = '' THEN 1 ELSE 0 END, queued_at, id`, Queued, Running)
}

// Add queues a run of a file of an entry, unless one of it is under way: then it returns that one. With a limit above zero,
// TooMany if the account has asked for so many runs of the entry within a time.
func (s *Store) Add(ctx context.Context, run Run, name string, limit int, within time.Duration) (added Run, isNew bool, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE counter SET seq = seq + 1 WHERE name = 'queue'`); err != nil { // others may ask at the same time
			return err
		}
		found, err := list(ctx, tx, `resource_id = $1 AND file = $2 AND state IN ($3, $4)`, run.ResourceID, run.File, Queued, Running)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			added = found[0]
			return nil
		}
		if limit > 0 {
			var count int
			err := tx.QueryRowContext(ctx, `SELECT count(*) FROM run WHERE resource_id = $1 AND account_id = $2 AND queued_at > $3`,
				run.ResourceID, run.accountID, sqldb.Micros(tx.Now.Add(-within))).Scan(&count)
			if err != nil {
				return err
			}
			if count >= limit {
				refused := fault.New(fault.TooMany, "You have started this entry's runs %d times in the last 24 hours, which is the limit. Try again tomorrow.", limit)
				refused.Limit = "runs"
				return refused
			}
		}
		run.ID, run.State, run.QueuedAt = sqldb.NewID(), Queued, tx.Now
		_, err = tx.ExecContext(ctx, `INSERT INTO run (id, resource_id, file, ref, started_by, account_id, engine, state, queued_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, run.ID, run.ResourceID, run.File, run.ref, run.StartedBy, run.accountID, run.Engine, run.State, sqldb.Micros(tx.Now))
		if err != nil {
			return err
		}
		added, isNew = run, true
		if run.accountID == "" {
			return nil // nobody changed anything
		}
		return audit.Record(ctx, tx, eventOf(audit.StartRun, run, name))
	})
	return added, isNew, err
}

// eventOf returns what is recorded of a run of an entry.
func eventOf(action audit.Action, run Run, name string) audit.Event {
	return audit.Event{Action: action, Object: audit.Object{Type: audit.Entry, ID: run.ResourceID, Name: name}, Changes: []audit.Change{{Column: "run.file", New: run.File}}}
}

// Begin records that a queued run is carried out now, and counts the attempt; false if it isn't queued anymore.
func (s *Store) Begin(ctx context.Context, id string) (bool, error) {
	return s.change(ctx, id, Queued, `state = $3, started_at = $4, attempts = attempts + 1`, Running, now)
}

// Requeue puts a run back into the queue; false if it has ended. An attempt that the run gave up for others isn't counted.
func (s *Store) Requeue(ctx context.Context, id string, counted bool) (bool, error) {
	uncounted := 0
	if !counted {
		uncounted = 1
	}
	return s.change(ctx, id, Running, `state = $3, started_at = 0, cells = '', attempts = attempts - $4`, Queued, uncounted)
}

// Note records what is known about a run that goes on.
func (s *Store) Note(ctx context.Context, run Run) (bool, error) {
	cells, environment, err := run.texts()
	if err != nil {
		return false, err
	}
	return s.change(ctx, run.ID, Running, `file = $3, commit_id = $4, digest = $5, cells = $6, environment = $7`,
		run.File, run.Commit, run.Digest, cells, environment)
}

func (r Run) texts() (cells, environment string, err error) {
	first, err := json.Marshal(r.Cells)
	if err != nil {
		return "", "", err
	}
	second, err := json.Marshal(r.Environment)
	return string(first), string(second), err
}

type timeNow struct{}

// now stands for the time of the transaction among the arguments of change.
var now timeNow

// change changes a run that is in a state; it reports whether it was. $1 and $2 are taken.
func (s *Store) change(ctx context.Context, id string, in State, what string, values ...any) (changed bool, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		arguments := []any{id, in}
		for _, value := range values {
			if value == any(now) {
				value = sqldb.Micros(tx.Now)
			}
			arguments = append(arguments, value)
		}
		result, err := tx.ExecContext(ctx, `UPDATE run SET `+what+` WHERE id = $1 AND state = $2`, arguments...)
		if err != nil {
			return err
		}
		count, err := result.RowsAffected()
		changed = count > 0
		return err
	})
	return changed, err
}

// End records how a run ended, unless it had ended before. A verdict becomes the latest one on its file, and its entry shows
// the worst of those. Files are those that the entry has checked; nil if that isn't known. The verdicts on others don't count
// any longer.
func (s *Store) End(ctx context.Context, run Run, files []string) (catalog.Changes, error) {
	cells, environment, err := run.texts()
	if err != nil {
		return catalog.Changes{}, err
	}
	return s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		var resourceID string
		err := tx.QueryRowContext(ctx, `UPDATE run SET state = $2, verdict = $3, needs = $4, reason = $5, code = $6, file = $7, commit_id = $8, digest = $9,
			cells = $10, environment = $11, seconds = $12, peak_memory = $13, ended_at = $14, kept = TRUE WHERE id = $1 AND state IN ($15, $16) RETURNING resource_id`,
			run.ID, run.State, run.Verdict, run.Needs, run.Reason, run.Code, run.File, run.Commit, run.Digest,
			cells, environment, run.Seconds, run.PeakMemoryBytes, sqldb.Micros(tx.Now),
			Queued, Running).Scan(&resourceID)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if run.State != Done {
			return nil
		}
		_, err = tx.ExecContext(ctx, `UPDATE run SET latest = (id = $1) WHERE resource_id = $2 AND file = $3 AND (latest OR id = $1)`, run.ID, resourceID, run.File)
		if err == nil && len(files) > 0 {
			_, err = tx.ExecContext(ctx, `UPDATE run SET latest = FALSE WHERE resource_id = $1 AND latest AND file NOT IN (`+sqldb.Placeholders(2, len(files))+`)`,
				append([]any{resourceID}, sqldb.Arguments(files)...)...)
		}
		if err != nil {
			return err
		}
		return show(ctx, tx, resourceID)
	})
}

// show lets an entry show the worst of the latest verdicts on its files.
func show(ctx context.Context, tx *sqldb.Tx, resourceID string) error {
	// Runs of other files of the entry may end at the same time; each has to see what the others wrote.
	if _, err := tx.ExecContext(ctx, `UPDATE change_counter SET seq = seq`); err != nil {
		return err
	}
	latest, err := list(ctx, tx, `latest AND resource_id = $1`, resourceID)
	if err != nil {
		return err
	}
	return catalog.RecordRun(ctx, tx, resourceID, lastOf(latest))
}

// Stop ends a run on behalf of a person; false if it had ended before.
func (s *Store) Stop(ctx context.Context, run Run, name string) (stopped bool, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE run SET state = $1, reason = $2, ended_at = $3, kept = TRUE WHERE id = $4 AND state IN ($5, $6)`,
			Stopped, "It was stopped.", sqldb.Micros(tx.Now), run.ID, Queued, Running)
		if err != nil {
			return err
		}
		count, err := result.RowsAffected()
		if stopped = count > 0; !stopped || err != nil {
			return err
		}
		return audit.Record(ctx, tx, eventOf(audit.StopRun, run, name))
	})
	return stopped, err
}
