package idp

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// cookie returns the value of a cookie in the browser.
func (w *world) cookie(name string) string {
	w.Helper()
	at, err := url.Parse(w.options.Issuer + "/authorize")
	w.check(err)
	for _, cookie := range w.browser.Jar.Cookies(at) {
		if cookie.Name == name {
			return cookie.Value
		}
	}
	return ""
}

func TestSignInWithPassword(t *testing.T) {
	w := newWorld(t, withPasswords)
	bcrypted, err := bcrypt.GenerateFromPassword([]byte("another secret"), bcrypt.MinCost)
	w.check(err)
	w.options.Accounts[1].PasswordHash = string(bcrypted)
	w.restart()
	w.code(w.submit(" Ann@Example.ORG ", password))
	w.code(w.submit(bob, "another secret", "prompt", "login"))
}

func TestWrongPasswordAndUnknownAccountLookTheSame(t *testing.T) {
	w := newWorld(t, withPasswords)
	answers := map[string]string{}
	for name, attempt := range map[string][2]string{
		"wrong password": {ann, "wrong"}, "no password": {ann, ""}, "unknown account": {"eve@example.org", password},
		"long password": {ann, password + strings.Repeat("x", MaxPassword)}, "hash": {ann, testHash()},
	} {
		got := w.submit(attempt[0], attempt[1])
		if got.status != http.StatusForbidden || !strings.Contains(got.body, wrongLogin) ||
			!strings.Contains(got.body, `value="`+attempt[0]+`"`) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		answers[strings.ReplaceAll(got.body, attempt[0], "E-MAIL")] = name
	}
	if len(answers) != 1 {
		t.Errorf("the answers differ: %v", answers)
	}
	if w.cookie(loginCookie) != "" {
		t.Error("a failed attempt set the login cookie")
	}
}

// Guesses become slow and are refused, by account and by address; a right password isn't, whoever guessed before.
func TestGuessesAreSlow(t *testing.T) {
	for name, c := range map[string]struct {
		email    func(int) string
		attempts int
	}{
		"for an account":    {func(int) string { return ann }, accountAttempts},
		"from an address":   {func(i int) string { return strconv.Itoa(i) + "@example.org" }, addressAttempts},
		"in other spelling": {func(i int) string { return []string{"ann@example.org", " ann@example.org "}[i%2] }, accountAttempts},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, withPasswords)
			refused := 0
			for i := range c.attempts + 2 {
				got := w.submit(c.email(i), "wrong", "prompt", "login")
				if got.status != http.StatusTooManyRequests {
					if i >= c.attempts {
						t.Fatalf("attempt %d: %d", i, got.status)
					}
					continue
				}
				refused++
				if i < c.attempts {
					t.Fatalf("attempt %d is refused", i)
				}
				wait, err := strconv.Atoi(got.header.Get("Retry-After"))
				if err != nil || wait < 1 || !strings.Contains(got.body, tooMany) {
					t.Errorf("Retry-After %q, %s", got.header.Get("Retry-After"), got.body)
				}
			}
			if int(w.pauses.Load()) != refused {
				t.Errorf("%d of %d refused attempts were slow", w.pauses.Load(), refused)
			}
			w.browser = newBrowser(t)
			w.code(w.submit(ann, password, "prompt", "login")) // her new browser, at the same address
			if int(w.pauses.Load()) != refused+1 {
				t.Error("a right guess tells itself by its time")
			}
		})
	}
}

// Somebody who keeps trying wrong passwords takes nothing from the owner of the account.
func TestAttemptsOfOthersLockNobodyOut(t *testing.T) {
	w := newWorld(t, withPasswords)
	w.code(w.submit(ann, password, "prompt", "login"))
	owner, stranger := w.browser, newBrowser(t)
	w.browser = stranger
	for range addressAttempts + 1 {
		w.submit(ann, "wrong", "prompt", "login")
	}
	slow := w.pauses.Load()
	w.browser = owner
	w.code(w.submit(ann, password, "prompt", "login")) // although account and address are over their limits
	if w.pauses.Load() != slow {
		t.Error("a browser that the owner used before is slow")
	}
	if got := w.submit(bob, "wrong", "prompt", "login"); got.status != http.StatusTooManyRequests {
		t.Errorf("the browser is known for Ann's account alone: %d", got.status)
	}
	attempt := func(remote, email string) time.Duration {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
		request.RemoteAddr = remote
		return w.provider.delayAttempt(request, email, w.clock.Now())
	}
	if attempt("198.51.100.7:1", ann) != 0 {
		t.Error("another address pays for the guesses")
	}
	w.browser = stranger
	w.clock.advance(addressEvery)
	w.code(w.submit(bob, password, "prompt", "login"))
}

