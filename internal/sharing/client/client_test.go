package client

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestTheEnvironmentNamesServerAndToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("cairn_pat_a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		given []string
		says  string // "" if it is fine
	}{
		"nothing":            {nil, "Which server?"},
		"https":              {[]string{"CAIRN_URL", "https://catalog.example.org/"}, ""},
		"loopback":           {[]string{"CAIRN_URL", "http://127.0.0.1:8080"}, ""},
		"localhost":          {[]string{"CAIRN_URL", "http://localhost:8080"}, ""},
		"http":               {[]string{"CAIRN_URL", "http://catalog.example.org"}, "must begin with https://"},
		"like loopback":      {[]string{"CAIRN_URL", "http://127.0.0.1.example.org"}, "must begin with https://"},
		"another scheme":     {[]string{"CAIRN_URL", "file:///etc/passwd"}, "must be the address"},
		"a page":             {[]string{"CAIRN_URL", "https://catalog.example.org/resources"}, "must be the address"},
		"a password":         {[]string{"CAIRN_URL", "https://a:b@catalog.example.org"}, "must be the address"},
		"a token":            {[]string{"CAIRN_URL", "https://a.example", "CAIRN_TOKEN", "cairn_pat_a"}, ""},
		"a token in a file":  {[]string{"CAIRN_URL", "https://a.example", "CAIRN_TOKEN_FILE", file}, ""},
		"both":               {[]string{"CAIRN_URL", "https://a.example", "CAIRN_TOKEN", "a", "CAIRN_TOKEN_FILE", file}, "not both"},
		"no file":            {[]string{"CAIRN_URL", "https://a.example", "CAIRN_TOKEN_FILE", file + "x"}, "can't be read"},
		"another header":     {[]string{"CAIRN_URL", "https://a.example", "CAIRN_TOKEN", "a\r\nX: y"}, "isn't an access token"},
		"a file that's none": {[]string{"CAIRN_URL", "https://a.example", "CAIRN_TOKEN_FILE", os.DevNull}, "isn't an access token"},
	} {
		opened, err := Open(environment(c.given...), "test")
		switch {
		case c.says == "" && err != nil, c.says != "" && (fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), c.says)):
			t.Errorf("%s: %v", name, err)
		case err == nil && strings.HasPrefix(name, "a token") && opened.token != "cairn_pat_a":
			t.Errorf("%s: the token is %q", name, opened.token)
		}
	}
}

