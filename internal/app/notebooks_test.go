package app_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"cairn/internal/app/config"
	"cairn/internal/app/transfer"
	"cairn/internal/foundation/freeports"
)

// Frames of notebooks and sessions share a listener, in both address forms; no frame sees a session's cookies.
func TestNotebooksAtTheSessionOrigin(t *testing.T) {
	t.Parallel()
	free, err := freeports.Find(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(free)
	for form, settings := range map[string]config.Config{
		"a host for each": demoConfig(t),
		"one host": func() config.Config {
			settings := demoConfig(t)
			settings.SessionListen, settings.SessionURL = "127.0.0.1:"+port, "http://localhost:"+port+"/{kind}/{id}/"
			settings.SharedSessions = true
			return settings
		}(),
	} {
		t.Run(form, func(t *testing.T) {
			s := start(t, settings)
			address := frameOf(s, "argon")
			frame, text := getAt(t, address)
			if frame.StatusCode != http.StatusOK || !strings.Contains(text, "Lennard-Jones") || frame.Header.Get("Set-Cookie") != "" ||
				!strings.Contains(frame.Header.Get("Content-Security-Policy"), "; frame-ancestors "+s.address+"; ") {
				t.Errorf("%s: %d %v %.500s", address, frame.StatusCode, frame.Header, text)
			}
			session, text := getAt(t, strings.NewReplacer("/n-", "/s-", "/n/", "/s/").Replace(address))
			if session.StatusCode != http.StatusUnauthorized || !strings.Contains(text, "belongs to a session") {
				t.Errorf("a session of that id: %d %.500s", session.StatusCode, text)
			}
			if root, text := getAt(t, "http://"+hostOf(t, address)+"/"); root.StatusCode != http.StatusNotFound || strings.Contains(text, "Lennard") {
				t.Errorf("the root of its host: %d %.500s", root.StatusCode, text)
			}
		})
	}
}

// A notebook on GitHub is read from the configured address of raw files, and only if that may be reached.
func TestNotebooksOfGitHub(t *testing.T) {
	t.Parallel()
	github := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"markdown","metadata":{},"source":"read at `+r.URL.Path+`"}]}`)
	}))
	defer github.Close()
	for what, allowed := range map[string][]string{"read at /mirror/o/r/main/a.ipynb": {"127.0.0.1/32"}, "private network": nil} {
		settings := demoConfig(t)
		settings.Code.CodeHost.GitHub.RawURL, settings.Outgoing.Allow = github.URL+"/mirror", allowed
		file := filepath.Join(t.TempDir(), "entries.jsonl")
		err := os.WriteFile(file, []byte(
			`{"kind":"resource","externalId":"x","type":"NOTEBOOK","name":"Zygote","authors":["a@example.org"],"privacy":"PUBLIC","notebookPath":"https://github.com/o/r/blob/main/a.ipynb"}`), 0o600)
		if err == nil {
			err = transfer.Import(t.Context(), settings, []string{file}, io.Discard)
		}
		if err != nil {
			t.Fatal(err)
		}
		s := start(t, settings)
		if _, text := getAt(t, frameOf(s, "zygote")); !strings.Contains(text, what) {
			t.Errorf("%q is not in %.1500s", what, text)
		}
		s.stop()
	}
}

// frameOf returns the address of the frame of the one notebook that a search finds.
func frameOf(s *server, name string) string {
	s.t.Helper()
	_, body := s.get("/api/v1/rf/resources/public?type=NOTEBOOK&nameSearch="+name, "")
	var page struct{ Content []struct{ ID string } }
	if err := json.Unmarshal([]byte(body), &page); err != nil || len(page.Content) != 1 {
		s.t.Fatalf("%v: %s", err, body)
	}
	_, body = s.get("/api/v1/rf/resources/public/"+page.Content[0].ID, "")
	var notebook struct{ NotebookFrameURL string }
	if err := json.Unmarshal([]byte(body), &notebook); err != nil {
		s.t.Fatal(err)
	}
	return notebook.NotebookFrameURL
}

func hostOf(t *testing.T, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Host
}

// getAt requests an address below *.localhost, which browsers resolve to this machine and resolvers often don't.
func getAt(t *testing.T, address string) (*http.Response, string) {
	t.Helper()
	_, port, err := net.SplitHostPort(hostOf(t, address))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:"+port)
	}}}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Cookie", "cairn-s-x=y")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}
