package fair

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
)

func TestEveryFormOfEveryTypeCanBeRead(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	for _, externalID := range everyEntry {
		for _, one := range formsFor(w.record(t.Context(), w.entry(externalID), filesInForms)) {
			text := w.form(externalID, one.Name)
			if strings.HasSuffix(one.Type, "json") && !json.Valid([]byte(text)) {
				t.Errorf("%s of %s isn't JSON: %s", one.Name, externalID, text)
			}
			if one.isXML && xml.Unmarshal([]byte(text), new(struct{})) != nil {
				t.Errorf("%s of %s isn't XML: %s", one.Name, externalID, text)
			}
		}
		if text := w.Describe(t.Context(), w.entry(externalID).Resource()).JSONLD; strings.ContainsAny(string(text), "<>") || len(text) > headLimit {
			t.Errorf("the head of %s: %s", externalID, text)
		}
	}
	if text := w.feedText(); strings.Count(text, "<entry>") != 4 || strings.Contains(text, w.id("secret")) {
		t.Errorf("the feed: %s", text)
	}
}

// TestNothingTellsTheAddressOfAPerson writes entries that have e-mail addresses wherever somebody could write one.
func TestNothingTellsTheAddressOfAPerson(t *testing.T) {
	t.Parallel()
	leak := func(name string) string { return name + ".jürgen@mail.leak.example" }
	entries := described()[:4]
	for i := range entries {
		one := &entries[i]
		one.Name, one.Description, one.License, one.Version = leak("name"), "Ask "+leak("description")+", or <"+leak("second")+">.", leak("license"), leak("version")
		one.Authors, one.AddedBy, one.Tags, one.DOI = []string{leak("author")}, leak("adder"), []catalog.Tag{{Value: leak("tag")}}, "10.1234/"+leak("doi")
		one.People = []catalog.Credit{
			{Name: leak("person"), Email: leak("person")},
			{Name: "Ada Lovelace", Email: leak("ada"), Affiliation: &catalog.Organization{Name: leak("affiliation")}},
			{Name: "Bob", Role: "DataCurator", Affiliation: &catalog.Organization{Name: leak("curation")}},
		}
		one.Funding = []catalog.Funding{{Funder: leak("funder"), AwardNumber: leak("number"), AwardTitle: leak("award"), AwardURL: "https://x.example/" + leak("grant")}}
		for _, kind := range catalog.IdentifierTypes {
			identifier := map[string]string{"URL": "https://x.example/" + leak("related"), "DOI": "10.1234/" + leak("related")}[kind]
			one.RelatedIdentifiers = append(one.RelatedIdentifiers, catalog.RelatedIdentifier{Identifier: cmp.Or(identifier, leak("related")), Type: kind, Relation: "Cites"})
		}
	}
	entries[0].DatasetURL, entries[1].RepositoryURL = "https://x.example/~"+leak("data")+"/a.csv", "https://x.example/"+leak("code")
	entries[2].NotebookPath = "https://x.example/" + leak("notebook") + ".ipynb"
	w := onSQLite(t, entries...)
	texts := map[string]string{"the feed": w.feedText()}
	for _, prefix := range []string{"oai_dc", "oai_datacite"} {
		texts["a harvest of "+prefix] = w.oai("verb=ListRecords&metadataPrefix=" + prefix)
	}
	for _, externalID := range everyEntry {
		entry := w.entry(externalID)
		entry.LastRun = &catalog.LastRun{ID: "r", File: leak("run"), Verdict: catalog.RunFailed, Reason: "Ask " + leak("reason") + "."}
		head := w.Describe(t.Context(), entry.Resource())
		texts["the head of "+externalID], texts["the links of "+externalID] = string(head.JSONLD), head.Links
		record := w.record(t.Context(), entry, filesInForms)
		for _, one := range formsFor(record) {
			text, err := one.write(record, testSite)
			if err != nil {
				t.Fatal(err)
			}
			texts[one.Name+" of "+externalID] = string(text)
		}
	}
	for what, text := range texts {
		if strings.Contains(text, "@mail.") || strings.Contains(text, "mailto:") || strings.Contains(text, "leak.example") && !strings.Contains(text, "%40mail.leak.example") {
			t.Errorf("%s tells an address: %s", what, text)
		}
		if !strings.Contains(text, "e-mail address") && !strings.HasPrefix(what, "the links") && !strings.HasPrefix(what, "linkset") {
			t.Errorf("%s doesn't say what it left out: %s", what, text)
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

// The data of an archive is where its DOI leads.
func TestDataWithADOIIsAtItsArchive(t *testing.T) {
	t.Parallel()
	entries := described()
	entries[0].DatasetURL = "doi:10.5281/zenodo.99"
	w := onSQLite(t, entries...)
	expect(t, w.form("d1", "jsonld"), `"contentUrl": "https://doi.org/10.5281/zenodo.99"`)
	expect(t, w.form("d1", "rocrate"), `"@id": "https://doi.org/10.5281/zenodo.99"`)
	expect(t, w.form("d1", "croissant"), `"contentUrl": "https://doi.org/10.5281/zenodo.99"`)
}

func TestLicensesOfModels(t *testing.T) {
	t.Parallel()
	one := described()[3]
	one.ExternalID, one.License = "m2", "MIT OR Apache-2.0"
	w := onSQLite(t, append(described(), one)...)
	for externalID, want := range map[string]string{"m1": "https://spdx.org/licenses/CC-BY-4.0", "m2": "MIT OR Apache-2.0"} {
		for _, form := range []string{"jsonld", "codemeta"} {
			if got := w.parsed(externalID, form)["license"]; got != want {
				t.Errorf("%s in %s: %v", externalID, form, got)
			}
		}
		for _, node := range w.parsed(externalID, "rocrate")["@graph"].([]any) {
			if node := node.(map[string]any); node["@id"] == "./" {
				expect(t, w.form(externalID, "rocrate"), fmt.Sprintf(`"@id": %q`, node["license"].(map[string]any)["@id"]), want)
			}
		}
	}
}

// A notebook's repository is known from its address.
func TestRepositoriesOfNotebooks(t *testing.T) {
	t.Parallel()
	var entries []catalog.Entry
	addresses := map[string]string{
		"page": "https://github.com/Owner/code/blob/main/a/b.ipynb", "raw": "https://raw.githubusercontent.com/Owner/code/main/b.ipynb",
		"viewed": "https://nbviewer.org/github/Owner/code/blob/main/b.ipynb", "gitlab": "https://gitlab.com/group/part/code/-/blob/main/b.ipynb",
		"web": "https://example.org/notebooks/b.ipynb", "blob": "https://data.example.org/store/x/blob/y/b.ipynb", "bundled": "bundled:shape.ipynb",
	}
	for name, address := range addresses {
		one := described()[2]
		one.ExternalID, one.NotebookPath = name, address
		entries = append(entries, one)
	}
	w := onSQLite(t, entries...)
	for name := range addresses {
		want := map[string]any{"page": "https://github.com/Owner/code", "raw": "https://github.com/Owner/code", "viewed": "https://github.com/Owner/code", "gitlab": "https://gitlab.com/group/part/code"}[name]
		for _, form := range []string{"codemeta", "jsonld"} {
			if got := w.parsed(name, form)["codeRepository"]; got != want {
				t.Errorf("%s in %s: %v, want %v", name, form, got, want)
			}
		}
	}
}

func TestFormsForCiting(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	expect(t, w.form("d1", "bibtex"), "@dataset{cairn-", "author = {Lovelace, Ada}", `author+an:orcid = {1="0000-0002-1825-0097"}`, `title = {{Spikes \textless{}1\textgreater{} \& "2"}}`, "doi = {10.5281/zenodo.1234}")
	expect(t, w.form("n1", "csl"), `"genre": "Computational notebook"`, `"family": "Lovelace"`, `"DOI": "10.5281/zenodo.1234"`)
	expect(t, w.form("r1", "cff"), "cff-version: 1.2.0", "type: software", "repository-code: https://github.com/owner/code", "license: CC-BY-4.0", "orcid: https://orcid.org/0000")
	expect(t, w.form("r1", "codemeta"), `"@context": "https://w3id.org/codemeta/3.1"`, `"codeRepository": "https://github.com/owner/code"`)
	expect(t, w.form("m1", "datacite"), `"resourceTypeGeneral": "Model"`, `"rightsIdentifier": "CC-BY-4.0"`, `"contributorType": "DataCurator"`, `"relationType": "IsSupplementTo"`)
}

// TestDataCiteSaysTheSameInBothForms compares everything that the form in JSON has with the one in XML.
func TestDataCiteSaysTheSameInBothForms(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	for _, externalID := range everyEntry {
		var texts func(value any) []string
		texts = func(value any) (list []string) {
			switch value := value.(type) {
			case map[string]any:
				for key, one := range value {
					if key != "schemaVersion" && key != "url" && key != "id" && key != "schemaOrg" && key != "schemeUri" {
						list = append(list, texts(one)...)
					}
				}
			case []any:
				for _, one := range value {
					list = append(list, texts(one)...)
				}
			case string:
				list = append(list, value)
			}
			return list
		}
		said := w.parsed(externalID, "datacite")
		for _, key := range []string{"contributors", "fundingReferences", "relatedIdentifiers", "rightsList", "subjects", "descriptions", "version", "language", "publisher"} {
			if said[key] == nil {
				t.Errorf("%s has no %s", externalID, key)
			}
		}
		text := w.form(externalID, "datacite-xml")
		for _, one := range texts(said) {
			var escaped strings.Builder
			if err := xml.EscapeText(&escaped, []byte(one)); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text, ">"+escaped.String()+"<") && !strings.Contains(text, `="`+escaped.String()+`"`) {
				t.Errorf("%s: %q is missing in %s", externalID, one, text)
			}
		}
	}
	text := w.form("m1", "datacite-xml")
	expect(
		t, text, `<resourceType resourceTypeGeneral="Model">`, `<identifier identifierType="DOI">10.5281/zenodo.1234</identifier>`, `<contributor contributorType="DataCurator">`,
		`<affiliation affiliationIdentifier="https://ror.org/038t36y30" affiliationIdentifierScheme="ROR">Heidelberg University</affiliation>`,
		`<funderIdentifier funderIdentifierType="ROR">https://ror.org/0472cxd90</funderIdentifier>`, `<awardNumber awardURI="https://cordis.europa.eu/project/id/282703">282703</awardNumber>`,
		`<relatedIdentifier relatedIdentifierType="URL" relationType="IsIdenticalTo">https://archive.softwareheritage.org/swh:1:dir:d198bc9d7a6bcf6db04f476d29314f157507d505</relatedIdentifier>`,
	)
	at := -1
	for _, part := range []string{"<creatorName", "<givenName", "<familyName", "<nameIdentifier", "<affiliation"} { // the schema's order
		next := strings.Index(text, part)
		if next <= at {
			t.Errorf("%s isn't at its place: %s", part, text)
		}
		at = next
	}
	bare := dataCiteXML(recordOf(catalog.Entry{ID: "x", Type: catalog.Model, Name: "X"}, testSite, testTime))
	made, err := xml.Marshal(bare)
	if err != nil || regexp.MustCompile(`<[^/>]*></`).Match(made) {
		t.Errorf("an empty element: %s %v", made, err)
	}
	expect(t, string(made), `<creatorName nameType="Organizational">Hill University</creatorName>`, `<identifier identifierType="URL">`)
}

func TestNoDateIsInTheFuture(t *testing.T) {
	t.Parallel()
	later := testTime.Add(24 * time.Hour)
	record := recordOf(catalog.Entry{ID: "x", CreatedAt: later, UpdatedAt: later, IssuedAt: &later}, testSite, testTime)
	if !record.Published.Equal(testTime) || !record.Modified.Equal(testTime) {
		t.Errorf("published %v, changed %v", record.Published, record.Modified)
	}
}

func TestFundingIsInEveryFormThatHasAPlaceForIt(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	for _, name := range []string{"jsonld", "datacite", "datacite-xml", "croissant", "rocrate"} {
		expect(t, w.form("d1", name), "ERC", "282703", "https://ror.org/0472cxd90", "Spikes of neurons", "https://cordis.europa.eu/project/id/282703")
	}
	expect(t, w.form("r1", "codemeta"), "ERC", "282703 Spikes of neurons", "https://ror.org/0472cxd90")
}

func TestCrateHasWhatItsProfileDemands(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	for _, externalID := range everyEntry {
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
	record := recordOf(catalog.Entry{ID: "x", Type: catalog.Dataset, Name: "Spikes", License: "MIT"}, testSite, testTime)
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
		t, string(text), `"conformsTo": "http://mlcommons.org/croissant/1.1"`, `"@id": "raw/a~20b.csv"`, `"sha256": "00"`, `"contentSize": "12 B"`, `"column": "t (ms)"`,
		`"dataType": "sc:Float"`, `"name": "mean"`, `"value": 2`,
	)
	if strings.Contains(string(text), "late.csv") || strings.Count(string(text), `"column": "label"`) != 1 || strings.Contains(string(text), `isLiveDataset": true`) {
		t.Errorf("got %s", text)
	}
}

// Readers of Croissant take two files with one id for one.
func TestDifferentFilesHaveDifferentIDsInCroissant(t *testing.T) {
	t.Parallel()
	names := []string{"x y.csv", "x-y.csv", "x~20y.csv", "x#y.csv", "x?y.csv", "x%20y.csv", "x\ty.csv", "a/x y.csv", "x\u00a0y.csv"}
	record := recordOf(catalog.Entry{ID: "x", Type: catalog.Dataset, Name: "Spikes", License: "MIT"}, testSite, testTime)
	for _, name := range names {
		record.Files = append(record.Files, File{
			Path: name, Name: name, URL: public + "/f", Type: "text/csv", SHA256: "00", Columns: []Column{{Name: "a b"}, {Name: "a-b"}, {Name: "a_b"}},
		})
	}
	made, err := croissant(record, testSite)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := plainJSON(made)
	ids := map[string]int{}
	for _, found := range regexp.MustCompile(`"@id": "([^"]+)",\s+"@type": "cr:F`).FindAllStringSubmatch(string(text), -1) {
		ids[found[1]]++
	}
	if len(ids) != 4*len(names) {
		t.Errorf("%d ids for %d files with 3 columns each: %v", len(ids), len(names), ids)
	}
	for id, count := range ids {
		if count != 1 || strings.ContainsAny(id, ` #?%`) {
			t.Errorf("%d have the id %q", count, id)
		}
	}
}

func TestHeadStaysSmall(t *testing.T) {
	t.Parallel()
	record := recordOf(catalog.Entry{ID: "x", Type: catalog.Dataset, Name: strings.Repeat("語", 200), Description: strings.Repeat("語<", 9000)}, testSite, testTime)
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
	data := recordOf(catalog.Entry{ID: "x", Type: catalog.Dataset}, testSite, testTime)
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
		chosen, page, ok := chooseForm(header, formsFor(data))
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

// TestNothingThatIsAcceptedIsTrouble asks for an entry's page with headers that nobody should send.
func TestNothingThatIsAcceptedIsTrouble(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	entry := w.entry("d1")
	ask := func(accept string) (*httptest.ResponseRecorder, bool) {
		answer, request := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		request.Header.Set("Accept", accept)
		return answer, w.Negotiate(answer, request, entry)
	}
	for _, accept := range []string{
		"", " ", ",", ";;;", `"`, "\\", "text", "text/html;q=2", "text/html;q=NaN", "text/html; q=-1", "*/*;q=1e400", "/", "text//html", strings.Repeat("a/b,", 10_000) + "*/*",
		`application/ld+json;profile="`, "\xff\xfe/\x00", "*/*", "text/*", "text/html, application/ld+json",
	} {
		if answer, done := ask(accept); done {
			t.Errorf("%.40q: %d %s", accept, answer.Code, answer.Body)
		}
	}
	for _, accept := range []string{"image/png", "text/html;q=0", "*/*;q=0", "application/ld+json;q=0", "application/json", "video/*", strings.Repeat("a/b,", 10_000) + "a/b"} {
		answer, done := ask(accept)
		if !done || answer.Code != http.StatusNotAcceptable {
			t.Errorf("%.40q: %d", accept, answer.Code)
		}
		text := answer.Body.String()
		expect(t, text, "text/html\n")
		for _, one := range formsFor(w.record(t.Context(), entry, 0)) {
			expect(t, text, one.contentType()+"\n")
		}
	}
}

func TestLinksOfEachType(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	for _, externalID := range everyEntry {
		record := w.record(t.Context(), w.entry(externalID), filesInForms)
		links := readLinks(pageLinks(record))
		count := map[string]int{}
		for _, one := range links {
			count[one.Relation]++
			if strings.ContainsAny(one.Target, ",; ") || !isWebAddress(one.Target) || slices.Contains([]string{"describedby", "item", "linkset"}, one.Relation) && one.Type == "" {
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
			if anchor, _ := context["anchor"].(string); !isWebAddress(anchor) {
				t.Errorf("%s: the anchor %v isn't an address", externalID, context["anchor"])
			}
		}
		if set.Linkset[0]["anchor"] != record.Address {
			t.Errorf("the first anchor is %v", set.Linkset[0]["anchor"])
		}
	}
	crowd := recordOf(catalog.Entry{ID: "x", Type: catalog.Dataset}, testSite, testTime)
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
