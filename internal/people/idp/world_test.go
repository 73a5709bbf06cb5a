package idp

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/people/idp/idptest"

	goidc "github.com/coreos/go-oidc/v3/oidc"
)

const (
	testClient   = "data-catalog-portal"
	testVerifier = "a-code-verifier-of-at-least-forty-three-characters"
	password     = "correct horse battery staple"
	ann          = "ann@example.org"
	bob          = "bob@example.org"
)

var testHash = sync.OnceValue(func() string { return HashPassword(password) })

// clock stands still until a test moves it.
type clock struct{ nanoseconds atomic.Int64 }

func (c *clock) Now() time.Time          { return time.Unix(0, c.nanoseconds.Load()) }
func (c *clock) advance(d time.Duration) { c.nanoseconds.Add(int64(d)) }

// world is a provider behind a server, and one browser.
type world struct {
	*testing.T
	clock    *clock
	options  Options
	provider *Provider
	server   *httptest.Server
	handler  atomic.Pointer[http.Handler]
	browser  *http.Client
	pauses   atomic.Int64 // of attempts to sign in
}

func newWorld(t *testing.T, adjust ...func(*Options)) *world {
	t.Helper()
	w := &world{T: t, clock: new(clock)}
	w.clock.nanoseconds.Store(time.Now().UnixNano())
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		(*w.handler.Load()).ServeHTTP(rw, r)
	}))
	t.Cleanup(w.server.Close)
	dir := filepath.Join(t.TempDir(), "idp")
	idptest.Folder(t, dir)
	w.options = Options{
		Issuer: w.server.URL + "/idp", ClientID: testClient, Audience: "gateway",
		RedirectURIs:           []string{w.server.URL + "/oauth_callback"},
		PostLogoutRedirectURIs: []string{w.server.URL + "/"},
		AllowedOrigins:         []string{"https://page.example.org"},
		Accounts:               []Account{{Email: ann, Name: "Ann Lee"}, {Email: bob, Name: "Bob Roy"}},
		ChooseAccount:          true, Product: func() string { return "Cairn" }, Dir: dir, Now: w.clock.Now,
	}
	for _, change := range adjust {
		change(&w.options)
	}
	w.restart()
	w.browser = newBrowser(t)
	return w
}

func newBrowser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// withPasswords makes the accounts require their password.
func withPasswords(o *Options) {
	o.ChooseAccount = false
	for i := range o.Accounts {
		o.Accounts[i].PasswordHash = testHash()
	}
}

// restart creates the provider again on the same folder.
func (w *world) restart() {
	w.Helper()
	provider, err := New(w.options)
	w.check(err)
	w.provider = provider
	provider.pause = func(context.Context, time.Duration) { w.pauses.Add(1) }
	handler := provider.Handler()
	w.handler.Store(&handler)
}

func (w *world) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// answer is a response that was read completely.
type answer struct {
	status int
	header http.Header
	body   string
}

func (w *world) do(request *http.Request) answer {
	w.Helper()
	response, err := w.browser.Do(request)
	w.check(err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	w.check(err)
	return answer{status: response.StatusCode, header: response.Header, body: string(body)}
}

func (w *world) get(address string) answer {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), http.MethodGet, address, nil)
	w.check(err)
	return w.do(request)
}

func (w *world) newPost(address string, form url.Values) *http.Request {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	w.check(err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return request
}

// location returns the address of a redirect, with its query.
func (a answer) location(t *testing.T) *url.URL {
	t.Helper()
	parsed, err := url.Parse(a.header.Get("Location"))
	if err != nil || a.header.Get("Location") == "" || a.status != http.StatusSeeOther {
		t.Fatalf("not a redirect: %d %q: %s", a.status, a.header.Get("Location"), a.body)
	}
	return parsed
}

// request returns a valid authorization request, changed by pairs of name and value; an empty value removes a
// parameter.
func (w *world) request(pairs ...string) url.Values {
	challenge := sha256.Sum256([]byte(testVerifier))
	query := url.Values{
		"client_id": {testClient}, "redirect_uri": {w.server.URL + "/oauth_callback"}, "response_type": {"code"},
		"scope": {"openid email offline_access"}, "state": {"the-state"}, "nonce": {"the-nonce"},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(challenge[:])},
		"code_challenge_method": {"S256"},
	}
	for i := 0; i < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "" {
			query.Del(pairs[i])
		}
	}
	return query
}

func (w *world) authorize(pairs ...string) answer {
	w.Helper()
	return w.get(w.options.Issuer + "/authorize?" + w.request(pairs...).Encode())
}

var formParts = regexp.MustCompile(`(?s)action="([^"]+)".*name="proof" value="([^"]+)"`)

