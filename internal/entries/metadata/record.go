package metadata

import (
	"strings"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/catalog"
)

// OfRecord returns what an archive says about a record, of which entries accept everything. A title that is too long is cut.
func OfRecord(record archives.Record) SourceMetadata {
	said := SourceMetadata{
		Name: cut(oneLine(record.Title)), Description: plain(record.Description), Tags: record.Keywords,
		License: record.License, Version: record.Version, DOI: record.DOI,
	}
	for _, one := range record.People {
		person := catalog.Credit{Name: personName("", "", one.Name), ORCID: one.ORCID}
		if one.Affiliation != "" {
			person.Affiliation = &catalog.Organization{Name: one.Affiliation}
		}
		said.People = append(said.People, person)
	}
	return said.valid()
}

// cut shortens a title to the length of names.
func cut(title string) string {
	const most = 200
	letters := []rune(title)
	if len(letters) <= most {
		return title
	}
	return strings.TrimSpace(string(letters[:most-1])) + "…"
}
