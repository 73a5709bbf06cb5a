package preview_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// A REF may contain slashes, so everything after "blob" is passed on unchanged; addresses that aren't pages of files on
// GitHub are fetched directly.
func TestGitHubFilesByTheirRawForm(t *testing.T) {
	t.Parallel()
	var asked string
	source := newSource(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.EscapedPath()
		_, _ = w.Write(notebookOf("text"))
	})
	for path, want := range map[string]string{
		"https://github.com/o/r/blob/main/a.ipynb":                       "/raw/o/r/main/a.ipynb",
		"https://GitHub.com/o/r/blob/refs/heads/x/y/b/My%20a.ipynb":      "/raw/o/r/refs/heads/x/y/b/My%20a.ipynb",
		"https://github.com/o/r/blob/main/a%2Fb.ipynb?plain=1#L5":        "/raw/o/r/main/a%2Fb.ipynb",
		"https://nbviewer.org/github/o/r/blob/main/a%20b.ipynb":          "/raw/o/r/main/a%20b.ipynb",
		"https://nbviewer.jupyter.org/url/github.com/o/r/blob/x/a.ipynb": "/raw/o/r/x/a.ipynb",
		"https://nbviewer.org/github/o/r/blob/../../x/y/a.ipynb":         "",
		"https://nbviewer.org.evil.example/github/o/r/blob/m/a.ipynb":    "",
		"https://github.com/o/r/blob/main/../../../other/x/a.ipynb":      "",
		"https://github.com/o/r/blob/main/%2e%2e/%2e%2e/x/a.ipynb":       "",
		"https://github.com/o/r/blob/main":                               "",
		"https://github.com/o/r/tree/main/a.ipynb":                       "",
		"https://github.com.evil.example/o/r/blob/main/a.ipynb":          "",
		"https://evil.example/github.com/o/r/blob/main/a.ipynb":          "",
		"https://raw.githubusercontent.com.evil.example/o/r/a/b.ipynb":   "",
	} {
		asked = ""
		w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Notebook(path)))
		// Requests to anything but the stand-in fail.
		w.showNotebooks(source.URL+"/raw/", func(options *preview.NotebookOptions) { options.Client = nameless() })
		answer := w.visit(w.frameOf("", "e"))
		if asked != want || (answer.Code == http.StatusOK) != (want != "") {
			t.Errorf("%s: asked for %q, want %q; answered %d", path, asked, want, answer.Code)
		}
	}
}

func TestNotebookAtAnyHTTPSAddress(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html") // false: the content decides
		_, _ = w.Write(append([]byte("\xef\xbb\xbf\n "), notebookOf("over TLS")...))
	}))
	defer server.Close()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Notebook(server.URL+"/a.ipynb")))
	w.showNotebooks("", func(options *preview.NotebookOptions) { options.Client = trusting(server) })
	w.shows("the notebook", w.frameOf("", "e"), http.StatusOK, "over TLS")
	content, err := w.notebooks.Source(t.Context(), server.URL+"/a.ipynb")
	if err != nil || !bytes.HasSuffix(content, notebookOf("over TLS")) {
		t.Errorf("the notebook for a session: %s %v", content, err)
	}
	if content, err = w.notebooks.Source(t.Context(), "bundled:a.ipynb"); err != nil || !bytes.Equal(content, notebookOf("bundled text")) {
		t.Errorf("the bundled notebook for a session: %s %v", content, err)
	}
	if _, err = w.notebooks.Source(t.Context(), "bundled:../secret.txt"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another file for a session: %v", err)
	}
}

