package catalog

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"cairn/internal/catalog/index"
	"cairn/internal/fault"

	"golang.org/x/sync/semaphore"
)

// mirror holds the index and keeps it as the database is: from a snapshot or from all entries at start, from the change
// table after that.
type mirror struct {
	store    *Store
	snapshot string // path of the snapshot file; empty: none is kept
	logger   *slog.Logger
	rows     *rowCache

	ready     atomic.Pointer[index.Index] // nil until it knows everything
	followed  atomic.Int64                // the change up to which it knows everything
	loaded    chan struct{}               // closed when the snapshot was read, or found to be of no use
	setLoaded func()                      // closes loaded once
	stopped   chan struct{}               // closed when building ended
	stop      context.CancelFunc          // ends building

	applying  *semaphore.Weighted // one at a time, so that a late one never puts an older state back
	saved     atomic.Int64        // the change up to which the snapshot file knows everything; -1: there is none
	kept      int64               // how many changes the table keeps
	forgotten int64               // the change up to which notice had the table forget
	noticed   int64               // the number of the last news
	missed    bool                // notice has to build the index anew

	done, all atomic.Int64 // how far building is, in entries
}

const (
	// buildAgain is how long after a failed build the next one begins.
	buildAgain = 500 * time.Millisecond
	// openTimeout is how long a start waits for an index that has to be built, or to catch up.
	openTimeout = 5 * time.Second
	// entriesPerRead bounds how many entries are in hand at once.
	entriesPerRead = 2000
	// changesPerApply bounds for how long one batch of changes by others holds up a change of our own.
	changesPerApply = 250
	// ownTimeout is how long a change of our own waits for a batch, or for a snapshot that is being written.
	ownTimeout = 100 * time.Millisecond
	// changesPerSnapshot is after how many changes a new snapshot is worth writing.
	changesPerSnapshot = 50_000
	// changesKept is how many changes stay in the table: a snapshot, or a process that follows, is seldom as far behind.
	changesKept = 2 * changesPerSnapshot
)

func newMirror(store *Store, snapshot string, logger *slog.Logger) *mirror {
	loaded := make(chan struct{})
	return &mirror{
		store: store, snapshot: snapshot, logger: logger, rows: newRowCache(),
		applying: semaphore.NewWeighted(1), kept: changesKept,
		loaded: loaded, setLoaded: sync.OnceFunc(func() { close(loaded) }), stopped: make(chan struct{}),
	}
}

