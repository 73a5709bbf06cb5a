package workshops

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions"
	"cairn/internal/workshops/handouts"
)

// reserved returns what is reserved on engines at some time between two.
func (s *Store) reserved(ctx context.Context, engines []string, from, until time.Time) ([]sessions.Reservation, error) {
	return sessions.Reservations(ctx, s.db, engines, from, until)
}

// messagesShown is how many messages of a workshop pages show, the last ones.
const messagesShown = 20

func (s *Store) messages(ctx context.Context, workshop string) ([]Message, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, said, created_at FROM workshop_message WHERE workshop_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`, workshop, messagesShown)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Message{}
	for rows.Next() {
		var one Message
		var at int64
		if err := rows.Scan(&one.ID, &one.Text, &at); err != nil {
			return nil, err
		}
		one.At = timeOf(at)
		found = append(found, one)
	}
	return found, rows.Err()
}

func (s *Store) addMessage(ctx context.Context, about Workshop, text string) (made Message, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		made = Message{ID: sqldb.NewID(), Text: text, At: tx.Now.UTC().Truncate(time.Microsecond)}
		_, err := tx.ExecContext(ctx, `INSERT INTO workshop_message (id, workshop_id, said, created_at) VALUES ($1, $2, $3, $4)`, made.ID, about.ID, text, sqldb.Micros(made.At))
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, eventOf(about, audit.TellWorkshop))
	})
	return made, err
}

// handouts returns what is handed out in a workshop, the first one first, and to how many seats it has come.
func (s *Store) handouts(ctx context.Context, workshop string) ([]Handout, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT h.id, h.name, h.created_at, (SELECT count(*) FROM workshop_delivery d JOIN workshop_seat t ON t.id = d.seat_id
			WHERE d.handout_id = h.id AND d.delivered_at <> 0 AND t.left_at = 0)
		FROM workshop_handout h WHERE h.workshop_id = $1 ORDER BY h.created_at, h.id`, workshop)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Handout{}
	for rows.Next() {
		var one Handout
		var at int64
		if err := rows.Scan(&one.ID, &one.Name, &at, &one.Delivered); err != nil {
			return nil, err
		}
		one.At = timeOf(at)
		found = append(found, one)
	}
	return found, rows.Err()
}

func (s *Store) addHandout(ctx context.Context, about Workshop, name string, bundle handouts.Bundle) (made Handout, err error) {
	text, err := json.Marshal(bundle)
	if err != nil {
		return made, err
	}
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		made = Handout{ID: sqldb.NewID(), Name: name, At: tx.Now.UTC().Truncate(time.Microsecond)}
		_, err := tx.ExecContext(ctx, `INSERT INTO workshop_handout (id, workshop_id, name, bundle, created_at) VALUES ($1, $2, $3, $4, $5)`,
			made.ID, about.ID, name, string(text), sqldb.Micros(made.At))
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, eventOf(about, audit.HandOut))
	})
	return made, err
}

// bundles returns the contents of everything that was handed out in a workshop, the first one first.
func (s *Store) bundles(ctx context.Context, workshop string) (found []handouts.Bundle, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT bundle FROM workshop_handout WHERE workshop_id = $1 ORDER BY created_at, id`, workshop)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		var one handouts.Bundle
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, rows.Err()
}

// bundle returns the content of something that was handed out.
func (s *Store) bundle(ctx context.Context, id string) (found handouts.Bundle, err error) {
	var text string
	if err = s.db.QueryRowContext(ctx, `SELECT bundle FROM workshop_handout WHERE id = $1`, id).Scan(&text); err == nil {
		err = json.Unmarshal([]byte(text), &found)
	}
	return found, err
}

// undelivered returns the seats of a workshop that lack something of what was handed out, each with the ids of that in order.
func (s *Store) undelivered(ctx context.Context, workshop string) (map[string][]string, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT t.id, h.id FROM workshop_seat t JOIN workshop_handout h ON h.workshop_id = t.workshop_id
		WHERE t.workshop_id = $1 AND t.left_at = 0 AND t.session_id <> ''
			AND NOT EXISTS (SELECT 1 FROM workshop_delivery d WHERE d.handout_id = h.id AND d.seat_id = t.id AND d.delivered_at <> 0) ORDER BY h.created_at, h.id`, workshop)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string][]string{}
	for rows.Next() {
		var seat, handout string
		if err := rows.Scan(&seat, &handout); err != nil {
			return nil, err
		}
		found[seat] = append(found[seat], handout)
	}
	return found, rows.Err()
}

