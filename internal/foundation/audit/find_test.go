package audit_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// observe calls fn in the context of a request.
func observe(ctx context.Context, fn func(ctx context.Context)) {
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { fn(r.Context()) })
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", http.NoBody)
	request.RemoteAddr = "192.0.2.7:4711"
	httpapi.Observe(slog.New(slog.DiscardHandler), time.Now, nil, handler).ServeHTTP(httptest.NewRecorder(), request)
}

// TestFind searches by actor, object, action and time.
func TestFind(t *testing.T) {
	t.Parallel()
	clock := newClock()
	sqldbtest.EachAt(t, clock.Now, func(t *testing.T, db *sqldb.DB) {
		begun := clock.Now()
		execute(t, db, `INSERT INTO account (id, issuer, subject, email, name, created_at, updated_at) VALUES ('`+ada.AccountID+`', 'i', 's', 'ada@example.org', 'Ada Lovelace', 1, 1)`)
		record(t, db, starred(1))
		clock.pass(time.Minute)
		bob := audit.Actor{AccountID: "0198c0de-0000-7000-8000-00000000000b", Email: "bob@example.org"}
		observe(audit.As(t.Context(), bob), func(ctx context.Context) {
			err := db.Write(ctx, func(tx *sqldb.Tx) error {
				return audit.RecordAll(ctx, tx, []audit.Event{
					{Action: audit.StopSession, Object: audit.Object{Type: audit.Session, ID: "s", Private: true}, Concerns: []string{ada.Email}},
					{Action: audit.DeleteSession, Object: audit.Object{Type: audit.Session, ID: "s,t"}, Also: []string{"0198c0de-0000-7000-8000-0000000000aa"}},
					{Action: audit.EditEntry, Object: audit.Object{Type: audit.Entry, ID: "e"}, Concerns: []string{ada.Email}},
				})
			})
			if err != nil {
				t.Fatal(err)
			}
		})
		clock.pass(time.Minute)
		if err := db.Write(t.Context(), func(tx *sqldb.Tx) error { return audit.Record(t.Context(), tx, starred(2)) }); err != nil {
			t.Fatal(err)
		}
		store := audit.NewStore(db)
		t.Run("waiting", func(t *testing.T) { testFind(t, store, begun, bob, false) })
		if err := audit.NewKeeper(store, 0, slog.New(slog.DiscardHandler)).Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Run("sealed", func(t *testing.T) { testFind(t, store, begun, bob, true) })
	})
}

func testFind(t *testing.T, store *audit.Store, begun time.Time, bob audit.Actor, sealed bool) {
	t.Helper()
	for name, c := range map[string]struct {
		query audit.Query
		want  int
	}{
		"everything":        {audit.Query{}, 5},
		"an e-mail address": {audit.Query{Actor: "ADA@example.org"}, 1},
		"an account's id":   {audit.Query{Actor: bob.AccountID}, 3},
		"a name":            {audit.Query{Actor: "Ada Lovelace"}, 1},
		"a part of a name":  {audit.Query{Actor: "Ada"}, 0},
		"a command":         {audit.Query{Actor: audit.Command}, 1},
		"an object's name":  {audit.Query{Object: "Entry 2"}, 1},
		"an object's id":    {audit.Query{Object: "0198C0DE-0000-7000-8000-000000000001"}, 1},
		"one of several":    {audit.Query{Object: "0198c0de-0000-7000-8000-0000000000aa"}, 1},
		"whom it concerns":  {audit.Query{Object: ada.Email}, 0},
		"an action":         {audit.Query{Action: audit.StarEntry}, 2},
		"from":              {audit.Query{From: begun.Add(time.Minute)}, 4},
		"to":                {audit.Query{To: begun.Add(time.Minute)}, 1},
		"all conditions":    {audit.Query{Actor: bob.Email, Action: audit.EditEntry, Object: "e", From: begun, To: begun.Add(time.Hour)}, 1},
	} {
		found, total, err := store.Find(t.Context(), c.query, 0, 100)
		if err != nil || total != c.want || len(found) != c.want {
			t.Errorf("%s: %d of %d %v, want %d", name, len(found), total, err, c.want)
		}
	}
	found, _, err := store.Find(t.Context(), audit.Query{Actor: bob.Email}, 0, 1)
	if err != nil || found[0].Address != "192.0.2.7" || found[0].RequestID == "" || found[0].Sealed != sealed {
		t.Errorf("%+v %v", found, err)
	}
	var order []string
	err = store.ForEachRecord(t.Context(), audit.Query{Action: audit.StarEntry}, func(r audit.AuditRecord) error {
		order = append(order, r.ObjectName)
		return nil
	})
	if err != nil || fmt.Sprint(order) != "[Entry 1 Entry 2]" {
		t.Errorf("%v %v", order, err)
	}

	mine, total, err := store.Activity(t.Context(), ada, 0, 10)
	if err != nil || total != 3 {
		t.Fatalf("%d %v", total, err)
	}
	for _, r := range mine[:2] {
		if r.Address != "" || r.RequestID != "" {
			t.Errorf("the address of somebody else: %+v", r)
		}
	}
	if mine[0].Actor != bob.Email || mine[1].Actor != audit.Operators || mine[2].Actor != ada.Email {
		t.Errorf("%+v", mine)
	}
}

// TestActivityNamesOwnThings shows people the names of their own sessions, projects and entries, which records don't have.
func TestActivityNamesOwnThings(t *testing.T) {
	t.Parallel()
	db := sqldbtest.SQLite(t, time.Now)
	execute(t, db,
		`INSERT INTO account (id, issuer, subject, email, name, created_at, updated_at) VALUES ('`+ada.AccountID+`', 'i', 's', 'ada@example.org', '', 1, 1)`,
		`INSERT INTO session (id, name, account_id, owner_email, project_id, holds, engine, status, status_reason, requested, idempotency_key, launched_at, created_at, updated_at)
			VALUES ('mine', 'My session', '`+ada.AccountID+`', 'ada@example.org', '', '{}', '', '', '', '', '', 0, 1, 1)`)
	session := func(id string) audit.Event {
		return audit.Event{Action: audit.StartSession, Object: audit.Object{Type: audit.Session, ID: id, Private: true}}
	}
	record(t, db, session("mine"), session("gone"))
	found, _, err := audit.NewStore(db).Activity(t.Context(), ada, 0, 10)
	if err != nil || len(found) != 2 || found[1].ObjectName != "My session" || found[0].ObjectName != "" {
		t.Errorf("%+v %v", found, err)
	}
	all, _, err := audit.NewStore(db).Find(t.Context(), audit.Query{}, 0, 10)
	if err != nil || all[1].ObjectName != "" {
		t.Errorf("operators read %q %v", all[1].ObjectName, err)
	}
}
