package idp

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// CVE-2024-8883, CVE-2026-7504, CVE-2023-6291, CVE-2024-1132: redirect addresses were matched by wildcard, by prefix or
// after decoding.
func TestRedirectAddressIsMatchedExactly(t *testing.T) {
	w := newWorld(t)
	good := w.options.RedirectURIs[0]
	for _, address := range []string{
		"", "/oauth_callback", "*", good + "/", good + "2", good + "?a=b", good + "#a", good + "/../evil", good + " ",
		strings.ToUpper(good), strings.Replace(good, "http:", "https:", 1), "https://evil.example.org/oauth_callback",
		strings.Replace(good, "http://", "http://user@", 1), strings.Replace(good, "127.0.0.1", "localhost", 1),
		strings.Replace(good, "127.0.0.1", "127.0.0.1.evil.example.org", 1), "//evil.example.org", "javascript:alert(1)",
		url.QueryEscape(good), strings.Replace(good, "oauth", "%6Fauth", 1), strings.Replace(good, "_", "%5F", 1),
	} {
		for _, path := range []string{"/authorize?", "/login?"} {
			got := w.get(w.options.Issuer + path + w.request("redirect_uri", address).Encode())
			if got.status != http.StatusBadRequest || got.header.Get("Location") != "" ||
				!strings.Contains(got.body, "&#39;t registered") {
				t.Errorf("%s %q: %d, Location %q", path, address, got.status, got.header.Get("Location"))
			}
		}
	}
	twice := w.get(w.options.Issuer + "/authorize?" + w.request().Encode() + "&redirect_uri=https://evil.example.org/")
	if to := twice.header.Get("Location"); strings.Contains(to, "//evil") {
		t.Errorf("two addresses: goes to %s", to)
	}
	w.expectError(w.authorize("prompt", "none"), "login_required") // the good one is accepted
}

func TestErrorsBeforeTheClientIsKnownStayHere(t *testing.T) {
	w := newWorld(t)
	for name, query := range map[string]string{
		"unknown client": w.request("client_id", "other").Encode(),
		"no client":      w.request("client_id", "").Encode(),
		"broken query":   w.request().Encode() + "&x=%zz",
		"broken max_age": w.request("max_age", "soon").Encode(),
		"huge query":     w.request("state", strings.Repeat("x", maxQuery)).Encode(),
		"nothing":        "",
	} {
		got := w.get(w.options.Issuer + "/authorize?" + query)
		if got.status != http.StatusBadRequest || got.header.Get("Location") != "" ||
			!strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %v", name, got.status, got.header)
		}
	}
}

func TestAuthorizeRefusesToTheClient(t *testing.T) {
	w := newWorld(t)
	for want, requests := range map[string][][]string{
		"invalid_request": {
			{"code_challenge", ""},
			{"code_challenge_method", ""},
			{"code_challenge_method", "plain"},
			{"code_challenge", "short"},
			{"code_challenge", "", "code_challenge_method", ""},
			{"response_mode", "form_post"},
			{"response_mode", "fragment"},
			{"response_type", ""},
			{"prompt", "none login"},
		},
		"unauthorized_client":   {{"response_type", "token"}, {"response_type", "id_token"}, {"response_type", "code token"}},
		"invalid_scope":         {{"scope", "email"}, {"scope", ""}},
		"request_not_supported": {{"request", "eyJhbGciOiJub25lIn0.e30."}},
		"login_required":        {{"id_token_hint", "nonsense"}, {"prompt", "none"}, {"prompt", "none", "max_age", "0"}},
	} {
		for _, pairs := range requests {
			w.expectError(w.authorize(pairs...), want)
		}
	}
}

func TestPKCEIsRequiredAndPlainIsRefused(t *testing.T) {
	w := newWorld(t)
	w.signIn()
	for _, pairs := range [][]string{
		{"code_challenge", "", "code_challenge_method", ""},
		{"code_challenge", testVerifier, "code_challenge_method", "plain"},
		{"code_challenge_method", ""},
	} {
		w.expectError(w.authorize(pairs...), "invalid_request") // although this browser is signed in
	}
}

