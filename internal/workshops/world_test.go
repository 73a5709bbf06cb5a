package workshops_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/workshops"
	"cairn/internal/workshops/handouts"
)

// world is a server with workshops, which ann may prepare.
type world struct {
	*sessionstest.World

	at      *process
	publics map[string]bool
}

// process is one server with workshops.
type process struct {
	server    *sessionstest.Server
	workshops *workshops.Service
	api       http.Handler
}

// places is the capacity of the machine.
const places = 20

func newWorld(t *testing.T) *world {
	t.Helper()
	return around(sessionstest.New(t))
}

// each runs a test on both databases.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	sessionstest.Each(t, func(t *testing.T, w *sessionstest.World) {
		t.Helper()
		test(t, around(w))
	})
}

func around(inner *sessionstest.World) *world {
	inner.Options.Logger = slog.New(slog.NewTextHandler(inner.T.Output(), nil))
	w := &world{World: inner, publics: map[string]bool{}}
	w.Options.Engines.Capacity = places
	w.at = w.another()
	w.Server, w.Store = w.at.server, w.at.server.Store
	return w
}

// another opens another server on the same database and machine.
func (w *world) another() *process {
	w.T.Helper()
	server := w.NewService()
	one := &process{server: server}
	one.workshops = workshops.NewService(workshops.NewStore(w.Database), workshops.Options{
		Sessions: server.Service, Seats: server.Seats, Requests: server.Shares, Work: server.Work, Entries: w, Accounts: w.People, Engines: server.Engines,
		Files: noRepositories{}, Events: func() []string { return []string{"spring-school"} },
		Target: func(ctx context.Context, session sessions.Session) (engine.Target, error) {
			return server.Engines.All[0].Target(ctx, session.ID)
		},
		Repository: server.Resolver.RepositoryOf, Public: sessionstest.Public, Changed: server.Changes.Announce, Now: w.Clock.Now, Logger: w.Options.Logger,
	})
	server.FollowWorkshops(one.workshops)
	api := httpapi.New(httpapi.Options{
		Version: "1", Logger: w.Options.Logger, Now: w.Clock.Now,
		SignedIn: func(ctx context.Context) bool { _, ok := identity.From(ctx); return ok },
		Authenticate: func(request *http.Request, _ bool) (context.Context, error) {
			if name := request.Header.Get("Test-Caller"); name != "" {
				return identity.With(request.Context(), w.Person(name)), nil
			}
			token, given := strings.CutPrefix(request.Header.Get("Authorization"), "Bearer ")
			if !given {
				return request.Context(), nil
			}
			caller, err := w.People.Identify(request.Context(), token)
			if err != nil {
				return request.Context(), err
			}
			return identity.With(request.Context(), caller), nil
		},
	})
	server.Routes(api)
	one.workshops.Routes(api)
	one.api = httpapi.ClientAddresses(nil, api.Handler())
	return one
}

// IsPublic implements workshops.Entries.
func (w *world) IsPublic(_ context.Context, id string) bool { return id == w.ID("tools") }

// noRepositories is of a site whose code hosts are away.
type noRepositories struct{}

func (noRepositories) Resolve(context.Context, engine.Repository, string) (string, error) {
	return strings.Repeat("1", 40), nil
}

func (noRepositories) Changes(context.Context, engine.Repository, string, string) (handouts.Changed, error) {
	return handouts.Changed{}, nil
}

// call makes a call with a body, as somebody ("" for nobody). The headers are names and values in turn.
func (w *world) call(method, path, caller, body string, headers ...string) *httptest.ResponseRecorder {
	return sessionstest.Send(w.at.api, method, path, caller, body, headers...)
}

// want makes a call and checks its status.
func (w *world) want(status int, method, path, caller, body string, headers ...string) *httptest.ResponseRecorder {
	w.T.Helper()
	answer := w.call(method, path, caller, body, headers...)
	w.WantStatus(method+" "+path+" "+body, answer, status)
	return answer
}

