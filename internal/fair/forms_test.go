package fair

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"cairn/internal/catalog"
	"cairn/internal/fault"
)

func TestEveryFormOfEveryTypeHasNoAddressOfAPerson(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	for _, externalID := range []string{"d1", "r1", "n1", "m1"} {
		record := w.record(t.Context(), w.entry(externalID), filesInForms)
		for _, one := range formsFor(record) {
			text := w.form(externalID, one.Name)
			if strings.Contains(text, "@example.org") || strings.Contains(text, "@lab.") || strings.Contains(text, "mailto:") {
				t.Errorf("%s of %s has an address: %s", one.Name, externalID, text)
			}
			if strings.HasSuffix(one.Type, "json") && !json.Valid([]byte(text)) {
				t.Errorf("%s of %s isn't JSON: %s", one.Name, externalID, text)
			}
			if one.isXML && xml.Unmarshal([]byte(text), new(struct{})) != nil {
				t.Errorf("%s of %s isn't XML: %s", one.Name, externalID, text)
			}
		}
		head := w.Describe(t.Context(), w.entry(externalID))
		if text := string(head.JSONLD); strings.Contains(text, "@example.org") || strings.Contains(text, "@lab.") || strings.ContainsAny(text, "<>") || len(text) > headLimit {
			t.Errorf("the head of %s: %s", externalID, text)
		}
	}
	feed := httptest.NewRecorder()
	w.ServeFeed(feed, httptest.NewRequestWithContext(t.Context(), http.MethodGet, FeedPath, http.NoBody))
	if text := feed.Body.String(); feed.Code != http.StatusOK || strings.Count(text, "<entry>") != 4 || strings.Contains(text, w.id("secret")) {
		t.Errorf("the feed: %d %s", feed.Code, text)
	}
	for _, text := range []string{w.oai("verb=ListRecords&metadataPrefix=oai_dc"), w.oai("verb=ListRecords&metadataPrefix=oai_datacite"), feed.Body.String()} {
		if strings.Contains(text, "@example.org") || strings.Contains(text, "@lab.") {
			t.Errorf("a harvest has an address: %s", text)
		}
	}
}

func TestNobodyButThePublicsEntriesHaveForms(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	for _, id := range []string{w.id("secret"), "01900000-0000-7000-8000-000000000000", "x", ""} {
		if _, _, _, err := w.export(t.Context(), id, "jsonld"); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s: %v", id, err)
		}
	}
	_, _, _, err := w.export(t.Context(), w.id("r1"), "croissant")
	if fault.KindOf(err) != fault.NotFound || !strings.Contains(fault.MessageOf(err), "jsonld, datacite,") || strings.Contains(fault.MessageOf(err), "has jsonld, croissant") {
		t.Errorf("got %v", err)
	}
}

func TestSchemaOfEachType(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	for externalID, want := range map[string]any{
		"d1": "Dataset", "r1": "SoftwareSourceCode", "m1": "SoftwareApplication", "n1": []any{"SoftwareSourceCode", "LearningResource"},
	} {
		schema := w.parsed(externalID, "jsonld")
		got, _ := json.Marshal(schema["@type"])
		if wanted, _ := json.Marshal(want); string(got) != string(wanted) {
			t.Errorf("%s is a %s", externalID, got)
		}
		for _, name := range []string{"license", "publisher", "identifier", "datePublished", "dateModified", "version", "keywords", "funding", "citation", "contributor"} {
			if schema[name] == nil {
				t.Errorf("%s has no %s", externalID, name)
			}
		}
		if schema["@id"] != public+"/id/"+w.id(externalID) || schema["license"] != "https://spdx.org/licenses/CC-BY-4.0" {
			t.Errorf("got %v", schema)
		}
	}
	text := w.form("d1", "jsonld")
	expect(t, text, `"contentUrl": "https://data.example.org/a%2Cb.csv"`, `"encodingFormat": "text/csv"`, `"@id": "https://orcid.org/0000-0002-1825-0097"`, "Heidelberg University")
}

