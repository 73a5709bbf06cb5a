package sessions

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"maps"
	"math"
	"time"

	"cairn/internal/foundation/sqldb"
)

// ListNumber returns the number of an account's list. It queries the database only if the feed hasn't read lately, once
// for all callers that wait; false if that fails.
func (s *Store) ListNumber(ctx context.Context, accountID string) (seq int64, ok bool) {
	if seq, ok = s.remembered(accountID); ok {
		return seq, true
	}
	s.lists.reading.Lock()
	defer s.lists.reading.Unlock()
	if seq, ok = s.remembered(accountID); ok { // another caller has just asked
		return seq, true
	}
	if err := s.Notice(ctx, sqldb.News{Number: math.MaxInt64, Asked: time.Now()}); err != nil {
		return 0, false
	}
	return s.remembered(accountID)
}

func (s *Store) remembered(accountID string) (seq int64, ok bool) {
	s.lists.mu.Lock()
	defer s.lists.mu.Unlock()
	return s.lists.known[accountID], time.Now().Before(s.lists.trusted)
}

// Follow subscribes to the feed's news about sessions, and announces what other processes changed.
func (s *Store) Follow(feed *sqldb.Feed, changes *Changes, logger *slog.Logger) {
	announced := int64(0)
	feed.Subscribe(sqldb.Sessions, func(ctx context.Context, news sqldb.News) {
		if err := s.Notice(ctx, news); err != nil {
			if ctx.Err() == nil {
				logger.WarnContext(ctx, "changes of sessions cannot be read; trying again", "error", err)
			}
		} else if news.Number != announced {
			announced = news.Number
			changes.Announce()
		}
	})
}

// Notice reads the changes, if the number has changed.
func (s *Store) Notice(ctx context.Context, news sqldb.News) error {
	s.lists.mu.Lock()
	after := s.lists.seq
	s.lists.mu.Unlock()
	var found map[string]int64
	if news.Number > after {
		var err error
		if found, err = s.listsAfter(ctx, after); err != nil {
			return err
		}
	}
	for id, seq := range found {
		s.lists.note(id, seq)
	}
	s.lists.mu.Lock()
	defer s.lists.mu.Unlock()
	for seq := range maps.Values(found) {
		s.lists.seq = max(s.lists.seq, seq)
	}
	if until := news.Asked.Add(followTrust); until.After(s.lists.trusted) {
		s.lists.trusted = until
	}
	return nil
}

func (s *Store) listsAfter(ctx context.Context, after int64) (map[string]int64, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT account_id, seq FROM session_version WHERE seq > $1`, after)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]int64{}
	for rows.Next() {
		var id string
		var seq int64
		if err := rows.Scan(&id, &seq); err != nil {
			return nil, err
		}
		found[id] = seq
	}
	return found, rows.Err()
}

// OfJobs returns the sessions of jobs that run or start.
func (s *Store) OfJobs(ctx context.Context) ([]Session, error) {
	return list(ctx, s.db, `job_id <> '' AND status IN ($1, $2) AND `+visible, Created, Running)
}

// OfJob returns the session of a job, also one that was deleted; none if it hasn't been started.
func (s *Store) OfJob(ctx context.Context, job string) ([]Session, error) {
	return list(ctx, s.db, `job_id <> '' AND job_id = $1`, job)
}

// EndOfJobs requests the end of sessions of jobs that have ended, about which there are records.
func (s *Store) EndOfJobs(ctx context.Context, ids []string) error {
	return s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
		for _, id := range ids {
			var owner string
			err := tx.QueryRowContext(ctx, `UPDATE session SET requested = $1, queue_position = 0, updated_at = $2
				WHERE id = $3 AND job_id <> '' AND status IN ($4, $5) AND requested = '' RETURNING account_id`,
				Terminated, sqldb.Micros(tx.Now), id, Created, Running).Scan(&owner)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			changed.of(owner)
		}
		return nil
	})
}
