package audit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

var ada = audit.Actor{AccountID: "0198c0de-0000-7000-8000-00000000000a", Email: "ada@example.org"}

// clock is a time that tests move.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

func record(t *testing.T, db *sqldb.DB, events ...audit.Event) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *sqldb.Tx) error { return audit.RecordAll(audit.As(t.Context(), ada), tx, events) })
	if err != nil {
		t.Fatal(err)
	}
}

func starred(number int) audit.Event {
	id := fmt.Sprintf("0198c0de-0000-7000-8000-%012d", number)
	return audit.Event{Action: audit.StarEntry, Object: audit.Object{Type: audit.Entry, ID: id, Name: fmt.Sprint("Entry ", number)}}
}

// sealed records so many stars, each under a seal of its own, and returns the log.
func sealed(t *testing.T, db *sqldb.DB, clock *clock, count int) string {
	t.Helper()
	var log bytes.Buffer
	keeper := audit.NewKeeper(audit.NewStore(db), 0, slog.New(slog.NewJSONHandler(&log, nil)))
	for number := range count {
		record(t, db, starred(2*number), starred(2*number+1))
		clock.pass(time.Second)
		if err := keeper.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return log.String()
}

func verify(t *testing.T, db *sqldb.DB) []string {
	t.Helper()
	problems, err := audit.NewStore(db).Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

func execute(t *testing.T, db *sqldb.DB, statements ...string) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
		for _, statement := range statements {
			if _, err := tx.ExecContext(t.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestManipulationShows removes, changes, adds and reorders records and seals.
func TestManipulationShows(t *testing.T) {
	t.Parallel()
	const second = `(SELECT id FROM audit_record WHERE seal = 2 ORDER BY id LIMIT 1)`
	for name, c := range map[string]struct{ statement, want string }{
		"nothing":                  {`UPDATE audit_record SET actor = actor`, ""},
		"a record is removed":      {`DELETE FROM audit_record WHERE id = ` + second, "1 of them are missing"},
		"the newest is removed":    {`DELETE FROM audit_record WHERE seal = 3`, "Seal 3"},
		"an actor is changed":      {`UPDATE audit_record SET actor = 'eve@example.org' WHERE id = ` + second, "Seal 2"},
		"a time is changed":        {`UPDATE audit_record SET at = at + 1 WHERE id = ` + second, "Seal 2"},
		"changes are changed":      {`UPDATE audit_record SET changes = '{"a":{}}' WHERE id = ` + second, "Seal 2"},
		"a concern is added":       {`INSERT INTO audit_concern (whom, record_id) SELECT 'eve@example.org', id FROM audit_record WHERE id = ` + second, "Seal 2"},
		"a record is added":        {`INSERT INTO audit_record SELECT 'x', at, actor_id, actor, action, object_type, object_id, object_name, changes, address, request_id, seal FROM audit_record WHERE id = ` + second, "there are 3 now"},
		"two change places":        {`UPDATE audit_record SET seal = CASE seal WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE seal END`, "Seal 1"},
		"two change ids":           {`UPDATE audit_record SET object_id = CASE object_id WHEN '0198c0de-0000-7000-8000-000000000002' THEN '0198c0de-0000-7000-8000-000000000003' ELSE '0198c0de-0000-7000-8000-000000000002' END WHERE seal = 2`, "Seal 2"},
		"a seal is taken back":     {`UPDATE audit_record SET seal = 0 WHERE id = ` + second, "1 of them are missing"},
		"a seal is removed":        {`DELETE FROM audit_seal WHERE number = 2`, "Seals 2 to 2 of the audit are missing"},
		"a seal is changed":        {`UPDATE audit_seal SET at = at + 1 WHERE number = 2`, "Seal 2"},
		"another seal":             {`UPDATE audit_record SET seal = 9 WHERE id = ` + second, "under seal 9, which doesn't exist"},
		"the end is cut off":       {`DELETE FROM audit_seal WHERE number = 3`, "ends at seal 2, and should end at seal 3"},
		"the end isn't known":      {`DELETE FROM audit_head`, "0 rows in audit_head"},
		"retention is feigned":     {`UPDATE audit_head SET removed = 4`, "should end at seal 3"},
		"the first seals are gone": {`DELETE FROM audit_seal WHERE number < 3`, "Seals 1 to 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sqldbtest.EachAt(t, newClock().Now, func(t *testing.T, db *sqldb.DB) {
				sealed(t, db, newClock(), 3)
				execute(t, db, c.statement)
				problems := strings.Join(verify(t, db), "\n")
				if (c.want == "") != (problems == "") || !strings.Contains(problems, c.want) {
					t.Errorf("%q, want %q", problems, c.want)
				}
			})
		})
	}
}

// TestSealsFollowCommits commits a record with an early id after a later one was sealed.
func TestSealsFollowCommits(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		store := audit.NewStore(db)
		keeper := audit.NewKeeper(store, 0, slog.New(slog.DiscardHandler))
		record(t, db, starred(1))
		execute(t, db, `UPDATE audit_inbox SET id = 'z'`)
		for range 2 {
			if err := keeper.Seal(t.Context()); err != nil {
				t.Fatal(err)
			}
			record(t, db, starred(2)) // its id is smaller than z
		}
		var seals []int64
		rows, err := db.QueryContext(t.Context(), `SELECT seal, id FROM audit_record UNION ALL SELECT 0, id FROM audit_inbox ORDER BY 2`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var seal int64
			if err := rows.Scan(&seal, new(string)); err != nil {
				t.Fatal(err)
			}
			seals = append(seals, seal)
		}
		if err := rows.Err(); err != nil || fmt.Sprint(seals) != "[2 0 1]" {
			t.Errorf("%v %v", seals, err)
		}
		if problems := verify(t, db); len(problems) > 0 {
			t.Error(problems)
		}
	})
}

