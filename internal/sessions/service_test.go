package sessions_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
)

func TestNamesOfSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Limit = 100
	for name, want := range map[string]string{
		"":                         "Session name is required",
		" \t\n\u00a0\u3000":        "Session name is required",
		"two\nlines":               "The session name must be one line of text without control characters.",
		"a\x00zero":                "The session name must be one line of text without control characters.",
		"a\x1b[31mcolour":          "The session name must be one line of text without control characters.",
		"next\u0085line":           "The session name must be one line of text without control characters.",
		"broken \xff text":         "The session name must be one line of text without control characters.",
		strings.Repeat("é", 201):   "The session name must be 1 to 200 characters.",
		strings.Repeat("🧠", 1<<10): "The session name must be 1 to 200 characters.",
	} {
		_, err := w.Server.Start(w.As(w.Ann), w.Projects["notes"], name, "", "", "")
		sessionstest.WantKind(t, err, fault.Invalid)
		if got := fault.MessageOf(err); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{
		strings.Repeat("🧠", 200), "  Spike sorting, day 2  ", "日本語のセッション", "جلسة", "</script><img src=x onerror=alert(1)>",
		"'; DROP TABLE session; --", "../../etc/passwd", "-rf",
	} {
		if got := w.Start(name).SessionName; got != strings.TrimSpace(name) {
			t.Errorf("%q became %q", name, got)
		}
	}
}

func TestStartWritesDownWhatTheSessionIsMadeOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Start("Spikes")
	if session.Status != sessions.Created || session.UserID != w.Ann.Email || session.Engine != "local" || !session.CreatedAt.Equal(w.Clock.Now()) {
		t.Errorf("got %+v", session)
	}
	holds := session.Project
	if holds.ID != w.Projects["notes"] || holds.Repository.Address != "https://github.com/example/tools.git" || len(holds.Datasets) != 2 {
		t.Errorf("it holds %+v", holds)
	}
	spec := w.SpecOf(session)
	want := []engine.Dataset{
		{ID: w.ID("spikes"), Name: "Entry spikes", Folder: "spikes", Path: "/srv/a/spikes"},
		{ID: w.ID("more"), Name: "Entry more", Folder: "spikes-2", Path: "/srv/b/spikes"},
	}
	if spec.ID != session.ID || spec.Repository.Folder != "tools" || !reflect.DeepEqual(spec.Datasets, want) {
		t.Errorf("the engine is asked for %+v, want the datasets %+v", spec, want)
	}
	sessionstest.Check(t, spec.Validate())
}

func TestWhoMayStartAProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		what, project string
		caller        identity.Caller
		kind          fault.Kind // Internal: it works
	}{
		{"its owner", "notes", w.Ann, fault.Internal},
		{"somebody else", "notes", w.Bob, fault.NotFound},
		{"somebody else, once it is published", "shared", w.Bob, fault.Internal},
		{"the owner, with a part that is hidden", "hidden part", w.Ann, fault.Conflict},
		{"an account that is not enabled", "shared", w.Newbie, fault.Forbidden},
		{"an account without a verified e-mail", "shared", identity.Caller{AccountID: w.Ann.AccountID, Enabled: true}, fault.Forbidden},
	} {
		session, err := w.Server.Start(w.As(test.caller), w.Projects[test.project], "Session", "", "", "")
		if test.kind != fault.Internal {
			sessionstest.WantKind(t, err, test.kind)
		} else if err != nil || session.UserID != test.caller.Email {
			t.Errorf("%s: session of %q, %v", test.what, session.UserID, err)
		}
	}
	for _, id := range []string{"", "no uuid", strings.ToUpper(w.Projects["notes"]), "a\x00b", sqldb.NewID()} {
		_, err := w.Server.Start(w.As(w.Ann), id, "Session", "", "", "")
		sessionstest.WantKind(t, err, fault.NotFound)
	}
	_, err := w.Server.Start(w.As(w.Ann), w.Projects["hidden part"], "Session", "", "", "")
	if got, _ := errors.AsType[*fault.Fault](err); got == nil || got.Code != fault.PartMissing || !slices.Equal(got.Missing, []string{w.ID("secret")}) {
		t.Errorf("got %+v, want the id of the dataset that is hidden", got)
	}
	_, err = w.Server.Start(w.As(w.Newbie), w.Projects["shared"], "Session", "", "", "")
	if want := "Your account (newbie@example.org) is not enabled for sessions yet. Please ask the operators " +
		"(help@example.org) to enable it."; fault.MessageOf(err) != want {
		t.Errorf("got %q, want %q", fault.MessageOf(err), want)
	}
	_, err = w.Server.Start(t.Context(), w.Projects["shared"], "Session", "", "", "")
	sessionstest.WantKind(t, err, fault.Unauthenticated)
}

func TestStartChecksTheEngineAndItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.Server.Start(w.As(w.Ann), w.Projects["notes"], "Session", "moon", "", "")
	sessionstest.WantKind(t, err, fault.Invalid)
	if want := "There is no engine with that name; choose one of: local."; fault.CodeOf(err) != fault.EngineUnknown || fault.MessageOf(err) != want {
		t.Errorf("got %q, want %q", fault.MessageOf(err), want)
	}
	missing := fault.New(fault.Unavailable, "Jupyter is not installed on this server.")
	session := w.Settled("ended", sessions.Finished)
	w.Machine.Miss(missing)
	if _, err = w.Server.Start(w.As(w.Ann), w.Projects["notes"], "Session", "", "", ""); fault.MessageOf(err) != missing.Message {
		t.Errorf("start: got %v, want the engine's own fault", err)
	}
	if _, err = w.Server.Restart(w.As(w.Ann), session.ID); fault.MessageOf(err) != missing.Message {
		t.Errorf("restart: got %v, want the engine's own fault", err)
	}
	if list, err := w.Server.List(w.As(w.Ann), sessions.Filter{Status: sessions.Created}); err != nil || len(list) != 0 {
		t.Errorf("%d sessions were made all the same, %v", len(list), err)
	}
}

