package sessions_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
)

type redirectBody struct{ RedirectURL, SessionID string }

func TestStartAnswersWithAWayIn(t *testing.T) {
	t.Parallel()
	for form, prefix := range map[string]string{
		sessionstest.HostForm: "http://s-ID.localhost:8081/.cairn/s/ID/enter", sessionstest.PathForm: "https://run.example.org/.cairn/s/ID/enter",
	} {
		w := newWorldAt(t, form)
		api := w.API()
		start := "/hub/start/project/" + w.Projects["notes"] + "?sessionName=" + url.QueryEscape("My notes")
		answer := sessionstest.Call(api, http.MethodGet, start, "ann", "Idempotency-Key", "key")
		w.WantStatus("start", answer, http.StatusOK)
		if got := answer.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control is %q: a kept answer would hold a used ticket", got)
		}
		body := sessionstest.Decode[redirectBody](t, answer)
		address, ticket, _ := strings.Cut(body.RedirectURL, "?ticket=")
		if address != strings.ReplaceAll(prefix, "ID", body.SessionID) || len(ticket) < 40 {
			t.Errorf("%s: the way in is %q", form, body.RedirectURL)
		}
		if got := w.Row(body.SessionID); got.SessionName != "My notes" {
			t.Errorf("the session is %+v", got)
		}
		again := sessionstest.Decode[redirectBody](t, sessionstest.Call(api, http.MethodGet, start, "ann", "Idempotency-Key", "key"))
		if again.SessionID != body.SessionID || again.RedirectURL == body.RedirectURL {
			t.Errorf("the same start gave %+v after %+v: want the same session and another ticket", again, body)
		}
		resumed := sessionstest.Call(api, http.MethodGet, "/hub/resume/session/"+body.SessionID, "ann")
		if got := sessionstest.Decode[redirectBody](t, resumed); got.SessionID != body.SessionID || resumed.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("resume gave %+v, Cache-Control %q", got, resumed.Header().Get("Cache-Control"))
		}
	}
}

func TestProjectsStartInVSCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	api := w.API()
	start := "/hub/start/project/" + w.Projects["notes"] + "?sessionName=notes&interface=vscode"
	w.WantStatus("without VS Code", sessionstest.Call(api, http.MethodGet, start, "ann"), http.StatusUnprocessableEntity)
	w.Machine.OfferEditors()
	answer := sessionstest.Call(api, http.MethodGet, start, "ann")
	w.WantStatus("with it", answer, http.StatusOK)
	entered := w.Visit(http.MethodGet, sessionstest.Decode[redirectBody](t, answer).RedirectURL)
	if got := entered.Header().Get("Location"); !strings.Contains(got, "next=%2Fvscode%2F") {
		t.Errorf("it leads to %q", got)
	}
}

func TestStartRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Limit = 1
	api := w.API()
	start := func(project, query, caller string, headers ...string) *httptest.ResponseRecorder {
		return sessionstest.Call(api, http.MethodGet, "/hub/start/project/"+w.Projects[project]+query, caller, headers...)
	}
	for _, test := range []struct {
		what   string
		answer *httptest.ResponseRecorder
		status int
		code   fault.Code
		text   string // empty where another test asserts the sentence
	}{
		{"no name", start("notes", "", "ann"), http.StatusUnprocessableEntity, "invalid", ""},
		{"blank name", start("notes", "?sessionName=%20%E3%80%80", "ann"), http.StatusUnprocessableEntity, "invalid", ""},
		{"unknown engine", start("notes", "?sessionName=a&engine=x", "ann"), http.StatusUnprocessableEntity, fault.EngineUnknown, ""},
		{"long key", start("notes", "?sessionName=a", "ann", "Idempotency-Key", strings.Repeat("k", 201)), http.StatusUnprocessableEntity, "invalid", "200"},
		{"not enabled", start("shared", "?sessionName=a", "newbie"), http.StatusForbidden, fault.NotEnabled, ""},
		{"a part is gone", start("hidden part", "?sessionName=a", "ann"), http.StatusConflict, fault.PartMissing, "Part of this project is gone"},
		{"others' project", start("notes", "?sessionName=a", "bob"), http.StatusNotFound, "not_found", "This project doesn't exist, or you don't have access to it."},
		{"below the limit", start("notes", "?sessionName=a", "ann"), http.StatusOK, "", ""},
		{"over the limit", start("notes", "?sessionName=b", "ann"), http.StatusConflict, fault.SessionLimit, "You already have the maximum number of sessions running or starting (1)."},
	} {
		w.WantStatus(test.what, test.answer, test.status)
		body := sessionstest.Decode[struct {
			Code    fault.Code
			Message string
		}](t, test.answer)
		if body.Code != test.code || !strings.Contains(body.Message, test.text) {
			t.Errorf("%s: the answer is %+v, want %s and %q in it", test.what, body, test.code, test.text)
		}
	}
	w.Machine.Miss(fault.New(fault.Unavailable, "Jupyter is not installed on this server."))
	answer := start("notes", "?sessionName=c", "ann")
	w.WantStatus("no engine", answer, http.StatusServiceUnavailable)
	if !strings.Contains(answer.Body.String(), "Jupyter is not installed on this server.") {
		t.Errorf("got %s, want what the engine says", answer.Body)
	}
}

// A browser that looks ahead must not start anything.
func TestPrefetchesStartNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Settled("Session", sessions.Finished)
	api := w.API()
	for _, path := range []string{"/hub/start/project/" + w.Projects["notes"] + "?sessionName=a", "/hub/resume/session/" + session.ID} {
		for _, header := range [][]string{{"Sec-Purpose", "prefetch;prerender"}, {"Purpose", "prefetch"}, {"X-Moz", "prefetch"}} {
			w.WantStatus(path, sessionstest.Call(api, http.MethodGet, path, "ann", header...), http.StatusForbidden)
		}
	}
	if unsettled, err := w.Store.Unfinished(t.Context()); err != nil || len(unsettled) != 0 {
		t.Errorf("%d sessions were started, %v", len(unsettled), err)
	}
}

func TestListCarriesAnETag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	api := w.API()
	if got := sessionstest.Call(api, http.MethodGet, "/sessions/", "ann").Body.String(); strings.TrimSpace(got) != "[]" {
		t.Errorf("an empty list is %s", got)
	}
	session := w.Start("Session")
	first := sessionstest.Call(api, http.MethodGet, "/sessions/?status=", "ann")
	tag := first.Header().Get("ETag")
	if list := sessionstest.Decode[[]sessions.Session](t, first); len(list) != 1 || list[0].ID != session.ID || tag == "" {
		t.Fatalf("got %s with ETag %q", first.Body, tag)
	}
	same := sessionstest.Call(api, http.MethodGet, "/sessions/", "ann", "If-None-Match", tag)
	if same.Code != http.StatusNotModified || same.Body.Len() != 0 {
		t.Errorf("unchanged: got %d %s", same.Code, same.Body)
	}
	if _, err := w.Store.Settle(t.Context(), session, sessions.Running, ""); err != nil {
		t.Fatal(err)
	}
	if changed := sessionstest.Call(api, http.MethodGet, "/sessions/", "ann", "If-None-Match", tag); changed.Code != http.StatusOK {
		t.Errorf("changed: got %d", changed.Code)
	}
	for query, want := range map[string]int{"CREATED": 1, "CREATED&exact=false": 1, "CREATED&exact=true": 0, "RUNNING": 1, "RUNNING&exact=true": 1, "FINISHED": 0} {
		if list := sessionstest.Decode[[]sessions.Session](t, sessionstest.Call(api, http.MethodGet, "/sessions/?status="+query, "ann")); len(list) != want {
			t.Errorf("%s: %d sessions, want %d", query, len(list), want)
		}
	}
	w.WantStatus("unknown status", sessionstest.Call(api, http.MethodGet, "/sessions?status=BUSY", "ann"), http.StatusUnprocessableEntity)
}

func TestShapeOfASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Start("Session")
	got := sessionstest.Decode[map[string]any](t, sessionstest.Call(w.API(), http.MethodGet, "/sessions/"+session.ID+"/", "ann"))
	project, _ := got["project"].(map[string]any)
	repository, _ := project["repositoryResource"].(map[string]any)
	datasets, _ := project["datasetResources"].([]any)
	if got["id"] != session.ID || got["sessionName"] != "Session" || got["userId"] != "ann@example.org" || got["status"] != "CREATED" ||
		got["createdAt"] != w.Clock.Now().Format(time.RFC3339) || got["statusReason"] != "" || got["engine"] != "local" ||
		project["name"] != "notes" || repository["name"] != "Entry tools" || len(datasets) != 2 {
		t.Errorf("got %v", got)
	}
}

func TestChangeOfStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Settle = 20 * time.Millisecond
	w.Run(w.Server)
	api := w.API()
	session := w.Running("Session")
	patch := func(status string) *httptest.ResponseRecorder {
		return sessionstest.Call(api, http.MethodPatch, "/sessions/"+session.ID+"/"+status, "ann")
	}
	for _, status := range []string{"", "?status=", "?status=RUNNING", "?status=DELETED", "?status=terminated"} {
		w.WantStatus("PATCH "+status, patch(status), http.StatusUnprocessableEntity)
	}
	w.Machine.HoldStops(true)
	answer := patch("?status=TERMINATED")
	w.WantStatus("a stop that takes long", answer, http.StatusAccepted)
	if got := sessionstest.Decode[sessions.Session](t, answer); got.Status != sessions.Running || got.RequestedStatus != sessions.Terminated {
		t.Errorf("got %s, requested %q", got.Status, got.RequestedStatus)
	}
	w.WantStatus("start during a stop", patch("?status=CREATED"), http.StatusConflict)
	w.Machine.HoldStops(false)
	w.WaitFor(session.ID, sessions.Terminated)
	answer = patch("?status=TERMINATED")
	w.WantStatus("what is terminated already", answer, http.StatusOK)
	if strings.Contains(answer.Body.String(), "requestedStatus") {
		t.Errorf("got %s", answer.Body)
	}
	answer = patch("?status=CREATED")
	w.WantStatus("start again", answer, http.StatusOK)
	if got := sessionstest.Decode[sessions.Session](t, answer); got.ID != session.ID || got.Status != sessions.Created {
		t.Errorf("got %s %s", got.ID, got.Status)
	}
}

func TestDeleteListIsAllOrNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	api := w.API()
	first, second := w.Settled("first", sessions.Finished), w.Settled("second", sessions.Failed)
	foreign, err := w.Server.Start(w.As(w.Bob), w.Projects["bob's"], "bob's", "", "", "")
	sessionstest.Check(t, err)
	for _, bad := range []string{foreign.ID, "nonsense", "", first.ID + "x"} {
		w.WantStatus("with "+bad, sessionstest.Call(api, http.MethodDelete, "/sessions/delete/"+first.ID+","+bad, "ann"), http.StatusNotFound)
	}
	if got := w.Row(first.ID); got.RequestedStatus != "" {
		t.Fatal("a refused list was begun")
	}
	answer := sessionstest.Call(api, http.MethodDelete, "/sessions/delete/"+first.ID+","+second.ID+","+first.ID+"/?now=true", "ann")
	if answer.Code != http.StatusOK || strings.TrimSpace(answer.Body.String()) != "true" {
		t.Errorf("got %d %s", answer.Code, answer.Body)
	}
	if rows, err := w.Store.ByID(t.Context(), first.ID, second.ID); err != nil || len(rows) != 0 {
		t.Errorf("%d are left, %v", len(rows), err)
	}
}
