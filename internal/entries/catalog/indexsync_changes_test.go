package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

// importNumbered imports so many public notebooks, and returns the id of the first.
func importNumbered(t testing.TB, store *Store, count int) string {
	t.Helper()
	var entries []Entry
	for i := range count {
		r := Entry{
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

func openIndexSync(t *testing.T, store *Store, snapshot string) *indexSync {
	t.Helper()
	m := newIndexSync(store, snapshot, slog.New(slog.DiscardHandler))
	m.open(t.Context())
	<-m.stopped
	return m
}

// rename changes an entry.
func rename(t *testing.T, store *Store, id, name string) sqldb.Changes {
	t.Helper()
	changes, err := store.db.WriteChanges(t.Context(), func(tx *sqldb.Tx) error {
		tx.Changed(id)
		_, err := tx.ExecContext(t.Context(), `UPDATE resource SET name = $1 WHERE id = $2`, name, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// lookAtAll follows all changes.
func (m *indexSync) lookAtAll(t *testing.T) {
	t.Helper()
	last, err := m.store.LastChange(t.Context())
	if err == nil {
		err = m.applyUpTo(t.Context(), last)
	}
	if err != nil || m.followed.Load() != last {
		t.Fatalf("followed %d of %d, %v", m.followed.Load(), last, err)
	}
}

func (m *indexSync) finds(t *testing.T, text string) bool {
	t.Helper()
	found, err := m.ready.Load().Search(t.Context(), Query{Text: text, Limit: 1})
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
	m := openIndexSync(t, store, "")
	reads := sqldbtest.CountReads(t, db)
	m.changed(t.Context(), rename(t, store, id, "Zebra"), m.loadDocuments)
	if !m.finds(t, "zebra") {
		t.Error("it is not found by its new name")
	}
	if got := reads.Statements.Load(); got != 4 { // the entry, its tags, its authors, its content
		t.Errorf("a change of our own is read by %d statements", got)
	}
	reads.Statements.Store(0)
	if m.lookAtAll(t); reads.Statements.Load() != 1 {
		t.Errorf("%d statements read it again", reads.Statements.Load())
	}
}

// Others import many entries while somebody changes one here.
func TestOwnChangesGoAheadOfMany(t *testing.T) {
	t.Parallel()
	store := NewStore(sqldbtest.SQLite(t, time.Now))
	id := importNumbered(t, store, 2)
	m := openIndexSync(t, store, "")
	for range 2 * changesPerApply {
		importNumbered(t, store, 1)
	}
	m.changed(t.Context(), rename(t, store, id, "Zebra"), m.loadDocuments)
	if behind := m.followed.Load(); !m.finds(t, "zebra") || behind > 2+changesPerApply {
		t.Errorf("found: %t, followed %d", m.finds(t, "zebra"), behind)
	}
	if m.lookAtAll(t); m.followed.Load() != 3+2*changesPerApply {
		t.Errorf("followed %d", m.followed.Load())
	}
}

// Between the newest change that is followed and one of our own, others may have committed, also a change of the tags of
// an entry that is starred here.
func TestChangesOfOthersBesideOwnOnesAreNotLost(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		store, ctx := NewStore(db), t.Context()
		id := importNumbered(t, store, 3)
		second, err := store.IDByExternalID(ctx, "1")
		if err != nil {
			t.Fatal(err)
		}
		third, err := store.IDByExternalID(ctx, "2")
		if err != nil {
			t.Fatal(err)
		}
		account, err := identity.NewStore(db).See(ctx, "issuer", "bob", "bob@example.org", "")
		if err != nil {
			t.Fatal(err)
		}
		m := openIndexSync(t, store, "")
		rename(t, store, second, "Yak")
		own := rename(t, store, id, "Zebra")
		rename(t, store, third, "Gnu")
		m.changed(ctx, own, m.loadDocuments)
		if !m.finds(t, "zebra") || m.followed.Load() < own.Last {
			t.Errorf("followed %d of %d", m.followed.Load(), own.Last)
		}
		if m.lookAtAll(t); !m.finds(t, "yak") || !m.finds(t, "gnu") {
			t.Error("the changes of another process before and after ours are lost")
		}

		tagged, err := store.Load(ctx, []string{id})
		if err != nil {
			t.Fatal(err)
		}
		tagged[0].Tags = []Tag{{Value: "striped"}}
		if _, err := store.Update(ctx, audit.EditEntry, tagged[0], tagged[0].UpdatedAt, nil); err != nil {
			t.Fatal(err)
		}
		starred, err := store.SetStar(ctx, account.ID, id, true)
		if err != nil {
			t.Fatal(err)
		}
		m.changed(ctx, starred, m.loadCounted)
		if m.lookAtAll(t); !m.finds(t, "tag:striped") {
			t.Error("the new tag of another process is lost")
		}
		if starred, err = store.SetStar(ctx, account.ID, id, false); err != nil {
			t.Fatal(err)
		}
		if m.changed(ctx, starred, m.loadCounted); !m.finds(t, "tag:striped") || m.followed.Load() != starred.Last {
			t.Errorf("followed %d of %d", m.followed.Load(), starred.Last)
		}
	})
}

// A copy of the database that takes over may lack the last changes, also such that only this process knows of.
func TestAnIndexThatIsAheadIsBuiltAnew(t *testing.T) {
	t.Parallel()
	for name, noticed := range map[string]int64{"noticed": 3, "not noticed yet": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := NewStore(sqldbtest.SQLite(t, time.Now))
			id := importNumbered(t, store, 2)
			m := openIndexSync(t, store, "")
			m.changed(t.Context(), rename(t, store, id, "Zebra"), m.loadDocuments)
			if m.followChanges(t.Context(), sqldb.News{Number: noticed}); !m.finds(t, "zebra") || m.followed.Load() != 3 {
				t.Errorf("followed %d although nothing is missing", m.followed.Load())
			}
			err := store.db.Write(t.Context(), func(tx *sqldb.Tx) error {
				_, err := tx.ExecContext(t.Context(), `UPDATE resource SET name = 'Notebook 0' WHERE id = $1`, id)
				if err == nil {
					_, err = tx.ExecContext(t.Context(), `UPDATE change_counter SET seq = 2`)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if m.followChanges(t.Context(), sqldb.News{Number: 2}); m.finds(t, "zebra") || m.followed.Load() != 2 {
				t.Errorf("followed %d", m.followed.Load())
			}
		})
	}
}

// While a snapshot is being written, nobody waits for the end of it.
func TestChangesDoNotWaitForASnapshot(t *testing.T) {
	t.Parallel()
	store := NewStore(sqldbtest.SQLite(t, time.Now))
	id := importNumbered(t, store, 1)
	m := openIndexSync(t, store, "")
	if err := m.applying.Acquire(t.Context(), 1); err != nil { // as writeSnapshot does
		t.Fatal(err)
	}
	m.changed(t.Context(), rename(t, store, id, "Zebra"), m.loadDocuments)
	m.applying.Release(1)
	if m.lookAtAll(t); !m.finds(t, "zebra") {
		t.Error("it is not found afterwards")
	}
}

// followUntil lets the index follow until a condition holds.
func (m *indexSync) followUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	feed := sqldb.NewFeed(m.store.db, m.logger)
	feed.Subscribe(sqldb.Entries, m.followChanges)
	ended := make(chan struct{})
	go func() { defer close(ended); feed.Run(ctx) }()
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
		empty := openIndexSync(t, store, snapshot)
		empty.close()
		behind := openIndexSync(t, store, "")
		id := importNumbered(t, store, changesPerTransaction+300)
		m := openIndexSync(t, store, "")
		m.changesKept = 100
		m.followUntil(t, "the changes are still there", func() bool { return changeRows(t, store) == 100 })

		rename(t, store, id, "Zebra")
		late := openIndexSync(t, store, snapshot)
		if !late.finds(t, "zebra") {
			t.Error("a start with an old snapshot does not know the last change")
		}
		behind.followUntil(t, "a process that was far behind does not catch up", func() bool {
			return behind.ready.Load() != nil && behind.finds(t, "zebra")
		})
	})
}
