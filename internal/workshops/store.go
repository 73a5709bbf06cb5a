package workshops

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
)

// Store stores workshops. Several processes may work on one database.
type Store struct{ db *sqldb.DB }

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db: db} }

// reader is the database, or a transaction on it.
type reader interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sqldb.Rows, error)
}

const columns = `id, name, account_id, owner_email, entry_id, project_id, event, holds_name, holds_type, file, ref, engine, profile, seats, starts_at, ends_at,
	timezone, network, guests, link_key, code, opened_at, ending_at, ended_at, cleaned_at, cells, created_at, revision`

var errNoWorkshop = fault.New(fault.NotFound, "This workshop doesn't exist, or it isn't yours.")

func timeOf(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return sqldb.Time(micros)
}

func microsOf(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return sqldb.Micros(at)
}

func list(ctx context.Context, db reader, condition string, arguments ...any) ([]Workshop, error) {
	rows, err := db.QueryContext(ctx, `SELECT `+columns+` FROM workshop WHERE `+condition, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Workshop{}
	for rows.Next() {
		var one Workshop
		var entry, project string
		var starts, ends, opened, ending, ended, cleaned, created int64
		err := rows.Scan(&one.ID, &one.Name, &one.accountID, &one.Owner, &entry, &project, &one.Event, &one.holdsName, &one.holdsType, &one.File, &one.Ref,
			&one.Engine, &one.Profile, &one.Seats.Total, &starts, &ends, &one.Timezone, &one.Network, &one.Guests, &one.key, &one.Code,
			&opened, &ending, &ended, &cleaned, &one.cells, &created, &one.revision)
		if err != nil {
			return nil, err
		}
		if entry != "" {
			one.Entry = &WorkshopPart{ID: entry, Name: one.holdsName, Type: one.holdsType}
		}
		if project != "" {
			one.Project = &WorkshopPart{ID: project, Name: one.holdsName}
		}
		one.StartsAt, one.EndsAt, one.openedAt, one.cleanedAt, one.createdAt = timeOf(starts), timeOf(ends), timeOf(opened), timeOf(cleaned), timeOf(created)
		one.EndingAt, one.EndedAt = sessions.OptionalTime(timeOf(ending)), sessions.OptionalTime(timeOf(ended))
		one.Hosts = []string{}
		found = append(found, one)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return found, addHosts(ctx, db, found)
}

func addHosts(ctx context.Context, db reader, workshops []Workshop) error {
	at := map[string]int{}
	ids := make([]string, len(workshops))
	for i, one := range workshops {
		at[one.ID], ids[i] = i, one.ID
	}
	return sqldb.Chunks(ids, func(part []string) error {
		rows, err := db.QueryContext(ctx, `SELECT workshop_id, email FROM workshop_host WHERE workshop_id IN (`+sqldb.Placeholders(1, len(part))+`) ORDER BY email`, sqldb.Arguments(part)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, email string
			if err := rows.Scan(&id, &email); err != nil {
				return err
			}
			workshops[at[id]].Hosts = append(workshops[at[id]].Hosts, email)
		}
		return rows.Err()
	})
}

// one returns the workshop that a condition selects.
func one(ctx context.Context, db reader, condition string, arguments ...any) (Workshop, error) {
	found, err := list(ctx, db, condition, arguments...)
	if err == nil && len(found) == 0 {
		err = errNoWorkshop
	}
	if err != nil {
		return Workshop{}, err
	}
	return found[0], nil
}

func (s *Store) get(ctx context.Context, id string) (Workshop, error) {
	if !sqldb.IsID(id) {
		return Workshop{}, errNoWorkshop
	}
	return one(ctx, s.db, `id = $1`, id)
}

func (s *Store) byKey(ctx context.Context, key string) (Workshop, error) {
	return one(ctx, s.db, `link_key = $1`, strings.ToLower(key))
}

// byAnyKey is byKey that also finds a workshop by an address that was replaced, for those who have a seat.
func (s *Store) byAnyKey(ctx context.Context, key string) (Workshop, error) {
	key = strings.ToLower(key)
	if strings.ContainsAny(key, " %_") {
		return Workshop{}, errNoWorkshop
	}
	return one(ctx, s.db, `link_key = $1 OR old_keys || ' ' LIKE '% ' || $1 || ' %'`, key)
}

// of returns the workshops that somebody hosts, the next first, and those that are over last.
func (s *Store) of(ctx context.Context, caller identity.Caller) ([]Workshop, error) {
	return list(ctx, s.db, `account_id = $1 OR id IN (SELECT workshop_id FROM workshop_host WHERE email = $2)
		ORDER BY CASE WHEN ended_at = 0 THEN 0 ELSE 1 END, starts_at, id LIMIT 500`, caller.AccountID, caller.Email)
}

// unfinished returns the workshops that are warming, open or about to end, or whose guests' work or names are to be deleted.
func (s *Store) unfinished(ctx context.Context, now time.Time) ([]Workshop, error) {
	return list(ctx, s.db, `(ended_at = 0 AND (opened_at <> 0 OR starts_at <= $1))
		OR (ended_at <> 0 AND ended_at <= $2 AND cleaned_at < ended_at + $3) OR (ended_at <> 0 AND ended_at <= $4 AND cleaned_at < ended_at + $5) ORDER BY starts_at, id`,
		sqldb.Micros(now.Add(warmBefore)), sqldb.Micros(now.Add(-workKept)), workKept.Microseconds(), sqldb.Micros(now.Add(-namesKept)), namesKept.Microseconds())
}

// ofEvents returns the workshops that took place as part of an event, the last first.
func (s *Store) ofEvents(ctx context.Context) ([]Workshop, error) {
	return list(ctx, s.db, `event <> '' AND ended_at <> 0 AND EXISTS (SELECT 1 FROM workshop_seat WHERE workshop_id = workshop.id) ORDER BY starts_at DESC, id LIMIT 200`)
}

// newID returns the id of a new workshop.
func newID() string { return sqldb.NewID() }

// roomCheck decides whether there is room for a workshop beside what others have reserved at some time between two; the zero value agrees.
type roomCheck struct {
	engines     []string
	from, until time.Time
	except      string // the workshop itself
	decide      func(others []sessions.Reservation) error
}

func (c roomCheck) in(ctx context.Context, tx *sqldb.Tx) error {
	if c.decide == nil {
		return nil
	}
	others, err := sessions.Reservations(ctx, tx, c.engines, c.from, c.until)
	if err != nil {
		return err
	}
	return c.decide(slices.DeleteFunc(others, func(other sessions.Reservation) bool { return other.Workshop == c.except }))
}

// decideAlone has one process decide at a time, also about sessions, so that nothing is promised twice.
func decideAlone(ctx context.Context, tx *sqldb.Tx) error {
	_, err := tx.ExecContext(ctx, `UPDATE counter SET seq = seq + 1 WHERE name = 'queue'`)
	return err
}

// put stores a workshop, its hosts and what it reserves, instead of what is stored of it. The check is made in the same transaction,
// when nobody else reserves anything.
func (s *Store) put(ctx context.Context, made Workshop, hold sessions.Reservation, isNew bool, check roomCheck) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := decideAlone(ctx, tx); err != nil {
			return err
		}
		if err := check.in(ctx, tx); err != nil {
			return err
		}
		entry, project := "", ""
		if made.Entry != nil {
			entry = made.Entry.ID
		}
		if made.Project != nil {
			project = made.Project.ID
		}
		values := []any{
			made.ID, made.Name, entry, project, made.Event, made.holdsName, made.holdsType, made.File, made.Ref, made.Engine, made.Profile, made.Seats.Total,
			sqldb.Micros(made.StartsAt), sqldb.Micros(made.EndsAt), made.Timezone, made.Network, made.Guests, sqldb.Micros(tx.Now),
		}
		if isNew {
			_, err := tx.ExecContext(ctx, `INSERT INTO workshop (id, name, entry_id, project_id, event, holds_name, holds_type, file, ref, engine, profile, seats, starts_at, ends_at,
					timezone, network, guests, created_at, updated_at, account_id, owner_email, link_key, code)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $18, $19, $20, $21, $22)`,
				append(values, made.accountID, made.Owner, made.key, made.Code)...)
			if err != nil {
				return err
			}
		} else if err := s.replace(ctx, tx, made, values); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM workshop_host WHERE workshop_id = $1`, made.ID); err != nil {
			return err
		}
		for _, email := range made.Hosts {
			if _, err := tx.ExecContext(ctx, `INSERT INTO workshop_host (workshop_id, email) VALUES ($1, $2)`, made.ID, email); err != nil {
				return err
			}
		}
		if err := sessions.PutReservation(ctx, tx, hold); err != nil {
			return err
		}
		action := audit.EditWorkshop
		if isNew {
			action = audit.AddWorkshop
		}
		return audit.Record(ctx, tx, eventOf(made, action, audit.Change{Column: "workshop.name", New: made.Name}, audit.Change{Column: "workshop.seats", New: made.Seats.Total}))
	})
}

// errOutdated says that a workshop was changed since it was read.
var errOutdated = fault.New(fault.Conflict, "Somebody else has just changed this workshop. Try again.")

// replace stores what a workshop is now, unless it was changed or has ended since it was read: errOutdated.
func (s *Store) replace(ctx context.Context, tx *sqldb.Tx, made Workshop, values []any) error {
	result, err := tx.ExecContext(ctx, `UPDATE workshop SET name = $2, entry_id = $3, project_id = $4, event = $5, holds_name = $6, holds_type = $7, file = $8, ref = $9,
			engine = $10, profile = $11, seats = $12, starts_at = $13, ends_at = $14, timezone = $15, network = $16, guests = $17, updated_at = $18, cells = $19, revision = revision + 1
		WHERE id = $1 AND revision = $20 AND ended_at = 0`, append(values, made.cells, made.revision)...)
	if err != nil {
		return err
	}
	if count, err := result.RowsAffected(); err != nil || count == 0 {
		return errors.Join(err, errOutdated)
	}
	return moveGuests(ctx, tx, made.ID, made.end())
}

// eventOf returns what somebody does to a workshop, which its other hosts see among their activity.
func eventOf(about Workshop, action audit.Action, changes ...audit.Change) audit.Event {
	return audit.Event{
		Action: action, Changes: changes, Object: audit.Object{Type: audit.Workshop, ID: about.ID, Name: about.Name, Private: true},
		Concerns: slices.Concat([]string{about.Owner}, about.Hosts),
	}
}

// change executes a statement about a workshop that hasn't ended, and records the event; Conflict if it has.
func (s *Store) change(ctx context.Context, event audit.Event, statement string, arguments ...any) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := changeIn(ctx, tx, statement, arguments...); err != nil {
			return err
		}
		return audit.Record(ctx, tx, event)
	})
}

func changeIn(ctx context.Context, tx *sqldb.Tx, statement string, arguments ...any) error {
	result, err := tx.ExecContext(ctx, statement, arguments...)
	if err != nil {
		return err
	}
	if count, err := result.RowsAffected(); err != nil || count == 0 {
		return errors.Join(err, errEnded)
	}
	return nil
}

var errOpen = fault.New(fault.Conflict, "This workshop is open. End it first; then it can be deleted.")

var errEnded = fault.New(fault.WorkshopEnded, "The workshop has ended.")

// open lets people join from now on, if a check in the same transaction agrees, when nobody else reserves anything.
func (s *Store) open(ctx context.Context, about Workshop, check roomCheck) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := decideAlone(ctx, tx); err != nil {
			return err
		}
		if err := check.in(ctx, tx); err != nil {
			return err
		}
		err := changeIn(ctx, tx, `UPDATE workshop SET opened_at = $1, updated_at = $1, revision = revision + 1 WHERE id = $2 AND ended_at = 0`, sqldb.Micros(tx.Now), about.ID)
		if err != nil {
			return err
		}
		// Its part of the machine is set aside from now on.
		if _, err := tx.ExecContext(ctx, `UPDATE reservation SET from_at = $1 WHERE workshop_id = $2 AND from_at > $1`, sqldb.Micros(tx.Now), about.ID); err != nil {
			return err
		}
		return audit.Record(ctx, tx, eventOf(about, audit.OpenWorkshop))
	})
}

func (s *Store) renew(ctx context.Context, about Workshop, key, code string) error {
	return s.change(ctx, eventOf(about, audit.RenewWorkshop), `UPDATE workshop SET old_keys = old_keys || ' ' || link_key, link_key = $1, code = $2 WHERE id = $3 AND ended_at = 0`, key, code, about.ID)
}

// moveEnd sets when a workshop ends: as it was planned (ending false), or because a host ends it.
func (s *Store) moveEnd(ctx context.Context, about Workshop, at time.Time, ending bool, check roomCheck) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := decideAlone(ctx, tx); err != nil {
			return err
		}
		if err := check.in(ctx, tx); err != nil {
			return err
		}
		column, action := "ends_at", audit.ExtendWorkshop
		statement := `UPDATE workshop SET ends_at = $1, ending_at = 0, updated_at = $2, revision = revision + 1 WHERE id = $3 AND ended_at = 0`
		if ending {
			column, action = "ending_at", audit.EndWorkshop
			statement = `UPDATE workshop SET ending_at = $1, updated_at = $2, revision = revision + 1 WHERE id = $3 AND ended_at = 0`
		}
		err := changeIn(ctx, tx, statement, sqldb.Micros(at), sqldb.Micros(tx.Now), about.ID)
		if err != nil {
			return err
		}
		if err := moveGuests(ctx, tx, about.ID, at); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE reservation SET until_at = $1 WHERE workshop_id = $2`, sqldb.Micros(at), about.ID); err != nil {
			return err
		}
		return audit.Record(ctx, tx, eventOf(about, action, audit.Change{Column: "workshop." + column, New: at}))
	})
}

