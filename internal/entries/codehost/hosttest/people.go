package hosttest

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
)

// Person is somebody with an account at a stand-in.
type Person struct {
	Login  string
	Token  string
	Scopes []string // in the words of the host; nil: those that only read
	Reads  []string // names of private repositories
}

// SetPerson adds a person, or replaces the one with this login.
func (s *StandIn) SetPerson(person Person) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.people = slices.DeleteFunc(s.people, func(other Person) bool { return other.Login == person.Login })
	s.people = append(s.people, person)
}

// person returns who asks; isRefused for a token that nobody has. s.mu must be held.
func (s *StandIn) person(r *http.Request) (asks *Person, isRefused bool) {
	kind, said, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	tokens := []string{said}
	if kind == "Basic" {
		text, _ := base64.StdEncoding.DecodeString(said)
		tokens = strings.Split(string(text), ":")
	}
	if said == "" {
		return nil, false
	}
	for i, one := range s.people {
		if slices.Contains(tokens, one.Token) {
			return &s.people[i], false
		}
	}
	return nil, true
}

// reads reports whether somebody, who may be nobody, can read a repository.
func (p *Person) reads(one *Repository) bool {
	return !one.Private || p != nil && slices.Contains(p.Reads, one.Name)
}

// may reports whether one of the scopes of a token allows something.
func (p *Person) may(scopes ...string) bool {
	return p.Scopes == nil && slices.ContainsFunc(scopes, func(scope string) bool { return strings.HasPrefix(scope, "read") }) ||
		slices.ContainsFunc(scopes, func(scope string) bool { return slices.Contains(p.Scopes, scope) })
}

// scopes returns those of the token.
func (p *Person) scopes(usual ...string) []string {
	if p.Scopes != nil {
		return p.Scopes
	}
	return usual
}
