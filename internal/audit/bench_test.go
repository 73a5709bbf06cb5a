package audit_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"cairn/internal/audit"
	"cairn/internal/sqldb"
	"cairn/internal/sqldb/sqldbtest"
)

// BenchmarkWrites writes changes of entries in transactions with and without a record, in turn and beside a keeper that seals, and reports the
// 99th percentile of both and how many times as long the former is.
func BenchmarkWrites(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchmarkWrites(b, sqldbtest.SQLite(b, time.Now)) })
	b.Run("postgres", func(b *testing.B) {
		db, err := sqldb.Open(b.Context(), sqldbtest.Postgres(b), time.Now)
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		benchmarkWrites(b, db)
	})
}

func benchmarkWrites(b *testing.B, db *sqldb.DB) {
	b.Helper()
	ctx, stop := context.WithCancel(audit.As(b.Context(), ada))
	var keeping sync.WaitGroup
	keeping.Go(func() { audit.NewKeeper(audit.NewStore(db), 0, slog.New(slog.DiscardHandler)).Run(ctx) })
	defer keeping.Wait()
	defer stop()
	write := func(records bool) time.Duration {
		id := sqldb.NewID()
		begun := time.Now()
		err := db.Write(ctx, func(tx *sqldb.Tx) error {
			tx.Changed(id)
			if _, err := tx.ExecContext(ctx, `INSERT INTO tag (id, value) VALUES ($1, $1)`, id); err != nil || !records {
				return err
			}
			return audit.Record(ctx, tx, audit.Event{Action: audit.StarEntry, Object: audit.Object{Type: audit.Entry, ID: id, Name: "An entry"}})
		})
		if err != nil {
			b.Fatal(err)
		}
		return time.Since(begun)
	}
	var without, with []time.Duration
	for b.Loop() {
		without, with = append(without, write(false)), append(with, write(true))
	}
	before, after := percentile(without), percentile(with)
	b.ReportMetric(float64(before.Microseconds()), "p99-without-µs")
	b.ReportMetric(float64(after.Microseconds()), "p99-with-µs")
	b.ReportMetric(float64(after)/float64(before), "times")
}

// percentile returns the 99th percentile.
func percentile(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)*99/100]
}
