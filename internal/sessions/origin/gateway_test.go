package origin_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sessionstest"
)

const belongsText = "This page belongs to a session. Open it from the catalog, where you are signed in."

// upgrade is what a browser sends to open a websocket; the handshake is not completed in these tests.
var upgrade = []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="}

func TestTicketBecomesACookieAndLeavesTheAddress(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	starting := w.Start("starting")
	for _, test := range []struct {
		session sessions.Session
		target  string
	}{
		{session, "/s/" + session.ID + "/edit/tools/README.md"}, {starting, "/.cairn/s/" + starting.ID + "/launch"},
	} {
		answer := w.Visit(http.MethodGet, w.Ticket(test.session, w.Ann))
		w.WantStatus("entering", answer, http.StatusSeeOther)
		if got := answer.Header().Get("Location"); got != test.target {
			t.Errorf("it leads to %q, want %q", got, test.target)
		}
		if answer.Header().Get("Referrer-Policy") != "no-referrer" || answer.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("the ticket may leak: %v", answer.Header())
		}
	}
	cookie := w.Enter(session, w.Ann)
	answer := w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie)
	if answer.Code != http.StatusOK || answer.Body.String() != "Jupyter at /s/"+session.ID+"/tree" {
		t.Errorf("got %d %s", answer.Code, answer.Body)
	}
	answer = w.Visit(http.MethodGet, w.Origin(session)+"/", "Cookie", cookie)
	if got := answer.Header().Get("Location"); answer.Code != http.StatusFound || got != "/s/"+session.ID+"/" {
		t.Errorf("the root of the origin: %d to %q", answer.Code, got)
	}
}

