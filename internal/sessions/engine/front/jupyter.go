package front

import (
	"context"
	"net/http"
	"net/http/httputil"
	"regexp"
	"slices"
	"strings"
	"time"

	"cairn/internal/sessions/engine"
)

var (
	channelsPath = regexp.MustCompile(`^api/kernels/([^/]+)/channels$`)
	kernelPath   = regexp.MustCompile(`^api/(?:kernels|sessions)/[^/]+$`)
	restartPath  = regexp.MustCompile(`^api/kernels/([^/]+)/restart$`)
	notebookPath = regexp.MustCompile(`^api/contents/(.+\.ipynb)$`)
	filePath     = regexp.MustCompile(`^api/contents/(.+?)/?$`)
)

// writeTime is how long the answer to somebody who reads a notebook waits until it has its outputs.
const writeTime = 5 * time.Second

// serveJupyter answers what Jupyter's server is asked, at a path below the session's if it's mine.
func (f *front) serveJupyter(w http.ResponseWriter, r *http.Request, path string, mine bool) {
	if who := r.Header.Get(engine.WhoHeader); who != "" && mine && f.way.admits(r) {
		var goesOn bool
		var end func()
		if r, end, goesOn = f.noteFile(w, r, who, path); !goesOn {
			return
		}
		defer end()
	}
	kernel, file, ends := channelsPath.FindStringSubmatch(path), notebookPath.FindStringSubmatch(path), path == "api/shutdown"
	restarted, deletes := restartPath.FindStringSubmatch(path), r.Method == http.MethodDelete && kernelPath.MatchString(path)
	if !mine || kernel == nil && file == nil && restarted == nil && !ends && !deletes || !f.way.admits(r) { // it's for Jupyter to decide
		f.proxy.ServeHTTP(w, r)
		return
	}
	switch {
	case kernel != nil && strings.EqualFold(r.Header.Get("Upgrade"), "websocket"):
		f.broker.ServeChannels(w, r, kernel[1])
		return
	case file != nil && r.Method == http.MethodGet && r.URL.Query().Get("content") != "0":
		ctx, cancel := context.WithTimeout(r.Context(), writeTime)
		_ = f.broker.Write(ctx, file[1]) // it is tried again, and the file is there to be read in any case
		cancel()
	case file != nil && r.Method == http.MethodPut:
		r = r.WithContext(context.WithValue(r.Context(), saveKey{}, save{file[1], time.Now()}))
	case ends && r.Method == http.MethodPost:
		f.finish()
	}
	f.proxy.ServeHTTP(w, r)
	switch {
	case deletes:
		f.broker.Check(context.WithoutCancel(r.Context()))
	case restarted != nil && r.Method == http.MethodPost:
		f.broker.Restarted(restarted[1])
	}
}

// used is a file that somebody reads or saves.
type used struct {
	who, file string
	saved     bool
	began     time.Time
}

type usedKey struct{}

// noteFile has it noted, once it has succeeded, that somebody reads or saves a file, and keeps both versions where two meet. It reports
// whether the request goes on, else it has answered; end is called when it's over.
func (f *front) noteFile(w http.ResponseWriter, r *http.Request, who, path string) (noted *http.Request, end func(), goesOn bool) {
	r.Header.Del(engine.WhoHeader)
	file := filePath.FindStringSubmatch(path)
	reads, saves := r.Method == http.MethodGet && r.URL.Query().Get("content") != "0", r.Method == http.MethodPut
	if file == nil || !reads && !saves || strings.Contains(path, "/checkpoints") {
		return r, func() {}, true
	}
	end = func() {}
	if saves {
		var err error
		if end, err = f.together.beginSaving(r.Context(), file[1]); err != nil {
			return r, nil, false // whoever saves has left
		}
		if !f.keepBoth(w, r, who, file[1]) {
			end()
			return r, nil, false
		}
	}
	return r.WithContext(context.WithValue(r.Context(), usedKey{}, used{who, file[1], saves, f.together.now()})), end, true
}

// save is a file that a page saves.
type save struct {
	file  string
	begun time.Time
}

type saveKey struct{}

// noteSave notes who has read or saved a file, and tells the broker that a page has saved it.
func (f *front) noteSave(answer *http.Response) error {
	if one, ok := answer.Request.Context().Value(usedKey{}).(used); ok && answer.StatusCode < http.StatusMultipleChoices {
		f.together.note(one.who, one.file, one.saved, one.began)
	}
	if saved, ok := answer.Request.Context().Value(saveKey{}).(save); ok && answer.StatusCode < http.StatusMultipleChoices {
		f.broker.Saved(saved.file, saved.begun)
	}
	return nil
}

// rewrite sends a request to Jupyter, which knows its proxies by their headers.
func (f *front) rewrite(request *httputil.ProxyRequest) {
	request.Out.URL.Scheme, request.Out.URL.Host, request.Out.Host = f.way.jupyter.Scheme, f.way.jupyter.Host, request.In.Host
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port"} {
		if values, there := request.In.Header[name]; there {
			request.Out.Header[name] = slices.Clone(values)
		}
	}
}
