package shares_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/shares"
)

func TestSharesOfEarlierLaunchesMakeRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Running("Session")
	for range 100 {
		w.share(session, `{"with":{"link":true},"can":"see"}`)
	}
	w.WantStatus("one too many", w.call(http.MethodPost, "/sessions/"+session.ID+"/shares", "ann", `{"with":{"link":true},"can":"see"}`), http.StatusConflict)
	_, err := w.Server.Terminate(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	w.Clock.Advance(time.Minute)
	_, err = w.Server.Restart(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	w.share(session, `{"with":{"link":true},"can":"see"}`)
}

func TestManyWhoLookHideNobodyWhoWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	w.share(session, `{"with":{"email":"bob@example.org"},"can":"edit"}`)
	right, err := w.Server.Shares.RightToEnter(t.Context(), session.ID, w.Bob.AccountID)
	sessionstest.Check(t, err)
	_, err = w.Server.Presence.Enter(w.As(w.Bob), right, shares.Edit, true)
	sessionstest.Check(t, err)
	for i := range 250 {
		other := right
		other.Account.AccountID = fmt.Sprintf("other-%d", i)
		_, err = w.Server.Presence.Enter(w.As(w.Bob), other, shares.See, true)
		sessionstest.Check(t, err)
	}
	w.Clock.Advance(11 * time.Second)
	sessionstest.Check(t, w.Server.Presence.Look(t.Context()))
	present, err := w.Server.Shares.Present(t.Context(), session, w.Ann.AccountID)
	sessionstest.Check(t, err)
	last := present[len(present)-1]
	if present[0].Name != "bob" || present[0].As != "edit" || len(present) != 51 || last.Name != "" || last.People != 201 {
		t.Errorf("of 251, %d are listed: %+v ... %+v", len(present), present[0], last)
	}
}

// Each server counts its own, and people come and go.
func TestPeopleWithALinkAreCountedAcrossServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	secret := secretOf(t, w.share(session, `{"with":{"link":true},"can":"see","until":"`+w.Clock.Now().Add(time.Hour).Format(time.RFC3339)+`"}`))
	right, err := w.Server.Shares.RightToSee(t.Context(), session.ID, shares.Visitor{Link: secret})
	sessionstest.Check(t, err)
	second := w.NewService()
	var leave []func()
	for range 5 {
		gone, err := w.Server.Presence.Enter(t.Context(), right, shares.See, true)
		sessionstest.Check(t, err)
		leave = append(leave, gone)
	}
	_, err = second.Presence.Enter(t.Context(), right, shares.See, true)
	sessionstest.Check(t, err)
	for _, want := range []int{6, 4, 1} {
		for range 5 {
			w.Clock.Advance(10 * time.Second)
			sessionstest.Check(t, w.Server.Presence.Look(t.Context()))
			sessionstest.Check(t, second.Presence.Look(t.Context()))
		}
		if present, err := w.Server.Shares.Present(t.Context(), session, ""); err != nil || len(present) != 1 || present[0].People != want {
			t.Errorf("%d look, and it says %+v (%v)", want, present, err)
		}
		for range map[int]int{6: 2, 4: 3}[want] {
			leave[0]()
			leave = leave[1:]
		}
	}
}

func TestFurtherLinksCountToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	first, second := w.share(session, `{"with":{"link":true},"can":"edit"}`), w.share(session, `{"with":{"link":true},"can":"see"}`)
	for _, one := range []shares.Share{first, second} {
		w.WantStatus("following", w.call(http.MethodPost, "/sessions/shared", "bob", `{"link":"`+secretOf(t, one)+`"}`), http.StatusOK)
	}
	w.end(session, first)
	if got := w.level(session, w.Bob); got != shares.See {
		t.Errorf("after the end of the first, bob may %q", got)
	}
	over := w.share(session, `{"with":{"link":true},"can":"see","until":"`+w.Clock.Now().Add(time.Minute).Format(time.RFC3339)+`"}`)
	w.Clock.Advance(time.Minute)
	w.WantStatus("a link whose time is over, with another right", w.call(http.MethodPost, "/sessions/shared", "bob", `{"link":"`+secretOf(t, over)+`"}`), http.StatusNotFound)
}

