package app

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"cairn/internal/app/config"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/origin"
	"cairn/internal/site"
	"cairn/internal/site/page/pagetest"
)

// call is one operation in the API document.
type call struct {
	method, path string
	query        []string
}

// documentedCalls reads the operations from the API document, so a new one is fuzzed automatically.
func documentedCalls(t testing.TB, handler http.Handler) []call {
	t.Helper()
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/openapi.json", http.NoBody))
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
		}
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	var calls []call
	for path, methods := range document.Paths {
		for method, operation := range methods {
			one := call{method: strings.ToUpper(method), path: path}
			for _, parameter := range operation.Parameters {
				if parameter.In == "query" {
					one.query = append(one.query, parameter.Name)
				}
			}
			calls = append(calls, one)
		}
	}
	return calls
}

// hostileHeaders are headers that some part of a server reads.
var hostileHeaders = []string{
	"If-None-Match", "If-Match", "If-Modified-Since", "Range", "X-Claims", "Idempotency-Key", "Accept", "Accept-Encoding", "Accept-Language",
	"Content-Type", "Origin", "Cookie", "X-Forwarded-For", "X-Forwarded-Host", "X-Request-Id", "Access-Control-Request-Method", "Purpose",
}

// FuzzCatalogCalls sends arbitrary bytes in every parameter and header of the operations on entries, anonymously and
// signed in. The answer must never be a 5xx, and must say what is wrong.
func FuzzCatalogCalls(f *testing.F) {
	for i, seed := range catalogtest.HostileTexts {
		f.Add(seed, seed, catalogtest.HostileTexts[(i+7)%len(catalogtest.HostileTexts)], seed, seed)
	}
	f.Add("ID", "type=&&;=%zz", "DATASET,MODEL", "Bearer bob@example.org", "tag=%&tag=a\\")
	f.Add("ID", "deep/README.md", "a.csv", "", "path=../spikes/a.csv")
	f.Add("ID", "stars", "types,tags", "Basic Og==", "pageNumber=1&pageNumber=2&nameSearch=%ff")
	picture := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "GIF89a\x01\x00\x01\x00\x00\x00\x00;")
	}))
	f.Cleanup(picture.Close)
	db, err := sqldb.Open(f.Context(), "sqlite:"+f.TempDir()+"/cairn.db", time.Now)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	pictured := catalogtest.Pictured(picture.URL)
	w := catalogtest.New(f, db, catalogtest.Entry("entry", catalogtest.Tagged("tag"), catalogtest.About("words"), pictured),
		catalogtest.Entry("secret", catalogtest.Private, pictured))
	p := &program{db: db, logger: slog.New(slog.DiscardHandler), config: config.Default(), publicURL: pagetest.PublicURL, metrics: newMetrics(config.Default(), "1"), site: site.Keep(&site.Site{})}
	p.config.Data, p.config.Outgoing.Allow = f.TempDir(), []string{"127.0.0.0/8"}
	if p.address, err = origin.ParseAddressTemplate("http://{kind}-{id}.localhost:8081", humanize.Host(p.publicURL)); err != nil {
		f.Fatal(err)
	}
	parts, err := p.openEntries(f.Context(), sources{root: rootWith(f, "spikes")}, codehost.NewHosts(nil, nil), nil, nil)
	if err != nil {
		f.Fatal(err)
	}
	for _, closeOne := range p.close {
		f.Cleanup(func() { _ = closeOne() })
	}
	w.Service = parts.entries
	w.Mount(parts.previews, parts.covers, parts.contribute)
	caller, _ := identity.From(w.As(catalogtest.Bob))
	handler := w.HandlerFor(func(r *http.Request, email string) (context.Context, error) {
		if email != catalogtest.Bob {
			return r.Context(), fault.New(fault.Unauthenticated, "This token is not one of ours.")
		}
		return identity.With(r.Context(), caller), nil
	})
	calls, known := documentedCalls(f, handler), w.ID("entry")
	f.Fuzz(func(t *testing.T, part, first, second, header, rawQuery string) {
		if part == "ID" {
			part = known
		}
		for _, call := range calls {
			query := url.Values{}
			for i, name := range call.query {
				query.Set(name, []string{first, second}[i%2])
			}
			path := fillPath(call.path, part)
			for _, request := range []*http.Request{
				{URL: &url.URL{Path: path, RawQuery: query.Encode()}, Header: http.Header{"Authorization": {"Bearer " + catalogtest.Bob}}},
				{URL: &url.URL{Path: fillPath(call.path, known), RawQuery: query.Encode()}, Header: http.Header{}},
				{URL: &url.URL{Path: path, RawPath: fillPath(call.path, url.PathEscape(part)), RawQuery: rawQuery}, Header: http.Header{}},
				{URL: &url.URL{Path: path, RawQuery: rawQuery}, Header: http.Header{"Authorization": {header}}},
			} {
				for _, name := range hostileHeaders {
					request.Header.Set(name, header)
				}
				request.Method, request.Body, request.ContentLength = call.method, io.NopCloser(strings.NewReader(header)), int64(len(header))
				request.Proto, request.ProtoMajor, request.ProtoMinor, request.Host = "HTTP/1.1", 1, 1, "127.0.0.1:8080"
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, request.WithContext(t.Context()))
				checkAnswer(t, request, answer)
			}
		}
	})
}

func fillPath(path, value string) string {
	return strings.NewReplacer("{id}", value, "{email}", value).Replace(path)
}

// checkAnswer requires a documented success, or a 4xx with a message.
func checkAnswer(t *testing.T, request *http.Request, answer *httptest.ResponseRecorder) {
	t.Helper()
	kind := answer.Header().Get("Content-Type")
	switch {
	case answer.Code == http.StatusNotModified && answer.Body.Len() == 0:
	case strings.HasPrefix(answer.Header().Get("Content-Disposition"), "attachment") && answer.Code < 300:
	case slices.Contains([]int{http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable}, answer.Code) && strings.HasSuffix(request.URL.Path, "/file"):
		// Of a range of a download, which browsers and programs read by the status.
	case answer.Code == http.StatusOK:
		picture := strings.HasSuffix(request.URL.Path, "/header-image") && kind == "image/gif" ||
			strings.HasSuffix(request.URL.Path, "/cover") && (kind == "image/png" || kind == "image/svg+xml")
		if !picture && (kind != "application/json" || !json.Valid(answer.Body.Bytes())) {
			t.Errorf("%s %q: %d %s", request.Method, request.URL, answer.Code, answer.Header())
		}
	case answer.Code >= 400 && answer.Code <= 499:
		var problem httpapi.Problem
		err := json.Unmarshal(answer.Body.Bytes(), &problem)
		if err != nil || kind != "application/problem+json" || problem.Status != answer.Code || len(problem.Message) < 10 || !utf8.Valid(answer.Body.Bytes()) {
			t.Errorf("%s %q: %d without a sentence: %s (%v)", request.Method, request.URL, answer.Code, answer.Body, err)
		}
	default:
		t.Errorf("%s %q: %d %s", request.Method, request.URL, answer.Code, answer.Body)
	}
}
