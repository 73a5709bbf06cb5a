package fair

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

var testTime = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

type harvested struct {
	Date   time.Time `xml:"responseDate"`
	Errors []struct {
		Code string `xml:"code,attr"`
	} `xml:"error"`
	Records []struct {
		Header struct {
			Status     string `xml:"status,attr"`
			Identifier string `xml:"identifier"`
			Stamp      string `xml:"datestamp"`
		} `xml:"header"`
		Metadata struct {
			Content string `xml:",innerxml"`
		} `xml:"metadata"`
	} `xml:"ListRecords>record"`
	Token string `xml:"ListRecords>resumptionToken"`
}

func (w *world) harvested(query string) (found harvested) {
	w.t.Helper()
	text := w.oai(query)
	if err := xml.Unmarshal([]byte(text), &found); err != nil {
		w.t.Fatal(err, text)
	}
	return found
}

func datasets(from, to int) (list []catalog.Entry) {
	for i := from; i < to; i++ {
		list = append(list, catalog.Entry{
			ExternalID: fmt.Sprint("e", i), Type: catalog.Dataset, Name: fmt.Sprint("Entry ", i), Privacy: catalog.PrivacyPublic, Authors: []string{ada}, DatasetURL: "x",
		})
	}
	return list
}

func TestMistakesOfHarvesters(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	list := "verb=ListRecords&metadataPrefix=oai_dc"
	id := url.QueryEscape(w.oaiPrefix() + w.id("d1"))
	for query, want := range map[string]string{
		"": "badVerb", "verb=": "badVerb", "verb=x": "badVerb", "verb=Identify&verb=Identify": "badVerb", "verb=Identify&a=b": "badArgument",
		"verb=ListRecords": "badArgument", list + "&metadataPrefix=oai_dc": "badArgument", "verb=ListRecords&metadataPrefix=mods": "cannotDisseminateFormat",
		list + "&from=2026": "badArgument", list + "&from=2026-02-30": "badArgument", list + "&from=2026-01-01&until=2026-01-02T00:00:00Z": "badArgument",
		list + "&from=2026-01-02&until=2026-01-01": "badArgument", list + "&from=2999-01-01": "noRecordsMatch", list + "&until=1999-01-01": "noRecordsMatch",
		list + "&set=none": "noRecordsMatch", list + "&resumptionToken=x": "badArgument", "verb=ListRecords&resumptionToken=x": "badResumptionToken",
		"verb=ListRecords&resumptionToken=": "badResumptionToken", "verb=ListSets&resumptionToken=x": "badResumptionToken",
		"verb=GetRecord&metadataPrefix=oai_dc": "badArgument", "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:x:y": "idDoesNotExist",
		"verb=GetRecord&metadataPrefix=none&identifier=" + id: "cannotDisseminateFormat", "verb=ListMetadataFormats&identifier=%00%ff": "idDoesNotExist",
		"verb=GetRecord&metadataPrefix=oai_dc&identifier=" + url.QueryEscape(w.oaiPrefix()+w.id("secret")):                                        "idDoesNotExist",
		"verb=ListRecords&resumptionToken=" + (oaiPlace{Verb: "ListRecords", Prefix: "oai_dc", ID: "x", Stamp: 1}).token("https://other.example"): "badResumptionToken",
		"verb=ListRecords&resumptionToken=" + (oaiPlace{Verb: "ListIdentifiers", Prefix: "oai_dc", ID: "x", Stamp: 1}).token(public):              "badResumptionToken",
	} {
		found := w.harvested(query)
		if len(found.Errors) != 1 || found.Errors[0].Code != want {
			t.Errorf("%s: %v, want %s", query, found.Errors, want)
		}
	}
}

func TestVerbsAnswer(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, described()...)
	id := w.oaiPrefix() + w.id("d1")
	expect(t, w.oai("verb=Identify"), "<baseURL>"+public+"/oai</baseURL>", "<adminEmail>admin@example.org</adminEmail>", "<deletedRecord>persistent</deletedRecord>")
	expect(t, w.oai("verb=ListSets"), "<setSpec>datasets</setSpec>", "<setSpec>notebooks</setSpec>")
	expect(t, w.oai("verb=ListMetadataFormats&identifier="+id), "<metadataPrefix>oai_dc</metadataPrefix>", "<metadataPrefix>oai_datacite</metadataPrefix>")
	expect(
		t, w.oai("verb=GetRecord&metadataPrefix=oai_dc&identifier="+id), "<dc:title>Spikes &lt;1&gt; &amp; &#34;2&#34;</dc:title>", "<dc:creator>Lovelace, Ada</dc:creator>",
		"<dc:identifier>"+public+"/resources/datasets/"+w.id("d1")+"</dc:identifier>", "<dc:rights>https://spdx.org/licenses/CC-BY-4.0</dc:rights>",
	)
	if only := w.oai("verb=ListIdentifiers&metadataPrefix=oai_dc&set=notebooks"); strings.Count(only, "<header>") != 1 {
		t.Errorf("got %s", only)
	}
	post := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, HarvestPath, strings.NewReader("verb=Identify"))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w.ServeHarvest(post, request)
	expect(t, post.Body.String(), "<Identify>")
	w.options.AdminEmail = ""
	off := httptest.NewRecorder()
	if w.ServeHarvest(off, request); off.Code != http.StatusNotFound {
		t.Errorf("without an address: %d", off.Code)
	}
}

