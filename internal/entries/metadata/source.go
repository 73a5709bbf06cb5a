package metadata

import (
	"slices"
	"strings"
	"unicode/utf8"

	"cairn/internal/entries/catalog"
)

// SourceMetadata is what one source says about a work. All of it is optional.
type SourceMetadata struct {
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	License     string   `json:"license,omitempty" doc:"SPDX expression"`
	Version     string   `json:"version,omitempty"`
	DOI         string   `json:"doi,omitempty"`
	Language    string   `json:"language,omitempty" doc:"A BCP 47 tag"`

	People             []catalog.Credit            `json:"people,omitempty"`
	Funding            []catalog.Funding           `json:"funding,omitempty"`
	RelatedIdentifiers []catalog.RelatedIdentifier `json:"relatedIdentifiers,omitempty"`
}

// The names of the fields, as entries have them.
const (
	fieldName        = "name"
	fieldDescription = "description"
	fieldTags        = "tags"
	fieldLicense     = "license"
	fieldVersion     = "version"
	fieldDOI         = "doi"
	fieldLanguage    = "language"
	fieldPeople      = "people"
	fieldFunding     = "funding"
	fieldRelated     = "relatedIdentifiers"
)

// listLimit is how many items of a list are read. More than entries may have is of no use.
const listLimit = 200

// valid returns what the rules of entries accept, as entries store it.
func (s SourceMetadata) valid() SourceMetadata {
	kept := SourceMetadata{
		License: licenseIn(s.License), DOI: catalog.ParseDOI(s.DOI), Language: catalog.ParseLanguage(s.Language),
		Name: nameOf(s.Name), Version: nameOf(s.Version),
	}
	if text := catalog.WithoutMail(strings.TrimSpace(s.Description)); catalog.CheckDescription(text) == "" {
		kept.Description = text
	}
	for _, tag := range s.Tags {
		if tag = oneLine(tag); tag != "" && !strings.Contains(tag, "@") && catalog.CheckTag(tag) == "" && !slices.Contains(kept.Tags, tag) && len(kept.Tags) < catalog.TagsLimit {
			kept.Tags = append(kept.Tags, tag)
		}
	}
	for _, person := range s.People {
		if person = validPerson(person); person.Name+person.Email != "" && len(kept.People) < catalog.AuthorsLimit && !slices.ContainsFunc(kept.People, sameAs(person)) {
			kept.People = append(kept.People, person)
		}
	}
	one := catalog.Entry{Funding: s.Funding, RelatedIdentifiers: s.RelatedIdentifiers}
	one.Normalize()
	for _, award := range one.Funding {
		award.FunderID = catalog.ParseFunderID(award.FunderID)
		if !accepted(catalog.Entry{Funding: []catalog.Funding{{Funder: "x", AwardURL: award.AwardURL}}}) {
			award.AwardURL = ""
		}
		if accepted(catalog.Entry{Funding: []catalog.Funding{award}}) && len(kept.Funding) < catalog.ListLimit {
			kept.Funding = append(kept.Funding, award)
		}
	}
	for _, related := range one.RelatedIdentifiers {
		if accepted(catalog.Entry{RelatedIdentifiers: []catalog.RelatedIdentifier{related}}) && len(kept.RelatedIdentifiers) < catalog.ListLimit {
			kept.RelatedIdentifiers = append(kept.RelatedIdentifiers, related)
		}
	}
	return kept
}

func accepted(one catalog.Entry) bool { return len(one.CheckCited()) == 0 }

// nameOf returns a text on one line of the length of names, without an e-mail address; "" for anything else.
func nameOf(text string) string {
	if text = oneLine(text); text == "" || strings.Contains(text, "@") || catalog.CheckName(text) != "" {
		return ""
	}
	return text
}

// validPerson leaves out what isn't valid of somebody; all of it for somebody without a valid name or address.
func validPerson(p catalog.Credit) catalog.Credit {
	kept := catalog.Credit{Name: nameOf(p.Name), ORCID: catalog.ParseORCID(p.ORCID), Email: p.Email, Role: p.Role}
	if !slices.Contains(catalog.Roles[:], kept.Role) {
		kept.Role = "Other"
	}
	if at := p.Affiliation; at != nil && nameOf(at.Name) != "" {
		kept.Affiliation = &catalog.Organization{Name: nameOf(at.Name), ROR: catalog.ParseROR(at.ROR)}
	}
	one := catalog.Entry{People: []catalog.Credit{kept}}
	one.Normalize()
	if kept = one.People[0]; catalog.CheckPerson(kept) == "" {
		return kept
	}
	if kept.Email = ""; catalog.CheckPerson(kept) == "" {
		return kept
	}
	return catalog.Credit{}
}

// sameAs reports whether somebody is credited already: sources name authors again among the contributors.
func sameAs(p catalog.Credit) func(catalog.Credit) bool {
	return func(other catalog.Credit) bool {
		return p.ORCID != "" && p.ORCID == other.ORCID || p.Name == other.Name && p.Email == other.Email
	}
}

func oneLine(text string) string {
	if !utf8.ValidString(text) {
		return ""
	}
	return strings.Join(strings.Fields(text), " ")
}

var licenseAddresses = strings.NewReplacer(
	"http://", "", "https://", "", "www.", "", "spdx.org/licenses/", "", "opensource.org/licenses/", "", "opensource.org/license/", "", ".html", "", ".json", "",
	"creativecommons.org/publicdomain/zero/1.0", "CC0-1.0", "/legalcode", "", "/deed.en", "",
)

// licenseIn returns the license that a text or an address of its text names, as an SPDX expression; "" if it names none.
func licenseIn(text string) string {
	text = strings.TrimRight(licenseAddresses.Replace(strings.TrimSpace(text)), "/")
	if kind, ok := strings.CutPrefix(text, "creativecommons.org/licenses/"); ok {
		text = "CC-" + strings.ReplaceAll(kind, "/", "-")
	}
	return catalog.ParseKnownLicense(text)
}

// personName returns a name in the order in which it is spoken, from its parts or from a text such as King, Ada.
func personName(given, family, whole string) string {
	if family != "" {
		return oneLine(given + " " + family)
	}
	if family, given, found := strings.Cut(whole, ","); found && !strings.Contains(given, ",") && family != "" {
		return oneLine(given + " " + family)
	}
	return oneLine(whole)
}
