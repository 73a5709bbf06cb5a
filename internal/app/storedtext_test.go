package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"cairn/internal/app/transfer"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/projects"
	"cairn/internal/people/identity"
	"cairn/internal/site/page/pagetest"
)

// CVE-2018-19351, CVE-2024-41675, CVE-2021-25967 and others: stored text ran as script. Here every answer of the API
// returns it as data: the same text, in JSON that browsers can't take for anything else.
func TestStoredTextComesBackAsData(t *testing.T) {
	t.Parallel()
	p := testProgram(t, nil)
	nameOf := func(text string) string {
		return strings.TrimLeft(text, "\u202e") // names may not change the direction of writing
	}
	var lines []string
	for i, text := range pagetest.HostileTexts() {
		line, err := json.Marshal(map[string]any{
			"kind": "resource", "externalId": fmt.Sprint("hostile", i), "type": "DATASET", "name": nameOf(text), "description": text, "tags": []string{text},
			"authors": []string{"a@example.org"}, "privacy": "PUBLIC", "headerImage": text, "datasetUrl": "spikes",
		})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	if err := transfer.ImportOnce(t.Context(), p.db, strings.NewReader(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	entries := catalog.NewService(t.Context(), catalog.NewStore(p.db), catalog.Options{Logger: p.logger})
	api := testPage(t, p).Protect(newAPI(p, features{
		accounts: p.identityService(identity.NewStore(p.db), &http.Client{}), entries: entries, projects: projects.NewService(projects.NewStore(p.db), entries),
	}).Handler())
	ask := func(path string, status int, result any) {
		t.Helper()
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/rf"+path, http.NoBody))
		header := answer.Header()
		kind := map[bool]string{true: "application/json", false: "application/problem+json"}[status == http.StatusOK]
		if answer.Code != status || header.Get("Content-Type") != kind || header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(header.Get("Content-Security-Policy"), "default-src 'none'") || header.Get("X-Evil") != "" {
			t.Errorf("%s: %d %v", path, answer.Code, header)
		}
		if err := json.Unmarshal(answer.Body.Bytes(), result); err != nil {
			t.Errorf("%s: %v in %s", path, err, answer.Body)
		}
	}
	wantEntry := func(path string, got catalog.Resource, text string) {
		t.Helper()
		if got.Name != nameOf(text) || got.Description != text || got.HeaderImage != text || len(got.Tags) != 1 || got.Tags[0].Value != text || got.HeaderImageURL != "" {
			t.Errorf("%s: %q comes back as %+v", path, text, got)
		}
	}
	var tags []catalog.TagCount
	ask("/resources/public/tags/all", http.StatusOK, &tags)
	for i, text := range pagetest.HostileTexts() {
		var one catalog.Resource
		id, err := catalog.NewStore(p.db).IDByExternalID(t.Context(), fmt.Sprint("hostile", i))
		if err != nil {
			t.Fatal(err)
		}
		ask("/resources/public/"+id, http.StatusOK, &one)
		wantEntry("detail", one, text)
		if !slices.ContainsFunc(tags, func(tag catalog.TagCount) bool { return tag.Value == text }) {
			t.Errorf("%q is not among the tags", text)
		}
		tag := url.QueryEscape(strings.NewReplacer(`\`, `\\`, `,`, `\,`).Replace(text))
		var found catalog.ResourcePage
		ask("/resources/public?facets=types,tags&tag="+tag, http.StatusOK, &found)
		if len(found.Content) != 1 || len(found.Facets.Tags) != 1 || found.Facets.Tags[0].Value != text {
			t.Errorf("its tag %q finds %+v", text, found)
			continue
		}
		wantEntry("search", found.Content[0], text)
		ask("/resources/public?view=card&nameSearch="+url.QueryEscape(nameOf(text)), http.StatusOK, &found)
		if !slices.ContainsFunc(found.Content, func(r catalog.Resource) bool { return r.Name == nameOf(text) }) {
			t.Errorf("its name %q does not find it", text)
		}
		var list []catalog.Resource
		ask("/resources/search?name="+url.QueryEscape(text), http.StatusOK, &list)
		ask("/resources/public?type="+url.QueryEscape(text), http.StatusUnprocessableEntity, &struct{}{}) // repeated in the sentence
	}
}
