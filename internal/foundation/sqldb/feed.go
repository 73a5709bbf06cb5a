package sqldb

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Topic is a kind of rows that processes cache. Each has a number that increases with every commit that changes such
// rows, in commit order: a transaction locks the number's row last, until it ends.
type Topic string

// The topics.
const (
	Entries  Topic = "entries" // counted by Tx.Changed
	Accounts Topic = "accounts"
	Sessions Topic = "sessions"
)

// News is the current number of a topic.
type News struct {
	Number int64     // of the last commit
	Asked  time.Time // when the database was queried, by the system's clock: everything committed before is included
}

// Feed follows the commits of all processes. One loop serves all caches: it reads the numbers of all topics with one
// query, as soon as the database announces a commit by another process, when DB.Wake is called, and every feedInterval.
type Feed struct {
	Succeeded func() // is called after each read that succeeded; optional

	db          *DB
	logger      *slog.Logger
	subscribers []*subscriber
}

type subscriber struct {
	topic  Topic
	notice func(ctx context.Context, news News)
	latest chan News // news it hasn't received yet
}

const (
	feedInterval = 500 * time.Millisecond
	// listenAgain is the pause before a lost connection is replaced.
	listenAgain = time.Second
)

// NewFeed returns a feed of a database. A process needs only one.
func NewFeed(db *DB, logger *slog.Logger) *Feed { return &Feed{db: db, logger: logger} }

// Subscribe makes the feed call notice with the number of a topic after each read, whether it changed or not. Calls
// don't overlap; a slow one misses all numbers but the newest, and doesn't delay other subscribers. Call Subscribe
// before Run.
func (f *Feed) Subscribe(topic Topic, notice func(ctx context.Context, news News)) {
	f.subscribers = append(f.subscribers, &subscriber{topic: topic, notice: notice, latest: make(chan News, 1)})
}

// Wake makes the feed read at once.
func (db *DB) Wake() {
	select {
	case db.woken <- struct{}{}:
	default: // it is awake already
	}
}

// Run follows until ctx ends and all calls of subscribers have returned.
func (f *Feed) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	for _, one := range f.subscribers {
		running.Go(func() { one.run(ctx) })
	}
	if f.db.dialect.listen != nil {
		running.Go(func() { f.listen(ctx) })
	}
	ticker := time.NewTicker(feedInterval)
	defer ticker.Stop()
	for failing := false; ; {
		err := f.readNumbers(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			f.logger.WarnContext(ctx, "changes by other processes cannot be followed; trying again", "error", err)
		}
		failing = err != nil
		if err == nil && f.Succeeded != nil {
			f.Succeeded()
		}
		select {
		case <-f.db.woken:
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *subscriber) run(ctx context.Context) {
	for {
		select {
		case news := <-s.latest:
			s.notice(ctx, news)
		case <-ctx.Done():
			return
		}
	}
}

// readNumbers reads all numbers and hands each subscriber its newest.
func (f *Feed) readNumbers(ctx context.Context) error {
	asked := time.Now()
	numbers, err := f.db.numbers(ctx)
	if err != nil {
		return err
	}
	for _, one := range f.subscribers {
		select {
		case <-one.latest:
		default:
		}
		one.latest <- News{Number: numbers[one.topic], Asked: asked} // nobody else sends, so there is room
	}
	return nil
}

// listen wakes the feed when another process commits.
func (f *Feed) listen(ctx context.Context) {
	for ctx.Err() == nil {
		_ = f.db.dialect.listen(ctx, f.db, f.db.Wake) // the feed reads regularly anyway
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
		}
	}
}

// Count increments the number of a topic other than Entries, and returns it. Call it last in a transaction: others that
// change such rows wait from here until the commit.
func (tx *Tx) Count(ctx context.Context, topic Topic) (number int64, err error) {
	err = tx.QueryRowContext(ctx, `UPDATE counter SET seq = seq + 1 WHERE name = $1 RETURNING seq, `+tx.dialect.announce, topic).Scan(&number, new(any))
	return number, err
}
