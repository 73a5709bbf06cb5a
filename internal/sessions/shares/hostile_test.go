package shares_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/projects"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/shares"
)

// A link can't leak through a Referer, a proxy's log or a badge: its secret is behind the #, which browsers send nowhere, and it's in the
// answer to the call that made it alone.
func TestTheSecretOfALinkIsInNothingThatIsSentOrStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	made := w.share(session, `{"with":{"link":true},"can":"see"}`)
	secret := secretOf(t, made)
	if sent, _, _ := strings.Cut(made.URL, "#"); sent != sessionstest.Public+"/shared" || len(secret) < 26 { // 5 bits each
		t.Errorf("the link is %s", made.URL)
	}
	listed := w.call(http.MethodGet, "/sessions/"+session.ID+"/shares", "ann", "").Body.String()
	if strings.Contains(listed, secret) || strings.Contains(listed, "#") {
		t.Errorf("the list has it: %s", listed)
	}
	snapshot, err := w.Database.Snapshot(t.Context())
	sessionstest.Check(t, err)
	defer func() { _ = snapshot.Close() }()
	for _, table := range []string{"session_share", "audit_inbox", "session"} {
		var rows strings.Builder
		sessionstest.Check(t, snapshot.WriteTable(t.Context(), table, &rows, nil))
		if strings.Contains(rows.String(), secret) {
			t.Errorf("the table %s has it", table)
		}
	}
}

// Whoever may see a session has nothing with which Jupyter's server, or any of the session's own addresses, lets them in.
func TestThoseWhoSeeReachNothingOfTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	w.Machine.SetLook(session.ID, broker.Look{Notebook: &broker.LookedAt{Path: "a.ipynb", Cells: []broker.LookCell{}}})
	w.share(session, `{"with":{"email":"bob@example.org"},"can":"see"}`)
	secret := secretOf(t, w.share(session, `{"with":{"link":true},"can":"edit"}`))
	answer := w.call(http.MethodGet, "/sessions/"+session.ID+"/see", "bob", "")
	w.WantStatus("looking", answer, http.StatusOK)
	if cookies := answer.Result().Cookies(); len(cookies) != 0 {
		t.Errorf("looking sets %v", cookies)
	}
	before := len(w.Upstream.Requests())
	w.WantStatus("bob's way in", w.call(http.MethodGet, "/hub/resume/session/"+session.ID, "bob", ""), http.StatusForbidden)
	for _, path := range []string{"api/contents", "api/kernels", "tree", "api/sessions", "files/a.ipynb"} {
		for name, headers := range map[string][]string{
			"a link's header": {"Share-Link", secret}, "a link as cookie": {"Cookie", "cairn-s-" + session.ID + "=" + secret}, "a link as token": {"Authorization", "token " + secret},
		} {
			w.WantStatus(name+" at "+path, w.Visit(http.MethodGet, w.Inside(session, path), headers...), http.StatusUnauthorized)
		}
	}
	if after := len(w.Upstream.Requests()); after != before {
		t.Errorf("%d requests reached the session's server", after-before)
	}
}

func TestGuessedLinksAreThrottled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	secret := secretOf(t, w.share(session, `{"with":{"link":true},"can":"see"}`))
	api := httpapi.Observe(w.Options.Logger, w.Clock.Now, nil, w.API())
	from := func(address, method, path, body string, headers ...string) int {
		request := httptest.NewRequest(method, httpapi.Base+path, strings.NewReader(body))
		request.RemoteAddr = address
		request.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, request)
		return answer.Code
	}
	follow := func(address, link string) int {
		return from(address, http.MethodPost, "/sessions/shared", `{"link":"`+link+`"}`)
	}
	const guesser, other = "192.0.2.1:1000", "198.51.100.7:1000"
	for try := range 20 {
		var got int
		if try%2 == 0 { // both ways count
			got = follow(guesser, "GUESS")
		} else {
			got = from(guesser, http.MethodGet, "/sessions/"+session.ID+"/see", "", "Share-Link", "GUESS")
		}
		if got != http.StatusNotFound {
			t.Fatalf("guess %d: %d", try, got)
		}
	}
	if got := follow(guesser, "GUESS"); got != http.StatusTooManyRequests {
		t.Errorf("the 21st guess: %d", got)
	}
	if got := follow(guesser, secret); got != http.StatusTooManyRequests {
		t.Errorf("the right one after that: %d", got)
	}
	if got := follow(other, secret); got != http.StatusOK {
		t.Errorf("somebody else: %d", got)
	}
	w.Clock.Advance(time.Minute)
	if got := follow(guesser, secret); got != http.StatusOK {
		t.Errorf("a minute later: %d", got)
	}
}