// open begins to make the index and waits for the snapshot to be read, and after that for the index, openTimeout at most;
// building goes on behind until ctx ends or close.
func (m *mirror) open(ctx context.Context) {
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

func (m *mirror) build(ctx context.Context) error {
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

// use replaces the index by one that knows everything up to a change, or by none.
func (m *mirror) use(ctx context.Context, ix *index.Index, followed int64) error {
	if err := m.applying.Acquire(ctx, 1); err != nil {
		return err
	}
	defer m.applying.Release(1)
	m.followed.Store(followed)
	m.ready.Store(ix)
	return nil
}

// checkMemory warns of a GOMEMLIMIT that leaves the index too little room: the garbage collector would work all the time.
func (m *mirror) checkMemory(ctx context.Context) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	limit := debug.SetMemoryLimit(-1) // returns it and changes nothing
	if needed := int64(live[0].Value.Uint64()) * 3 / 2; needed > limit {
		m.logger.WarnContext(ctx, "GOMEMLIMIT is low for this catalog: searches will be slow; raise it", "limit MiB", limit>>20, "wanted MiB", needed>>20)
	}
}

// load reads the snapshot. A torn one, one of another database, or one that is newer than the database is none.
func (m *mirror) load(ctx context.Context) (*index.Index, int64, error) {
	if m.snapshot == "" {
		return nil, 0, nil
	}
	file, err := os.Open(m.snapshot)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	read, position, err := index.Read(file, indexTypes())
	if err != nil {
		m.logger.WarnContext(ctx, "the snapshot of the search index is of no use; building it anew", "error", err)
		return nil, 0, nil
	}
	last, err := m.store.LastChange(ctx)
	if err != nil {
		return nil, 0, err
	}
	history, err := m.store.History(ctx, position.Seq)
	if err != nil {
		return nil, 0, err
	}
	if position.Seq > last || position.History != history {
		m.logger.WarnContext(ctx, "the snapshot of the search index is of another state of the database; building it anew")
		return nil, 0, nil
	}
	m.done.Store(0)
	m.all.Store(last - position.Seq)
	return read, position.Seq, nil
}

// readAll makes the index of all entries, and returns the change up to which it surely knows everything.
func (m *mirror) readAll(ctx context.Context) (*index.Index, int64, error) {
	seq, err := m.store.LastChange(ctx) // before reading: what changes meanwhile is read again
	if err != nil {
		return nil, 0, err
	}
	count, err := m.store.CountActive(ctx)
	if err != nil {
		return nil, 0, err
	}
	m.done.Store(0)
	m.all.Store(int64(count))
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
			documents := make([]index.Document, len(resources))
			for i := range resources {
				documents[i] = resources[i].document()
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

// notice keeps the index up with changes by other processes.
func (m *mirror) notice(ctx context.Context, news news) {
	err := m.look(ctx, news.Number)
	// A number that fell is of another database, such as a copy that took over without the last changes.
	if m.missed = m.missed || errors.Is(err, ErrMissed) || news.Number < m.noticed; m.missed {
		err = errors.Join(err, m.use(ctx, nil, 0), m.build(ctx)) // an index beside another could take too much memory
		m.missed = m.ready.Load() == nil
	}
	m.noticed = news.Number
	if err != nil && ctx.Err() == nil {
		m.logger.WarnContext(ctx, "catalog changes cannot be followed", "error", err)
	}
	if m.ready.Load() != nil {
		m.keepShort(ctx)
	}
}

// keepShort writes a snapshot and has the table forget changes, each after many of them.
func (m *mirror) keepShort(ctx context.Context) {
	followed := m.followed.Load()
	if followed-m.saved.Load() >= changesPerSnapshot {
		m.save(ctx)
	}
	if old := followed - m.kept; old-m.forgotten > m.kept/10 {
		if err := m.store.ForgetChanges(ctx, old); err != nil {
			m.logger.WarnContext(ctx, "old changes of the catalog cannot be forgotten; trying again", "error", err)
			return
		}
		m.forgotten = old
	}
}

// look applies what any process has changed up to a number; nothing while the index is being built.
func (m *mirror) look(ctx context.Context, last int64) error {
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

// advance needs the lock. It follows one batch of changes, unless all up to a number are followed, and reports whether
// they are then.
func (m *mirror) advance(ctx context.Context, last int64) (caught bool, err error) {
	ready, seq := m.ready.Load(), m.followed.Load()
	if ready == nil || seq >= last {
		return true, nil
	}
	seq, err = m.applyNext(ctx, ready, seq)
	m.followed.Store(seq)
	return seq >= last, err
}

// catchUp applies to an index that is not in use yet what changed since a number, and returns the newest one.
func (m *mirror) catchUp(ctx context.Context, ix *index.Index, seq int64) (int64, error) {
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

// applyNext applies one batch of what changed since a number. It returns the number up to which the index then knows
// everything.
func (m *mirror) applyNext(ctx context.Context, ix *index.Index, seq int64) (upTo int64, err error) {
	ids, upTo, err := m.store.ChangedSince(ctx, seq, changesPerApply)
	if err == nil {
		err = m.apply(ctx, ix, ids, m.store.Load)
	}
	if err != nil {
		return seq, err
	}
	m.done.Add(int64(len(ids)))
	return upTo, nil
}

// loader reads entries by their ids.
type loader func(ctx context.Context, ids []string) ([]Resource, error)

// apply makes the index know entries as they are now. An index that is in use needs the lock.
func (m *mirror) apply(ctx context.Context, ix *index.Index, ids []string, load loader) error {
	resources, err := load(ctx, ids)
	if err != nil {
		return err
	}
	documents := make([]index.Document, 0, len(resources))
	for i := range resources {
		if resources[i].State == StateActive {
			documents = append(documents, resources[i].document())
		}
	}
	ix.Apply(ids, documents)
	m.rows.drop(ids)
	return nil
}

// changed makes entries that this process has just changed findable as they are now, unless that has to wait. It reads
// them with load, at most once, if nothing else is to be followed before.
func (m *mirror) changed(ctx context.Context, changes Changes, load loader) {
	if len(changes.IDs) == 0 {
		return
	}
	// The change is committed, so it is no error of the call when it cannot be read back: it is followed later.
	ctx = context.WithoutCancel(ctx)
	caught, err := m.changedNow(ctx, changes, load)
	if err != nil {
		m.logger.WarnContext(ctx, "a change cannot be found yet", "error", err)
	}
	if !caught {
		m.store.Wake() // as soon as it is followed, rows come from the cache again
	}
}

// changedNow applies the change if it is the next one. Else it follows what else changed, or applies the entries alone
// where that is too much.
func (m *mirror) changedNow(ctx context.Context, changes Changes, load loader) (caught bool, err error) {
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
		err = errors.Join(err, m.apply(ctx, ready, changes.IDs, m.store.Load))
	}
	return caught, err
}

// loadStarred reads entries of which nothing but stars changed since what the index follows; it has their tags and
// authors. It needs the lock.
func (m *mirror) loadStarred(ctx context.Context, ids []string) ([]Resource, error) {
	labels := m.ready.Load().Labels(ids)
	resources, err := m.store.LoadUnlabeled(ctx, ids)
	if err == nil && !label(resources, labels) {
		return m.store.Load(ctx, ids)
	}
	return resources, err
}

// label sets the tags and authors of entries; false if those of any are missing.
func label(resources []Resource, labels map[string]index.Labels) bool {
	for i := range resources {
		r := &resources[i]
		found, ok := labels[r.ID]
		if !ok {
			return false
		}
		r.Authors = found.Authors
		for _, tag := range found.Tags {
			r.Tags = append(r.Tags, Tag(tag))
		}
	}
	return true
}

// close ends building and writes a last snapshot; the feed must have ended.
func (m *mirror) close() {
	m.stop()
	<-m.stopped
	if m.ready.Load() != nil && m.followed.Load() != m.saved.Load() {
		m.save(context.Background())
	}
}

// save writes a snapshot, in a file beside it first, so that one that is cut short replaces nothing.
func (m *mirror) save(ctx context.Context) {
	if m.snapshot == "" {
		return
	}
	seq, err := m.writeSnapshot(ctx, m.snapshot+".new")
	if err == nil {
		err = os.Rename(m.snapshot+".new", m.snapshot)
	}
	if err != nil {
		_ = os.Remove(m.snapshot + ".new")
		m.logger.WarnContext(ctx, "the snapshot of the search index cannot be written; the next start takes longer", "error", err)
		return
	}
	m.saved.Store(seq)
}

// writeSnapshot writes a file and returns the change up to which it knows everything. Searches go on; changes wait until
// the file is written, but not until it is on the disk.
func (m *mirror) writeSnapshot(ctx context.Context, path string) (seq int64, err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	if err := m.applying.Acquire(ctx, 1); err != nil {
		return 0, err
	}
	seq = m.followed.Load()
	history, err := m.store.History(ctx, seq)
	if err == nil {
		buffered := bufio.NewWriter(file)
		err = errors.Join(m.ready.Load().Write(buffered, index.Position{Seq: seq, History: history}), buffered.Flush())
	}
	m.applying.Release(1)
	if err != nil {
		return 0, err
	}
	return seq, errors.Join(file.Sync(), file.Close())
}

// index returns the index; while it is being built a fault that says how far it is.
func (m *mirror) index() (*index.Index, error) {
	if ready := m.ready.Load(); ready != nil {
		return ready, nil
	}
	all, done := m.all.Load(), m.done.Load()
	progress := 0.0
	if all > 0 {
		progress = min(0.99, float64(done)/float64(all))
	}
	building := fault.New(fault.IndexBuilding,
		"The search index is being built: it is %d %% done. Lists and searches have to wait for it; all else works.", int(100*progress))
	building.RetryAfter, building.Progress = 2*time.Second, &progress
	return nil, building
}
