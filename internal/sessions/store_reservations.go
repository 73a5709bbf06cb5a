package sessions

import (
	"context"
	"time"

	"cairn/internal/foundation/sqldb"
)

// PutReservation stores the reservation of a workshop, as part of a transaction, instead of the one that it had.
func PutReservation(ctx context.Context, tx *sqldb.Tx, made Reservation) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO reservation (workshop_id, engine, places, sessions, together, from_at, until_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (workshop_id) DO UPDATE SET engine = excluded.engine, places = excluded.places, sessions = excluded.sessions, together = excluded.together,
			from_at = excluded.from_at, until_at = excluded.until_at`,
		made.Workshop, made.Engine, made.Places, made.Sessions, made.Together, sqldb.Micros(made.From), sqldb.Micros(made.Until))
	return err
}

// DropReservation ends the reservation of a workshop, as part of a transaction.
func DropReservation(ctx context.Context, tx *sqldb.Tx, workshop string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM reservation WHERE workshop_id = $1`, workshop)
	return err
}

// Reservations returns those on engines that are in force at some time between two.
func Reservations(ctx context.Context, db reader, engines []string, from, until time.Time) (found []Reservation, err error) {
	rows, err := db.QueryContext(ctx, `SELECT workshop_id, engine, places, sessions, together, from_at, until_at FROM reservation
		WHERE from_at <= $1 AND until_at > $2 AND engine IN (`+sqldb.Placeholders(3, len(engines))+`) ORDER BY from_at, workshop_id`,
		append([]any{sqldb.Micros(until), sqldb.Micros(from)}, sqldb.Arguments(engines)...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one Reservation
		if err := rows.Scan(&one.Workshop, &one.Engine, &one.Places, &one.Sessions, &one.Together, storedTime{&one.From}, storedTime{&one.Until}); err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, rows.Err()
}

// Reserved returns what is set aside on engines now.
func (s *Store) Reserved(ctx context.Context, engines []string, now time.Time) ([]Reservation, error) {
	return Reservations(ctx, s.db, engines, now, now)
}

// checkReservation returns WorkshopEnded unless a workshop has its part of the machine.
func checkReservation(ctx context.Context, tx *sqldb.Tx, workshop string) error {
	var held bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM reservation WHERE workshop_id = $1 AND until_at > $2)`, workshop, sqldb.Micros(tx.Now)).Scan(&held)
	if err == nil && !held {
		err = errOver
	}
	return err
}