// A copy is good enough for readers for a while, and never for a run.
func TestLatestNotebook(t *testing.T) {
	t.Parallel()
	text, broken := "wrong", false
	source := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if broken {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = w.Write(notebookOf(text))
	}))
	defer source.Close()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	w.showNotebooks("", func(options *preview.NotebookOptions) { options.Client = trusting(source) })
	address := source.URL + "/a.ipynb"
	latest := func() []byte {
		t.Helper()
		content, err := w.notebooks.Latest(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	if content := latest(); !bytes.Equal(content, notebookOf("wrong")) {
		t.Errorf("at first: %s", content)
	}
	text = "corrected"
	if content, err := w.notebooks.Source(t.Context(), address); err != nil || !bytes.Equal(content, notebookOf("wrong")) {
		t.Errorf("a reader gets %s, %v", content, err)
	}
	if content := latest(); !bytes.Equal(content, notebookOf("corrected")) {
		t.Errorf("after the correction: %s", content)
	}
	broken = true
	if _, err := w.notebooks.Latest(t.Context(), address); fault.KindOf(err) != fault.BadUpstream {
		t.Errorf("while the source doesn't answer, the copy stands in for it: %v", err)
	}
	if content, err := w.notebooks.Latest(t.Context(), "bundled:a.ipynb"); err != nil || !bytes.Equal(content, notebookOf("bundled text")) {
		t.Errorf("bundled: %s, %v", content, err)
	}
}

// A notebook that Git LFS keeps elsewhere is read from there, if GitHub has it.
func TestNotebooksInGitLFS(t *testing.T) {
	t.Parallel()
	pointer := []byte("version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("07", 32) + "\nsize 123\n")
	source := newSource(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/media/o/r/main/a.ipynb":
			_, _ = w.Write(notebookOf("what is kept"))
		default:
			_, _ = w.Write(pointer)
		}
	})
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("kept", catalogtest.Notebook(onGitHub)),
		catalogtest.Entry("lost", catalogtest.Notebook(strings.Replace(onGitHub, "a.ipynb", "lost.ipynb", 1))))
	w.showNotebooks(source.URL + "/raw")
	w.shows("the notebook", w.frameOf("", "kept"), http.StatusOK, "what is kept")
	w.shows("a pointer alone", w.frameOf("", "lost"), http.StatusUnprocessableEntity, "Git LFS")
	if content, err := w.notebooks.Latest(t.Context(), onGitHub); err != nil || !bytes.Equal(content, notebookOf("what is kept")) {
		t.Errorf("the notebook for a run: %s, %v", content, err)
	}
}

