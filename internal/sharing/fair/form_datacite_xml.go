package fair

import (
	"cmp"
	"encoding/xml"

	"cairn/internal/entries/personname"
)

// The record in DataCite's XML. Texts are escaped by encoding/xml. Lists that may be empty are pointers, because
// encoding/xml writes the element around an empty list.
type (
	dataciteXML struct {
		XMLName      xml.Name              `xml:"resource"`
		Namespace    string                `xml:"xmlns,attr"`
		XSI          string                `xml:"xmlns:xsi,attr"`
		Location     string                `xml:"xsi:schemaLocation,attr"`
		Identifier   typed                 `xml:"identifier"`
		Creators     []datacitePersonXML   `xml:"creators>creator"`
		Titles       []string              `xml:"titles>title"`
		Publisher    datacitePublished     `xml:"publisher"`
		Year         int                   `xml:"publicationYear"`
		Type         dataciteKind          `xml:"resourceType"`
		Subjects     *dataciteSubjects     `xml:"subjects"`
		Contributors *dataciteContributors `xml:"contributors"`
		Dates        []dataciteDate        `xml:"dates>date"`
		Language     string                `xml:"language,omitempty"`
		Alternates   *dataciteAlternate    `xml:"alternateIdentifiers"`
		Related      *dataciteRelations    `xml:"relatedIdentifiers"`
		Sizes        *dataciteSizes        `xml:"sizes"`
		Formats      *dataciteFormats      `xml:"formats"`
		Version      string                `xml:"version,omitempty"`
		Rights       *dataciteRights       `xml:"rightsList"`
		Descriptions *dataciteAbstract     `xml:"descriptions"`
		Funding      *dataciteFunding      `xml:"fundingReferences"`
	}
	typed struct {
		Type string `xml:"identifierType,attr"`
		Text string `xml:",chardata"`
	}
	datacitePersonXML struct { // the elements are in the order of the schema
		Role       string `xml:"contributorType,attr,omitempty"`
		Name       dataciteName
		Given      string               `xml:"givenName,omitempty"`
		Family     string               `xml:"familyName,omitempty"`
		Identifier *dataciteNameID      `xml:"nameIdentifier"`
		At         *dataciteAffiliation `xml:"affiliation"`
	}
	dataciteName struct {
		XMLName xml.Name // creatorName or contributorName
		Type    string   `xml:"nameType,attr"`
		Text    string   `xml:",chardata"`
	}
	dataciteNameID struct {
		Scheme string `xml:"nameIdentifierScheme,attr"`
		URI    string `xml:"schemeURI,attr"`
		Text   string `xml:",chardata"`
	}
	dataciteAffiliation struct {
		ID     string `xml:"affiliationIdentifier,attr,omitempty"`
		Scheme string `xml:"affiliationIdentifierScheme,attr,omitempty"`
		Text   string `xml:",chardata"`
	}
	datacitePublished struct {
		ID     string `xml:"publisherIdentifier,attr,omitempty"`
		Scheme string `xml:"publisherIdentifierScheme,attr,omitempty"`
		Base   string `xml:"schemeURI,attr,omitempty"`
		Text   string `xml:",chardata"`
	}
	dataciteKind struct {
		General string `xml:"resourceTypeGeneral,attr"`
		Text    string `xml:",chardata"`
	}
	dataciteSubjects struct {
		List []string `xml:"subject"`
	}
	dataciteContributors struct {
		List []datacitePersonXML `xml:"contributor"`
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
	dataciteRelations struct {
		List []dataciteRelation `xml:"relatedIdentifier"`
	}
	dataciteRelation struct {
		Scheme string `xml:"relatedIdentifierType,attr"`
		Type   string `xml:"relationType,attr"`
		Text   string `xml:",chardata"`
	}
	dataciteSizes struct {
		List []string `xml:"size"`
	}
	dataciteFormats struct {
		List []string `xml:"format"`
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
	dataciteFunding struct {
		List []dataciteGrant `xml:"fundingReference"`
	}
	dataciteGrant struct {
		Funder string          `xml:"funderName"`
		ID     *dataciteFunder `xml:"funderIdentifier"`
		Number *dataciteAward  `xml:"awardNumber"`
		Title  string          `xml:"awardTitle,omitempty"`
	}
	dataciteFunder struct {
		Type string `xml:"funderIdentifierType,attr"`
		Text string `xml:",chardata"`
	}
	dataciteAward struct {
		URI  string `xml:"awardURI,attr,omitempty"`
		Text string `xml:",chardata"`
	}
)

// dataCiteXML returns the record in DataCite's XML.
func dataCiteXML(r Record) dataciteXML {
	one := dataciteXML{
		Namespace: dataciteSchema, XSI: xsiNamespace, Location: dataciteSchema + " http://schema.datacite.org/meta/kernel-4/metadata.xsd",
		Identifier: typed{"URL", r.Permanent}, Titles: []string{r.Name}, Publisher: datacitePublished{Text: r.Publisher.Name}, Year: r.year(),
		Type: dataciteKind{dataciteTypes[r.Type], dataciteTypes[r.Type]}, Creators: datacitePeopleXML("creatorName", r.People),
		Dates: []dataciteDate{{"Issued", formatDate(r.Published)}, {"Updated", formatDate(r.Modified)}}, Version: r.Version, Language: r.Language,
	}
	if r.DOI != "" {
		one.Identifier, one.Alternates = typed{"DOI", r.DOI}, &dataciteAlternate{[]dataciteAlternateID{{"URL", r.Permanent}}}
	}
	if r.Publisher.ROR != "" {
		one.Publisher.ID, one.Publisher.Scheme, one.Publisher.Base = r.Publisher.ROR, "ROR", rorResolver
	}
	if len(one.Creators) == 0 {
		one.Creators = []datacitePersonXML{{Name: dataciteName{xml.Name{Local: "creatorName"}, "Organizational", r.Publisher.Name}}}
	}
	if len(r.Others) > 0 {
		one.Contributors = &dataciteContributors{datacitePeopleXML("contributorName", r.Others)}
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
	if files := filesInWords(r); len(files.formats) > 0 {
		one.Formats = &dataciteFormats{files.formats}
		if len(files.sizes) > 0 {
			one.Sizes = &dataciteSizes{files.sizes}
		}
	}
	if len(r.Relations) > 0 {
		one.Related = &dataciteRelations{}
		for _, relation := range r.Relations {
			name, kind := dataciteRelated(relation)
			one.Related.List = append(one.Related.List, dataciteRelation{kind, relation.Relation, name})
		}
	}
	if len(r.Funding) > 0 {
		one.Funding = &dataciteFunding{}
		for _, from := range r.Funding {
			grant := dataciteGrant{Funder: from.Funder, Title: from.AwardTitle}
			if from.FunderID != "" {
				grant.ID = &dataciteFunder{funderScheme(from.FunderID), from.FunderID}
			}
			if number := cmp.Or(from.AwardNumber, from.AwardURL); number != "" {
				grant.Number = &dataciteAward{from.AwardURL, number}
			}
			one.Funding.List = append(one.Funding.List, grant)
		}
	}
	return one
}

// datacitePeopleXML returns people whose names are in an element of this name.
func datacitePeopleXML(element string, from []Person) (list []datacitePersonXML) {
	for _, person := range from {
		one := datacitePersonXML{Role: person.Role, Name: dataciteName{xml.Name{Local: element}, "Personal", person.Name}}
		if given, family := personname.Split(person.Name); family != "" {
			one.Name.Text, one.Given, one.Family = family+", "+given, given, family
		}
		if person.ORCID != "" {
			one.Identifier = &dataciteNameID{"ORCID", "https://orcid.org", orcidResolver + person.ORCID}
		}
		if at := person.Affiliation; at.Name != "" {
			one.At = &dataciteAffiliation{Text: at.Name}
			if at.ROR != "" {
				one.At.ID, one.At.Scheme = at.ROR, "ROR"
			}
		}
		list = append(list, one)
	}
	return list
}