// TestServersOfTheVersionBeforeAreSealedToo seals records that were put into their place without a seal.
func TestServersOfTheVersionBeforeAreSealedToo(t *testing.T) {
	t.Parallel()
	clock := newClock()
	sqldbtest.EachAt(t, clock.Now, func(t *testing.T, db *sqldb.DB) {
		record(t, db, starred(1), starred(2))
		const columns = `id, at, actor_id, actor, action, object_type, object_id, object_name, changes, address, request_id`
		execute(t, db, `INSERT INTO audit_record (`+columns+`) SELECT `+columns+` FROM audit_inbox ORDER BY id LIMIT 1`,
			`INSERT INTO audit_concern (whom, record_id) SELECT 'bob@example.org', id FROM audit_record`,
			`DELETE FROM audit_inbox WHERE id IN (SELECT id FROM audit_record)`)
		sealed(t, db, clock, 1)
		found, total, err := audit.NewStore(db).Find(t.Context(), audit.Query{}, 0, 10)
		if err != nil || total != 4 || !found[3].Sealed {
			t.Errorf("%+v %d %v", found, total, err)
		}
		if problems := verify(t, db); len(problems) > 0 {
			t.Error(problems)
		}
	})
}

// TestOneServerSeals lets a second server seal only once the first has stopped.
func TestOneServerSeals(t *testing.T) {
	t.Parallel()
	clock := newClock()
	sqldbtest.EachAt(t, clock.Now, func(t *testing.T, db *sqldb.DB) {
		var logs [2]bytes.Buffer
		var keepers [2]*audit.Keeper
		for i := range keepers {
			keepers[i] = audit.NewKeeper(audit.NewStore(db), 0, slog.New(slog.NewTextHandler(&logs[i], nil)))
		}
		seal := func(who int) {
			t.Helper()
			record(t, db, starred(1))
			if err := keepers[who].Seal(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		seal(0)
		seal(1)
		if logs[1].Len() > 0 {
			t.Errorf("the second server sealed: %s", &logs[1])
		}
		seal(0)
		clock.pass(time.Second)
		seal(1)
		if lines := strings.Count(logs[0].String(), "audit=true"); lines != 3 {
			t.Errorf("%d lines: %s", lines, &logs[0])
		}
		if lines := strings.Count(logs[1].String(), "audit=true"); lines != 1 {
			t.Errorf("%d lines: %s", lines, &logs[1])
		}
		if problems := verify(t, db); len(problems) > 0 {
			t.Error(problems)
		}
	})
}

func TestRetentionLeavesACheckpoint(t *testing.T) {
	t.Parallel()
	clock := newClock()
	sqldbtest.EachAt(t, clock.Now, func(t *testing.T, db *sqldb.DB) {
		store := audit.NewStore(db)
		begun := clock.Now()
		sealed(t, db, clock, 5)
		if err := store.Remove(t.Context(), begun); err != nil {
			t.Fatal(err)
		}
		if _, total, err := store.Find(t.Context(), audit.Query{}, 0, 10); err != nil || total != 10 {
			t.Fatalf("%d %v", total, err)
		}
		for left := 6; left >= 0; left -= 2 {
			if err := store.Remove(t.Context(), begun.Add(time.Duration(11-left)*time.Second/2)); err != nil {
				t.Fatal(err)
			}
			if _, total, err := store.Find(t.Context(), audit.Query{}, 0, 10); err != nil || total != left {
				t.Fatalf("%d %v, want %d", total, err, left)
			}
			if problems := verify(t, db); len(problems) > 0 {
				t.Fatal(problems)
			}
		}
		sealed(t, db, clock, 1)
		if problems := verify(t, db); len(problems) > 0 {
			t.Fatal(problems)
		}
		execute(t, db, `UPDATE audit_seal SET hash = 'x' WHERE number = 5`)
		if problems := verify(t, db); len(problems) != 1 || !strings.Contains(problems[0], "Seal 6") {
			t.Errorf("%v", problems)
		}
	})
}

// TestWhatIsNotPublicIsNotStored writes a canary wherever something private or secret could be stored.
func TestWhatIsNotPublicIsNotStored(t *testing.T) {
	t.Parallel()
	const canary = "canary-4f1d"
	db := sqldbtest.SQLite(t, time.Now)
	private := audit.Object{Type: audit.Entry, ID: "e", Name: canary, Private: true}
	public := audit.Object{Type: audit.Entry, ID: "e", Name: "An entry"}
	record(t, db, audit.Event{Action: audit.EditEntry, Object: private, Changes: []audit.Change{
		{Column: "resource.name", Old: canary, New: canary + "2"},
		{Column: "resource_tag.tag_id", New: []string{canary}},
		{Column: "project_dataset.resource_id", Old: []string{canary}},
		{Column: "resource.privacy", Old: "PUBLIC", New: "PRIVATE"},
	}}, audit.Event{Action: audit.EditEntry, Object: public, Changes: []audit.Change{
		{Column: "session_access.digest", New: canary}, {Column: "meta.value", Old: canary}, {Column: "session.idempotency_key", New: canary},
	}})
	var log bytes.Buffer
	if err := audit.NewKeeper(audit.NewStore(db), 0, slog.New(slog.NewJSONHandler(&log, nil))).Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, _, err := audit.NewStore(db).Find(t.Context(), audit.Query{}, 0, 10)
	if err != nil || len(found) != 2 {
		t.Fatalf("%v %v", found, err)
	}
	if text := fmt.Sprintf("%+v", found) + log.String(); strings.Contains(text, canary) {
		t.Error(text)
	}
	edited := found[1].Changes
	if edited["privacy"] != (audit.ChangedValue{Old: "PUBLIC", New: "PRIVATE"}) || edited["name"] != (audit.ChangedValue{Secret: true}) || len(edited) != 4 {
		t.Errorf("%+v", edited)
	}
	for _, column := range []string{"resource.created_at", "resource.nothing", "nothing"} {
		err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
			return audit.Record(t.Context(), tx, audit.Event{Object: public, Changes: []audit.Change{{Column: column, New: 1}}})
		})
		if err == nil {
			t.Errorf("%s is recorded", column)
		}
	}
}

