package sqldb_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// More queries than are kept, from several goroutines, so that queries are closed while others use them.
func TestQueriesStayRightWhileOthersTakeTheirPlace(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ask := func(number int) error {
			var got int
			err := db.QueryRowContext(t.Context(), fmt.Sprintf(`SELECT %d + CAST($1 AS INTEGER)`, number), 1).Scan(&got)
			if err != nil || got != number+1 {
				return fmt.Errorf("%d: %d, %w", number, got, err)
			}
			return nil
		}
		var asking sync.WaitGroup
		failed := make([]error, 8)
		for who := range failed {
			asking.Go(func() {
				for i := range 600 {
					number := (i*(who+1) + who) % 300
					failed[who] = errors.Join(failed[who], ask(number), ask(number%3))
				}
			})
		}
		asking.Wait()
		if err := errors.Join(failed...); err != nil {
			t.Error(err)
		}
	})
}

func TestAQueryFollowsWhatChangesBelowIt(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		count := func() (found int) {
			if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM tag WHERE value LIKE $1`, "a%").Scan(&found); err != nil {
				t.Error(err)
			}
			return found
		}
		change := func(statement string) {
			err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
				_, err := tx.ExecContext(t.Context(), statement)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for i, statement := range []string{
			`INSERT INTO tag (id, value) VALUES ('1', 'a')`, `CREATE INDEX by_value ON tag (value, id)`, `ALTER TABLE tag ADD COLUMN color TEXT`, `DROP INDEX by_value`,
		} {
			if want := min(i, 1); count() != want {
				t.Errorf("before %s: %d rows, want %d", statement, count(), want)
			}
			change(statement)
		}
		if count() != 1 {
			t.Errorf("%d rows at the end, want 1", count())
		}
		if err := db.QueryRowContext(t.Context(), `SELECT nothing FROM tag`).Scan(new(string)); err == nil {
			t.Error("a query of no column succeeded")
		}
	})
}
