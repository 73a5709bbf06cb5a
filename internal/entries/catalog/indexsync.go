package catalog

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"cairn/internal/entries/catalog/index"
	"cairn/internal/foundation/fault"

	"golang.org/x/sync/semaphore"
)

// indexSync keeps the index in step with the database: it loads a snapshot or all entries at start, and then follows the
// change table.
type indexSync struct {
	store    *Store
	snapshot string // path of the snapshot file; empty: none is written
	logger   *slog.Logger
	noted    *contents

	ready     atomic.Pointer[index.Index] // nil until it is complete
	rows      atomic.Pointer[rowFile]     // nil if there is none
	followed  atomic.Int64                // the change up to which it is complete
	complete  atomic.Int64                // when it last contained everything that was committed, in microseconds; 0: never
	loaded    chan struct{}               // closed when the snapshot was read, or can't be used
	setLoaded func()                      // closes loaded once
	stopped   chan struct{}               // closed when building has ended
	stop      context.CancelFunc          // ends building

	applying    *semaphore.Weighted // one at a time, so that a late one can't restore an older state
	saved       atomic.Int64        // the change up to which the snapshot file is complete; -1: there is none
	changesKept int64               // the number of changes that the table keeps
	forgotten   int64               // the change up to which notice pruned the table
	noticed     int64               // the number of the last notification
	missed      bool                // notice has to rebuild the index

	done, all atomic.Int64 // progress of the build, in entries
}

const (
	// buildAgain is the pause between a failed build and the next one.
	buildAgain = 500 * time.Millisecond
	// openTimeout is the maximum time that a start waits for an index that has to be built, or to catch up.
	openTimeout = 5 * time.Second
	// entriesPerRead limits the number of entries in memory at once.
	entriesPerRead = 2000
	// changesPerApply limits how long one batch of other processes' changes delays a change of our own.
	changesPerApply = 250
	// ownTimeout is the maximum time that one of our own changes waits for a batch, or for a snapshot that is being
	// written.
	ownTimeout = 100 * time.Millisecond
	// changesPerSnapshot is the number of changes after which a new snapshot is worth writing.
	changesPerSnapshot = 50_000
	// changesKept is the number of changes that stay in the table: a snapshot, or a process that follows, is seldom as
	// far behind.
	changesKept = 2 * changesPerSnapshot
)

func newIndexSync(store *Store, snapshot string, logger *slog.Logger) *indexSync {
	loaded := make(chan struct{})
	return &indexSync{
		store: store, snapshot: snapshot, logger: logger, noted: newContents(),
		applying: semaphore.NewWeighted(1), changesKept: changesKept,
		loaded: loaded, setLoaded: sync.OnceFunc(func() { close(loaded) }), stopped: make(chan struct{}),
	}
}

// open starts making the index. It waits until the snapshot is read, and then at most openTimeout for the index;
// building continues in the background until ctx ends or close is called.
func (m *indexSync) open(ctx context.Context) {
	ctx, m.stop = context.WithCancel(ctx)
	go func() {
		defer close(m.stopped)
		for {
			err := m.build(ctx)
			if err == nil || ctx.Err() != nil {
				return
			}
			m.logger.WarnContext(ctx, "the search index cannot be built; trying again", "error", err)
			select {
			case <-time.After(buildAgain):
			case <-ctx.Done():
				return
			}
		}
	}()
	<-m.loaded
	select {
	case <-m.stopped:
	case <-time.After(openTimeout):
		m.logger.InfoContext(ctx, "the search index is being built; until then lists and searches have to wait")
	}
}

func (m *indexSync) build(ctx context.Context) error {
	began := time.Now()
	built, seq, err := m.load(ctx)
	m.setLoaded()
	if err == nil && built != nil {
		m.saved.Store(seq)
		seq, err = m.catchUp(ctx, built, seq)
	}
	if errors.Is(err, ErrMissed) { // the snapshot is too old
		built, err = nil, nil
	}
	if err == nil && built == nil {
		m.saved.Store(-1)
		if built, seq, err = m.readAll(ctx); err == nil {
			seq, err = m.catchUp(ctx, built, seq)
		}
	}
	if err != nil {
		return err
	}
	if err := m.use(ctx, built, seq); err != nil {
		return err
	}
	m.logger.InfoContext(ctx, "search is ready", "entries", built.Len(), "seconds", time.Since(began).Seconds())
	m.checkMemory(ctx)
	if m.saved.Load() < 0 && built.Len() >= changesPerSnapshot {
		m.save(ctx)
	}
	return nil
}

// use replaces the index with one that is complete up to a change, or with none.
func (m *indexSync) use(ctx context.Context, ix *index.Index, followed int64) error {
	if err := m.applying.Acquire(ctx, 1); err != nil {
		return err
	}
	defer m.applying.Release(1)
	m.followed.Store(followed)
	m.ready.Store(ix)
	return nil
}