// SSRF (CVE-2024-43371, CVE-2026-22874 and others), floods: what a source may do, and what people read then.
func TestHostileSourcesOfNotebooks(t *testing.T) {
	t.Parallel()
	inside := newSource(t, sends(notebookOf("inside")))
	hanging := make(chan struct{})
	defer close(hanging)
	good := notebookOf("text")
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		status  int
		because string
	}{
		"a private address": {http.RedirectHandler(strings.Replace(inside.URL, "127.0.0.1", "127.0.0.2", 1), http.StatusFound).ServeHTTP, 422, "private network"},
		"metadata":          {http.RedirectHandler("http://169.254.169.254/latest/meta-data/", http.StatusFound).ServeHTTP, 422, "private network"},
		"a file":            {http.RedirectHandler("file:///etc/passwd", http.StatusFound).ServeHTTP, 422, "doesn't visit"},
		"round in circles":  {http.RedirectHandler("/o/r/main/a.ipynb", http.StatusFound).ServeHTTP, 502, "redirects more than"},
		"a web page":        {sends([]byte(" \n<!doctype html><script>alert(1)</script>")), 422, "a web page, not a notebook"},
		"a pointer": {
			sends([]byte("version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("07", 32) + "\nsize 123\n")), 422, "Git LFS",
		},
		"a part":     {sends(good[:len(good)-9]), 422, "other than a notebook, or to only part of one"},
		"nothing":    {sends(nil), 422, "other than a notebook"},
		"text":       {sends([]byte("hello")), 422, "other than a notebook"},
		"a list":     {sends([]byte("[1]")), 422, "other than a notebook"},
		"other JSON": {sends([]byte(`{"a":1}`)), 422, "notebook"},
		"deep JSON":  {sends([]byte(`{"a":` + strings.Repeat("[", 1_000_000))), 422, "other than a notebook"},
		"cut in the middle": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5000")
			_, _ = w.Write(good)
		}, 502, "closed the connection"},
		"announced as large": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "20971521")
			_, _ = w.Write(good)
		}, 413, "the limit is 20 MiB"},
		"large": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.CopyN(w, zeros{}, 20<<20+1) }, 413, "the limit is 20 MiB"},
		"packed without being asked": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			_, _ = w.Write(good)
		}, 502, "compressed data"},
		"gone":         {http.NotFound, 404, "answers 404 Not Found"},
		"broken":       {status(http.StatusInternalServerError), 502, "answers 500"},
		"busy":         {status(http.StatusTooManyRequests), 503, "is busy"},
		"hanging up":   {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 502, "be reached, or its answer"},
		"not modified": {status(http.StatusNotModified), 502, "answers 304"},
		"hanging": {func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-hanging:
			case <-r.Context().Done():
			}
		}, 503, "Its source is slow to answer"},
	} {
		t.Run(name, func(t *testing.T) {
			source := newSource(t, c.answer)
			w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Notebook(onGitHub)))
			w.showNotebooks(source.URL, func(options *preview.NotebookOptions) {
				if name == "hanging" {
					options.Wait = 50 * time.Millisecond
				}
			})
			answer := w.get("", "/api/v1/rf/resources/public/"+w.ID("e")+"/notebook")
			if answer.Code != c.status || !strings.Contains(answer.Body.String(), c.because) {
				t.Errorf("%d %s, want %d that mentions %q", answer.Code, answer.Body, c.status, c.because)
			}
			w.shows("the frame", w.frameOf("", "e"), c.status, c.because, "The notebook cannot be shown", `target="_self">Retry</a>`,
				`href="`+onGitHub+`"`, publicOrigin+"/resources/notebooks/"+w.ID("e"))
			advice := map[int]string{404: "may have been moved", 413: "clear large outputs", 422: "Its authors can correct", 502: "Try again in a while"}[c.status]
			if name != "other JSON" && !strings.Contains(answer.Body.String(), advice) {
				t.Errorf("%s does not say that %q", answer.Body, advice)
			}
			if inside.asked.Load() != 0 {
				t.Error("a private address was asked")
			}
		})
	}
}

func TestAuthorsAreNotBlamedForAServerWithoutTheInternet(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for name, c := range map[string]struct {
		gitHub string
		client func(*preview.NotebookOptions)
	}{
		"no names":      {"", func(options *preview.NotebookOptions) { options.Client = nameless() }},
		"no connection": {closed.URL, func(*preview.NotebookOptions) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Notebook(onGitHub)))
			w.showNotebooks(c.gitHub, c.client)
			answer := w.get("", "/api/v1/rf/resources/public/"+w.ID("e")+"/notebook")
			body := answer.Body.String()
			const sentence = "This notebook couldn't be loaded from GitHub. Try again later."
			if answer.Code != http.StatusBadGateway || !strings.Contains(body, "codehost_unavailable") || !strings.Contains(body, `"`+sentence+`"`) {
				t.Errorf("%d %s", answer.Code, body)
			}
			w.shows("the frame", w.frameOf("", "e"), http.StatusBadGateway, "be loaded from GitHub")
		})
	}
}

type zeros struct{}

func (zeros) Read(part []byte) (int, error) { return len(part), nil }

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// A failure is remembered for seconds, so that Retry asks again and a crowd doesn't.
func TestRetryAfterAFailure(t *testing.T) {
	t.Parallel()
	source := newSource(t, http.NotFound)
	clock := newClock()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Notebook(onGitHub)))
	w.showNotebooks(source.URL, func(options *preview.NotebookOptions) { options.Now = clock.now })
	for range 3 {
		w.shows("at first", w.frameOf("", "e"), http.StatusNotFound)
	}
	if source.asked.Load() != 1 {
		t.Errorf("asked %d times", source.asked.Load())
	}
	retry := strings.ReplaceAll(strings.Split(strings.SplitAfter(w.visit(w.frameOf("", "e")).Body.String(), `<a href="`)[1], `"`)[0], "&amp;", "&")
	source.set(sends(notebookOf("here again")))
	clock.pass(3 * time.Second)
	w.shows("by the link of the failure", retry, http.StatusOK, "here again")
}

