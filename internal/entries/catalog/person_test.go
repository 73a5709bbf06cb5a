package catalog_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

const (
	orcid = "0000-0002-1825-0097"
	grace = "0000-0001-5109-3700"
)

func crediting(people ...catalog.Credit) func(*catalog.Entry) {
	return func(r *catalog.Entry) { r.People = people }
}

// person asks for somebody's page.
func (w *world) person(email, id string) catalog.CreditedPage {
	w.T.Helper()
	var found catalog.CreditedPage
	w.Ask(email, http.MethodGet, "/people/"+url.PathEscape(id), http.StatusOK, &found)
	return found
}

func TestPeopleHaveThePagesOfTheirEntries(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		institute := &catalog.Organization{Name: "Institute", ROR: "https://ror.org/05a28rw58"}
		w := newWorld(
			t, db,
			catalogtest.Entry("old", crediting(catalog.Credit{Name: "Josiah S. Carberry", ORCID: orcid}, catalog.Credit{Name: "Müller,  Ana-Lena"})),
			catalogtest.Entry("open", crediting(catalog.Credit{Name: "Josiah S. Carberry", ORCID: orcid, Affiliation: institute, Role: "Editor"}, catalog.Credit{Name: "MÜLLER ANA LENA"})),
			catalogtest.Entry("misspelled", crediting(catalog.Credit{Name: "J. Carbery", ORCID: orcid})),
			catalogtest.Entry("secret", catalogtest.Private, catalogtest.By(catalogtest.Bob), crediting(
				catalog.Credit{Name: "Josiah S. Carberry", ORCID: orcid}, catalog.Credit{Name: "Only Here"}, catalog.Credit{Name: "Grace", ORCID: grace}, catalog.Credit{Email: catalogtest.Bob},
			)),
		)
		found := w.person("", orcid)
		if p := found.Person; p.ID != orcid || p.ORCID != orcid || p.Name != "Josiah S. Carberry" || p.Affiliation == nil || *p.Affiliation != *institute || found.TotalElements != 3 {
			t.Errorf("got %+v of %d", found.Person, found.TotalElements)
		}
		if strings.Contains(catalogtest.Names(found.Content), "secret") || found.Hint != nil || !found.Last {
			t.Errorf("got %+v", found)
		}
		for _, id := range []string{"müller-ana-lena", "Müller, Ana-Lena", "MÜLLER ANA LENA"} {
			if other := w.person("", id); other.Person.ID != "müller-ana-lena" || other.Person.ORCID != "" || other.TotalElements != 2 {
				t.Errorf("%s: got %+v", id, other)
			}
		}
		// Private entries count for their authors alone.
		if mine := w.person(catalogtest.Bob, strings.ToLower(orcid)); mine.TotalElements != 4 {
			t.Errorf("got %d", mine.TotalElements)
		}
		for email, status := range map[string]int{"": http.StatusNotFound, catalogtest.Ada: http.StatusNotFound, catalogtest.Bob: http.StatusOK} {
			w.Ask(email, http.MethodGet, "/people/only-here", status, nil)
			w.Ask(email, http.MethodGet, "/people/"+grace, status, nil)
		}
		// Pages are those of the other lists.
		var second catalog.CreditedPage
		w.Ask("", http.MethodGet, "/people/"+orcid+"?pageNumber=1&pageSize=2&view=card", http.StatusOK, &second)
		if second.Number != 1 || second.Size != 2 || second.TotalPages != 2 || second.NumberOfElements != 1 || !second.Last || second.Person.Name != "Josiah S. Carberry" {
			t.Errorf("got %+v", second)
		}
		// What entries say leads there.
		entry := w.Entry("", w.ID("old"))
		if entry.People[0].ID != orcid || entry.People[1].ID != "müller-ana-lena" {
			t.Errorf("got %+v", entry.People)
		}
	})
}

// Whoever knows an address learns nothing from pages of people: none is made of an address, and none shows one.
func TestPagesOfPeopleSayNothingAboutAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(
		t, sqldbtest.SQLite(t, nowUTC),
		catalogtest.Entry("a", catalogtest.About("Ask ada@example.org."), catalogtest.Tagged("of-bob@example.org"), crediting(
			catalog.Credit{Name: "Ada", Email: catalogtest.Ada}, catalog.Credit{Email: catalogtest.Bob}, catalog.Credit{Name: "eve@example.org"}, catalog.Credit{Name: "Eve <eve@example.org>"},
		), func(r *catalog.Entry) { r.Authors = []string{catalogtest.Ada, catalogtest.Bob} }),
	)
	for _, email := range []string{"", catalogtest.Ada} {
		answer := w.Call(email, http.MethodGet, "/api/v1/rf/people/ada", "")
		if answer.Code != http.StatusOK || strings.Contains(answer.Body.String(), "@") {
			t.Errorf("%q: %d %s", email, answer.Code, answer.Body)
		}
		for _, guess := range []string{
			catalogtest.Ada, catalogtest.Bob, "bob", "bob-example-org", "eve@example.org", "eve-example-org", "eve-eve-example-org", "\x00bob@example.org", "by bob@example.org",
		} {
			if answer := w.Call(email, http.MethodGet, "/api/v1/rf/people/"+url.PathEscape(guess), ""); answer.Code != http.StatusNotFound {
				t.Errorf("%q finds %q: %d %s", email, guess, answer.Code, answer.Body)
			}
		}
	}
	entry := w.Entry(catalogtest.Ada, w.ID("a"))
	for _, person := range entry.People[1:] {
		if person.ID != "" {
			t.Errorf("%+v has a page", person)
		}
	}
}

func TestPeopleFollowTheirEntries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, nowUTC), catalogtest.Entry("a", crediting(catalog.Credit{Name: "Ada King"})))
	w.Import(catalogtest.Entry("a", crediting(catalog.Credit{Name: "Ada King", ORCID: orcid})))
	if err := w.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Ask("", http.MethodGet, "/people/ada-king", http.StatusNotFound, nil)
	if found := w.person("", orcid); found.TotalElements != 1 {
		t.Errorf("got %+v", found)
	}
	if _, err := w.Store.Delete(t.Context(), w.ID("a")); err != nil {
		t.Fatal(err)
	}
	if err := w.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Ask("", http.MethodGet, "/people/"+orcid, http.StatusNotFound, nil)
}

// Entries of earlier builds have people without roles, affiliations and ids; clients send back what they were given.
func TestTheIDsOfPeopleAreNotStored(t *testing.T) {
	t.Parallel()
	r := catalogtest.Entry("a", crediting(catalog.Credit{Name: "Ada", ID: "mallory"}))
	r.Normalize()
	text, err := json.Marshal(r.People)
	if err != nil || strings.Contains(string(text), "mallory") {
		t.Errorf("%s %v", text, err)
	}
}
