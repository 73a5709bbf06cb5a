package catalog

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// clock is a clock that a test sets.
type clock struct{ micros atomic.Int64 }

func (c *clock) set(at time.Time) { c.micros.Store(at.UnixMicro()) }

func (c *clock) now() time.Time { return time.UnixMicro(c.micros.Load()).UTC() }

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time {
	return noon.Add(time.Duration(seconds * float64(time.Second))).Round(time.Microsecond)
}

// harvest is a catalog that is harvested while somebody writes.
type harvest struct {
	*Store

	t     *testing.T
	db    *sqldb.DB
	clock *clock
	id    string
}

func eachHarvest(t *testing.T, test func(h harvest)) {
	t.Helper()
	own := &clock{}
	sqldbtest.EachAt(t, own.now, func(t *testing.T, db *sqldb.DB) {
		own.set(at(0.2))
		h := harvest{Store: NewStore(db), t: t, db: db, clock: own}
		made, err := h.Create(t.Context(), Entry{Type: Model, Name: "Spikes", Privacy: PrivacyPublic, ApplicationInterfaceID: "x", Authors: []string{"a@example.org"}})
		if err != nil {
			t.Fatal(err)
		}
		h.id = made.IDs[0]
		test(h)
	})
}

// change changes the entry, and calls back when the change has its stamp and isn't committed.
func (h harvest) change(stamped func()) {
	h.t.Helper()
	err := h.db.Write(h.t.Context(), func(tx *sqldb.Tx) error {
		err := noteAppearances(h.t.Context(), tx, h.id)
		stamped()
		return err
	})
	if err != nil {
		h.t.Error(err)
	}
}

func (h harvest) settled() time.Time {
	h.t.Helper()
	found, err := h.Settled(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}

// stamps returns when the entry changed last, if that is in the query.
func (h harvest) stamps(query AppearanceQuery) []time.Time {
	h.t.Helper()
	query.Limit = 10
	found, err := h.Appearances(h.t.Context(), query)
	if err != nil {
		h.t.Fatal(err)
	}
	var stamps []time.Time
	for _, one := range found {
		stamps = append(stamps, one.Stamp)
	}
	return stamps
}

// TestAHarvestBetweenAStampAndItsCommitMissesNothing lets a harvest come while a change has its stamp and nobody sees it.
func TestAHarvestBetweenAStampAndItsCommitMissesNothing(t *testing.T) {
	t.Parallel()
	eachHarvest(t, func(h harvest) {
		var said time.Time
		h.clock.set(at(5.9))
		h.change(func() {
			h.clock.set(at(6.05))
			said = h.settled() // from another connection, as another server has one
			if seen := h.stamps(AppearanceQuery{}); !slices.Equal(seen, []time.Time{at(0.2)}) {
				h.t.Fatalf("others see %v of a change that isn't committed", seen)
			}
		})
		if seen := h.stamps(AppearanceQuery{From: said}); len(seen) != 1 || !seen[0].Equal(at(5.9)) {
			h.t.Errorf("a harvest of what came after %v finds %v", said, seen)
		}
		if seen := h.stamps(AppearanceQuery{Until: said.Add(time.Second - time.Microsecond)}); len(seen) > 0 {
			h.t.Errorf("%v appeared in a second that was said to be over", seen)
		}
		if said = h.settled(); !said.Equal(at(6)) {
			h.t.Errorf("when nobody writes, %v is over", said)
		}
	})
}

// TestWhatASecondHadIsComplete changes the entry in the second of a harvest, once by a server whose clock is slow.
func TestWhatASecondHadIsComplete(t *testing.T) {
	t.Parallel()
	eachHarvest(t, func(h harvest) {
		for i, clocks := range [][2]float64{{10.3, 10.4}, {20.3, 17.1}, {30.3, 30.3}} {
			h.clock.set(at(clocks[0]))
			said := h.settled()
			if again := h.settled(); !said.Equal(at(clocks[0]-0.3)) || !again.Equal(said) {
				h.t.Errorf("%d: %v and %v are over", i, said, again)
			}
			h.clock.set(at(clocks[1]))
			h.change(func() {})
			if seen := h.stamps(AppearanceQuery{Until: said.Add(time.Second - time.Microsecond)}); len(seen) > 0 {
				h.t.Errorf("%d: %v appeared in a second that was over", i, seen)
			}
			if seen := h.stamps(AppearanceQuery{From: said.Add(time.Second)}); len(seen) != 1 {
				h.t.Errorf("%d: afterwards there is %v", i, seen)
			}
		}
	})
}

// TestStampsAscendInTheOrderOfCommits lets many transactions write at once, while somebody reads what came after the last
// stamp that they have seen: they see each change of the last one of all entries.
func TestStampsAscendInTheOrderOfCommits(t *testing.T) {
	t.Parallel()
	eachHarvest(t, func(h harvest) {
		ids := []string{h.id}
		for i := range 7 {
			made, err := h.Create(h.t.Context(), Entry{Type: Model, Name: fmt.Sprint("Model ", i), Privacy: PrivacyPublic, ApplicationInterfaceID: "x", Authors: []string{"a@example.org"}})
			if err != nil {
				h.t.Fatal(err)
			}
			ids = append(ids, made.IDs...)
		}
		written := make(chan error, len(ids))
		for _, id := range ids {
			go func() {
				var err error
				for range 10 {
					if err == nil {
						err = h.db.Write(h.t.Context(), func(tx *sqldb.Tx) error { return noteAppearances(h.t.Context(), tx, id) })
					}
				}
				written <- err
			}()
		}
		seen, place := map[string]time.Time{}, Appearance{}
		read := func() {
			list, err := h.Appearances(context.WithoutCancel(h.t.Context()), AppearanceQuery{After: place, Limit: 3})
			if err != nil {
				h.t.Error(err)
			}
			for _, one := range list {
				if place.ID != "" && !one.Stamp.After(place.Stamp) {
					h.t.Errorf("%v comes after %v", one.Stamp, place.Stamp)
				}
				place, seen[one.ID] = one, one.Stamp
			}
		}
		for left := len(ids); left > 0; {
			select {
			case err := <-written:
				if left--; err != nil {
					h.t.Error(err)
				}
			default:
				read()
			}
		}
		for range 2 * len(ids) {
			read()
		}
		for _, id := range ids {
			if last, _, err := h.AppearanceOf(h.t.Context(), id); err != nil || !last.Stamp.Equal(seen[id]) {
				h.t.Errorf("the last change of %s is of %v, and %v was read: %v", id, last.Stamp, seen[id], err)
			}
		}
	})
}
