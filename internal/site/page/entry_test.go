package page

import (
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/site/page/pagetest"
)

// entries returns one public entry of each type, a private one, and a dataset with a picture at a web address.
func entries() []catalog.Entry {
	author := []string{"a@example.org"}
	return []catalog.Entry{
		spikes, hush,
		{ExternalID: "r1", Type: catalog.Repository, Name: "Code", Authors: author, Privacy: catalog.PrivacyPublic, RepositoryURL: "https://github.com/owner/name"},
		{ExternalID: "n1", Type: catalog.Notebook, Name: "Shape", Authors: author, Privacy: catalog.PrivacyPublic, NotebookPath: "bundled:shape.ipynb"},
		{
			ExternalID: "m1", Type: catalog.Model, Name: "Gauss", Description: "# Runs\n\na **fit** of [lines](https://example.org)",
			Authors: author, Privacy: catalog.PrivacyPublic, ApplicationInterfaceID: "x", Version: "1.2",
		},
		{
			ExternalID: "w1", Type: catalog.Dataset, Name: "Waves", Authors: []string{"a@example.org", "b@example.org"}, Privacy: catalog.PrivacyPublic,
			HeaderImage: "https://pictures.example.org/x.png", DatasetURL: "https://data.example.org/waves.zip",
		},
	}
}

var (
	headElement = regexp.MustCompile(`<(?:link rel|meta (?:name|property))="([^"]*)" (?:href|content)="([^"]*)" data-entry>`)
	schemaBlock = regexp.MustCompile(`<script type="application/ld\+json" data-entry>(.*?)</script>`)
)

// headOf returns the elements of a document's head by name, and its schema.org block; nil if it has none.
func headOf(t *testing.T, document string) (elements map[string]string, schema map[string]any) {
	t.Helper()
	for _, found := range headElement.FindAllStringSubmatch(document, -1) {
		if elements == nil {
			elements = map[string]string{}
		}
		elements[found[1]] = html.UnescapeString(found[2])
	}
	if found := schemaBlock.FindStringSubmatch(document); found != nil {
		if err := json.Unmarshal([]byte(found[1]), &schema); err != nil {
			t.Fatalf("%v in %s", err, found[1])
		}
	}
	if marks := strings.Count(document, "data-entry"); schema == nil && marks != 0 || schema != nil && marks != len(elements)+1 {
		t.Errorf("%d marked elements, %d of them read: %s", marks, len(elements), document)
	}
	return elements, schema
}