// Nobody waits long for a slow source, and its answer is there for the next who asks.
func TestSlowSourceIsReadBehind(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	source := newSource(t, func(w http.ResponseWriter, _ *http.Request) {
		<-release
		_, _ = w.Write(notebookOf("at last"))
	})
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Notebook(onGitHub)))
	w.showNotebooks(source.URL, func(options *preview.NotebookOptions) { options.Wait = 20 * time.Millisecond })
	w.shows("at first", w.frameOf("", "e"), http.StatusServiceUnavailable)
	close(release)
	eventually(t, "the notebook", func() bool { return w.visit(w.frameOf("", "e")).Code == http.StatusOK })
	if source.asked.Load() != 1 {
		t.Errorf("asked %d times", source.asked.Load())
	}
}

func TestNotebookIsFetchedOnceForAll(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	source := newSource(t, func(w http.ResponseWriter, _ *http.Request) {
		close(begun) // twice is a panic
		<-release
		_, _ = w.Write(notebookOf("text"))
	})
	w := newWorld(t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("a", catalogtest.Notebook(onGitHub)),
		catalogtest.Entry("b", catalogtest.Notebook(onGitHub+"?x")),
	)
	w.showNotebooks(source.URL)
	var answers sync.WaitGroup
	for _, address := range []string{w.frameOf("", "a"), w.frameOf("", "b"), w.frameOf("", "a")} {
		answers.Go(func() { w.shows("one of three", address, http.StatusOK, "text") })
	}
	<-begun
	close(release)
	answers.Wait()
	if source.asked.Load() != 1 {
		t.Errorf("asked %d times", source.asked.Load())
	}
}

// Copies are checked after a while, and shown while their source fails; a notebook removed at its source is no longer
// shown.
func TestCopiesOfNotebooks(t *testing.T) {
	t.Parallel()
	clock, folder := newClock(), t.TempDir()
	var condition string
	serves := func(text, tag string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			condition = r.Header.Get("If-None-Match") + "|" + r.Header.Get("If-Modified-Since")
			w.Header().Set("ETag", tag)
			http.ServeContent(w, r, "", time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), bytes.NewReader(notebookOf(text)))
		}
	}
	source := newSource(t, serves("first", `"1"`))
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Notebook(onGitHub)))
	open := func(options *preview.NotebookOptions) { options.Now, options.Folder = clock.now, folder }
	opened := w.showNotebooks(source.URL, open)
	shows := func(what string, asked int32, texts ...string) {
		t.Helper()
		w.shows(what, w.frameOf("", "e"), http.StatusOK, texts...)
		if source.asked.Load() != asked {
			t.Errorf("%s: the source was asked %d times, want %d", what, source.asked.Load(), asked)
		}
	}
	shows("at first", 1, "first")
	clock.pass(9 * time.Minute)
	shows("within ten minutes", 1, "first")
	clock.pass(2 * time.Minute)
	shows("after them, unchanged", 2, "first")
	if condition != `"1"|Sun, 01 Nov 2026 00:00:00 GMT` {
		t.Errorf("asked with %s", condition)
	}
	source.set(serves("second", `"2"`))
	clock.pass(9 * time.Minute)
	shows("what was looked at is fresh again", 2, "first")
	clock.pass(2 * time.Minute)
	shows("changed", 3, "second")

	source.set(status(http.StatusInternalServerError))
	clock.pass(11 * time.Minute)
	failing := []string{"second", "Shown as of Nov 21, 2026, 10:23 UTC; the source isn't responding properly. 127.0.0.1 answers 500"}
	shows("while the source fails", 4, failing...)
	clock.pass(time.Minute)
	shows("a minute later it is left alone", 4, failing...)
	var view preview.NotebookView
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("e")+"/notebook", http.StatusOK, &view)
	if view.Stale != "127.0.0.1 answers 500 Internal Server Error." || view.FetchedAt.Format(time.TimeOnly) != "10:23:00" {
		t.Errorf("%+v", view)
	}
	source.set(sends([]byte("<html>Sign in</html>")))
	clock.pass(2 * time.Minute)
	shows("a page of a proxy replaces no copy", 5, "second", "Shown as of Nov 21, 2026, 10:23 UTC")

	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	w.showNotebooks(source.URL, open)
	shows("after a restart", 6, "second", "Shown as of Nov 21, 2026, 10:23 UTC")
	source.set(serves("third", `"3"`))
	clock.pass(3 * time.Minute)
	shows("when it is back", 7, "third")
	if condition != `"2"|Sun, 01 Nov 2026 00:00:00 GMT` {
		t.Errorf("after a restart asked with %s", condition)
	}

	source.set(http.NotFound)
	clock.pass(11 * time.Minute)
	w.shows("taken back", w.frameOf("", "e"), http.StatusNotFound, "answers 404")
	source.set(status(http.StatusInternalServerError))
	clock.pass(4 * time.Second)
	w.shows("its copy does not come back", w.frameOf("", "e"), http.StatusBadGateway, "answers 500")
}

