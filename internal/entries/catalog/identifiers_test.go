package catalog_test

import (
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
)

func TestIdentifiers(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		parse       func(string) string
		given, want string
	}{
		{catalog.ParseROR, "https://ror.org/05a28rw58", "https://ror.org/05a28rw58"},
		{catalog.ParseROR, "ROR.org/038T36Y30/", "https://ror.org/038t36y30"},
		{catalog.ParseROR, "0472cxd90", "https://ror.org/0472cxd90"},
		{catalog.ParseROR, "0472cxd91", ""},
		{catalog.ParseROR, "0472ixd90", ""},
		{catalog.ParseROR, "https://example.org/0472cxd90", ""},
		{catalog.ParseFunderID, "doi:10.13039/501100000781", "https://doi.org/10.13039/501100000781"},
		{catalog.ParseFunderID, "0472cxd90", "https://ror.org/0472cxd90"},
		{catalog.ParseFunderID, "10.5281/zenodo.1234", ""},
		{catalog.ParseLanguage, "EN", "en"},
		{catalog.ParseLanguage, "pt_br", "pt-BR"},
		{catalog.ParseLanguage, "English", ""},
		{catalog.ParseLanguage, "und", ""},
		{catalog.ParseKnownLicense, "mit", "MIT"},
		{catalog.ParseKnownLicense, "apache-2.0 OR MIT", "Apache-2.0 OR MIT"},
		{catalog.ParseKnownLicense, "GPL-2.0-or-later WITH Classpath-exception-2.0", "GPL-2.0-or-later WITH Classpath-exception-2.0"},
		{catalog.ParseKnownLicense, "My-License", ""},
		{catalog.ParseKnownLicense, "MIT AND", ""},
		{catalog.ParseKnownLicense, strings.Repeat("(", 200), ""},
	} {
		if got := one.parse(one.given); got != one.want {
			t.Errorf("%q: %q, want %q", one.given, got, one.want)
		}
	}
}

func TestFaultsOfWhatIsCited(t *testing.T) {
	t.Parallel()
	valid := catalogtest.Entry("Spikes", citable)
	valid.Normalize()
	if faults := valid.Check(); len(faults) > 0 {
		t.Fatal(faults)
	}
	for location, change := range map[string]func(*catalog.Entry){
		"people[1].name":                   func(r *catalog.Entry) { r.People[1].Name = "" },
		"people[0].orcid":                  func(r *catalog.Entry) { r.People[0].ORCID = "0000-0002-1825-0098" },
		"people[1].role":                   func(r *catalog.Entry) { r.People[1].Role = "Boss" },
		"people[0].affiliation.name":       func(r *catalog.Entry) { r.People[0].Affiliation.Name = "" },
		"people[0].affiliation.ror":        func(r *catalog.Entry) { r.People[0].Affiliation.ROR = "https://ror.org/038t36y31" },
		"license":                          func(r *catalog.Entry) { r.License = "all rights reserved" },
		"doi":                              func(r *catalog.Entry) { r.DOI = "11.1/2" },
		"version":                          func(r *catalog.Entry) { r.Version = "1\n2" },
		"language":                         func(r *catalog.Entry) { r.Language = "English" },
		"issuedAt":                         func(r *catalog.Entry) { r.IssuedAt = new(time.Now().AddDate(1, 0, 0)) },
		"funding[0].funder":                func(r *catalog.Entry) { r.Funding[0].Funder = "" },
		"funding[0].funderId":              func(r *catalog.Entry) { r.Funding[0].FunderID = "ERC" },
		"funding[0].awardNumber":           func(r *catalog.Entry) { r.Funding[0].AwardNumber = strings.Repeat("1", 101) },
		"funding[0].awardTitle":            func(r *catalog.Entry) { r.Funding[0].AwardTitle = "\x00" },
		"funding[0].awardUrl":              func(r *catalog.Entry) { r.Funding[0].AwardURL = "javascript:1" },
		"funding":                          func(r *catalog.Entry) { r.Funding = make([]catalog.Funding, 51); fill(r.Funding) },
		"relatedIdentifiers[0].type":       func(r *catalog.Entry) { r.RelatedIdentifiers[0].Type = "doi" },
		"relatedIdentifiers[0].relation":   func(r *catalog.Entry) { r.RelatedIdentifiers[0].Relation = "likes" },
		"relatedIdentifiers[0].identifier": func(r *catalog.Entry) { r.RelatedIdentifiers[0].Identifier = "10/no" },
	} {
		r := catalogtest.Entry("Spikes", citable)
		change(&r)
		r.Normalize()
		if faults := r.Check(); len(faults) != 1 || faults[0].Location != location {
			t.Errorf("%s: %v", location, faults)
		}
	}
	old := catalogtest.Entry("Old", func(r *catalog.Entry) { r.License = "My-License" })
	old.Normalize()
	if faults := old.Check(); len(faults) > 0 || old.License != "My-License" {
		t.Errorf("an entry that is older than the list: %v", faults)
	}
}

func fill(funding []catalog.Funding) {
	for i := range funding {
		funding[i].Funder = "ERC"
	}
}