// The ways in which a right ends, each of which cuts open websockets and pages, at this server and at others.
func TestOpenConnectionsEndWithTheirRight(t *testing.T) {
	t.Parallel()
	type shared struct {
		*world
		session sessions.Session
		share   shares.Share
	}
	for name, ending := range map[string]struct {
		code     string
		takeAway func(w shared)
	}{
		"the owner ends it": {"not_found", func(w shared) { w.end(w.session, w.share) }},
		"the owner lets them see": {"", func(w shared) {
			w.world.share(w.session, `{"with":{"email":"bob@example.org"},"can":"see"}`)
			w.end(w.session, w.share)
		}},
		"the member is removed": {"not_found", func(w shared) {
			sessionstest.Check(w.T, w.Entries.RemoveMember(w.As(w.Ann), w.Projects["notes"], "bob@example.org"))
		}},
		"the guest is disabled": {"account_disabled", func(w shared) { w.Enable("bob@example.org", false) }},
		"the owner is disabled": {"not_found", func(w shared) { w.Enable("ann@example.org", false) }},
		"its time is over":      {"not_found", func(w shared) { w.Clock.Advance(time.Hour) }},
		"the owner deletes it":  {"not_found", func(w shared) { sessionstest.Check(w.T, w.Server.Delete(w.As(w.Ann), []string{w.session.ID}, false)) }},
	} {
		for _, elsewhere := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", at another server"}[elsewhere], func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.Options.Timing.Recheck, w.Options.Timing.Views = 10*time.Millisecond, 10*time.Millisecond
				w.Server = w.NewService()
				w.Store = w.Server.Store
				w.Run(w.Server)
				session := w.Running("Session")
				w.Machine.SetLook(session.ID, broker.Look{Notebook: &broker.LookedAt{Path: "a.ipynb", Cells: []broker.LookCell{}}})
				_, err := w.Entries.SetMember(w.As(w.Ann), w.Projects["notes"], "bob@example.org", projects.Viewer)
				sessionstest.Check(t, err)
				made := w.share(session, `{"with":{"project":"`+w.Projects["notes"]+`"},"can":"edit","until":"`+w.Clock.Now().Add(time.Hour).Format(time.RFC3339)+`"}`)
				socket := w.OpenSocket(session, w.Enter(session, w.Bob))
				page := follow(t, w.API(), session, "bob")
				page.next("view")
				here := w.Server
				if elsewhere {
					w.Server = w.NewService()
				}
				ending.takeAway(shared{w, session, made})
				w.Server = here
				<-socket
				if ending.code != "" {
					page.wantEnded(ending.code)
				}
				if name == "the owner lets them see" {
					page.next("shared")
				}
			})
		}
	}
}

// signedOut are people whose sign-ins have ended, as identity.Service.CheckSignIn finds out.
type signedOut map[string]bool

// CheckSignIn implements viewing.Accounts.
func (s signedOut) CheckSignIn(_ context.Context, caller identity.Caller) error {
	if s[caller.Email] {
		return fault.New(fault.Unauthenticated, "Sign in again.")
	}
	return nil
}

