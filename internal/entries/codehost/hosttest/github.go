package hosttest

import (
	"net/http"
	"strings"
	"testing"

	"cairn/internal/entries/codehost/githubtest"
)

// StartGitHub serves the stand-in for GitHub.
func StartGitHub(t *testing.T, repositories []Repository) *StandIn {
	t.Helper()
	behind := &githubtest.Server{}
	return start(t, repositories, func(s *StandIn, w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		for _, one := range s.repositories {
			behind.Put(*one)
		}
		for _, one := range s.people {
			behind.SetPerson(one.Token, githubtest.Person{Login: one.Login, Scopes: strings.Join(one.Scopes, ", "), Reads: one.Reads})
		}
		s.mu.Unlock()
		behind.ServeHTTP(w, r)
	})
}
