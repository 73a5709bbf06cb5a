// Package githttp serves git repositories of this server for reading, over git's smart HTTP protocol.
package githttp

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/cgi"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
)

const (
	// Processes limits concurrent clones; each small one takes milliseconds.
	Processes = 8
	// RequestLimit is generous: a request for a commit of a few has a few hundred bytes.
	RequestLimit = 64 << 10
)

// The requests of a clone, below the address of a repository.
const (
	refsPath = "/info/refs"
	packPath = "/git-upload-pack"
	pushPath = "/git-receive-pack"
)

// Handler serves repositories through git's own CGI program. Those who may read one do, nobody may write. Only the two requests of a clone
// reach git, with paths from this server rather than from the caller, and only with those of the caller's headers that git reads.
type Handler struct {
	find  func(r *http.Request, path string) (folder string, err error)
	slots chan struct{}
}

// New returns a handler. find returns the bare repository at a path of this server, as requests have it; NotFound if there is none that the
// caller may read. It must return folders of this server alone: git is told to trust them, whoever owns them.
func New(find func(r *http.Request, path string) (folder string, err error)) *Handler {
	return &Handler{find: find, slots: make(chan struct{}, Processes)}
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	repository, asked := split(r.URL.Path)
	if asked == "" {
		http.NotFound(w, r)
		return
	}
	folder, err := h.find(r, repository)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		http.NotFound(w, r)
		return
	case err != nil:
		http.Error(w, fault.MessageOf(err), httpapi.StatusOf(r.Context(), err))
		return
	}
	request := &http.Request{Method: http.MethodGet, URL: &url.URL{}, Header: http.Header{}}
	switch asked {
	case refsPath:
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
		request.URL.RawQuery = "service=git-upload-pack"
	case packPath:
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
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	default:
		refusePush(w)
		return
	}
	request.URL.Path = path.Join("/", filepath.Base(folder)) + asked
	for _, name := range []string{"Content-Type", "Git-Protocol"} {
		if value := r.Header.Get(name); value != "" {
			request.Header.Set(name, value)
		}
	}
	h.run(w, request, filepath.Dir(folder))
}

// split divides the path of a request of git's into that of the repository and what is asked of it; the latter is empty for any other path.
func split(of string) (repository, asked string) {
	for _, one := range []string{refsPath, packPath, pushPath} {
		if before, ok := strings.CutSuffix(of, one); ok {
			return before, one
		}
	}
	return of, ""
}

// readBody reads and decompresses a request of bounded size: git answers a body that it can't decompress with a server
// error. If it returns an error, it has already answered.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	var source io.Reader = http.MaxBytesReader(w, r.Body, RequestLimit)
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
		body, err = io.ReadAll(io.LimitReader(source, RequestLimit+1))
	}
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge || len(body) > RequestLimit:
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

// Environment is the whole environment of git processes on repositories of this server, without the git configuration of the machine or
// the user.
func Environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
	}
}

func (h *Handler) run(w http.ResponseWriter, r *http.Request, root string) {
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
	patient := httpapi.NewPatientWriter(w, httpapi.Patience/2) // slow readers don't hold a slot for long
	defer patient.Done()
	handler := cgi.Handler{
		Path: git, Args: []string{"-c", "core.hooksPath=/dev/null", "http-backend"},
		Root: "", Dir: root, Stderr: io.Discard,
		Logger: slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
		Env: append(Environment(), "GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1",
			"GIT_HTTP_MAX_REQUEST_BUFFER=1M",
			// git refuses repositories of another system user. This server made this one, whoever ran it, and git is never given
			// any other; git compares ".", so the path itself wouldn't match.
			"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
			"GIT_CONFIG_KEY_1=http.receivepack", "GIT_CONFIG_VALUE_1=false"),
	}
	handler.ServeHTTP(&patientAnswer{w, patient}, r)
}

// patientAnswer is an answer whose reader may be slow, but not for long.
type patientAnswer struct {
	http.ResponseWriter

	patient *httpapi.PatientWriter
}

// Write implements io.Writer.
func (a *patientAnswer) Write(text []byte) (int, error) { return a.patient.Write(text) }

// Unwrap lets http.ResponseController flush.
func (a *patientAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