func TestHeadOfEachType(t *testing.T) {
	w := newWorld(t, "Hill", entries()...)
	for _, c := range []struct {
		externalID, path, title, preview string
	}{
		{"d1", "datasets", "Spikes", "Markdown"},
		{"w1", "datasets", "Waves", "An entry of Hill."},
		{"r1", "repositories", "Code", "An entry of Hill."},
		{"n1", "notebooks", "Shape", "An entry of Hill."},
		{"m1", "models", "Gauss", "Runs a fit of lines"},
	} {
		entry := w.entry(c.externalID)
		path := "/resources/" + c.path + "/" + entry.ID
		address := "http://127.0.0.1:8080" + path
		document := w.document(path + "?from=tags%3Dx")
		elements, schema := headOf(t, document)
		want := map[string]string{
			"canonical": address, "description": c.preview, "og:type": "website", "og:site_name": "Hill", "og:title": c.title,
			"og:description": c.preview, "og:url": address, "og:image": "http://127.0.0.1:8080/api/v1/rf/resources/public/" + entry.ID + "/cover?v=1&og=1",
		}
		for name, text := range want {
			if elements[name] != text {
				t.Errorf("%s: %s is %q, want %q", c.externalID, name, elements[name], text)
			}
		}
		if len(elements) != len(want) || !strings.Contains(document, "<title>"+c.title+" · Hill</title>") {
			t.Errorf("%s: got %v", c.externalID, elements)
		}
		if schema["name"] != entry.Name {
			t.Errorf("%s: got %v", c.externalID, schema)
		}
		for accept, want := range map[string]int{"text/html": http.StatusOK, "application/ld+json": http.StatusTeapot} {
			if status, _, header := w.get(path, "Accept", accept); status != want || status == http.StatusOK && !strings.Contains(header.Get("Link"), "cite-as") {
				t.Errorf("%s as %s: %d %v", c.externalID, accept, status, header)
			}
		}
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEntryDocumentBringsTheEntry(t *testing.T) {
	w := newWorld(t, "Hill", entries()...)
	entry := w.entry("d1")
	document := w.document("/resources/datasets/" + entry.ID + "/")
	var data firstData
	var got catalog.Resource
	found := firstDataScript.FindStringSubmatch(document)
	if found == nil || errors.Join(json.Unmarshal([]byte(found[1]), &data), json.Unmarshal(data.Answer, &got)) != nil {
		t.Fatalf("no data: %s", document)
	}
	if data.Request != "/api/v1/rf/resources/public/"+entry.ID || got.ID != entry.ID || got.Name != "Spikes" || got.Starred != nil || got.CanDelete != nil {
		t.Errorf("got %s %+v", data.Request, got)
	}
}

func TestOtherSpellingsLeadToTheRightAddress(t *testing.T) {
	w := newWorld(t, "Hill", entries()...)
	id := w.entry("d1").ID
	for path, want := range map[string]string{
		"/resources/DATASET/" + id:                         "/resources/datasets/" + id,
		"/resources/models/" + id + "/":                    "/resources/datasets/" + id,
		"/resources/Datasets/" + id + "?from=tags%3Da%2Cb": "/resources/datasets/" + id + "?from=tags%3Da%2Cb",
		"/resources/%2F%2Fevil.example/" + id:              "",
		"/resources/starred/" + id:                         "/resources/datasets/" + id,
	} {
		answer := pagetest.Get(t, w, path)
		if want == "" {
			if answer.Code != http.StatusNotFound {
				t.Errorf("%s: %d %s", path, answer.Code, answer.Header().Get("Location"))
			}
		} else if answer.Code != http.StatusTemporaryRedirect || answer.Header().Get("Location") != want {
			t.Errorf("%s: %d to %q, want %q", path, answer.Code, answer.Header().Get("Location"), want)
		}
	}
	if answer := pagetest.Get(t, w, "/resources/models/"+w.entry("secret").ID); answer.Code != http.StatusNotFound {
		t.Errorf("the spelling of a private entry is corrected: %d", answer.Code)
	}
}

// It shows entries and projects alike, so its document is the same for all, but for the entry's data. Its status doesn't
// tell private from unknown.
func TestTheRunPageIsNotTheEntrysOwn(t *testing.T) {
	w := newWorld(t, "Hill", entries()...)
	project, closed := "01900000-0000-7000-8000-00000000000a", "01900000-0000-7000-8000-00000000000b"
	api := w.options.Calls
	w.options.Calls = http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case httpapi.Base + "/projects/public/" + project:
			_, _ = answer.Write([]byte(`{"id":"` + project + `"}`))
		case httpapi.Base + "/projects/public/" + closed:
			answer.WriteHeader(http.StatusServiceUnavailable)
		default:
			api.ServeHTTP(answer, r)
		}
	})
	for id, want := range map[string]int{
		w.entry("d1").ID: http.StatusOK, project: http.StatusOK, closed: http.StatusOK, w.entry("secret").ID: http.StatusNotFound,
		"01900000-0000-7000-8000-000000000000": http.StatusNotFound, "none": http.StatusNotFound, "search": http.StatusNotFound, "%00": http.StatusNotFound,
	} {
		data := id == w.entry("d1").ID
		status, document, header := w.get("/run/" + id + "?file=a%20%23b.ipynb&ref=main")
		if status != want || header.Get("Location") != "" || !strings.Contains(document, "<title>Run · Hill</title>") ||
			strings.Contains(document, "canonical") || strings.Contains(document, "first-data") != data {
			t.Errorf("%s: %d %s", id, status, document)
		}
	}
}

