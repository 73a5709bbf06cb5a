package demo

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/cgi"
	"net/url"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	// gitProcesses limits concurrent clones; each takes milliseconds.
	gitProcesses = 8
	// requestLimit is generous: a request for this repository's one commit has a few hundred bytes.
	requestLimit = 64 << 10
	// transferTime is how long a slow reader may hold a slot.
	transferTime = 30 * time.Second
)

// gitHandler serves the bundled repository for reading, through git's own CGI program.
type gitHandler struct {
	root  string
	slots chan struct{}
}

// GitHandler serves the repositories that Install put below dir, over git's smart HTTP protocol, for requests below
// /demo/git/. Everybody may read, nobody may write. Only the two requests of a clone reach git, with paths from this
// package rather than from the caller, and only with those of the caller's headers that git reads.
func GitHandler(dir string) http.Handler {
	return &gitHandler{root: filepath.Join(dir, "git"), slots: make(chan struct{}, gitProcesses)}
}

func (h *gitHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const repository = RepositoryPagePath
	request := &http.Request{Method: http.MethodGet, URL: &url.URL{}, Header: http.Header{}}
	switch r.URL.Path {
	case repository + "/info/refs":
		switch {
		case r.Method != http.MethodGet:
			refuseMethod(w, http.MethodGet)
			return
		case r.URL.RawQuery == "service=git-receive-pack":
			refusePush(w)
			return
		case r.URL.RawQuery != "service=git-upload-pack":
			http.Error(w, "This server speaks git's smart protocol only. Clone with git.", http.StatusForbidden)
			return
		}
		request.URL.Path, request.URL.RawQuery = repository+"/info/refs", "service=git-upload-pack"
	case repository + "/git-upload-pack":
		if r.Method != http.MethodPost {
			refuseMethod(w, http.MethodPost)
			return
		}
		// Read before taking a slot, so that slow senders delay nobody.
		body, err := readBody(w, r)
		if err != nil {
			return
		}
		request.Method = http.MethodPost
		request.URL.Path = repository + "/git-upload-pack"
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	case repository + "/git-receive-pack":
		refusePush(w)
		return
	default:
		http.NotFound(w, r)
		return
	}
	for _, name := range []string{"Content-Type", "Git-Protocol"} {
		if value := r.Header.Get(name); value != "" {
			request.Header.Set(name, value)
		}
	}
	h.run(w, request)
}

// readBody reads and decompresses a request of bounded size: git answers a body that it can't decompress with a server
// error. If it returns an error, it has already answered.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	var source io.Reader = http.MaxBytesReader(w, r.Body, requestLimit)
	var err error
	switch r.Header.Get("Content-Encoding") {
	case "":
	case "gzip", "x-gzip":
		source, err = gzip.NewReader(source)
	default:
		http.Error(w, "Send the request plain or with gzip.", http.StatusUnsupportedMediaType)
		return nil, errors.ErrUnsupported
	}
	var body []byte
	if err == nil {
		body, err = io.ReadAll(io.LimitReader(source, requestLimit+1))
	}
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge || len(body) > requestLimit:
		http.Error(w, "The request is larger than a clone of this repository needs.", http.StatusRequestEntityTooLarge)
		return nil, errors.ErrUnsupported
	case err != nil:
		http.Error(w, "The request cannot be read.", http.StatusBadRequest)
	}
	return body, err
}

func refusePush(w http.ResponseWriter) {
	http.Error(w, "This repository is read-only. Push to your own copy.", http.StatusForbidden)
}

func refuseMethod(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	http.Error(w, "Use "+allowed+" here.", http.StatusMethodNotAllowed)
}

func (h *gitHandler) run(w http.ResponseWriter, r *http.Request) {
	git, err := exec.LookPath("git")
	if err != nil {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "git is not installed on this server.", http.StatusServiceUnavailable)
		return
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "Many clones are in progress. Try again in a second.", http.StatusServiceUnavailable)
		return
	}
	// Writers without deadlines (tests, wrappers) are served without one.
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(transferTime))
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	handler := cgi.Handler{
		Path: git, Args: []string{"-c", "core.hooksPath=/dev/null", "http-backend"},
		Root: gitPrefix, Dir: h.root, Stderr: io.Discard,
		Logger: slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
		Env: append(gitEnvironment(), "GIT_PROJECT_ROOT="+h.root, "GIT_HTTP_EXPORT_ALL=1",
			"GIT_HTTP_MAX_REQUEST_BUFFER=1M",
			// git refuses repositories of another system user. Install created this one, whoever ran it, and git is never given
			// any other; git compares ".", so the path itself wouldn't match.
			"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
			"GIT_CONFIG_KEY_1=http.receivepack", "GIT_CONFIG_VALUE_1=false"),
	}
	handler.ServeHTTP(w, r)
}
