package archivestest

import (
	"bytes"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// Dataverse stands in for an installation of Dataverse.
type Dataverse struct {
	standIn

	doi   *DOI
	items []Item // protected by mu
}

// Add publishes a dataset at its DOI, and its files at theirs.
func (d *Dataverse) Add(item Item) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.items = append(d.items, item)
	d.doi.Set(item.DOI, d.url+"/citation?persistentId=doi:"+item.DOI)
	for _, one := range item.Files {
		if one.DOI != "" {
			d.doi.Set(one.DOI, d.url+"/file.xhtml?persistentId=doi:"+one.DOI)
		}
	}
}

func (d *Dataverse) routes() map[string]answerer {
	const version = "GET /api/datasets/:persistentId/versions/:latest-published"
	return map[string]answerer{
		version:                         {"dataset", nil, d.dataset},
		version + "/files":              {"datasetfiles", nil, d.files},
		"GET /api/files/:persistentId":  {"file", nil, d.file},
		"GET /api/access/datafile/{id}": {"download", nil, d.download},
	}
}

// find returns the index of the dataset that a query names; -1 if there is none.
func (d *Dataverse) find(r request) int {
	for i, one := range d.items {
		if "doi:"+strings.ToUpper(one.DOI) == "doi:"+strings.ToUpper(strings.TrimPrefix(r.URL.Query().Get("persistentId"), "doi:")) {
			return i
		}
	}
	return -1
}

var nothing = object{"status": "ERROR", "message": "Dataset with Persistent ID not found."}

func ok(data any) (int, any) { return http.StatusOK, object{"status": "OK", "data": data} }

func field(name string, value any) object {
	return object{"typeName": name, "multiple": false, "typeClass": "primitive", "value": value}
}

func version(item Item) object {
	authors, keywords := []object{}, []object{}
	for _, one := range item.People {
		authors = append(authors, object{
			"authorName": field("authorName", one.Name), "authorAffiliation": field("authorAffiliation", one.Affiliation),
			"authorIdentifier": field("authorIdentifier", "https://orcid.org/"+one.ORCID),
		})
	}
	for _, one := range item.Keywords {
		keywords = append(keywords, object{"keywordValue": field("keywordValue", one)})
	}
	major, minor, _ := strings.Cut(item.Version, ".")
	first, _ := strconv.Atoi(major)
	second, _ := strconv.Atoi(minor)
	return object{
		"versionNumber": first, "versionMinorNumber": second, "versionState": "RELEASED", "publicationDate": item.Published, "datasetPersistentId": "doi:" + item.DOI,
		"license": object{"name": item.License, "uri": "http://creativecommons.org/publicdomain/zero/1.0"},
		"metadataBlocks": object{"citation": object{"fields": []object{
			field("title", item.Title), field("author", authors), field("keyword", keywords),
			field("dsDescription", []object{{"dsDescriptionValue": field("dsDescriptionValue", item.Description)}}), field("subject", []string{"Physics"}),
		}}},
	}
}

func (d *Dataverse) dataset(r request) (int, any) {
	found := d.find(r)
	if found < 0 {
		return http.StatusNotFound, nothing
	}
	return ok(version(d.items[found]))
}

// fileNumber is the id of a file of a dataset.
func fileNumber(dataset, file int) int { return (dataset+1)*100_000 + file }

// describe says a file. The checksum of a table is that of no form of it that can be fetched.
func describe(dataset, number int, one Content) object {
	sum, size := md5Of(one.Data), len(one.Data)
	data := object{"id": fileNumber(dataset, number), "filename": path.Base(one.Path)}
	if one.Original != "" {
		data["originalFileName"], data["originalFileFormat"], data["originalFileSize"] = one.Original, "text/csv", size
		sum, size = md5Of(append([]byte("neither "), one.Data...)), len(tabular(one))
	}
	data["filesize"], data["md5"], data["checksum"] = size, sum, object{"type": "MD5", "value": sum}
	if one.Embargo != "" {
		data["embargo"] = object{"dateAvailable": one.Embargo, "reason": "Not yet."}
	}
	said := object{"label": path.Base(one.Path), "restricted": one.Restricted, "version": 1, "dataFile": data}
	if folder := path.Dir(one.Path); folder != "." {
		said["directoryLabel"] = folder
	}
	return said
}

// tabular is what is made of a table.
func tabular(one Content) []byte { return bytes.ReplaceAll(one.Data, []byte(","), []byte("\t\t")) }

func (d *Dataverse) files(r request) (int, any) {
	found := d.find(r)
	if found < 0 {
		return http.StatusNotFound, nothing
	}
	offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	all := d.items[found].Files
	if err != nil {
		limit = len(all)
	}
	page := []object{}
	for i := offset; i < min(offset+limit, len(all)); i++ {
		page = append(page, describe(found, i, all[i]))
	}
	return ok(page)
}

func (d *Dataverse) file(r request) (int, any) {
	for i, item := range d.items {
		for k, one := range item.Files {
			if one.DOI == "" || "doi:"+one.DOI != r.URL.Query().Get("persistentId") {
				continue
			}
			said := describe(i, k, one)
			if r.URL.Query().Get("returnDatasetVersion") == "true" {
				said["datasetVersion"] = version(item)
			}
			return ok(said)
		}
	}
	return http.StatusNotFound, nothing
}

func (d *Dataverse) download(r request) (int, any) {
	for i, item := range d.items {
		for k, one := range item.Files {
			if r.PathValue("id") != strconv.Itoa(fileNumber(i, k)) {
				continue
			}
			switch {
			case one.Restricted, one.Embargo != "":
				return http.StatusForbidden, said("'/api/v1/access/datafile' you are not authorized to access this object.")
			case one.Original != "" && r.URL.Query().Get("format") != "original":
				return http.StatusOK, content(tabular(one))
			}
			return http.StatusOK, content(one.Data)
		}
	}
	return http.StatusNotFound, nothing
}
