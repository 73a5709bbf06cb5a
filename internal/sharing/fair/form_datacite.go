package fair

import (
	"fmt"
	"strconv"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/personname"
)

const dataciteSchema = "http://datacite.org/schema/kernel-4"

// dataciteTypes are DataCite's words for the types of entries.
var dataciteTypes = map[catalog.Type]string{
	catalog.Dataset: "Dataset", catalog.Model: "Model", catalog.Notebook: "ComputationalNotebook", catalog.Repository: "Software",
}

// dataCite writes the record as DataCite's registry does in JSON.
func dataCite(r Record, _ Site) (any, error) {
	one := node{
		"schemaVersion": dataciteSchema, "url": r.Address, "titles": []node{{"title": r.Name}}, "publicationYear": strconv.Itoa(r.year()),
		"publisher":   datacitePublisher(r.Publisher),
		"types":       node{"resourceTypeGeneral": dataciteTypes[r.Type], "resourceType": dataciteTypes[r.Type], "schemaOrg": r.schemaType()},
		"dates":       []node{{"date": formatDate(r.Published), "dateType": "Issued"}, {"date": formatDate(r.Modified), "dateType": "Updated"}},
		"identifiers": []node{{"identifier": r.Permanent, "identifierType": "URL"}}, "creators": dataciteCreators(r),
	}
	if r.DOI != "" {
		one["doi"], one["id"] = r.DOI, doiAddress(r.DOI)
		one["identifiers"] = []node{{"identifier": r.DOI, "identifierType": "DOI"}, {"identifier": r.Permanent, "identifierType": "URL"}}
	}
	var subjects, rights, related, funding []node
	for _, word := range r.Keywords {
		subjects = append(subjects, node{"subject": word})
	}
	if text := r.License.Expression; text != "" {
		right := node{"rights": text, "rightsIdentifier": text, "rightsIdentifierScheme": "SPDX", "schemeUri": spdxLicenses}
		if r.License.URL != "" {
			right["rightsUri"] = r.License.URL
		}
		rights = append(rights, right)
	}
	for _, relation := range r.Relations {
		name, kind := dataciteRelated(relation)
		related = append(related, node{"relatedIdentifier": name, "relatedIdentifierType": kind, "relationType": relation.Relation})
	}
	for _, from := range r.Funding {
		grant := node{"funderName": from.Funder}
		for key, value := range map[string]string{
			"funderIdentifier": from.FunderID, "funderIdentifierType": funderScheme(from.FunderID), "awardNumber": from.AwardNumber, "awardTitle": from.AwardTitle,
			"awardUri": from.AwardURL,
		} {
			if value != "" {
				grant[key] = value
			}
		}
		funding = append(funding, grant)
	}
	for key, list := range map[string][]node{
		"subjects": subjects, "rightsList": rights, "relatedIdentifiers": related, "fundingReferences": funding,
	} {
		if len(list) > 0 {
			one[key] = list
		}
	}
	if r.Description != "" {
		one["descriptions"] = []node{{"description": r.Description, "descriptionType": "Abstract"}}
	}
	for key, text := range map[string]string{"version": r.Version, "language": r.Language} {
		if text != "" {
			one[key] = text
		}
	}
	var others []node
	for _, person := range r.Others {
		other := datacitePerson(person)
		other["contributorType"] = person.Role
		others = append(others, other)
	}
	if len(others) > 0 {
		one["contributors"] = others
	}
	files := filesInWords(r)
	for key, list := range map[string][]string{"sizes": files.sizes, "formats": files.formats} {
		if len(list) > 0 {
			one[key] = list
		}
	}
	return one, nil
}

// dataciteRelated returns the identifier of a related thing and its type. Version 4.6 has no word for identifiers of
// Software Heritage, so these are addresses.
func dataciteRelated(relation catalog.RelatedIdentifier) (name, kind string) {
	if relation.Type == "SWHID" {
		return encodeInLink(relation.Address()), "URL"
	}
	return relation.Identifier, relation.Type
}

// funderScheme is DataCite's word for where an identifier of a funder comes from; "" for none.
func funderScheme(id string) string {
	switch {
	case id == "":
		return ""
	case strings.HasPrefix(id, rorResolver):
		return "ROR"
	}
	return "Crossref Funder ID"
}

func datacitePublisher(from Organization) node {
	one := node{"name": from.Name}
	if from.ROR != "" {
		one["publisherIdentifier"], one["publisherIdentifierScheme"], one["schemeUri"] = from.ROR, "ROR", rorResolver
	}
	return one
}

func dataciteCreators(r Record) []node {
	list := []node{}
	for _, person := range r.People {
		list = append(list, datacitePerson(person))
	}
	if len(list) == 0 {
		list = append(list, node{"name": r.Publisher.Name, "nameType": "Organizational"})
	}
	return list
}

func datacitePerson(person Person) node {
	one := node{"name": person.Name, "nameType": "Personal"}
	if given, family := personname.Split(person.Name); family != "" {
		one["name"], one["givenName"], one["familyName"] = family+", "+given, given, family
	}
	if person.ORCID != "" {
		one["nameIdentifiers"] = []node{{"nameIdentifier": orcidResolver + person.ORCID, "nameIdentifierScheme": "ORCID", "schemeUri": "https://orcid.org"}}
	}
	if at := person.Affiliation; at.Name != "" {
		affiliation := node{"name": at.Name}
		if at.ROR != "" {
			affiliation["affiliationIdentifier"], affiliation["affiliationIdentifierScheme"] = at.ROR, "ROR"
		}
		one["affiliation"] = []node{affiliation}
	}
	return one
}

// filesInWords are the sizes and the media types of the files, each type once.
func filesInWords(r Record) (words struct{ sizes, formats []string }) {
	seen := map[string]bool{}
	for _, file := range r.Files {
		if file.Size >= 0 {
			words.sizes = append(words.sizes, fmt.Sprint(file.Size, " B"))
		}
		if !seen[file.Type] {
			seen[file.Type] = true
			words.formats = append(words.formats, file.Type)
		}
	}
	return words
}