func TestFormsForCiting(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	expect(t, w.form("d1", "bibtex"), "@dataset{cairn-", "author = {Lovelace, Ada}", `title = {{Spikes <1> \& "2"}}`, "doi = {10.5281/zenodo.1234}")
	expect(t, w.form("n1", "csl"), `"genre": "Computational notebook"`, `"family": "Lovelace"`, `"DOI": "10.5281/zenodo.1234"`)
	expect(t, w.form("r1", "cff"), "cff-version: 1.2.0", "type: software", "repository-code: https://github.com/owner/code", "license: CC-BY-4.0", "orcid: https://orcid.org/0000")
	expect(t, w.form("r1", "codemeta"), `"@context": "https://w3id.org/codemeta/3.1"`, `"codeRepository": "https://github.com/owner/code"`)
	expect(t, w.form("m1", "datacite"), `"resourceTypeGeneral": "Model"`, `"rightsIdentifier": "CC-BY-4.0"`, `"contributorType": "DataCurator"`, `"relationType": "IsSupplementTo"`)
	expect(t, w.form("m1", "datacite-xml"), `resourceTypeGeneral="Model"`, `<identifier identifierType="DOI">10.5281/zenodo.1234</identifier>`, "&amp;")
}

func TestCrateHasWhatItsProfileDemands(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	for _, externalID := range []string{"d1", "r1", "n1", "m1"} {
		var crate struct {
			Graph []map[string]any `json:"@graph"`
		}
		if err := json.Unmarshal([]byte(w.form(externalID, "rocrate")), &crate); err != nil {
			t.Fatal(err)
		}
		known := map[any]bool{}
		for _, node := range crate.Graph {
			if known[node["@id"]] {
				t.Errorf("%s: %v is there twice", externalID, node["@id"])
			}
			known[node["@id"]] = true
		}
		root := crate.Graph[1]
		for _, name := range []string{"name", "description", "datePublished", "license", "publisher", "cite-as", "author"} {
			if root[name] == nil {
				t.Errorf("%s: the root has no %s: %v", externalID, name, root)
			}
		}
		if keywords, ok := root["keywords"].(string); !ok || keywords == "" {
			t.Errorf("keywords are %v", root["keywords"])
		}
	}
}

func TestCroissantOfATable(t *testing.T) {
	t.Parallel()
	record := recordOf(catalog.Resource{ID: "x", Type: catalog.Dataset, Name: "Spikes", License: "MIT"}, testSite, testTime)
	record.Files = []File{
		{
			Path: "raw/a b.csv", Name: "a b.csv", URL: public + "/f", Type: "text/csv", Size: 12, SHA256: "00", IsTable: true,
			Columns: []Column{{Name: "t (ms)", IsNumber: true, Minimum: 1, Maximum: 3, Mean: 2}, {Name: "label"}, {Name: "label"}},
		},
		{Path: "late.csv", Name: "late.csv", URL: public + "/g", Type: "text/csv", Size: 12}, // its digest is computed
	}
	made, err := croissant(record, testSite)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := plainJSON(made)
	expect(
		t, string(text), `"conformsTo": "http://mlcommons.org/croissant/1.1"`, `"@id": "raw/a-b.csv"`, `"sha256": "00"`, `"contentSize": "12 B"`, `"column": "t (ms)"`,
		`"dataType": "sc:Float"`, `"name": "mean"`, `"value": 2`,
	)
	if strings.Contains(string(text), "late.csv") || strings.Count(string(text), `"column": "label"`) != 1 || strings.Contains(string(text), `isLiveDataset": true`) {
		t.Errorf("got %s", text)
	}
}