// The end of a sign-in ends what it opened, and nothing of other people.
func TestSigningOutCutsThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Timing.Recheck, w.Options.Timing.Views = time.Hour, 10*time.Millisecond
	w.Server = w.NewService()
	w.Store = w.Server.Store
	w.Server.Viewing.Accounts = signedOut{"bob@example.org": true}
	session := w.Reconciled("Session")
	w.share(session, `{"with":{"email":"bob@example.org"},"can":"edit"}`)
	w.share(session, `{"with":{"email":"carol@example.org"},"can":"see"}`)
	w.Machine.SetLook(session.ID, broker.Look{Files: []broker.LookFile{{Path: "first"}}})
	bobs, carols := follow(t, w.API(), session, "bob"), follow(t, w.API(), session, "carol")
	bobs.next("view")
	carols.next("view")
	w.Run(w.Server)
	bobs.wantEnded("unauthenticated")
	w.Machine.SetLook(session.ID, broker.Look{Files: []broker.LookFile{{Path: "second"}}})
	for !strings.Contains(carols.next("change"), "second") { // bob's leaving is a change, too
	}
	socket := w.OpenSocket(session, w.Enter(session, w.Bob))
	w.SignOut(w.Bob)
	<-socket
}

// What editors leave behind is in the session, which is its owner's: nothing that they brought gets there, and nothing that they take away
// opens it again.
func TestEditorsBringNothingAndKeepNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	made := w.share(session, `{"with":{"email":"bob@example.org"},"can":"edit"}`)
	cookie := w.Enter(session, w.Bob)
	w.WantStatus("bob's page", w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie), http.StatusOK)
	last := w.Upstream.Last(t)
	for _, secret := range []string{strings.SplitN(cookie, "=", 2)[1], w.Bob.Login, w.Bob.Email, w.Bob.AccountID} {
		if text, err := json.Marshal(last.Header); err != nil || strings.Contains(string(text)+last.URL.String(), secret) {
			t.Errorf("the session learns %q: %s (%v)", secret, text, err)
		}
	}
	for _, path := range []string{"launch", "events"} {
		w.WantStatus("bob at "+path, w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/"+path, "Cookie", cookie), http.StatusForbidden)
	}
	for _, path := range []string{"stop", "keep", "finish", "finish/cancel", "start", "cancel"} {
		w.WantStatus("bob at "+path, w.Visit(http.MethodPost, w.Origin(session)+"/.cairn/s/"+session.ID+"/"+path, "Cookie", cookie, "Origin", w.Origin(session)), http.StatusForbidden)
	}
	w.end(session, made)
	w.WantStatus("bob's page after the end", w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie), http.StatusUnauthorized)
	said := w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/state", "Cookie", cookie)
	if w.WantStatus("the state after the end", said, http.StatusForbidden); !strings.Contains(said.Body.String(), "shared") {
		t.Errorf("the script is told %s", said.Body)
	}
	w.share(session, `{"with":{"email":"bob@example.org"},"can":"see"}`)
	w.WantStatus("bob's page when he may see", w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie), http.StatusForbidden)
}

// However many look, the session is asked once, and each change is made once.
func TestAThousandViewersAskOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Running("Session")
	cell := func(text string) broker.Look {
		return broker.Look{Notebook: &broker.LookedAt{Path: "a.ipynb", Cells: []broker.LookCell{{ID: "a", Kind: "code", Source: text, Outputs: []map[string]any{}}}}}
	}
	w.Machine.SetLook(session.ID, cell("first"))
	secret := secretOf(t, w.share(session, `{"with":{"link":true},"can":"see"}`))
	api := w.API()
	var ready, seen []*recorder
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 1000 {
		one := newRecorder()
		request := httptest.NewRequestWithContext(ctx, http.MethodGet, httpapi.Base+"/sessions/"+session.ID+"/see/events", http.NoBody)
		request.Header.Set("Share-Link", secret)
		go api.ServeHTTP(one, request)
		ready = append(ready, one)
	}
	for _, one := range ready {
		one.await(t, "first")
	}
	before := w.Machine.Looked(session.ID)
	w.Machine.SetLook(session.ID, cell("second"))
	for _, one := range ready {
		one.await(t, "second")
		seen = append(seen, one)
	}
	if asked := w.Machine.Looked(session.ID) - before; asked > len(seen)/2 { // once a second, however long a slow machine takes
		t.Errorf("the session was asked %d times for %d viewers", asked, len(seen))
	}
	if present, err := w.Server.Shares.Present(t.Context(), session, ""); err != nil || len(present) != 1 || present[0].Name != "" {
		t.Errorf("there are %+v (%v)", present, err)
	}
}
