package front

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// serve returns the address of a front before a Jupyter and a hub that know one token, and how often the hub was asked.
func serve(t *testing.T, options Options) (address string, asked *int) {
	t.Helper()
	asked = new(int)
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked++
		scopes := map[string]string{
			"token right": `"access:servers!server=ann@example.org/one"`, "token other": `"access:servers!server=ann@example.org/two"`, "token user": `"access:servers!user=ann@example.org"`,
		}[r.Header.Get("Authorization")]
		_, _ = io.WriteString(w, `{"scopes": [`+scopes+`]}`)
	}))
	t.Cleanup(hub.Close)
	jupyter := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "Jupyter at "+r.URL.EscapedPath()+" of "+r.Host+" for "+r.Header.Get("X-Forwarded-Proto")+" with "+r.Header.Get("Authorization"))
	}))
	t.Cleanup(jupyter.Close)
	behind, err := url.Parse(jupyter.URL)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(newFront(options, way{
		prefix: "/user/ann@example.org/one/", jupyter: behind, transport: http.DefaultTransport, admits: newAccess(hub.URL, "ann@example.org", "one").admits,
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func get(t *testing.T, address, token string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "s-1.example.org"
	request.Header.Set("X-Forwarded-Proto", "https")
	request.Header.Set("Authorization", token)
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func TestWhatIsNotItsOwnGoesToJupyter(t *testing.T) {
	t.Parallel()
	address, asked := serve(t, Options{SSH: true})
	for _, path := range []string{"/user/ann%40example.org/one/tree/a%20b", "/user/ann@example.org/one/api/status", "/user/ann@example.org/other/cairn/ssh", "/cairn/ssh"} {
		status, body := get(t, address+path, "token anything")
		if want := "Jupyter at " + path + " of s-1.example.org for https with token anything"; status != http.StatusOK || body != want {
			t.Errorf("%s: %d %s, want %s", path, status, body, want)
		}
	}
	if *asked != 0 {
		t.Errorf("the hub was asked %d times about what Jupyter decides", *asked)
	}
}

func TestItsOwnIsForTokensOfTheServer(t *testing.T) {
	t.Parallel()
	address, asked := serve(t, Options{SSH: true, VSCode: "/nonexistent"})
	for _, path := range []string{"cairn/ssh", "cairn/vscode/", "cairn/anything"} {
		for _, token := range []string{"", "right", "Bearer right", "token ", "token wrong", "token other", "token user"} {
			if status, body := get(t, address+"/user/ann%40example.org/one/"+path, token); status != http.StatusForbidden || strings.Contains(body, "Jupyter") {
				t.Errorf("%s with %q: %d %s", path, token, status, body)
			}
		}
	}
	before := *asked
	for path, want := range map[string]int{"cairn/ssh": http.StatusUpgradeRequired, "cairn/vscode/": http.StatusServiceUnavailable, "cairn/editor": http.StatusNotFound, "cairn/x": http.StatusNotFound} {
		if status, body := get(t, address+"/user/ann%40example.org/one/"+path, "token right"); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
	if *asked != before+1 {
		t.Errorf("the hub was asked %d times about one token", *asked-before)
	}
}

func TestOnlyItsOwnAccountsPortIsJupyters(t *testing.T) {
	t.Parallel()
	// The port is bound all the time, so nobody else on this machine gets it meanwhile.
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(socket) })
	if err := unix.Bind(socket, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(socket)
	address, ok := name.(*unix.SockaddrInet4)
	if err != nil || !ok {
		t.Fatal(name, err)
	}
	if isOwn(address.Port) {
		t.Error("a port at which nothing listens is Jupyter's")
	}
	if err := unix.Listen(socket, 1); err != nil {
		t.Fatal(err)
	}
	if !isOwn(address.Port) {
		t.Error("a port of this process isn't its account's")
	}
}

func TestVSCodeStartsOnceForImpatientCallers(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(home, "s"))
	if err != nil {
		t.Fatal(err)
	}
	running := &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Minute} // busy: it isn't healthy
	go func() { _ = running.Serve(listener) }()
	t.Cleanup(func() { _ = running.Close() })
	one := newEditor("/nonexistent", false)
	one.socket = filepath.Join(home, "s")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := one.start(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that has left is told %v", err)
	}
	if one.socket != filepath.Join(home, "s") {
		t.Error("a second one was started beside the first")
	}
}

func TestWhatPeopleStartCantOpenTheHub(t *testing.T) {
	t.Setenv("JUPYTERHUB_API_TOKEN", "secret")
	t.Setenv("JUPYTER_TOKEN", "secret")
	for _, one := range environment() {
		if strings.Contains(one, "secret") {
			t.Errorf("they get %s", one)
		}
	}
}

func TestWhatWasNotAskedForIsNotThere(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, Options{})
	for _, path := range []string{"cairn/ssh", "cairn/vscode/"} {
		if status, _ := get(t, address+"/user/ann%40example.org/one/"+path, "token right"); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
}

func TestArgumentsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	words := append(Options{VSCode: "/opt/code server", SSH: true}.Arguments(), "jupyterhub-singleuser", "--ssh")
	if want := []string{Command, "--vscode=/opt/code server", "--ssh", "--", "jupyterhub-singleuser", "--ssh"}; !slices.Equal(words, want) {
		t.Errorf("the words are %q", words)
	}
	for _, wrong := range [][]string{{}, {"--"}, {"--odd", "--", "x"}} {
		if _, err := Main(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
