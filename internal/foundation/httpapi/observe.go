package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/time/rate"
)

type requestKey struct{}

// request is what is known of a request wherever its context goes. The later parts come while it is answered, perhaps from
// several goroutines.
type request struct {
	id, address string

	mu      sync.Mutex
	account string // its id
	route   string
	limit   string // the name of the limit that refused it
	failure error
	level   slog.Level // of the failure
	foreign bool       // it is the failure of a server that isn't ours
}

func requestOf(ctx context.Context) *request {
	known, _ := ctx.Value(requestKey{}).(*request)
	return known
}

// note changes what is known of the request that a context belongs to, if any; it reports whether there is one.
func note(ctx context.Context, change func(*request)) bool {
	known := requestOf(ctx)
	if known == nil {
		return false
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	change(known)
	return true
}

// RequestID is the id of the request that a context belongs to, or "".
func RequestID(ctx context.Context) string {
	if known := requestOf(ctx); known != nil {
		return known.id
	}
	return ""
}

// ClientAddress is the address of the client whose request a context belongs to, or "".
func ClientAddress(ctx context.Context) string {
	if known := requestOf(ctx); known != nil {
		return known.address
	}
	return ""
}

// NameAccount notes whose request it is, by the id of the account.
func NameAccount(ctx context.Context, id string) {
	note(ctx, func(r *request) { r.account = id })
}

// NameRoute notes the template of the address that answers a request, such as /projects/{id}. The first name counts: a
// document that asks the API for its data is still the document.
func NameRoute(ctx context.Context, template string) {
	note(ctx, func(r *request) {
		if r.route == "" {
			r.route = template
		}
	})
}

// NameRoutes names the routes of requests after the patterns of a mux, unless its handlers have named them.
func NameRoutes(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { // also after a panic
			_, template, found := strings.Cut(r.Pattern, " ")
			if !found {
				template = r.Pattern
			}
			if strings.HasSuffix(template, "/") {
				template += "*"
			}
			NameRoute(r.Context(), template)
		}()
		mux.ServeHTTP(w, r)
	})
}

// NameLimit notes the name of the limit that refused a request.
func NameLimit(ctx context.Context, name string) {
	note(ctx, func(r *request) { r.limit = name })
}

// LogFailure logs why a request failed: in the request's own line, or in one of its own when the context belongs to none.
func LogFailure(ctx context.Context, logger *slog.Logger, level slog.Level, err error) {
	if !note(ctx, func(r *request) { r.failure, r.level = err, max(level, r.level) }) {
		logger.Log(ctx, level, "request failed", "error", err)
	}
}

// LogForeignFailure notes that a request failed because of a server that isn't ours, such as that of a session: as it may fail as
// often as it likes, its line is one of those of which a flood leaves some out.
func LogForeignFailure(ctx context.Context, logger *slog.Logger, err error) {
	LogFailure(ctx, logger, slog.LevelWarn, err)
	note(ctx, func(r *request) { r.foreign = true })
}

// Answered is what is counted of a request.
type Answered struct {
	Route   string // the template, or OtherRoute
	Method  string // a method of HTTP, or OtherMethod
	Status  int
	Took    time.Duration
	Lasting bool   // a stream or a websocket, whose time says nothing about the server
	Limit   string // the name of the limit that refused it, or ""
}

// The names of what clients make up: there would be any number.
const (
	OtherRoute  = "other"
	OtherMethod = "OTHER"
)

// Counter counts requests. Each that begins also ends.
type Counter interface {
	RequestBegins()
	RequestEnds(Answered)
}

// longestLogged is the length in runes at which a text from a request is cut.
const longestLogged = 256

// Observe assigns each request an id, sent back as X-Request-Id, and logs it when it is done, in one line: those that failed
// at their level, refusals and changes at info, the rest at debug. Of a flood of refusals or changes it logs some, and how
// many it left out. Queries are never logged, because they may hold what people search for or tickets. The counter is told
// about all of them; nil disables metrics.
func Observe(logger *slog.Logger, now func() time.Time, counter Counter, next http.Handler) http.Handler {
	log := newRequestLog(logger, now)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := &request{id: uuid.NewString(), address: hostOf(r.RemoteAddr)}
		w.Header().Set("X-Request-Id", known.id)
		recorder := &statusRecorder{ResponseWriter: w}
		started := now()
		r = r.WithContext(context.WithValue(r.Context(), requestKey{}, known))
		if counter != nil {
			counter.RequestBegins()
		}
		returned := false
		defer func() {
			status := recorder.status
			switch {
			case status == 0 && returned:
				status = http.StatusOK
			case status == 0: // it panicked before its answer
				status = http.StatusInternalServerError
			}
			took := now().Sub(started)
			known.mu.Lock()
			defer known.mu.Unlock()
			if counter != nil {
				counter.RequestEnds(known.answered(r, status, took, recorder.lasting()))
			}
			log.write(r, known, status, took)
		}()
		next.ServeHTTP(recorder, r)
		returned = true
	})
}

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