func TestPromptNoneAnswersAtOnce(t *testing.T) {
	w := newWorld(t)
	w.expectError(w.authorize("prompt", "none"), "login_required")
	first := w.signIn()
	got := w.authorize("prompt", "none")
	if got.header.Get("X-Frame-Options") != "" || got.header.Get("Content-Security-Policy") != "" {
		t.Errorf("the answer cannot be loaded in a frame: %v", got.header)
	}
	second := w.redeem(w.code(got))
	before, err := w.verify(first.ID, testClient)
	w.check(err)
	after, err := w.verify(second.ID, testClient)
	w.check(err)
	if before["sid"] != after["sid"] || before["sub"] != after["sub"] {
		t.Errorf("before %v, after %v", before, after)
	}
	w.expectError(w.authorize("prompt", "none", "max_age", "0"), "login_required")
	if w.code(w.authorize("prompt", "none", "id_token_hint", first.ID)) == "" {
		t.Error("no code for the same person")
	}
	w.submit(bob, "", "prompt", "login")
	w.expectError(w.authorize("prompt", "none", "id_token_hint", first.ID), "login_required")
}

func TestPromptLoginAndMaxAgeAskAgain(t *testing.T) {
	w := newWorld(t)
	w.signIn()
	w.code(w.authorize()) // without a page in between
	w.form("prompt", "login")
	w.form("prompt", "select_account")
	w.form("max_age", "0")
	w.clock.advance(time.Minute)
	w.code(w.authorize("max_age", "60"))
	w.clock.advance(time.Second)
	w.form("max_age", "60")
	w.signIn("prompt", "login")
	w.code(w.authorize("max_age", "60"))
	w.code(w.authorize("max_age", "18446744073709551615"))
}

func TestAllowedOriginsAloneReadTheAnswers(t *testing.T) {
	w := newWorld(t)
	ask := func(method, path, origin string) http.Header {
		request, err := http.NewRequestWithContext(t.Context(), method, w.options.Issuer+path, nil)
		w.check(err)
		request.Header.Set("Origin", origin)
		if method == http.MethodOptions {
			request.Header.Set("Access-Control-Request-Method", http.MethodPost)
			request.Header.Set("Access-Control-Request-Headers", "authorization")
		}
		return w.do(request).header
	}
	const shared = "Access-Control-Allow-Origin"
	for _, path := range []string{"/token", "/userinfo", "/revoke", "/keys", "/.well-known/openid-configuration"} {
		if got := ask(http.MethodOptions, path, "https://evil.example.org").Get(shared); got != "" {
			t.Errorf("%s answers a foreign preflight with %q", path, got)
		}
		if got := ask(http.MethodGet, path, "https://evil.example.org").Get(shared); got != "" {
			t.Errorf("%s answers a foreign page with %q", path, got)
		}
		allowed := ask(http.MethodOptions, path, "https://page.example.org")
		if allowed.Get(shared) != "https://page.example.org" || allowed.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s answers an allowed page's preflight with %v", path, allowed)
		}
	}
	if got := ask(http.MethodGet, "/authorize", "https://page.example.org").Get(shared); got != "" {
		t.Errorf("authorize may be read by scripts of %q", got)
	}
	w.options.AllowedOrigins = nil
	w.restart()
	if got := ask(http.MethodOptions, "/token", "https://page.example.org").Get(shared); got != "" {
		t.Errorf("without allowed origins %q is allowed", got)
	}
}