// CVE-2026-40864, CVE-2024-28233: cookies that sibling hosts share, read or plant.
func TestCookiesAreHostOnlyAndBoundToOneSession(t *testing.T) {
	t.Parallel()
	for form, secure := range map[string]bool{sessionstest.HostForm: false, sessionstest.SecureForm: true, sessionstest.PathForm: true} {
		w := newWorldAt(t, form)
		session := w.Running("Session")
		answer := w.Visit(http.MethodGet, w.Ticket(session, w.Ann))
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
	for _, form := range []string{sessionstest.HostForm, sessionstest.PathForm} {
		w := newWorldAt(t, form)
		first, second := w.Running("first"), w.Running("second")
		refused := func(what, address string, status int, headers ...string) {
			t.Helper()
			answer := w.Visit(http.MethodGet, address, headers...)
			w.WantStatus(form+" "+what, answer, status)
			if len(answer.Result().Cookies()) != 0 {
				t.Errorf("%s: it set a cookie", what)
			}
		}
		used := w.Ticket(first, w.Ann)
		w.WantStatus("HEAD", w.Visit(http.MethodHead, used), http.StatusForbidden) // of programs that look at links
		refused("a prefetch", used, http.StatusForbidden, "Sec-Purpose", "prefetch")
		refused("a prefetch of old", used, http.StatusForbidden, "Purpose", "prefetch")
		w.WantStatus("the first use", w.Visit(http.MethodGet, used), http.StatusSeeOther)
		refused("the second use", used, http.StatusUnauthorized)

		moved := strings.ReplaceAll(w.Ticket(first, w.Ann), first.ID, second.ID)
		refused("another session's ticket", moved, http.StatusUnauthorized)
		refused("no ticket", strings.Split(used, "?")[0], http.StatusUnauthorized)
		late := w.Ticket(first, w.Ann)
		w.Clock.Advance(origin.TicketLifetime + time.Second)
		refused("a ticket that is too old", late, http.StatusUnauthorized)

		disabled := w.Ticket(first, w.Ann)
		w.Enable(w.Ann.Email, false)
		refused("a disabled account", disabled, http.StatusForbidden)
	}
}

// CVE-2024-28179: the upgrade to a websocket skipped the check.
func TestWithoutACookieNothingIsRevealedAndNothingPasses(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("A secret name")
	for _, path := range []string{
		"/s/ID/", "/s/ID/tree", "/s/ID/api/kernels/1/channels", "/s/ID/files/secret.txt?token=x", "/.cairn/s/ID/launch", "/.cairn/s/ID/events",
		"/.cairn/s/ID/signed-in/tree",
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete, http.MethodOptions} {
			for what, headers := range map[string][]string{
				"nothing": nil, "an upgrade": upgrade, "the own origin": {"Origin", w.Origin(session)},
				"an upgrade from the own origin": append([]string{"Origin", w.Origin(session)}, upgrade...),
				"a wrong cookie":                 {"Cookie", "cairn-s-" + session.ID + "=x"}, "an empty cookie": {"Cookie", "cairn-s-" + session.ID + "="},
				"a token": {"Authorization", "token x"},
			} {
				if strings.HasPrefix(path, "/.cairn/") && method != http.MethodGet && method != http.MethodHead {
					continue
				}
				ask := func(id string) *http.Request {
					return sessionstest.Request(method, w.Options.Address.Origin("s", id)+strings.ReplaceAll(path, "ID", id), headers...)
				}
				w.WantRefused(method+" "+path+" with "+what, ask(session.ID), http.StatusUnauthorized, belongsText)
				if known, unknown := w.page(ask(session.ID)), w.page(ask(sessionstest.SomeID)); strings.ReplaceAll(known, session.ID, sessionstest.SomeID) != unknown {
					t.Errorf("%s %s with %s: a stranger can tell a session from none:\n%s\n%s", method, path, what, known, unknown)
				}
			}
		}
	}
	page := w.page(sessionstest.Request(http.MethodGet, w.Inside(session, "tree")))
	if !strings.Contains(page, `href="`+sessionstest.Public+"/sessions/"+session.ID+`/open?next=`) {
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
	w.Server.Gateway.ServeHTTP(answer, made)
	return answer.Body.String()
}

func TestCookieOfAnotherSessionOrUserIsWorthless(t *testing.T) {
	t.Parallel()
	for _, form := range []string{sessionstest.HostForm, sessionstest.PathForm} {
		w := newWorldAt(t, form)
		first, second := w.Running("first"), w.Running("second")
		bobs, err := w.Server.Start(w.As(w.Bob), w.Projects["bob's"], "bob's", "", "", "")
		sessionstest.Check(t, err)
		_, annsSecret, _ := strings.Cut(w.Enter(first, w.Ann), "=")
		_, bobsSecret, _ := strings.Cut(w.Enter(bobs, w.Bob), "=")
		// Such a row is never made; if one were, the session's owner still decides.
		forged, err := w.secrets().Issue(t.Context(), origin.CookieKind, origin.Grant{SessionID: second.ID, AccountID: w.Bob.AccountID})
		sessionstest.Check(t, err)
		_, ticket, _ := strings.Cut(w.Ticket(second, w.Ann), "?ticket=")
		for what, secret := range map[string]string{
			"the owner's cookie of another session": annsSecret, "a stranger's cookie": bobsSecret, "a ticket": ticket,
			"a stranger's cookie for this session": forged, "a digest": origin.Digest(annsSecret), "nothing": "",
		} {
			name := w.Server.Gateway.CookieName(second.ID)
			w.WantRefused(form+" "+what, sessionstest.Request(http.MethodGet, w.Inside(second, "tree"), "Cookie", name+"="+secret), http.StatusUnauthorized, belongsText)
		}
	}
}

// Jupyter behind a proxy checks no origins: foreign pages must be stopped here, websockets included (CVE-2020-36191).
func TestOnlyTheSessionsOwnPagesMayChangeAnything(t *testing.T) {
	t.Parallel()
	for _, form := range []string{sessionstest.HostForm, sessionstest.SecureForm, sessionstest.PathForm} {
		w := newWorldAt(t, form)
		session, sibling := w.Running("Session"), w.Running("Sibling")
		cookie := w.Enter(session, w.Ann)
		foreign := []string{
			"", "null", "http://evil.example", sessionstest.Public, strings.Replace(w.Origin(session), "://", "://x", 1), w.Origin(session) + ".evil.example",
			w.Origin(session) + "/", strings.ToUpper(w.Origin(session)), w.Origin(session) + " http://evil.example", "http://" + w.Origin(session),
		}
		if form != sessionstest.PathForm {
			foreign = append(foreign, w.Origin(sibling))
		}
		ask := func(method, site string, headers ...string) *http.Request {
			headers = append([]string{"Cookie", cookie}, headers...)
			if site != "" {
				headers = append(headers, "Origin", site)
			}
			return sessionstest.Request(method, w.Inside(session, "api/contents"), headers...)
		}
		for _, site := range foreign {
			for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions} {
				w.WantRefused(form+" "+method+" from "+site, ask(method, site), http.StatusForbidden, origin.ForeignText)
			}
			w.WantRefused(form+" a websocket from "+site, ask(http.MethodGet, site, upgrade...), http.StatusForbidden, origin.ForeignText)
			w.WantStatus(form+" GET from "+site, w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie), http.StatusOK)
		}
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			answer := httptest.NewRecorder()
			w.Server.Gateway.ServeHTTP(answer, ask(method, w.Origin(session)))
			w.WantStatus(form+" "+method+" from the own page", answer, http.StatusOK)
		}
	}
}

