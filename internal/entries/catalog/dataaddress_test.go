package catalog_test

import (
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
)

func TestAddressesOfData(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]struct{ stored, web, folder string }{
		"doi:10.5281/zenodo.1234":                {"doi:10.5281/zenodo.1234", "https://doi.org/10.5281/zenodo.1234", "zenodo.1234"},
		" DOI: 10.7910/DVN/ABC ":                 {"doi:10.7910/dvn/abc", "https://doi.org/10.7910/dvn/abc", "abc"},
		"doi:10.1234/a#b?c":                      {"doi:10.1234/a#b?c", "https://doi.org/10.1234/a%23b%3Fc", "a-b-c"},
		"doi:10.6084/m9.figshare.1.v2":           {"doi:10.6084/m9.figshare.1.v2", "https://doi.org/10.6084/m9.figshare.1.v2", "m9.figshare.1.v2"},
		"https://doi.org/10.5281/zenodo.1234":    {"https://doi.org/10.5281/zenodo.1234", "https://doi.org/10.5281/zenodo.1234", "zenodo.1234"},
		"https://example.org/a.csv":              {"https://example.org/a.csv", "https://example.org/a.csv", "a.csv"},
		"spikes/a":                               {"spikes/a", "", "a"},
		"bundled:spikes":                         {"bundled:spikes", "", "spikes"},
		"doi:":                                   {"", "", ""},
		"doi:10.1":                               {"", "", ""},
		"doi:10.5281/a b":                        {"", "", ""},
		"doi:https://doi.org/10.5281/zenodo.123": {"", "", ""},
		"10.5281:x":                              {"", "", ""},
	} {
		entry := catalogtest.Entry("x", func(r *catalog.Entry) { r.DatasetURL = given })
		entry.Normalize()
		valid := len(entry.Check()) == 0
		if valid != (want.stored != "") {
			t.Errorf("%q is valid: %v", given, valid)
		}
		if !valid {
			continue
		}
		if got := entry.DatasetURL; got != want.stored || catalog.DataAddress(got) != want.web || catalog.DatasetFolder(got, "x") != want.folder {
			t.Errorf("%q is stored as %q, at %q, in %q", given, got, catalog.DataAddress(got), catalog.DatasetFolder(got, "x"))
		}
		if doi, ok := catalog.ParseDOIAddress(entry.DatasetURL); ok && catalog.DOIAddress(doi) != entry.DatasetURL {
			t.Errorf("%q", doi)
		}
	}
}
