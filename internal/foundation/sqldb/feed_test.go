package sqldb_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func newFeed(db *sqldb.DB) *sqldb.Feed { return sqldb.NewFeed(db, slog.New(slog.DiscardHandler)) }

// run runs a feed until the test ends.
func run(t *testing.T, feed *sqldb.Feed) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { feed.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
}

// subscribe returns the numbers that a subscriber of a topic receives, each once.
func subscribe(feed *sqldb.Feed, topic sqldb.Topic) <-chan int64 {
	numbers, last := make(chan int64, 10), int64(-1)
	feed.Subscribe(topic, func(_ context.Context, news sqldb.News) {
		if news.Number != last {
			last = news.Number
			numbers <- last
		}
	})
	return numbers
}

func want(t *testing.T, topic sqldb.Topic, numbers <-chan int64, want int64) {
	t.Helper()
	select {
	case got := <-numbers:
		if got != want {
			t.Errorf("%s: %d, want %d", topic, got, want)
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("%s: %d doesn't come", topic, want)
	}
}

func TestAFeedSaysWhatWasCommitted(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		feed := newFeed(db)
		entries, accounts, sessions := subscribe(feed, sqldb.Entries), subscribe(feed, sqldb.Accounts), subscribe(feed, sqldb.Sessions)
		run(t, feed)
		want(t, sqldb.Entries, entries, 0)
		want(t, sqldb.Accounts, accounts, 0)
		want(t, sqldb.Sessions, sessions, 0)
		for number := range int64(2) {
			err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
				tx.Changed("a")
				tx.Changed("b")
				got, err := tx.Count(t.Context(), sqldb.Accounts)
				if got != number+1 {
					t.Errorf("counted %d", got)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			db.Wake()
			want(t, sqldb.Entries, entries, 2*number+2)
			want(t, sqldb.Accounts, accounts, number+1)
		}
		if len(sessions) > 0 {
			t.Error("sessions changed too")
		}
	})
}

// Rebuilding an index takes long; changes of rights are noticed meanwhile.
func TestASlowSubscriberHoldsUpNobody(t *testing.T) {
	t.Parallel()
	db := sqldbtest.SQLite(t, time.Now)
	feed, begun, release := newFeed(db), make(chan struct{}), make(chan struct{})
	defer close(release)
	begin := sync.OnceFunc(func() { close(begun) })
	feed.Subscribe(sqldb.Entries, func(context.Context, sqldb.News) {
		begin()
		<-release
	})
	accounts := subscribe(feed, sqldb.Accounts)
	run(t, feed)
	<-begun
	want(t, sqldb.Accounts, accounts, 0)
	for number := range int64(3) {
		err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
			tx.Changed("a")
			_, err := tx.Count(t.Context(), sqldb.Accounts)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		db.Wake()
		want(t, sqldb.Accounts, accounts, number+1)
	}
}

func TestALookIsOneStatement(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		feed := newFeed(db)
		for _, topic := range []sqldb.Topic{sqldb.Entries, sqldb.Accounts, sqldb.Sessions} {
			subscribe(feed, topic)
		}
		reads := sqldbtest.CountReads(t, db)
		if err := sqldb.Look(feed, t.Context()); err != nil || reads.Statements.Load() != 1 {
			t.Errorf("%d statements, %v", reads.Statements.Load(), err)
		}
	})
}

// What a process commits itself it has applied, so only commits of others wake it.
func TestCommitsOfOtherProcessesAreAnnounced(t *testing.T) {
	t.Parallel()
	address := sqldbtest.Postgres(t)
	open := func() *sqldb.DB {
		t.Helper()
		db, err := sqldb.Open(t.Context(), address, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	commit := func(db *sqldb.DB) {
		t.Helper()
		if err := db.Write(t.Context(), func(tx *sqldb.Tx) error { tx.Changed("a"); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	here, there := open(), open()
	ctx, cancel := context.WithCancel(t.Context())
	signals, ended := make(chan struct{}, 10), make(chan struct{})
	go func() {
		defer close(ended)
		_ = sqldb.Listen(ctx, here, func() { signals <- struct{}{} })
	}()
	defer func() { cancel(); <-ended }()
	wait := func() {
		t.Helper()
		select {
		case <-signals:
		case <-time.After(30 * time.Second):
			t.Fatal("nothing was announced")
		}
	}
	wait() // it listens
	commit(here)
	commit(there)
	wait()
	commit(there)
	wait()
	if len(signals) > 0 {
		t.Error("a commit of our own was announced")
	}
}
