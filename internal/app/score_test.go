package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

type scored struct {
	Score, Of float64
	Checks    []struct {
		ID     string
		OK     bool
		Points float64
		Fix    *struct{ Why, Action, Field string }
	}
}

// TestScoresOfTheDemo asks for one entry of each type as a stranger does, in every form.
func TestScoresOfTheDemo(t *testing.T) {
	t.Parallel()
	s := start(t, demoConfig(t))
	var page struct {
		Content []struct{ ID, Name, Type string }
	}
	_, body := s.get("/api/v1/rf/resources/public?pageSize=100", "")
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		t.Fatal(err)
	}
	least := map[string]float64{"Membrane recording of a model neuron": 25, "The shape of a spike": 25, "First steps": 20, "Gromacs": 18}
	for _, one := range page.Content {
		least, wanted := least[one.Name]
		if !wanted {
			continue
		}
		call := "/api/v1/rf/resources/public/" + one.ID
		var score scored
		_, body := s.get(call+"/fair", "")
		if err := json.Unmarshal([]byte(body), &score); err != nil {
			t.Fatal(err, body)
		}
		if score.Score != least || score.Of != 26 {
			t.Errorf("%s has %v of %v points, want %v", one.Name, score.Score, score.Of, least)
		}
		sum := 0.0
		for _, check := range score.Checks {
			sum += check.Points
			if check.OK == (check.Fix != nil) {
				t.Errorf("%s, %s: %v %v", one.Name, check.ID, check.OK, check.Fix)
			}
			if !check.OK {
				t.Logf("%s lacks %v for %s: %+v", one.Name, check.Points, check.ID, check.Fix)
			}
		}
		if sum != 26 {
			t.Errorf("the checks have %v points", sum)
		}
		for _, form := range []string{"jsonld", "datacite", "datacite-xml", "rocrate", "bibtex", "csl", "cff", "linkset"} {
			answer, text := s.get(call+"/export/"+form, "")
			if answer.StatusCode != http.StatusOK || strings.Contains(text, "@example.org") || answer.Header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s of %s: %d %v %s", form, one.Name, answer.StatusCode, answer.Header, text)
			}
		}
		answer, _ := s.get("/resources/"+map[string]string{"NOTEBOOK": "notebooks", "DATASET": "datasets", "REPOSITORY": "repositories", "MODEL": "models"}[one.Type]+"/"+one.ID, "")
		links := answer.Header.Get("Link")
		for _, relation := range []string{"cite-as", "type", "describedby", "linkset"} {
			if !strings.Contains(links, `rel="`+relation+`"`) {
				t.Errorf("the page of %s has no link %s: %s", one.Name, relation, links)
			}
		}
		if !strings.Contains(strings.Join(answer.Header.Values("Vary"), ","), "Accept") {
			t.Errorf("%v", answer.Header)
		}
	}
	for path, want := range map[string]string{
		"/oai?verb=ListRecords&metadataPrefix=oai_dc": "<dc:title>First steps</dc:title>", "/feed.atom": "<feed ", "/.well-known/api-catalog": "/oai",
	} {
		if answer, text := s.get(path, ""); answer.StatusCode != http.StatusOK || !strings.Contains(text, want) || strings.Contains(strings.ReplaceAll(text, "operator@example.org", ""), "@example.org") {
			t.Errorf("%s: %d %s", path, answer.StatusCode, text)
		}
	}
}
