package catalog

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"

	"cairn/internal/entries/catalog/index"
)

// load reads the snapshot. It ignores a truncated one, one of another database, and one that is newer than the
// database.
func (m *indexSync) load(ctx context.Context) (*index.Index, int64, error) {
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
	rows, err := openRows(m.rowsPath(), position.Rows)
	if err == nil {
		rows, err = rows.compacted(m.rowsPath(), read, rowsUnused)
	}
	if err != nil {
		m.logger.WarnContext(ctx, "the rows of the catalog are of no use; building the search index anew", "error", err)
		return nil, 0, nil
	}
	m.useRows(rows)
	m.done.Store(0)
	m.all.Store(last - position.Seq)
	return read, position.Seq, nil
}

// save writes a snapshot to a temporary file first, so that a truncated one replaces nothing.
func (m *indexSync) save(ctx context.Context) {
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

// writeSnapshot writes a file and returns the change up to which it is complete. Searches continue; changes wait until
// the file is written, but not until it is synced to disk.
func (m *indexSync) writeSnapshot(ctx context.Context, path string) (seq int64, err error) {
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
		position := index.Position{Seq: seq, History: history}
		rows := m.rows.Load()
		if rows != nil {
			position.Rows, err = rows.id, rows.file.Sync()
		}
		buffered := bufio.NewWriter(file)
		err = errors.Join(err, m.ready.Load().Write(buffered, position), buffered.Flush())
	}
	m.applying.Release(1)
	if err != nil {
		return 0, err
	}
	return seq, errors.Join(file.Sync(), file.Close())
}