// Login CSRF: a form that was not shown to this browser, or for another request.
func TestLoginFormIsBoundToBrowserAndRequest(t *testing.T) {
	w := newWorld(t)
	action, proof := w.form()
	otherAction, _ := w.form("state", "other")
	form := func(proof string) url.Values { return url.Values{"proof": {proof}, "email": {ann}} }
	with := func(request *http.Request, name, value string) *http.Request {
		request.Header.Set(name, value)
		return request
	}
	refused := map[string]*http.Request{
		"no proof":             w.newPost(action, form("")),
		"wrong proof":          w.newPost(action, form("x")),
		"another request":      w.newPost(otherAction, form(proof)),
		"changed address":      w.newPost(action+"&scope=openid", form(proof)),
		"cross-site":           with(w.newPost(action, form(proof)), "Sec-Fetch-Site", "cross-site"),
		"sibling host":         with(w.newPost(action, form(proof)), "Sec-Fetch-Site", "same-site"),
		"foreign origin":       with(w.newPost(action, form(proof)), "Origin", "https://evil.example.org"),
		"opaque origin":        with(w.newPost(action, form(proof)), "Origin", "null"),
		"foreign browser":      w.newPost(action, form(proof)),
		"browser sans cookies": w.newPost(action, form(proof)),
	}
	own := w.browser
	for name, request := range refused {
		w.browser = own
		switch name {
		case "foreign browser":
			w.browser = newBrowser(t)
			w.form()
		case "browser sans cookies":
			w.browser = newBrowser(t)
		}
		if got := w.do(request); got.status != http.StatusForbidden || got.header.Get("Location") != "" ||
			w.cookie(loginCookie) != "" {
			t.Errorf("%s: %d %q", name, got.status, got.header.Get("Location"))
		}
	}
	w.browser = own
	w.restart() // an open login page outlives a restart
	good := w.newPost(action, form(proof))
	good.Header.Set("Sec-Fetch-Site", "same-origin")
	w.code(w.do(good))
}

func TestChoosingAnAccountNeedsOneOfTheList(t *testing.T) {
	w := newWorld(t)
	if got := w.submit("eve@example.org", ""); got.status != http.StatusForbidden ||
		!strings.Contains(got.body, "not in the list") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestLoginCookie(t *testing.T) {
	w := newWorld(t)
	got := w.submit(ann, "")
	cookie := got.header.Get("Set-Cookie")
	for _, want := range []string{"cairn_idp=", "Path=/idp/", "Max-Age=28800", "HttpOnly", "SameSite=Lax"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("%s is not in %s", want, cookie)
		}
	}
	if strings.Contains(cookie, "Secure") || strings.Contains(cookie, "Domain") {
		t.Errorf("cookie %s", cookie)
	}
	w.options.Issuer = strings.Replace(w.options.Issuer, "http:", "https:", 1)
	w.restart()
	page := w.get(w.server.URL + "/idp/login?" + w.request().Encode())
	if cookie := page.header.Get("Set-Cookie"); !strings.HasPrefix(cookie, "__Host-cairn_idp_browser=") ||
		!strings.Contains(cookie, "; Secure") || !strings.Contains(cookie, "; Path=/;") {
		t.Errorf("over https: %s", cookie)
	}
}

func TestLoginLivesEightHoursAndThroughRestarts(t *testing.T) {
	w := newWorld(t)
	w.signIn()
	w.restart()
	w.clock.advance(loginLifetime - time.Second)
	w.code(w.authorize("prompt", "none"))
	w.clock.advance(time.Second)
	w.expectError(w.authorize("prompt", "none"), "login_required")
}

