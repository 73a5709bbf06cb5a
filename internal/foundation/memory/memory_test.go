package memory

import (
	"testing"
	"time"
)

// world is a cache for two values and its clock.
type world struct {
	*Cache[string, int]

	t   *testing.T
	now time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, now: time.Unix(1000, 0)}
	w.Cache = New[string, int](2, func() time.Time { return w.now })
	return w
}

func (w *world) later() time.Time { return w.now.Add(time.Minute) }

func (w *world) put(key string, value int, until time.Time) {
	_, generation, _ := w.Get(key)
	w.Put(key, value, until, generation)
}

func (w *world) want(key string, want int) {
	w.t.Helper()
	if got, _, ok := w.Get(key); got != want || ok != (want > 0) {
		w.t.Errorf("%s is %d, %t; want %d", key, got, ok, want)
	}
}

func TestValuesEndWithTheirTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("short", 1, w.now.Add(time.Second))
	w.put("long", 2, w.now.Add(time.Minute))
	w.want("short", 1)
	w.now = w.now.Add(time.Second)
	w.want("short", 0)
	w.put("never", 3, time.Time{})
	w.want("never", 0)
	w.put("long", 2, w.now.Add(time.Minute))
	w.want("long", 2)
}

// One value too many costs the one that was used longest ago, not all of them.
func TestAFullCacheDropsWhatWasUsedLongestAgo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a", 1, w.later())
	w.put("b", 2, w.later())
	w.want("a", 1)
	w.put("c", 3, w.later())
	w.want("a", 1)
	w.want("b", 0)
	w.want("c", 3)
}

// What was read before everything was forgotten must not come back.
func TestLateReadsAreNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a", 1, w.later())
	_, generation, _ := w.Get("b")
	w.Forget()
	w.Put("b", 2, w.later(), generation)
	w.want("a", 0)
	w.want("b", 0)
	w.put("b", 3, w.later())
	w.want("b", 3)
}
