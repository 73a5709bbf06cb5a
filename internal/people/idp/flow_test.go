package idp

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"cairn/internal/foundation/fault"
)

func TestCodeFlow(t *testing.T) {
	w := newWorld(t)
	got := w.signIn("kc_idp_hint", "oidc", "entity_id", "urn:example", "scope", "openid email offline_access unheard-of")
	if got.Refresh == "" || got.Expires != 300 {
		t.Errorf("refresh token %q, expires in %d", got.Refresh, got.Expires)
	}

	access, err := w.verify(got.Access, "gateway")
	w.check(err)
	names := make([]string, 0, len(access))
	for name := range access {
		names = append(names, name)
	}
	slices.Sort(names)
	want := "aud client_id email email_verified exp iat iss jti name nbf sid sub token_use"
	if strings.Join(names, " ") != want {
		t.Errorf("access token claims %v, want %s", names, want)
	}
	if access["token_use"] != "access" || access["email"] != ann || access["email_verified"] != true ||
		access["name"] != "Ann Lee" || access["client_id"] != testClient {
		t.Errorf("access token %v", access)
	}
	if _, err := uuid.Parse(access["sub"].(string)); err != nil || access["sub"] == ann {
		t.Errorf("subject %v is not opaque", access["sub"])
	}

	identity, err := w.verify(got.ID, testClient)
	w.check(err)
	if identity["email"] != ann || identity["email_verified"] != true || identity["name"] != "Ann Lee" ||
		identity["nonce"] != "the-nonce" || identity["sid"] != access["sid"] || identity["sub"] != access["sub"] {
		t.Errorf("ID token %v, access token %v", identity, access)
	}

	info := map[string]any{}
	w.check(json.Unmarshal([]byte(w.userinfo(got.Access).body), &info))
	if info["sub"] != access["sub"] || info["email"] != ann || info["name"] != "Ann Lee" || info["email_verified"] != true {
		t.Errorf("userinfo %v", info)
	}
}

func TestSubjectIsStableForAnEmail(t *testing.T) {
	w := newWorld(t)
	first, err := w.verify(w.signIn().Access, testClient)
	w.check(err)
	other, err := w.verify(newWorld(t).signInElsewhere(w), testClient)
	w.check(err)
	if first["sub"] != other["sub"] || first["sid"] == other["sid"] {
		t.Errorf("subjects %v and %v, sids %v and %v", first["sub"], other["sub"], first["sid"], other["sid"])
	}
}

// signInElsewhere signs the same person in with another browser, in the given world.
func (w *world) signInElsewhere(at *world) string {
	w.Helper()
	before := at.browser
	defer func() { at.browser = before }()
	at.browser = newBrowser(w.T)
	return at.signIn().Access
}

func TestNoRefreshTokenWithoutOfflineAccess(t *testing.T) {
	w := newWorld(t)
	if got := w.signIn("scope", "openid email"); got.Refresh != "" || got.Access == "" {
		t.Errorf("got %+v", got)
	}
}

func TestCodeWorksOnceWithinAMinute(t *testing.T) {
	w := newWorld(t)
	first := w.code(w.submit(ann, ""))
	if got := w.redeem(first); got.status != http.StatusOK {
		t.Fatalf("first use: %+v", got)
	}
	if got := w.redeem(first); got.Error != "invalid_grant" {
		t.Errorf("second use: %+v", got)
	}
	late := w.code(w.authorize())
	w.clock.advance(codeLifetime)
	if got := w.redeem(late); got.Error != "invalid_grant" {
		t.Errorf("after a minute: %+v", got)
	}
}

func TestCodeNeedsItsVerifierAndItsRedirectAddress(t *testing.T) {
	w := newWorld(t)
	w.submit(ann, "")
	callback := w.server.URL + "/oauth_callback"
	for name, pairs := range map[string][]string{
		"wrong verifier":  {"code_verifier", strings.Repeat("x", 43), "redirect_uri", callback},
		"no verifier":     {"redirect_uri", callback},
		"other address":   {"code_verifier", testVerifier, "redirect_uri", callback + "2"},
		"unknown client":  {"code_verifier", testVerifier, "redirect_uri", callback, "client_id", "other"},
		"client's secret": {"code_verifier", testVerifier, "redirect_uri", callback, "client_assertion", "x"},
	} {
		got := w.exchange(append(pairs, "grant_type", "authorization_code", "code", w.code(w.authorize()))...)
		if got.status < 400 || got.status >= 500 || got.Access != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestTokenEndpointRefusesWhatItDoesNotOffer(t *testing.T) {
	w := newWorld(t)
	for _, kind := range []string{
		"", "password", "client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer",
		"urn:ietf:params:oauth:grant-type:token-exchange", "urn:ietf:params:oauth:grant-type:device_code",
	} {
		if got := w.exchange("grant_type", kind, "assertion", "x"); got.Error != "unsupported_grant_type" {
			t.Errorf("grant type %q: %+v", kind, got)
		}
	}
	// The library answers a broken Authorization header and then continues with a nil client.
	request := w.newPost(w.options.Issuer+"/token", url.Values{"grant_type": {"authorization_code"}, "code": {"x"}})
	request.SetBasicAuth("%zz", "")
	if got := w.do(request); got.status != http.StatusUnauthorized {
		t.Errorf("broken Authorization header: %d %s", got.status, got.body)
	}
	if got := w.post("/token?grant_type=refresh_token&refresh_token=x"); got.status != http.StatusBadRequest ||
		!strings.Contains(got.body, "not in the address") {
		t.Errorf("secrets in the address: %d %s", got.status, got.body)
	}
	if got := w.post("/token", "grant_type", strings.Repeat("x", maxBody)); got.status != http.StatusBadRequest {
		t.Errorf("a huge form: %d", got.status)
	}
}

func TestAccessTokenFromAnotherProcess(t *testing.T) {
	w := newWorld(t)
	w.signIn()
	before, err := os.ReadFile(w.provider.state.path)
	w.check(err)
	other, err := New(Options{
		Issuer: w.options.Issuer, ClientID: testClient, Audience: "gateway", Accounts: w.options.Accounts,
		ChooseAccount: true, Dir: w.options.Dir, Now: w.clock.Now,
	})
	w.check(err)
	token, err := other.AccessToken(" ANN@example.org", time.Hour)
	w.check(err)
	claims, err := w.verify(token, "gateway")
	w.check(err)
	if claims["email"] != ann || claims["token_use"] != "access" || claims["sid"] == "" {
		t.Errorf("claims %v", claims)
	}
	if got := w.userinfo(token); got.status != http.StatusOK {
		t.Errorf("userinfo %d %s", got.status, got.body)
	}
	after, err := os.ReadFile(w.provider.state.path)
	w.check(err)
	if string(before) != string(after) {
		t.Error("making a token changed the server's state")
	}

	_, err = other.AccessToken("eve@example.org", time.Hour)
	if fault.KindOf(err) != fault.NotFound || !strings.Contains(fault.MessageOf(err), ann) ||
		!strings.Contains(fault.MessageOf(err), bob) {
		t.Errorf("unknown account: %v", err)
	}
	for _, lifetime := range []time.Duration{0, -time.Hour, 25 * time.Hour} {
		if _, err := other.AccessToken(ann, lifetime); fault.KindOf(err) != fault.Invalid {
			t.Errorf("lifetime %s: %v", lifetime, err)
		}
	}
}
