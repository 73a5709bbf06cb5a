package idp

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const portal = "https://portal.example.org"

// withPortal registers another front end.
func withPortal(o *Options) {
	o.Clients = []Client{{ID: "portal", RedirectURIs: []string{portal + "/back", "http://127.0.0.1:9000/back"}, Origins: []string{portal}}}
}

// redeemAt exchanges a code as a client that returns to an address.
func (w *world) redeemAt(client, address, code string) tokens {
	w.Helper()
	return w.exchange("grant_type", "authorization_code", "code", code, "code_verifier", testVerifier, "redirect_uri", address, "client_id", client)
}

func TestAnotherFrontEndSignsIn(t *testing.T) {
	w := newWorld(t, withPortal)
	asPortal := []string{"client_id", "portal", "redirect_uri", portal + "/back"}
	action, proof := w.form(asPortal...)
	back := w.do(w.newPost(action, url.Values{"proof": {proof}, "email": {ann}})).location(t)
	if !strings.HasPrefix(back.String(), portal+"/back?") {
		t.Fatalf("leads to %s", back)
	}
	got := w.redeemAt("portal", portal+"/back", back.Query().Get("code"))
	if got.status != http.StatusOK {
		t.Fatalf("no tokens: %+v", got)
	}
	w.expectGood("its access token", got.Access)
	if _, err := w.verify(got.Access, testClient); err != nil {
		t.Errorf("the API refuses its token: %v", err)
	}
	if _, err := w.verify(got.ID, "portal"); err != nil {
		t.Error(err)
	}
	if _, err := w.verify(got.ID, testClient); err == nil {
		t.Error("its ID token is for the product's own client too")
	}
	// Its refresh tokens are its own, before and after a restart.
	w.restart()
	refresh := func(client, token string) tokens {
		return w.exchange("grant_type", "refresh_token", "refresh_token", token, "client_id", client)
	}
	if stolen := refresh(testClient, got.Refresh); stolen.Error != "invalid_grant" {
		t.Errorf("another client refreshes: %+v", stolen)
	}
	next := refresh("portal", got.Refresh)
	if next.status != http.StatusOK {
		t.Fatalf("%+v", next)
	}
	// Who is signed in here is signed in at both, and signs out of both.
	own := w.redeem(w.code(w.authorize("prompt", "none")))
	if stolen := refresh("portal", own.Refresh); stolen.Error != "invalid_grant" {
		t.Errorf("it refreshes for the product's own client: %+v", stolen)
	}
	out := w.endSession("id_token_hint", next.ID, "post_logout_redirect_uri", portal, "client_id", "portal")
	if out.header.Get("Location") != portal {
		t.Errorf("signing out leads to %d %q", out.status, out.header.Get("Location"))
	}
	w.expectEnded("its token", next.Access)
	w.expectEnded("the product's", own.Access)
}

func TestAClientHasItsOwnAddressesOnly(t *testing.T) {
	w := newWorld(t, withPortal)
	own := w.options.RedirectURIs[0]
	for _, pairs := range [][]string{
		{"client_id", "portal"},
		{"client_id", testClient, "redirect_uri", portal + "/back"},
		{"client_id", "portal", "redirect_uri", portal + "/back/"},
		{"client_id", "portal", "redirect_uri", portal + "/back?a=b"},
		{"client_id", "portal", "redirect_uri", portal},
		{"client_id", "portal", "redirect_uri", "http://127.0.0.1:9001/back"},
		{"client_id", "other", "redirect_uri", portal + "/back"},
	} {
		if got := w.authorize(pairs...); got.status != http.StatusBadRequest || got.header.Get("Location") != "" {
			t.Errorf("%v: %d %q", pairs, got.status, got.header.Get("Location"))
		}
	}
	plain := w.authorize("client_id", "portal", "redirect_uri", portal+"/back", "code_challenge", "", "code_challenge_method", "")
	if back := plain.location(t); back.Query().Get("error") != "invalid_request" {
		t.Errorf("without PKCE it leads to %s", back)
	}
	for client, address := range map[string]string{"portal": own, testClient: portal + "/back"} {
		code := w.code(w.submit(ann, "", "prompt", "login"))
		if got := w.redeemAt(client, address, code); got.status == http.StatusOK {
			t.Errorf("%s gets tokens for a code that was sent to %s", client, own)
		}
	}
	code := w.code(w.submit(ann, "", "prompt", "login"))
	if got := w.redeemAt("portal", own, code); got.status == http.StatusOK {
		t.Error("a client gets tokens for the code of another")
	}
	for _, returning := range []string{portal + "/x", w.options.PostLogoutRedirectURIs[0], "https://evil.example.org"} {
		w.code(w.submit(ann, "", "prompt", "login"))
		if got := w.endSession("post_logout_redirect_uri", returning, "client_id", "portal"); got.header.Get("Location") != "" {
			t.Errorf("signing out leads to %s", got.header.Get("Location"))
		}
	}
}

func TestPagesOfAClientReadTheAnswers(t *testing.T) {
	w := newWorld(t, withPortal)
	for origin, want := range map[string]string{portal: portal, "http://127.0.0.1:9000": "", "https://evil.example.org": ""} {
		request := w.newPost(w.options.Issuer+"/token", url.Values{"client_id": {"portal"}})
		request.Header.Set("Origin", origin)
		if got := w.do(request).header.Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s: %q", origin, got)
		}
	}
}

