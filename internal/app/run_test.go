package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/app"
	"cairn/internal/app/apptest"
	"cairn/internal/app/commands"
	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/idp/idptest"

	"github.com/gofrs/flock"
)

func demoConfig(t *testing.T) config.Config {
	t.Helper()
	settings := config.Default()
	settings.Listen, settings.SessionListen, settings.Demo, settings.Data = "127.0.0.1:0", "127.0.0.1:0", true, filepath.Join(t.TempDir(), "data")
	settings.Log.Level, settings.Runs.Every = "error", "never" // the schedule's runs would begin at any time
	return settings
}

// output keeps what the server prints and signals when it is ready.
type output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	ready chan struct{}
	once  sync.Once
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if bytes.Contains(text, []byte("Cairn is at")) {
		o.once.Do(func() { close(o.ready) })
	}
	return o.text.Write(text)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// server is a running one.
type server struct {
	t       *testing.T
	out     *output
	address string
	cancel  context.CancelFunc
	done    chan error
}

func start(t *testing.T, settings config.Config) *server {
	t.Helper()
	idptest.Folder(t, filepath.Join(settings.Data, "idp"))
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{t: t, out: &output{ready: make(chan struct{})}, cancel: cancel, done: make(chan error, 1)}
	go func() {
		defer close(s.done)
		s.done <- app.Run(ctx, settings, "test", s.out)
	}()
	t.Cleanup(s.stop) // the server writes into its folder until it has ended
	select {
	case <-s.out.ready:
	case err := <-s.done:
		t.Fatalf("the server ended: %v", err)
	case <-time.After(time.Minute):
		t.Fatal("the server does not come up")
	}
	s.address = regexp.MustCompile(`Cairn is at (\S+)`).FindStringSubmatch(s.out.String())[1]
	return s
}

func (s *server) stop() {
	s.t.Helper()
	s.cancel()
	select {
	case err := <-s.done:
		if err != nil {
			s.t.Errorf("the server ended with %v", err)
		}
	case <-time.After(time.Minute):
		s.t.Error("the server does not stop")
	}
}

func (s *server) get(path, token string) (*http.Response, string) {
	s.t.Helper()
	return s.send(http.MethodGet, path, token, "")
}

// send sends JSON; "" for no body.
func (s *server) send(method, path, token, content string) (*http.Response, string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.address+path, strings.NewReader(content))
	if err != nil {
		s.t.Fatal(err)
	}
	if content != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response, string(body)
}

// runToEnd runs a server that can't start.
func runToEnd(t *testing.T, settings config.Config) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := app.Run(ctx, settings, "test", io.Discard)
	if ctx.Err() != nil {
		t.Fatal("the server started")
	}
	return err
}

func TestTheDemoAsAWhole(t *testing.T) {
	t.Parallel()
	settings := demoConfig(t)
	s := start(t, settings)
	for _, wanted := range []string{"Cairn is at http://127.0.0.1:", "Sessions at http://{kind}-{id}.localhost:", "researcher@example.org", "not enabled yet"} {
		if !strings.Contains(s.out.String(), wanted) {
			t.Errorf("%q is not printed:\n%s", wanted, s.out.String())
		}
	}
	for path, status := range map[string]int{
		"/": 200, "/resources": 200, "/nowhere": 404, "/licenses": 301, "/api/docs": 200, "/help": 200, "/help/descriptor": 200, "/help/nothing": 302, "/api/openapi.json": 200, "/api/v1/rf/config": 200,
		"/api/v1/rf/resources/public?pageSize=3": 200, "/api/v1/rf/projects": 401, "/api/v1/rf/nowhere": 404,
		"/idp/.well-known/openid-configuration": 200,
	} {
		response, body := s.get(path, "")
		if response.StatusCode != status || response.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %d, want %d: %.200s", path, response.StatusCode, status, body)
		}
		if policy := response.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "'none'") && !strings.HasPrefix(path, "/idp/") {
			t.Errorf("%s has the policy %q", path, policy)
		}
	}
	if response, _ := s.get("/api/v1/rf/config", "garbage"); response.StatusCode != http.StatusOK {
		t.Errorf("GET /config with a bad token: %d", response.StatusCode)
	}
	if response, _ := s.get("/api/v1/rf/resources/public", "garbage"); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("a public call with a bad token: %d", response.StatusCode)
	}

	token, err := commands.Token(settings, "researcher@example.org")
	if err != nil {
		t.Fatal(err)
	}
	response, body := s.get("/api/v1/rf/projects/researcher%40example.org", token)
	var projects []struct {
		Name      string `json:"name"`
		Available bool   `json:"available"`
	}
	if err := json.Unmarshal([]byte(body), &projects); err != nil || len(projects) == 0 || !projects[0].Available {
		t.Errorf("the demo project: %d %.200s (%v)", response.StatusCode, body, err)
	}
	for text, want := range map[string]string{"lennard jones": "A fluid of argon", "rcparams": "A fluid of argon", "verlet": "A fluid of argon", "hippocampus": ""} {
		var found struct{ Content []struct{ Name string } }
		_, body := s.get("/api/v1/rf/resources/public?nameSearch="+url.QueryEscape(text), "") // nobody has opened a notebook
		isWanted := func(one struct{ Name string }) bool { return strings.HasPrefix(one.Name, want) }
		if err := json.Unmarshal([]byte(body), &found); err != nil || want != "" && !slices.ContainsFunc(found.Content, isWanted) || want == "" && len(found.Content) > 0 {
			t.Errorf("%q finds %+v (%v)", text, found.Content, err)
		}
	}
	if _, err := commands.Token(settings, "nobody@example.org"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a token for nobody: %v", err)
	}

	expectEnd(t, settings, s, "by revocation", http.MethodPost, "/idp/revoke", func(token string) string {
		return url.Values{"client_id": {settings.OIDC.ClientID}, "token": {token}}.Encode()
	})
	expectEnd(t, settings, s, "by signing out", http.MethodDelete, "/api/v1/rf/sessions/access", func(string) string { return "" })

	second := runToEnd(t, settings)
	if fault.KindOf(second) != fault.Conflict {
		t.Errorf("a second server on the same folder: %v", second)
	}
	s.stop()
	again := start(t, settings) // the folder is free again
	again.stop()
}