func TestHarvestMissesNothingThatStays(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, datasets(0, 250)...)
		seen := map[string]int{}
		query, pages := "verb=ListRecords&metadataPrefix=oai_dc", 0
		for query != "" {
			found := w.harvested(query)
			for _, one := range found.Records {
				seen[one.Header.Identifier]++
			}
			if pages++; pages == 1 { // some were read already, some weren't
				w.write(datasets(0, 20)...)
				w.write(datasets(200, 220)...)
				w.write(datasets(250, 260)...)
			}
			if query = ""; found.Token != "" {
				query = "verb=ListRecords&resumptionToken=" + found.Token
			}
		}
		for i := range 260 {
			times := seen[w.oaiPrefix()+w.id(fmt.Sprint("e", i))]
			if changed := i < 20 || i >= 200 && i < 220; times == 0 || times > 1 && !changed {
				t.Errorf("entry %d came %d times", i, times)
			}
		}
		if pages < 3 {
			t.Errorf("%d pages", pages)
		}
	})
}

// TestListsAreDatedByTheirCatalog turns the clock of the answers back: what they list, and what comes after it, has the
// stamps of the catalog.
func TestListsAreDatedByTheirCatalog(t *testing.T) {
	t.Parallel()
	w := onSQLite(t, datasets(0, 1)...)
	w.now = time.Now().Add(-48 * time.Hour)
	for _, verb := range []string{"ListRecords", "ListIdentifiers"} {
		last := w.harvested("verb=" + verb + "&metadataPrefix=oai_dc").Date
		if !last.After(w.now.Add(47 * time.Hour)) {
			t.Errorf("%s is of %v", verb, last)
		}
		w.write(datasets(0, 1)...)
		if later := w.harvested("verb=ListRecords&metadataPrefix=oai_dc&from=" + last.Format(oaiTime)); len(later.Records) != 1 {
			t.Errorf("what changed after %v is missing: %v", last, later)
		}
	}
}

func TestWhatWasPublicStaysAsDeleted(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		never := datasets(9, 10)
		never[0].Privacy = catalog.PrivacyPrivate
		w := newWorld(t, db, append(datasets(0, 5), never...)...)
		hidden, deleted, erased := w.id("e1"), w.id("e2"), w.id("e4")
		private := datasets(3, 4)
		private[0].Privacy = catalog.PrivacyPrivate
		for _, id := range []string{hidden, erased} {
			if _, err := w.store.Curate(t.Context(), id, catalog.Curation{Hidden: new(true), Reason: "x"}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.store.Delete(t.Context(), deleted); err != nil {
			t.Fatal(err)
		}
		if _, err := w.store.Erase(t.Context(), erased); err != nil {
			t.Fatal(err)
		}
		w.write(private...)
		state := func() (gone []string) {
			for _, one := range w.harvested("verb=ListRecords&metadataPrefix=oai_dc").Records {
				if one.Header.Status == "deleted" {
					gone = append(gone, strings.TrimPrefix(one.Header.Identifier, w.oaiPrefix()))
					if one.Metadata.Content != "" {
						t.Errorf("a deleted record says %s", one.Metadata.Content)
					}
				}
				if strings.HasSuffix(one.Header.Identifier, w.id("e9")) {
					t.Error("an entry that never was public appears")
				}
			}
			slices.Sort(gone)
			return gone
		}
		want := []string{hidden, deleted, w.id("e3"), erased}
		slices.Sort(want)
		if got := state(); !slices.Equal(got, want) {
			t.Errorf("gone are %v, want %v", got, want)
		}
		if _, err := w.store.Curate(t.Context(), hidden, catalog.Curation{Hidden: new(false)}); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(state(), hidden) {
			t.Error("what is shown again stays deleted")
		}
	})
}
