package deposits

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// database is an open database.
type database interface {
	Write(ctx context.Context, fn func(tx *sqldb.Tx) error) error
	QueryContext(ctx context.Context, query string, arguments ...any) (*sqldb.Rows, error)
	QueryRowContext(ctx context.Context, query string, arguments ...any) *sqldb.Row
}

// Store stores deposits.
type Store struct{ db database }

// NewStore returns a store on an open database, a *sqldb.DB.
func NewStore(db database) *Store { return &Store{db} }

// row is a deposit as it is stored.
type row struct {
	Deposit

	resourceID string
	accountID  string
	recordID   string // of the draft, and of the record that it becomes; "" while none is known
	memory     memory
	updatedAt  time.Time // when its state changed
	worker     string
	heldUntil  time.Time
	tries      int
}

// memory is what is needed to find a draft again.
type memory struct {
	Asked time.Time `json:"asked,omitzero"` // when the archive was last asked to create one
}

var (
	errNoDeposit = fault.New(fault.NotFound, "There is no such deposit of this entry.")
	// errLost is why work ends on what another server has by now, or somebody discarded.
	errLost = errors.New("the deposit was discarded, or another server has it")
)

const columns = `id, resource_id, version, at, account_id, state, draft, record_id, progress, problem, doi, url, created_at, updated_at, worker, held_until, tries,
	COALESCE((SELECT email FROM account WHERE account.id = account_id), '')`

func scan(from interface{ Scan(...any) error }) (one row, err error) {
	var memory, progress, problem string
	var created, updated, held int64
	err = from.Scan(&one.ID, &one.resourceID, &one.Version, &one.At, &one.accountID, &one.State, &memory, &one.recordID, &progress, &problem, &one.DOI, &one.URL,
		&created, &updated, &one.worker, &held, &one.tries, &one.By)
	if err != nil {
		return row{}, err
	}
	one.CreatedAt, one.updatedAt, one.heldUntil = sqldb.Time(created), sqldb.Time(updated), sqldb.Time(held)
	if problem != "" {
		one.Problem = &DepositProblem{}
		err = json.Unmarshal([]byte(problem), one.Problem)
	}
	return one, errors.Join(err, json.Unmarshal([]byte(memory), &one.memory), json.Unmarshal([]byte(progress), &one.Progress))
}

// reader reads a deposit, also within a transaction.
type reader interface {
	QueryRowContext(ctx context.Context, query string, arguments ...any) *sqldb.Row
}

// one returns a deposit that a condition finds; errNoDeposit if there is none.
func one(ctx context.Context, db reader, condition string, arguments ...any) (row, error) {
	found, err := scan(db.QueryRowContext(ctx, `SELECT `+columns+` FROM deposit WHERE `+condition, arguments...))
	if errors.Is(err, sql.ErrNoRows) {
		err = errNoDeposit
	}
	return found, err
}

// find returns a deposit of an entry.
func (s *Store) find(ctx context.Context, resourceID, id string) (row, error) {
	if !sqldb.IsID(resourceID) || !sqldb.IsID(id) {
		return row{}, errNoDeposit
	}
	return one(ctx, s.db, `id = $1 AND resource_id = $2`, id, resourceID)
}

// ofVersion returns the deposit of a version at an archive.
func (s *Store) ofVersion(ctx context.Context, resourceID string, version int, at string) (row, error) {
	return one(ctx, s.db, `resource_id = $1 AND version = $2 AND at = $3`, resourceID, version, at)
}

// previous returns the last deposit of an entry that was published at an archive; errNoDeposit if none was.
func (s *Store) previous(ctx context.Context, resourceID, at string) (row, error) {
	return one(ctx, s.db, `resource_id = $1 AND at = $2 AND state = 'PUBLISHED' ORDER BY updated_at DESC, id DESC LIMIT 1`, resourceID, at)
}

// list returns the deposits of an entry, the newest first.
func (s *Store) list(ctx context.Context, resourceID string) ([]row, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+columns+` FROM deposit WHERE resource_id = $1 ORDER BY created_at DESC, id DESC`, resourceID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []row
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, rows.Err()
}

// add stores a deposit that nobody has worked on yet, and returns it, or the one that the version has there already. Conflict while another
// version's isn't published.
func (s *Store) add(ctx context.Context, added row) (stored row, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		now := sqldb.Micros(tx.Now)
		if err := tx.InsertRows(ctx, "deposit", []string{"id", "resource_id", "version", "at", "account_id", "state", "draft", "progress", "created_at", "updated_at"},
			[][]any{{added.ID, added.resourceID, added.Version, added.At, added.accountID, string(Uploading), "{}", "{}", now, now}}, "ON CONFLICT DO NOTHING"); err != nil {
			return err
		}
		stored, err = one(ctx, tx, `resource_id = $1 AND version = $2 AND at = $3`, added.resourceID, added.Version, added.At)
		if errors.Is(err, errNoDeposit) {
			return fault.New(fault.Conflict, "The deposit of another version there isn't published yet. Publish or discard that one first.")
		}
		if err != nil || stored.ID != added.ID {
			return err
		}
		return catalog.RecordAbout(ctx, tx, audit.DepositEntry, added.resourceID, added.changes(true)...)
	})
	return stored, err
}

