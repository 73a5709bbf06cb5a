package shares_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/shares"
)

// operation is a call about one session.
type operation struct{ id, method, path string }

// bodies are what calls are sent, by operation; the others are sent nothing.
var bodies = map[string]string{
	"finish-notebook": `{"path":"a.ipynb"}`, "ask-for-share": `{"kind":"enter"}`, "answer-request": `{"granted":true}`, "share-session": `{"with":{"link":true},"can":"see"}`,
	"save-version": `{"name":"mine"}`, "restore-version": `{"path":"a.ipynb","into":"beside"}`, "link-work": `{}`, "link-version": `{}`, "stop-session": `{"reason":"maintenance"}`,
}

// queries are what calls have to be asked with.
var queries = map[string]string{
	"change-session": "?status=TERMINATED", "stop-session": "?status=TERMINATED", "get-session-parameters": "?path=a.ipynb", "compare-versions": "?with=present&path=a.ipynb", "download-version-file": "?path=a.ipynb",
}

// operations returns every call about one session that there is, as the document lists them.
func (w *world) operations(api *httpapi.API) []operation {
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	sessionstest.Check(w.T, json.Unmarshal(api.Document(), &document))
	var found []operation
	for path, methods := range document.Paths {
		if !strings.Contains(path, "session") || !strings.Contains(path, "{id}") || strings.Contains(path, "/start/") {
			continue
		}
		for method, one := range methods {
			found = append(found, operation{one.OperationID, strings.ToUpper(method), strings.TrimPrefix(path, httpapi.Base)})
		}
	}
	if len(found) < 25 {
		w.T.Fatalf("only %d calls were found", len(found))
	}
	return found
}

// visitor is one column of the matrix.
type visitor struct {
	name, caller string
	may          shares.Level // "": nothing
	link         string
}

// expected returns what a visitor who isn't the owner gets from a call.
func expected(call operation, who visitor, status sessions.Status) int {
	gone, signedIn := status == sessions.Deleted, who.caller != ""
	switch call.id {
	case "see-session", "follow-session":
		switch {
		case who.may == "" && !signedIn:
			return http.StatusUnauthorized
		case who.may == "" || gone:
			return http.StatusNotFound
		}
		return http.StatusOK
	case "stop-session":
		if signedIn {
			return http.StatusForbidden
		}
	case "list-session-requests":
		if signedIn {
			return http.StatusOK // their own
		}
	}
	if !signedIn {
		return http.StatusUnauthorized
	}
	switch {
	case call.id == "ask-for-share" && !gone && who.may == shares.Edit:
		return http.StatusConflict
	case call.id == "ask-for-share" && !gone:
		return http.StatusCreated
	case call.id == "resume-session" && !gone && who.may == shares.Edit && status == sessions.Running:
		return http.StatusOK
	case call.id == "resume-session" && !gone && who.may == shares.Edit:
		return http.StatusConflict
	case call.id == "resume-session" && !gone && who.may != "":
		return http.StatusForbidden
	case call.id == "stop-session":
		return http.StatusForbidden
	case call.id == "list-session-requests":
		return http.StatusOK
	}
	return http.StatusNotFound // for its owner
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

// Who may do what with a session that isn't theirs: every call, by owner, editor, viewer, stranger and link, on engines with and without
// versions, in every state. A call that is added later is its owner's alone until this says otherwise.
func TestRightsOfEveryCall(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(w *world){
		"an engine with versions": func(*world) {},
		"an engine without versions": func(w *world) {
			w.OpenAround(func(one engine.Engine) engine.Engine { return struct{ engine.Engine }{one} })
		},
	} {
		for _, status := range []sessions.Status{sessions.Created, sessions.Running, sessions.Terminated, sessions.Deleted} {
			t.Run(name+", "+string(status), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.Options.Timing.Settle = time.Millisecond
				w.Server = w.NewService()
				build(w)
				session := w.inState(status)
				visitors := w.visitors(session)
				if status == sessions.Deleted {
					_ = w.Server.Delete(w.As(w.Ann), []string{session.ID}, false) // which doesn't wait for the engine
				}
				w.checkAll(session, status, visitors)
			})
		}
	}
}

func (w *world) inState(status sessions.Status) sessions.Session {
	w.T.Helper()
	switch status {
	case sessions.Created:
		return w.Start("Session")
	case sessions.Terminated:
		return w.Settled("Session", sessions.Terminated)
	}
	return w.Reconciled("Session")
}