// form returns the action and the proof of the login page for a request.
func (w *world) form(pairs ...string) (action, proof string) {
	w.Helper()
	at := w.authorize(pairs...).location(w.T)
	if at.Path != "/idp/login" {
		w.Fatalf("leads to %s and not to the login page", at)
	}
	page := w.get(w.server.URL + at.String())
	found := formParts.FindStringSubmatch(page.body)
	if page.status != http.StatusOK || found == nil {
		w.Fatalf("no login form: %d %s", page.status, page.body)
	}
	return w.server.URL + html.UnescapeString(found[1]), found[2]
}

// submit signs in through the form.
func (w *world) submit(email, secret string, pairs ...string) answer {
	w.Helper()
	action, proof := w.form(pairs...)
	return w.do(w.newPost(action, url.Values{"proof": {proof}, "email": {email}, "password": {secret}}))
}

// code returns the code in an answer that redirects to the client.
func (w *world) code(a answer) string {
	w.Helper()
	back := a.location(w.T)
	if code := back.Query().Get("code"); code != "" && back.Query().Get("state") == "the-state" &&
		strings.HasPrefix(back.String(), w.server.URL+"/oauth_callback?") {
		return code
	}
	w.Fatalf("no code in %s", back)
	return ""
}

// tokens is the answer of the token endpoint.
type tokens struct {
	Access  string `json:"access_token"`
	ID      string `json:"id_token"`
	Refresh string `json:"refresh_token"`
	Expires int    `json:"expires_in"`
	Error   string `json:"error"`
	status  int
}

func (w *world) post(path string, pairs ...string) answer {
	w.Helper()
	form := url.Values{"client_id": {testClient}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return w.do(w.newPost(w.options.Issuer+path, form))
}

func (w *world) exchange(pairs ...string) tokens {
	w.Helper()
	a := w.post("/token", pairs...)
	read := tokens{status: a.status}
	if err := json.Unmarshal([]byte(a.body), &read); err != nil {
		w.Fatalf("%d %s", a.status, a.body)
	}
	return read
}

func (w *world) redeem(code string) tokens {
	w.Helper()
	return w.exchange("grant_type", "authorization_code", "code", code, "code_verifier", testVerifier,
		"redirect_uri", w.server.URL+"/oauth_callback")
}

func (w *world) refresh(token string) tokens {
	w.Helper()
	return w.exchange("grant_type", "refresh_token", "refresh_token", token)
}

// signIn does everything from the request to the tokens.
func (w *world) signIn(pairs ...string) tokens {
	w.Helper()
	read := w.redeem(w.code(w.submit(ann, password, pairs...)))
	if read.status != http.StatusOK {
		w.Fatalf("no tokens: %+v", read)
	}
	return read
}

func (w *world) userinfo(token string) answer {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), http.MethodGet, w.options.Issuer+"/userinfo", nil)
	w.check(err)
	request.Header.Set("Authorization", "Bearer "+token)
	return w.do(request)
}

// expectEnded expects userinfo and the API to refuse an access token, though it hasn't expired.
func (w *world) expectEnded(what, token string) {
	w.Helper()
	read, err := w.provider.verify(token)
	w.check(err)
	if info := w.userinfo(token); info.status != http.StatusUnauthorized || !w.provider.Ended(read.ID, read.SID) {
		w.Errorf("%s: userinfo answers %d, ended: %v", what, info.status, w.provider.Ended(read.ID, read.SID))
	}
}

// expectGood expects them to accept it.
func (w *world) expectGood(what, token string) {
	w.Helper()
	read, err := w.provider.verify(token)
	w.check(err)
	if info := w.userinfo(token); info.status != http.StatusOK || w.provider.Ended(read.ID, read.SID) {
		w.Errorf("%s: userinfo answers %d, ended: %v", what, info.status, w.provider.Ended(read.ID, read.SID))
	}
}

// verify checks a token through discovery, as a gateway would, and returns its claims.
func (w *world) verify(token, audience string) (map[string]any, error) {
	w.Helper()
	discovered, err := goidc.NewProvider(context.Background(), w.options.Issuer)
	w.check(err)
	verifier := discovered.Verifier(&goidc.Config{
		ClientID: audience, SupportedSigningAlgs: []string{"RS256"}, Now: w.clock.Now,
	})
	verified, err := verifier.Verify(context.Background(), token)
	if err != nil {
		return nil, err
	}
	claims := map[string]any{}
	return claims, verified.Claims(&claims)
}

func (w *world) expectError(a answer, code string) {
	w.Helper()
	back := a.location(w.T)
	values := back.Query()
	if back.Fragment != "" { // where the implicit flow and response_mode=fragment expect errors
		values, _ = url.ParseQuery(back.Fragment)
	}
	if values.Get("error") != code || back.Path != "/oauth_callback" || values.Get("state") != "the-state" {
		w.Errorf("leads to %s, want error %s at the client", back, code)
	}
}
