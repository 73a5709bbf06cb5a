package app

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/app/commands"
	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/app/transfer"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// changingReads are GETs that change something.
var changingReads = []string{"start-project", "resume-session"}

// auditedFirst are requests without which another one would change nothing, or be refused.
var auditedFirst = map[string]matrixRow{
	"DELETE /resources/{private}/star":          {method: "PUT", path: "/resources/{private}/star"},
	"DELETE /operator/entries/{public}/reports": {method: "POST", path: "/resources/{public}/reports", body: `{"reason":"Not data."}`},
	"DELETE /operator/entries/{public}":         {method: "PATCH", path: "/operator/entries/{public}", body: `{"hidden":true,"reason":"Spam."}`},
	"PUT /account/connections/git":              {method: "POST", path: "/account/connections/git", body: `{"token":"x"}`},
	"DELETE /account/connections/git":           {method: "POST", path: "/account/connections/git", body: `{"token":"x"}`},
	"PATCH /sessions/{session}?status=CREATED":  {method: "PATCH", path: "/sessions/{session}?status=TERMINATED"},
}

// auditedToo are requests that the matrix of rights doesn't need, because there they are always refused.
var auditedToo = []matrixRow{
	{operation: "leave-resource", method: "DELETE", path: "/resources/{shared}/authors/me"},
	{operation: "change-session", method: "PATCH", path: "/sessions/{session}?status=CREATED"},
}

var ticketPattern = regexp.MustCompile(`ticket=(\w+)`)

// settled are the operations that change nothing once one has succeeded: the run is under way or has ended, the workshop is open, the hand is down.
var settled = []string{"start-run", "stop-run", "open-workshop", "lower-hand", "withdraw-entry-version"}

// onTheWay are the operations on files that somebody is sending, which nobody else sees: the entry that they become is recorded.
var onTheWay = []string{
	"create-upload", "get-upload", "continue-upload", "delete-upload", "describe-uploads", "cancel-upload-task",
	"publish-deposit", "retry-deposit", // recorded when they are done
	"describe-session", // makes a version only if there is none of the work as it is, and records that
}

// unchanged are the callers for whom an operation has nothing to change: owners needn't follow a link to their own session.
var unchanged = map[string]string{"follow-link": "owner"}

// TestEveryChangeLeavesOneRecord sends each call of the API document that changes something as everybody. One that succeeds
// leaves exactly one record, one that is refused none, and no record holds a secret or a private name.
func TestEveryChangeLeavesOneRecord(t *testing.T) {
	changing := changingOperations(t)
	succeeded := make(chan string, len(roles)*(len(matrix)+len(auditedToo)))
	t.Run("calls", func(t *testing.T) {
		for _, row := range slices.Concat(matrix, auditedToo) {
			if !changing[row.operation] {
				continue
			}
			t.Run(row.method+" "+row.path+" "+row.body, func(t *testing.T) {
				t.Parallel()
				world := newMatrixWorld(t)
				world.shareEntry()
				done := false
				for _, role := range roles {
					world.request(role, matrixRow{method: "GET", path: "/accounts/me"}) // the account is added
					if first, needed := auditedFirst[row.method+" "+row.path]; needed {
						world.request(role, first)
					}
					status, body := world.request(role, row)
					want := 0
					if status < 400 && unchanged[row.operation] != role && (!done || !slices.Contains(settled, row.operation)) {
						done, want = true, 1
						succeeded <- row.operation
					}
					if got := world.records(); len(got) != want {
						t.Errorf("%s: %d left %d records, want %d: %v %s", role, status, len(got), want, got, body)
					}
					canaries := []string{world.tokens[role], "A private entry", "Hidden data", "A project of the owner"}
					for _, ticket := range ticketPattern.FindAllStringSubmatch(body, -1) {
						canaries = append(canaries, ticket[1])
					}
					world.expectNone(canaries...)
				}
			})
		}
	})
	close(succeeded)
	for operation := range succeeded {
		delete(changing, operation)
	}
	for operation := range changing {
		t.Errorf("%s changes something, and no call of it here succeeds: whether it leaves a record isn't known", operation)
	}
}