// When there is an older copy, a reader doesn't wait for a source that hangs.
func TestOldCopyInsteadOfAHangingSource(t *testing.T) {
	t.Parallel()
	source := newSource(t, sends(notebookOf("copy")))
	clock := newClock()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Notebook(onGitHub)))
	w.showNotebooks(source.URL, func(options *preview.NotebookOptions) { options.Now, options.Patience = clock.now, 10*time.Millisecond })
	w.shows("at first", w.frameOf("", "e"), http.StatusOK, "copy")
	release := make(chan struct{})
	source.set(func(w http.ResponseWriter, _ *http.Request) {
		<-release
		_, _ = w.Write(notebookOf("newer"))
	})
	clock.pass(11 * time.Minute)
	w.shows("while it hangs", w.frameOf("", "e"), http.StatusOK, "copy", "Shown as of")
	close(release)
	eventually(t, "the newer one", func() bool { return strings.Contains(w.visit(w.frameOf("", "e")).Body.String(), "newer") })
	clock.pass(29 * 24 * time.Hour)
	source.set(status(http.StatusBadGateway))
	w.shows("after 29 days of failures", w.frameOf("", "e"), http.StatusOK, "newer")
	clock.pass(2 * 24 * time.Hour)
	w.shows("after a month of them", w.frameOf("", "e"), http.StatusBadGateway)
}

// Floods: when many notebooks are requested at once, each is rendered once, whoever leaves.
func TestManyReadersOfManyNotebooks(t *testing.T) {
	t.Parallel()
	source := newSource(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(notebookOf("of " + r.URL.Path)) })
	var entries []catalog.Entry
	for i := range 20 {
		entries = append(entries, catalogtest.Entry(fmt.Sprint("e", i), catalogtest.Notebook(fmt.Sprintf("https://github.com/o/r/blob/main/%d.ipynb", i))))
	}
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), entries...)
	w.showNotebooks(source.URL)
	var readers sync.WaitGroup
	for i := range 100 {
		address := w.frameOf("", fmt.Sprint("e", i%20))
		readers.Go(func() { w.shows("one", address, http.StatusOK, fmt.Sprintf("of /o/r/main/%d.ipynb", i%20)) })
	}
	readers.Wait()
	if source.asked.Load() != 20 {
		t.Errorf("asked %d times for 20 notebooks", source.asked.Load())
	}
}
