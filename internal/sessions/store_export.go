package sessions

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// Exported is what doesn't change on its own about a session.
type Exported struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	AccountID   string          `json:"-"`
	Email       string          `json:"ownerId"`
	Engine      string          `json:"engine"`
	Holds       json.RawMessage `json:"holds"`                 // Holds
	StartedFrom json.RawMessage `json:"startedFrom,omitempty"` // Source
	CreatedAt   time.Time       `json:"createdAt"`
}

// Export returns all sessions that weren't deleted, in the order of their ids.
func Export(ctx context.Context, snapshot *sqldb.Snapshot) (sessions []Exported, err error) {
	rows, err := snapshot.QueryContext(ctx, `SELECT id, name, account_id, owner_email, engine, holds, started_from, created_at
		FROM session WHERE `+visible)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one Exported
		var holds, from string
		if err := rows.Scan(&one.ID, &one.Name, &one.AccountID, &one.Email, &one.Engine, &holds, &from, storedTime{&one.CreatedAt}); err != nil {
			return nil, err
		}
		one.Holds, one.StartedFrom = json.RawMessage(holds), json.RawMessage(from)
		sessions = append(sessions, one)
	}
	slices.SortFunc(sessions, func(a, b Exported) int { return strings.Compare(a.ID, b.ID) })
	return sessions, rows.Err()
}

// Check returns what is wrong with a session that is to be imported.
func (e Exported) Check() []fault.Field {
	var fields []fault.Field
	wrong := func(location, message string) {
		fields = append(fields, fault.Field{Location: location, Message: message})
	}
	if !sqldb.IsID(e.ID) {
		wrong("id", "must be a UUID in lower case")
	}
	if message := catalog.CheckName(e.Name); message != "" {
		wrong("name", message)
	}
	var holds Holds
	if err := json.Unmarshal(e.Holds, &holds); err != nil {
		wrong("holds", "must be what an export wrote")
	}
	var from Source
	if err := json.Unmarshal(e.StartedFrom, &from); len(e.StartedFrom) > 0 && err != nil {
		wrong("startedFrom", "must be what an export wrote")
	}
	return fields
}

// Import writes sessions that don't exist here yet. They are terminated: their work isn't in an export, so opening one starts
// from its repository and datasets again.
func (s *Store) Import(ctx context.Context, sessions []Exported) error {
	return s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
		for _, one := range sessions {
			var holds Holds
			if err := json.Unmarshal(one.Holds, &holds); err != nil {
				return err
			}
			changed.of(one.AccountID)
			_, err := tx.ExecContext(ctx, `INSERT INTO session (id, name, account_id, owner_email, project_id, holds, engine, status, status_reason,
					requested, idempotency_key, launched_at, created_at, updated_at, queued_at, last_activity_at, started_from)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '', '', 0, $10, $11, $10, $11, $12) ON CONFLICT (id) DO NOTHING`,
				one.ID, one.Name, one.AccountID, one.Email, holds.ID, string(one.Holds), one.Engine, Terminated, "It was imported without its work.",
				sqldb.Micros(one.CreatedAt), sqldb.Micros(tx.Now), string(one.StartedFrom))
			if err != nil {
				return err
			}
		}
		return nil
	})
}
