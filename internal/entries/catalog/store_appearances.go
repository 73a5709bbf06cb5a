package catalog

import (
	"context"
	"strconv"
	"time"

	"cairn/internal/foundation/sqldb"
)

// Appearance is what harvesters know of an entry that was public once.
type Appearance struct {
	ID      string
	Type    Type
	Stamp   time.Time // when it last appeared, changed or disappeared
	Deleted bool      // it isn't public any longer
}

// AppearanceQuery chooses appearances. Zero values don't limit.
type AppearanceQuery struct {
	Type        Type
	From, Until time.Time // of the stamp; both included
	After       Appearance
	Limit       int
}

// noteAppearances records how the entries that a transaction has written appear to harvesters: those that are public
// have changed, and those that were public have disappeared. It is called last, because a harvest goes by stamps: one
// that is committed after a later one would never be seen.
func noteAppearances(ctx context.Context, tx *sqldb.Tx, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	var stamp int64
	err := tx.QueryRowContext(ctx, `UPDATE appearance_clock SET stamp = CASE WHEN stamp < $1 THEN $1 ELSE stamp + 1 END RETURNING stamp`,
		sqldb.Micros(tx.Current())).Scan(&stamp)
	if err != nil {
		return err
	}
	return sqldb.Chunks(ids, func(part []string) error {
		in := sqldb.Placeholders(4, len(part))
		arguments := append([]any{stamp, StateActive, PrivacyPublic}, sqldb.Arguments(part)...)
		_, err := tx.ExecContext(ctx, `UPDATE appearance SET stamp = $1, deleted = TRUE WHERE resource_id IN (`+in+`) AND NOT deleted
			AND NOT EXISTS (SELECT 1 FROM resource r WHERE r.id = resource_id AND r.state = $2 AND r.privacy = $3 AND NOT r.hidden)`, arguments...)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO appearance (resource_id, type, stamp, deleted)
			SELECT id, type, CAST($1 AS BIGINT), FALSE FROM resource WHERE state = $2 AND privacy = $3 AND NOT hidden AND id IN (`+in+`)
			ON CONFLICT (resource_id) DO UPDATE SET type = excluded.type, stamp = excluded.stamp, deleted = FALSE`, arguments...)
		return err
	})
}

// settleTime is how long Settled waits for others who write.
const settleTime = 100 * time.Millisecond

// Settled returns the last second in which nothing appears, changes or disappears any longer: whoever reads appearances
// afterwards sees all of that second and of those before, and what is written from now on has a later one, whatever the
// clock of the server that writes it says. A transaction has its stamp for some time before others see what it wrote, so
// the time alone doesn't tell.
func (s *Store) Settled(ctx context.Context) (time.Time, error) {
	second := s.db.Now().UTC().Truncate(time.Second)
	end := sqldb.Micros(second.Add(time.Second)) - 1
	var stamp int64
	if err := s.db.QueryRowContext(ctx, `SELECT stamp FROM appearance_clock`).Scan(&stamp); err != nil {
		return time.Time{}, err
	}
	if stamp >= end {
		return second, nil
	}
	// Whoever has a stamp already has this row too, so their changes are seen when it is free.
	waiting, done := context.WithTimeout(ctx, settleTime)
	defer done()
	err := s.db.Write(waiting, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(waiting, `UPDATE appearance_clock SET stamp = $1 WHERE stamp < $1`, end)
		return err
	})
	if err == nil {
		return second, nil
	}
	// Somebody writes for long. What they write has a later stamp than what is seen, maybe in the same second.
	return sqldb.Time(stamp).Truncate(time.Second).Add(-time.Second), ctx.Err()
}

// Appearances returns appearances in the order of their stamps. An entry that changes while somebody reads page after
// page moves to the end, so none is missed.
func (s *Store) Appearances(ctx context.Context, query AppearanceQuery) ([]Appearance, error) {
	text := `SELECT resource_id, type, stamp, deleted FROM appearance WHERE (stamp, resource_id) > ($1, $2)`
	after := int64(0)
	if !query.After.Stamp.IsZero() {
		after = sqldb.Micros(query.After.Stamp)
	}
	if from := query.From; !from.IsZero() && sqldb.Micros(from) > after {
		after, query.After.ID = sqldb.Micros(from), ""
	}
	arguments := []any{after, query.After.ID, query.Limit}
	if query.Type != "" {
		text += ` AND type = $4`
		arguments = append(arguments, query.Type)
	}
	if !query.Until.IsZero() {
		text += ` AND stamp <= $` + strconv.Itoa(len(arguments)+1)
		arguments = append(arguments, sqldb.Micros(query.Until))
	}
	var found []Appearance
	err := forEachRow(ctx, s.db, func(rows *sqldb.Rows) error {
		one, err := scanAppearance(rows)
		found = append(found, one)
		return err
	}, text+` ORDER BY stamp, resource_id LIMIT $3`, arguments...)
	return found, err
}

// LatestAppearances returns the public entries that appeared or changed last, the newest first.
func (s *Store) LatestAppearances(ctx context.Context, most int) ([]Appearance, error) {
	var found []Appearance
	err := forEachRow(ctx, s.db, func(rows *sqldb.Rows) error {
		one, err := scanAppearance(rows)
		found = append(found, one)
		return err
	}, `SELECT resource_id, type, stamp, deleted FROM appearance WHERE NOT deleted ORDER BY stamp DESC, resource_id DESC LIMIT $1`, most)
	return found, err
}

// AppearanceOf returns how an entry appears to harvesters; false for one that was never public.
func (s *Store) AppearanceOf(ctx context.Context, id string) (one Appearance, known bool, err error) {
	if !sqldb.IsID(id) {
		return one, false, nil
	}
	err = forEachRow(ctx, s.db, func(rows *sqldb.Rows) (err error) {
		known = true
		one, err = scanAppearance(rows)
		return err
	}, `SELECT resource_id, type, stamp, deleted FROM appearance WHERE resource_id = $1`, id)
	return one, known, err
}

// EarliestAppearance returns the stamp before which there is none; the time now if there is none at all.
func (s *Store) EarliestAppearance(ctx context.Context) (time.Time, error) {
	first, err := s.Appearances(ctx, AppearanceQuery{Limit: 1})
	if err != nil || len(first) == 0 {
		return s.db.Now(), err
	}
	return first[0].Stamp, nil
}

// SampleOfPublic returns the ids of public entries, at most a number, spread evenly over all times, and how many there are.
func (s *Store) SampleOfPublic(ctx context.Context, most int) (ids []string, total int, err error) {
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM appearance WHERE NOT deleted`).Scan(&total); err != nil || total == 0 {
		return nil, 0, err
	}
	ids, err = texts(ctx, s.db, `SELECT resource_id FROM (
		SELECT resource_id, row_number() OVER (ORDER BY stamp, resource_id) AS place FROM appearance WHERE NOT deleted
	) numbered WHERE place % $1 = 0 ORDER BY place LIMIT $2`, (total+most-1)/most, most)
	return ids, total, err
}

func scanAppearance(rows *sqldb.Rows) (one Appearance, err error) {
	var stamp int64
	err = rows.Scan(&one.ID, &one.Type, &stamp, &one.Deleted)
	one.Stamp = sqldb.Time(stamp)
	return one, err
}