// claim has one process at a time deliver something to a seat: until a time, or until it says what has come of it.
func (s *Store) claim(ctx context.Context, seat, handout string, until time.Time) (claimed bool, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		result, err := tx.ExecContext(ctx, `INSERT INTO workshop_delivery (handout_id, seat_id, claimed_until) VALUES ($1, $2, $3)
			ON CONFLICT (handout_id, seat_id) DO UPDATE SET claimed_until = excluded.claimed_until
			WHERE workshop_delivery.delivered_at = 0 AND workshop_delivery.claimed_until < $4`, handout, seat, sqldb.Micros(until), sqldb.Micros(tx.Now))
		if err != nil {
			return err
		}
		count, err := result.RowsAffected()
		claimed = count > 0
		return err
	})
	return claimed, err
}

// deliver records what has come of a delivery; without files, it is to be tried again from a time on.
func (s *Store) deliver(ctx context.Context, seat, handout string, files []handouts.Placed, again time.Time) error {
	text, err := json.Marshal(files)
	if err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		delivered := sqldb.Micros(tx.Now)
		if !again.IsZero() {
			delivered = 0
		}
		_, err := tx.ExecContext(ctx, `UPDATE workshop_delivery SET delivered_at = $1, files = $2, claimed_until = $3 WHERE handout_id = $4 AND seat_id = $5`,
			delivered, string(text), microsOf(again), handout, seat)
		return err
	})
}

// placed returns where the files lie at a seat that were handed out there, the last ones first.
func (s *Store) placed(ctx context.Context, seat string) ([]Delivered, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT h.id, d.delivered_at, d.files FROM workshop_delivery d JOIN workshop_handout h ON h.id = d.handout_id
		WHERE d.seat_id = $1 AND d.delivered_at <> 0 ORDER BY h.created_at DESC, h.id DESC`, seat)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Delivered{}
	for rows.Next() {
		var one Delivered
		var at int64
		var text string
		if err := rows.Scan(&one.ID, &at, &text); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(text), &one.Files); err != nil {
			return nil, err
		}
		one.At = timeOf(at)
		found = append(found, one)
	}
	return found, rows.Err()
}

// usedPlaces returns how many places of engines are taken by sessions, or set aside.
func (s *Store) usedPlaces(ctx context.Context, engines []string, now time.Time) (used int, err error) {
	held, err := s.reserved(ctx, engines, now, now)
	if err != nil {
		return 0, err
	}
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM session WHERE status IN ('CREATED', 'RUNNING') AND engine IN (`+sqldb.Placeholders(1, len(engines))+`)
		AND workshop_id NOT IN (SELECT workshop_id FROM reservation)`, sqldb.Arguments(engines)...).Scan(&used)
	return used + sessions.Places(held), err
}

// warmFile returns a warm session of a workshop and the file that it opens; "" without one.
func (s *Store) warmFile(ctx context.Context, workshop string) (id, file string, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, opens FROM warm_session WHERE entry = $1 AND phase = 'ready' AND opens <> '' LIMIT 1`, workshop)
	if err != nil {
		return "", "", err
	}
	defer rows.Close()
	for rows.Next() {
		err = rows.Scan(&id, &file)
	}
	return id, file, errors.Join(err, rows.Err())
}