// moveGuests has the guests of a workshop work until its end.
func moveGuests(ctx context.Context, tx *sqldb.Tx, workshop string, end time.Time) error {
	seats, err := seatsOf(ctx, tx, `workshop_id = $1 AND left_at = 0 AND is_guest`, workshop)
	if err != nil {
		return err
	}
	ids := make([]string, len(seats))
	for i, seat := range seats {
		ids[i] = seat.accountID
	}
	return identity.EndGuestsAt(ctx, tx, ids, end, end.Add(tokensKept))
}

// end records that a workshop has ended; it reports whether nobody else has.
func (s *Store) end(ctx context.Context, about Workshop, at time.Time) (ended bool, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE workshop SET ended_at = $1, updated_at = $2, revision = revision + 1 WHERE id = $3 AND ended_at = 0`, sqldb.Micros(at), sqldb.Micros(tx.Now), about.ID)
		if err != nil {
			return err
		}
		count, err := result.RowsAffected()
		if ended = count > 0; err != nil || !ended {
			return err
		}
		if err := sessions.DropReservation(ctx, tx, about.ID); err != nil {
			return err
		}
		return moveGuests(ctx, tx, about.ID, at)
	})
	return ended, err
}

func (s *Store) setCells(ctx context.Context, id, cells string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE workshop SET cells = $1 WHERE id = $2 AND cells = ''`, cells, id)
		return err
	})
}