func TestSigningInAgainChangesTheCookie(t *testing.T) {
	w := newWorld(t)
	first := w.signIn()
	old := w.cookie(loginCookie)
	second := w.signIn("prompt", "login")
	if w.cookie(loginCookie) == old {
		t.Error("the cookie is the same")
	}
	if _, alive := w.provider.state.loginOf(old); alive {
		t.Error("the old cookie still works")
	}
	before, err := w.verify(first.ID, testClient)
	w.check(err)
	after, err := w.verify(second.ID, testClient)
	w.check(err)
	if before["sid"] != after["sid"] {
		t.Error("the same person in the same browser got another sid")
	}
	// When another person signs in, the first person's login ends completely.
	other := w.redeem(w.code(w.submit(bob, "", "prompt", "login")))
	claims, err := w.verify(other.ID, testClient)
	w.check(err)
	if claims["sid"] == after["sid"] || claims["email"] != bob {
		t.Errorf("claims %v", claims)
	}
	if got := w.refresh(second.Refresh); got.Error != "invalid_grant" {
		t.Errorf("the first person's refresh token: %+v", got)
	}
}

func TestLoginPagePolicy(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.RedirectURIs = append(o.RedirectURIs, "https://page.example.org/oauth_callback", "https://page.example.org/silent")
	})
	page := w.get(w.options.Issuer + "/login?" + w.request().Encode())
	policy := page.header.Get("Content-Security-Policy")
	for _, want := range []string{
		"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self' https://page.example.org",
	} {
		if !strings.Contains(policy+"$", want) {
			t.Errorf("%q is not in %q", want, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(page.body, "<script") || strings.Contains(page.body, "style=") {
		t.Errorf("policy %q for %s", policy, page.body)
	}
	if page.header.Get("X-Frame-Options") != "DENY" || page.header.Get("Cache-Control") != "no-store" ||
		page.header.Get("Referrer-Policy") != "no-referrer" || page.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", page.header)
	}
	for name, kind := range map[string]string{"style.css": "text/css; charset=utf-8", "mark": "image/svg+xml"} {
		got := w.get(w.options.Issuer + "/" + name)
		if got.status != http.StatusOK || got.header.Get("Content-Type") != kind ||
			!strings.Contains(page.body, `"/idp/`+name+`"`) {
			t.Errorf("%s: %d %v", name, got.status, got.header)
		}
	}
}

func TestPagesSayWhatComesNextAndWearTheLook(t *testing.T) {
	w := newWorld(t, withPasswords, func(o *Options) {
		o.Style, o.Mark = ":root{--ink:#123}", func() (string, []byte) { return "image/png", []byte("a mark") }
	})
	page := w.get(w.options.Issuer + "/login?" + w.request().Encode())
	for _, want := range []string{"You'll return to Cairn after you sign in.", "Ask them if you forgot yours.", `<a href="`} {
		if !strings.Contains(page.body, want) {
			t.Errorf("%q is not in %s", want, page.body)
		}
	}
	style, mark := w.get(w.options.Issuer+"/style.css").body, w.get(w.options.Issuer+"/mark")
	if !strings.HasPrefix(style, w.options.Style) || !strings.Contains(style, "var(--accent)") ||
		mark.body != "a mark" || mark.header.Get("Content-Type") != "image/png" {
		t.Errorf("style %s\nmark %s %v", style, mark.body, mark.header)
	}
}

func TestLoginPageEscapesWhatItShows(t *testing.T) {
	const hostile = `"><script>alert(1)</script>`
	w := newWorld(t, withPasswords, func(o *Options) { o.Product = func() string { return hostile } })
	got := w.submit(hostile, "x", "login_hint", hostile, "ui_hint", hostile)
	if got.status != http.StatusForbidden || strings.Contains(got.body, "<script") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if page := w.get(w.options.Issuer + "/login?" + w.request("login_hint", "Ann@example.org").Encode()); !strings.Contains(
		page.body, `value="ann@example.org"`) {
		t.Errorf("no login hint in %s", page.body)
	}
}
