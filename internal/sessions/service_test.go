package sessions

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/sessions/engine"
	"cairn/internal/sqldb"
	"cairn/internal/sqldb/sqldbtest"
)

func TestNamesOfSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.Limit = 100
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
		_, err := w.service.Start(w.as(w.ann), w.projects["notes"], name, "", "", "")
		wantKind(t, err, fault.Invalid)
		if got := fault.MessageOf(err); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{
		strings.Repeat("🧠", 200), "  Spike sorting, day 2  ", "日本語のセッション", "جلسة", "</script><img src=x onerror=alert(1)>",
		"'; DROP TABLE session; --", "../../etc/passwd", "-rf",
	} {
		if got := w.start(name).SessionName; got != strings.TrimSpace(name) {
			t.Errorf("%q became %q", name, got)
		}
	}
}

func TestStartWritesDownWhatTheSessionIsMadeOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.start("Spikes")
	if session.Status != Created || session.UserID != w.ann.Email || session.Engine != "local" || !session.CreatedAt.Equal(w.clock.Now()) {
		t.Errorf("got %+v", session)
	}
	holds := session.Project
	if holds.ID != w.projects["notes"] || holds.Repository.Address != "https://github.com/example/tools.git" || len(holds.Datasets) != 2 {
		t.Errorf("it holds %+v", holds)
	}
	spec := specOf(session)
	want := []engine.Dataset{
		{ID: w.id("spikes"), Name: "Entry spikes", Folder: "spikes", Path: "/srv/a/spikes"},
		{ID: w.id("more"), Name: "Entry more", Folder: "spikes-2", Path: "/srv/b/spikes"},
	}
	if spec.ID != session.ID || spec.Repository.Folder != "tools" || len(spec.Datasets) != 2 || spec.Datasets[0] != want[0] || spec.Datasets[1] != want[1] {
		t.Errorf("the engine is asked for %+v, want the datasets %+v", spec, want)
	}
	check(t, spec.Validate())
}

func TestWhoMayStartAProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		what, project string
		caller        identity.Caller
		kind          fault.Kind // Internal: it works
	}{
		{"its owner", "notes", w.ann, fault.Internal},
		{"somebody else", "notes", w.bob, fault.NotFound},
		{"somebody else, once it is published", "shared", w.bob, fault.Internal},
		{"the owner, with a part that is hidden", "hidden part", w.ann, fault.Conflict},
		{"an account that is not enabled", "shared", w.newbie, fault.Forbidden},
		{"an account without a verified e-mail", "shared", identity.Caller{AccountID: w.ann.AccountID, Enabled: true}, fault.Forbidden},
	} {
		session, err := w.service.Start(w.as(test.caller), w.projects[test.project], "Session", "", "", "")
		if test.kind != fault.Internal {
			wantKind(t, err, test.kind)
		} else if err != nil || session.UserID != test.caller.Email {
			t.Errorf("%s: session of %q, %v", test.what, session.UserID, err)
		}
	}
	for _, id := range []string{"", "no uuid", strings.ToUpper(w.projects["notes"]), "a\x00b", sqldb.NewID()} {
		_, err := w.service.Start(w.as(w.ann), id, "Session", "", "", "")
		wantKind(t, err, fault.NotFound)
	}
	_, err := w.service.Start(w.as(w.ann), w.projects["hidden part"], "Session", "", "", "")
	if got, _ := errors.AsType[*fault.Fault](err); got == nil || got.Code != fault.PartMissing || !slices.Equal(got.Missing, []string{w.id("secret")}) {
		t.Errorf("got %+v, want the id of the dataset that is hidden", got)
	}
	_, err = w.service.Start(w.as(w.newbie), w.projects["shared"], "Session", "", "", "")
	if want := "Your account (newbie@example.org) is not enabled for sessions yet. Please ask the operators " +
		"(help@example.org) to enable it."; fault.MessageOf(err) != want {
		t.Errorf("got %q, want %q", fault.MessageOf(err), want)
	}
	_, err = w.service.Start(t.Context(), w.projects["shared"], "Session", "", "", "")
	wantKind(t, err, fault.Unauthenticated)
}

func TestStartChecksTheEngineAndItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.service.Start(w.as(w.ann), w.projects["notes"], "Session", "moon", "", "")
	wantKind(t, err, fault.Invalid)
	if want := "There is no engine with that name; choose one of: local."; fault.MessageOf(err) != want {
		t.Errorf("got %q, want %q", fault.MessageOf(err), want)
	}
	missing := fault.New(fault.Unavailable, "Jupyter is not installed on this server.")
	session := w.settled("ended", Finished)
	w.machine.Miss(missing)
	if _, err = w.service.Start(w.as(w.ann), w.projects["notes"], "Session", "", "", ""); fault.MessageOf(err) != missing.Message {
		t.Errorf("start: got %v, want the engine's own fault", err)
	}
	if _, err = w.service.Restart(w.as(w.ann), session.ID); fault.MessageOf(err) != missing.Message {
		t.Errorf("restart: got %v, want the engine's own fault", err)
	}
	if list, err := w.service.List(w.as(w.ann), Filter{Status: Created}); err != nil || len(list) != 0 {
		t.Errorf("%d sessions were made all the same, %v", len(list), err)
	}
}