// clean deletes what was kept of guests until now: with names also what they called themselves.
func (s *Store) clean(ctx context.Context, id string, names bool) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		statement := `UPDATE workshop_seat SET digest = '' WHERE workshop_id = $1`
		if names {
			statement = `UPDATE workshop_seat SET digest = '', name = '' WHERE workshop_id = $1`
		}
		if _, err := tx.ExecContext(ctx, statement, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE workshop SET cleaned_at = $1 WHERE id = $2`, sqldb.Micros(tx.Now), id)
		return err
	})
}

// remove deletes a workshop that isn't open; its sessions are ended, or belong to their owners.
func (s *Store) remove(ctx context.Context, about Workshop, now time.Time) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		result, err := tx.ExecContext(ctx, `DELETE FROM workshop WHERE id = $1 AND (ended_at <> 0 OR opened_at = 0 AND starts_at > $2)`, about.ID, sqldb.Micros(now))
		if err != nil {
			return err
		}
		if count, err := result.RowsAffected(); err != nil || count == 0 {
			return errors.Join(err, errOpen)
		}
		if err := sessions.DropReservation(ctx, tx, about.ID); err != nil {
			return err
		}
		return audit.Record(ctx, tx, eventOf(about, audit.DeleteWorkshop))
	})
}

// warm returns how many warm sessions of a workshop are ready.
func (s *Store) warm(ctx context.Context, id string) (ready int, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM warm_session WHERE entry = $1 AND phase = 'ready'`, id).Scan(&ready)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return ready, err
}
