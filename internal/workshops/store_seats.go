package workshops

import (
	"context"
	"encoding/json"
	"fmt"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
	"cairn/internal/workshops/progress"
)

func seatsOf(ctx context.Context, db reader, condition string, arguments ...any) ([]Seat, error) {
	rows, err := db.QueryContext(ctx, `SELECT id, workshop_id, number, account_id, is_guest, name, session_id, joined_at, left_at, hand_at, active_at, progress
		FROM workshop_seat WHERE `+condition, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []Seat
	for rows.Next() {
		var one Seat
		var joined, left, hand, active int64
		err := rows.Scan(&one.id, &one.workshop, &one.number, &one.accountID, &one.isGuest, &one.name, &one.sessionID, &joined, &left, &hand, &active, &one.progress)
		if err != nil {
			return nil, err
		}
		one.joinedAt, one.leftAt, one.handAt, one.activeAt = timeOf(joined), timeOf(left), timeOf(hand), timeOf(active)
		found = append(found, one)
	}
	return found, rows.Err()
}

// taken returns the seats of a workshop that somebody has, by number.
func (s *Store) taken(ctx context.Context, workshop string) ([]Seat, error) {
	return seatsOf(ctx, s.db, `workshop_id = $1 AND left_at = 0 ORDER BY number`, workshop)
}

// everTaken returns the seats of a workshop that somebody has or had.
func (s *Store) everTaken(ctx context.Context, workshop string) ([]Seat, error) {
	return seatsOf(ctx, s.db, `workshop_id = $1 ORDER BY number, joined_at`, workshop)
}

var errNoSeat = fault.New(fault.NotFound, "Nobody has this seat.")

func (s *Store) seat(ctx context.Context, workshop string, number int) (Seat, error) {
	return oneSeat(ctx, s.db, `workshop_id = $1 AND number = $2 AND left_at = 0`, workshop, number)
}

// seatBy returns the seat that a code brings back, also one that was freed.
func (s *Store) seatBy(ctx context.Context, workshop string, number int, digest string) (Seat, error) {
	return oneSeat(ctx, s.db, `workshop_id = $1 AND number = $2 AND digest = $3 AND digest <> '' ORDER BY joined_at DESC`, workshop, number, digest)
}

// seatOfAccount returns the seat that an account has in a workshop, or had last.
func (s *Store) seatOfAccount(ctx context.Context, workshop, account string) (Seat, error) {
	return oneSeat(ctx, s.db, `workshop_id = $1 AND account_id = $2 ORDER BY left_at = 0 DESC, joined_at DESC`, workshop, account)
}

func (s *Store) seatOfSession(ctx context.Context, session string) (Seat, error) {
	return oneSeat(ctx, s.db, `session_id = $1 AND session_id <> '' AND left_at = 0`, session)
}

func oneSeat(ctx context.Context, db reader, condition string, arguments ...any) (Seat, error) {
	found, err := seatsOf(ctx, db, condition+` LIMIT 1`, arguments...)
	if err == nil && len(found) == 0 {
		err = errNoSeat
	}
	if err != nil {
		return Seat{}, err
	}
	return found[0], nil
}

// joined is what somebody gets who joins.
type joined struct {
	seat  Seat
	owner identity.Caller
	code  string // of the seat, for a guest who has just joined
	token string // likewise
}

// join gives the lowest free seat of a workshop to somebody, whose account is made for a guest; a signed-in person keeps the seat that they
// have. Nobody else decides meanwhile. WorkshopFull without a free one.
func (s *Store) join(ctx context.Context, about Workshop, caller identity.Caller, name string) (made joined, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		made = joined{owner: caller}
		if err := changeIn(ctx, tx, `UPDATE workshop SET seats = seats WHERE id = $1 AND ended_at = 0`, about.ID); err != nil { // others wait
			return err
		}
		about, err := one(ctx, tx, `id = $1`, about.ID) // it may have been changed since
		if err != nil {
			return err
		}
		known, err := seatsOf(ctx, tx, `workshop_id = $1 ORDER BY number`, about.ID)
		if err != nil {
			return err
		}
		has, had := map[int]bool{}, map[int]int{}
		for _, seat := range known {
			had[seat.number]++
			if !seat.leftAt.IsZero() {
				continue
			}
			has[seat.number] = true
			if caller.AccountID != "" && seat.accountID == caller.AccountID {
				made.seat = seat
				return nil
			}
		}
		number := 1
		for has[number] {
			number++
		}
		if number > about.Seats.Total {
			return fault.New(fault.WorkshopFull, "All %d seats are taken. Ask the host, who can free one or make more.", about.Seats.Total)
		}
		made.seat = Seat{id: sqldb.NewID(), workshop: about.ID, number: number, isGuest: caller.AccountID == "", name: name, joinedAt: tx.Now}
		digest := ""
		if made.seat.isGuest {
			if err := made.admit(ctx, tx, about, had[number]); err != nil {
				return err
			}
			digest = digestOf(made.seat.id, made.code)
		}
		made.seat.accountID = made.owner.AccountID
		_, err = tx.ExecContext(ctx, `INSERT INTO workshop_seat (id, workshop_id, number, account_id, is_guest, name, digest, joined_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
			made.seat.id, about.ID, number, made.seat.accountID, made.seat.isGuest, name, digest, sqldb.Micros(tx.Now))
		if err != nil {
			return err
		}
		return audit.Record(actingAs(ctx, made.owner), tx, eventOf(about, audit.JoinWorkshop, audit.Change{Column: "workshop_seat.number", New: number}))
	})
	return made, err
}

// actingAs makes an account the actor of what is recorded, where a request came with none or with one of its own.
func actingAs(ctx context.Context, owner identity.Caller) context.Context {
	return audit.As(ctx, audit.Actor{AccountID: owner.AccountID, Email: owner.Email})
}

// admit makes the account of a guest, a token and a code. Who had the seat before counts in the label, so that no two guests have the same.
func (j *joined) admit(ctx context.Context, tx *sqldb.Tx, about Workshop, before int) (err error) {
	label := fmt.Sprintf("seat-%d", j.seat.number)
	if before > 0 {
		label += fmt.Sprintf("-%d", before+1)
	}
	j.owner, err = identity.AddGuest(ctx, tx, identity.Guest{
		Label: label + "@" + about.ID + ".invalid", Name: fmt.Sprintf("Seat %d", j.seat.number), Until: about.guestUntil(),
	})
	if err != nil {
		return err
	}
	j.code = newCode()
	j.token, err = identity.AddGuestToken(ctx, tx, j.owner, about.tokensUntil())
	return err
}

// addToken gives a guest who has come back another token. That they came is recorded when they enter the session.
func (s *Store) addToken(ctx context.Context, about Workshop, guest identity.Caller) (token string, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		token, err = identity.AddGuestToken(ctx, tx, guest, about.tokensUntil())
		return err
	})
	return token, err
}

func (s *Store) setSession(ctx context.Context, seat, session string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE workshop_seat SET session_id = $1 WHERE id = $2`, session, seat)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM workshop_delivery WHERE seat_id = $1`, seat) // the new one has none of it
		return err
	})
}

// free takes a seat from whoever has it.
func (s *Store) free(ctx context.Context, about Workshop, seat Seat) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := changeIn(ctx, tx, `UPDATE workshop_seat SET left_at = $1, hand_at = 0, updated_at = $1 WHERE id = $2 AND left_at = 0`, sqldb.Micros(tx.Now), seat.id); err != nil {
			return errNoSeat
		}
		if seat.isGuest {
			if err := identity.EndGuestsAt(ctx, tx, []string{seat.accountID}, tx.Now, about.tokensUntil()); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, eventOf(about, audit.FreeSeat, audit.Change{Column: "workshop_seat.number", New: seat.number}))
	})
}

// undo takes a seat back that somebody has just got, who couldn't be told. It returns the session that was started there; "" for none.
func (s *Store) undo(ctx context.Context, seat Seat) (session string, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		return tx.QueryRowContext(ctx, `UPDATE workshop_seat SET left_at = $1 WHERE id = $2 RETURNING session_id`, sqldb.Micros(tx.Now), seat.id).Scan(&session)
	})
	return session, err
}

// setHand raises or lowers a hand; one that is up already stays as long up.
func (s *Store) setHand(ctx context.Context, about Workshop, seat Seat, up bool) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		statement, arguments := `UPDATE workshop_seat SET hand_at = 0, updated_at = $1 WHERE id = $2 AND hand_at <> 0`, []any{sqldb.Micros(tx.Now), seat.id}
		if up {
			statement = `UPDATE workshop_seat SET hand_at = $1, updated_at = $1 WHERE id = $2 AND hand_at = 0`
		}
		result, err := tx.ExecContext(ctx, statement, arguments...)
		if err != nil {
			return err
		}
		if count, err := result.RowsAffected(); err != nil || count == 0 {
			return err
		}
		return audit.Record(ctx, tx, eventOf(about, audit.RaiseHand, audit.Change{Column: "workshop_seat.hand_at", New: up}))
	})
}

// updateProgress changes how far the seats of sessions are, in one transaction: a room full of people is stored as fast as one. Sessions whose
// seats were freed are left out. Sessions must be sorted, so that two servers don't wait for each other.
func (s *Store) updateProgress(ctx context.Context, sessions []string, change func(seat Seat, cells progress.Cells) *progress.Seat) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		known := map[string]progress.Cells{}
		for _, session := range sessions {
			if err := updateProgressOf(ctx, tx, session, known, change); err != nil {
				return err
			}
		}
		return nil
	})
}

func updateProgressOf(
	ctx context.Context, tx *sqldb.Tx, session string, known map[string]progress.Cells, change func(seat Seat, cells progress.Cells) *progress.Seat,
) error {
	const condition = `session_id = $1 AND session_id <> '' AND left_at = 0`
	if _, err := tx.ExecContext(ctx, `UPDATE workshop_seat SET updated_at = $2 WHERE `+condition, session, sqldb.Micros(tx.Now)); err != nil { // other servers wait
		return err
	}
	seat, err := oneSeat(ctx, tx, condition, session)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	cells, read := known[seat.workshop]
	if !read {
		about := Workshop{ID: seat.workshop}
		if err := tx.QueryRowContext(ctx, `SELECT cells FROM workshop WHERE id = $1`, about.ID).Scan(&about.cells); err != nil {
			return err
		}
		cells = cellsOf(about)
		known[about.ID] = cells
	}
	state := change(seat, cells)
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE workshop_seat SET progress = $1, active_at = $2 WHERE id = $3`, string(text), microsOf(state.LastActivityAt), seat.id)
	return err
}
