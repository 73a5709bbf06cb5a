package contribute_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/archives/archivestest"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

var waves = archivestest.Item{
	Title: "Waves and rocks", Description: "<p>How they <b>meet</b> &amp; part.</p><script>alert(1)</script><p>Often.</p>", Version: "1", Published: "2024-05-17",
	Keywords: []string{"waves", "rocks"}, People: []archives.Person{{Name: "Doe, Jane", ORCID: "0000-0002-1825-0097", Affiliation: "Sea Institute"}},
	Files: []archivestest.Content{{Path: "data.csv", Data: []byte("1,2,3")}, {Path: "words.txt", Data: []byte("words")}},
}

// withArchives answers for DOIs from stand-ins.
func (w *world) withArchives(change ...func(*archives.RecordsOptions)) *archivestest.Server {
	w.T.Helper()
	all := archivestest.New(w.T)
	options := all.Records()
	for _, alter := range change {
		alter(&options)
	}
	w.contribute = contribute.NewService(contribute.Dependencies{
		Entries: w.Service, Hosts: codehost.NewHosts(nil, nil), DescriptorNames: []string{"cairn.yml"},
		Sources: contribute.Sources{Archives: archives.NewRecent(archives.NewRecords(options)), Data: w.Store},
	})
	w.Mount(w.contribute)
	return all
}

// lookUp asks what is behind a DOI.
func (w *world) lookUp(doi string, status int) (found contribute.ArchivedRecord) {
	w.T.Helper()
	w.Ask(catalogtest.Ada, http.MethodGet, "/sources/doi/"+doi, status, &found)
	return found
}

// post adds an entry with a source.
func (w *world) post(email, body string, status int, result any) {
	w.T.Helper()
	w.Send(email, http.MethodPost, "/resources", body, status, result)
}

func TestWhatIsBehindADOI(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	all := w.withArchives()
	zenodo, concept := all.Zenodo.Add(waves, "")
	invenio, _ := all.InvenioRDM.Add(waves, "")
	item := waves
	item.License = "CC BY 4.0"
	_, figshare := all.Figshare.Add(item, -1)
	item.DOI = "10.7910/DVN/ABC"
	item.Files = append(slices.Clone(item.Files), archivestest.Content{Path: "t.tab", Original: "t.csv", Data: []byte("12")}, archivestest.Content{Path: "secret", Data: []byte("x"), Restricted: true})
	all.Dataverse.Add(item)
	for doi, archive := range map[string]string{zenodo: "Zenodo", invenio: "The inveniordm", figshare: "Figshare", item.DOI: "127.0.0.1"} {
		for _, form := range []string{doi, url.PathEscape(doi), url.PathEscape("doi:" + doi), url.PathEscape("https://doi.org/" + doi), doi + "/", strings.ToUpper(doi)} {
			found := w.lookUp(form, http.StatusOK)
			person := found.People[0]
			if !strings.EqualFold(found.DOI, doi) || found.Title != waves.Title || found.Description != "How they meet & part.\n\nOften." || found.License != "CC-BY-4.0" ||
				person.Name != "Jane Doe" || person.ORCID != "0000-0002-1825-0097" || found.Published != "2024-05-17" || !slices.Equal(found.Keywords, waves.Keywords) ||
				!strings.HasPrefix(found.Archive, archive) || found.URL == "" || found.Entry != nil || len(found.Files) < 2 {
				t.Errorf("%s: %+v", form, found)
			}
			file := found.Files[0]
			if file.Path != "data.csv" || *file.Bytes != 5 || !strings.HasPrefix(file.Digest, "md5:") || !file.Comparable || !file.Fetched {
				t.Errorf("%s: %+v", form, file)
			}
		}
	}
	found := w.lookUp(item.DOI, http.StatusOK)
	table, secret := found.Files[2], found.Files[3]
	if table.Path != "t.csv" || table.Comparable || table.Digest != "" || table.Note == "" || !table.Fetched || secret.Fetched || secret.Note == "" || !found.Restricted || found.Bytes != 12 {
		t.Errorf("%+v", found)
	}
	if found := w.lookUp(concept, http.StatusOK); found.DOI != zenodo || found.ConceptDOI != concept {
		t.Errorf("%+v", found)
	}
}

func TestDOIsThatLeadToNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	all := w.withArchives(func(options *archives.RecordsOptions) {
		options.DataverseURLs = append(options.DataverseURLs, "https://10.0.0.1")
	})
	hidden := waves
	hidden.Restricted = true
	restricted, _ := all.Zenodo.Add(hidden, "")
	many := waves
	many.DOI, many.Files = "10.7910/DVN/MANY", make([]archivestest.Content, archives.MostFiles+1)
	for i := range many.Files {
		many.Files[i].Path = fmt.Sprint(i)
	}
	all.Dataverse.Add(many)
	all.DOI.Set("10.1234/inside", "https://10.0.0.1/dataset.xhtml?persistentId=doi:10.1234/inside")
	all.DOI.Set("10.1234/metadata", "http://169.254.169.254/latest/meta-data")
	all.DOI.Set("10.1234/elsewhere", "https://data.example.org/1")
	for doi, status := range map[string]int{
		"nonsense": 422, "10.1234/none": 404, "10.1234/inside": 422, "10.1234/metadata": 422, "10.1234/elsewhere": 422, restricted: 403, many.DOI: 413, "10.1234/../x": 422,
	} {
		w.lookUp(url.PathEscape(doi), status)
		w.post(catalogtest.Ada, `{"type":"DATASET","source":"`+doi+`"}`, status, nil)
	}
	all.DOI.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		return true
	})
	w.lookUp("10.1234/redirected", http.StatusUnprocessableEntity)
	w.Ask("", http.MethodGet, "/sources/doi/10.1234%2Fx", http.StatusUnauthorized, nil)
	if got := w.Find(catalogtest.Ada, catalog.Query{}).Total; got != 0 {
		t.Errorf("%d entries were made", got)
	}
}

func TestADatasetIsAddedByItsDOI(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	all := w.withArchives()
	old, concept := all.Zenodo.Add(waves, "")
	next := waves
	next.Version = "2"
	newest, _ := all.Zenodo.Add(next, old)
	var made catalog.Resource
	w.post(catalogtest.Ada, `{"type":"DATASET","source":"https://doi.org/`+concept+`"}`, http.StatusCreated, &made)
	tags := []string{}
	for _, tag := range made.Tags {
		tags = append(tags, tag.Value)
	}
	if made.DatasetURL != "doi:"+newest || made.DOI != newest || made.Name != waves.Title || made.Description != "How they meet & part.\n\nOften." || made.Version != "2" ||
		made.License != "CC-BY-4.0" || !slices.Equal(tags, []string{"rocks", "waves"}) || len(made.People) != 1 || made.People[0].Name != "Jane Doe" ||
		made.People[0].Affiliation.Name != "Sea Institute" || made.Authors[0] != catalogtest.Ada {
		t.Errorf("%+v", made)
	}
	if entry := w.lookUp(concept, http.StatusOK).Entry; entry == nil || entry.ID != made.ID || entry.Name != made.Name || entry.Link != "/resources/datasets/"+made.ID {
		t.Errorf("%+v", entry)
	}
	var refused struct{ Code, Link string }
	for _, body := range []string{
		`{"type":"DATASET","source":"doi:` + newest + `","name":"Mine"}`, `{"type":"DATASET","name":"Mine","datasetUrl":"https://doi.org/` + strings.ToUpper(newest) + `"}`,
		`{"type":"DATASET","name":"Mine","datasetUrl":"` + concept + `"}`,
	} {
		w.post(catalogtest.Bob, body, http.StatusConflict, &refused)
		if refused.Code != "entry_exists" || refused.Link != "/resources/datasets/"+made.ID {
			t.Errorf("%s: %+v", body, refused)
		}
	}
	// What is said isn't replaced, but for the DOI of all versions.
	w.post(catalogtest.Bob, `{"type":"DATASET","source":"`+old+`","name":"Old waves","description":"","tags":[],"people":[],"license":"","version":"one","doi":"`+concept+`","privacy":"PRIVATE"}`,
		http.StatusCreated, &made)
	if made.Name != "Old waves" || made.Description != "" || len(made.Tags) != 0 || made.License != "" || made.Version != "one" || made.DOI != old || made.DatasetURL != "doi:"+old {
		t.Errorf("%+v", made)
	}
	if entry := w.lookUp(old, http.StatusOK).Entry; entry != nil {
		t.Errorf("a private entry is shown: %+v", entry)
	}
	// What somebody keeps to themselves stops nobody else.
	w.post(catalogtest.Ada, `{"type":"DATASET","source":"`+old+`"}`, http.StatusCreated, nil)
	w.post(catalogtest.Bob, `{"type":"DATASET","source":"`+old+`"}`, http.StatusConflict, nil)
}

func TestADOIInTheFieldOfTheAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("old", func(r *catalog.Entry) { r.DatasetURL = "https://doi.org/10.5281/Zenodo.1002" }))
	all := w.withArchives()
	first, _ := all.Zenodo.Add(waves, "")
	second, _ := all.Zenodo.Add(waves, "")
	w.post(catalogtest.Bob, `{"type":"DATASET","name":"x","datasetUrl":"https://doi.org/`+first+`"}`, http.StatusConflict, nil)
	for _, typed := range []string{second, "doi:" + second, "https://doi.org/" + second} {
		var made catalog.Resource
		w.post(catalogtest.Bob, `{"type":"DATASET","name":"Typed","description":"","datasetUrl":"`+typed+`"}`, http.StatusCreated, &made)
		if made.DatasetURL != "doi:"+second || made.DOI != second || made.Description != "" || made.License != "CC-BY-4.0" {
			t.Errorf("%+v", made)
		}
		w.Send(catalogtest.Bob, http.MethodDelete, "/resources/"+made.ID, "", http.StatusOK, nil)
	}
	all.DOI.Set("10.1234/elsewhere", "https://data.example.org/1")
	var made catalog.Resource
	w.post(catalogtest.Bob, `{"type":"DATASET","name":"Page","datasetUrl":"https://doi.org/10.1234/elsewhere"}`, http.StatusCreated, &made)
	if made.DatasetURL != "https://doi.org/10.1234/elsewhere" || made.DOI != "" {
		t.Errorf("%+v", made)
	}
	w.post(catalogtest.Bob, `{"type":"DATASET","name":"Page","datasetUrl":"doi:10.1234/elsewhere"}`, http.StatusUnprocessableEntity, nil)
	change := func(address string, status int) {
		t.Helper()
		body := fmt.Sprintf(`{"datasetUrl":%q,"updatedAt":%q}`, address, made.UpdatedAt.Format(time.RFC3339Nano))
		if status != http.StatusOK {
			w.Send(catalogtest.Bob, http.MethodPatch, "/resources/"+made.ID, body, status, nil)
			return
		}
		var after catalog.Resource
		w.Send(catalogtest.Bob, http.MethodPatch, "/resources/"+made.ID, body, status, &after)
		made = after
	}
	change(second, http.StatusOK)
	if made.DatasetURL != "doi:"+second || made.DOI != "" || made.Name != "Page" {
		t.Errorf("%+v", made)
	}
	change("10.1234/none", http.StatusNotFound)
	change("doi:"+second, http.StatusOK)
	all.DOI.Disturb(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true })
	change("doi:"+second, http.StatusOK) // what stays isn't looked up
}

func TestOnlyDatasetsAndRepositoriesHaveSources(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	all := w.withArchives()
	doi, _ := all.Zenodo.Add(waves, "")
	w.post(catalogtest.Ada, `{"type":"REPOSITORY","source":"`+doi+`"}`, http.StatusServiceUnavailable, nil) // nothing is kept here
	for _, kind := range []string{"NOTEBOOK", "MODEL"} {
		var problem refused
		w.post(catalogtest.Ada, `{"type":"`+kind+`","source":"`+doi+`"}`, http.StatusUnprocessableEntity, &problem)
		if got := problem.locations(); got != "body.source" {
			t.Errorf("%s: %s", kind, got)
		}
	}
	var problem refused
	w.post(catalogtest.Ada, `{"type":"DATASET","source":"`+doi+`","datasetUrl":"https://example.org/x"}`, http.StatusUnprocessableEntity, &problem)
	if got := problem.locations(); got != "body.datasetUrl" {
		t.Errorf("%s", got)
	}
	w.readFrom(codehost.NewHosts(nil, nil)) // without archives
	w.lookUp(doi, http.StatusServiceUnavailable)
	w.post(catalogtest.Ada, `{"type":"DATASET","name":"x","datasetUrl":"doi:10.1234/x"}`, http.StatusServiceUnavailable, nil)
	w.post(catalogtest.Ada, `{"type":"DATASET","name":"x","datasetUrl":"https://doi.org/10.1234/x"}`, http.StatusCreated, nil)
}

func TestLookupsOfAnAccountAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	all := w.withArchives(func(options *archives.RecordsOptions) { options.Client = safehttp.New(safehttp.Options{}) })
	for range 30 {
		w.lookUp("10.1234%2Fx", http.StatusUnprocessableEntity)
	}
	w.lookUp("10.1234%2Fx", http.StatusTooManyRequests)
	w.Ask(catalogtest.Bob, http.MethodGet, "/sources/doi/10.1234%2Fx", http.StatusUnprocessableEntity, nil)
	if calls := all.DOI.Calls(); len(calls) > 0 {
		t.Errorf("%q", calls)
	}
}
