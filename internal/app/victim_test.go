package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cairn/internal/foundation/freeports"
)

// victim is the real binary, to be killed and started again on the same data.
type victim struct {
	t             *testing.T
	binary, data  string
	page, session string // listening addresses; the page's with its scheme
	token         string
	project       string
	settings      []string          // more variables of its environment
	cookies       map[string]string // by session
	command       *exec.Cmd
	errors        *os.File
	client        *http.Client
}

const victimAccount = "researcher@example.org"

func newVictim(t *testing.T) *victim {
	t.Helper()
	folder := t.TempDir()
	v := &victim{
		t: t, binary: filepath.Join(folder, "cairn"), data: filepath.Join(folder, "data"), page: "http://" + freeAddress(t), session: freeAddress(t),
		cookies: map[string]string{},
	}
	v.client = &http.Client{
		Timeout: 20 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if strings.Contains(address, ".localhost:") { // names that only browsers resolve
				address = v.session
			}
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}},
	}
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s", "-o", v.binary, "cairn/cmd/cairn").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	var err error
	if v.errors, err = os.Create(filepath.Join(folder, "log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		v.kill()
		for _, pids := range v.processes() { // of a test that failed
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		_ = v.errors.Close()
	})
	return v
}

func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := freeports.Find(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return "127.0.0.1:" + strconv.Itoa(port)
}

// serve starts the binary and waits until it answers.
func (v *victim) serve() {
	v.t.Helper()
	v.command = exec.CommandContext(context.Background(), v.binary, "serve", "--demo", "--data", v.data,
		"--listen", strings.TrimPrefix(v.page, "http://"), "--session-listen", v.session)
	v.command.Env = append(os.Environ(), "CAIRN_SESSIONS_CAPACITY="+strconv.Itoa(chaosCapacity), "CAIRN_SESSIONS_JUPYTER=/usr/bin/jupyter-notebook", "CAIRN_RUNS_EVERY=never")
	v.command.Env = append(v.command.Env, v.settings...)
	v.command.Stderr = v.errors
	v.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := v.command.Start(); err != nil {
		v.t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for {
		request, _ := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.page+"/api/v1/rf/config", http.NoBody)
		if status, _ := v.do(request); status == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			v.t.Fatalf("the server does not come up\n%s", v.log())
		}
		<-time.After(20 * time.Millisecond)
	}
	token, err := exec.CommandContext(v.t.Context(), v.binary, "token", victimAccount, "--data", v.data).Output()
	if err != nil {
		v.t.Fatal(err)
	}
	v.token = strings.TrimSpace(string(token))
	if v.project == "" {
		v.project = v.firstProject()
	}
}

func (v *victim) firstProject() string {
	v.t.Helper()
	request, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.page+"/api/v1/rf/projects/", http.NoBody)
	if err != nil {
		v.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+v.token)
	status, body := v.do(request)
	var projects []struct{ ID string }
	if err := json.Unmarshal(body, &projects); err != nil || len(projects) == 0 {
		v.t.Fatalf("the projects: %d %s", status, body)
	}
	return projects[0].ID
}

// kill ends the server as a crash would; its sessions continue.
func (v *victim) kill() {
	if v.command != nil {
		_ = v.command.Process.Kill()
		_ = v.command.Wait()
		v.command = nil
	}
}

// stop ends the server as operators do.
func (v *victim) stop() {
	_ = v.command.Process.Signal(syscall.SIGTERM)
	if err := v.command.Wait(); err != nil {
		v.t.Errorf("the server ended with %v", err)
	}
	v.command = nil
}

// do returns status and body; status is 0 unless a complete answer came.
func (v *victim) do(request *http.Request) (status int, body []byte) {
	answer, err := v.client.Do(request)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer answer.Body.Close()
	if body, err = io.ReadAll(answer.Body); err != nil {
		return 0, []byte(err.Error())
	}
	if cookies := answer.Cookies(); len(cookies) == 1 {
		v.cookies[strings.TrimPrefix(cookies[0].Name, "cairn-s-")] = cookies[0].String()
	}
	return answer.StatusCode, body
}

// call calls the gateway as the account, with a body of JSON or none; status is 0 unless a complete answer came.
func (v *victim) call(method, path, body, key string) (status int, answer []byte) {
	request, err := http.NewRequestWithContext(context.Background(), method, v.page+"/api/v1/rf"+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+v.token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	return v.do(request)
}

// put writes a file into a running session through the session origin; it returns 0 when the call was cut off.
func (v *victim) put(id, name, content string) (status int) {
	_, port, _ := net.SplitHostPort(v.session)
	origin := fmt.Sprintf("http://s-%s.localhost:%s", id, port)
	if v.cookies[id] == "" {
		if v.enter(id) == 0 {
			return 0
		}
		if v.cookies[id] == "" {
			return http.StatusConflict
		}
	}
	body, err := json.Marshal(map[string]string{"type": "file", "format": "text", "content": content})
	if err != nil {
		v.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPut, origin+"/s/"+id+"/api/contents/"+url.PathEscape(name), bytes.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	request.Header.Set("Origin", origin)
	cookie, _, _ := strings.Cut(v.cookies[id], ";")
	request.Header.Set("Cookie", cookie)
	status, _ = v.do(request)
	return status
}

// enter opens a session; a session that has ended isn't started again.
func (v *victim) enter(id string) (status int) {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, v.page+"/api/v1/rf/sessions/"+id, http.NoBody)
	if err != nil {
		v.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+v.token)
	status, body := v.do(request)
	if status != http.StatusOK || !bytes.Contains(body, []byte(`"status":"RUNNING"`)) || bytes.Contains(body, []byte(`"requestedStatus"`)) {
		return status
	}
	request.URL.Path = "/api/v1/rf/hub/resume/session/" + id
	status, body = v.do(request)
	var answer struct{ RedirectURL string }
	if err := json.Unmarshal(body, &answer); status != http.StatusOK || err != nil {
		return status
	}
	request, err = http.NewRequestWithContext(context.Background(), http.MethodGet, answer.RedirectURL, http.NoBody)
	if err != nil {
		v.t.Fatal(err)
	}
	status, _ = v.do(request)
	return status
}

var sessionID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// processes returns the processes of this server's sessions, by session: they have this test's folder in their command
// line or, inside a namespace, in their mounts. Other servers on this machine are ignored.
func (v *victim) processes() map[string][]int {
	found := map[string][]int{}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	mine := filepath.Join(filepath.Base(filepath.Dir(filepath.Dir(v.data))), filepath.Base(filepath.Dir(v.data)), filepath.Base(v.data)) + "/"
	for _, folder := range folders {
		pid, _ := strconv.Atoi(filepath.Base(folder))
		line, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		if len(line) == 0 || (v.command != nil && pid == v.command.Process.Pid) {
			continue // a thread of the kernel, or a zombie, which is dead
		}
		mounts, _ := os.ReadFile(filepath.Join(folder, "mountinfo"))
		for text := range strings.Lines(strings.ReplaceAll(string(line), "\x00", "\n") + "\n" + string(mounts)) {
			if id := sessionID.FindString(text); id != "" && strings.Contains(text, mine) {
				found[id] = append(found[id], pid)
				break
			}
		}
	}
	return found
}

// log returns the end of the server's error output.
func (v *victim) log() string {
	text, _ := os.ReadFile(v.errors.Name())
	return string(text[max(0, len(text)-4000):])
}