// checkMemory warns if GOMEMLIMIT leaves the index too little room: the garbage collector would run all the time.
func (m *indexSync) checkMemory(ctx context.Context) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	limit := debug.SetMemoryLimit(-1) // returns it and changes nothing
	if needed := int64(live[0].Value.Uint64()) * 3 / 2; needed > limit {
		m.logger.WarnContext(ctx, "GOMEMLIMIT is low for this catalog: searches will be slow; raise it", "limit MiB", limit>>20, "wanted MiB", needed>>20)
	}
}

// readAll builds the index from all entries, and returns the change up to which it is certainly complete.
func (m *indexSync) readAll(ctx context.Context) (*index.Index, int64, error) {
	seq, err := m.store.LastChange(ctx) // before reading: changes in the meantime are read again
	if err != nil {
		return nil, 0, err
	}
	count, err := m.store.CountActive(ctx)
	if err != nil {
		return nil, 0, err
	}
	m.done.Store(0)
	m.all.Store(int64(count))
	m.freshRows(ctx)
	builder := index.NewBuilder(indexTypes())
	// One reads while the other indexes.
	parts := make(chan index.Part, 2)
	failed := make(chan error, 1)
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer close(parts)
		for after := ""; ; {
			resources, err := m.store.After(reading, after, entriesPerRead)
			if err != nil || len(resources) == 0 {
				failed <- err
				return
			}
			after = resources[len(resources)-1].ID
			documents, err := m.documents(reading, resources)
			if err != nil {
				failed <- err
				return
			}
			select {
			case parts <- builder.Prepare(documents):
			case <-reading.Done():
				failed <- reading.Err()
				return
			}
		}
	}()
	for part := range parts {
		builder.Add(part)
		m.done.Add(int64(part.Len()))
	}
	if err := <-failed; err != nil {
		return nil, 0, err
	}
	return builder.Finish(), seq, nil
}

// followChanges updates the index with changes by other processes.
func (m *indexSync) followChanges(ctx context.Context, news news) {
	err := m.applyUpTo(ctx, news.Number)
	if m.missed = m.missed || errors.Is(err, ErrMissed) || m.databaseRestored(ctx, news.Number); m.missed {
		err = errors.Join(err, m.use(ctx, nil, 0), m.build(ctx)) // an index beside another could take too much memory
		m.missed = m.ready.Load() == nil
	}
	m.noticed = news.Number
	if err != nil && ctx.Err() == nil {
		m.logger.WarnContext(ctx, "catalog changes cannot be followed", "error", err)
	}
	if m.ready.Load() != nil {
		if err == nil {
			m.complete.Store(news.Asked.UnixMicro())
		}
		m.pruneChanges(ctx)
	}
}

// databaseRestored reports whether a number that was just read is lower than before, which means another database, such as a copy
// that took over without the last changes. What this process changed may be newer than the number.
func (m *indexSync) databaseRestored(ctx context.Context, number int64) bool {
	if number < m.noticed {
		return true
	}
	followed := m.followed.Load()
	if number >= followed {
		return false
	}
	last, err := m.store.LastChange(ctx)
	return err == nil && last < followed
}

// pruneChanges writes a snapshot and prunes the change table, each after many changes.
func (m *indexSync) pruneChanges(ctx context.Context) {
	followed := m.followed.Load()
	if followed-m.saved.Load() >= changesPerSnapshot {
		m.save(ctx)
	}
	if old := followed - m.changesKept; old-m.forgotten > m.changesKept/10 {
		if err := m.store.ForgetChanges(ctx, old); err != nil {
			m.logger.WarnContext(ctx, "old changes of the catalog cannot be forgotten; trying again", "error", err)
			return
		}
		m.forgotten = old
	}
}

// applyUpTo applies the changes of all processes up to a number; it does nothing while the index is being built.
func (m *indexSync) applyUpTo(ctx context.Context, last int64) error {
	for caught := false; !caught; {
		if err := m.applying.Acquire(ctx, 1); err != nil {
			return err
		}
		var err error
		caught, err = m.advance(ctx, last)
		m.applying.Release(1)
		if err != nil {
			return err
		}
	}
	return nil
}

// advance applies one batch of changes, unless all up to a number are applied, and reports whether they now are. m.applying must
// be held.
func (m *indexSync) advance(ctx context.Context, last int64) (caught bool, err error) {
	ready, seq := m.ready.Load(), m.followed.Load()
	if ready == nil || seq >= last {
		return true, nil
	}
	seq, err = m.applyNext(ctx, ready, seq)
	m.followed.Store(seq)
	return seq >= last, err
}

