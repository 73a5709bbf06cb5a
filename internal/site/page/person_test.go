package page

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/site/page/pagetest"
)

const carberry = "0000-0002-1825-0097"

func crediting(r catalog.Entry, people ...catalog.Credit) catalog.Entry {
	r.People = people
	return r
}

func TestPeopleAreReadWithoutTheScript(t *testing.T) {
	entry := crediting(
		spikes, catalog.Credit{Name: `Carberry </script>`, ORCID: carberry, Affiliation: &catalog.Organization{Name: "Brown & Co", ROR: "https://ror.org/05gq02987"}},
		catalog.Credit{Name: "Ärzte, Ana"}, catalog.Credit{Email: "neuro@example.org"},
	)
	entry.Description = "Ask neuro@example.org"
	w := newWorld(t, "Hill", entry, crediting(hush, catalog.Credit{Name: "Only Here"}, catalog.Credit{Name: "Carberry </script>", ORCID: carberry}))
	status, document, _ := w.get("/people/" + carberry)
	if status != http.StatusOK || strings.Contains(document, "@example.org") || strings.Contains(document, "Hush") {
		t.Errorf("%d %s", status, document)
	}
	expectParts(
		t, document, "<title>Carberry &lt;/script&gt; · Hill</title>", ">Carberry &lt;/script&gt;</h1>", `<a href="https://orcid.org/`+carberry+`"`, `<a href="https://ror.org/05gq02987" rel="noopener noreferrer">Brown &amp; Co</a>`,
		"1 entry", ">Spikes</a>", `<link rel="canonical" href="http://127.0.0.1:8080/people/`+carberry+`"`,
		`<meta name="description" content="Entries of Hill that credit Carberry &lt;/script&gt;, Brown &amp; Co."`,
	)
	_, rest, _ := strings.Cut(document, `<script type="application/ld+json" data-entry>`)
	text, _, _ := strings.Cut(rest, "</script>")
	var described map[string]any
	if err := json.Unmarshal([]byte(text), &described); err != nil || described["@type"] != "Person" || described["@id"] != "https://orcid.org/"+carberry ||
		described["name"] != "Carberry </script>" || described["affiliation"].(map[string]any)["@id"] != "https://ror.org/05gq02987" {
		t.Errorf("%v %s", err, text)
	}
	// Somebody without an ORCID iD.
	status, document, _ = w.get("/people/%C3%A4rzte-ana")
	if status != http.StatusOK || strings.Contains(document, "orcid.org/") {
		t.Errorf("%d %s", status, document)
	}
	expectParts(t, document, ">Ärzte, Ana</h1>", `href="http://127.0.0.1:8080/people/%C3%A4rzte-ana"`)
	// The entry leads there.
	expectParts(t, contentOf(t, w, entryPath(w.entry("d1"))), `<a href="/people/`+carberry+`">Carberry &lt;/script&gt;</a> <a href="https://orcid.org/`+carberry+`">ORCID iD</a>`, `<a href="/people/%C3%A4rzte-ana">`)
}

func TestNobodyIsFoundWhomNoPublicEntryCredits(t *testing.T) {
	w := newWorld(t, "Hill", crediting(spikes, catalog.Credit{Email: "neuro@example.org"}), crediting(hush, catalog.Credit{Name: "Only Here"}))
	for _, id := range []string{"only-here", "neuro@example.org", "neuro", carberry, "%00", "%FF", strings.Repeat("a", 300)} {
		answer := pagetest.Get(t, w, "/people/"+id)
		if body := answer.Body.String(); answer.Code != http.StatusNotFound || strings.Contains(body, "Hush") || strings.Contains(body, "ld+json") || !strings.Contains(body, "<title>Person not found") {
			t.Errorf("%.20s: %d %s", id, answer.Code, body)
		}
	}
}
