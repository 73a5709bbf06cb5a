package codehost_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/foundation/fault"
)

func TestLanguagesOfRepositories(t *testing.T) {
	w := newWorld(t, githubtest.Token)
	w.Put(githubtest.Repository{Name: "owner/name", Languages: map[string]int64{"R": 20, "C++": 300, "Python": 20, "Nothing": 0, "Damaged": -5}})
	w.Put(githubtest.Repository{Name: "owner/blank"})
	w.Put(githubtest.Repository{Name: "owner/secret", Private: true, Languages: map[string]int64{"R": 1}})
	hosts := codehost.NewHosts(map[string]codehost.Host{"github.com": w, "bundled.example": codehost.Bundled{"owner/name": fstest.MapFS{
		"README.md": {Data: make([]byte, 900)}, "a/FIT.PY": {Data: make([]byte, 3)}, "b.py": {Data: make([]byte, 4)}, "c.ipynb": {Data: make([]byte, 6)}, "Makefile": {Data: make([]byte, 9)},
	}}}, nil)
	for _, one := range []struct {
		host, name string
		want       []codehost.Language
		kind       fault.Kind
	}{
		{"github.com", "name", []codehost.Language{{"C++", 300}, {"Python", 20}, {"R", 20}}, 0},
		{"github.com", "blank", []codehost.Language{}, 0},
		{"github.com", "secret", nil, fault.NotFound},
		{"bundled.example", "name", []codehost.Language{{"Python", 7}, {"Jupyter Notebook", 6}}, 0},
		{"bundled.example", "none", nil, fault.NotFound},
		{"other.example", "name", nil, fault.NotFound},
	} {
		found, err := hosts.Languages(t.Context(), codehost.Repository{Host: one.host, Owner: "owner", Name: one.name})
		if !slices.Equal(found, one.want) || (err != nil) != (one.kind != 0) || (err != nil && fault.KindOf(err) != one.kind) {
			t.Errorf("%s on %s: %v %v", one.name, one.host, found, err)
		}
	}
	w.Put(githubtest.Repository{Name: "owner/odd"})
	w.Disturb(githubtest.Disturbance{Path: "/api/repos/owner/odd/languages", Status: 200, Body: `["R"]`})
	if _, err := hosts.Languages(t.Context(), codehost.Repository{Host: "github.com", Owner: "owner", Name: "odd"}); fault.KindOf(err) != fault.BadUpstream {
		t.Errorf("nonsense: %v", err)
	}
}
