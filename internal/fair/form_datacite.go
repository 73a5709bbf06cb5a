package fair

import (
	"encoding/xml"
	"fmt"
	"strconv"

	"cairn/internal/catalog"
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
		"dates":       []node{{"date": day(r.Published), "dateType": "Issued"}, {"date": day(r.Modified), "dateType": "Updated"}},
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
		related = append(related, node{"relatedIdentifier": relation.Identifier, "relatedIdentifierType": relation.Type, "relationType": relation.Relation})
	}
	for _, from := range r.Funding {
		grant := node{"funderName": from.Funder}
		for key, value := range map[string]string{"funderIdentifier": from.FunderID, "awardNumber": from.AwardNumber, "awardTitle": from.AwardTitle, "awardUri": from.AwardURL} {
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
	if files := filesInWords(r); len(files.sizes) > 0 {
		one["sizes"], one["formats"] = files.sizes, files.formats
	}
	return one, nil
}

func datacitePublisher(from Organization) node {
	one := node{"name": from.Name}
	if from.ROR != "" {
		one["publisherIdentifier"], one["publisherIdentifierScheme"], one["schemeUri"] = from.ROR, "ROR", "https://ror.org/"
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
	if given, family := splitName(person.Name); family != "" {
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

// The record in DataCite's XML. Texts are escaped by encoding/xml.
type (
	dataciteXML struct {
		XMLName      xml.Name           `xml:"resource"`
		Namespace    string             `xml:"xmlns,attr"`
		XSI          string             `xml:"xmlns:xsi,attr"`
		Location     string             `xml:"xsi:schemaLocation,attr"`
		Identifier   typed              `xml:"identifier"`
		Creators     []dataciteCreator  `xml:"creators>creator"`
		Titles       []string           `xml:"titles>title"`
		Publisher    datacitePublished  `xml:"publisher"`
		Year         int                `xml:"publicationYear"`
		Type         dataciteKind       `xml:"resourceType"`
		Subjects     *dataciteSubjects  `xml:"subjects"`
		Dates        []dataciteDate     `xml:"dates>date"`
		Language     string             `xml:"language,omitempty"`
		Alternates   *dataciteAlternate `xml:"alternateIdentifiers"`
		Related      *dataciteRelated   `xml:"relatedIdentifiers"`
		Version      string             `xml:"version,omitempty"`
		Rights       *dataciteRights    `xml:"rightsList"`
		Descriptions *dataciteAbstract  `xml:"descriptions"`
	}
	typed struct {
		Type string `xml:"identifierType,attr"`
		Text string `xml:",chardata"`
	}
	dataciteCreator struct {
		Name       dataciteName    `xml:"creatorName"`
		Given      string          `xml:"givenName,omitempty"`
		Family     string          `xml:"familyName,omitempty"`
		Identifier *dataciteNameID `xml:"nameIdentifier"`
		At         string          `xml:"affiliation,omitempty"`
	}
	dataciteName struct {
		Type string `xml:"nameType,attr"`
		Text string `xml:",chardata"`
	}
	dataciteNameID struct {
		Scheme string `xml:"nameIdentifierScheme,attr"`
		URI    string `xml:"schemeURI,attr"`
		Text   string `xml:",chardata"`
	}
	datacitePublished struct {
		ID     string `xml:"publisherIdentifier,attr,omitempty"`
		Scheme string `xml:"publisherIdentifierScheme,attr,omitempty"`
		Text   string `xml:",chardata"`
	}
	dataciteKind struct {
		General string `xml:"resourceTypeGeneral,attr"`
		Text    string `xml:",chardata"`
	}
	dataciteSubjects struct {
		List []string `xml:"subject"`
	}
	dataciteDate struct {
		Type string `xml:"dateType,attr"`
		Text string `xml:",chardata"`
	}
	dataciteAlternate struct {
		List []dataciteAlternateID `xml:"alternateIdentifier"`
	}
	dataciteAlternateID struct {
		Type string `xml:"alternateIdentifierType,attr"`
		Text string `xml:",chardata"`
	}
	dataciteRelated struct {
		List []dataciteRelation `xml:"relatedIdentifier"`
	}
	dataciteRelation struct {
		Scheme string `xml:"relatedIdentifierType,attr"`
		Type   string `xml:"relationType,attr"`
		Text   string `xml:",chardata"`
	}
	dataciteRights struct {
		List []dataciteRight `xml:"rights"`
	}
	dataciteRight struct {
		URI    string `xml:"rightsURI,attr,omitempty"`
		ID     string `xml:"rightsIdentifier,attr,omitempty"`
		Scheme string `xml:"rightsIdentifierScheme,attr,omitempty"`
		Base   string `xml:"schemeURI,attr,omitempty"`
		Text   string `xml:",chardata"`
	}
	dataciteAbstract struct {
		List []dataciteDescription `xml:"description"`
	}
	dataciteDescription struct {
		Type string `xml:"descriptionType,attr"`
		Text string `xml:",chardata"`
	}
)

// dataCiteXML returns the record in DataCite's XML.
func dataCiteXML(r Record) dataciteXML {
	one := dataciteXML{
		Namespace: dataciteSchema, XSI: "http://www.w3.org/2001/XMLSchema-instance",
		Location:   dataciteSchema + " http://schema.datacite.org/meta/kernel-4/metadata.xsd",
		Identifier: typed{"URL", r.Permanent}, Titles: []string{r.Name}, Publisher: datacitePublished{Text: r.Publisher.Name}, Year: r.year(),
		Type:  dataciteKind{dataciteTypes[r.Type], dataciteTypes[r.Type]},
		Dates: []dataciteDate{{"Issued", day(r.Published)}, {"Updated", day(r.Modified)}}, Version: r.Version, Language: r.Language,
	}
	if r.DOI != "" {
		one.Identifier, one.Alternates = typed{"DOI", r.DOI}, &dataciteAlternate{[]dataciteAlternateID{{"URL", r.Permanent}}}
	}
	if r.Publisher.ROR != "" {
		one.Publisher.ID, one.Publisher.Scheme = r.Publisher.ROR, "ROR"
	}
	for _, person := range r.People {
		creator := dataciteCreator{Name: dataciteName{"Personal", person.Name}}
		if given, family := splitName(person.Name); family != "" {
			creator.Name.Text, creator.Given, creator.Family = family+", "+given, given, family
		}
		if person.ORCID != "" {
			creator.Identifier = &dataciteNameID{"ORCID", "https://orcid.org", orcidResolver + person.ORCID}
		}
		creator.At = person.Affiliation.Name
		one.Creators = append(one.Creators, creator)
	}
	if len(one.Creators) == 0 {
		one.Creators = []dataciteCreator{{Name: dataciteName{"Organizational", r.Publisher.Name}}}
	}
	if len(r.Keywords) > 0 {
		one.Subjects = &dataciteSubjects{r.Keywords}
	}
	if text := r.License.Expression; text != "" {
		one.Rights = &dataciteRights{[]dataciteRight{{r.License.URL, text, "SPDX", spdxLicenses, text}}}
	}
	if r.Description != "" {
		one.Descriptions = &dataciteAbstract{[]dataciteDescription{{"Abstract", r.Description}}}
	}
	if len(r.Relations) > 0 {
		one.Related = &dataciteRelated{}
		for _, relation := range r.Relations {
			one.Related.List = append(one.Related.List, dataciteRelation{relation.Type, relation.Relation, relation.Identifier})
		}
	}
	return one
}
