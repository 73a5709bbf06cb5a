package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"cairn/internal/sqldb"
	"cairn/internal/sqldb/sqldbtest"
)

// importNumbered imports so many public notebooks, and returns the id of the first.
func importNumbered(t *testing.T, store *Store, count int) string {
	t.Helper()
	var entries []Resource
	for i := range count {
		r := Resource{
			ExternalID: fmt.Sprint(i), Name: fmt.Sprintf("Notebook %d", i), Type: Notebook, Privacy: PrivacyPublic,
			Authors: []string{"ada@example.org"}, NotebookPath: "https://example.org/notebook.ipynb",
		}
		r.Normalize()
		entries = append(entries, r)
	}
	if err := store.Import(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	id, err := store.IDByExternalID(t.Context(), "0")
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func openMirror(t *testing.T, store *Store, snapshot string) *mirror {
	t.Helper()
	m := newMirror(store, snapshot, slog.New(slog.DiscardHandler))
	m.open(t.Context())
	<-m.stopped
	return m
}

// rename changes an entry.
func rename(t *testing.T, store *Store, id, name string) {
	t.Helper()
	err := store.db.Write(t.Context(), func(tx *sqldb.Tx) error {
		tx.Changed(id)
		_, err := tx.ExecContext(t.Context(), `UPDATE resource SET name = $1 WHERE id = $2`, name, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (m *mirror) finds(t *testing.T, text string) bool {
	t.Helper()
	found, err := find(t.Context(), m.ready.Load(), Query{Text: text, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return found.Total == 1
}

func TestOwnChangesAreAppliedOnce(t *testing.T) {
	t.Parallel()
	db := sqldbtest.SQLite(t, time.Now)
	store := NewStore(db)
	id := importNumbered(t, store, 3)
	m := openMirror(t, store, "")
	reads := sqldbtest.CountReads(t, db)
	rename(t, store, id, "Zebra")
	m.changed(t.Context(), id)
	if !m.finds(t, "zebra") {
		t.Error("it is not found by its new name")
	}
	if got := reads.Statements.Load(); got > 5 {
		t.Errorf("a change of our own is read by %d statements", got)
	}
	reads.Statements.Store(0)
	if err := m.look(t.Context()); err != nil || reads.Statements.Load() != 1 {
		t.Errorf("%d statements read it again, %v", reads.Statements.Load(), err)
	}
}

// Others import many entries while somebody changes one here.
func TestOwnChangesGoAheadOfMany(t *testing.T) {
	t.Parallel()
	store := NewStore(sqldbtest.SQLite(t, time.Now))
	id := importNumbered(t, store, 2)
	m := openMirror(t, store, "")
	for range 2 * changesPerApply {
		importNumbered(t, store, 1)
	}
	rename(t, store, id, "Zebra")
	m.changed(t.Context(), id)
	if behind := m.followed.Load(); !m.finds(t, "zebra") || behind > 2+changesPerApply {
		t.Errorf("found: %t, followed %d", m.finds(t, "zebra"), behind)
	}
	if err := m.look(t.Context()); err != nil || m.followed.Load() != 3+2*changesPerApply {
		t.Errorf("followed %d, %v", m.followed.Load(), err)
	}
}

// While a snapshot is being written, nobody waits for the end of it.
func TestChangesDoNotWaitForASnapshot(t *testing.T) {
	t.Parallel()
	store := NewStore(sqldbtest.SQLite(t, time.Now))
	id := importNumbered(t, store, 1)
	m := openMirror(t, store, "")
	if err := m.applying.Acquire(t.Context(), 1); err != nil { // as writeSnapshot does
		t.Fatal(err)
	}
	rename(t, store, id, "Zebra")
	m.changed(t.Context(), id)
	m.applying.Release(1)
	select {
	case <-m.wake:
	default:
		t.Error("nobody was asked to follow it")
	}
	if err := m.look(t.Context()); err != nil || !m.finds(t, "zebra") {
		t.Errorf("it is not found afterwards: %v", err)
	}
}

// followUntil lets a mirror follow until a condition holds.
func (m *mirror) followUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); m.follow(ctx) }()
	defer func() { cancel(); <-ended }()
	for deadline := time.After(30 * time.Second); !holds(); {
		select {
		case <-deadline:
			t.Fatal(what)
		case <-time.After(time.Millisecond):
		}
	}
}

func changeRows(t *testing.T, store *Store) (count int) {
	t.Helper()
	if err := store.db.QueryRowContext(t.Context(), `SELECT count(*) FROM change`).Scan(&count); err != nil {
		t.Fatal(err)
	}
	return count
}

func TestOldChangesAreForgotten(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		store := NewStore(db)
		snapshot := filepath.Join(t.TempDir(), "catalog.index")
		empty := openMirror(t, store, snapshot)
		empty.close()
		behind := openMirror(t, store, "")
		id := importNumbered(t, store, changesPerTransaction+300)
		m := openMirror(t, store, "")
		m.kept = 100
		m.followUntil(t, "the changes are still there", func() bool { return changeRows(t, store) == 100 })

		rename(t, store, id, "Zebra")
		late := openMirror(t, store, snapshot)
		if !late.finds(t, "zebra") {
			t.Error("a start with an old snapshot does not know the last change")
		}
		behind.followUntil(t, "a process that was far behind does not catch up", func() bool {
			return behind.ready.Load() != nil && behind.finds(t, "zebra")
		})
	})
}
