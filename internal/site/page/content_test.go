package page

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/humanize"
	"cairn/internal/site"
	"cairn/internal/site/page/pagetest"
)

// Parts of documents that say little to people, which tests don't repeat.
var (
	covers     = regexp.MustCompile(`<img class="[a-z]+" src="/api/[^"]*" alt="" width="400" height="200"(?: loading="lazy")?>`)
	drawings   = regexp.MustCompile(`<svg class="icon" width="[^>]*><path d="[^"]*"></path></svg>`)
	attributes = regexp.MustCompile(` (?:[\w-]+="[^"]*"|disabled|selected|download|hidden|open)`)
	wrappers   = regexp.MustCompile(`</?(?:span|bdi|div|dl|dd|header|footer|time)>`)
)

// saying are the attributes that tests look at.
var saying = []string{"href", "src", "value", "id", "loading"}

// mainOf returns what the document of a path has in the place of its page.
func mainOf(t *testing.T, page http.Handler, path string) string {
	t.Helper()
	answer := pagetest.Get(t, page, path)
	_, rest, _ := strings.Cut(answer.Body.String(), "<main>")
	content, _, found := strings.Cut(rest, "</main>")
	if answer.Code != http.StatusOK || !found {
		t.Fatalf("%s: %d %s", path, answer.Code, answer.Body)
	}
	return content
}

// contentOf returns mainOf without what says little to people.
func contentOf(t *testing.T, page http.Handler, path string) string {
	t.Helper()
	content := attributes.ReplaceAllStringFunc(drawings.ReplaceAllString(mainOf(t, page, path), ""), func(attribute string) string {
		if name, _, _ := strings.Cut(attribute[1:], "="); slices.Contains(saying, name) {
			return attribute
		}
		return ""
	})
	return wrappers.ReplaceAllString(content, "")
}

func TestTheCatalogIsReadWithoutTheScript(t *testing.T) {
	entries := make([]catalog.Entry, 101)
	for i := range entries {
		entries[i] = spikes
		entries[i].ExternalID = strings.Repeat("x", i+1)
	}
	hostile := spikes
	hostile.Name, hostile.Description = `<script>alert("1")</script>`, "Plain *text* & <b>"
	hostile.Tags = []catalog.Tag{{Value: "a"}, {Value: "b"}, {Value: "c"}, {Value: "d"}, {Value: "e"}, {Value: "f"}}
	hostile.Authors = []string{"ada.king@example.org"}
	w := newWorld(t, "Cairn", append(entries, hostile, hush)...)
	first := contentOf(t, w, `/resources?searchText=alert%22&tags=a`)
	for _, part := range []string{
		`<input value="alert&#34;">`, "<h2>1 result</h2>", `<h3><a href="/resources/datasets/`, `&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;</a></h3><p>Plain text &amp; &lt;b`,
		"<li>a</li><li>b</li><li>c</li><li>d</li><li>+2</li></ul>AKAda King<button>", `<article><img src="/api/v1/rf/resources/public/`, `/cover?v=1">Dataset`,
	} {
		if !strings.Contains(first, part) {
			t.Errorf("%q is missing in %s", part, first)
		}
	}
	all := contentOf(t, w, "/resources?resourceTypes=DATASET,MODEL")
	if !strings.Contains(all, "102 results") || strings.Count(all, "<article>") != 100 || strings.Count(all, `loading="lazy"`) != 97 || strings.Count(all[:strings.Index(all, "<noscript><ul>")], "<article>") != 9 {
		t.Errorf("The first page: %s", all)
	}
	const next = `<a href="/resources?page=2&amp;resourceTypes=DATASET%2CMODEL">More results</a>`
	if !strings.Contains(all, next) || strings.Contains(contentOf(t, w, "/resources?page=2"), "More results") {
		t.Errorf("The way to the next page: %s", all[len(all)-200:])
	}
	if strings.Contains(all, "Hush") {
		t.Error("A private entry is in the document")
	}
}

func TestDocumentsSayWhatWasSearchedInstead(t *testing.T) {
	w := newWorld(t, "Cairn", spikes)
	for search, want := range map[string]string{
		"+spikes+missing":     "<p>No entry mentions “missing”. The closest match everything else.</p><ul><li><article>",
		"spikse":              "<p>Nothing matched “spikse”. Showing results for “spikes”.</p><ul><li><article>",
		"spikes":              "<h2>1 result</h2><label>, sorted by",
		"nothing+like+a+word": "<p></p>Loading entries<article></article>",
	} {
		if content := contentOf(t, w, "/resources?searchText="+search); !strings.Contains(content, want) {
			t.Errorf("%s: %q is missing in %s", search, want, content)
		}
	}
}

func TestTheLandingPageIsReadWithoutTheScript(t *testing.T) {
	w := newWorld(t, "Cairn", spikes)
	w.options.Site = site.Keep(&site.Site{Landing: site.Landing{
		Headline: "Find & run", Picture: &site.Picture{Src: "/site/hill.webp?v=1"}, Actions: []site.Link{{Text: "Browse", Href: "/resources?a=b&c=d"}, {Text: "Bad", Href: "javascript:alert(1)"}},
		Extensions: []site.Extension{{Title: "Dynamics", Tag: `md, namd\x`}},
	}}).Current
	content := contentOf(t, w, "/")
	for _, part := range []string{
		"<h1>Find &amp; run</h1>", `<img src="/site/hill.webp?v=1">`, `<a href="/resources?a=b&amp;c=d">Browse</a>`, `<a href="/resources?tags=md%5c%2c%20namd%5c%5cx">Dynamics in the catalog</a>`,
	} {
		if !strings.Contains(content, part) {
			t.Errorf("%q is missing in %s", part, content)
		}
	}
	if strings.Contains(content, "javascript:") {
		t.Errorf("An address runs code: %s", content)
	}
}

func TestRulesOfThePage(t *testing.T) {
	text, err := os.ReadFile("../../../web/src/lib/rules.cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases struct {
		Initials, ShownName [][2]string
		FileSize            [][2]any
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases.Initials)*len(cases.ShownName)*len(cases.FileSize) == 0 {
		t.Fatalf("%v %+v", err, cases)
	}
	for _, one := range cases.Initials {
		if got := initials(one[0]); got != one[1] {
			t.Errorf("initials of %q: %q, want %q", one[0], got, one[1])
		}
	}
	for _, one := range cases.ShownName {
		if got := shownName(one[0]); got != one[1] {
			t.Errorf("%q is shown as %q, want %q", one[0], got, one[1])
		}
	}
	for _, one := range cases.FileSize {
		if got := humanize.Bytes(int64(one[0].(float64))); got != one[1] {
			t.Errorf("%v bytes: %q, want %q", one[0], got, one[1])
		}
	}
}
