package metadata

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
)

func recorded(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

var (
	brown    = &catalog.Organization{Name: "Brown University", ROR: "https://ror.org/05gq02987"}
	carberry = catalog.Credit{Name: "Josiah Carberry", ORCID: "0000-0002-1825-0097", Affiliation: brown}
	project  = catalog.Funding{Funder: "European Commission", FunderID: "https://doi.org/10.13039/501100000780", AwardNumber: "945539"}
	article  = catalog.RelatedIdentifier{Identifier: "10.1000/xyz123", Type: "DOI", Relation: "IsDescribedBy"}
)

func withMail(p catalog.Credit) catalog.Credit {
	p.Email = "josiah@example.org"
	return p
}

func TestEachSourceIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	plainBrown := carberry
	plainBrown.Affiliation = &catalog.Organization{Name: "Brown University"}
	titled := project
	titled.FunderID, titled.AwardTitle, titled.AwardURL = "", "Human Brain Project", "https://cordis.europa.eu/project/id/945539"
	registered := project
	registered.AwardTitle = "Human Brain Project"
	for name, want := range map[string]struct {
		read     func([]byte) SourceMetadata
		metadata SourceMetadata
	}{
		"CITATION.cff": {readCitation, SourceMetadata{
			Name: "Spike sorting", Tags: []string{"spikes", "electrophysiology"}, License: "Apache-2.0 OR MIT", Version: "1.10", DOI: "10.5281/zenodo.7654321",
			People: []catalog.Credit{withMail(plainBrown), {Name: "Spike Sorting Group"}},
		}},
		"codemeta-2.json": {readCodeMeta, SourceMetadata{
			Name: "Spike sorting", Description: "Sorts the spikes of electrodes.", Tags: []string{"spikes", "neurons"}, License: "GPL-3.0-or-later", Version: "2.0.1",
			DOI: "10.5281/zenodo.1234", People: []catalog.Credit{withMail(carberry), {Name: "Spike Sorting Group"}, {Name: "Grace Hopper", Role: "Other"}},
			Funding: []catalog.Funding{project}, RelatedIdentifiers: []catalog.RelatedIdentifier{article},
		}},
		"codemeta-3.json": {readCodeMeta, SourceMetadata{
			Name: "Spike sorting", Description: "Sorts the spikes of electrodes.", Tags: []string{"spikes", "neurons"}, License: "BSD-3-Clause", Version: "3", Language: "en",
			DOI: "10.5281/zenodo.1234", People: []catalog.Credit{carberry}, Funding: []catalog.Funding{titled}, RelatedIdentifiers: []catalog.RelatedIdentifier{article},
		}},
		"zenodo.json": {readZenodo, SourceMetadata{
			Name: "Spike sorting", Description: "Sorts the spikes of electrodes.\n\nFast & exact.", Tags: []string{"spikes", "neurons"}, License: "CC-BY-4.0", Version: "v4", Language: "en",
			People:  []catalog.Credit{plainBrown, {Name: "Spike Sorting Group"}, {Name: "Grace Hopper", Role: "DataCurator"}, {Name: "Jeannette Wing", Role: "Other"}},
			Funding: []catalog.Funding{project, {Funder: "European Commission", FunderID: project.FunderID, AwardNumber: "777"}},
			RelatedIdentifiers: []catalog.RelatedIdentifier{
				{Identifier: "10.1000/xyz123", Type: "DOI", Relation: "IsSupplementTo"}, {Identifier: "https://github.com/lab/spikes", Type: "URL", Relation: "IsDerivedFrom"},
			},
		}},
		"datacite.json": {readDataCite, SourceMetadata{
			Name: "Spikes of ten neurons", Description: "Spikes. Ask [e-mail address].", Tags: []string{"electrophysiology", "FOS: Biological sciences"}, License: "CC-BY-4.0", Version: "1.1",
			DOI: "10.5281/zenodo.7654321", Language: "en",
			People: []catalog.Credit{
				carberry,
				{Name: "University of Somewhere, Department of Spikes"},
				{Name: "Jeannette Wing", Affiliation: &catalog.Organization{Name: "Carnegie Mellon University"}},
				{Name: "Grace Hopper", Role: "DataCurator", Affiliation: &catalog.Organization{Name: "Yale University"}},
			},
			Funding:            []catalog.Funding{registered},
			RelatedIdentifiers: []catalog.RelatedIdentifier{{Identifier: "10.5281/zenodo.7654320", Type: "DOI", Relation: "IsVersionOf"}},
		}},
	} {
		if meta := want.read(recorded(t, name)).valid(); !reflect.DeepEqual(meta, want.metadata) {
			t.Errorf("%s:\ngot  %s\nwant %s", name, asText(meta), asText(want.metadata))
		}
	}
}