// An old link that a class still opens doesn't count as a guess.
func TestLinksThatExistAreNoGuesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Sharing.Links = shares.LinksForSignedIn
	w.Server = w.NewService()
	session := w.Reconciled("Session")
	secret := secretOf(t, w.share(session, `{"with":{"link":true},"can":"see"}`))
	for range 30 {
		w.WantStatus("without an account", w.call(http.MethodGet, "/sessions/"+session.ID+"/see", "", "", "Share-Link", secret), http.StatusUnauthorized)
	}
	w.WantStatus("with one", w.call(http.MethodPost, "/sessions/shared", "bob", `{"link":"`+secret+`"}`), http.StatusOK)
}

// Whoever copies again and again doesn't fill the owner's versions, and a start that fails makes none.
func TestCopiesMakeFewVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	share := w.share(session, `{"with":{"email":"bob@example.org"},"can":"copy"}`)
	versioner, err := w.Server.Engines.VersionerOf(session.Engine)
	sessionstest.Check(t, err)
	count := func() int {
		_, total, err := versioner.Versions(t.Context(), session.ID, engine.VersionFilter{Most: 1})
		sessionstest.Check(t, err)
		return total
	}
	before := count()
	for try := range 40 {
		w.Clock.Advance(time.Minute)
		w.Machine.Put(session.ID, "notes.txt", fmt.Sprint(try))
		if got := w.statusOf(http.MethodPost, "/sessions", "bob", `{"fromShare":"`+share.ID+`"}`); got != map[bool]int{true: http.StatusCreated, false: http.StatusConflict}[try < 3] {
			t.Errorf("copy %d: %d", try, got)
		}
	}
	if made := count() - before; made != 3 {
		t.Errorf("three copies and 37 refusals made %d versions", made)
	}
	key := func() string {
		answer := w.call(http.MethodPost, "/sessions", "carol", `{"fromShare":"`+w.share(session, `{"with":{"email":"carol@example.org"},"can":"copy"}`).ID+`"}`, "Idempotency-Key", "once")
		w.WantStatus("with a key", answer, http.StatusCreated)
		return sessionstest.Decode[sessions.Session](t, answer).ID
	}
	if first, again := key(), key(); first != again || count()-before != 4 {
		t.Errorf("the same key makes %s and %s, and %d versions", first, again, count()-before)
	}
}

func TestCopiesHaveOnlyWhatTheirOwnersMayRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	w.Publish("spikes", "DATASET", "secret-bucket/spikes", "PRIVATE")
	made := w.share(session, `{"with":{"email":"carol@example.org"},"can":"copy"}`)
	answer := w.call(http.MethodPost, "/sessions", "carol", `{"fromShare":"`+made.ID+`"}`)
	w.WantStatus("copying", answer, http.StatusCreated)
	if copied := sessionstest.Decode[sessions.Session](t, answer); len(copied.Project.Datasets) != 1 || strings.Contains(answer.Body.String(), "a/spikes") {
		t.Errorf("the copy has %+v", copied.Project.Datasets)
	}
	w.Publish("tools", "REPOSITORY", "https://github.com/example/tools.git", "PRIVATE")
	refused := w.call(http.MethodPost, "/sessions", "carol", `{"fromShare":"`+made.ID+`"}`)
	if w.WantStatus("of a private repository", refused, http.StatusConflict); strings.Contains(refused.Body.String(), "tools") {
		t.Errorf("the refusal names it: %s", refused.Body)
	}
}

func TestThoseWhoAskLearnNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	asked := w.ask(session, "bob", `{"kind":"enter"}`)
	w.WantStatus("refusing", w.call(http.MethodPatch, "/sessions/"+session.ID+"/requests/"+asked.ID, "ann", `{"granted":false}`), http.StatusOK)
	if got := w.call(http.MethodGet, "/sessions/"+session.ID+"/requests", "bob", "").Body.String(); strings.Contains(got, "ann@") || strings.Contains(got, "Session\"") {
		t.Errorf("bob, who was refused, sees %s", got)
	}
}

func TestRequestsDontGrow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	for range 10 {
		asked := w.ask(session, "bob", `{"kind":"enter"}`)
		w.WantStatus("taking it back", w.call(http.MethodPatch, "/sessions/"+session.ID+"/requests/"+asked.ID, "bob", `{"granted":false}`), http.StatusOK)
	}
	if found, err := w.Server.Shares.Requests(w.As(w.Ann), session.ID); err != nil || len(found) != 0 {
		t.Errorf("%d requests are kept that were taken back (%v)", len(found), err)
	}
	for range 20 {
		w.ask(session, "bob", `{"kind":"enter"}`)
	}
	w.WantStatus("the 31st in an hour", w.call(http.MethodPost, "/sessions/"+session.ID+"/requests", "bob", `{"kind":"enter"}`), http.StatusTooManyRequests)
}

func TestAnswersTakeNothingAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	w.share(session, `{"with":{"email":"carol@example.org"},"can":"edit"}`)
	asked := w.ask(session, "ann", `{"kind":"help"}`)
	w.WantStatus("granting", w.call(http.MethodPatch, "/sessions/"+session.ID+"/requests/"+asked.ID, "carol", `{"granted":true}`), http.StatusOK)
	if got := w.level(session, w.carol); got != shares.Edit {
		t.Errorf("carol, who helps, may %q", got)
	}
}

// The list of sessions counts as changed once a share has ended by its time.
func TestTheEndOfAShareChangesTheList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	w.share(session, `{"with":{"link":true},"can":"see","until":"`+w.Clock.Now().Add(time.Hour).Format(time.RFC3339)+`"}`)
	before := w.Server.ListTag(w.As(w.Ann), sessions.Filter{})
	w.Clock.Advance(time.Hour)
	sessionstest.Check(t, w.Server.Presence.Look(t.Context()))
	if after := w.Server.ListTag(w.As(w.Ann), sessions.Filter{}); after == before || w.list().Shares != 0 {
		t.Errorf("the tags are %s and %s, and it's shared in %d ways", before, after, w.list().Shares)
	}
}

// One viewer can't keep others from looking.
func TestNobodyTakesAllNotebooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	w.share(session, `{"with":{"email":"bob@example.org"},"can":"see"}`)
	w.share(session, `{"with":{"email":"carol@example.org"},"can":"see"}`)
	api := w.API()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	refused := 0
	for i := range 20 {
		answer := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(ctx, http.MethodGet, httpapi.Base+"/sessions/"+session.ID+"/see/events?notebook="+url.QueryEscape(fmt.Sprintf("no-%d.ipynb", i)), http.NoBody)
		request.Header.Set("Test-Caller", "bob")
		done := make(chan struct{})
		before := w.Server.Viewing.Count()
		go func() {
			defer close(done)
			api.ServeHTTP(answer, request)
		}()
		sessionstest.Eventually(t, "it's open or refused", func() bool {
			select {
			case <-done:
				refused++
				return true
			default:
				return w.Server.Viewing.Count() > before
			}
		})
	}
	if refused != 17 {
		t.Errorf("%d of 20 were refused", refused)
	}
	for _, who := range []string{"carol", "ann"} {
		w.WantStatus(who, callAt(api, http.MethodGet, "/sessions/"+session.ID+"/see?notebook=other.ipynb", who, ""), http.StatusOK)
	}
}

// A viewer who reads nothing is cut like the others.
func TestThoseWhoReadNothingAreCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	made := w.share(session, `{"with":{"email":"bob@example.org"},"can":"see"}`)
	outputs := []map[string]any{}
	for range 8 {
		outputs = append(outputs, map[string]any{"output_type": "display_data", "data": map[string]any{"image/png": strings.Repeat("a", 500_000)}})
	}
	w.Machine.SetLook(session.ID, broker.Look{Notebook: &broker.LookedAt{Path: "a.ipynb", Cells: []broker.LookCell{{Kind: "code", Outputs: outputs}}}})
	server := httptest.NewServer(w.API())
	t.Cleanup(server.Close)
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	sessionstest.Check(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	_, err = fmt.Fprintf(connection, "GET %s/sessions/%s/see/events HTTP/1.1\r\nHost: x\r\nTest-Caller: bob\r\n\r\n", httpapi.Base, session.ID)
	sessionstest.Check(t, err)
	sessionstest.Eventually(t, "somebody looks", func() bool { return w.Server.Viewing.Count() == 1 })
	go w.Server.Viewing.Run(t.Context())
	w.end(session, made)
	sessionstest.Eventually(t, "nobody does", func() bool { return w.Server.Viewing.Count() == 0 })
}

// What the catalog asks of a session's server, with its own token, no guest and no page may ask.
func TestTheServersOwnPathsAreTheCatalogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	w.share(session, `{"with":{"email":"bob@example.org"},"can":"edit"}`)
	cookie := w.Enter(session, w.Bob)
	before := len(w.Upstream.Requests())
	for _, path := range []string{"cairn/finish", "cairn/ssh", "cairn/look", "%63airn/finish"} {
		w.WantStatus(path, w.Visit(http.MethodPost, w.Inside(session, path), "Cookie", cookie, "Origin", w.Origin(session)), http.StatusNotFound)
	}
	if after := len(w.Upstream.Requests()); after != before {
		t.Errorf("%d requests reached the session's server", after-before)
	}
}
