package sessions

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/sqldb"
)

const belongsText = "This page belongs to a session. Open it from the catalog, where you are signed in."

// upgrade is what a browser sends to open a websocket; the handshake is not completed in these tests.
var upgrade = []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="}

func TestTicketBecomesACookieAndLeavesTheAddress(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.running("Session")
	starting := w.start("starting")
	for _, test := range []struct {
		session Session
		target  string
	}{
		{session, "/s/" + session.ID + "/edit/tools/README.md"}, {starting, "/.cairn/s/" + starting.ID + "/launch"},
	} {
		answer := w.visit(http.MethodGet, w.ticket(test.session, w.ann))
		w.wantStatus("entering", answer, http.StatusSeeOther)
		if got := answer.Header().Get("Location"); got != test.target {
			t.Errorf("it leads to %q, want %q", got, test.target)
		}
		if answer.Header().Get("Referrer-Policy") != "no-referrer" || answer.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("the ticket may leak: %v", answer.Header())
		}
	}
	cookie := w.enter(session, w.ann)
	answer := w.visit(http.MethodGet, w.inside(session, "tree"), "Cookie", cookie)
	if answer.Code != http.StatusOK || answer.Body.String() != "Jupyter at /s/"+session.ID+"/tree" {
		t.Errorf("got %d %s", answer.Code, answer.Body)
	}
	answer = w.visit(http.MethodGet, w.origin(session)+"/", "Cookie", cookie)
	if got := answer.Header().Get("Location"); answer.Code != http.StatusFound || got != "/s/"+session.ID+"/" {
		t.Errorf("the root of the origin: %d to %q", answer.Code, got)
	}
}

// CVE-2026-40864, CVE-2024-28233: cookies that sibling hosts share, read or plant.
func TestCookiesAreHostOnlyAndBoundToOneSession(t *testing.T) {
	t.Parallel()
	for form, secure := range map[string]bool{hostForm: false, secureForm: true, pathForm: true} {
		w := newWorldAt(t, form)
		session := w.running("Session")
		answer := w.visit(http.MethodGet, w.ticket(session, w.ann))
		cookie := answer.Result().Cookies()[0]
		name := "cairn-s-" + session.ID
		if secure {
			name = "__Host-" + name
		}
		if cookie.Name != name || cookie.Path != "/" || cookie.Domain != "" || !cookie.HttpOnly || cookie.Secure != secure ||
			cookie.SameSite != http.SameSiteLaxMode || cookie.MaxAge != 8*60*60 {
			t.Errorf("%s: got %s", form, answer.Header().Get("Set-Cookie"))
		}
	}
}

// CVE-2026-55431, CVE-2024-22421: secrets in addresses.
func TestTicketsLeadOnceToTheirOwnSessionOnly(t *testing.T) {
	t.Parallel()
	for _, form := range []string{hostForm, pathForm} {
		w := newWorldAt(t, form)
		first, second := w.running("first"), w.running("second")
		refused := func(what, address string, status int, headers ...string) {
			t.Helper()
			answer := w.visit(http.MethodGet, address, headers...)
			w.wantStatus(form+" "+what, answer, status)
			if len(answer.Result().Cookies()) != 0 {
				t.Errorf("%s: it set a cookie", what)
			}
		}
		used := w.ticket(first, w.ann)
		w.wantStatus("HEAD", w.visit(http.MethodHead, used), http.StatusForbidden) // of programs that look at links
		refused("a prefetch", used, http.StatusForbidden, "Sec-Purpose", "prefetch")
		refused("a prefetch of old", used, http.StatusForbidden, "Purpose", "prefetch")
		w.wantStatus("the first use", w.visit(http.MethodGet, used), http.StatusSeeOther)
		refused("the second use", used, http.StatusUnauthorized)

		moved := strings.ReplaceAll(w.ticket(first, w.ann), first.ID, second.ID)
		refused("another session's ticket", moved, http.StatusUnauthorized)
		refused("no ticket", strings.Split(used, "?")[0], http.StatusUnauthorized)
		late := w.ticket(first, w.ann)
		w.clock.advance(ticketLifetime + time.Second)
		refused("a ticket that is too old", late, http.StatusUnauthorized)

		disabled := w.ticket(first, w.ann)
		w.enable(w.ann.Email, false)
		refused("a disabled account", disabled, http.StatusForbidden)
	}
}

