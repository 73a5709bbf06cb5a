package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/time/rate"
)

type requestKey struct{}

// request is what is known of a request wherever its context goes.
type request struct{ id, address string }

// RequestID is the id of the request that a context belongs to, or "".
func RequestID(ctx context.Context) string {
	known, _ := ctx.Value(requestKey{}).(request)
	return known.id
}

// ClientAddress is the address of the client whose request a context belongs to, or "".
func ClientAddress(ctx context.Context) string {
	known, _ := ctx.Value(requestKey{}).(request)
	return known.address
}

const (
	// refusalsLogged a second, after refusalsAtOnce, are logged one by one: strangers can't fill a disk with refusals.
	refusalsLogged = 20
	refusalsAtOnce = 200
	// longestLogged is the length in runes at which a text from a request is cut.
	longestLogged = 256
)

// Observe assigns each request an id, sent back as X-Request-Id, and logs it when it is done: refusals and changes at
// info, the rest at debug. Of a flood of refusals it logs some, and how many it left out. Queries are never logged,
// because they may hold what people search for or tickets.
func Observe(logger *slog.Logger, now func() time.Time, next http.Handler) http.Handler {
	log := requestLog{logger: logger, now: now, refusals: rate.NewLimiter(refusalsLogged, refusalsAtOnce)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := uuid.NewString()
		w.Header().Set("X-Request-Id", id)
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		started := now()
		r = r.WithContext(context.WithValue(r.Context(), requestKey{}, request{id: id, address: hostOf(r.RemoteAddr)}))
		next.ServeHTTP(recorder, r)
		log.write(r, recorder.status, started)
	})
}

// requestLog writes the lines about requests.
type requestLog struct {
	logger   *slog.Logger
	now      func() time.Time
	refusals *rate.Limiter
	leftOut  atomic.Int64
}

func (l *requestLog) write(r *http.Request, status int, started time.Time) {
	ctx, level := r.Context(), slog.LevelDebug
	if status >= http.StatusBadRequest || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
		level = slog.LevelInfo
	}
	refused := status >= http.StatusBadRequest && status < http.StatusInternalServerError
	if refused && !l.refusals.AllowN(l.now(), 1) {
		l.leftOut.Add(1)
		return
	}
	if count := l.leftOut.Swap(0); count > 0 {
		l.logger.WarnContext(ctx, "refused requests were left out of the log, because there were too many", "count", count)
	}
	l.logger.Log(ctx, level, "request", "method", loggable(r.Method), "host", loggable(r.Host), "path", loggable(r.URL.Path),
		"status", status, "milliseconds", l.now().Sub(started).Milliseconds(), "address", hostOf(r.RemoteAddr), "requestId", RequestID(ctx))
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

	status int
}

func (w *statusRecorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach flushing and hijacking.
func (w *statusRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
