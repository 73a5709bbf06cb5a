package records_test

import (
	"testing"
	"time"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/records"
	"cairn/internal/sessions/sessionstest"
)

func TestRecordsOfEngines(t *testing.T) {
	t.Parallel()
	promise := func(t *testing.T, records, other engine.Records) {
		save := func(in engine.Records, id string, version int64, content string) int64 {
			t.Helper()
			var bytes []byte
			if content != "" {
				bytes = []byte(content)
			}
			next, err := in.Save(t.Context(), id, version, bytes)
			sessionstest.Check(t, err)
			return next
		}
		first := save(records, "a", 0, `{"n":1}`)
		if again := save(records, "a", 0, `{"n":2}`); first == 0 || again != 0 {
			t.Errorf("made as version %d, and once more as %d", first, again)
		}
		second := save(records, "a", first, `{"n":2}`)
		if late := save(records, "a", first, `{"n":3}`); second <= first || late != 0 {
			t.Errorf("version %d after %d; who was late wrote version %d", second, first, late)
		}
		if removed := save(records, "a", first, ""); removed != 0 {
			t.Error("a removal by who was late")
		}
		b := save(records, "b", 0, `{"b":1}`)
		versions, contents, err := records.Load(t.Context(), map[string]int64{"b": b, "gone": 7})
		sessionstest.Check(t, err)
		if len(versions) != 2 || versions["a"] != second || versions["b"] != b || len(contents) != 1 || string(contents["a"]) != `{"n":2}` {
			t.Errorf("loaded %v, %q", versions, contents)
		}
		if other != nil {
			if versions, _, err := other.Load(t.Context(), nil); err != nil || len(versions) != 0 {
				t.Errorf("another engine has %v, %v", versions, err)
			}
		}
		removed := save(records, "a", second, "")
		anew := save(records, "a", 0, `{}`)
		if removed <= second || anew <= second {
			t.Errorf("removed as version %d, made anew as %d, after %d", removed, anew, second)
		}
	}
	t.Run("in memory", func(t *testing.T) { promise(t, engine.NewMemory(), nil) })
	sqldbtest.EachAt(t, time.Now, func(t *testing.T, db *sqldb.DB) {
		promise(t, records.New(db, "hub"), records.New(db, "other"))
	})
}
