package packageindex_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/machine/packageindex"
)

// folder keeps files as an engine does.
type folder string

func (f folder) path(digest string) string            { return filepath.Join(string(f), digest) }
func (f folder) Open(digest string) (*os.File, error) { return os.Open(f.path(digest)) }

func (f folder) Create(digest string) (packageindex.Draft, error) {
	file, err := os.CreateTemp(string(f), "draft-*")
	return draft{file, f.path(digest)}, err
}

type draft struct {
	*os.File

	path string
}

func (d draft) Keep() error { return errors.Join(d.Close(), os.Rename(d.Name(), d.path)) }
func (d draft) Drop()       { _, _ = d.Close(), os.Remove(d.Name()) }

// upstream is an index that wants a password for its pages and the files beside them.
type upstream struct {
	*httptest.Server

	mu    sync.Mutex
	pages map[string]string // by path; JSON when they begin with a brace
	files map[string]string
	asked atomic.Int32 // for files
	down  atomic.Bool
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, _ := r.BasicAuth()
	u.mu.Lock()
	page, isPage := u.pages[r.URL.Path]
	content, isFile := u.files[r.URL.Path]
	u.mu.Unlock()
	switch {
	case u.down.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
	case user != "svc" || password != "S3cret":
		w.WriteHeader(http.StatusUnauthorized)
	case isPage && strings.HasPrefix(page, "{"):
		w.Header().Set("Content-Type", "application/vnd.pypi.simple.v1+json")
		_, _ = io.WriteString(w, page)
	case isPage:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, page)
	case isFile:
		u.asked.Add(1)
		_, _ = io.WriteString(w, content)
	default:
		http.NotFound(w, r)
	}
}

func serveUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{pages: map[string]string{}, files: map[string]string{}}
	u.Server = httptest.NewTLSServer(u)
	t.Cleanup(u.Close)
	return u
}