// expectEnd expects that calls are refused at once after a request that ends their token.
func expectEnd(t *testing.T, settings config.Config, s *server, how, method, path string, body func(token string) string) {
	t.Helper()
	token, err := commands.Token(settings, "researcher@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if response, _ := s.get("/api/v1/rf/projects", token); response.StatusCode != http.StatusOK {
		t.Fatalf("before the end %s: %d", how, response.StatusCode)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, s.address+path, strings.NewReader(body(token)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if method == http.MethodDelete {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if status, answer := send(t, request); status != http.StatusOK {
		t.Fatalf("%s: %d %s", how, status, answer)
	}
	if response, _ := s.get("/api/v1/rf/projects", token); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("after the end %s: %d", how, response.StatusCode)
	}
}

// expectRefusal expects one sentence that names what is wrong, and no files written.
func expectRefusal(t *testing.T, err error, kind fault.Kind, words ...string) {
	t.Helper()
	if fault.KindOf(err) != kind {
		t.Fatalf("got %v, want kind %d", err, kind)
	}
	for _, word := range words {
		if !strings.Contains(fault.MessageOf(err), word) {
			t.Errorf("%q does not say %q", fault.MessageOf(err), word)
		}
	}
	if strings.Contains(strings.TrimSpace(fault.MessageOf(err)), "\n") {
		t.Errorf("more than a sentence: %q", fault.MessageOf(err))
	}
}

func TestOccupiedPort(t *testing.T) {
	t.Parallel()
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	settings := demoConfig(t)
	settings.Listen = taken.Addr().String()
	expectRefusal(t, runToEnd(t, settings), fault.Conflict, settings.Listen, "another program uses it", "--listen")
	settings.Listen, settings.SessionListen = "127.0.0.1:0", taken.Addr().String()
	expectRefusal(t, runToEnd(t, settings), fault.Conflict, settings.SessionListen, "--session-listen")
	settings.SessionListen = "127.0.0.1:0"
	start(t, settings).stop() // the refused servers hold neither port nor lock
}

func TestUnusableDataFolder(t *testing.T) {
	t.Parallel()
	settings := demoConfig(t)
	settings.Data = apptest.WriteFile(t, "file", "no folder")
	expectRefusal(t, runToEnd(t, settings), fault.Invalid, settings.Data, "not a directory", "--data")
	settings.Data = filepath.Join(settings.Data, "below")
	expectRefusal(t, runToEnd(t, settings), fault.Invalid, settings.Data, "not a directory")
}

func TestDatabaseOfANewerVersion(t *testing.T) {
	t.Parallel()
	settings := demoConfig(t)
	if err := os.MkdirAll(settings.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(settings.Data, "cairn.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, TRUE)`)
		return err
	})
	if err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	expectRefusal(t, runToEnd(t, settings), fault.Conflict, "newer cairn", "Nothing was changed")
}

func TestUnreachableDatabase(t *testing.T) {
	t.Parallel()
	settings := demoConfig(t)
	settings.DatabaseURL = "postgres://user:hunter2@127.0.0.1:1/none?connect_timeout=2"
	err := runToEnd(t, settings)
	expectRefusal(t, err, fault.Unavailable, "database can't be opened")
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the password is told: %v", err)
	}
}

func TestTokensNeedAServerThatRan(t *testing.T) {
	t.Parallel()
	settings := demoConfig(t)
	_, err := commands.Token(settings, "researcher@example.org")
	expectRefusal(t, err, fault.NotFound, settings.Data)
	settings.OIDC.Issuer = "https://login.example.org"
	_, err = commands.Token(settings, "researcher@example.org")
	expectRefusal(t, err, fault.Invalid, "https://login.example.org")
}

// When a server is killed while it forks, the child keeps its lock until it has loaded another program.
func TestLockThatIsLetGoInAMomentIsWaitedFor(t *testing.T) {
	t.Parallel()
	settings := demoConfig(t)
	if err := os.MkdirAll(settings.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	held := flock.New(filepath.Join(settings.Data, "lock"))
	if locked, err := held.TryLock(); err != nil || !locked {
		t.Fatalf("locked %t, %v", locked, err)
	}
	time.AfterFunc(200*time.Millisecond, func() { _ = held.Unlock() })
	start(t, settings).stop()
}
