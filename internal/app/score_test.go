package app_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cairn/internal/app/commands"
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

// examples are entries of the demo, one of each type, with their points, and those that they can't reach.
var examples = map[string]struct {
	points  float64
	missing []string
}{
	"Membrane recording of a model neuron": {25, []string{"FsF-F1-02MD-1", "FsF-F1-02MD-2"}},
	"The shape of a spike":                 {25, []string{"FsF-F1-02MD-1", "FsF-F1-02MD-2"}},
	"First steps":                          {20, []string{"FsF-F1-02MD-1", "FsF-F1-02MD-2", "FsF-A1-02MD-2", "FsF-A1.2-01MD", "FsF-R1-01M-2", "FsF-R1.3-02D"}},
	"Gromacs":                              {19, []string{"FsF-F1-02MD-1", "FsF-F1-02MD-2", "FsF-F3-01M", "FsF-A1-02MD-2", "FsF-A1.2-01MD", "FsF-R1-01M-2", "FsF-R1.3-02D"}},
}

type demoEntry struct{ ID, Name, Type string }

func (e demoEntry) path() string {
	folder := map[string]string{"NOTEBOOK": "notebooks", "DATASET": "datasets", "REPOSITORY": "repositories", "MODEL": "models"}[e.Type]
	return "/resources/" + folder + "/" + e.ID
}

// demoEntries returns all public entries of the demo.
func (s *server) demoEntries() []demoEntry {
	s.t.Helper()
	var page struct{ Content []demoEntry }
	_, body := s.get("/api/v1/rf/resources/public?pageSize=100", "")
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		s.t.Fatal(err)
	}
	return page.Content
}

// TestScoresOfTheDemo asks for the score of every entry, and for the median as an operator.
func TestScoresOfTheDemo(t *testing.T) {
	t.Parallel()
	settings := demoConfig(t)
	s := start(t, settings)
	seen := 0
	var all []float64
	for _, one := range s.demoEntries() {
		var score scored
		_, body := s.get("/api/v1/rf/resources/public/"+one.ID+"/fair", "")
		if err := json.Unmarshal([]byte(body), &score); err != nil {
			t.Fatal(err, body)
		}
		var missing []string
		sum, reached := 0.0, 0.0
		for _, check := range score.Checks {
			sum += check.Points
			switch {
			case check.OK:
				reached += check.Points
			case check.Fix == nil || !strings.HasSuffix(check.Fix.Why, "."):
				t.Errorf("%s doesn't say why it lacks %s: %v", one.Name, check.ID, check.Fix)
			case (check.Fix.Action == "") != (check.Fix.Field == ""):
				t.Errorf("%s, %s: %v", one.Name, check.ID, check.Fix)
			}
			if !check.OK && check.Points > 0 {
				missing = append(missing, check.ID)
			}
		}
		if sum != 26 || score.Of != 26 || score.Score != reached {
			t.Errorf("%s has %v of %v points, and the checks %v of %v", one.Name, score.Score, score.Of, reached, sum)
		}
		all = append(all, score.Score)
		want, wanted := examples[one.Name]
		if !wanted {
			continue
		}
		if seen++; score.Score != want.points || !slices.Equal(missing, want.missing) {
			t.Errorf("%s has %v points, want %v; it lacks %v, want %v", one.Name, score.Score, want.points, missing, want.missing)
		}
	}
	if seen != len(examples) {
		t.Errorf("%d examples are in the demo", seen)
	}
	token, err := commands.Token(settings, "operator@example.org")
	if err != nil {
		t.Fatal(err)
	}
	var median struct {
		Median, Of     float64
		Scored, Public int
	}
	_, body := s.get("/api/v1/rf/operator/fair", token)
	if err := json.Unmarshal([]byte(body), &median); err != nil {
		t.Fatal(err, body)
	}
	slices.Sort(all)
	if want := (all[(len(all)-1)/2] + all[len(all)/2]) / 2; median.Median != want || median.Of != 26 || median.Scored != len(all) || median.Public != len(all) {
		t.Errorf("the median is %+v, want %v of %d entries", median, want, len(all))
	}
}

// header is a link of a Link header or of a link set.
type header struct{ target, relation, kind, profile string }

var linkPattern = regexp.MustCompile(`^<([^<>]+)>; rel="([a-z-]+)"(?:; type="([^"]+)")?(?:; profile="([^"]+)")?$`)