// Keys come from headers, which may hold bytes that a database refuses: that is the caller's fault, not ours.
func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		start := func(name, key string) (Session, error) {
			return w.service.Start(w.as(w.ann), w.projects["notes"], name, "local", "", key)
		}
		first, err := start("first", "k\u00e9y")
		check(t, err)
		if again, err := start("second", "k\u00e9y"); err != nil || again.ID != first.ID {
			t.Errorf("the same key gave %q, %v; want %q", again.ID, err, first.ID)
		}
		for _, key := range []string{"\xff", "tab\tkey", "\x00"} {
			_, err := start("third", key)
			wantKind(t, err, fault.Invalid)
		}
		shared, err := w.service.Start(w.as(w.bob), w.projects["shared"], "first", "", "", "k\u00e9y")
		if err != nil || shared.ID == first.ID {
			t.Errorf("bob's start with ann's key gave %q, %v", shared.ID, err)
		}
	})
}

func TestSessionsOfOthersLookAbsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine, own := w.settled("ann's", Finished), w.start("ann's own")
	bobs, err := w.service.Start(w.as(w.bob), w.projects["bob's"], "bob's", "", "", "")
	check(t, err)
	stranger := w.as(w.bob)
	for what, try := range map[string]func(id string) error{
		"own":       func(id string) error { _, err := w.service.Own(stranger, id); return err },
		"terminate": func(id string) error { _, err := w.service.Terminate(stranger, id); return err },
		"restart":   func(id string) error { _, err := w.service.Restart(stranger, id); return err },
		"delete":    func(id string) error { return w.service.Delete(stranger, []string{id}, false) },
	} {
		for _, id := range []string{mine.ID, own.ID, sqldb.NewID(), "", "no uuid", "a\x00b", strings.ToUpper(bobs.ID)} {
			if err := try(id); fault.KindOf(err) != fault.NotFound || fault.MessageOf(err) != errNoSession.Message {
				t.Errorf("%s %q: got %v, want that it is absent", what, id, err)
			}
		}
	}
	if err := w.service.Delete(stranger, []string{bobs.ID, mine.ID}, false); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a list with one foreign session: got %v, want NotFound", err)
	}
	if got := w.row(bobs.ID); got.RequestedStatus != "" {
		t.Errorf("the own part of a refused list is being deleted")
	}
}

func TestDeletionOfManyAsksOnceWhoseTheyAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.settleTime = time.Nanosecond
	ids := []string{w.settled("a", Finished).ID, w.settled("b", Finished).ID, w.settled("c", Finished).ID}
	reads := sqldbtest.CountReads(t, w.store.db)
	check(t, w.service.Delete(w.as(w.ann), ids, false))
	if got := reads.Statements.Load(); got != 2 { // whose they are, and whether they are gone
		t.Errorf("%d statements read", got)
	}
}

func TestListIsNewestFirstAndCanBeFiltered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.settled("first", Finished)
	w.clock.advance(time.Second)
	second := w.start("second")
	for status, want := range map[Status][]string{"": {second.ID, first.ID}, Finished: {first.ID}, Created: {second.ID}, Running: nil} {
		list, err := w.service.List(w.as(w.ann), Filter{Status: status, Exact: true})
		check(t, err)
		if got := idsOf(list); strings.Join(got, " ") != strings.Join(want, " ") || list == nil {
			t.Errorf("status %q: got %v, want %v", status, got, want)
		}
	}
}

func TestRestartLeavesLiveSessionsAndAsksForAnEnabledAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	live := w.start("live")
	if got, err := w.service.Restart(w.as(w.ann), live.ID); err != nil || got.Status != Created {
		t.Errorf("a live session: %s, %v", got.Status, err)
	}
	check(t, w.store.Request(t.Context(), []string{live.ID}, Terminated))
	_, err := w.service.Restart(w.as(w.ann), live.ID)
	wantKind(t, err, fault.Conflict)

	ended := w.settled("ended", Failed)
	w.enable(w.ann.Email, false)
	_, err = w.service.Restart(w.as(w.person("ann")), ended.ID)
	wantKind(t, err, fault.Forbidden)
	if !strings.Contains(fault.MessageOf(err), "help@example.org") {
		t.Errorf("%q does not say whom to ask", fault.MessageOf(err))
	}
}