// visitors shares a session in every way.
func (w *world) visitors(session sessions.Session) []visitor {
	w.T.Helper()
	until := `,"until":"` + w.Clock.Now().Add(24*time.Hour).Format(time.RFC3339) + `"}`
	found := []visitor{{name: "a stranger", caller: "sam"}, {name: "nobody"}}
	w.Person("sam")
	for caller, level := range map[string]shares.Level{"vic": shares.See, "cop": shares.Copy, "edd": shares.Edit} {
		w.Person(caller)
		w.share(session, `{"with":{"email":"`+caller+`@example.org"},"can":"`+string(level)+`"`+until)
		found = append(found, visitor{name: "somebody who may " + string(level), caller: caller, may: level})
	}
	for _, level := range []shares.Level{shares.See, shares.Edit} {
		secret := secretOf(w.T, w.share(session, `{"with":{"link":true},"can":"`+string(level)+`"`+until))
		found = append(found, visitor{name: "a link to " + string(level), may: shares.See, link: secret})
		joined := "joined" + string(level)
		w.Person(joined)
		w.WantStatus("following the link", w.call(http.MethodPost, "/sessions/shared", joined, `{"link":"`+secret+`"}`), http.StatusOK)
		found = append(found, visitor{name: "somebody who followed a link to " + string(level), caller: joined, may: level})
	}
	return found
}

func (w *world) checkAll(session sessions.Session, status sessions.Status, visitors []visitor) {
	w.T.Helper()
	api := httpapi.New(httpapi.Options{Version: "1"})
	w.Server.Routes(api)
	handler := w.API()
	for _, call := range w.operations(api) {
		path := placeholder.ReplaceAllString(strings.Replace(call.path, "{id}", session.ID, 1), "0195a000-0000-7000-8000-000000000000") + queries[call.id]
		for _, who := range visitors {
			want := expected(call, who, status)
			if call.id == "follow-session" && want == http.StatusOK {
				continue // it goes on until they leave: other tests follow
			}
			var headers []string
			if who.link != "" {
				headers = []string{"Share-Link", who.link}
			}
			if got := callAt(handler, call.method, path, who.caller, bodies[call.id], headers...); got.Code != want {
				w.T.Errorf("%s, %s %s: %d, want %d: %s", who.name, call.method, path, got.Code, want, got.Body)
			}
		}
		if got := callAt(handler, http.MethodGet, "/sessions/"+session.ID+"/shares", "ann", ""); status != sessions.Deleted && got.Code != http.StatusOK {
			w.T.Errorf("after %s its owner gets %d", call.id, got.Code)
		}
	}
	row := w.Row(session.ID)
	if want := map[bool]sessions.Status{true: sessions.Running, false: status}[status == sessions.Deleted]; row.Status != want && row.Status != sessions.Deleted {
		w.T.Errorf("the session is %s now", row.Status)
	}
	w.checkOrigin(session, status)
}

// checkOrigin checks who gets how far at the session's own addresses.
func (w *world) checkOrigin(session sessions.Session, status sessions.Status) {
	w.T.Helper()
	own := w.Origin(session) + "/.cairn/s/" + session.ID + "/"
	for _, caller := range []string{"sam", "vic", "cop", "edd", "joinedsee", "joinededit"} {
		mayEnter := slices.Contains([]string{"edd", "joinededit"}, caller) && status == sessions.Running
		cookie, entered := w.tryToEnter(session, w.Person(caller))
		if entered != (mayEnter || slices.Contains([]string{"edd", "joinededit"}, caller) && status != sessions.Deleted) {
			w.T.Errorf("%s enters: %t", caller, entered)
		}
		if !entered {
			continue
		}
		want := map[bool]int{true: http.StatusOK, false: http.StatusConflict}[mayEnter]
		w.WantStatus(caller+" in Jupyter", w.Visit(http.MethodGet, w.Inside(session, "api/contents"), "Cookie", cookie), want)
		w.WantStatus(caller+" asks for the state", w.Visit(http.MethodGet, own+"state", "Cookie", cookie), http.StatusOK)
		for _, path := range []string{"launch", "events"} {
			w.WantStatus(caller+" at "+path, w.Visit(http.MethodGet, own+path, "Cookie", cookie), http.StatusForbidden)
		}
		for _, path := range []string{"start", "cancel", "keep", "stop", "finish", "finish/cancel"} {
			w.WantStatus(caller+" at "+path, w.Visit(http.MethodPost, own+path, "Cookie", cookie, "Origin", w.Origin(session)), http.StatusForbidden)
		}
	}
}

// tryToEnter follows a ticket that somebody has got somehow.
func (w *world) tryToEnter(session sessions.Session, caller identity.Caller) (cookie string, entered bool) {
	w.T.Helper()
	answer := w.Visit(http.MethodGet, w.Ticket(session, caller))
	cookies := answer.Result().Cookies()
	if answer.Code != http.StatusSeeOther || len(cookies) != 1 {
		return "", false
	}
	return cookies[0].Name + "=" + cookies[0].Value, true
}
