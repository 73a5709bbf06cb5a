package idp

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func (w *world) endSession(pairs ...string) answer {
	w.Helper()
	query := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	if strings.Count(query.Get("id_token_hint"), ".") != 2 { // without an ID token a form is needed
		return w.do(w.newPost(w.options.Issuer+"/end_session", query))
	}
	return w.get(w.options.Issuer + "/end_session?" + query.Encode())
}

// Logout CSRF: any page can send a browser to the address, with an ID token of its author's too.
func TestAnotherPageSignsNobodyOut(t *testing.T) {
	w := newWorld(t)
	other := w.redeem(w.code(w.submit(bob, ""))).ID
	w.code(w.submit(ann, "", "prompt", "login"))
	forged := w.newPost(w.options.Issuer+"/end_session", url.Values{})
	forged.Header.Set("Origin", "https://evil.example.org")
	forged.Header.Set("Sec-Fetch-Site", "cross-site")
	for name, got := range map[string]answer{
		"a link":                      w.get(w.options.Issuer + "/end_session"),
		"a hint that isn't one":       w.get(w.options.Issuer + "/end_session?id_token_hint=nonsense"),
		"a hint of somebody else":     w.get(w.options.Issuer + "/end_session?id_token_hint=" + url.QueryEscape(other)),
		"a form of another page":      w.do(forged),
		"a link that leads somewhere": w.get(w.options.Issuer + "/end_session?client_id=" + testClient + "&post_logout_redirect_uri=" + url.QueryEscape(w.server.URL+"/")),
	} {
		if got.status != http.StatusOK || !strings.Contains(got.body, "Sign out of Cairn?") || !strings.Contains(got.body, `method="post"`) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		if w.cookie(loginCookie) == "" {
			t.Fatalf("%s signed Ann out", name)
		}
	}
	w.code(w.authorize("prompt", "none"))
}

// CVE-2021-41247: after signing out, something that began earlier restored the login.
func TestLogoutEndsEverythingOfTheLogin(t *testing.T) {
	for name, pairs := range map[string]func(tokens) []string{
		"by client id":     func(tokens) []string { return []string{"client_id", testClient} },
		"by ID token":      func(got tokens) []string { return []string{"id_token_hint", got.ID} },
		"by both":          func(got tokens) []string { return []string{"id_token_hint", got.ID, "client_id", testClient} },
		"by a late tab":    func(got tokens) []string { return []string{"id_token_hint", got.ID} },
		"from elsewhere":   func(got tokens) []string { return []string{"id_token_hint", got.ID} },
		"a restart behind": func(got tokens) []string { return []string{"id_token_hint", got.ID} },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			got := w.signIn()
			pending := w.code(w.authorize())
			own := w.browser
			switch name {
			case "by a late tab":
				w.clock.advance(time.Hour) // the ID token has expired
				got.Access = w.refresh(got.Refresh).Access
				pending = w.code(w.authorize())
				w.signIn("prompt", "login")
			case "from elsewhere":
				w.browser = newBrowser(t)
			}
			back := w.endSession(append(pairs(got), "post_logout_redirect_uri", w.server.URL+"/", "state", "a&b")...)
			if to := back.location(t); to.String() != w.server.URL+"/?state=a%26b" {
				t.Errorf("goes to %s", to)
			}
			w.browser = own
			if name == "a restart behind" {
				w.restart()
			}
			if w.cookie(loginCookie) != "" && name != "from elsewhere" {
				t.Error("the cookie is still there")
			}
			w.expectError(w.authorize("prompt", "none"), "login_required")
			if again := w.refresh(got.Refresh); again.Error != "invalid_grant" {
				t.Errorf("refresh: %+v", again)
			}
			if again := w.redeem(pending); again.Error != "invalid_grant" {
				t.Errorf("a code from before: %+v", again)
			}
			w.expectEnded("the access token", got.Access)
		})
	}
}

// CVE-2024-8883 and similar ones, for logout.
func TestPostLogoutAddressIsMatchedExactly(t *testing.T) {
	w := newWorld(t)
	good := w.options.PostLogoutRedirectURIs[0]
	for _, pairs := range [][]string{
		{"post_logout_redirect_uri", good},
		{"post_logout_redirect_uri", good, "client_id", "other"},
		{"post_logout_redirect_uri", good, "id_token_hint", "nonsense", "client_id", testClient},
		{"post_logout_redirect_uri", good + "x", "client_id", testClient},
		{"post_logout_redirect_uri", good + "?a=b", "client_id", testClient},
		{"post_logout_redirect_uri", strings.TrimSuffix(good, "/"), "client_id", testClient},
		{"post_logout_redirect_uri", url.QueryEscape(good), "client_id", testClient},
		{"post_logout_redirect_uri", "//evil.example.org", "client_id", testClient},
		{"post_logout_redirect_uri", "https://evil.example.org/", "client_id", testClient},
		{"post_logout_redirect_uri", w.options.RedirectURIs[0], "client_id", testClient},
	} {
		w.code(w.submit(ann, "", "prompt", "login"))
		got := w.endSession(pairs...)
		if got.status != http.StatusBadRequest || got.header.Get("Location") != "" {
			t.Errorf("%v: %d %q", pairs, got.status, got.header.Get("Location"))
		}
		if w.cookie(loginCookie) != "" {
			t.Errorf("%v: still signed in", pairs)
		}
		w.expectError(w.authorize("prompt", "none"), "login_required")
	}
}

func TestLogoutWithoutAnAddressSaysSo(t *testing.T) {
	w := newWorld(t)
	w.signIn()
	if got := w.endSession(); got.status != http.StatusOK || !strings.Contains(got.body, "You are signed out") {
		t.Errorf("%d %s", got.status, got.body)
	}
	w.expectError(w.authorize("prompt", "none"), "login_required")
}

func TestStrangersCannotMakeTheServerWrite(t *testing.T) {
	w := newWorld(t)
	w.endSession("client_id", testClient)
	w.post("/revoke", "token", "nonsense")
	w.authorize()
	if files := w.provider.state.current; files.Logins != nil {
		t.Errorf("the state was written: %+v", files)
	}
}