// CVE-2026-56750, GHSA-3rw9-wmc8-8948: sessions that outlived their owner's right to them.
func TestAccessEndsWithTheRightToIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session") // a reconciler at work would stop it while its owner is disabled
	tree := w.Inside(session, "tree")
	cookie := w.Enter(session, w.Ann)
	opens := func(status int) {
		t.Helper()
		w.WantStatus("the tree", w.Visit(http.MethodGet, tree, "Cookie", cookie), status)
	}
	opens(http.StatusOK)
	w.Enable(w.Ann.Email, false)
	w.WantRefused("a disabled account", sessionstest.Request(http.MethodGet, tree, "Cookie", cookie), http.StatusForbidden, "help@example.org")
	w.Enable(w.Ann.Email, true)
	opens(http.StatusOK)

	phone := w.Ann
	phone.Login = "ann's phone"
	other := w.Enter(session, phone)
	w.SignOut(phone)
	opens(http.StatusOK)
	w.WantStatus("the phone after its sign-out", w.Visit(http.MethodGet, tree, "Cookie", other), http.StatusUnauthorized)

	w.Run(w.Server)
	sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), []string{session.ID}, false))
	opens(http.StatusUnauthorized)
}

func TestCookieInUseIsRenewed(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	visit := func(after time.Duration, status int, renewed bool) {
		t.Helper()
		w.Clock.Advance(after)
		answer := w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie)
		w.WantStatus("the tree", answer, status)
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
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	secret, err := w.secrets().Issue(t.Context(), origin.CookieKind, origin.Grant{SessionID: session.ID, AccountID: sqldb.NewID()})
	sessionstest.Check(t, err)
	w.WantRefused("gone", sessionstest.Request(http.MethodGet, w.Inside(session, ""), "Cookie", "cairn-s-"+session.ID+"="+secret), http.StatusUnauthorized, belongsText)
}

// A tab of Jupyter in use would otherwise outlive an account that its provider has ended.
func TestCookieInUseEndsAfterTheLastValidToken(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Options.CookieLife = 12 * time.Hour
		w.Server = w.NewService()
		w.Run(w.Server)
		session := w.Running("Session")
		cookie := w.Enter(session, w.Ann)
		visit := func(after time.Duration, status int) {
			t.Helper()
			w.Clock.Advance(after)
			w.WantStatus("the tree", w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie), status)
		}
		visit(6*time.Hour, http.StatusOK)
		visit(6*time.Hour-time.Second, http.StatusOK)
		visit(time.Second, http.StatusUnauthorized)
		sessionstest.Check(t, w.Accounts.MarkSeen(t.Context(), w.Ann.AccountID))
		visit(0, http.StatusOK)
	})
}
