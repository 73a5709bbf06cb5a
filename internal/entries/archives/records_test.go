package archives_test

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/archives/archivestest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
)

var item = archivestest.Item{
	Title: "Waves and rocks", Description: "<p>How they meet.</p>", Version: "1", Published: "2024-05-17", Keywords: []string{"waves", "rocks"},
	People: []archives.Person{{Name: "Doe, Jane", ORCID: "0000-0002-1825-0097", Affiliation: "Sea Institute"}},
	Files:  []archivestest.Content{{Path: "data.csv", Data: []byte("1,2,3")}, {Path: "ü #?.txt", Data: []byte("words")}},
}

func find(t *testing.T, all *archivestest.Server, doi string) archives.Record {
	t.Helper()
	record, err := archives.NewRecords(all.Records()).Find(t.Context(), doi)
	if err != nil {
		t.Fatalf("%s: %v", doi, err)
	}
	return record
}

// wantItem checks what every archive says of item, and that the files are what their digests say.
func wantItem(t *testing.T, record archives.Record, license string) {
	t.Helper()
	person := archives.Person{Name: "Doe, Jane", ORCID: "0000-0002-1825-0097", Affiliation: "Sea Institute"}
	if record.Archive == "Figshare" {
		person.Affiliation = ""
	}
	if record.Title != item.Title || strings.TrimSpace(record.Description) != item.Description || record.License != license || record.Published != item.Published ||
		!slices.Equal(record.People, []archives.Person{person}) || !slices.Equal(record.Keywords, item.Keywords) || record.Restricted || record.URL == "" || len(record.Files) != 2 {
		t.Errorf("%+v", record)
	}
	for i, file := range record.Files {
		wantFile(t, file, item.Files[i].Path, string(item.Files[i].Data))
	}
}

func wantFile(t *testing.T, file archives.File, path, content string) {
	t.Helper()
	sum := md5.Sum([]byte(content))
	got := fetch(t, file.URL)
	want := archives.Digest{Algorithm: "md5", Value: hex.EncodeToString(sum[:])}
	if file.Path != path || got != content || file.Size != int64(len(content)) || !file.Comparable || file.Digest != want || file.Note != "" {
		t.Errorf("%+v %q", file, got)
	}
}

func TestRecordsOfZenodoAndInvenioRDM(t *testing.T) {
	each(t, func(w *world) {
		old, concept := w.stand.Add(item, "")
		next := item
		next.Version = "2"
		newest, sameConcept := w.stand.Add(next, old)
		for asked, version := range map[string]string{old: "1", newest: "2", concept: "2"} {
			record, err := archives.NewRecords(w.all.Records()).Find(w.Context(), asked)
			w.must(err)
			wantItem(w.T, record, "CC-BY-4.0")
			if want := map[string]string{"1": old, "2": newest}[version]; record.DOI != want || record.ConceptDOI != concept || sameConcept != concept || record.Version != version {
				w.Errorf("%s: %+v", asked, record)
			}
		}
		hidden := item
		hidden.Restricted = true
		doi, _ := w.stand.Add(hidden, "")
		_, err := archives.NewRecords(w.all.Records()).Find(w.Context(), doi)
		wantFault(w.T, err, fault.Forbidden)
		hidden.Restricted, hidden.Files = false, nil
		doi, _ = w.stand.Add(hidden, "")
		_, err = archives.NewRecords(w.all.Records()).Find(w.Context(), doi)
		wantFault(w.T, err, fault.Invalid)
	})
}

