package contribute_test

import (
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/entries/contribute"
	"cairn/internal/entries/metadata"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

const (
	citation = "cff-version: 1.2.0\ntitle: Other\nlicense: Apache-2.0\nversion: 2.0\ndoi: 10.5281/zenodo.7654321\nauthors:\n" +
		"  - {family-names: Lovelace, given-names: Ada, email: ada@example.org, orcid: 0000-0002-1825-0097}\n  - {name: Lab}\n"
	codeMeta = `{"license":"https://spdx.org/licenses/MIT","inLanguage":"en","author":[{"name":"Eve","email":"eve@example.org"}]}`
)

// withSources has a repository in which several files say something, and DataCite, which is at the same address.
func withSources(t *testing.T, files map[string]string, disturbances ...githubtest.Disturbance) (*world, *githubtest.Server) {
	t.Helper()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	cache, err := codehost.OpenCache(t.TempDir(), 10_000_000)
	if err != nil {
		t.Fatal(err)
	}
	host := githubtest.Start(t)
	w.dataCite = codehost.NewDataCite(codehost.DataCiteOptions{
		APIURL: host.URL, Cache: cache, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Client: safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
	})
	host.Put(githubtest.Repository{Name: "lab/spikes", License: "GPL-3.0", Files: files})
	host.Disturb(disturbances...)
	w.readFrom(codehost.NewHosts(map[string]codehost.Host{"github.com": codehost.NewGitHub(host.Options(t, githubtest.Token))}, nil))
	return w, host
}

// registered is what DataCite answers about the DOI of the citation.
func registered(t *testing.T) githubtest.Disturbance {
	t.Helper()
	content, err := os.ReadFile("../metadata/testdata/datacite.json")
	if err != nil {
		t.Fatal(err)
	}
	return githubtest.Disturbance{Path: "/dois/10.5281/zenodo.7654321", Status: http.StatusOK, Body: string(content)}
}

func TestGapsOfDescriptorsAreFilled(t *testing.T) {
	t.Parallel()
	descriptor := "project: {name: Mine, description: A text, authors: [ada@example.org], privacy: PUBLIC, version: 1.5}"
	w, _ := withSources(t, map[string]string{"cairn.yml": descriptor, "CITATION.cff": citation, "codemeta.json": codeMeta, ".zenodo.json": "{"}, registered(t))
	var pulled contribute.Descriptor
	w.Ask(catalogtest.Ada, http.MethodGet, "/codehost/descriptor?githubUrl="+spikesURL, http.StatusOK, &pulled)
	want := map[string]string{
		"license": "CITATION.cff", "doi": "CITATION.cff", "people": "CITATION.cff", "language": "codemeta.json", "funding": "DataCite", "relatedIdentifiers": "DataCite",
	}
	if pulled.Name != "Mine" || pulled.Version != "1.5" || pulled.License != "Apache-2.0" || pulled.Language != "en" || !reflect.DeepEqual(pulled.Found, want) {
		t.Errorf("got %+v", pulled)
	}
	var added struct{ Resource catalog.Resource }
	w.Ask(catalogtest.Ada, http.MethodPost, "/resources/repository?githubUrl="+spikesURL, http.StatusCreated, &added)
	entry := added.Resource
	if entry.Version != "1.5" || entry.License != "Apache-2.0" || entry.DOI != "10.5281/zenodo.7654321" || entry.Language != "en" || len(entry.Funding) != 1 ||
		len(entry.RelatedIdentifiers) != 1 || len(entry.People) != 1 || entry.People[0].Name != "Ada Lovelace" || entry.People[0].ORCID == "" {
		t.Errorf("got %+v", entry)
	}
	// A sync while a source is down takes nothing away; the descriptor still wins.
	other, _ := withSources(
		t, map[string]string{"cairn.yml": strings.Replace(descriptor, "1.5", "1.6, license: MIT, language: ''", 1)},
		githubtest.Disturbance{Path: "/raw/lab/spikes/main/codemeta", Status: http.StatusBadGateway},
	)
	entry.ExternalID = "synced"
	other.Import(*entry.Entry())
	var after catalog.Resource
	other.Send(catalogtest.Ada, http.MethodPatch, "/resources/repository", `{"id":"`+other.ID("synced")+`"}`, http.StatusOK, &after)
	if after.Version != "1.6" || after.License != "MIT" || after.DOI != entry.DOI || after.Language != "" || len(after.Funding) != 1 {
		t.Errorf("got %+v", after)
	}
}

func TestFormsAreOfferedWhatOthersSay(t *testing.T) {
	t.Parallel()
	w, host := withSources(t, map[string]string{"CITATION.cff": citation, "codemeta.json": codeMeta}, registered(t))
	ask := func(query url.Values) (found metadata.Found) {
		w.Ask(catalogtest.Ada, http.MethodGet, "/codehost/metadata?"+query.Encode(), http.StatusOK, &found)
		return found
	}
	found := ask(url.Values{"address": {"https://github.com/lab/spikes/blob/main/a.ipynb"}})
	if found.License != "Apache-2.0" || found.From["license"] != "CITATION.cff" || found.From["funding"] != "DataCite" || len(found.People) != 2 ||
		strings.Join(found.Asked, " ") != "CITATION.cff codemeta.json .zenodo.json github.com DataCite" || found.Unanswered != nil {
		t.Errorf("got %+v", found)
	}
	for _, person := range found.People {
		if person.Email != "" {
			t.Errorf("%+v has an address", person)
		}
	}
	found = ask(url.Values{"address": {"spikes"}, "doi": {"https://doi.org/10.5281/ZENODO.7654321"}})
	if found.License != "" && found.From["license"] != "DataCite" || strings.Join(found.Asked, " ") != "DataCite" {
		t.Errorf("got %+v", found)
	}
	// It is asked once; a DOI that others registered is nothing, and so is a text that is no DOI.
	host.Requests()
	ask(url.Values{"doi": {"10.5281/zenodo.7654321"}})
	if requests := host.Requests(); len(requests) != 0 {
		t.Errorf("asked again: %+v", requests)
	}
	for _, doi := range []string{"10.1000/nowhere", "no", "", "10.1000/\x01", strings.Repeat("10.1000/", 500)} {
		if found := ask(url.Values{"doi": {doi}}); len(found.From) != 0 || found.Unanswered != nil {
			t.Errorf("%.20q: %+v", doi, found)
		}
	}
}

// However sources fail, an answer comes without them, and says who didn't answer.
func TestSourcesThatFail(t *testing.T) {
	t.Parallel()
	large := `{"data":{"attributes":{"doi":"10.5281/zenodo.7654321","version":"` + strings.Repeat("x", 10_000_000) + `"}}}`
	for name, one := range map[string]struct {
		disturbance githubtest.Disturbance
		unanswered  string
	}{
		"down":           {githubtest.Disturbance{Path: "/dois/", Status: http.StatusServiceUnavailable}, "DataCite"},
		"refused":        {githubtest.Disturbance{Path: "/dois/", Status: http.StatusForbidden}, "DataCite"},
		"broken off":     {githubtest.Disturbance{Path: "/dois/", Status: http.StatusOK, Body: large[:1000], BreakOff: true}, "DataCite"},
		"10 MB":          {githubtest.Disturbance{Path: "/dois/", Status: http.StatusOK, Body: large}, ""},
		"nonsense":       {githubtest.Disturbance{Path: "/dois/", Status: http.StatusOK, Body: "<html>"}, ""},
		"about another":  {githubtest.Disturbance{Path: "/dois/", Status: http.StatusOK, Body: `{"data":{"attributes":{"doi":"10.1000/1","version":"7"}}}`}, ""},
		"deep":           {githubtest.Disturbance{Path: "/dois/", Status: http.StatusOK, Body: strings.Repeat("[", 100_000)}, ""},
		"GitHub is down": {githubtest.Disturbance{Path: "/", Status: http.StatusInternalServerError}, "CITATION.cff codemeta.json .zenodo.json github.com DataCite"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := withSources(t, map[string]string{".zenodo.json": strings.Repeat("[", 300_000), "codemeta.json": strings.Repeat("x", 300_000)}, one.disturbance)
			var found metadata.Found
			w.Ask(catalogtest.Ada, http.MethodGet, "/codehost/metadata?doi=10.5281/zenodo.7654321&address="+spikesURL, http.StatusOK, &found)
			if strings.Join(found.Unanswered, " ") != one.unanswered || found.Version != "" || (found.License == "") != (one.unanswered != "" && one.unanswered != "DataCite") {
				t.Errorf("got %+v", found)
			}
		})
	}
}
