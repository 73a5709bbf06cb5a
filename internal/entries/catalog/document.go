package catalog

import (
	"slices"

	"cairn/internal/entries/catalog/index"
)

// document returns the part of an entry that the index stores.
func (r *Entry) document() index.Document {
	document := index.Document{
		ID: r.ID, Type: string(r.Type), Name: r.Name, Description: r.Description, Authors: r.Authors,
		People: r.personIDs(), Private: !r.Public(), CreatedAt: r.CreatedAt, Stars: r.StarCount, Starters: r.listed.starters, Featured: r.Featured,
	}
	if r.ForHost() { // its authors don't see it for being that; searches find them as they find those who are named
		document.Authors, document.Names = nil, slices.Clone(r.Authors)
	}
	document.Outcome, document.Ran = r.outcome()
	for _, person := range r.People {
		if person.Name != "" {
			document.Names = append(document.Names, person.Name)
		}
	}
	for _, tag := range r.Tags {
		document.Tags = append(document.Tags, index.Tag(tag))
	}
	return document
}

func indexTypes() []string { return typeNames(Types[:]) }
