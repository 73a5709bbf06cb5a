// Package hosttest has what every host of package codehost must do, as a suite that runs against stand-ins: each answers like one kind of
// host about the same repositories, and has levers that break it. That of GitHub is in githubtest.
package hosttest

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/foundation/safehttp"
)

// Repository is a repository of a stand-in.
type Repository = githubtest.Repository

// StandIn is a stand-in for a host.
type StandIn struct {
	URL string

	mu           sync.Mutex
	repositories []*Repository                                 // protected by mu
	disturb      func(http.ResponseWriter, *http.Request) bool // answers instead of the truth if it returns true; protected by mu
	paths        []string                                      // that were asked for; protected by mu
	people       []Person                                      // protected by mu

	changed func(*Repository) // makes a change of what is served from elsewhere; nil: everything is answered from repositories
}

// start serves a stand-in until the test ends, which answers with these functions.
func start(t *testing.T, repositories []Repository, answer func(s *StandIn, w http.ResponseWriter, r *http.Request)) *StandIn {
	t.Helper()
	s := &StandIn{}
	for _, one := range repositories {
		if one.Default == "" {
			one.Default = "main"
		}
		s.repositories = append(s.repositories, &one)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.paths = append(s.paths, r.URL.Path)
		disturb := s.disturb
		s.mu.Unlock()
		if disturb == nil || !disturb(w, r) {
			answer(s, w, r)
		}
	}))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Disturb has the stand-in answer with this instead, where it returns true; nil: it works again.
func (s *StandIn) Disturb(answer func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disturb = answer
}

// Change changes a repository. Where it has a real one of git, branches that it hasn't any more stay.
func (s *StandIn) Change(name string, change func(*Repository)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.repositories {
		if one.Name == name {
			change(one)
			if s.changed != nil {
				s.changed(one)
			}
		}
	}
}

// Paths returns the paths that were asked for since the last call.
func (s *StandIn) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	paths := s.paths
	s.paths = nil
	return paths
}

// find returns a repository that somebody can read by its name, or by a former one; nil if there is none. s.mu must be held.
func (s *StandIn) find(name string, asks *Person) (found *Repository, renamed bool) {
	for _, one := range s.repositories {
		former := slices.ContainsFunc(one.Former, func(other string) bool { return strings.EqualFold(other, name) })
		if (strings.EqualFold(one.Name, name) || former) && asks.reads(one) {
			return one, former
		}
	}
	return nil, false
}

func (s *StandIn) idOf(r *Repository) int64 {
	if r.ID != 0 {
		return int64(r.ID)
	}
	return int64(1000 + slices.Index(s.repositories, r))
}

// isEmpty reports whether a repository has no commits.
func isEmpty(r *Repository) bool { return len(r.Branch(r.Default)) == 0 && len(r.Branches) == 0 }

// branches returns the names of a repository's branches.
func branches(r *Repository) []string {
	var names []string
	if len(r.Branch(r.Default)) > 0 {
		names = append(names, r.Default)
	}
	for name := range r.Branches {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Options returns the options of a host that reads the stand-in.
func (s *StandIn) Options(t *testing.T, now func() time.Time) codehost.Options {
	t.Helper()
	cache, err := codehost.OpenCache(t.TempDir(), 10_000_000)
	if err != nil {
		t.Fatal(err)
	}
	return codehost.Options{
		URL: s.URL, Cache: cache, Now: now, Logger: slog.New(slog.DiscardHandler), Client: Client(),
	}
}

// Client reaches stand-ins.
func Client() *safehttp.Client {
	return safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
}

// elements splits the escaped path of a request below a prefix; an escaped slash stays inside its element.
func elements(r *http.Request, prefix string) []string {
	rest, ok := strings.CutPrefix(r.URL.EscapedPath(), prefix)
	if !ok {
		return nil
	}
	all := strings.Split(strings.Trim(rest, "/"), "/")
	for i, one := range all {
		all[i], _ = url.PathUnescape(one)
	}
	return all
}

func sendJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// page returns the part of a list that a request asks for.
func page[One any](r *http.Request, all []One, size string, most int) []One {
	count, err := strconv.Atoi(r.URL.Query().Get(size))
	if err != nil || count > most {
		count = most
	}
	number, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil || number < 1 {
		number = 1
	}
	from := min((number-1)*count, len(all))
	return all[from:min(from+count, len(all))]
}

// namesOf returns branches or tags as hosts list them.
func namesOf(names []string) []map[string]any {
	list := []map[string]any{}
	for _, name := range names {
		list = append(list, map[string]any{"name": name})
	}
	return list
}
