// Package githubtest is a stand-in for GitHub: the parts of its API that Cairn uses, and its raw files, with its
// answers, headers, limits and oddities, and with levers that break it. Go tests Start one; the browser tests build it
// as a program (e2e/github) and control it through the paths below /test/.
package githubtest

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/safehttp"
)

// Token is the only token that the stand-in accepts; it may read private repositories. Any other gets a 401.
const Token = "github-test-token" //nolint:gosec // of nothing but the stand-in

// Repository is a repository of the stand-in. By default it is public and its branch is main.
type Repository struct {
	Name     string                       `json:"name"`     // owner/name
	Files    map[string]string            `json:"files"`    // path to content, on the default branch
	Branches map[string]map[string]string `json:"branches"` // further branches, by name
	Tags     []string                     `json:"tags"`
	Default  string                       `json:"default"` // the default branch; "" is main
	Links    map[string]string            `json:"links"`   // path to target, on the default branch
	Modules  []string                     `json:"modules"` // paths of submodules, on the default branch
	Stored   map[string]string            `json:"stored"`  // path to content, of the pointers of Git LFS among the files
	Many     map[string]int               `json:"many"`    // folders with this many generated files, on the default branch
	Private  bool                         `json:"private"`
	Former   []string                     `json:"former"` // earlier names, which lead here (301)
	ID       int                          `json:"id"`     // 0: chosen by the stand-in

	Description string           `json:"description"`
	License     string           `json:"license"` // SPDX id
	Topics      []string         `json:"topics"`
	Language    string           `json:"language"`
	Languages   map[string]int64 `json:"languages"` // bytes, by name
	Kilobytes   int              `json:"kilobytes"`
	PushedAt    string           `json:"pushedAt"` // RFC 3339; "" is never
}

// Disturbance is answered instead of the truth to requests whose path begins with Path.
type Disturbance struct {
	Path     string            `json:"path"` // "/api", "/raw/owner/name" and so on; "" is everything
	Status   int               `json:"status"`
	Header   map[string]string `json:"header"`
	Body     string            `json:"body"`
	BreakOff bool              `json:"breakOff"` // only the first half of the true answer
	Silent   bool              `json:"silent"`   // no answer until the caller gives up
}

// Request is a request that arrived.
type Request struct {
	Path          string `json:"path"`
	Query         string `json:"query"`
	Authorization string `json:"authorization"`
	Status        int    `json:"status"`
}

// Server is the stand-in. The zero value has no repositories and the limit of callers without a token.
type Server struct {
	URL string // set by Start

	mu           sync.Mutex
	repositories []*Repository
	disturbances []Disturbance
	requests     []Request
	limit        limit
	people       map[string]Person // by token
}

// Person is somebody with an account at the stand-in.
type Person struct {
	Login  string
	Scopes string   // of the token, as GitHub says them; "": a token for single repositories, of which it says nothing
	Reads  []string // names of private repositories
}

// SetPerson has a token belong to somebody.
func (s *Server) SetPerson(token string, person Person) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.people == nil {
		s.people = map[string]Person{}
	}
	s.people[token] = person
}

// limit is GitHub's limit: API requests per hour.
type limit struct {
	perHour, used int
	reset         time.Time
}

// Start serves a stand-in until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Options returns the options of a client that reads the stand-in. It has its own cache and logs nothing.
func (s *Server) Options(t testing.TB, token string) codehost.Options {
	t.Helper()
	cache, err := codehost.OpenCache(t.TempDir(), 10_000_000)
	if err != nil {
		t.Fatal(err)
	}
	return codehost.Options{
		APIURL: s.APIURL(), RawURL: s.RawURL(), Token: token, Cache: cache, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Client: safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
	}
}

// APIURL returns the value for codehost.github.api_url.
func (s *Server) APIURL() string { return s.URL + "/api" }

// RawURL returns the value for codehost.github.raw_url.
func (s *Server) RawURL() string { return s.URL + "/raw" }

// Put adds a repository, or replaces the one with its name.
func (s *Server) Put(repository Repository) {
	s.mu.Lock()
	defer s.mu.Unlock()
	repository.Default = cmp.Or(repository.Default, "main")
	s.repositories = slices.DeleteFunc(s.repositories, func(other *Repository) bool { return strings.EqualFold(other.Name, repository.Name) })
	s.repositories = append(s.repositories, &repository)
}

// Remove removes a repository.
func (s *Server) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repositories = slices.DeleteFunc(s.repositories, func(other *Repository) bool { return strings.EqualFold(other.Name, name) })
}

// Disturb replaces all disturbances; without arguments the stand-in works again.
func (s *Server) Disturb(disturbances ...Disturbance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disturbances = disturbances
}

// Limit allows this many more API requests until reset, and perHour from then on.
func (s *Server) Limit(perHour, remaining int, reset time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = limit{perHour, perHour - remaining, reset}
}

// Requests returns the requests that arrived since the last call.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	came := s.requests
	s.requests = nil
	return came
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/test/") {
		s.serveLevers(w, r)
		return
	}
	recorder := &recorder{header: http.Header{}, status: http.StatusOK}
	disturbed := s.disturbance(r.URL.Path)
	switch {
	case disturbed.Silent:
		<-r.Context().Done()
		return
	case disturbed.Status != 0:
		for name, value := range disturbed.Header {
			recorder.header.Set(name, value)
		}
		recorder.status, recorder.body = disturbed.Status, []byte(disturbed.Body)
	default:
		s.answer(recorder, r)
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.URL.Path, r.URL.RawQuery, r.Header.Get("Authorization"), recorder.status})
	s.mu.Unlock()
	recorder.send(w, disturbed.BreakOff)
}

func (s *Server) disturbance(path string) Disturbance {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.disturbances {
		if strings.HasPrefix(path, one.Path) {
			return one
		}
	}
	return Disturbance{}
}

// recorder buffers an answer until it is complete.
type recorder struct {
	header http.Header
	status int
	body   []byte
}

func (a *recorder) send(w http.ResponseWriter, breakOff bool) {
	maps.Copy(w.Header(), a.header)
	if !breakOff {
		w.WriteHeader(a.status)
		_, _ = w.Write(a.body)
		return
	}
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err) // this server only speaks HTTP/1.1
	}
	defer connection.Close()
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(a.body)+1)
	_, _ = connection.Write(append([]byte(head), a.body[:len(a.body)/2]...))
}
