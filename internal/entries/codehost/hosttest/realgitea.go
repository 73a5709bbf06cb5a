package hosttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// RealGitea is a server of Gitea behind a StandIn, which can still disturb it.
type RealGitea struct {
	*StandIn

	t       *testing.T
	address string // of the server itself
	token   string // of the person who owns everything
	client  *http.Client

	mu      sync.Mutex
	private map[string]bool // by the names of repositories; protected by mu
}

// giteaConfig has everything in one folder, and nothing that isn't asked for.
const giteaConfig = `RUN_MODE = prod
RUN_USER = root
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
WORK_PATH = %[1]s
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %[2]s
ROOT_URL = %[3]s/
STATIC_ROOT_PATH = %[4]s
APP_DATA_PATH = %[1]s/data
OFFLINE_MODE = true
DISABLE_SSH = true
[database]
DB_TYPE = sqlite3
PATH = %[1]s/gitea.db
[repository]
ROOT = %[1]s/repositories
[security]
INSTALL_LOCK = true
SECRET_KEY = a-key-of-this-test
INTERNAL_TOKEN = %[5]s
PASSWORD_HASH_ALGO = pbkdf2_v2
[oauth2]
JWT_SECRET = 0123456789abcdef0123456789abcdef0123456789a
[service]
DISABLE_REGISTRATION = true
[indexer]
REPO_INDEXER_ENABLED = false
[log]
LEVEL = Warn
`

// StartRealGitea starts the program with these repositories, all of which belong to the person before the slash.
func StartRealGitea(t *testing.T, program string, repositories []Repository) *RealGitea {
	t.Helper()
	folder := t.TempDir()
	g := &RealGitea{t: t, client: &http.Client{Timeout: time.Minute}, private: map[string]bool{}}
	g.StandIn = start(t, repositories, func(_ *StandIn, w http.ResponseWriter, r *http.Request) { g.answer(w, r) })
	port := freePort(t)
	g.address = "http://127.0.0.1:" + port
	config := filepath.Join(folder, "app.ini")
	internal := g.run(program, "generate", "secret", "INTERNAL_TOKEN")
	if err := os.WriteFile(config, fmt.Appendf(nil, giteaConfig, folder, port, g.URL, program+"-files", internal), 0o600); err != nil {
		t.Fatal(err)
	}
	owner, _, _ := strings.Cut(repositories[0].Name, "/")
	g.run(program, "migrate", "-c", config)
	g.run(program, "admin", "user", "create", "-c", config, "--username", owner, "--password", "a-long-enough-one", "--email", "a@example.org", "--admin", "--must-change-password=false")
	g.token = g.run(program, "admin", "user", "generate-access-token", "-c", config, "--username", owner, "--token-name", "t", "--scopes", "all", "--raw")
	serving := exec.CommandContext(t.Context(), program, "web", "-c", config)
	serving.Env, serving.Dir = append(os.Environ(), "HOME="+folder), folder
	var log bytes.Buffer
	serving.Stdout, serving.Stderr = &log, &log
	if err := serving.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serving.Process.Kill()
		_ = serving.Wait()
		if t.Failed() {
			t.Logf("Gitea says: %s", log.Bytes()[max(0, log.Len()-4_000):])
		}
	})
	g.await("/api/healthz", "")
	for _, one := range g.repositories {
		g.push(folder, one)
	}
	g.changed = func(one *Repository) {
		owner, _, _ := strings.Cut(one.Name, "/")
		g.pushTo(folder, owner, one.Name, one)
	}
	return g
}