func TestFaultsOfClients(t *testing.T) {
	own := Client{ID: testClient, RedirectURIs: []string{portal + "/back"}}
	w := newWorld(t, withPortal)
	w.options.Clients = []Client{
		own, {ID: "a b", RedirectURIs: []string{"http://portal.example.org/back", portal + "/*", "portal:back"}, Origins: []string{portal + "/", "*"}}, {ID: "none"},
	}
	_, err := New(w.options)
	for _, word := range []string{
		`clients[0].client_id: "data-catalog-portal" is there twice`, "clients[1].client_id: ", "clients[1].redirect_uris[0]: ", "must be https",
		"clients[1].redirect_uris[1]: ", "wildcard", "clients[1].redirect_uris[2]: ", "clients[1].origins[0]: ", "clients[1].origins[1]: ",
		"clients[2].redirect_uris: ",
	} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q is not in %v", word, err)
		}
	}
}

// Whoever comes from another front end is told the way back to it; at the product's own, nothing changes.
func TestPagesNameWhereTheyLeadBackTo(t *testing.T) {
	const hostile = `"><script>alert(1)</script>`
	for name, test := range map[string]struct {
		client    Client
		title, as string // escaped
	}{
		"named":            {Client{Name: "Neuro Portal", Origins: []string{portal}}, "Sign in to continue to Neuro Portal", "Neuro Portal"},
		"unnamed":          {Client{Origins: []string{portal}}, "Sign in to continue to portal.example.org", "portal.example.org"},
		"without origins":  {Client{Name: "  "}, "Sign in to continue to portal.example.org", "portal.example.org"},
		"named in Chinese": {Client{Name: "神经门户"}, "Sign in to continue to 神经门户", "神经门户"},
		"hostile": {
			Client{Name: hostile},
			"Sign in to continue to &#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;",
			"&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;",
		},
	} {
		w := newWorld(t, func(o *Options) {
			test.client.ID, test.client.RedirectURIs = "portal", []string{portal + "/back?from=cairn"}
			o.Clients = []Client{test.client}
		})
		expect := func(what string, got answer, status int, texts ...string) {
			t.Helper()
			if got.status != status || strings.Contains(got.body, "<script") || strings.Contains(got.body, "Back to Cairn") {
				t.Errorf("%s, %s: %d %s", name, what, got.status, got.body)
			}
			for _, text := range texts {
				if !strings.Contains(got.body, text) {
					t.Errorf("%s, %s: %q is not in %s", name, what, text, got.body)
				}
			}
		}
		as := []string{"client_id", "portal", "redirect_uri", portal + "/back?from=cairn"}
		home := `<a href="` + portal + `/">Back to ` + test.as + `</a>`
		denied := `<a href="` + portal + `/back?error=access_denied&amp;`
		signIn := w.get(w.options.Issuer + "/login?" + w.request(as...).Encode())
		expect("sign-in", signIn, http.StatusOK, "<title>"+test.title+"</title>", "<h1>"+test.title+"</h1>", "return to "+test.as, denied, "from=cairn", "state=the-state", ">Back to "+test.as+"</a>")
		action, _ := w.form(as...)
		expect("of another browser", w.do(w.newPost(action, url.Values{"proof": {"x"}, "email": {ann}})), http.StatusForbidden, "go back to "+test.as+" and sign in again", denied)
		// A request that can't be trusted isn't answered at its address.
		expect("another address", w.authorize("client_id", "portal", "redirect_uri", "https://evil.example.org/"), http.StatusBadRequest, "Open "+test.as+" at its public address", home)
		expect("unreadable", w.authorize("client_id", "portal", "max_age", "x"), http.StatusBadRequest, "Go back to "+test.as+" and", home)
		expect("signed out", w.endSession("client_id", "portal"), http.StatusOK, "You are signed out", home)
		expect("signed out, to an odd address", w.endSession("client_id", "portal", "post_logout_redirect_uri", "https://evil.example.org/"), http.StatusBadRequest, home)
		w.submit(ann, "", as...)
		expect("asked whether to sign out", w.get(w.options.Issuer+"/end_session?client_id=portal"), http.StatusOK, "Sign out of "+test.as+" and Cairn?", home)
	}
}

func TestPagesOfTheProductsOwnClient(t *testing.T) {
	w := newWorld(t, withPortal)
	back := `<a href="` + w.server.URL + `/">Back to Cairn</a>`
	expect := func(what string, got answer, texts ...string) {
		t.Helper()
		for _, text := range append(texts, back) {
			if !strings.Contains(got.body, text) || strings.Contains(got.body, "portal") && !strings.Contains(got.body, testClient) {
				t.Errorf("%s: %q is not in %s", what, text, got.body)
			}
		}
	}
	expect("sign-in", w.get(w.options.Issuer+"/login?"+w.request().Encode()), "<h1>Sign in to Cairn</h1>", "sign in and return to Cairn.")
	expect("another address", w.authorize("redirect_uri", "https://evil.example.org/"), "Open Cairn at its public address")
	expect("of no client", w.authorize("client_id", "other"), "This application isn&#39;t registered here")
	expect("nowhere", w.get(w.options.Issuer+"/nowhere"), "the sign-in server of Cairn")
	expect("signed out", w.endSession(), "You are signed out")
	w.submit(ann, "")
	expect("asked whether to sign out", w.get(w.options.Issuer+"/end_session"), "<h1>Sign out of Cairn?</h1>")
}

func TestNamesOfClients(t *testing.T) {
	for name, good := range map[string]bool{
		"": true, "Neuro Portal": true, strings.Repeat("門", 100): true, strings.Repeat("x", 101): false, "a\nb": false, "a\x00": false,
		"Portal \u202elatroP": false, "zero\u200bwidth": false, "\xff": false,
	} {
		faults := Client{ID: "portal", Name: name, RedirectURIs: []string{portal + "/back"}}.Check()
		if (len(faults) == 0) != good || len(faults) == 1 && faults[0].Location != "name" {
			t.Errorf("%q: %v", name, faults)
		}
	}
}
