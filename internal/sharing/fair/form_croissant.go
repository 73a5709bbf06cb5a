package fair

import (
	"cmp"
	"fmt"
	"strings"

	"cairn/internal/entries/catalog"
)

const croissantProfile = "http://mlcommons.org/croissant/1.1"

// croissantContext is the context of Croissant 1.1. Its readers compare it word by word, and want https for schema.org.
var croissantContext = node{
	"@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/", "cr": "http://mlcommons.org/croissant/",
	"rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/",
	"annotation": "cr:annotation", "arrayShape": "cr:arrayShape", "citeAs": "cr:citeAs", "column": "cr:column", "conformsTo": "dct:conformsTo",
	"containedIn": "cr:containedIn", "data": node{"@id": "cr:data", "@type": "@json"}, "dataType": node{"@id": "cr:dataType", "@type": "@vocab"},
	"equivalentProperty": "cr:equivalentProperty", "examples": node{"@id": "cr:examples", "@type": "@json"}, "excludes": "cr:excludes",
	"extract": "cr:extract", "field": "cr:field", "fileProperty": "cr:fileProperty", "fileObject": "cr:fileObject", "fileSet": "cr:fileSet",
	"format": "cr:format", "includes": "cr:includes", "isArray": "cr:isArray", "isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath",
	"key": "cr:key", "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path", "recordSet": "cr:recordSet", "references": "cr:references",
	"regex": "cr:regex", "repeated": "cr:repeated", "replace": "cr:replace", "samplingRate": "cr:samplingRate", "separator": "cr:separator",
	"source": "cr:source", "subField": "cr:subField", "transform": "cr:transform", "value": "cr:value", "sha256": "cr:sha256",
}

// croissant writes a dataset as Croissant 1.1, with the statistics of its columns. Files without a digest are left out
// until it is computed, because readers refuse them.
func croissant(r Record, site Site) (any, error) {
	citation, err := bibtex(r, site)
	if err != nil {
		return nil, err
	}
	one := node{
		"@context": croissantContext, "@type": "sc:Dataset", "@id": r.Permanent, "conformsTo": croissantProfile, "name": r.Name, "url": r.Address,
		"description": orName(r), "creator": peopleNodes(r.People), "publisher": organization(r.Publisher), "datePublished": formatDate(r.Published),
		"dateModified": formatDate(r.Modified), "citeAs": strings.TrimSpace(citation.(string)), //nolint:errcheck,forcetypeassert // it writes text
	}
	if len(r.Keywords) > 0 {
		one["keywords"] = r.Keywords
	}
	if r.Language != "" {
		one["inLanguage"] = r.Language
	}
	if r.Version != "" {
		one["version"] = r.Version
	}
	if len(r.Others) > 0 {
		one["contributor"] = peopleNodes(r.Others)
	}
	if len(r.Funding) > 0 {
		one["funder"], one["funding"] = funders(r), grants(r)
	}
	switch {
	case r.License.URL != "":
		one["license"] = r.License.URL
	case r.License.Expression != "":
		one["license"] = r.License.Expression
	}
	files, sets := []node{}, []node{}
	for _, file := range r.Files {
		live := file.SHA256 == "" && file.Path == "" // data elsewhere, which nobody here has read
		if file.SHA256 == "" && !live {
			continue
		}
		object := node{"@type": "cr:FileObject", "@id": croissantID(file.Name, file.Path), "name": file.Name, "contentUrl": file.URL, "encodingFormat": file.Type}
		if live {
			one["isLiveDataset"] = true
		} else {
			object["sha256"] = file.SHA256
		}
		if file.Size >= 0 {
			object["contentSize"] = fmt.Sprint(file.Size, " B")
		}
		files = append(files, object)
		if len(file.Columns) > 0 {
			sets = append(sets, recordSet(file))
		}
	}
	one["distribution"] = files
	if len(sets) > 0 {
		one["recordSet"] = sets
	}
	return one, nil
}

func orName(r Record) string {
	if r.Description == "" {
		return r.Name
	}
	return r.Description
}

// croissantID turns a path into an id, which may not have every character. Different paths have different ids.
func croissantID(name, path string) string {
	var id strings.Builder
	for _, r := range cmp.Or(path, name) {
		if r < '!' || strings.ContainsRune(`"<>\^{|}#?%~`+"`", r) {
			fmt.Fprintf(&id, "~%02X", r)
		} else {
			id.WriteRune(r)
		}
	}
	return id.String()
}

func recordSet(file File) node {
	id := croissantID(file.Name, file.Path)
	set := id + "-rows"
	fields := []node{}
	known := map[string]bool{}
	for _, column := range file.Columns {
		if known[column.Name] {
			continue // readers find columns by name
		}
		known[column.Name] = true
		field := set + "/" + croissantID(column.Name, "")
		one := node{
			"@type": "cr:Field", "@id": field, "name": column.Name, "description": "The column " + column.Name + " of " + file.Name + ".", "dataType": "sc:Text",
			"source": node{"fileObject": node{"@id": id}, "extract": node{"column": column.Name}},
		}
		if column.IsNumber {
			one["dataType"] = "sc:Float"
			statistics := []node{}
			for _, value := range []struct {
				name string
				of   float64
			}{{"mean", column.Mean}, {"min", column.Minimum}, {"max", column.Maximum}} {
				statistics = append(statistics, node{"@type": "cr:Field", "@id": field + "/" + value.name, "name": value.name, "dataType": "sc:Float", "value": value.of})
			}
			one["annotation"] = statistics
		}
		fields = append(fields, one)
	}
	return node{"@type": "cr:RecordSet", "@id": set, "name": file.Name + " rows", "description": "The rows of " + file.Name + ".", "field": fields}
}

func onlyDatasets(r Record) bool { return r.Type == catalog.Dataset }

func onlySoftware(r Record) bool { return r.isSoftware() }

func everyType(Record) bool { return true }