// CVE-2024-28179: the upgrade to a websocket skipped the check.
func TestWithoutACookieNothingIsRevealedAndNothingPasses(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.running("A secret name")
	for _, path := range []string{
		"/s/ID/", "/s/ID/tree", "/s/ID/api/kernels/1/channels", "/s/ID/files/secret.txt?token=x", "/.cairn/s/ID/launch", "/.cairn/s/ID/events",
		"/.cairn/s/ID/signed-in/tree",
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete, http.MethodOptions} {
			for what, headers := range map[string][]string{
				"nothing": nil, "an upgrade": upgrade, "the own origin": {"Origin", w.origin(session)},
				"an upgrade from the own origin": append([]string{"Origin", w.origin(session)}, upgrade...),
				"a wrong cookie":                 {"Cookie", "cairn-s-" + session.ID + "=x"}, "an empty cookie": {"Cookie", "cairn-s-" + session.ID + "="},
				"a token": {"Authorization", "token x"},
			} {
				if strings.HasPrefix(path, "/.cairn/") && method != http.MethodGet && method != http.MethodHead {
					continue
				}
				ask := func(id string) *http.Request {
					return request(method, w.options.Address.Origin(sessionKind, id)+strings.ReplaceAll(path, "ID", id), headers...)
				}
				w.wantRefused(method+" "+path+" with "+what, ask(session.ID), http.StatusUnauthorized, belongsText)
				if known, unknown := w.page(ask(session.ID)), w.page(ask(someID)); strings.ReplaceAll(known, session.ID, someID) != unknown {
					t.Errorf("%s %s with %s: a stranger can tell a session from none:\n%s\n%s", method, path, what, known, unknown)
				}
			}
		}
	}
	page := w.page(request(http.MethodGet, w.inside(session, "tree")))
	if !strings.Contains(page, `href="`+public+"/sessions/"+session.ID+`/open?next=`) {
		t.Errorf("the page does not lead to the session: %s", page)
	}
	for _, secret := range []string{"A secret name", "ann", "notes", "RUNNING"} {
		if strings.Contains(page, secret) {
			t.Errorf("the page reveals %q", secret)
		}
	}
}

func (w *world) page(made *http.Request) string {
	answer := httptest.NewRecorder()
	w.service.Gateway().ServeHTTP(answer, made)
	return answer.Body.String()
}

func TestCookieOfAnotherSessionOrUserIsWorthless(t *testing.T) {
	t.Parallel()
	for _, form := range []string{hostForm, pathForm} {
		w := newWorldAt(t, form)
		first, second := w.running("first"), w.running("second")
		bobs, err := w.service.Start(w.as(w.bob), w.projects["bob's"], "bob's", "", "", "")
		check(t, err)
		_, annsSecret, _ := strings.Cut(w.enter(first, w.ann), "=")
		_, bobsSecret, _ := strings.Cut(w.enter(bobs, w.bob), "=")
		// Such a row is never made; if one were, the session's owner still decides.
		forged, err := w.store.Issue(t.Context(), cookieKind, pass{sessionID: second.ID, accountID: w.bob.AccountID})
		check(t, err)
		_, ticket, _ := strings.Cut(w.ticket(second, w.ann), "?ticket=")
		for what, secret := range map[string]string{
			"the owner's cookie of another session": annsSecret, "a stranger's cookie": bobsSecret, "a ticket": ticket,
			"a stranger's cookie for this session": forged, "a digest": digest(annsSecret), "nothing": "",
		} {
			name := (&gateway{Service: w.service}).cookieName(second.ID)
			w.wantRefused(form+" "+what, request(http.MethodGet, w.inside(second, "tree"), "Cookie", name+"="+secret), http.StatusUnauthorized, belongsText)
		}
	}
}