func TestHeadStaysSmall(t *testing.T) {
	t.Parallel()
	record := recordOf(catalog.Resource{ID: "x", Type: catalog.Dataset, Name: strings.Repeat("語", 200), Description: strings.Repeat("語<", 9000)}, testSite, testTime)
	for range 500 {
		record.People = append(record.People, Person{Name: strings.Repeat("語", 200)})
		record.Files = append(record.Files, File{Name: strings.Repeat("f", 200), URL: public, Columns: []Column{{Name: strings.Repeat("c", 100)}}})
	}
	if text := headOf(record, testSite); len(text) > headLimit || !json.Valid(text) || strings.Contains(string(text), "<") {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}

func TestAcceptChooses(t *testing.T) {
	t.Parallel()
	data := recordOf(catalog.Resource{ID: "x", Type: catalog.Dataset}, testSite, testTime)
	for header, want := range map[string]string{
		"": "page", "*/*": "page", "text/html": "page", "nonsense": "page", ";;,,": "page", "text/html, */*": "page", "application/json, text/plain, */*": "page",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": "page",
		"application/vnd.schemaorg.ld+json, application/ld+json":          "jsonld",
		"application/ld+json": "jsonld",
		`application/ld+json;profile="https://w3id.org/ro/crate"`:                 "rocrate",
		`application/ld+json; profile="http://mlcommons.org/croissant/1.1"`:       "croissant",
		`application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted"`:    "jsonld",
		"application/vnd.datacite.datacite+json":                                  "datacite",
		"application/vnd.datacite.datacite+xml;q=0.5, application/x-bibtex;q=0.7": "bibtex",
		"application/xml, text/xml;q=0.5":                                         "datacite-xml",
		"application/linkset+json, application/linkset":                           "linkset",
		"application/vnd.citationstyles.csl+json;q=1.0, text/html;q=0.2":          "csl",
		"application/yaml": "cff",
		"text/turtle, application/rdf+xml;q=0.9, application/ld+json;q=0.8": "jsonld",
		"image/png": "nothing", "text/html;q=0": "nothing", "application/json": "nothing", "text/turtle": "nothing", "application/vnd.codemeta.ld+json": "nothing",
	} {
		chosen, page, ok := choose(header, formsFor(data))
		got := chosen.Name
		if page {
			got = "page"
		}
		if !ok {
			got = "nothing"
		}
		if got != want {
			t.Errorf("%q gets %s, want %s", header, got, want)
		}
	}
}

func TestLinksOfEachType(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	for _, externalID := range []string{"d1", "r1", "n1", "m1"} {
		record := w.record(t.Context(), w.entry(externalID), filesInForms)
		links := readLinks(pageLinks(record))
		count := map[string]int{}
		for _, one := range links {
			count[one.Relation]++
			if strings.ContainsAny(one.Target, ",; ") || !web(one.Target) || slices.Contains([]string{"describedby", "item", "linkset"}, one.Relation) && one.Type == "" {
				t.Errorf("%s: %+v", externalID, one)
			}
		}
		if count["cite-as"] != 1 || count["type"] != 2 || count["describedby"] < 7 || count["license"] != 1 || count["author"] != 1 || count["linkset"] != 1 {
			t.Errorf("%s: %v", externalID, count)
		}
		var set struct {
			Linkset []map[string]any `json:"linkset"`
		}
		if err := json.Unmarshal([]byte(w.form(externalID, "linkset")), &set); err != nil {
			t.Fatal(err)
		}
		for _, context := range set.Linkset {
			if anchor, _ := context["anchor"].(string); !web(anchor) {
				t.Errorf("%s: the anchor %v isn't an address", externalID, context["anchor"])
			}
		}
		if set.Linkset[0]["anchor"] != record.Address {
			t.Errorf("the first anchor is %v", set.Linkset[0]["anchor"])
		}
	}
	crowd := recordOf(catalog.Resource{ID: "x", Type: catalog.Dataset}, testSite, testTime)
	for range linksInHeader + 1 {
		crowd.People = append(crowd.People, Person{Name: "A", ORCID: "0000-0002-1825-0097"})
		crowd.Files = append(crowd.Files, File{URL: public + "/f", Type: "text/csv"})
	}
	for _, one := range readLinks(pageLinks(crowd)) {
		if one.Relation == "author" || one.Relation == "item" {
			t.Errorf("a header names %+v", one)
		}
	}
}