// guard returns a guard of the index, what pip is told as its address, and the folder of its files.
func (u *upstream) guard(t *testing.T, kept folder, password string) (*packageindex.Guard, string) {
	t.Helper()
	address, err := url.Parse(u.URL + "/simple")
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword("svc", password)
	index, err := packageindex.New(packageindex.Options{
		Address: address.String(), Files: kept, MaxBytes: 1 << 20, Logger: slog.New(slog.DiscardHandler),
		Web: safehttp.New(safehttp.Options{RootCAs: u.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}),
	})
	if err != nil {
		t.Fatal(err)
	}
	guard := index.Guard()
	t.Cleanup(guard.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go guard.Serve(listener)
	return guard, guard.Address(listener.Addr().String())
}

// get asks as a box does, without a password.
func get(t *testing.T, address string) (int, string) {
	t.Helper()
	response, err := (&http.Client{Timeout: time.Minute}).Get(address)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(content)
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func TestPagesOfEveryFormLeadToTheGuardAlone(t *testing.T) {
	t.Parallel()
	u := serveUpstream(t)
	u.pages["/simple/old-one/"] = `<html><head><base href="` + u.URL + `/files/"></head><body>
<a href="old-1.0-py3-none-any.whl#sha256=` + sum("one") + `" data-requires-python="&gt;=3.8" data-yanked="bad &lt;one&gt;" data-core-metadata="sha256=` + sum("about") + `">x</a>
<a href="old-1.0-py3-none-any.whl">again</a><a href="../up/old-2.0.tar.gz#md5=0a">y</a><a href="javascript:alert(1)">z</a>
<a href="old%20three.whl">blank</a><a href="old-4.0.tar.gz#egg=&quot;&gt;">odd</a></body></html>`
	u.pages["/simple/new-one/"] = `{"meta": {"api-version": "1.1"}, "files": [
{"filename": "new-1.0.tar.gz", "url": "../../files/new-1.0.tar.gz", "hashes": {"md5": "00", "sha256": "` + sum("new") + `"}, "requires-python": null, "yanked": true, "core-metadata": true},
{"filename": "../evil.whl", "url": "https://evil.example/evil.whl", "hashes": {}, "yanked": false, "dist-info-metadata": {"sha256": "zz"}},
{"filename": "new-2.0.whl", "url": "https://user:pass@files.example/new-2.0.whl", "hashes": {"sha256": "\"><b"}, "yanked": "why"}]}`
	u.files["/files/old-1.0-py3-none-any.whl.metadata"] = "about"
	guard, address := u.guard(t, folder(t.TempDir()), "S3cret")
	status, page := get(t, address+"old_One/")
	want := `<a href="../../files/old_One/old-1.0-py3-none-any.whl#sha256=` + sum("one") + `" data-requires-python="&gt;=3.8" data-dist-info-metadata="sha256=` +
		sum("about") + `" data-yanked="bad &lt;one&gt;">old-1.0-py3-none-any.whl</a>
<a href="../../files/old_One/old-2.0.tar.gz#md5=0a">old-2.0.tar.gz</a>
<a href="../../files/old_One/old-4.0.tar.gz">old-4.0.tar.gz</a>
`
	if _, links, _ := strings.Cut(page, "<body>\n"); status != http.StatusOK || links != want+"</body></html>\n" {
		t.Errorf("the old page is %d %s", status, page)
	}
	status, page = get(t, address+"new-one/")
	want = `<a href="../../files/new-one/new-1.0.tar.gz#sha256=` + sum("new") + `" data-dist-info-metadata="true" data-yanked="">new-1.0.tar.gz</a>
<a href="../../files/new-one/new-2.0.whl" data-yanked="why">new-2.0.whl</a>
`
	if _, links, _ := strings.Cut(page, "<body>\n"); status != http.StatusOK || links != want+"</body></html>\n" {
		t.Errorf("the new page is %d %s", status, page)
	}
	if status, content := get(t, address+"../files/old-one/old-1.0-py3-none-any.whl.metadata"); status != http.StatusOK || content != "about" {
		t.Errorf("the metadata is %d %q", status, content)
	}
	for _, nothing := range []string{
		address + "unknown/", address, address + "../files/old-one/other.whl", address + "../files/old-one/old-2.0.tar.gz.metadata", address + "..%2f..%2fetc/",
		address + "../files/old-one/..%2f..%2fsecret", strings.Replace(address, "/simple", "x/simple", 1) + "old-one/",
	} {
		if status, content := get(t, nothing); status != http.StatusNotFound {
			t.Errorf("%s answers %d %q", nothing, status, content)
		}
	}
	if err := guard.Failure(); err != nil {
		t.Errorf("the index failed: %v", err)
	}
	line := "Looking in " + address + ", from " + address + "a/, Downloading " + strings.Replace(address, "simple", "files", 1) + "a/b-1.0.whl (1 kB)"
	if got, want := guard.Plain(line), "Looking in "+u.URL+"/simple/, from "+u.URL+"/simple/a/, Downloading b-1.0.whl (1 kB)"; got != want {
		t.Errorf("the line is %q", got)
	}
}

func TestDownloadsAreKeptByTheirDigest(t *testing.T) {
	t.Parallel()
	u := serveUpstream(t)
	list := func(name, digest string) string {
		return `{"filename": "` + name + `", "url": "/files/` + name + `", "hashes": {"sha256": "` + digest + `"}}`
	}
	u.pages["/simple/one/"] = `{"files": [` + list("good.whl", sum("good")) + "," + list("other.whl", sum("what was meant")) + "]}"
	u.pages["/simple/two/"] = `{"files": [` + list("same.whl", sum("good")) + "]}"
	u.files["/files/good.whl"], u.files["/files/other.whl"], u.files["/files/same.whl"] = "good", "swapped", "never asked for"
	kept := folder(t.TempDir())
	for range 2 { // two boxes
		guard, address := u.guard(t, kept, "S3cret")
		for path, want := range map[string]string{"one/good.whl": "good", "one/other.whl": "swapped"} { // which pip refuses by its digest
			if status, content := get(t, address+"../files/"+path); status != http.StatusOK || content != want {
				t.Errorf("%s is %d %q", path, status, content)
			}
		}
		if guard.Received() == 0 {
			t.Error("nothing was received")
		}
	}
	_, address := u.guard(t, kept, "S3cret")
	if _, content := get(t, address+"../files/two/same.whl"); content != "good" {
		t.Errorf("the same digest is %q", content)
	}
	if asked := u.asked.Load(); asked != 3 {
		t.Errorf("the index was asked for files %d times", asked)
	}
	if names, _ := filepath.Glob(string(kept) + "/*"); len(names) != 1 {
		t.Errorf("what is kept is %v", names)
	}
	if err := os.WriteFile(kept.path(sum("good")), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, content := get(t, address+"../files/one/good.whl"); content != "good" {
		t.Errorf("after damage it is %q", content)
	}
}

func TestAnIndexThatCannotBeReachedIsNoMissingPackage(t *testing.T) {
	t.Parallel()
	u := serveUpstream(t)
	u.pages["/simple/one/"] = `{"files": [{"filename": "one.whl", "url": "/files/one.whl", "hashes": {}},
{"filename": "part.whl", "url": "/files/part.whl", "hashes": {}},
{"filename": "inside.whl", "url": "https://127.0.0.1:1/inside.whl", "hashes": {}}]}`
	u.pages["/simple/damaged/"] = `{"files": "none"}`
	u.files["/files/one.whl"], u.files["/files/part.whl"] = strings.Repeat("x", 2<<20), strings.Repeat("x", 600<<10)
	failing := func(what, password, path string, kind fault.Kind, before ...string) {
		t.Helper()
		guard, address := u.guard(t, folder(t.TempDir()), password)
		for _, path := range before {
			if status, _ := get(t, address+path); status != http.StatusOK {
				t.Errorf("%s: %s answers %d", what, path, status)
			}
		}
		status, content := get(t, address+path)
		if err := guard.Failure(); status != 0 || err == nil || fault.KindOf(err) != kind || strings.Contains(fault.MessageOf(err), "S3cret") {
			t.Errorf("%s: %d %q, %v", what, status, content, err)
		}
	}
	failing("a wrong password", "wrong-S3cret", "one/", fault.BadUpstream)
	failing("a damaged page", "S3cret", "damaged/", fault.BadUpstream)
	failing("a file that is too large", "S3cret", "../files/one/one.whl", fault.TooLarge)
	failing("files that are too large together", "S3cret", "../files/one/part.whl", fault.TooLarge, "../files/one/part.whl")
	failing("a file in a private network", "S3cret", "../files/one/inside.whl", fault.Invalid)
	u.down.Store(true)
	failing("an index that is down", "S3cret", "one/", fault.Unavailable)
	guard, address := u.guard(t, folder(t.TempDir()), "S3cret")
	get(t, address+"one/")
	u.down.Store(false)
	if status, _ := get(t, address+"one/"); status != http.StatusOK || guard.Failure() != nil {
		t.Errorf("an index that is back answers %d %v", status, guard.Failure())
	}
}