// Jupyter behind a proxy checks no origins: foreign pages must be stopped here, websockets included (CVE-2020-36191).
func TestOnlyTheSessionsOwnPagesMayChangeAnything(t *testing.T) {
	t.Parallel()
	for _, form := range []string{hostForm, secureForm, pathForm} {
		w := newWorldAt(t, form)
		session, sibling := w.running("Session"), w.running("Sibling")
		cookie := w.enter(session, w.ann)
		foreign := []string{
			"", "null", "http://evil.example", public, strings.Replace(w.origin(session), "://", "://x", 1), w.origin(session) + ".evil.example",
			w.origin(session) + "/", strings.ToUpper(w.origin(session)), w.origin(session) + " http://evil.example", "http://" + w.origin(session),
		}
		if form != pathForm {
			foreign = append(foreign, w.origin(sibling))
		}
		ask := func(method, origin string, headers ...string) *http.Request {
			headers = append([]string{"Cookie", cookie}, headers...)
			if origin != "" {
				headers = append(headers, "Origin", origin)
			}
			return request(method, w.inside(session, "api/contents"), headers...)
		}
		for _, origin := range foreign {
			for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions} {
				w.wantRefused(form+" "+method+" from "+origin, ask(method, origin), http.StatusForbidden, foreignText)
			}
			w.wantRefused(form+" a websocket from "+origin, ask(http.MethodGet, origin, upgrade...), http.StatusForbidden, foreignText)
			w.wantStatus(form+" GET from "+origin, w.visit(http.MethodGet, w.inside(session, "tree"), "Cookie", cookie), http.StatusOK)
		}
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			answer := httptest.NewRecorder()
			w.service.Gateway().ServeHTTP(answer, ask(method, w.origin(session)))
			w.wantStatus(form+" "+method+" from the own page", answer, http.StatusOK)
		}
	}
}

// CVE-2026-56750, GHSA-3rw9-wmc8-8948: sessions that outlived their owner's right to them.
func TestAccessEndsWithTheRightToIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.reconciled("Session") // a reconciler at work would stop it while its owner is disabled
	tree := w.inside(session, "tree")
	cookie := w.enter(session, w.ann)
	opens := func(status int) {
		t.Helper()
		w.wantStatus("the tree", w.visit(http.MethodGet, tree, "Cookie", cookie), status)
	}
	opens(http.StatusOK)
	w.enable(w.ann.Email, false)
	w.wantRefused("a disabled account", request(http.MethodGet, tree, "Cookie", cookie), http.StatusForbidden, "help@example.org")
	w.enable(w.ann.Email, true)
	opens(http.StatusOK)

	phone := w.ann
	phone.Login = "ann's phone"
	other := w.enter(session, phone)
	check(t, w.service.EndAccess(w.as(phone)))
	opens(http.StatusOK)
	w.wantStatus("the phone after its sign-out", w.visit(http.MethodGet, tree, "Cookie", other), http.StatusUnauthorized)

	w.run(w.service)
	check(t, w.service.Delete(w.as(w.ann), []string{session.ID}, false))
	opens(http.StatusUnauthorized)
}

func TestCookieInUseIsRenewed(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.running("Session")
	cookie := w.enter(session, w.ann)
	visit := func(after time.Duration, status int, renewed bool) {
		t.Helper()
		w.clock.advance(after)
		answer := w.visit(http.MethodGet, w.inside(session, "tree"), "Cookie", cookie)
		w.wantStatus("the tree", answer, status)
		got := answer.Header().Get("Set-Cookie")
		if (got != "") != renewed || (renewed && !strings.HasPrefix(got, cookie+";")) {
			t.Errorf("after %s: set %q, want it renewed: %t", after, got, renewed)
		}
	}
	visit(time.Hour, http.StatusOK, false)
	visit(time.Second, http.StatusOK, true)
	visit(time.Hour, http.StatusOK, false)
	visit(7*time.Hour, http.StatusOK, true)
	visit(8*time.Hour+time.Second, http.StatusUnauthorized, false)
}

// What a caller's token says of somebody who has no account any more opens nothing.
func TestCookieOfAnAccountThatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.running("Session")
	secret, err := w.store.Issue(t.Context(), cookieKind, pass{sessionID: session.ID, accountID: sqldb.NewID()})
	check(t, err)
	w.wantRefused("gone", request(http.MethodGet, w.inside(session, ""), "Cookie", "cairn-s-"+session.ID+"="+secret), http.StatusUnauthorized, belongsText)
}

// A tab of Jupyter in use would otherwise outlive an account that its provider has ended.
func TestCookieInUseEndsAfterTheLastValidToken(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.options.CookieLife = 12 * time.Hour
		w.service = w.newService()
		w.run(w.service)
		session := w.running("Session")
		cookie := w.enter(session, w.ann)
		visit := func(after time.Duration, status int) {
			t.Helper()
			w.clock.advance(after)
			w.wantStatus("the tree", w.visit(http.MethodGet, w.inside(session, "tree"), "Cookie", cookie), status)
		}
		visit(6*time.Hour, http.StatusOK)
		visit(6*time.Hour-time.Second, http.StatusOK)
		visit(time.Second, http.StatusUnauthorized)
		check(t, w.accounts.MarkSeen(t.Context(), w.ann.AccountID))
		visit(0, http.StatusOK)
	})
}
