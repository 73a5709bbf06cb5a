package fair

import (
	"encoding/xml"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/personname"
)

// dublinCore is the record in simple Dublin Core, as OAI-PMH has it.
type dublinCore struct {
	XMLName     xml.Name `xml:"oai_dc:dc"`
	OAI         string   `xml:"xmlns:oai_dc,attr"`
	DC          string   `xml:"xmlns:dc,attr"`
	XSI         string   `xml:"xmlns:xsi,attr"`
	Location    string   `xml:"xsi:schemaLocation,attr"`
	Title       string   `xml:"dc:title"`
	Creators    []string `xml:"dc:creator"`
	Subjects    []string `xml:"dc:subject"`
	Description string   `xml:"dc:description,omitempty"`
	Publisher   string   `xml:"dc:publisher"`
	Others      []string `xml:"dc:contributor"`
	Date        string   `xml:"dc:date"`
	Types       []string `xml:"dc:type"`
	Format      string   `xml:"dc:format,omitempty"`
	Identifiers []string `xml:"dc:identifier"`
	Source      string   `xml:"dc:source,omitempty"`
	Language    string   `xml:"dc:language,omitempty"`
	Relations   []string `xml:"dc:relation"`
	Rights      []string `xml:"dc:rights"`
}

// dcmiTypes are Dublin Core's words for the types of entries.
var dcmiTypes = map[catalog.Type]string{catalog.Dataset: "Dataset", catalog.Model: "Software", catalog.Notebook: "Software", catalog.Repository: "Software"}

func dublinCoreOf(r Record) dublinCore {
	one := dublinCore{
		OAI: "http://www.openarchives.org/OAI/2.0/oai_dc/", DC: "http://purl.org/dc/elements/1.1/", XSI: xsiNamespace,
		Location: "http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd",
		Title:    r.Name, Subjects: r.Keywords, Description: r.Description, Publisher: r.Publisher.Name, Date: formatDate(r.Published),
		Types: []string{dcmiTypes[r.Type]}, Format: r.Format, Identifiers: []string{r.Address, r.Permanent}, Source: r.Source, Language: r.Language,
		Rights: []string{"info:eu-repo/semantics/openAccess"},
	}
	if kind := dataciteTypes[r.Type]; kind != one.Types[0] {
		one.Types = append(one.Types, kind)
	}
	for _, person := range r.People {
		one.Creators = append(one.Creators, dcName(person.Name))
	}
	for _, person := range r.Others {
		one.Others = append(one.Others, dcName(person.Name))
	}
	if r.DOI != "" {
		one.Identifiers = append(one.Identifiers, doiAddress(r.DOI))
	}
	for _, relation := range r.Relations {
		if address := encodeInLink(relation.Address()); address != "" {
			one.Relations = append(one.Relations, address)
		}
	}
	switch {
	case r.License.URL != "":
		one.Rights = append(one.Rights, r.License.URL)
	case r.License.Expression != "":
		one.Rights = append(one.Rights, r.License.Expression)
	}
	return one
}

func dcName(name string) string {
	if given, family := personname.Split(name); family != "" {
		return family + ", " + given
	}
	return name
}

// oaiDataCite is the record in DataCite's XML, in the envelope that OAI-PMH has for it.
type oaiDataCite struct {
	XMLName  xml.Name                       `xml:"oai_datacite"`
	Name     string                         `xml:"xmlns,attr"`
	XSI      string                         `xml:"xmlns:xsi,attr"`
	Location string                         `xml:"xsi:schemaLocation,attr"`
	Version  string                         `xml:"schemaVersion"`
	Symbol   string                         `xml:"datacentreSymbol"`
	Payload  struct{ Resource dataciteXML } `xml:"payload"`
}

func oaiDataCiteOf(r Record) oaiDataCite {
	one := oaiDataCite{
		Name: "http://schema.datacite.org/oai/oai-1.1/", XSI: xsiNamespace, Version: "4.6", Symbol: r.Publisher.Name,
		Location: "http://schema.datacite.org/oai/oai-1.1/ http://schema.datacite.org/oai/oai-1.1/oai.xsd",
	}
	one.Payload.Resource = dataCiteXML(r)
	return one
}

// timeOf returns the time of a number of microseconds since 1970.
func timeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }
