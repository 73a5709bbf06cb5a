package fair

import (
	"fmt"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/personname"
)

type node = map[string]any

const schemaContext = "https://schema.org/"

// jsonLD writes the record in the vocabulary of schema.org.
func jsonLD(r Record, site Site) (any, error) { return schemaOf(r, site), nil }

// schemaOf returns the record in the vocabulary of schema.org, with terms of PROV, which says where it comes from.
func schemaOf(r Record, site Site) node {
	one := node{
		"@context": []any{schemaContext, node{"prov": "http://www.w3.org/ns/prov#", "codemeta": "https://codemeta.github.io/terms/"}},
		"@id":      r.Permanent, "@type": r.schemaType(), "name": r.Name, "url": r.Address, "identifier": identifiers(r),
		"creator": peopleNodes(r.People), "publisher": organization(r.Publisher),
		"dateCreated": formatDate(r.Published), "datePublished": formatDate(r.Published), "dateModified": formatDate(r.Modified),
		"isAccessibleForFree": true, "conditionsOfAccess": "Everyone may read this entry without signing in.",
		"includedInDataCatalog": node{"@type": "DataCatalog", "@id": site.Public + "/", "name": site.Product, "url": site.Public + "/resources"},
		"prov:generatedAtTime":  node{"@type": "http://www.w3.org/2001/XMLSchema#dateTime", "@value": formatTime(r.Modified)},
	}
	put := func(key string, value any, has bool) {
		if has {
			one[key] = value
		}
	}
	put("description", r.Description, r.Description != "")
	put("keywords", r.Keywords, len(r.Keywords) > 0)
	put("image", r.Image, r.Image != "")
	put("inLanguage", r.Language, r.Language != "")
	put("contributor", peopleNodes(r.Others), len(r.Others) > 0)
	put("version", r.Version, r.Version != "")
	put("sameAs", doiAddress(r.DOI), r.DOI != "")
	switch {
	case r.License.URL != "":
		one["license"] = r.License.URL
	case r.License.Expression != "":
		one["license"] = r.License.Expression
	}
	switch r.Type {
	case catalog.Notebook:
		// Archives of research software list notebooks as source code. People also learn from them.
		one["@type"] = []string{"SoftwareSourceCode", "LearningResource"}
		one["encodingFormat"], one["learningResourceType"] = r.Format, "Computational notebook"
		put("codeRepository", r.Source, r.Source != "")
	case catalog.Repository:
		one["codeRepository"] = r.Source
	case catalog.Model:
		put("softwareVersion", r.Version, r.Version != "")
		one["applicationCategory"] = "Scientific model"
	case catalog.Dataset:
		put("variableMeasured", variables(r), len(variables(r)) > 0)
	}
	put("distribution", distribution(r), len(r.Files) > 0)
	put("funding", grants(r), len(r.Funding) > 0)
	addRelations(one, r)
	return one
}

// identifiers are the permanent address and the DOI.
func identifiers(r Record) any {
	if r.DOI == "" {
		return r.Permanent
	}
	return []any{
		node{"@type": "PropertyValue", "propertyID": "https://registry.identifiers.org/registry/doi", "value": "doi:" + r.DOI, "url": doiAddress(r.DOI)},
		r.Permanent,
	}
}

func peopleNodes(from []Person) []node {
	list := []node{}
	for _, person := range from {
		one := node{"@type": "Person", "name": person.Name}
		if given, family := personname.Split(person.Name); family != "" {
			one["givenName"], one["familyName"] = given, family
		}
		if person.ORCID != "" {
			one["@id"] = orcidResolver + person.ORCID
		}
		if person.Affiliation.Name != "" {
			one["affiliation"] = organization(person.Affiliation)
		}
		list = append(list, one)
	}
	return list
}

func organization(from Organization) node {
	one := node{"@type": "Organization", "name": from.Name}
	if from.URL != "" {
		one["url"] = from.URL
	}
	if from.ROR != "" {
		one["@id"] = from.ROR
	}
	return one
}

func distribution(r Record) []node {
	list := []node{}
	for _, file := range r.Files {
		one := node{"@type": "DataDownload", "name": file.Name, "contentUrl": file.URL, "encodingFormat": file.Type}
		if file.Size >= 0 {
			one["contentSize"] = fmt.Sprint(file.Size, " B")
		}
		if file.SHA256 != "" {
			one["sha256"] = file.SHA256
		}
		list = append(list, one)
	}
	return list
}

// variablesShown limits the columns in the description of a dataset.
const variablesShown = 40

func variables(r Record) []node {
	list := []node{}
	known := map[string]bool{}
	for _, file := range r.Files {
		for _, column := range file.Columns {
			if known[column.Name] || len(list) == variablesShown {
				continue
			}
			known[column.Name] = true
			one := node{"@type": "PropertyValue", "name": column.Name}
			if column.IsNumber {
				one["minValue"], one["maxValue"] = column.Minimum, column.Maximum
			}
			list = append(list, one)
		}
	}
	return list
}

// funders are the organizations that paid for it, each once.
func funders(r Record) (list []node) {
	known := map[string]bool{}
	for _, from := range r.Funding {
		if !known[from.Funder] {
			known[from.Funder] = true
			list = append(list, organization(Organization{Name: from.Funder, ROR: from.FunderID}))
		}
	}
	return list
}

func grants(r Record) []node {
	list := []node{}
	for _, from := range r.Funding {
		funder := organization(Organization{Name: from.Funder, ROR: from.FunderID})
		one := node{"@type": "Grant", "funder": funder}
		for key, value := range map[string]string{"identifier": from.AwardNumber, "name": from.AwardTitle, "url": from.AwardURL} {
			if value != "" {
				one[key] = value
			}
		}
		list = append(list, one)
	}
	return list
}

// schemaRelations are the relations that schema.org has a word for.
var schemaRelations = map[string]string{
	"IsDerivedFrom": "isBasedOn", "IsSourceOf": "citation", "Cites": "citation", "References": "citation", "IsCitedBy": "subjectOf", "IsSupplementTo": "citation",
	"IsPartOf": "isPartOf", "HasPart": "hasPart", "IsDocumentedBy": "subjectOf", "IsVersionOf": "exampleOfWork", "IsNewVersionOf": "isBasedOn",
	"IsIdenticalTo": "sameAs",
}

func addRelations(one node, r Record) {
	for _, relation := range r.Relations {
		word, address := schemaRelations[relation.Relation], encodeInLink(relation.Address())
		if word == "" || address == "" {
			continue
		}
		if first, there := one[word]; there {
			list, many := first.([]any)
			if !many {
				list = []any{first}
			}
			one[word] = append(list, address)
			continue
		}
		one[word] = address
	}
}

// formatTime writes a time in seconds, in UTC.
func formatTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }
