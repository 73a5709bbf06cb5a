package page

import (
	"context"
	"encoding/json"
	"html"
	"net/http"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/site"
	"cairn/internal/site/page/pagetest"
)

// expectParts reports the parts that a text lacks.
func expectParts(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in %s", part, text)
		}
	}
}

// answering answers calls whose path ends in one of the keys with the values, and the others as before.
func (w *world) answering(answers map[string]any) {
	calls := w.options.Calls
	w.options.Calls = http.HandlerFunc(func(writer http.ResponseWriter, r *http.Request) {
		for ending, answer := range answers {
			if strings.HasSuffix(r.URL.Path, ending) {
				if !safehttp.IsOffline(r.Context()) {
					w.t.Errorf("%s may wait for other servers", r.URL.Path)
				}
				_ = json.NewEncoder(writer).Encode(answer)
				return
			}
		}
		calls.ServeHTTP(writer, r)
	})
}

func TestDatasetsAreReadWithoutTheScript(t *testing.T) {
	entry := spikes
	entry.Description = "# About\n\nFirst *line*\nof two.\n \n\n1 > 0 & [links](https://example.org/) \n\n1 > 0"
	entry.People = []catalog.Credit{{Name: "Ada King", ORCID: "0000-0002-1825-0097"}, {Name: "Bob", Email: "bob@example.org"}, {Email: "eve@example.org"}}
	entry.DOI = "10.5281/zenodo.1"
	w := newWorld(t, "Hill", entry, hush)
	type file struct {
		Type, Path, Name string
		Size             int64
	}
	files := []file{{Type: "dir", Path: "raw", Name: "raw"}, {"file", "a b.csv", "a b.csv", 1_234_567}, {"other", "pipe", "pi\u202epe", 0}}
	for len(files) < 150 {
		files = append(files, file{"file", "x", "x", 1})
	}
	w.answering(map[string]any{"/dataset": map[string]any{
		"available": true, "entries": files, "total": 150, "download": map[string]string{"fileUrl": "/file?path=", "zipUrl": "/all.zip"},
	}})
	content := contentOf(t, w, entryPath(w.entry("d1")))
	expectParts(
		t, content, "Dataset<h1>Spikes</h1>", `<a href="/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL&amp;tags=md%5c%2c%20namd">md, namd</a>`,
		"<p>About</p><p>First line of two.</p><p>1 0 &amp; links</p><p>1 &gt; 0</p>", "neuro@…</a>",
		`<a href="/people/0000-0002-1825-0097">Ada King</a> <a href="https://orcid.org/0000-0002-1825-0097">`, "Bob</a>", `<a href="https://doi.org/10.5281/zenodo.1">`,
		"<li>raw</li>", `<li><a href="/file?path=a&#43;b.csv">a b.csv</a>1.2 MiB</li>`, "pi\ufffdpe", "</li></ul><p>50 more</p>", `<a href="/all.zip">`,
	)
	if strings.Contains(content, "eve@") || strings.Contains(content, "bob@") || strings.Count(content[strings.Index(content, `<h2 id="files">`):], "<li>") != maxFiles {
		t.Errorf("got %s", content)
	}
}

func TestWhatIsCitedIsReadWithoutTheScript(t *testing.T) {
	entry := spikes
	entry.License = "CC-BY-4.0"
	entry.People = []catalog.Credit{{Name: "Bob", Role: "DataCurator", Affiliation: &catalog.Organization{Name: "Hill University", ROR: "https://ror.org/038t36y30"}}}
	entry.Funding = []catalog.Funding{
		{Funder: "ERC", FunderID: "https://ror.org/0472cxd90", AwardNumber: "282703", AwardTitle: "Spikes", AwardURL: "https://x.example/282703"}, {Funder: "DFG", AwardNumber: "7"},
	}
	entry.RelatedIdentifiers = []catalog.RelatedIdentifier{
		{Identifier: "10.1038/nature14539", Type: "DOI", Relation: "IsSupplementTo"},
		{Identifier: "arXiv:1706.03762", Type: "arXiv", Relation: "Cites"},
		{Identifier: "978-0", Type: "ISBN", Relation: "IsPartOf"},
	}
	w := newWorld(t, "Hill", entry, hush)
	expectParts(
		t, contentOf(t, w, entryPath(w.entry("d1"))), `Bob</a>Data curator, <a href="https://ror.org/038t36y30">Hill University</a>`,
		`<a href="https://spdx.org/licenses/CC-BY-4.0">CC-BY-4.0</a>`, `<a href="https://ror.org/0472cxd90">ERC</a><a href="https://x.example/282703">Spikes, award 282703</a>`,
		"DFG", "award 7", `Supplement to <a href="https://doi.org/10.1038/nature14539">10.1038/nature14539</a>`,
		`Cites <a href="https://arxiv.org/abs/1706.03762">arXiv:1706.03762</a>`, "Part of 978-0<",
	)
	var several entryFacts
	if several.cite(catalog.Entry{License: "MIT OR Apache-2.0"}.Resource()); several.License != (link{Text: "MIT OR Apache-2.0"}) {
		t.Errorf("several licenses lead to %+v", several.License)
	}
}

func TestRepositoriesShowWhatIsKnownOfThem(t *testing.T) {
	entry := catalog.Entry{ExternalID: "r1", Type: catalog.Repository, Name: "Code", Privacy: catalog.PrivacyPublic, RepositoryURL: "https://github.com/owner/code"}
	w := newWorld(t, "Hill", entry)
	path := entryPath(w.entry("r1"))
	unknown := contentOf(t, w, path) // nothing answers /files
	expectParts(
		t, unknown, "Repositorygithub.com<h1>Code</h1>", `<a href="https://github.com/owner/code">github.com/owner/code</a>`,
		`<a href="https://github.com/owner/code/archive/HEAD.zip">`,
	)
	if strings.Contains(unknown, "<li>") { // neither files nor authors
		t.Errorf("got %s", unknown)
	}
	w.answering(map[string]any{"/files": map[string]any{
		"language": "Go", "sizeBytes": 37_600, "pushedAt": "2020-05-04T12:00:00Z",
		"filesUrl": "https://github.com/owner/code/blob/main/", "entries": []map[string]any{{"type": "dir", "path": "a b", "name": "a b"}, {"type": "file", "path": "x#.py", "name": "x#.py", "size": 1}},
	}})
	expectParts(
		t, contentOf(t, w, path), `<a href="https://github.com/owner/code/blob/main/a%20b">a b</a></li>`, `<a href="https://github.com/owner/code/blob/main/x%23.py">x#.py</a>1 byte</li>`,
		"<dt>Language</dt>Go<dt>Size</dt>36.7 KiB<dt>Last commit</dt>May 4, 2020",
	)
}

func entryContentOf(t *testing.T, w *world, answer catalog.Resource, from *site.Site) entryContent {
	t.Helper()
	return w.preloadEntry(t.Context(), answer).contentOf(t.Context(), answer, from)
}

func TestNotebooksAndModelsAreReadWithoutTheScript(t *testing.T) {
	w := newWorld(t, "Hill")
	w.options.Config = func(context.Context, *site.Site) any {
		return map[string]any{"workflow": map[string]string{"name": "Flow", "url": "https://flow.example/{applicationInterfaceId}/new"}}
	}
	notebook := entryContentOf(t, w, catalog.Resource{
		EntryJSON: catalog.EntryJSON{ID: "1", Type: catalog.Notebook}, NotebookSource: "https://example.org/a%20b.ipynb", NotebookFrameURL: "http://n.localhost/n/1/",
	}, &site.Site{})
	if got := *notebook.Notebook; got != (notebookContent{Frame: "http://n.localhost/n/1/", Name: "a b.ipynb"}) || notebook.Download != "/api/v1/rf/resources/public/1/notebook/file" {
		t.Errorf("got %+v, %s", got, notebook.Download)
	}
	bundled := entryContentOf(t, w, catalog.Resource{EntryJSON: catalog.EntryJSON{ID: "1", Type: catalog.Notebook}, NotebookSource: "bundled:waves.ipynb"}, &site.Site{})
	if bundled.Notebook.Name != "waves.ipynb" || bundled.Facts.Source.Href != "" {
		t.Errorf("got %+v", bundled)
	}
	model := entryContentOf(t, w, catalog.Entry{ID: "2", Type: catalog.Model, ApplicationInterfaceID: "a/b"}.Resource(), &site.Site{})
	if model.Platform != (platform{"Flow", "https://flow.example/a%2Fb/new"}) {
		t.Errorf("got %+v", model.Platform)
	}
}

func TestProjectsThatHoldTheEntryAreInTheDocument(t *testing.T) {
	w := newWorld(t, "Hill", spikes)
	path := entryPath(w.entry("d1"))
	if unknown := contentOf(t, w, path); strings.Contains(unknown, "/projects/") {
		t.Errorf("got %s", unknown)
	}
	projects := []map[string]any{{"id": "p", "name": "Fit <spikes>", "ownerId": "ada@example.org"}}
	for len(projects) <= maxFiles {
		projects = append(projects, map[string]any{"id": "q", "name": "Another"})
	}
	w.answering(map[string]any{"/projects": projects})
	content := contentOf(t, w, path)
	expectParts(t, content, `<a href="/projects/p">Fit &lt;spikes&gt;</a>`)
	if strings.Contains(content, "ada@") || strings.Count(content, "/projects/") != maxFiles {
		t.Errorf("got %s", content)
	}
}

func TestRelatedEntriesAreInTheDocument(t *testing.T) {
	w := newWorld(t, "Hill", spikes)
	path := entryPath(w.entry("d1"))
	if unknown := contentOf(t, w, path); strings.Contains(unknown, "Related entries") {
		t.Errorf("got %s", unknown)
	}
	type values = map[string]any
	w.answering(values{"/related": values{
		"entries": []values{
			{"id": "a", "type": "MODEL", "name": "Net <1>", "why": values{"reason": "tags", "tags": []string{"md", "c elegans"}}},
			{"id": "b", "type": "NOTEBOOK", "name": "Fit", "why": values{"reason": "project", "project": values{"id": "p", "name": "Lab"}}},
			{"id": "c", "type": "DATASET", "name": "Raw", "why": values{"reason": "event", "event": values{"slug": "e", "title": "School"}}},
		},
		"events": []values{{"slug": "school", "title": "Summer school"}},
	}})
	expectParts(
		t, contentOf(t, w, path), `Model<a href="/resources/models/a">Net &lt;1&gt;</a>Tags in common: md, c elegans</li>`,
		`Notebook<a href="/resources/notebooks/b">Fit</a>In the same project: <a href="/projects/p">Lab</a></li>`, `Dataset<a href="/resources/datasets/c">Raw</a>From the same event: School</li>`,
		`<a href="/events#school">Summer school</a>`,
	)
}

func TestOnlyPublicEntriesAreInTheirDocuments(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	w.answering(map[string]any{"/dataset": map[string]any{"available": true}})
	for _, path := range []string{entryPath(w.entry("secret")), "/resources/datasets/x"} {
		if answer := pagetest.Get(t, w, path); answer.Code != http.StatusNotFound || !strings.Contains(answer.Body.String(), `<main><div class="scripted page wide" aria-hidden="true">`) || strings.Contains(answer.Body.String(), "Hush") {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
}

func TestHostileEntriesStayText(t *testing.T) {
	for _, text := range pagetest.HostileTexts() {
		entry := spikes
		entry.Name, entry.Description, entry.DatasetURL = text, text, "https://example.org/"+text
		entry.Tags, entry.Authors, entry.DOI = []catalog.Tag{{Value: text}}, []string{text}, ""
		w := newWorld(t, "Hill", entry)
		content := covers.ReplaceAllString(drawings.ReplaceAllString(mainOf(t, w, entryPath(w.entry("d1"))), ""), "")
		for _, bad := range []string{"<script", "<img", "<svg", `="javascript:`, "<!--"} {
			if strings.Contains(content, bad) {
				t.Errorf("%q gets through: %s", text, content)
			}
		}
		if !strings.Contains(html.UnescapeString(content), "<bdi>"+w.entry("d1").Name+"</bdi></h1>") {
			t.Errorf("%q is not shown as it is: %s", text, content)
		}
	}
}

func TestEventsAreReadWithoutTheScript(t *testing.T) {
	w := newWorld(t, "Hill")
	w.options.Site = site.Keep(&site.Site{Events: []site.Event{{
		Title: "A <workshop>", Slug: "a-workshop", Date: "May 7", Links: []site.Link{{Text: "Bad", Href: "javascript:alert(1)"}},
		Agenda: &site.Agenda{Rows: []site.Row{{Topic: "Waves", Speakers: []string{"Ada", "Bob"}, Href: "https://example.org/waves"}, {Topic: "Rocks", Entry: `Rock "images"`}}},
	}}}).Current
	content := contentOf(t, w, "/events")
	expectParts(
		t, content, `<details id="a-workshop"><summary><h2>A &lt;workshop&gt;</h2>`, "May 7", `<a href="/events/a-workshop.ics">Add to calendar</a>`,
		`<td>Waves</td><td></td><td>Ada, Bob<a href="https://example.org/waves">example.org/waves</a></td>`,
		`<td><a href="/resources?searchText=%22Rock%20%20images%20%22">Rocks</a></td>`,
	)
	if strings.Contains(content, "javascript:") {
		t.Errorf("got %s", content)
	}
}

// Which workshops took place is in the document, too, so that the page asks nothing.
func TestEventsSayWhatTookPlace(t *testing.T) {
	w := newWorld(t, "Hill")
	w.options.Site = site.Keep(&site.Site{Events: []site.Event{{Title: "School", Slug: "school"}, {Title: "Other", Slug: "other"}}}).Current
	w.options.Calls = http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/rf/workshops/of-events" {
			http.NotFound(answer, r)
			return
		}
		_, _ = answer.Write([]byte(`[
			{"event": "school", "name": "Day 1", "startsAt": "2026-11-30T09:00:00Z", "entry": {"id": "e1", "name": "<Spikes>", "type": "NOTEBOOK"}},
			{"event": "school", "name": "Day & night", "startsAt": "2026-12-01T09:00:00Z"}]`))
	})
	content := contentOf(t, w, "/events")
	expectParts(
		t, content, `<p>This took place with <a href="/resources/notebooks/e1">&lt;Spikes&gt;</a>, Nov 30, 2026.</p>`,
		`<p>Day &amp; night took place, Dec 1, 2026.</p>`,
	)
	if strings.Count(content, "took place") != 2 {
		t.Errorf("got %s", content)
	}
	if document := w.document("/events"); !strings.Contains(document, `{"request":"/api/v1/rf/workshops/of-events","answer":[{"event":"school"`) {
		t.Errorf("the document doesn't bring the answer: %s", document)
	}
	w.options.Calls = http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) { _, _ = answer.Write([]byte(`{}`)) })
	expectParts(t, contentOf(t, w, "/events"), "School")
}
