package sqldb_test

import (
	"errors"
	"testing"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func TestServersThatMustBeAloneAre(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		attach := func(alone bool) func() error {
			t.Helper()
			detach, err := db.Attach(t.Context(), alone)
			if err != nil {
				t.Fatal(err)
			}
			return detach
		}
		detach := func(one func() error) {
			t.Helper()
			if err := one(); err != nil {
				t.Error(err)
			}
		}
		first, second := attach(false), attach(false)
		expectAttached(t, db, true)
		detach(first)
		expectAttached(t, db, true)
		detach(second)
		alone := attach(true)
		expectAttached(t, db, true)
		expectAttached(t, db, false)
		waiting := make(chan error, 1)
		go func() {
			next, err := db.Attach(t.Context(), true)
			if err == nil {
				err = next()
			}
			waiting <- err
		}()
		detach(alone)
		if err := <-waiting; err != nil {
			t.Errorf("who waited: %v", err)
		}
	})
}

// expectAttached tries once, while another server is in the way.
func expectAttached(t *testing.T, db *sqldb.DB, alone bool) {
	t.Helper()
	if _, err := db.AttachOnce(t.Context(), alone); !errors.Is(err, sqldb.ErrAttached) {
		t.Errorf("alone %t: %v", alone, err)
	}
}
