package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func TestWriteCommitsOrRollsBackWithItsChanges(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		insertTag := func(id string) func(tx *sqldb.Tx) error {
			return func(tx *sqldb.Tx) error {
				tx.Changed(id)
				_, err := tx.ExecContext(ctx, `INSERT INTO tag (id, value) VALUES ($1, $2)`, id, id)
				return err
			}
		}
		if err := db.Write(ctx, insertTag("a")); err != nil {
			t.Fatal(err)
		}
		if err := db.Write(ctx, insertTag("a")); !db.IsUniqueViolation(err) {
			t.Fatalf("second insert: %v, want a unique violation", err)
		}
		refused := errors.New("refused")
		err := db.Write(ctx, func(tx *sqldb.Tx) error { return errors.Join(insertTag("b")(tx), refused) })
		if !errors.Is(err, refused) {
			t.Fatalf("got %v, want the error of the function", err)
		}
		var tags, changes int
		row := db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM tag), (SELECT count(*) FROM change)`)
		if err := row.Scan(&tags, &changes); err != nil || tags != 1 || changes != 1 {
			t.Fatalf("tags %d, changes %d, %v; want 1 and 1", tags, changes, err)
		}
	})
}

// A reader that has seen a change number must never find a smaller one later, however writers overlap.
func TestChangeNumbersRiseInTheOrderOfCommit(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		var writers sync.WaitGroup
		for i := range 8 {
			writers.Go(func() {
				for j := range 10 {
					err := db.Write(ctx, func(tx *sqldb.Tx) error { tx.Changed(fmt.Sprint(i, j)); return nil })
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		finished := make(chan struct{})
		go func() { writers.Wait(); close(finished) }()
		for seen, done := int64(0), false; !done; {
			select {
			case <-finished:
				done = true
			default:
			}
			var highest, count int64
			err := db.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0), count(*) FROM change`).Scan(&highest, &count)
			if err != nil || highest != count || highest < seen {
				t.Fatalf("highest %d, count %d, seen before %d, %v: a number is missing below the highest", highest, count, seen, err)
			}
			seen = highest
		}
	})
}

// Two writers that commit in the other order than they began: whoever commits later has the larger number, so a reader
// between the two commits misses nothing.
func TestWritersThatCommitInReverseOrder(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		begun, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			done <- db.Write(ctx, func(tx *sqldb.Tx) error {
				tx.Changed("began first")
				close(begun)
				<-release
				return nil
			})
		}()
		<-begun
		second := func() error {
			return db.Write(ctx, func(tx *sqldb.Tx) error { tx.Changed("began second"); return nil })
		}
		want := []string{"began second", "began first"}
		if strings.HasSuffix(t.Name(), "/sqlite") { // one writes at a time there
			close(release)
			want = []string{"began first", "began second"}
			if err := errors.Join(<-done, second()); err != nil {
				t.Fatal(err)
			}
		} else {
			if err := second(); err != nil {
				t.Fatal(err)
			}
			var seen int64 // by a reader between the commits
			if err := db.QueryRowContext(ctx, `SELECT seq FROM change_counter`).Scan(&seen); err != nil || seen != 1 {
				t.Fatalf("seen %d, %v; want the first number", seen, err)
			}
			close(release)
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		for i, name := range want {
			var seq int
			if err := db.QueryRowContext(ctx, `SELECT seq FROM change WHERE resource_id = $1`, name).Scan(&seq); err != nil || seq != i+1 {
				t.Errorf("%q has number %d, %v; want %d", name, seq, err, i+1)
			}
		}
	})
}

func TestDatabaseOfANewerVersionIsRefusedUnchanged(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
			_, err := tx.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, TRUE)`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := sqldb.Migrate(t.Context(), db); fault.KindOf(err) != fault.Conflict {
			t.Fatalf("got %v, want a conflict that names the versions", err)
		}
	})
}

func TestUnreadableDatabaseIsOneClearSentence(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "cairn.db")
	for _, address := range []string{"sqlite:" + path, "postgres://127.0.0.1:1/none?connect_timeout=2", "mysql://x"} {
		_, err := sqldb.Open(context.Background(), address, time.Now)
		if kind := fault.KindOf(err); kind != fault.Unavailable && kind != fault.Invalid {
			t.Errorf("%s: got %v, want a fault with a sentence", address, err)
		}
	}
}

func TestInsertRowsWritesEveryRowOnce(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx, written := t.Context(), 0
		for _, count := range []int{0, 1, 124, 125, 126, 1000} { // 125 pairs fill a statement
			rows := make([][]any, count)
			for i := range rows {
				rows[i] = []any{fmt.Sprint(count, "-", i), fmt.Sprint(count, " ", i)}
			}
			insert := func(tx *sqldb.Tx) error {
				return tx.InsertRows(ctx, "tag", []string{"id", "value"}, rows, "ON CONFLICT (value) DO NOTHING")
			}
			if err := db.Write(ctx, func(tx *sqldb.Tx) error { return errors.Join(insert(tx), insert(tx)) }); err != nil {
				t.Fatal(err)
			}
			written += count
			var found, pairs int
			row := db.QueryRowContext(ctx, `SELECT count(*), count(CASE WHEN replace(id, '-', ' ') = value THEN 1 END) FROM tag`)
			if err := row.Scan(&found, &pairs); err != nil || found != written || pairs != written {
				t.Errorf("%d rows, %d with both their values, want %d (%v)", found, pairs, written, err)
			}
		}
	})
}

func TestRowsOfTheEndAreWrittenWithTheirTransaction(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx, refused := t.Context(), errors.New("refused")
		wanted, numbers := 0, int64(0)
		for _, test := range []struct {
			rows, changes int
			err           error
		}{{rows: 1}, {rows: 1, changes: 1}, {rows: 1, changes: 3}, {rows: 3, changes: 1}, {rows: 200}, {rows: 1, changes: 1, err: refused}} {
			changes, err := db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
				for range test.rows {
					id := sqldb.NewID()
					tx.InsertLast("tag", []string{"id", "value"}, []any{id, "of " + id})
				}
				for range test.changes {
					tx.Changed("a")
				}
				return test.err
			})
			if !errors.Is(err, test.err) {
				t.Fatalf("%+v: %v", test, err)
			}
			if err == nil {
				wanted, numbers = wanted+test.rows, numbers+int64(test.changes)
			}
			var pairs int
			var last int64
			row := db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM tag WHERE value = 'of ' || id), (SELECT count(*) FROM change)`)
			if err := row.Scan(&pairs, &last); err != nil || pairs != wanted || last != numbers {
				t.Errorf("%+v: %d rows and %d changes, want %d and %d (%v)", test, pairs, last, wanted, numbers, err)
			}
			if err == nil && test.changes > 0 && changes.Last != numbers {
				t.Errorf("%+v: the last change is %d, want %d", test, changes.Last, numbers)
			}
		}
		id := sqldb.NewID()
		again := func(tx *sqldb.Tx) error {
			tx.Changed("a")
			tx.InsertLast("tag", []string{"id", "value"}, []any{id, id})
			return nil
		}
		if err := errors.Join(db.Write(ctx, again), db.Write(ctx, again)); !db.IsUniqueViolation(err) {
			t.Errorf("the same row again: %v, want a unique violation", err)
		}
	})
}
