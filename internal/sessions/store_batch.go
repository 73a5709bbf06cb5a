package sessions

import (
	"context"

	"cairn/internal/foundation/sqldb"
)

// BatchSlots stores which places batch sessions have.
type BatchSlots struct{ db *sqldb.DB }

// NewBatchSlots returns the places in an open database.
func NewBatchSlots(db *sqldb.DB) *BatchSlots { return &BatchSlots{db: db} }

// On returns the places on some engines, or on all if none is named, in the order in which they were taken.
func (b *BatchSlots) On(ctx context.Context, engines ...string) ([]BatchSlot, error) {
	return batchSlots(ctx, b.db, engines)
}

// batchSlots returns the places on some engines, or on all if none is named, in the order in which they were taken.
func batchSlots(ctx context.Context, db reader, engines []string) ([]BatchSlot, error) {
	condition := ""
	if len(engines) > 0 {
		condition = ` WHERE engine IN (` + sqldb.Placeholders(1, len(engines)) + `)`
	}
	rows, err := db.QueryContext(ctx, `SELECT id, yields FROM batch_place`+condition+` ORDER BY taken_at, id`, sqldb.Arguments(engines)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []BatchSlot
	for rows.Next() {
		var next BatchSlot
		if err := rows.Scan(&next.ID, &next.Preempted); err != nil {
			return nil, err
		}
		found = append(found, next)
	}
	return found, rows.Err()
}

// Take gives a batch session a place on an engine, unless somebody waits on the engines that share its capacity (zero:
// no limit), none of their places is free, or as many batch sessions as share have one. It decides alone, as Admit does.
func (b *BatchSlots) Take(ctx context.Context, id, engine string, engines []string, capacity, share int) (taken bool, err error) {
	err = b.db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := decideAlone(ctx, tx); err != nil {
			return err
		}
		live, err := liveOn(ctx, tx, engines)
		if err != nil {
			return err
		}
		batch, err := batchSlots(ctx, tx, engines)
		if err != nil {
			return err
		}
		reserved, err := Reservations(ctx, tx, engines, tx.Now, tx.Now)
		if err != nil {
			return err
		}
		live = outside(live, reserved)
		taken = waiting(live) == 0 && len(batch) < share && (capacity == 0 || len(live)+len(batch)+Places(reserved) < capacity)
		if !taken {
			return nil
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO batch_place (id, engine, taken_at) VALUES ($1, $2, $3)`, id, engine, sqldb.Micros(tx.Now))
		return err
	})
	return taken && err == nil, err
}

// Free gives the place of a batch session up. One that has none is not an error.
func (b *BatchSlots) Free(ctx context.Context, id string) error {
	return b.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM batch_place WHERE id = $1`, id)
		return err
	})
}

// decideAlone makes other processes that decide about places wait until the transaction has ended.
func decideAlone(ctx context.Context, tx *sqldb.Tx) error {
	_, err := tx.ExecContext(ctx, `UPDATE counter SET seq = seq + 1 WHERE name = 'queue'`)
	return err
}
