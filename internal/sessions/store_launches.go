package sessions

import (
	"context"
	"encoding/json"
	"time"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions/engine"
)

// launchesKept is the number of launches of an engine that the forecast is based on; older ones are deleted.
const launchesKept = 200

// LaunchTimes stores how long recent launches took.
type LaunchTimes struct{ db *sqldb.DB }

// NewLaunchTimes returns the times in an open database.
func NewLaunchTimes(db *sqldb.DB) *LaunchTimes { return &LaunchTimes{db: db} }

// Add records how long a launch took.
func (l *LaunchTimes) Add(ctx context.Context, engine string, taken Durations) error {
	steps, err := json.Marshal(taken)
	if err != nil {
		return err
	}
	return l.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO launch (id, engine, steps, ended_at) VALUES ($1, $2, $3, $4)`,
			sqldb.NewID(), engine, string(steps), sqldb.Micros(tx.Now))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM launch WHERE engine = $1 AND id NOT IN (
			SELECT id FROM launch WHERE engine = $1 ORDER BY ended_at DESC, id DESC LIMIT $2)`, engine, launchesKept)
		return err
	})
}

// Of returns the durations of an engine's latest launches.
func (l *LaunchTimes) Of(ctx context.Context, engine string) ([]Durations, error) {
	rows, err := l.db.QueryContext(ctx, `SELECT steps FROM launch WHERE engine = $1 ORDER BY ended_at DESC, id DESC LIMIT $2`,
		engine, launchesKept)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var result []Durations
	for rows.Next() {
		var steps string
		var taken Durations
		if err := rows.Scan(&steps); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(steps), &taken); err != nil {
			return nil, err
		}
		result = append(result, taken)
	}
	return result, rows.Err()
}

// Durations are the durations of a launch's steps, in milliseconds.
type Durations map[string]int64

// LaunchDurations returns the durations of a launch that has just succeeded, without steps that an earlier launch did.
func LaunchDurations(session Session, steps []engine.Step, now time.Time) Durations {
	taken := Durations{
		StepQueued: session.LaunchedAt.Sub(session.QueuedAt).Milliseconds(),
		StepTotal:  now.Sub(session.LaunchedAt).Milliseconds(),
	}
	for _, step := range steps {
		if step.State == engine.Done && !step.EndedAt.IsZero() && !step.StartedAt.Before(session.QueuedAt) {
			taken[string(step.Name)] = step.EndedAt.Sub(step.StartedAt).Milliseconds()
		}
	}
	return taken
}

// The durations of a launch in addition to those of the engine's own steps.
const (
	StepQueued = "queued" // from the request until the engine was asked
	StepTotal  = "total"  // from then until it ran
)