// changingOperations reads the API document.
func changingOperations(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	changing := map[string]bool{}
	for _, methods := range document.Paths {
		for method, operation := range methods {
			if (method != "get" || slices.Contains(changingReads, operation.OperationID)) && !slices.Contains(onTheWay, operation.OperationID) {
				changing[operation.OperationID] = true
			}
		}
	}
	return changing
}

// shareEntry adds an entry of the author's with another author, who can leave it.
func (w *matrixWorld) shareEntry() {
	w.t.Helper()
	_, body := w.request("author", matrixRow{
		method: "POST", path: "/resources", body: `{"type":"MODEL","name":"Shared","applicationInterfaceId":"m","authors":["owner@example.org"]}`,
	})
	var made listed
	if err := json.Unmarshal([]byte(body), &made); err != nil || made.ID == "" {
		w.t.Fatal(body)
	}
	w.shared = made.ID
}

// records returns the actions that the last request recorded.
func (w *matrixWorld) records() []string {
	w.t.Helper()
	return actions(w.t, w.db, ` WHERE request_id = '`+w.last+`'`)
}

func actions(t *testing.T, db *sqldb.DB, where string) (found []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT action FROM audit_record`+where+` UNION ALL SELECT action FROM audit_inbox`+where+` ORDER BY action`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var action string
		if err := rows.Scan(&action); err != nil {
			t.Fatal(err)
		}
		found = append(found, action)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// expectNone fails if an audit table holds one of the texts.
func (w *matrixWorld) expectNone(texts ...string) {
	w.t.Helper()
	snapshot, err := w.db.Snapshot(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	defer snapshot.Close()
	var all strings.Builder
	for _, table := range []string{"audit_inbox", "audit_record", "audit_concern"} {
		if err := snapshot.WriteTable(w.t.Context(), table, &all, nil); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, text := range texts {
		if text != "" && strings.Contains(all.String(), text) {
			w.t.Errorf("%q is stored: %s", text, all.String())
		}
	}
}

// recorded returns what commands recorded in the database of a configuration.
func recorded(t *testing.T, settings config.Config) (found []string) {
	t.Helper()
	err := installation.WithDatabase(t.Context(), settings, func(db *sqldb.DB) error {
		found = actions(t, db, ` WHERE actor = '`+audit.Command+`' AND actor_id = ''`)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestCommandsLeaveRecords runs the commands that change something. Those that are refused leave none, an import one.
func TestCommandsLeaveRecords(t *testing.T) {
	t.Parallel()
	settings := config.Default()
	settings.Data = t.TempDir()
	lines := func(name, text string) []string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{path}
	}
	var want []string
	step := func(name string, work func(ctx context.Context) error, refused bool, actions ...audit.Action) {
		t.Helper()
		if err := work(t.Context()); (err != nil) != refused {
			t.Fatalf("%s: %v", name, err)
		}
		for _, action := range actions {
			want = append(want, string(action))
		}
		slices.Sort(want)
		if got := recorded(t, settings); !slices.Equal(got, want) {
			t.Fatalf("%s: recorded %v, want %v", name, got, want)
		}
	}
	step("a faulty import", func(ctx context.Context) error {
		return transfer.Import(ctx, settings, lines("a.jsonl", `{"kind":"resource"}`), nil)
	}, true)
	step("an import", func(ctx context.Context) error {
		return transfer.Import(ctx, settings, lines("a.jsonl", matrixCatalog), nil)
	}, false, audit.ImportCatalog)
	step("promoting", func(ctx context.Context) error {
		return commands.ChangeAccounts(ctx, settings, commands.PromoteAccount, []string{"ada@example.org"}, io.Discard)
	}, false, audit.DecideAccount)
	step("no address", func(ctx context.Context) error {
		return commands.ChangeAccounts(ctx, settings, commands.PromoteAccount, []string{"ada"}, io.Discard)
	}, true)
	var id string
	err := installation.WithDatabase(t.Context(), settings, func(db *sqldb.DB) error {
		return db.QueryRowContext(t.Context(), `SELECT id FROM resource WHERE external_id = 'public'`).Scan(&id)
	})
	if err != nil {
		t.Fatal(err)
	}
	change := func(change commands.EntryChange) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			return commands.ChangeEntries(ctx, settings, change, []string{id}, io.Discard)
		}
	}
	remove := func(ctx context.Context) error {
		return commands.DeleteEntries(ctx, settings, []string{id}, io.Discard)
	}
	step("featuring", change(commands.FeatureEntry(true)), false, audit.CurateEntry)
	step("deleting what isn't hidden", remove, true)
	step("hiding without a reason", change(commands.HideEntry("")), true)
	step("hiding", change(commands.HideEntry("Spam.")), false, audit.CurateEntry)
	step("deleting", remove, false, audit.EraseEntry)
	step("stopping no session", func(ctx context.Context) error {
		return commands.StopSessions(ctx, settings, []string{sqldb.NewID()}, "Why not.", io.Discard)
	}, true)
}

// TestAuditIsRead reads records page by page, searches them, and exports them as lines of JSON.
func TestAuditIsRead(t *testing.T) {
	t.Parallel()
	world := newMatrixWorld(t)
	read := func(role, path string, want int) (page struct {
		Content       []audit.AuditRecord
		TotalElements int
	},
	) {
		t.Helper()
		status, body := world.request(role, matrixRow{method: "GET", path: path})
		if status != 200 {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil || len(page.Content) != want {
			t.Fatalf("%s: %v, %d records, want %d: %s", path, err, len(page.Content), want, body)
		}
		return page
	}
	world.request("author", matrixRow{method: "PUT", path: "/resources/{public}/star"})
	star := read("operator", "/operator/audit?actor=AUTHOR@example.org&action=entry.star", 1).Content[0]
	if star.ObjectName != "A public entry" || star.Address != "127.0.0.1" || star.RequestID == "" || star.Sealed {
		t.Errorf("%+v", star)
	}
	all := read("operator", "/operator/audit?pageSize=100", read("operator", "/operator/audit?pageSize=1", 1).TotalElements)
	second := read("operator", "/operator/audit?pageSize=1&pageNumber=1", 1)
	if second.Content[0].ID != all.Content[1].ID {
		t.Errorf("the second page has %+v", second.Content[0])
	}
	read("operator", "/operator/audit?to=2020-01-01", 0)
	read("operator", "/operator/audit?from=2020-01-01T00:00:00Z&object="+star.ObjectID, 1)
	for _, mine := range read("stranger", "/account/activity", 2).Content {
		if mine.Action != audit.AddAccount && mine.Action != audit.DecideAccount {
			t.Errorf("a stranger reads %+v", mine)
		}
	}
	_, lines := world.request("operator", matrixRow{method: "GET", path: "/operator/audit?format=ndjson"})
	var exported []string
	for line := range strings.Lines(lines) {
		var one audit.AuditRecord
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		exported = append(exported, one.ID)
	}
	if last := len(exported) - 1; last+1 < len(all.Content) || exported[last] == "" || exported[0] != all.Content[len(all.Content)-1].ID {
		t.Errorf("%d lines, the first %s", len(exported), exported[0])
	}
	if status, body := world.request("operator", matrixRow{method: "GET", path: "/operator/audit?action=nothing"}); status != 422 || !strings.Contains(body, "entry.edit") {
		t.Errorf("%d %s", status, body)
	}
}

// TestTheDemoPrintsNoRecords keeps what a demo prints for people in sight.
func TestTheDemoPrintsNoRecords(t *testing.T) {
	t.Parallel()
	for demo, wanted := range map[bool]bool{false: true, true: false} {
		db := sqldbtest.SQLite(t, time.Now)
		event := audit.Event{Action: audit.StarEntry, Object: audit.Object{Type: audit.Entry, ID: "e", Name: "An entry"}}
		if err := db.Write(t.Context(), func(tx *sqldb.Tx) error { return audit.Record(t.Context(), tx, event) }); err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		p := &program{db: db, config: config.Config{Demo: demo}, logger: slog.New(slog.NewTextHandler(&log, nil))}
		if err := p.newKeeper().Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(log.String(), "audit=true") != wanted {
			t.Errorf("demo %t: %q", demo, &log)
		}
	}
}
