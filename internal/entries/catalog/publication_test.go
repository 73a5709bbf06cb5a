package catalog_test

import (
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// citable sets everything that citing and harvesting needs.
func citable(r *catalog.Entry) {
	r.People = []catalog.Credit{
		{Name: "Ada Lovelace", ORCID: "0000-0002-1825-0097", Email: catalogtest.Ada, Affiliation: &catalog.Organization{
			Name: "Heidelberg University", ROR: "https://ror.org/038t36y30",
		}},
		{Name: "Bob Burns", Role: "DataCurator"},
	}
	r.License, r.Version, r.DOI, r.Language = "CC-BY-4.0", "2.1", "10.5281/zenodo.1234", "en"
	r.Funding = []catalog.Funding{{
		Funder: "European Research Council", FunderID: "https://ror.org/0472cxd90", AwardNumber: "282703", AwardTitle: "Cells", AwardURL: "https://cordis.europa.eu/project/id/282703",
	}}
	r.RelatedIdentifiers = []catalog.RelatedIdentifier{{Identifier: "10.1038/nature14539", Type: "DOI", Relation: "IsSupplementTo"}}
}

// publication is what of an entry its people decide about for citing.
func publication(r catalog.Entry) catalog.Entry {
	r.People = slices.Clone(r.People)
	for i := range r.People {
		r.People[i].ID = "" // only in answers
	}
	return catalog.Entry{
		People: r.People, License: r.License, Version: r.Version, DOI: r.DOI, Language: r.Language, Funding: r.Funding, RelatedIdentifiers: r.RelatedIdentifiers,
	}
}

func TestWhatIsCitedSurvivesStoreAndIndex(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		entry := catalogtest.Entry("Spikes", citable)
		w := catalogtest.New(t, db, entry, catalogtest.Entry("Plain"))
		stored := w.Entry(catalogtest.Ada, w.ID("Spikes"))
		if want := publication(entry); !reflect.DeepEqual(publication(*stored.Entry()), want) {
			t.Errorf("stored: %+v\nwant: %+v", publication(*stored.Entry()), want)
		}
		w.Open() // reads rows that it wrote
		for _, found := range w.Find(catalogtest.Ada, catalog.Query{}).Resources {
			if found.Name == "Spikes" && !reflect.DeepEqual(publication(*found.Entry()), publication(entry)) {
				t.Errorf("found: %+v", publication(*found.Entry()))
			}
		}
		var page catalog.ResourcePage
		w.Ask("", http.MethodGet, "/resources/public?view=card&nameSearch=Spikes", http.StatusOK, &page)
		card := page.Content[0]
		if card.Funding != nil || card.RelatedIdentifiers != nil || card.IssuedAt == nil || card.People[1].Role != "DataCurator" {
			t.Errorf("card: %+v", card)
		}
	})
}

func TestIssuedIsWhenAnEntryFirstWasPublic(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		earlier := time.Date(2020, 3, 1, 12, 0, 0, 0, time.UTC)
		w := catalogtest.New(t, db, catalogtest.Entry("Public"), catalogtest.Entry("Private", catalogtest.Private),
			catalogtest.Entry("Elsewhere", func(r *catalog.Entry) { r.IssuedAt = &earlier }),
			catalogtest.Entry("Older", func(r *catalog.Entry) { r.CreatedAt = earlier }))
		if at := w.Entry("", w.ID("Public")).IssuedAt; at == nil || at.Before(earlier.AddDate(1, 0, 0)) {
			t.Errorf("public: %v", at)
		}
		for _, name := range []string{"Elsewhere", "Older"} {
			if at := w.Entry("", w.ID(name)).IssuedAt; at == nil || !at.Equal(earlier) {
				t.Errorf("%s: %v", name, at)
			}
		}
		answer := w.Entry(catalogtest.Ada, w.ID("Private"))
		entry := *answer.Entry()
		if entry.IssuedAt != nil {
			t.Fatalf("private: %v", entry.IssuedAt)
		}
		publish := func(privacy catalog.Privacy) *time.Time {
			t.Helper()
			entry.Privacy = privacy
			if _, err := w.Store.Update(w.As(catalogtest.Ada), audit.EditEntry, entry, entry.UpdatedAt, nil); err != nil {
				t.Fatal(err)
			}
			loaded, err := w.Store.Load(t.Context(), []string{entry.ID})
			if err != nil {
				t.Fatal(err)
			}
			entry = loaded[0]
			return entry.IssuedAt
		}
		first := publish(catalog.PrivacyPublic)
		if first == nil {
			t.Fatal("public at last, but not issued")
		}
		for _, privacy := range []catalog.Privacy{catalog.PrivacyPrivate, catalog.PrivacyPublic} {
			if at := publish(privacy); at == nil || !at.Equal(*first) {
				t.Errorf("%s: %v, was %v", privacy, at, first)
			}
		}
		w.Import(catalogtest.Entry("Private", func(r *catalog.Entry) { r.IssuedAt = &earlier }))
		if at := w.Entry("", w.ID("Private")).IssuedAt; !at.Equal(*first) {
			t.Errorf("an import changed %v to %v", first, at)
		}
	})
}
