package fair

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"

	"cairn/internal/foundation/fault"
)

const notebookType = "application/x-ipynb+json"

// form is one way to write a record.
type form struct {
	Name    string // in addresses
	Type    string // media type, as answers have it
	Profile string // that tells it from other forms of the same media type; may be empty
	Aliases []string
	For     func(Record) bool
	Write   func(Record, Site) (any, error) // a text, or what JSON or XML is made from
	isXML   bool
}

// jsonLDType is the media type of everything that is written in JSON-LD.
const jsonLDType = "application/ld+json"

// forms are all forms: a new one is a file with its function, and its row here. Of forms that a client likes equally, the
// first one is chosen.
func forms() []form {
	return []form{
		{Name: "jsonld", Type: jsonLDType, Aliases: []string{"application/vnd.schemaorg.ld+json"}, For: everyType, Write: jsonLD},
		{Name: "datacite", Type: "application/vnd.datacite.datacite+json", For: everyType, Write: dataCite},
		{
			Name: "datacite-xml", Type: "application/vnd.datacite.datacite+xml", Aliases: []string{"application/xml", "text/xml"}, For: everyType, isXML: true,
			Write: func(r Record, _ Site) (any, error) { return dataCiteXML(r), nil },
		},
		{Name: "croissant", Type: jsonLDType, Profile: croissantProfile, For: onlyDatasets, Write: croissant},
		{Name: "rocrate", Type: jsonLDType, Profile: crateProfile, For: everyType, Write: crate},
		{Name: "codemeta", Type: "application/vnd.codemeta.ld+json", For: onlySoftware, Write: codeMeta},
		{Name: "bibtex", Type: "application/x-bibtex", Aliases: []string{"text/x-bibtex"}, For: everyType, Write: bibtex},
		{Name: "csl", Type: "application/vnd.citationstyles.csl+json", For: everyType, Write: csl},
		{Name: "cff", Type: "application/yaml", Aliases: []string{"text/yaml", "application/x-yaml"}, For: everyType, Write: cff},
		{
			Name: linksetName, Type: linksetType, For: everyType,
			Write: func(r Record, _ Site) (any, error) { return linkset(r), nil },
		},
	}
}

// contentType is the media type with what it needs.
func (f form) contentType() string {
	switch {
	case f.Profile == crateProfile:
		return f.Type + `; profile="http://www.w3.org/ns/json-ld#flattened http://www.w3.org/ns/json-ld#compacted ` + crateProfile + `"`
	case f.Profile != "":
		return f.Type + `; profile="` + f.Profile + `"`
	case strings.HasSuffix(f.Type, "bibtex"), strings.HasSuffix(f.Type, "yaml"):
		return f.Type + "; charset=utf-8"
	}
	return f.Type
}

// formsFor returns the forms in which a record can be written.
func formsFor(r Record) []form {
	var list []form
	for _, one := range forms() {
		if one.For(r) {
			list = append(list, one)
		}
	}
	return list
}

// formNamed returns a form of a record; NotFound, naming those that there are.
func formNamed(r Record, name string) (form, error) {
	var names []string
	for _, one := range formsFor(r) {
		if one.Name == name {
			return one, nil
		}
		names = append(names, one.Name)
	}
	return form{}, fault.New(fault.NotFound, "This entry has no form %s. It has %s.", fault.Quote(name), strings.Join(names, ", "))
}

// write returns the bytes of a form.
func (f form) write(r Record, site Site) ([]byte, error) {
	made, err := f.Write(r, site)
	if err != nil {
		return nil, err
	}
	if text, ok := made.(string); ok {
		return []byte(text), nil
	}
	if f.isXML {
		text, err := xml.MarshalIndent(made, "", "  ")
		return append([]byte(xml.Header), text...), err
	}
	return plainJSON(made)
}

// plainJSON writes JSON for programs, without escapes for pages.
func plainJSON(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(value)
	return text.Bytes(), err
}
