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

type requestIDKey struct{}

// RequestID is the id of the request that a context belongs to, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

const (
	// refusalsLogged a second, after refusalsAtOnce, are logged one by one: strangers can't fill a disk with refusals.
	refusalsLogged = 20
	refusalsAtOnce = 200
	// longestLogged is the length in runes from which on a text from a request is cut.
	longestLogged = 256
)

// Observe assigns each request an id, sent back as X-Request-Id, and logs it when it is done: refusals and changes at
// info, the rest at debug. Of a flood of refusals it logs some, and how many it left out. Queries are never logged,
// because they may hold what people search for or tickets.
func Observe(logger *slog.Logger, now func() time.Time, next http.Handler) http.Handler {
	refusals := rate.NewLimiter(refusalsLogged, refusalsAtOnce)
	var leftOut atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := uuid.NewString()
		w.Header().Set("X-Request-Id", id)
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		started := now()
		ctx := context.WithValue(r.Context(), requestIDKey{}, id)
		next.ServeHTTP(recorder, r.WithContext(ctx))

		level := slog.LevelDebug
		refused := recorder.status >= http.StatusBadRequest && recorder.status < http.StatusInternalServerError
		if recorder.status >= http.StatusBadRequest || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
			level = slog.LevelInfo
		}
		if refused && !refusals.AllowN(now(), 1) {
			leftOut.Add(1)
			return
		}
		if count := leftOut.Swap(0); count > 0 {
			logger.WarnContext(ctx, "refused requests were left out of the log, because there were too many", "count", count)
		}
		logger.Log(ctx, level, "request", "method", loggable(r.Method), "host", loggable(r.Host), "path", loggable(r.URL.Path),
			"status", recorder.status, "milliseconds", now().Sub(started).Milliseconds(), "address", hostOf(r.RemoteAddr), "requestId", id)
	})
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
