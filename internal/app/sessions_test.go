package app

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/app/commands"
	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
)

func TestPurgeAsksForTheDeletionOfWhatIsKeptLongEnough(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	settings := config.Default()
	settings.Data = t.TempDir()
	var out strings.Builder
	if err := commands.PurgeSessions(ctx, settings, false, &out); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "sessions.keep is not set") {
		t.Errorf("without sessions.keep: %v", err)
	}
	settings.Sessions.Keep = "1h"
	if err := commands.PurgeSessions(ctx, settings, false, &out); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a keep that is too short: %v", err)
	}
	settings.Sessions.Keep = "30d"
	past := time.Now().Add(-40 * 24 * time.Hour)
	write := func(at time.Time, names map[string]sessions.Status) {
		db, err := sqldb.Open(ctx, "sqlite:"+filepath.Join(settings.Data, "cairn.db"), func() time.Time { return at })
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		account, err := identity.NewStore(db).See(ctx, "issuer", "ada", "ada@example.org", "Ada")
		if err != nil {
			t.Fatal(err)
		}
		for name, status := range names {
			err := db.Write(ctx, func(tx *sqldb.Tx) error {
				_, err := tx.ExecContext(ctx, `INSERT INTO session (id, name, account_id, owner_email, project_id, holds, engine, status, status_reason,
					requested, idempotency_key, launched_at, created_at, updated_at) VALUES ($1, $2, $3, 'ada@example.org', '', '{}', 'local', $4, '', '', '', 0, $5, $5)`,
					sqldb.NewID(), name, account.ID, status, sqldb.Micros(at))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	write(past, map[string]sessions.Status{"old and ended": sessions.Finished, "old and failed": sessions.Failed, "old and running": sessions.Running})
	write(time.Now(), map[string]sessions.Status{"ended lately": sessions.Terminated})
	for _, dryRun := range []bool{true, false} {
		out.Reset()
		if err := commands.PurgeSessions(ctx, settings, dryRun, &out); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, `"old and ended"`) || !strings.Contains(got, `"old and failed"`) || !strings.Contains(got, "2 sessions") {
			t.Errorf("dry run %t: %s", dryRun, got)
		}
	}
	listsAndStops(t, settings)
	if got := recorded(t, settings); !slices.Equal(got, []string{"session.delete", "session.delete", "session.stop"}) {
		t.Errorf("recorded: %v", got)
	}
	out.Reset()
	if err := commands.PurgeSessions(ctx, settings, false, &out); err != nil || out.String() != "0 sessions to be removed\n" {
		t.Errorf("again: %s, %v", out.String(), err)
	}
}

// listsAndStops uses the commands on a database with one session that runs.
func listsAndStops(t *testing.T, settings config.Config) {
	t.Helper()
	ctx := t.Context()
	var out strings.Builder
	if err := commands.ListSessions(ctx, settings, false, &out); err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Fatalf("%q, %v", out.String(), err)
	}
	line := strings.Fields(out.String())
	if line[1] != "ada@example.org" || line[2] != "local" || line[3] != "RUNNING" || strings.Contains(out.String(), "old and running") {
		t.Errorf("it prints %q", out.String())
	}
	if err := commands.StopSessions(ctx, settings, line[:1], " ", &out); fault.KindOf(err) != fault.Invalid {
		t.Errorf("with a blank reason: %v", err)
	}
	out.Reset()
	err := commands.StopSessions(ctx, settings, []string{"nobody's", line[0]}, "The machine is moved.", &out)
	if fault.KindOf(err) != fault.NotFound || !strings.HasPrefix(fault.MessageOf(err), "nobody's: ") {
		t.Errorf("a session that is not there: %v", err)
	}
	if !strings.Contains(out.String(), line[0]+" of ada@example.org is being stopped") {
		t.Errorf("the other one: %q", out.String())
	}
	out.Reset()
	if err := commands.ListSessions(ctx, settings, true, &out); err != nil || !strings.Contains(out.String(), "The operators stopped this session: The machine is moved.") {
		t.Errorf("%q, %v", out.String(), err)
	}
	out.Reset()
	if err := commands.StopSessions(ctx, settings, line[:1], "", &out); err != nil || !strings.Contains(out.String(), "is being stopped") {
		t.Errorf("again, without a reason: %q, %v", out.String(), err)
	}
}

// The API document says that a stop may be answered before it is done, and that the work is a zip file.
func TestDocumentDeclaresWhatSessionsAnswer(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]any
			}
		}
	}
	if err := json.Unmarshal(Document(), &document); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct{ path, method, status, kind string }{
		{"/api/v1/rf/sessions/{id}", "patch", "200", "application/json"},
		{"/api/v1/rf/sessions/{id}", "patch", "202", "application/json"},
		{"/api/v1/rf/sessions/{id}", "patch", "default", "application/problem+json"},
		{"/api/v1/rf/sessions/{id}/work.zip", "get", "200", "application/zip"},
	} {
		if document.Paths[want.path][want.method].Responses[want.status].Content[want.kind] == nil {
			t.Errorf("%s %s: no %s answer of %s is declared", want.method, want.path, want.status, want.kind)
		}
	}
}