// linksIn reads a Link header, which must be written as the strictest readers want it.
func linksIn(t *testing.T, response *http.Response) (links []header) {
	t.Helper()
	for text := range strings.SplitSeq(response.Header.Get("Link"), ", ") {
		found := linkPattern.FindStringSubmatch(text)
		if found == nil {
			t.Errorf("%q isn't a link", text)
			continue
		}
		links = append(links, header{found[1], found[2], found[3], found[4]})
	}
	return links
}

// TestSignpostingOfEachType follows every link of one entry of each type, as Signposting's profile demands.
func TestSignpostingOfEachType(t *testing.T) {
	t.Parallel()
	s := start(t, demoConfig(t))
	local := func(address string) string {
		t.Helper()
		path, ours := strings.CutPrefix(address, s.address)
		if !ours {
			t.Fatalf("%s isn't on this server", address)
		}
		return path
	}
	for _, one := range s.demoEntries() {
		if _, wanted := examples[one.Name]; !wanted {
			continue
		}
		page, _ := s.get(one.path(), "")
		links := linksIn(t, page)
		if brief, _ := s.send(http.MethodHead, one.path(), "", ""); brief.Header.Get("Link") != page.Header.Get("Link") {
			t.Errorf("%s: HEAD has other links than GET", one.Name)
		}
		if !slices.ContainsFunc(page.Header.Values("Vary"), func(text string) bool { return strings.Contains(text, "Accept") }) {
			t.Errorf("%s doesn't say that its answer depends on Accept: %v", one.Name, page.Header)
		}
		count := map[string]int{}
		set := map[string]bool{} // what the link set says about the page
		for _, link := range links {
			count[link.relation]++
			switch link.relation {
			case "cite-as":
				if answer, _ := s.get(local(link.target), ""); answer.StatusCode != http.StatusSeeOther || strings.TrimPrefix(answer.Header.Get("Location"), s.address) != one.path() {
					t.Errorf("%s leads to %s with %d", link.target, answer.Header.Get("Location"), answer.StatusCode)
				}
			case "describedby", "item":
				answer, text := s.get(local(link.target), "")
				kind := answer.Header.Get("Content-Type")
				if answer.StatusCode != http.StatusOK || link.kind == "" || !strings.HasPrefix(kind, link.kind) || !strings.Contains(kind, link.profile) || strings.Contains(text, "@example.org") {
					t.Errorf("%s of %s: %d %s, want %s %s", link.target, one.Name, answer.StatusCode, kind, link.kind, link.profile)
				}
				if link.relation == "describedby" {
					back := linksIn(t, answer)
					if !slices.Contains(back, header{s.address + one.path(), "describes", "text/html", ""}) || answer.Header.Get("Access-Control-Allow-Origin") != "*" {
						t.Errorf("%s doesn't lead back: %v", link.target, answer.Header)
					}
				}
			case "linkset":
				answer, text := s.get(local(link.target), "")
				var found struct {
					Linkset []map[string]json.RawMessage
				}
				if err := json.Unmarshal([]byte(text), &found); err != nil || answer.Header.Get("Content-Type") != "application/linkset+json" || link.kind != "application/linkset+json" {
					t.Fatalf("%v: %s %s", err, answer.Header.Get("Content-Type"), text)
				}
				for _, context := range found.Linkset {
					var anchor string
					if err := json.Unmarshal(context["anchor"], &anchor); err != nil || anchor != s.address+one.path() {
						continue
					}
					for relation, targets := range context {
						var list []struct {
							Href, Type string
							Profile    []string
						}
						if relation != "anchor" && json.Unmarshal(targets, &list) != nil {
							t.Errorf("%s of %s: %s", relation, anchor, targets)
						}
						for _, target := range list {
							set[relation+" "+target.Href+" "+target.Type+" "+strings.Join(target.Profile, " ")] = true
						}
					}
				}
			case "license":
				if strings.HasSuffix(link.target, ".html") {
					t.Errorf("%s isn't the license itself", link.target)
				}
			case "author":
				if !strings.HasPrefix(link.target, "https://orcid.org/") {
					t.Errorf("%s isn't a person", link.target)
				}
			}
		}
		for _, link := range links {
			if link.relation != "linkset" && !set[link.relation+" "+link.target+" "+link.kind+" "+link.profile] {
				t.Errorf("the link set of %s lacks %+v", one.Name, link)
			}
		}
		if count["cite-as"] != 1 || count["type"] != 2 || count["describedby"] < 8 || count["linkset"] != 1 || count["license"] > 1 {
			t.Errorf("%s has %v", one.Name, count)
		}
		if wanted := map[string]int{"DATASET": 1, "NOTEBOOK": 1}[one.Type]; count["item"] < wanted {
			t.Errorf("%s has no file: %v", one.Name, count)
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