func TestRecordsOfFigshare(t *testing.T) {
	t.Parallel()
	all := archivestest.New(t)
	old := item
	old.License = "CC BY 4.0"
	number, first := all.Figshare.Add(old, -1)
	next := old
	next.License = "GPL 3.0+"
	next.Files = append(slices.Clone(item.Files), archivestest.Content{Path: "link", LinkOnly: true, Elsewhere: "https://example.org/x"})
	_, second := all.Figshare.Add(next, number)
	concept := strings.TrimSuffix(first, ".v1")
	for asked, version := range map[string]string{first: "1", second: "2", concept: "2"} {
		record := find(t, all, asked)
		wantItem(t, record, map[string]string{"1": "CC-BY-4.0", "2": "GPL-3.0-or-later"}[version])
		if want := map[string]string{"1": first, "2": second}[version]; record.DOI != want || record.ConceptDOI != concept || record.Version != version {
			t.Errorf("%s: %+v", asked, record)
		}
	}
	for _, elsewhere := range []string{"https://evil.example/x", "https://figshare.com.evil.example/", "http://ndownloader.figshare.com/files/1", "https://u:p@figshare.com/", "https://ndownloader.figshare.com:8000/", "file:///etc/passwd"} {
		next.Files = append(slices.Clone(item.Files), archivestest.Content{Path: "odd", Elsewhere: elsewhere})
		_, doi := all.Figshare.Add(next, -1)
		if file := find(t, all, doi).Files[2]; file.URL != "" || file.Note == "" {
			t.Errorf("%+v", file)
		}
	}
	next.Files = []archivestest.Content{{Path: "far", Elsewhere: "https://ndownloader.figshare.com/files/1"}}
	_, doi := all.Figshare.Add(next, -1)
	if record := find(t, all, doi); record.Files[0].URL != "https://ndownloader.figshare.com/files/1" {
		t.Errorf("%+v", record)
	}
	next.Files, next.Restricted = item.Files, true
	_, doi = all.Figshare.Add(next, -1)
	_, err := archives.NewRecords(all.Records()).Find(t.Context(), doi)
	wantFault(t, err, fault.Forbidden)
}

func TestRecordsOfDataverse(t *testing.T) {
	t.Parallel()
	all := archivestest.New(t)
	plain := item
	plain.DOI, plain.License, plain.Version = "10.7910/DVN/ABC", "CC0 1.0", "2.1"
	all.Dataverse.Add(plain)
	record := find(t, all, plain.DOI)
	wantItem(t, record, "CC0-1.0")
	if record.DOI != plain.DOI || record.ConceptDOI != "" || record.Version != "2.1" {
		t.Errorf("%+v", record)
	}

	odd := plain
	odd.DOI = "10.7910/DVN/ODD"
	odd.Files = []archivestest.Content{
		{Path: "raw/table.tab", Original: "table.csv", Data: []byte("a,b\n1,2\n"), DOI: "10.7910/DVN/ODD/F1"},
		{Path: "raw/table.csv", Data: []byte("another")},
		{Path: "secret.txt", Data: []byte("x"), Restricted: true},
		{Path: "later.txt", Data: []byte("x"), Embargo: "2030-01-01"},
		{Path: "past.txt", Data: []byte("x"), Embargo: "2026-01-01"},
	}
	all.Dataverse.Add(odd)
	options := all.Records()
	options.Now = func() time.Time { return time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC) }
	record, err := archives.NewRecords(options).Find(t.Context(), odd.DOI)
	if err != nil || !record.Restricted || len(record.Files) != 5 {
		t.Fatalf("%+v %v", record, err)
	}
	table := record.Files[0]
	if table.Path != "raw/table.csv" || table.Comparable || table.Digest != (archives.Digest{}) || table.Size != 8 || table.Note == "" || fetch(t, table.URL) != "a,b\n1,2\n" {
		t.Errorf("%+v", table)
	}
	wantFile(t, record.Files[1], "raw/table-2.csv", "another")
	for i, hidden := range []bool{true, true, false} {
		if file := record.Files[2+i]; (file.URL == "") != hidden || (file.Note != "") != hidden {
			t.Errorf("%+v", file)
		}
	}
	file := find(t, all, "10.7910/DVN/ODD/F1")
	if file.DOI != "10.7910/DVN/ODD/F1" || file.ConceptDOI != odd.DOI || file.Title != item.Title || len(file.Files) != 1 || file.Files[0].URL != table.URL {
		t.Errorf("%+v", file)
	}
	odd.DOI, odd.Files = "10.7910/DVN/SECRET", odd.Files[2:3]
	all.Dataverse.Add(odd)
	_, err = archives.NewRecords(all.Records()).Find(t.Context(), odd.DOI)
	wantFault(t, err, fault.Forbidden)
}