func (r *request) answered(asked *http.Request, status int, took time.Duration, lasting bool) Answered {
	counted := Answered{Route: r.route, Method: asked.Method, Status: status, Took: took, Lasting: lasting, Limit: r.limit}
	if counted.Route == "" {
		counted.Route = OtherRoute
	}
	if !slices.Contains(methods, counted.Method) {
		counted.Method = OtherMethod
	}
	return counted
}

// requestLog writes the lines about requests.
type requestLog struct {
	logger                     *slog.Logger
	refused, complete, foreign *sampling
}

// sampling lets some lines of a kind through: so many a second, after so many at once. Nobody can fill a disk with them.
type sampling struct {
	kind    string
	now     func() time.Time
	limiter *rate.Limiter
	leftOut atomic.Int64
}

func newRequestLog(logger *slog.Logger, now func() time.Time) *requestLog {
	of := func(kind string, perSecond rate.Limit, atOnce int) *sampling {
		return &sampling{kind: kind, now: now, limiter: rate.NewLimiter(perSecond, atOnce)}
	}
	return &requestLog{logger: logger, refused: of("refused", 20, 200), complete: of("answered", 200, 2000), foreign: of("failed elsewhere", 5, 50)}
}

// takes reports whether a line is written; the first one after a flood follows the number of those that weren't.
func (s *sampling) takes(ctx context.Context, logger *slog.Logger) bool {
	if !s.limiter.AllowN(s.now(), 1) {
		s.leftOut.Add(1)
		return false
	}
	if count := s.leftOut.Swap(0); count > 0 {
		logger.WarnContext(ctx, "requests were left out of the log, because there were too many", "kind", s.kind, "count", count)
	}
	return true
}

func (l *requestLog) write(r *http.Request, known *request, status int, took time.Duration) {
	ctx, level := r.Context(), slog.LevelDebug
	if status >= http.StatusBadRequest || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
		level = slog.LevelInfo
	}
	if known.failure != nil {
		level = max(level, known.level)
	}
	if !l.logger.Enabled(ctx, level) {
		return
	}
	switch {
	case known.foreign:
		if !l.foreign.takes(ctx, l.logger) {
			return
		}
	case known.failure != nil || status >= http.StatusInternalServerError: // all of them matter
	case status >= http.StatusBadRequest:
		if !l.refused.takes(ctx, l.logger) {
			return
		}
	case level > slog.LevelDebug:
		if !l.complete.takes(ctx, l.logger) {
			return
		}
	}
	attributes := []any{
		"method", loggable(r.Method), "route", known.route, "host", loggable(r.Host), "path", loggable(r.URL.Path), "status", status,
		"milliseconds", took.Milliseconds(), "address", known.address, "account", known.account, "requestId", known.id,
	}
	if known.failure != nil {
		attributes = append(attributes, "error", known.failure)
	}
	l.logger.Log(ctx, level, "request", attributes...)
}

// loggable returns the beginning of a text that a client sent.
func loggable(text string) string {
	if len(text) <= longestLogged {
		return text
	}
	text = text[:min(len(text), longestLogged*4)] // runes have at most 4 bytes
	if runes := []rune(text); len(runes) > longestLogged {
		text = string(runes[:longestLogged])
	}
	return strings.ToValidUTF8(text, "") + "…"
}

type statusRecorder struct {
	http.ResponseWriter

	status int // 0 until it is written
}

func (w *statusRecorder) WriteHeader(status int) {
	if w.status < http.StatusOK && w.status != http.StatusSwitchingProtocols { // an early hint isn't the answer
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach flushing and hijacking.
func (w *statusRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// lasting reports whether the answer is one that goes on until somebody ends it.
func (w *statusRecorder) lasting() bool {
	return w.status == http.StatusSwitchingProtocols || strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream")
}
