package audit

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/sqldb"
)

const (
	sealInterval   = 500 * time.Millisecond
	removeInterval = time.Hour
)

// Keeper seals records, writes them to the log, and removes old ones. Each server runs one; together they do it once.
type Keeper struct {
	Level     slog.Level // of the lines with records; by default slog.LevelInfo
	Succeeded func()     // is called after each pass that succeeded; optional

	store  *Store
	keep   time.Duration
	logger *slog.Logger
	server string // identifies this process among those that may seal
}

// NewKeeper returns a keeper that removes records after a time; zero: never.
func NewKeeper(store *Store, keep time.Duration, logger *slog.Logger) *Keeper {
	return &Keeper{store: store, keep: keep, logger: logger, server: sqldb.NewID()}
}

// Run works until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	ticker := time.NewTicker(sealInterval)
	defer ticker.Stop()
	var removed time.Time
	for failing := false; ; {
		err := k.Seal(ctx)
		if now := k.store.db.Now(); err == nil && k.keep > 0 && now.Sub(removed) >= removeInterval {
			removed = now
			err = k.store.Remove(ctx, now.Add(-k.keep))
		}
		if err != nil && !failing && ctx.Err() == nil {
			k.logger.WarnContext(ctx, "the audit can't be sealed; trying again", "error", err)
		}
		failing = err != nil
		if err == nil && k.Succeeded != nil {
			k.Succeeded()
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// Seal seals all records that are waiting, and writes them to the log.
func (k *Keeper) Seal(ctx context.Context) error {
	for {
		sealed, made, err := k.store.Seal(ctx, k.server)
		if err != nil || len(sealed) == 0 {
			return err
		}
		for _, r := range sealed {
			k.logger.Log(ctx, k.Level, "audit", "audit", true, "id", r.id, "at", sqldb.Time(r.at), "actor", r.actor, "action", r.action,
				"objectType", r.objectType, "objectId", r.objectID, "changes", strings.Join(fieldsOf(r), ","), "address", r.address,
				"requestId", r.requestID, "seal", made.number, "sealSha256", made.hash)
		}
		if len(sealed) < sealLimit {
			return nil
		}
	}
}

// fieldsOf returns the names of the fields that a record says were changed. Values stay out of the log.
func fieldsOf(r record) []string {
	var changes Changes
	_ = json.Unmarshal([]byte(r.changes), &changes) // Record wrote it
	return slices.Sorted(maps.Keys(changes))
}