func TestManyFilesAreListedAndTooManyRefused(t *testing.T) {
	t.Parallel()
	all := archivestest.New(t)
	many := item
	for count, doi := range map[int]string{500: "10.7910/DVN/500", 1_201: "10.7910/DVN/1201", archives.MostFiles: "10.7910/DVN/MOST", archives.MostFiles + 1: "10.7910/DVN/OVER"} {
		many.DOI, many.Files = doi, make([]archivestest.Content, count)
		for i := range many.Files {
			many.Files[i].Path = fmt.Sprintf("f%d", i)
		}
		all.Dataverse.Add(many)
		record, err := archives.NewRecords(all.Records()).Find(t.Context(), doi)
		if count > archives.MostFiles {
			wantFault(t, err, fault.TooLarge)
			continue
		}
		if err != nil || len(record.Files) != count || record.Files[count-1].Path != many.Files[count-1].Path {
			t.Errorf("%d of %d files: %v", len(record.Files), count, err)
		}
	}
}

func TestPathsStayInTheirFolder(t *testing.T) {
	t.Parallel()
	all := archivestest.New(t)
	odd := item
	odd.DOI, odd.Files = "10.7910/DVN/PATHS", nil
	for _, path := range []string{"../../etc/passwd", "/etc/passwd", `..\..\x`, "a/./b", "a\x00b\u202e", strings.Repeat("é", 200), ".", "A/B", "etc/PASSWD"} {
		odd.Files = append(odd.Files, archivestest.Content{Path: path, Data: []byte("x")})
	}
	all.Dataverse.Add(odd)
	seen := map[string]bool{}
	for _, file := range find(t, all, odd.DOI).Files {
		if !fs.ValidPath(file.Path) || file.Path == "." || strings.ContainsAny(file.Path, "\\\x00\u202e") || len(file.Path) > 260 || seen[strings.ToLower(file.Path)] {
			t.Errorf("%q", file.Path)
		}
		seen[strings.ToLower(file.Path)] = true
	}
}

func TestFormsOfDOIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"10.5281/zenodo.1": "10.5281/zenodo.1", " doi:10.5281/zenodo.1 ": "10.5281/zenodo.1", "DOI: 10.5281/zenodo.1": "10.5281/zenodo.1",
		"https://doi.org/10.5281/zenodo.1": "10.5281/zenodo.1", "http://dx.doi.org/10.5281/zenodo.1": "10.5281/zenodo.1", "doi.org/10.5281/zenodo.1": "10.5281/zenodo.1",
		"10.5281%2Fzenodo.1": "10.5281/zenodo.1", "https://www.doi.org/10.7910%2fDVN%2FABC": "10.7910/DVN/ABC", "doi%3A10.7910/DVN/ABC": "10.7910/DVN/ABC",
		"10.1002/(SICI)1096(1996)1:1<1::AID-X>3.0": "", "10.1234/100%": "10.1234/100%", "": "", "hello": "", "10.5281": "", "10.1/x": "", "https://zenodo.org/records/1": "",
		"10.1234/../../x": "", "10.1234/a/./b": "", "10.1234/a b": "", "10.1234/a%00b": "", "10.1234/a\u202eb": "", "10.1234/" + strings.Repeat("x", 200): "",
	} {
		if got := archives.ParseDOI(text); got != want {
			t.Errorf("%q is %q", text, got)
		}
	}
	all := archivestest.New(t)
	doi, _ := all.Zenodo.Add(item, "")
	for _, form := range []string{"doi:" + doi, "https://doi.org/" + doi, url.PathEscape(doi), strings.ToUpper(doi)} {
		if record := find(t, all, form); record.DOI != doi {
			t.Errorf("%s: %+v", form, record)
		}
	}
}

func TestOtherDOIsSayWhy(t *testing.T) {
	t.Parallel()
	all := archivestest.New(t)
	records := archives.NewRecords(all.Records())
	all.DOI.Set("10.1234/elsewhere", other(t).URL+"/records/1")
	all.DOI.Set("10.1234/nowhere", "mailto:jane@example.org")
	all.DOI.Set("10.1234/gone", all.Zenodo.URL()+"/records/77")
	existing, _ := all.Zenodo.Add(item, "")
	all.DOI.Set("10.1234/wrong", all.Zenodo.URL()+"/records/"+existing[len("10.5281/zenodo."):])
	all.DOI.Set("10.1234/path", all.Zenodo.URL()+"/records/..%2f..%2fadmin")
	for doi, want := range map[string]fault.Class{
		"nonsense": fault.Invalid, "10.1234/unknown": fault.NotFound, "10.1234/elsewhere": fault.Invalid, "10.1234/nowhere": fault.Invalid, "10.1234/gone": fault.NotFound,
		"10.1234/wrong": fault.BadUpstream, "10.1234/path": fault.NotFound,
	} {
		_, err := records.Find(t.Context(), doi)
		wantFault(t, err, want)
	}
}