// newClient returns a client of a server with this handler.
func newClient(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	opened, err := Open(environment("CAIRN_URL", server.URL, "CAIRN_TOKEN", "cairn_pat_secret"), "test")
	if err != nil {
		t.Fatal(err)
	}
	opened.interval = time.Millisecond
	return opened
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	problem := func(status int, code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"code": %q, "message": "It is refused.\u001b[31m"}`, code)
		}
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another server was called with %q", r.Header.Get("Authorization"))
	}))
	t.Cleanup(elsewhere.Close)
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		says    string
	}{
		"401":       {problem(http.StatusUnauthorized, "unauthenticated"), "It is refused.[31m Your tokens are at http://127.0.0.1"},
		"no scope":  {problem(http.StatusForbidden, "token_scope"), "Your tokens are at"},
		"403":       {problem(http.StatusForbidden, "forbidden"), "It is refused."},
		"404":       {problem(http.StatusNotFound, "not_found"), "one of its authors"},
		"503":       {problem(http.StatusServiceUnavailable, "unavailable"), "It is refused."},
		"no Cairn":  {http.NotFound, "isn't a Cairn server that this command understands"},
		"a website": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, "isn't a Cairn server"},
		"other":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }, "isn't a Cairn server"},
		"redirect":  {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) }, "leads to another address"},
	} {
		_, err := newClient(t, c.handler).Entry(t.Context(), "a")
		if err == nil || !strings.Contains(fault.MessageOf(err), c.says) || strings.ContainsAny(fault.MessageOf(err), "\x1b") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	closed := newClient(t, nil)
	closed.base.Host = "127.0.0.1:1"
	if _, err := closed.Entry(t.Context(), "a"); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "can't be reached") {
		t.Error(err)
	}
}

func TestEntriesAreNamedByIDOrAddress(t *testing.T) {
	c := newClient(t, nil)
	for text, want := range map[string]string{
		"0190-a": "0190-a", c.Page("/id/0190-a"): "0190-a", c.Page("/resources/datasets/0190-a"): "0190-a", c.Page("/run/0190-a/"): "0190-a",
		"https://other.example/id/0190-a": "", c.Page("/projects/0190-a"): "", "../x": "", "a/b": "", "": "", c.Page("/id/..%2fx"): "", "-a": "",
	} {
		if got, err := c.EntryID(text); got != want || (want == "") != (fault.KindOf(err) == fault.Invalid && err != nil) {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
}

// dataset is a server with one dataset.
type dataset struct {
	files   map[string]string
	cut     int  // after so many bytes the first answer is cut off
	damaged bool // answers have another digest
	asked   []string
}

func (d *dataset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Query().Get("path")
	content, known := d.files[path]
	sum := sha256.Sum256([]byte(content))
	if d.damaged {
		sum[0]++
	}
	switch part := strings.TrimPrefix(r.URL.Path, apiPath+"/resources/public/a/dataset"); {
	case part == "" && path == "":
		entries := []map[string]any{}
		for name := range d.files {
			entries = append(entries, map[string]any{"type": "file", "path": name})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"available": true, "total": len(entries), "entries": entries})
	case part == "/digest" && known:
		_ = json.NewEncoder(w).Encode(map[string]any{"sha256": hex.EncodeToString(sum[:])})
	case part == "/file" && known:
		d.asked = append(d.asked, r.Header.Get("Range"))
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("Range") == "" {
			w.Header().Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
		}
		if d.cut > 0 {
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			_, _ = w.Write([]byte(content[:d.cut]))
			d.cut = 0
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
	default:
		http.NotFound(w, r)
	}
}

// get downloads the dataset into a folder.
func (d *dataset) get(t *testing.T, folder string, force bool) (files []Downloaded, err error) {
	t.Helper()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	download := Download{
		Client: newClient(t, d.ServeHTTP), Folder: root, Force: force, Progress: func(string, int64, int64) {},
		Done: func(file Downloaded) { files = append(files, file) },
	}
	return files, download.Dataset(t.Context(), Entry{ID: "a"})
}

func expectFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); string(got) != want || err != nil {
		t.Errorf("%s holds %q, want %q: %v", path, got, want, err)
	}
}

func TestADownloadGoesOnWhereItWasCutOff(t *testing.T) {
	folder := t.TempDir()
	d := &dataset{files: map[string]string{"sub/a.csv": "time,value\n1,2\n"}, cut: 6}
	if _, err := d.get(t, folder, false); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "run the same command again") {
		t.Fatal(err)
	}
	files, err := d.get(t, folder, false)
	if err != nil || len(files) != 1 || !files[0].Checked || files[0].Size != 15 || files[0].Path != "sub/a.csv" {
		t.Fatal(files, err)
	}
	if fmt.Sprint(d.asked) != "[ bytes=6-]" {
		t.Errorf("asked for the ranges %q", d.asked)
	}
	expectFile(t, filepath.Join(folder, "sub", "a.csv"), d.files["sub/a.csv"])
	if left, err := os.ReadDir(filepath.Join(folder, "sub")); len(left) != 1 || err != nil {
		t.Errorf("left: %v %v", left, err)
	}
}

func TestFilesThatAreThereAreKept(t *testing.T) {
	folder := t.TempDir()
	d := &dataset{files: map[string]string{"a.csv": "new"}}
	path := filepath.Join(folder, "a.csv")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.get(t, folder, false); fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), "--force") {
		t.Error(err)
	}
	expectFile(t, path, "old")
	if _, err := d.get(t, folder, true); err != nil {
		t.Error(err)
	}
	expectFile(t, path, "new")
	if files, err := d.get(t, folder, false); err != nil || !files[0].Unchanged {
		t.Error(files, err)
	}
}

func TestDamagedFilesAreNotKept(t *testing.T) {
	folder := t.TempDir()
	d := &dataset{files: map[string]string{"a.csv": "new"}, damaged: true}
	if _, err := d.get(t, folder, false); fault.KindOf(err) != fault.BadUpstream {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); len(left) != 0 || err != nil {
		t.Errorf("left: %v %v", left, err)
	}
}

func TestNamesNeverLeaveTheFolder(t *testing.T) {
	for _, name := range []string{"../a", "/etc/a", "a/../../b", "..", ".", "a\x00b", "a\nb", `a\b`, `..\a`, "a//b", "a/", "a.cairn-part", "\x1b[2J"} {
		around := t.TempDir()
		folder := filepath.Join(around, "folder")
		if err := os.Mkdir(folder, 0o750); err != nil {
			t.Fatal(err)
		}
		d := &dataset{files: map[string]string{name: "hostile"}}
		if _, err := d.get(t, folder, true); fault.KindOf(err) != fault.BadUpstream || strings.ContainsAny(fault.MessageOf(err), "\x1b\n") {
			t.Errorf("%q: %v", name, err)
		}
		for _, path := range []string{around, folder} {
			if left, err := os.ReadDir(path); err != nil || len(left) > 1 || (path == folder && len(left) > 0) {
				t.Errorf("%q left %v in %s", name, left, path)
			}
		}
	}
	around := t.TempDir()
	folder := filepath.Join(around, "folder")
	for path, target := range map[string]string{"link": around, "a": filepath.Join(around, "outside")} {
		if err := os.MkdirAll(folder, 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(folder, path)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"link/a", "a"} {
		d := &dataset{files: map[string]string{name: "hostile"}}
		if _, err := d.get(t, folder, false); fault.KindOf(err) != fault.Conflict {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir(around); len(left) != 1 || err != nil {
		t.Errorf("outside: %v %v", left, err)
	}
}

func TestASessionIsFollowedUntilItRunsOrFails(t *testing.T) {
	for name, c := range map[string]struct {
		answers []string
		tells   int
		kind    fault.Kind
		fails   bool
	}{
		"runs":    {[]string{`{"id":"s","status":"CREATED","step":"Copying"}`, "503", `{"id":"s","status":"CREATED","step":"Copying"}`, `{"id":"s","status":"RUNNING"}`}, 3, 0, false},
		"fails":   {[]string{`{"id":"s","status":"ERROR","statusReason":"It broke."}`}, 2, fault.Conflict, true},
		"stopped": {[]string{`{"id":"s","status":"TERMINATED"}`}, 2, fault.Conflict, true},
	} {
		next := 0
		followed := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
			answer := c.answers[min(next, len(c.answers)-1)]
			next++
			if answer == "503" {
				w.Header().Set("Content-Type", "application/problem+json")
				w.WriteHeader(http.StatusServiceUnavailable)
				answer = `{"message":"In a moment."}`
			}
			_, _ = w.Write([]byte(answer))
		})
		told := 0
		err := followed.Follow(t.Context(), Session{ID: "s", Status: created}, false, func(Session) { told++ })
		if told != c.tells || (err != nil) != c.fails || (c.fails && fault.KindOf(err) != c.kind) {
			t.Errorf("%s: told %d, %v", name, told, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	endless := newClient(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"id":"s","status":"CREATED"}`)) })
	if err := endless.Follow(ctx, Session{Status: created}, false, func(Session) { cancel() }); err == nil {
		t.Error("it goes on after its context has ended")
	}
}
