package cite

import (
	"slices"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/personname"
)

// Authors returns the authors whom an entry credits by name, or else names derived from the addresses of its authors: nobody's
// address is cited.
func Authors(r catalog.Entry) []CitationName {
	names := []CitationName{}
	for _, one := range r.People {
		if one.IsNamedAuthor() {
			name := CitationName{Literal: one.Name, ORCID: one.ORCID}
			if given, family := personname.Split(one.Name); family != "" {
				name.Literal, name.Given, name.Family = "", given, family
			}
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		return names
	}
	for _, address := range r.Authors {
		if given, family := personname.InAddress(address); family != "" {
			names = append(names, CitationName{Given: given, Family: family})
		} else {
			names = append(names, CitationName{Literal: personname.GroupInAddress(address)})
		}
	}
	return names
}

// AreNamesGuessed reports whether an entry credits nobody by name, so that Authors derives names from e-mail addresses.
func AreNamesGuessed(r catalog.Entry) bool {
	return !slices.ContainsFunc(r.People, catalog.Credit.IsNamedAuthor)
}