// TestSSRFNoDOILeadsIntoAPrivateNetwork: neither as an unknown host, nor by the name of a known one, nor by a redirect.
func TestSSRFNoDOILeadsIntoAPrivateNetwork(t *testing.T) {
	t.Parallel()
	all := archivestest.New(t)
	inside := other(t)
	resolver, err := url.Parse(all.DOI.URL())
	if err != nil {
		t.Fatal(err)
	}
	options := all.Records()
	options.Client = safehttp.New(safehttp.Options{}).Trusting(resolver)
	hidden := strings.Replace(inside.URL, "http:", "https:", 1)
	options.DataverseURLs = []string{hidden}
	all.DOI.Set("10.1234/known", hidden+"/citation?persistentId=doi:10.1234/known")
	all.DOI.Set("10.1234/metadata", "http://169.254.169.254/latest/meta-data")
	all.DOI.Set("10.1234/local", "http://localhost:8080/admin")
	for _, doi := range []string{"10.1234/known", "10.1234/metadata", "10.1234/local"} {
		_, err := archives.NewRecords(options).Find(t.Context(), doi)
		wantFault(t, err, fault.Invalid)
	}
	all.DOI.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, inside.URL, http.StatusFound)
		return true
	})
	_, err = archives.NewRecords(options).Find(t.Context(), "10.1234/known")
	wantFault(t, err, fault.Invalid)
}

func TestUnreadableRecordsAreRefused(t *testing.T) {
	t.Parallel()
	all := archivestest.New(t)
	doi, _ := all.Zenodo.Add(item, "")
	invenio, _ := all.InvenioRDM.Add(item, "")
	_, article := all.Figshare.Add(item, -1)
	dataset := item
	dataset.DOI = "10.7910/DVN/ABC"
	all.Dataverse.Add(dataset)
	lying := all.Zenodo.URL()
	for _, one := range []interface {
		Disturb(answer func(http.ResponseWriter, *http.Request) bool)
		Limit(calls int)
	}{all.Zenodo, all.InvenioRDM, all.Figshare, all.Dataverse, all.DOI} {
		for text, want := range map[string]fault.Class{
			"<html>": fault.BadUpstream, "": fault.BadUpstream, `{"metadata": 1, "title": 1, "data": 1, "values": 1}`: fault.BadUpstream, strings.Repeat(" ", 33<<20): fault.TooLarge,
		} {
			one.Disturb(func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, text); return true })
			wantFault(t, findAny(t, all, one, doi, invenio, article, dataset.DOI), want)
		}
		one.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, lying+"/elsewhere", http.StatusFound)
			return r.URL.Path != "/elsewhere"
		})
		if one != all.Zenodo {
			wantFault(t, findAny(t, all, one, doi, invenio, article, dataset.DOI), fault.BadUpstream)
		}
		one.Disturb(nil)
		one.Limit(1)
		if found := wantFault(t, findAny(t, all, one, doi, invenio, article, dataset.DOI), fault.Unavailable); found.RetryAfter != 7*time.Second {
			t.Errorf("%s", found.RetryAfter)
		}
	}
}

// findAny looks for the record that a stand-in has.
func findAny(t *testing.T, all *archivestest.Server, at any, zenodo, invenio, figshare, dataverse string) error {
	t.Helper()
	doi := map[any]string{all.Zenodo: zenodo, all.InvenioRDM: invenio, all.Figshare: figshare, all.Dataverse: dataverse, all.DOI: zenodo}[at]
	_, err := archives.NewRecords(all.Records()).Find(t.Context(), doi)
	return err
}

func TestKnownInstallationsAreAddresses(t *testing.T) {
	t.Parallel()
	client := safehttp.New(safehttp.Options{})
	for _, address := range archives.DataverseInstallations {
		if err := client.Check(address); err != nil || strings.HasSuffix(address, "/") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if !slices.IsSorted(archives.DataverseInstallations) || len(slices.Compact(slices.Clone(archives.DataverseInstallations))) != len(archives.DataverseInstallations) {
		t.Error("they aren't in order")
	}
}
