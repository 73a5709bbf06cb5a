package page

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/site/page/pagetest"
)

var firstDataScript = regexp.MustCompile(`(?s)<script type="application/json" id="first-data">(.*?)</script>`)

// firstDataOf returns the data in the document at an address; false when there is none.
func firstDataOf(t *testing.T, w *world, address string) (request string, answer catalog.ResourcePage, ok bool) {
	t.Helper()
	document := w.document(address)
	found := firstDataScript.FindStringSubmatch(document)
	if found == nil {
		if strings.Contains(document, "first-data") {
			t.Errorf("%s: a broken block: %s", address, document)
		}
		return "", answer, false
	}
	var data firstData
	if err := errors.Join(json.Unmarshal([]byte(found[1]), &data), json.Unmarshal(data.Answer, &answer)); err != nil {
		t.Fatalf("%s: %v in %s", address, err, found[1])
	}
	return data.Request, answer, true
}

func TestDocumentBringsTheFirstAnswer(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	const catalogCall = "/api/v1/rf/resources/public?facets=types%2Ctags%2Cruns&"
	const page0 = "pageNumber=0&pageSize=100"
	for address, want := range map[string]string{
		"/":           "/api/v1/rf/resources/landing",
		"/resources":  catalogCall + page0 + "&sort=used&view=card",
		"/resources/": catalogCall + page0 + "&sort=used&view=card",
		"/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL": catalogCall + page0 + "&sort=used&type=REPOSITORY%2CNOTEBOOK%2CDATASET%2CMODEL&view=card",
		"/resources?resourceTypes=DATASET,SPELL,,DATASET":            catalogCall + page0 + "&sort=used&type=DATASET&view=card",
		"/resources?resourceTypes=SPELL":                             catalogCall + page0 + "&sort=used&view=card",
		"/resources?tags=a,b,a,+,c%5C,d&sort=stars":                  catalogCall + page0 + "&sort=stars&tag=a&tag=b&tag=c%5C%2Cd&view=card",
		"/resources?searchText=two+words&sort=colour":                catalogCall + "highlight=true&nameSearch=two+words&" + page0 + "&view=card",
		"/resources?page=3":                                          catalogCall + "pageNumber=2&pageSize=100&sort=used&view=card",
		"/resources?page=-3":                                         catalogCall + page0 + "&sort=used&view=card",
		"/resources/datasets":                                        "/api/v1/rf/resources?" + page0 + "&sort=used&type=DATASET&view=card",
		"/resources/models/?searchText=x&page=2&tags=a":              "/api/v1/rf/resources?highlight=true&nameSearch=x&pageNumber=1&pageSize=100&type=MODEL&view=card",
	} {
		request, _, ok := firstDataOf(t, w, address)
		if !ok || request != want {
			t.Errorf("%s:\ngot  %q\nwant %q", address, request, want)
		}
	}
	for _, address := range []string{"/events", "/resources/starred", "/login", "/nowhere", "/resources/datasets/search", "/resources/models/x"} {
		if request, _, ok := firstDataOf(t, w, address); ok {
			t.Errorf("%s brings %s", address, request)
		}
	}
}

func TestFirstAnswerIsAnonymous(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	_, answer, ok := firstDataOf(t, w, "/resources")
	if !ok || answer.TotalElements != 1 || answer.Content[0].Name != "Spikes" || answer.Facets == nil || answer.Content[0].Starred != nil {
		t.Errorf("got %v %+v", ok, answer)
	}
}

// What the API refuses is left to the page, which asks again and says what is wrong.
func TestRefusedFirstRequestsAreLeftOut(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	for _, query := range []string{
		"?page=99999999", "?searchText=" + strings.Repeat("a", 1001), "?tags=" + "a" + manyTags(31),
	} {
		status, _, _ := w.get("/resources" + query)
		if _, _, ok := firstDataOf(t, w, "/resources"+query); ok || status != http.StatusOK {
			t.Errorf("%.40s: %d, data %v", query, status, ok)
		}
	}
}

func manyTags(count int) string {
	var list strings.Builder
	for i := range count {
		list.WriteString(",t" + string(rune('A'+i)))
	}
	return list.String()
}

// CVE-2018-19351 and similar ones, for the text of entries and addresses.
func TestHostileFirstDataStaysData(t *testing.T) {
	hostile := spikes
	hostile.ExternalID, hostile.Name = "d2", hostileBrand
	w := newWorld(t, hostileBrand, spikes, hush, hostile)
	address := "/resources?searchText=" + url.QueryEscape("</script>")
	document := w.document(address)
	if strings.Contains(document, "<script>") || strings.Count(document, "</script>") != 2 {
		t.Fatalf("got %s", document)
	}
	if _, answer, _ := firstDataOf(t, w, address); answer.TotalElements != 1 || answer.Content[0].Name != "</script><script>alert(1)</script>" {
		t.Errorf("the entry does not survive: %+v", answer)
	}
	document = w.document("/resources/datasets/" + w.entry("d2").ID)
	if strings.Contains(document, "<script>") {
		t.Errorf("the head of an entry: %s", document)
	}
	if !strings.Contains(document, "<title>"+html.EscapeString("</script><script>alert(1)</script> · "+hostileBrand)+"</title>") {
		t.Errorf("the title of an entry: %s", document)
	}
}

func TestTitlesOfTheFirstHTML(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	for path, want := range map[string]string{
		"/": "Hill", "/resources": "Research Catalog · Hill", "/resources/": "Research Catalog · Hill", "/resources/models": "Models · Hill",
		"/events": "Events · Hill", "/resources/starred": "Starred Resources · Hill", "/resources/datasets/x/edit": "Edit the entry · Hill", "/open": "Open a session · Hill", "/nowhere": "Page not found · Hill",
		"/resources/datasets/" + w.entry("d1").ID:     "Spikes · Hill",
		"/resources/datasets/" + w.entry("secret").ID: "Resource not found · Hill",
	} {
		if document := w.document(path); !strings.Contains(document, "<title>"+want+"</title>") {
			t.Errorf("%s: not %q", path, want)
		}
	}
}

func TestDocumentIsCompressedAndValidated(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	plain := pagetest.Get(t, w, "/resources")
	small := pagetest.Get(t, w, "/resources", "Accept-Encoding", "br, gzip")
	reader, err := gzip.NewReader(small.Body)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(reader)
	if err != nil || string(unpacked) != plain.Body.String() || small.Header().Get("Content-Encoding") != "gzip" ||
		plain.Header().Get("Content-Encoding") != "" || small.Header().Get("Vary") != "Accept-Encoding" {
		t.Errorf("%v: %v", err, small.Header())
	}
	tag := plain.Header().Get("ETag")
	if tag == "" || tag != small.Header().Get("ETag") || small.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("tags %q and %q", tag, small.Header().Get("ETag"))
	}
	if again := pagetest.Get(t, w, "/resources", "If-None-Match", tag); again.Code != http.StatusNotModified || again.Body.Len() > 0 ||
		again.Header().Get("Content-Security-Policy") == "" {
		t.Errorf("asked again: %d, %d bytes", again.Code, again.Body.Len())
	}
	if other := pagetest.Get(t, w, "/resources?searchText=none", "If-None-Match", tag); other.Code != http.StatusOK {
		t.Errorf("another address: %d", other.Code)
	}
	if absent := pagetest.Get(t, w, "/nowhere"); absent.Header().Get("ETag") != "" {
		t.Error("a 404 has a tag")
	}
}