func TestDiscoveryListsOnlyWhatIsThere(t *testing.T) {
	w := newWorld(t)
	read := map[string]any{}
	w.check(json.Unmarshal([]byte(w.get(w.options.Issuer+"/.well-known/openid-configuration").body), &read))
	for name, value := range read {
		if address, ok := value.(string); ok && (strings.HasSuffix(name, "_endpoint") || name == "jwks_uri") {
			if got := w.get(address); got.status == http.StatusNotFound {
				t.Errorf("%s %s is not there", name, address)
			}
		}
	}
	for name, want := range map[string]string{
		"grant_types_supported":                 `["authorization_code","refresh_token"]`,
		"response_types_supported":              `["code"]`,
		"code_challenge_methods_supported":      `["S256"]`,
		"token_endpoint_auth_methods_supported": `["none"]`,
		"scopes_supported":                      `["openid","email","profile","offline_access"]`,
		"introspection_endpoint":                `null`,
		"device_authorization_endpoint":         `null`,
	} {
		if got, err := json.Marshal(read[name]); err != nil || string(got) != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	for _, path := range []string{
		"/", "/healthz", "/ready", "/oauth/introspect", "/oauth/token", "/device_authorization", "/authorize/callback",
		"/login.html", "/assets/login.html",
	} {
		got := w.get(w.options.Issuer + path)
		if got.status != http.StatusNotFound || !strings.Contains(got.body, "<h1>There is no page at this address</h1>") {
			t.Errorf("%s answers %d %s", path, got.status, got.body)
		}
	}
}

func TestIDTokenIsNoAccessToken(t *testing.T) {
	w := newWorld(t)
	got := w.signIn()
	if answer := w.userinfo(got.ID); answer.status != http.StatusUnauthorized ||
		!strings.Contains(answer.header.Get("WWW-Authenticate"), "invalid_token") {
		t.Errorf("userinfo takes an ID token: %d %s", answer.status, answer.body)
	}
	if _, err := w.verify(got.ID, "gateway"); err == nil {
		t.Error("the ID token is meant for the gateway too")
	}
	claims, err := w.verify(got.ID, testClient)
	w.check(err)
	if claims["token_use"] != nil {
		t.Errorf("the ID token says token_use %v", claims["token_use"])
	}
}

func TestKeysSurviveARestart(t *testing.T) {
	w := newWorld(t)
	w.check(os.Remove(filepath.Join(w.options.Dir, signingKeyFile)))
	w.restart() // the next start creates its own
	token := w.signIn().Access
	keys := w.get(w.options.Issuer + "/keys").body
	w.restart()
	if got := w.get(w.options.Issuer + "/keys").body; got != keys || strings.Contains(got, `"d"`) {
		t.Errorf("keys %s, before %s", got, keys)
	}
	if _, err := w.verify(token, testClient); err != nil {
		t.Errorf("a token from before: %v", err)
	}
	files, err := os.ReadDir(w.options.Dir)
	w.check(err)
	for _, file := range files {
		info, err := file.Info()
		w.check(err)
		if info.Mode().Perm() != 0o600 || strings.HasPrefix(file.Name(), ".new-") {
			t.Errorf("%s has mode %o", file.Name(), info.Mode().Perm())
		}
	}
	if len(files) != 3 {
		t.Errorf("files %v", files)
	}
}

// A token's claims are untrusted until its signature is checked; the library's parser panics at this audience.
func TestForgedTokensAreRefusedCalmly(t *testing.T) {
	w := newWorld(t)
	encode := base64.RawURLEncoding.EncodeToString
	forged := encode([]byte(`{"alg":"RS256"}`)) + "." + encode([]byte(`{"aud":[1],"exp":9999999999}`)) + "." +
		encode([]byte("signature"))
	unsigned := encode([]byte(`{"alg":"none"}`)) + "." + encode([]byte(`{"iss":"`+w.options.Issuer+`"}`)) + "."
	for _, token := range []string{forged, unsigned, "", "..", "nonsense"} {
		if got := w.userinfo(token); got.status != http.StatusUnauthorized {
			t.Errorf("userinfo %q: %d", token, got.status)
		}
		if got := w.post("/revoke", "token", token); got.status != http.StatusOK {
			t.Errorf("revoke %q: %d", token, got.status)
		}
		if got := w.get(w.options.Issuer + "/end_session?id_token_hint=" + token); got.status >= 500 {
			t.Errorf("end_session %q: %d", token, got.status)
		}
	}
	w.expectError(w.authorize("id_token_hint", forged), "login_required")
}

func TestRevokedTokensEnd(t *testing.T) {
	w := newWorld(t)
	got := w.signIn()
	if answer := w.post("/revoke", "token", got.Access, "client_id", "other"); answer.status != http.StatusUnauthorized {
		t.Errorf("another client revokes: %d", answer.status)
	}
	w.expectGood("before", got.Access)
	next := w.refresh(got.Refresh)
	other := w.redeem(w.code(w.authorize())) // another family of the same login
	w.post("/revoke", "token", got.Access, "token_type_hint", "access_token")
	w.restart()
	w.expectEnded("revoked", got.Access)
	w.expectGood("another token of the family", next.Access)
	w.post("/revoke", "token", got.Refresh, "token_type_hint", "refresh_token")
	w.restart()
	w.expectEnded("with its family", next.Access)
	w.expectGood("of another family", other.Access)
	if again := w.refresh(got.Refresh); again.Error != "invalid_grant" {
		t.Errorf("refresh after: %+v", again)
	}
}

func TestAccessTokensLiveFiveMinutes(t *testing.T) {
	w := newWorld(t)
	got := w.signIn()
	w.clock.advance(5*time.Minute - 2*time.Second)
	if answer := w.userinfo(got.Access); answer.status != http.StatusOK {
		t.Errorf("before: %d", answer.status)
	}
	w.clock.advance(2 * time.Second)
	if answer := w.userinfo(got.Access); answer.status != http.StatusUnauthorized {
		t.Errorf("after: %d", answer.status)
	}
	if _, err := w.verify(got.Access, testClient); err == nil {
		t.Error("verifies after five minutes")
	}
}