// Names of several parts, lists of linked data, and characters that HTML writes as entities.
func TestSourcesAreReadAsOthersWriteThem(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"authors:\n  - family-names: Berg\n    given-names: Anna\n    name-particle: van den\n    name-suffix: Jr.\n  - name: The Group\n    website: https://example.org\n  - alias: nick\n": "Anna van den Berg Jr.|The Group|nick",
		"authors:\n  - {given-names: Ada, family-names: King, alias: countess}\n  - {given-names: Plato, name-suffix: x}\n  - {name-particle: de}\n":                                          "Ada King|Plato",
	} {
		if got := namesOf(readCitation([]byte(content))); got != want {
			t.Errorf("%s: %s", content, got)
		}
	}
	for content, want := range map[string]string{
		`{"author": {"@list": [{"name": "Ada Lovelace"}]}}`:                     "Ada Lovelace",
		`{"author": {"@set": [{"name": "Ada"}, "Grace Hopper"]}}`:               "Ada|Grace Hopper",
		`{"author": {"@list": {"givenName": "Ada", "familyName": "Lovelace"}}}`: "Ada Lovelace",
		`{"author": {"@list": []}}`:                                             "",
	} {
		if got := namesOf(readCodeMeta([]byte(content))); got != want {
			t.Errorf("%s: %s", content, got)
		}
	}
	if tags := readCodeMeta([]byte(`{"keywords": {"@list": ["a", "b"]}}`)).Tags; strings.Join(tags, "|") != "a|b" {
		t.Errorf("Its keywords are %q", tags)
	}
	for text, want := range map[string]string{
		"<p>Caf&eacute; &ndash; it&rsquo;s &#8220;open&#8221;</p>": "Café – it’s “open”",
		"5&nbsp;&micro;m &plusmn; 1 &#x3B1;":                       "5 µm ± 1 α",
		"a &amp;lt; b &lt;i&gt;":                                   "a &lt; b <i>",
		"R&D; x&y":                                                 "R&D; x&y",
	} {
		content, _ := json.Marshal(map[string]string{"description": text})
		if got := readZenodo(content).Description; got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func namesOf(meta SourceMetadata) string {
	var names []string
	for _, person := range meta.People {
		names = append(names, person.Name)
	}
	return strings.Join(names, "|")
}

func asText(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// The order of precedence, and that fields are taken whole.
func TestTheFirstSourceThatSaysAnythingIsBelieved(t *testing.T) {
	t.Parallel()
	found := merge([]answer{
		{source: sourceCitation, metadata: SourceMetadata{License: "no license", Version: " ", People: []catalog.Credit{{Name: "Ada"}}}},
		{source: sourceCodeMeta, failed: true, metadata: SourceMetadata{License: "MIT"}},
		{source: sourceZenodo, metadata: SourceMetadata{License: "apache-2.0", Version: "2"}},
		{source: "github.com", metadata: SourceMetadata{License: "GPL-3.0-only", Tags: []string{"x"}}},
		{source: sourceDataCite, metadata: SourceMetadata{License: "CC0-1.0", Version: "3", Tags: []string{"y"}, People: []catalog.Credit{{Name: "Bob"}, {Name: "Eve"}}, Language: "de"}},
	})
	want := Found{
		SourceMetadata: SourceMetadata{License: "Apache-2.0", Version: "2", Tags: []string{"x"}, People: []catalog.Credit{{Name: "Ada"}}, Language: "de"},
		From: map[string]string{
			fieldLicense: sourceZenodo, fieldVersion: sourceZenodo, fieldTags: "github.com", fieldPeople: sourceCitation, fieldLanguage: sourceDataCite,
		},
		Asked: []string{sourceCitation, sourceCodeMeta, sourceZenodo, "github.com", sourceDataCite}, Unanswered: []string{sourceCodeMeta},
	}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("got  %s\nwant %s", asText(found), asText(want))
	}
}

// What a descriptor says wins, even if it says nothing; a source that is down takes nothing away.
func TestGapsAlone(t *testing.T) {
	t.Parallel()
	found := merge([]answer{
		{source: sourceCitation, metadata: SourceMetadata{
			License: "MIT", Version: "2", Language: "de", DOI: "10.5281/zenodo.1", Funding: []catalog.Funding{project},
			People: []catalog.Credit{{Name: "Ada King", Email: "ada@example.org", ORCID: carberry.ORCID}, {Name: "Bob"}},
		}},
		{source: sourceDataCite, failed: true},
	})
	entry := catalog.Entry{Version: "1", People: []catalog.Credit{{Email: "ada@example.org"}, {Name: "Eve", Email: "eve@example.org"}}}
	meta := map[string]bool{fieldVersion: true, fieldLanguage: true, fieldRelated: true}
	filled := found.Gaps(meta, &entry)
	found.Keep(meta, catalog.Entry{Language: "en", RelatedIdentifiers: []catalog.RelatedIdentifier{article}, License: "GPL-2.0-only"}, &entry)
	if entry.License != "MIT" || entry.Version != "1" || entry.Language != "" || entry.DOI != "10.5281/zenodo.1" || entry.RelatedIdentifiers != nil ||
		!reflect.DeepEqual(entry.People, []catalog.Credit{{Name: "Ada King", Email: "ada@example.org", ORCID: carberry.ORCID}, {Name: "Eve", Email: "eve@example.org"}}) {
		t.Errorf("got %s", asText(entry))
	}
	if len(filled) != 4 || filled[fieldLicense] != sourceCitation || filled[fieldPeople] != sourceCitation || filled[fieldVersion] != "" {
		t.Errorf("got %v", filled)
	}
	found.Keep(map[string]bool{}, catalog.Entry{RelatedIdentifiers: []catalog.RelatedIdentifier{article}}, &entry)
	if len(entry.RelatedIdentifiers) != 1 || entry.License != "MIT" {
		t.Errorf("got %s", asText(entry))
	}
	found.Unanswered = nil
	entry.RelatedIdentifiers = nil
	if found.Keep(map[string]bool{}, catalog.Entry{RelatedIdentifiers: []catalog.RelatedIdentifier{article}}, &entry); entry.RelatedIdentifiers != nil {
		t.Error("what nobody says any longer stays")
	}
}

func TestLicensesAreFoundInTheirAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://spdx.org/licenses/MIT": "MIT", "http://www.spdx.org/licenses/MIT.html": "MIT", "https://opensource.org/licenses/BSD-3-Clause": "BSD-3-Clause",
		"https://creativecommons.org/licenses/by-sa/4.0/": "CC-BY-SA-4.0", "https://creativecommons.org/publicdomain/zero/1.0/legalcode": "CC0-1.0",
		"cc-by-4.0": "CC-BY-4.0", "other-open": "", "https://example.org/MIT": "", "": "", "Creative Commons Attribution": "", "MIT<script>": "",
	} {
		if got := licenseIn(text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestWorksAreFoundByTheirAddresses(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ address, doi, repository, wantDOI string }{
		{"https://github.com/lab/spikes/blob/main/a.ipynb", "", "lab/spikes", ""},
		{"https://raw.githubusercontent.com/lab/spikes/main/a.csv", "doi:10.1000/X", "lab/spikes", "10.1000/X"},
		{"https://zenodo.org/records/7654321/files/a.zip?download=1", "", "", "10.5281/zenodo.7654321"},
		{"https://zenodo.org/record/7654321", "10.1000/1", "", "10.1000/1"},
		{"https://doi.org/10.5281/zenodo.1", "", "", "10.5281/zenodo.1"},
		{"spikes", "no", "", ""},
		{"bundled:waves.ipynb", "", "", ""},
		{"\x00://", "\xff", "", ""},
	} {
		work := WorkAt(one.address, one.doi)
		repository := ""
		if work.Repository.Host == "github.com" {
			repository = work.Repository.String()
		}
		if repository != one.repository || work.DOI != one.wantDOI {
			t.Errorf("%s: got %+v", one.address, work)
		}
	}
}

// hostile are files and answers that nobody should have written.
func hostile() map[string]string {
	many := `"x",` + strings.Repeat(`{"name":"Ada","@id":5},`, 100_000) + `"y"`
	return map[string]string{
		"empty": "", "no JSON": "{", "a list": "[1,2]", "null": "null", "a text": `"x"`, "not UTF-8": "{\"name\":\"\xff\xfe\"}", "a second value": `{} {}`,
		"deep": strings.Repeat(`{"data":`, 200_000), "deep lists": `{"author":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}`,
		"wrong types": `{"name":{},"description":[[]],"license":7,"keywords":{"a":1},"author":"x","contributor":[null,1,[],{}],"identifier":[[{}]],"funder":true,"funding":[1],
			"title":[],"creators":{"name":[]},"grants":"x","related_identifiers":[{"identifier":{},"relation":5}],"version":{"a":"b"},"language":[],
			"data":{"attributes":{"creators":[[]],"titles":"x","rightsList":{},"descriptions":[null],"fundingReferences":7,"subjects":[{"subject":[]}],"contributors":[{"name":{},"nameIdentifiers":"x","affiliation":5}]}}}`,
		"data of the wrong type": `{"data":[{"attributes":{}}]}`, "attributes of the wrong type": `{"data":{"attributes":[]}}`,
		"many people": `{"author":[` + many + `],"creators":[` + many + `],"data":{"attributes":{"creators":[` + many + `]}}}`,
		"long texts":  `{"name":"` + strings.Repeat("a", 1_000_000) + `","title":"` + strings.Repeat("a", 1_000_000) + `","version":"` + strings.Repeat("1", 10_000) + `"}`,
		"control":     `{"name":"a\u0000b","title":"a\u202eb","version":"1\u00072","keywords":["\u0000"],"author":[{"name":"\u202egnp"}],"license":"MIT\u0000"}`,
	}
}

// Whatever is in a source: what the catalog would refuse is left out, and nothing has an e-mail address but people by theirs.
func checkSource(t *testing.T, meta SourceMetadata) {
	t.Helper()
	entry := catalog.Entry{
		Name: "x", Type: catalog.Model, ApplicationInterfaceID: "x", Privacy: catalog.PrivacyPublic, Authors: []string{"ada@example.org"},
		Description: meta.Description, License: meta.License, Version: meta.Version, DOI: meta.DOI, Language: meta.Language,
		People: meta.People, Funding: meta.Funding, RelatedIdentifiers: meta.RelatedIdentifiers,
	}
	if meta.Name != "" {
		entry.Name = meta.Name
	}
	for _, tag := range meta.Tags {
		entry.Tags = append(entry.Tags, catalog.Tag{Value: tag})
	}
	before := asText(entry.People) + asText(entry.Funding) + asText(entry.RelatedIdentifiers)
	entry.Normalize()
	if faults := entry.Check(); len(faults) > 0 {
		t.Errorf("%v in %s", faults, asText(meta))
	}
	if after := asText(entry.People) + asText(entry.Funding) + asText(entry.RelatedIdentifiers); after != before {
		t.Errorf("not as entries are stored: %s becomes %s", before, after)
	}
	meta.People = Found{SourceMetadata: meta}.WithoutAddresses().People
	for _, text := range append([]string{meta.Name, meta.Version}, meta.Tags...) {
		if strings.Contains(text, "@") {
			t.Errorf("%q has an address", text)
		}
	}
	for _, person := range meta.People {
		if person.Email != "" || strings.Contains(person.Name, "@") {
			t.Errorf("%+v has an address", person)
		}
	}
}

func TestHostileSourcesSayNothing(t *testing.T) {
	t.Parallel()
	for _, content := range hostile() {
		for _, read := range []func([]byte) SourceMetadata{readCodeMeta, readZenodo, readDataCite, readCitation} {
			checkSource(t, read([]byte(content)).valid())
		}
	}
	// One bad field takes no other with it, and markup is text.
	meta := readCodeMeta([]byte(`{"name":"<script>alert(1)</script>","license":{"@id":[]},"version":"1","author":[{"name":"ada@example.org"},{"name":"Eve <eve@example.org>"},
		{"name":"<img src=x onerror=alert(1)>","@id":"https://orcid.org/0000-0002-1825-0098","affiliation":{"name":"X","@id":"https://ror.org/nope"}}, {"name":"Ada","email":"ada(at)example"}]}`)).valid()
	if meta.Version != "1" || meta.License != "" || meta.Name != "<script>alert(1)</script>" || len(meta.People) != 2 || meta.People[0].ORCID != "" ||
		meta.People[0].Affiliation.ROR != "" || meta.People[1] != (catalog.Credit{Name: "Ada"}) {
		t.Errorf("got %s", asText(meta))
	}
}

// FuzzSources looks for files of which something invalid is taken over, and for crashes.
func FuzzSources(f *testing.F) {
	for _, name := range []string{"codemeta-2.json", "codemeta-3.json", "zenodo.json", "datacite.json", "CITATION.cff"} {
		f.Add(recorded(f, name))
	}
	for _, content := range hostile() {
		if len(content) < 10_000 {
			f.Add([]byte(content))
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, read := range []func([]byte) SourceMetadata{readCodeMeta, readZenodo, readDataCite, readCitation} {
			checkSource(t, read(content).valid())
		}
	})
}