// changes are what the record of a deposit says that begins or is discarded.
func (r row) changes(begins bool) []audit.Change {
	at, version := audit.Change{Column: "deposit.at", Old: r.At}, audit.Change{Column: "deposit.version", Old: strconv.Itoa(r.Version)}
	if begins {
		at.Old, at.New, version.Old, version.New = nil, at.Old, nil, version.Old
	}
	return []audit.Change{at, version}
}

// begin brings a deposit that waits for a person into a state in which servers work on it; false if it isn't in the state before.
func (s *Store) begin(ctx context.Context, id string, from, to State) (begun bool, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		now := sqldb.Micros(tx.Now)
		begun, err = changed(tx.ExecContext(ctx, `UPDATE deposit SET state = $1, problem = '', worker = '', held_until = 0, tries = 0, updated_at = $2
			WHERE id = $3 AND state = $4 AND held_until < $2`, string(to), now, id, string(from)))
		return err
	})
	return begun, err
}

func changed(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	count, err := result.RowsAffected()
	return count > 0, err
}

// claim returns the deposit that has waited longest for a server, which worker has from now on until a time; false if there is none.
func (s *Store) claim(ctx context.Context, worker string, until time.Time) (claimed row, ok bool, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		claimed, err = scan(tx.QueryRowContext(ctx, `UPDATE deposit SET worker = $1, held_until = $2 WHERE id = (
			SELECT id FROM deposit WHERE state IN ('UPLOADING', 'PUBLISHING') AND held_until < $3 ORDER BY held_until, id LIMIT 1) AND held_until < $3 RETURNING `+columns,
			worker, sqldb.Micros(until), sqldb.Micros(tx.Now)))
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		ok = err == nil
		return err
	})
	return claimed, ok, err
}

// take takes a deposit away from whoever works on it; false if it is being published, or was.
func (s *Store) take(ctx context.Context, id, worker string, until time.Time) (taken row, ok bool, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		taken, err = scan(tx.QueryRowContext(ctx, `UPDATE deposit SET worker = $1, held_until = $2 WHERE id = $3 AND state IN ('UPLOADING', 'DRAFT', 'FAILED') RETURNING `+columns,
			worker, sqldb.Micros(until), id))
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		ok = err == nil
		return err
	})
	return taken, ok, err
}

// hold notes how far a worker is, and keeps the deposit its own until a time; false if another has it, or it was discarded.
func (s *Store) hold(ctx context.Context, id, worker string, progress DepositProgress, until time.Time) (held bool, err error) {
	text, err := json.Marshal(progress)
	if err != nil {
		return false, err
	}
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		held, err = changed(tx.ExecContext(ctx, `UPDATE deposit SET progress = $1, held_until = $2 WHERE id = $3 AND worker = $4`, string(text), sqldb.Micros(until), id, worker))
		return err
	})
	return held, err
}

// save stores what its worker has found out; errLost if another has it by now, or it was discarded.
func (s *Store) save(ctx context.Context, r row) error {
	memory, err := json.Marshal(r.memory)
	if err != nil {
		return err
	}
	progress, err := json.Marshal(r.Progress)
	if err != nil {
		return err
	}
	problem := ""
	if r.Problem != nil {
		text, err := json.Marshal(r.Problem)
		if err != nil {
			return err
		}
		problem = string(text)
	}
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		saved, err := changed(tx.ExecContext(ctx, `UPDATE deposit SET updated_at = CASE WHEN state = $1 THEN updated_at ELSE $2 END, state = $1, draft = $3, record_id = $4,
			progress = $5, problem = $6, doi = $7, url = $8, held_until = $9, tries = $10 WHERE id = $11 AND worker = $12`,
			string(r.State), sqldb.Micros(tx.Now), string(memory), r.recordID, string(progress), problem, r.DOI, r.URL, sqldb.Micros(r.heldUntil), r.tries, r.ID, r.worker))
		if err == nil && !saved {
			err = errLost
		}
		return err
	})
}

// remove deletes a deposit that its worker has discarded.
func (s *Store) remove(ctx context.Context, r row) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		removed, err := changed(tx.ExecContext(ctx, `DELETE FROM deposit WHERE id = $1 AND worker = $2`, r.ID, r.worker))
		if err != nil || !removed {
			return err
		}
		return catalog.RecordAbout(ctx, tx, audit.DiscardDeposit, r.resourceID, r.changes(false)...)
	})
}

// newID returns the id of a deposit, or the name of a worker.
func newID() string { return sqldb.NewID() }
