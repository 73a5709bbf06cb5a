package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"

	"cairn/internal/foundation/fault"

	"github.com/go-chi/chi/v5"
	"github.com/rs/cors"
)

func (api *API) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			value := recover()
			if value == nil {
				return
			}
			if value == http.ErrAbortHandler { //nolint:errorlint // net/http requires this exact value
				panic(value)
			}
			err := fault.Wrap(fmt.Errorf("panic: %v\n%s", value, debug.Stack()), fault.Internal, "%s", fault.MessageOf(nil))
			api.logFault(r.Context(), err)
			writeFault(w, r, err)
		}()
		next.ServeHTTP(w, r)
	})
}

// nameRoute names the route of a request after the operation that the router chooses.
func nameRoute(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			template := chi.RouteContext(r.Context()).RoutePattern()
			if template == "" { // there is none
				template = "/api/*"
			}
			NameRoute(r.Context(), template)
		}()
		next.ServeHTTP(w, r)
	})
}

func (api *API) allowOrigins(next http.Handler) http.Handler {
	if len(api.options.AllowedOrigins) == 0 {
		return next
	}
	return cors.New(cors.Options{
		AllowedOrigins: api.options.AllowedOrigins,
		AllowedMethods: []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{
			"Authorization", "X-Claims", "Content-Type", "Cache-Control", "Pragma", "Expires", "If-None-Match", "Idempotency-Key", "Share-Link",
		},
		ExposedHeaders: []string{"ETag", "Repr-Digest", "Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"},
		MaxAge:         600,
	}).Handler(next)
}

// stripTrailingSlash makes /api/x/ the same as /api/x.
func stripTrailingSlash(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") {
			address := *r.URL
			address.Path = strings.TrimSuffix(address.Path, "/")
			address.RawPath = strings.TrimSuffix(address.RawPath, "/")
			request := *r
			request.URL = &address
			r = &request
		}
		next.ServeHTTP(w, r)
	})
}

// entityTags adds an ETag to JSON answers and answers 304 to those who have them. An operation that knows a cheaper tag
// sets it itself.
func entityTags(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private, no-cache")
		w.Header().Add("Vary", "Authorization")
		if r.Method != http.MethodGet {
			next.ServeHTTP(w, r)
			return
		}
		body, pooled := bodies.Get().(*bytes.Buffer)
		if !pooled {
			body = new(bytes.Buffer)
		}
		recorder := &jsonRecorder{ResponseWriter: w, body: body}
		next.ServeHTTP(recorder, r)
		recorder.finish(r)
		if body.Cap() <= keptBody { // not after a panic: whoever caused it may still hold it
			body.Reset()
			bodies.Put(body)
		}
	})
}

// bodies are buffers for answers. Allocating one for each answer was a tenth of all garbage.
var bodies sync.Pool

// keptBody is the maximum size of a buffer that is used again, in bytes.
const keptBody = 256 << 10

// jsonRecorder buffers a successful JSON answer until it is complete; everything else passes through, downloads too.
type jsonRecorder struct {
	http.ResponseWriter

	body    *bytes.Buffer
	holding bool
	started bool
}

func (w *jsonRecorder) WriteHeader(status int) {
	w.started = true
	if header := w.Header(); status == http.StatusOK && header.Get("Content-Type") == "application/json" && header.Get("Content-Disposition") == "" {
		w.holding = true
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *jsonRecorder) Write(data []byte) (int, error) {
	if !w.started {
		w.WriteHeader(http.StatusOK)
	}
	if w.holding {
		return w.body.Write(data)
	}
	return w.ResponseWriter.Write(data)
}

// Unwrap lets http.ResponseController flush.
func (w *jsonRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *jsonRecorder) finish(r *http.Request) {
	if !w.holding {
		return
	}
	tag := w.Header().Get("ETag")
	if tag == "" {
		digest := sha256.Sum256(w.body.Bytes())
		tag = `W/"` + base64.RawURLEncoding.EncodeToString(digest[:16]) + `"` // weak, because it identifies every encoding
		w.Header().Set("ETag", tag)
	}
	if MatchesTag(r.Header.Get("If-None-Match"), tag) {
		w.Header().Del("Content-Type")
		w.ResponseWriter.WriteHeader(http.StatusNotModified)
		return
	}
	body := w.body.Bytes()
	if len(body) >= worthCompressing {
		w.Header().Add("Vary", "Accept-Encoding")
		if Accepts(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			body = Compressed(body)
		}
	}
	_, _ = w.ResponseWriter.Write(body)
}

// worthCompressing is the minimum size: shorter answers need only a few packets anyway.
const worthCompressing = 4096

// MatchesTag reports whether an If-None-Match header names the tag (RFC 9110, 13.1.2: weak comparison).
func MatchesTag(header, tag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == "*" || (candidate != "" && candidate == strings.TrimPrefix(tag, "W/")) {
			return true
		}
	}
	return false
}