func (g *RealGitea) run(program string, arguments ...string) string {
	g.t.Helper()
	command := exec.CommandContext(g.t.Context(), program, arguments...)
	output, err := command.Output()
	if err != nil {
		g.t.Fatalf("gitea %q: %v %s", arguments, err, output)
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return lines[len(lines)-1]
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed at once
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

// await waits until the server answers 200 to a path, with these words.
func (g *RealGitea) await(path, words string) {
	g.t.Helper()
	ticks := time.NewTicker(100 * time.Millisecond)
	defer ticks.Stop()
	late := time.After(5 * time.Minute)
	for {
		request, err := http.NewRequestWithContext(g.t.Context(), http.MethodGet, g.address+path, http.NoBody)
		if err != nil {
			g.t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+g.token)
		if response, err := g.client.Do(request); err == nil {
			said, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK && strings.Contains(string(said), words) {
				return
			}
		}
		select {
		case <-ticks.C:
		case <-late:
			g.t.Fatalf("Gitea doesn't answer %s", path)
		}
	}
}

// call calls the API as the person who owns everything.
func (g *RealGitea) call(method, path string, body any, status int) {
	g.t.Helper()
	if got, said := g.Call(g.token, method, path, body, nil); got != status {
		g.t.Fatalf("%s %s: %d %s", method, path, got, said)
	}
}

// Call calls the API with a token, and decodes the answer into into unless that is nil.
func (g *RealGitea) Call(token, method, path string, body, into any) (status int, said string) {
	g.t.Helper()
	var content io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			g.t.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(g.t.Context(), method, g.address+"/api/v1"+path, content)
	if err != nil {
		g.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := g.client.Do(request)
	if err != nil {
		g.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && into != nil {
		err = json.Unmarshal(answer, into)
	}
	if err != nil {
		g.t.Fatalf("%s %s: %v %s", method, path, err, answer)
	}
	return response.StatusCode, string(answer)
}

// push makes a repository.
func (g *RealGitea) push(folder string, of *Repository) {
	g.t.Helper()
	first := of.Name
	if len(of.Former) > 0 {
		first = of.Former[0]
	}
	owner, name, _ := strings.Cut(first, "/")
	g.call(http.MethodPost, "/user/repos", map[string]any{"name": name, "private": of.Private, "description": of.Description, "default_branch": of.Default}, http.StatusCreated)
	g.private[of.Name] = of.Private
	g.pushTo(folder, owner, first, of)
	if len(of.Topics) > 0 {
		g.call(http.MethodPut, "/repos/"+first+"/topics", map[string]any{"topics": of.Topics}, http.StatusNoContent)
	}
	if first != of.Name {
		_, now, _ := strings.Cut(of.Name, "/")
		g.call(http.MethodPatch, "/repos/"+first, map[string]any{"name": now}, http.StatusOK)
	}
}

// pushTo pushes the branches and tags of a repository to the one of a name, and waits until that has them.
func (g *RealGitea) pushTo(folder, owner, name string, of *Repository) {
	g.t.Helper()
	if isEmpty(of) {
		return
	}
	bare := filepath.Join(folder, "pushed", filepath.FromSlash(of.Name))
	makeRepository(g.t, folder, bare, of)
	git := func(arguments ...string) string {
		command := exec.CommandContext(g.t.Context(), "/usr/bin/git", append([]string{"-C", bare}, arguments...)...)
		command.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + folder, "GIT_CONFIG_NOSYSTEM=1"}
		output, err := command.CombinedOutput()
		if err != nil {
			g.t.Fatalf("git %s of %s: %v %s", arguments[0], name, err, output)
		}
		return strings.TrimSpace(string(output))
	}
	git("push", "--quiet", "--mirror", strings.Replace(g.address, "://", "://"+owner+":"+g.token+"@", 1)+"/"+name+".git")
	for _, branch := range branches(of) { // what was pushed is noted by and by
		g.await("/api/v1/repos/"+name+"/branches/"+branch, git("rev-parse", "refs/heads/"+branch))
	}
}

// answer has the server answer, once it knows which repositories have become private.
func (g *RealGitea) answer(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	for _, one := range g.repositories {
		if g.private[one.Name] != one.Private {
			g.private[one.Name] = one.Private
			g.call(http.MethodPatch, "/repos/"+one.Name, map[string]any{"private": one.Private}, http.StatusOK)
		}
	}
	g.mu.Unlock()
	target, err := url.Parse(g.address)
	if err != nil {
		panic(err) // it has none of a user's words
	}
	(&httputil.ReverseProxy{Rewrite: func(request *httputil.ProxyRequest) {
		request.SetURL(target)
		request.Out.Host = r.Host
	}}).ServeHTTP(w, r)
}