// catchUp applies all changes since a number to an index that isn't in use yet, and returns the newest number.
func (m *indexSync) catchUp(ctx context.Context, ix *index.Index, seq int64) (int64, error) {
	for {
		last, err := m.store.LastChange(ctx)
		if err != nil || last == seq {
			return seq, err
		}
		if seq, err = m.applyNext(ctx, ix, seq); err != nil {
			return seq, err
		}
	}
}

// applyNext applies one batch of the changes since a number. It returns the number up to which the index is then
// complete.
func (m *indexSync) applyNext(ctx context.Context, ix *index.Index, seq int64) (upTo int64, err error) {
	ids, upTo, err := m.store.ChangedSince(ctx, seq, changesPerApply)
	if err == nil {
		err = m.apply(ctx, ix, ids, m.loadDocuments)
	}
	if err != nil {
		return seq, err
	}
	m.done.Add(int64(len(ids)))
	return upTo, nil
}

// loader reads what the index stores of active entries by their ids.
type loader func(ctx context.Context, ids []string) ([]index.Document, error)

// apply updates entries in the index to their current state. If the index is in use, m.applying must be held.
func (m *indexSync) apply(ctx context.Context, ix *index.Index, ids []string, load loader) error {
	documents, err := load(ctx, ids)
	if err != nil {
		return err
	}
	replaced := ix.Apply(ids, documents)
	if rows := m.rows.Load(); rows != nil {
		if err := rows.erase(replaced); err != nil {
			m.warnFallback(ctx, err)
		}
	}
	for _, id := range ids {
		m.noted.Remove(id)
	}
	return nil
}

// changed makes entries that this process has just changed findable in their new state, unless that has to wait. It
// reads them with load, at most once, if no other changes have to be applied before.
func (m *indexSync) changed(ctx context.Context, changes Changes, load loader) {
	if len(changes.IDs) == 0 {
		return
	}
	// The change is committed, so failing to read it back isn't an error of the call: it is applied later.
	ctx = context.WithoutCancel(ctx)
	caught, err := m.changedNow(ctx, changes, load)
	if err != nil {
		m.logger.WarnContext(ctx, "a change cannot be found yet", "error", err)
	}
	if !caught {
		m.store.Wake() // once it is applied, rows come from the cache again
	}
}

// changedNow applies the change if it is the next one. Otherwise it applies all changes in between, or only the entries
// if that would be too much.
func (m *indexSync) changedNow(ctx context.Context, changes Changes, load loader) (caught bool, err error) {
	waiting, cancel := context.WithTimeout(ctx, ownTimeout)
	defer cancel()
	if m.applying.Acquire(waiting, 1) != nil {
		return false, nil
	}
	defer m.applying.Release(1)
	ready := m.ready.Load()
	if ready != nil && m.followed.Load() == changes.Last-int64(len(changes.IDs)) {
		if err = m.apply(ctx, ready, changes.IDs, load); err == nil {
			m.followed.Store(changes.Last)
		}
		return err == nil, err
	}
	if caught, err = m.advance(ctx, changes.Last); !caught {
		err = errors.Join(err, m.apply(ctx, ready, changes.IDs, m.loadDocuments))
	}
	return caught, err
}

// loadCounted reads entries of which only stars and starters have changed since the change that the index has applied.
// m.applying must be held.
func (m *indexSync) loadCounted(ctx context.Context, ids []string) ([]index.Document, error) {
	if !m.ready.Load().Has(ids) {
		return m.loadDocuments(ctx, ids)
	}
	resources, err := m.store.LoadUnlabeled(ctx, ids)
	if err != nil {
		return nil, err
	}
	var documents []index.Document
	for _, resource := range onlyActive(resources) {
		document := resource.document()
		document.Counted = true
		documents = append(documents, document)
	}
	return documents, nil
}

// close stops building and writes a last snapshot; the feed must have ended.
func (m *indexSync) close() {
	m.stop()
	<-m.stopped
	defer m.useRows(nil)
	if m.ready.Load() != nil && m.followed.Load() != m.saved.Load() {
		m.save(context.Background())
	}
}

// current returns the index; while it is being built, it returns a fault with the progress.
func (m *indexSync) current() (*index.Index, error) {
	if ready := m.ready.Load(); ready != nil {
		return ready, nil
	}
	all, done := m.all.Load(), m.done.Load()
	progress := 0.0
	if all > 0 {
		progress = min(0.99, float64(done)/float64(all))
	}
	building := fault.New(fault.IndexBuilding,
		"The search index is being built and is %d%% done. Lists and searches have to wait for it; everything else works.", int(100*progress))
	building.RetryAfter, building.Progress = 2*time.Second, &progress
	return nil, building
}