// An answer cached by a browser or a proxy must not outlive the time that its entry is public.
func TestWhatIsNoLongerPublicLeavesTheDocument(t *testing.T) {
	private := spikes
	private.Privacy = catalog.PrivacyPrivate
	for name, hide := range map[string]func(w *world, id string) error{
		"private": func(w *world, _ string) error { return w.store.Import(w.t.Context(), []catalog.Entry{private}) },
		"deleted": func(w *world, id string) error { _, err := w.store.Delete(w.t.Context(), id); return err },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "Hill", entries()...)
			id := w.entry("d1").ID
			path := "/resources/datasets/" + id
			before := pagetest.Get(t, w, path)
			tag := before.Header().Get("ETag")
			if again := pagetest.Get(t, w, path, "If-None-Match", tag); tag == "" || again.Code != http.StatusNotModified {
				t.Fatalf("unchanged: %d for %q", again.Code, tag)
			}
			if err := hide(w, id); err != nil {
				t.Fatal(err)
			}
			unknown := pagetest.Get(t, w, "/resources/datasets/01900000-0000-7000-8000-000000000000")
			for _, path := range []string{path, "/resources/models/" + id} {
				for _, headers := range [][]string{nil, {"If-None-Match", tag}, {"Authorization", "Bearer x"}} {
					after := pagetest.Get(t, w, path, headers...)
					if after.Code != http.StatusNotFound || after.Body.String() != unknown.Body.String() || after.Header().Get("ETag") != "" {
						t.Errorf("%s with %v: %d, not like an unknown one: %s", path, headers, after.Code, after.Body)
					}
				}
			}
		})
	}
}

func TestUnknownAndPrivateEntriesHaveNoHead(t *testing.T) {
	w := newWorld(t, "Hill", entries()...)
	for _, id := range []string{w.entry("secret").ID, "01900000-0000-7000-8000-000000000000", "x", "search", "%3Cb%3E"} {
		answer := pagetest.Get(t, w, "/resources/datasets/"+id)
		document := answer.Body.String()
		elements, schema := headOf(t, document)
		if answer.Code != http.StatusNotFound || elements != nil || schema != nil || strings.Contains(document, "first-data") ||
			strings.Contains(document, "Hush") || !strings.Contains(document, "<title>Resource not found · Hill</title>") {
			t.Errorf("%s: %d %s", id, answer.Code, document)
		}
	}
}

// CVE-2018-19351 and similar ones: text that ends an attribute or a script element, in every field of the head.
func TestHostileTextStaysTextInTheHead(t *testing.T) {
	for i, text := range pagetest.HostileTexts() {
		w := newWorld(t, "Hill", catalog.Entry{
			ExternalID: "h", Type: catalog.Model, Name: text, Description: text, Tags: []catalog.Tag{{Value: text}}, Privacy: catalog.PrivacyPublic,
			Authors: []string{"o'hara&amp{{7*7}}`@example.org"}, HeaderImage: "https://x.example/" + text, ApplicationInterfaceID: text, Version: text,
		})
		document := w.document("/resources/models/" + w.entry("h").ID)
		elements, schema := headOf(t, document)
		if elements["og:title"] != text || schema["name"] != text || schema["softwareVersion"] != text || !slices.Equal(schema["keywords"].([]any), []any{text}) {
			t.Errorf("%d: %q comes back as %v and %v", i, text, elements, schema)
		}
		document = covers.ReplaceAllString(drawings.ReplaceAllString(document, ""), "")
		// Besides ours: the configuration, the first data, and schema.org.
		if strings.Count(document, "<script") != 3 || strings.Count(document, "</script") != 3 || strings.Contains(document, "<img") ||
			strings.Contains(document, "<svg") || strings.Contains(document, "<iframe") {
			t.Errorf("%d: %q becomes an element: %s", i, text, document)
		}
	}
}

func TestEntryThatCannotBeReadIsLeftToThePage(t *testing.T) {
	w := newWorld(t, "Hill", entries()...)
	w.options.Calls = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	answer := pagetest.Get(t, w, "/resources/datasets/"+w.entry("d1").ID)
	elements, schema := headOf(t, answer.Body.String())
	if answer.Code != http.StatusOK || elements != nil || schema != nil || !strings.Contains(answer.Body.String(), "<title>Entry · Hill</title>") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}
