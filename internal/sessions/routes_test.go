package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"cairn/internal/fault"
	"cairn/internal/httpapi"
	"cairn/internal/identity"
)

// api is the calls behind the real edge; the header Test-Caller stands for an access token of that person.
func (w *world) api() http.Handler {
	w.t.Helper()
	api := httpapi.New(httpapi.Options{
		Version: "1", Logger: w.options.Logger,
		SignedIn: func(ctx context.Context) bool { _, ok := identity.From(ctx); return ok },
		Authenticate: func(request *http.Request, _ bool) (context.Context, error) {
			name := request.Header.Get("Test-Caller")
			if name == "" {
				return request.Context(), nil
			}
			return identity.With(request.Context(), w.person(name)), nil
		},
	})
	w.service.Routes(api)
	return api.Handler()
}

// apiAs is the calls as one caller makes them, whose account costs no query.
func (w *world) apiAs(caller identity.Caller) http.Handler {
	api := httpapi.New(httpapi.Options{
		Version: "1", Logger: w.options.Logger, SignedIn: func(context.Context) bool { return true },
		Authenticate: func(request *http.Request, _ bool) (context.Context, error) {
			return identity.With(request.Context(), caller), nil
		},
	})
	w.service.Routes(api)
	return api.Handler()
}

// call creates a request as the clients do that exist already: with a JSON content type and "{}" on everything.
func call(handler http.Handler, method, path, caller string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, httpapi.Base+path, strings.NewReader("{}"))
	request.Header.Set("Content-Type", "application/json")
	if caller != "" {
		request.Header.Set("Test-Caller", caller)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer
}

func decode[T any](t *testing.T, answer *httptest.ResponseRecorder) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(answer.Body.Bytes(), &value); err != nil {
		t.Fatalf("%d %s: %v", answer.Code, answer.Body, err)
	}
	return value
}

func (w *world) wantStatus(what string, answer *httptest.ResponseRecorder, status int) {
	w.t.Helper()
	if answer.Code != status {
		w.t.Errorf("%s: got %d %s, want %d", what, answer.Code, strings.TrimSpace(answer.Body.String()), status)
	}
}

type redirectBody struct{ RedirectURL, SessionID string }

func TestStartAnswersWithAWayIn(t *testing.T) {
	t.Parallel()
	for form, prefix := range map[string]string{
		hostForm: "http://s-ID.localhost:8081/.cairn/s/ID/enter", pathForm: "https://run.example.org/.cairn/s/ID/enter",
	} {
		w := newWorldAt(t, form)
		api := w.api()
		start := "/hub/start/project/" + w.projects["notes"] + "?sessionName=" + url.QueryEscape("My notes")
		answer := call(api, http.MethodGet, start, "ann", "Idempotency-Key", "key")
		w.wantStatus("start", answer, http.StatusOK)
		if got := answer.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control is %q: a kept answer would hold a used ticket", got)
		}
		body := decode[redirectBody](t, answer)
		address, ticket, _ := strings.Cut(body.RedirectURL, "?ticket=")
		if address != strings.ReplaceAll(prefix, "ID", body.SessionID) || len(ticket) < 40 {
			t.Errorf("%s: the way in is %q", form, body.RedirectURL)
		}
		if got := w.row(body.SessionID); got.SessionName != "My notes" {
			t.Errorf("the session is %+v", got)
		}
		again := decode[redirectBody](t, call(api, http.MethodGet, start, "ann", "Idempotency-Key", "key"))
		if again.SessionID != body.SessionID || again.RedirectURL == body.RedirectURL {
			t.Errorf("the same start gave %+v after %+v: want the same session and another ticket", again, body)
		}
		resumed := call(api, http.MethodGet, "/hub/resume/session/"+body.SessionID, "ann")
		if got := decode[redirectBody](t, resumed); got.SessionID != body.SessionID || resumed.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("resume gave %+v, Cache-Control %q", got, resumed.Header().Get("Cache-Control"))
		}
	}
}

func TestStartRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.Limit = 1
	api := w.api()
	start := func(project, query, caller string, headers ...string) *httptest.ResponseRecorder {
		return call(api, http.MethodGet, "/hub/start/project/"+w.projects[project]+query, caller, headers...)
	}
	for _, test := range []struct {
		what   string
		answer *httptest.ResponseRecorder
		status int
		text   string
	}{
		{"no name", start("notes", "", "ann"), http.StatusUnprocessableEntity, "Session name is required"},
		{"blank name", start("notes", "?sessionName=%20%E3%80%80", "ann"), http.StatusUnprocessableEntity, "Session name is required"},
		{"unknown engine", start("notes", "?sessionName=a&engine=x", "ann"), http.StatusUnprocessableEntity, "local"},
		{"long key", start("notes", "?sessionName=a", "ann", "Idempotency-Key", strings.Repeat("k", 201)), http.StatusUnprocessableEntity, "200"},
		{"not enabled", start("shared", "?sessionName=a", "newbie"), http.StatusForbidden, "help@example.org"},
		{"a part is gone", start("hidden part", "?sessionName=a", "ann"), http.StatusConflict, "Part of this project is gone"},
		{"others' project", start("notes", "?sessionName=a", "bob"), http.StatusNotFound, "This project doesn't exist"},
		{"below the limit", start("notes", "?sessionName=a", "ann"), http.StatusOK, "redirectUrl"},
		{"over the limit", start("notes", "?sessionName=b", "ann"), http.StatusConflict, "You already have the maximum number of sessions running or starting (1)."},
	} {
		w.wantStatus(test.what, test.answer, test.status)
		body := decode[map[string]any](t, test.answer)
		if message, _ := body["message"].(string); test.status != http.StatusOK && !strings.Contains(message, test.text) {
			t.Errorf("%s: the message is %q, want %q in it", test.what, message, test.text)
		}
	}
	w.machine.Miss(fault.New(fault.Unavailable, "Jupyter is not installed on this server."))
	answer := start("notes", "?sessionName=c", "ann")
	w.wantStatus("no engine", answer, http.StatusServiceUnavailable)
	if !strings.Contains(answer.Body.String(), "Jupyter is not installed on this server.") {
		t.Errorf("got %s, want what the engine says", answer.Body)
	}
}

// A browser that looks ahead must not start anything.
func TestPrefetchesStartNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.settled("Session", Finished)
	api := w.api()
	for _, path := range []string{"/hub/start/project/" + w.projects["notes"] + "?sessionName=a", "/hub/resume/session/" + session.ID} {
		for _, header := range [][]string{{"Sec-Purpose", "prefetch;prerender"}, {"Purpose", "prefetch"}, {"X-Moz", "prefetch"}} {
			w.wantStatus(path, call(api, http.MethodGet, path, "ann", header...), http.StatusForbidden)
		}
	}
	if unsettled, err := w.store.Unsettled(t.Context()); err != nil || len(unsettled) != 0 {
		t.Errorf("%d sessions were started, %v", len(unsettled), err)
	}
}

func TestListCarriesAnETag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	api := w.api()
	if got := call(api, http.MethodGet, "/sessions/", "ann").Body.String(); strings.TrimSpace(got) != "[]" {
		t.Errorf("an empty list is %s", got)
	}
	session := w.start("Session")
	first := call(api, http.MethodGet, "/sessions/?status=", "ann")
	tag := first.Header().Get("ETag")
	if list := decode[[]Session](t, first); len(list) != 1 || list[0].ID != session.ID || tag == "" {
		t.Fatalf("got %s with ETag %q", first.Body, tag)
	}
	same := call(api, http.MethodGet, "/sessions/", "ann", "If-None-Match", tag)
	if same.Code != http.StatusNotModified || same.Body.Len() != 0 {
		t.Errorf("unchanged: got %d %s", same.Code, same.Body)
	}
	if _, err := w.store.Settle(t.Context(), session, Running, ""); err != nil {
		t.Fatal(err)
	}
	if changed := call(api, http.MethodGet, "/sessions/", "ann", "If-None-Match", tag); changed.Code != http.StatusOK {
		t.Errorf("changed: got %d", changed.Code)
	}
	for query, want := range map[string]int{"CREATED": 1, "CREATED&exact=false": 1, "CREATED&exact=true": 0, "RUNNING": 1, "RUNNING&exact=true": 1, "FINISHED": 0} {
		if list := decode[[]Session](t, call(api, http.MethodGet, "/sessions/?status="+query, "ann")); len(list) != want {
			t.Errorf("%s: %d sessions, want %d", query, len(list), want)
		}
	}
	w.wantStatus("unknown status", call(api, http.MethodGet, "/sessions?status=BUSY", "ann"), http.StatusUnprocessableEntity)
}

func TestShapeOfASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.start("Session")
	got := decode[map[string]any](t, call(w.api(), http.MethodGet, "/sessions/"+session.ID+"/", "ann"))
	project, _ := got["project"].(map[string]any)
	repository, _ := project["repositoryResource"].(map[string]any)
	datasets, _ := project["datasetResources"].([]any)
	if got["id"] != session.ID || got["sessionName"] != "Session" || got["userId"] != "ann@example.org" || got["status"] != "CREATED" ||
		got["createdAt"] != w.clock.Now().Format(time.RFC3339) || got["statusReason"] != "" || got["engine"] != "local" ||
		project["name"] != "notes" || repository["name"] != "Entry tools" || len(datasets) != 2 {
		t.Errorf("got %v", got)
	}
}

func TestChangeOfStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.settleTime = 20 * time.Millisecond
	w.run(w.service)
	api := w.api()
	session := w.running("Session")
	patch := func(status string) *httptest.ResponseRecorder {
		return call(api, http.MethodPatch, "/sessions/"+session.ID+"/"+status, "ann")
	}
	for _, status := range []string{"", "?status=", "?status=RUNNING", "?status=DELETED", "?status=terminated"} {
		w.wantStatus("PATCH "+status, patch(status), http.StatusUnprocessableEntity)
	}
	w.machine.HoldStops(true)
	answer := patch("?status=TERMINATED")
	w.wantStatus("a stop that takes long", answer, http.StatusAccepted)
	if got := decode[Session](t, answer); got.Status != Running || got.RequestedStatus != Terminated {
		t.Errorf("got %s, requested %q", got.Status, got.RequestedStatus)
	}
	w.wantStatus("start during a stop", patch("?status=CREATED"), http.StatusConflict)
	w.machine.HoldStops(false)
	w.waitFor(session.ID, Terminated)
	answer = patch("?status=TERMINATED")
	w.wantStatus("what is terminated already", answer, http.StatusOK)
	if strings.Contains(answer.Body.String(), "requestedStatus") {
		t.Errorf("got %s", answer.Body)
	}
	answer = patch("?status=CREATED")
	w.wantStatus("start again", answer, http.StatusOK)
	if got := decode[Session](t, answer); got.ID != session.ID || got.Status != Created {
		t.Errorf("got %s %s", got.ID, got.Status)
	}
}

func TestDeleteListIsAllOrNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	api := w.api()
	first, second := w.settled("first", Finished), w.settled("second", Failed)
	foreign, err := w.service.Start(w.as(w.bob), w.projects["bob's"], "bob's", "", "", "")
	check(t, err)
	for _, bad := range []string{foreign.ID, "nonsense", "", first.ID + "x"} {
		w.wantStatus("with "+bad, call(api, http.MethodDelete, "/sessions/delete/"+first.ID+","+bad, "ann"), http.StatusNotFound)
	}
	if got := w.row(first.ID); got.RequestedStatus != "" {
		t.Fatal("a refused list was begun")
	}
	answer := call(api, http.MethodDelete, "/sessions/delete/"+first.ID+","+second.ID+","+first.ID+"/?now=true", "ann")
	if answer.Code != http.StatusOK || strings.TrimSpace(answer.Body.String()) != "true" {
		t.Errorf("got %d %s", answer.Code, answer.Body)
	}
	if rows, err := w.store.ByID(t.Context(), first.ID, second.ID); err != nil || len(rows) != 0 {
		t.Errorf("%d are left, %v", len(rows), err)
	}
}

func TestEndOfAccessIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.start("Session")
	secret := w.issue(cookieKind, session, w.ann.Login)
	api := w.api()
	call(api, http.MethodDelete, "/sessions/access", "bob")
	if !w.opens(secret, session) {
		t.Error("a stranger ended ann's access")
	}
	call(api, http.MethodDelete, "/sessions/access/", "ann")
	if _, err := w.store.Cookie(t.Context(), secret, session.ID, w.clock.Now()); !errors.Is(err, errNoPass) {
		t.Errorf("after sign-out: %v", err)
	}
}