// Keys come from headers, which may hold bytes that a database refuses: that is the caller's fault, not ours.
func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		start := func(name, key string) (sessions.Session, error) {
			return w.Server.Start(w.As(w.Ann), w.Projects["notes"], name, "local", "", key)
		}
		first, err := start("first", "k\u00e9y")
		sessionstest.Check(t, err)
		if again, err := start("second", "k\u00e9y"); err != nil || again.ID != first.ID {
			t.Errorf("the same key gave %q, %v; want %q", again.ID, err, first.ID)
		}
		for _, key := range []string{"\xff", "tab\tkey", "\x00"} {
			_, err := start("third", key)
			sessionstest.WantKind(t, err, fault.Invalid)
		}
		for name, asked := range map[string]sessions.StartRequest{
			"another project": {ProjectID: w.Projects["bare"]}, "an entry": {ResourceID: w.ID("tools")}, "a ref": {ProjectID: w.Projects["notes"], Ref: "main"},
		} {
			asked.Key = "k\u00e9y"
			if again, err := w.Server.StartFrom(w.As(w.Ann), asked); fault.KindOf(err) != fault.Conflict {
				t.Errorf("the key for %s gave %q, %v", name, again.ID, err)
			}
		}
		shared, err := w.Server.Start(w.As(w.Bob), w.Projects["shared"], "first", "", "", "k\u00e9y")
		if err != nil || shared.ID == first.ID {
			t.Errorf("bob's start with ann's key gave %q, %v", shared.ID, err)
		}
	})
}

func TestSessionsOfOthersLookAbsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine, own := w.Settled("ann's", sessions.Finished), w.Start("ann's own")
	bobs, err := w.Server.Start(w.As(w.Bob), w.Projects["bob's"], "bob's", "", "", "")
	sessionstest.Check(t, err)
	stranger := w.As(w.Bob)
	for what, try := range map[string]func(id string) error{
		"own":       func(id string) error { _, err := w.Server.Own(stranger, id); return err },
		"terminate": func(id string) error { _, err := w.Server.Terminate(stranger, id); return err },
		"restart":   func(id string) error { _, err := w.Server.Restart(stranger, id); return err },
		"delete":    func(id string) error { return w.Server.Delete(stranger, []string{id}, false) },
	} {
		for _, id := range []string{mine.ID, own.ID, sqldb.NewID(), "", "no uuid", "a\x00b", strings.ToUpper(bobs.ID)} {
			if err := try(id); fault.KindOf(err) != fault.NotFound || fault.MessageOf(err) != sessions.ErrNoSession.Message {
				t.Errorf("%s %q: got %v, want that it is absent", what, id, err)
			}
		}
	}
	if err := w.Server.Delete(stranger, []string{bobs.ID, mine.ID}, false); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a list with one foreign session: got %v, want NotFound", err)
	}
	if got := w.Row(bobs.ID); got.RequestedStatus != "" {
		t.Errorf("the own part of a refused list is being deleted")
	}
}

func TestDeletionOfManyAsksOnceWhoseTheyAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Settle = time.Nanosecond
	ids := []string{w.Settled("a", sessions.Finished).ID, w.Settled("b", sessions.Finished).ID, w.Settled("c", sessions.Finished).ID}
	reads := sqldbtest.CountReads(t, w.Database)
	sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), ids, false))
	if got := reads.Statements.Load(); got != 2 { // whose they are, and whether they are gone
		t.Errorf("%d statements read", got)
	}
}

func TestListIsNewestFirstAndCanBeFiltered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.Settled("first", sessions.Finished)
	w.Clock.Advance(time.Second)
	second := w.Start("second")
	for status, want := range map[sessions.Status][]string{"": {second.ID, first.ID}, sessions.Finished: {first.ID}, sessions.Created: {second.ID}, sessions.Running: nil} {
		list, err := w.Server.List(w.As(w.Ann), sessions.Filter{Status: status, Exact: true})
		sessionstest.Check(t, err)
		if got := idsOf(list); strings.Join(got, " ") != strings.Join(want, " ") || list == nil {
			t.Errorf("status %q: got %v, want %v", status, got, want)
		}
	}
}

func TestRestartLeavesLiveSessionsAndAsksForAnEnabledAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	live := w.Start("live")
	if got, err := w.Server.Restart(w.As(w.Ann), live.ID); err != nil || got.Status != sessions.Created {
		t.Errorf("a live session: %s, %v", got.Status, err)
	}
	sessionstest.Check(t, w.Store.Request(t.Context(), []string{live.ID}, sessions.Terminated))
	_, err := w.Server.Restart(w.As(w.Ann), live.ID)
	sessionstest.WantKind(t, err, fault.Conflict)

	ended := w.Settled("ended", sessions.Failed)
	w.Enable(w.Ann.Email, false)
	_, err = w.Server.Restart(w.As(w.Person("ann")), ended.ID)
	sessionstest.WantKind(t, err, fault.Forbidden)
	if !strings.Contains(fault.MessageOf(err), "help@example.org") {
		t.Errorf("%q does not say whom to ask", fault.MessageOf(err))
	}
}