// wantCode is want with the code of the fault.
func (w *world) wantCode(status int, code, method, path, caller, body string, headers ...string) *httptest.ResponseRecorder {
	w.T.Helper()
	answer := w.want(status, method, path, caller, body, headers...)
	var problem struct{ Code string }
	if err := json.Unmarshal(answer.Body.Bytes(), &problem); err != nil || problem.Code != code {
		w.T.Errorf("%s %s: the code is %q (%v), want %q", method, path, problem.Code, err, code)
	}
	return answer
}

// draft is a workshop of so many seats that starts in an hour and takes two; more are further fields as JSON.
func (w *world) draft(seats int, more string) string {
	start := w.Clock.Now().Add(time.Hour)
	text, err := json.Marshal(map[string]any{
		"name": "Spikes for beginners", "entry": w.ID("tools"), "seats": seats, "startsAt": start, "endsAt": start.Add(2 * time.Hour), "timezone": "Europe/Berlin",
	})
	sessionstest.Check(w.T, err)
	if more == "" {
		return string(text)
	}
	return strings.TrimSuffix(string(text), "}") + "," + more + "}"
}

// prepare has ann prepare a workshop.
func (w *world) prepare(seats int, more string) workshops.Workshop {
	w.T.Helper()
	return sessionstest.Decode[workshops.Workshop](w.T, w.want(http.StatusCreated, http.MethodPost, "/workshops", "ann", w.draft(seats, more)))
}

// opened has ann prepare and open a workshop.
func (w *world) opened(seats int) workshops.Workshop {
	w.T.Helper()
	made := w.prepare(seats, "")
	return sessionstest.Decode[workshops.Workshop](w.T, w.want(http.StatusOK, http.MethodPost, "/workshops/"+made.ID+"/open", "ann", ""))
}

// joinPath is where people join.
func joinPath(about workshops.Workshop) string {
	return "/join/" + about.JoinAddress[strings.LastIndex(about.JoinAddress, "/")+1:]
}

// join has a guest join.
func (w *world) join(about workshops.Workshop, name string) workshops.Joined {
	w.T.Helper()
	return sessionstest.Decode[workshops.Joined](w.T, w.want(http.StatusCreated, http.MethodPost, joinPath(about), "", joining(name, about.Code)))
}

func joining(name, code string) string {
	text, _ := json.Marshal(map[string]string{"name": name, "code": code})
	return string(text)
}

// board returns what ann sees.
func (w *world) board(about workshops.Workshop) workshops.Board {
	w.T.Helper()
	return sessionstest.Decode[workshops.Board](w.T, w.want(http.StatusOK, http.MethodGet, "/workshops/"+about.ID+"/board", "ann", ""))
}

// look has the server do what is to be done.
func (w *world) look() {
	w.T.Helper()
	w.Clock.Advance(2 * time.Second) // what is remembered for a second is out of date
	sessionstest.Check(w.T, w.at.workshops.Look(w.T.Context()))
}

// pass has the reconciler do what is to be done.
func (w *world) pass() {
	w.T.Helper()
	w.Clock.Advance(2 * time.Second)
	sessionstest.Check(w.T, w.at.server.Pass(w.T.Context()))
}

// until has the reconciler do what is to be done until something is so.
func (w *world) until(what string, isSo func() bool) {
	w.T.Helper()
	passes := 0
	sessionstest.Eventually(w.T, what, func() bool {
		if passes++; passes > 1000 {
			w.T.Fatalf("it never happens: %s", what)
		}
		w.pass()
		return isSo()
	})
}

// running has the session of a seat run.
func (w *world) running(id string) {
	w.T.Helper()
	w.until("the session is launched", func() bool { return !w.Row(id).LaunchedAt.IsZero() })
	w.Machine.Ready(id)
	w.until("the session runs", func() bool { return w.Row(id).Status == sessions.Running })
}

// told returns the body of a message.
func told(text string) string {
	body, _ := json.Marshal(map[string]string{"text": text})
	return string(body)
}