// TestEveryColumnIsClassified fails for a new column until classes decide about it.
func TestEveryColumnIsClassified(t *testing.T) {
	t.Parallel()
	db := sqldbtest.SQLite(t, time.Now)
	rows, err := db.QueryContext(t.Context(), `SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'goose_db_version'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	there := map[string]bool{}
	for _, kind := range []string{"entries", "projects", "accounts", "grants", "stars", "sessions"} {
		there["import."+kind] = true
	}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		there[table+"."+column] = true
		if !audit.Classified(table + "." + column) {
			t.Errorf("%s.%s isn't in columns.go: say what is stored of its changes", table, column)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, name := range audit.ClassifiedColumns() {
		if !there[name] {
			t.Errorf("%s is in columns.go, and not in the database", name)
		}
	}
}

// A change that is rolled back leaves no record, and a request without a caller can't make one.
func TestRecordsBelongToTheirTransaction(t *testing.T) {
	t.Parallel()
	db := sqldbtest.SQLite(t, time.Now)
	failed := errors.New("refused")
	err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
		if err := audit.Record(t.Context(), tx, starred(1)); err != nil {
			return err
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Fatal(err)
	}
	observe(t.Context(), func(ctx context.Context) {
		if err := db.Write(ctx, func(tx *sqldb.Tx) error { return audit.Record(ctx, tx, starred(1)) }); err == nil {
			t.Error("a change by nobody was recorded")
		}
	})
	if _, total, err := audit.NewStore(db).Find(t.Context(), audit.Query{}, 0, 1); err != nil || total != 0 {
		t.Errorf("%d %v", total, err)
	}
}
