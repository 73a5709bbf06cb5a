package connections_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/foundation/secrets"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/connections"
	"cairn/internal/people/identity"

	"golang.org/x/oauth2"
)

const canary = "canary-of-a-token"

// service is a service that grants what a token says, and takes each refresh token once.
type service struct {
	*httptest.Server

	mu       sync.Mutex
	codes    map[string]string // the PKCE challenge, by code; protected by mu
	refresh  map[string]bool   // refresh tokens that weren't used; protected by mu
	issued   int               // protected by mu
	revoked  []string          // protected by mu
	down     bool              // protected by mu
	lifetime int               // seconds; protected by mu
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{codes: map[string]string{}, refresh: map[string]bool{}, lifetime: 7200}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serveToken))
	t.Cleanup(s.Close)
	return s
}

// authorize lets a browser in that was sent to an address, and returns the code and state that it comes back with.
func (s *service) authorize(t *testing.T, address string) (code, state string) {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	asked := parsed.Query()
	if asked.Get("code_challenge_method") != "S256" || asked.Get("redirect_uri") != "https://cairn.example.org/account/connected" || asked.Get("scope") != "read" {
		t.Errorf("the browser is sent to %s", address)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	code = fmt.Sprintf("code-%d", len(s.codes))
	s.codes[code] = asked.Get("code_challenge")
	return code, asked.Get("state")
}

func (s *service) serveToken(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	refuse := func(code string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": code, "error_description": r.FormValue("refresh_token")})
	}
	switch {
	case s.down:
		w.WriteHeader(http.StatusBadGateway)
		return
	case r.FormValue("redirect_uri") != "https://cairn.example.org/account/connected":
		refuse("invalid_request")
		return
	case r.FormValue("grant_type") == "refresh_token":
		if !s.refresh[r.FormValue("refresh_token")] {
			refuse("unauthorized_client") // as Gitea says it
			return
		}
		delete(s.refresh, r.FormValue("refresh_token"))
	default:
		challenge, known := s.codes[r.FormValue("code")]
		delete(s.codes, r.FormValue("code"))
		if !known || oauth2.S256ChallengeFromVerifier(r.FormValue("code_verifier")) != challenge {
			refuse("invalid_grant")
			return
		}
	}
	s.issued++
	access, refresh := fmt.Sprintf("%s-%d", canary, s.issued), fmt.Sprintf("%s-refresh-%d", canary, s.issued)
	s.refresh[refresh] = true
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": access, "refresh_token": refresh, "expires_in": s.lifetime, "token_type": "bearer"})
}

// Look implements connections.Service.
func (s *service) Look(_ context.Context, token string) (connections.Granted, error) {
	if token == "bad" {
		return connections.Granted{}, fault.InvalidField("body.token", "It isn't accepted.")
	}
	return connections.Granted{Login: "ada", Rights: []connections.Right{connections.RightWrite, connections.RightRead}, Scopes: []string{"repo"}}, nil
}

// Revoke implements connections.Service.
func (s *service) Revoke(_ context.Context, token string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = append(s.revoked, token)
	return true, nil
}

type world struct {
	t        *testing.T
	db       *sqldb.DB
	service  *service
	accounts *identity.Store
	options  connections.Options
	server   *connections.Connections
	log      *bytes.Buffer
	keyFile  string

	mu  sync.Mutex
	now time.Time
}

func (w *world) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(time time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(time)
}

func newWorld(t *testing.T, db *sqldb.DB) *world {
	t.Helper()
	w := &world{t: t, db: db, service: newService(t), now: time.Now().UTC(), log: &bytes.Buffer{}, keyFile: filepath.Join(t.TempDir(), "key")}
	w.accounts = identity.NewStore(db)
	keys, err := secrets.OpenOrMake(w.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	client := safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	w.options = connections.Options{
		Keys: keys, Now: w.Now, Logger: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Hosts: []connections.Host{{
			Service: w.service, Name: "gitlab", Label: "GitLab", Kind: "gitlab", URL: w.service.URL, Client: client.Plain(10 * time.Second),
			OAuth: &oauth2.Config{
				ClientID: "id", ClientSecret: "secret-of-the-client", RedirectURL: "https://cairn.example.org/account/connected", Scopes: []string{"read"},
				Endpoint: oauth2.Endpoint{AuthURL: w.service.URL + "/authorize", TokenURL: w.service.URL + "/token", AuthStyle: oauth2.AuthStyleInParams},
			},
		}, {Service: w.service, Name: "git", Label: "Git", Kind: "git", URL: w.service.URL}},
	}
	w.server = w.another()
	return w
}

// another returns another server on the same database.
func (w *world) another() *connections.Connections {
	w.t.Helper()
	opened, err := connections.New(connections.NewStore(w.db), w.options)
	if err != nil {
		w.t.Fatal(err)
	}
	return opened
}

// as returns the context of an enabled account.
func (w *world) as(name string) context.Context {
	w.t.Helper()
	account, err := w.accounts.See(w.t.Context(), "https://idp.example.org", name, name+"@example.org", name)
	if err != nil {
		w.t.Fatal(err)
	}
	return identity.With(w.t.Context(), identity.Caller{AccountID: account.ID, Email: account.Email, Enabled: true})
}

func idOf(ctx context.Context) string {
	caller, _ := identity.From(ctx)
	return caller.AccountID
}

// connect connects an account through OAuth, and keeps it.
func (w *world) connect(ctx context.Context) {
	w.t.Helper()
	address, err := w.server.Begin(ctx, "gitlab")
	if err != nil {
		w.t.Fatal(err)
	}
	code, state := w.service.authorize(w.t, address)
	if _, err := w.server.Finish(ctx, "gitlab", code, state); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.server.Keep(ctx, "gitlab"); err != nil {
		w.t.Fatal(err)
	}
}

// dump returns everything that the database and the log have.
func (w *world) dump() string {
	w.t.Helper()
	var all bytes.Buffer
	snapshot, err := w.db.Snapshot(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	defer snapshot.Close()
	for _, table := range append(slices.Clone(sqldb.Tables), "connection_attempt") {
		if err := snapshot.WriteTable(w.t.Context(), table, &all, nil); err != nil {
			w.t.Fatal(err)
		}
	}
	return all.String() + w.log.String()
}
