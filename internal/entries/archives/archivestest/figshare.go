package archivestest

import (
	"fmt"
	"net/http"
	"strconv"
)

// Figshare stands in for Figshare.
type Figshare struct {
	standIn

	doi   *DOI
	items [][]Item // by number, the versions of each; protected by mu
}

// Add publishes an item, and returns its number and the DOI of this version. of is the number of an item that it is the next
// version of; -1: it's a new one.
func (f *Figshare) Add(item Item, of int) (number int, doi string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if of < 0 {
		of = len(f.items)
		f.items = append(f.items, nil)
	}
	f.items[of] = append(f.items[of], item)
	concept := figshareDOI(of)
	doi = fmt.Sprintf("%s.v%d", concept, len(f.items[of]))
	f.doi.Set(concept, "https://figshare.com/articles/dataset/a_title/"+strconv.Itoa(figshareNumber(of)))
	f.doi.Set(doi, fmt.Sprintf("https://figshare.com/articles/dataset/a_title/%d/%d", figshareNumber(of), len(f.items[of])))
	return of, doi
}

func figshareNumber(index int) int { return 5_000_000 + index }

func figshareDOI(index int) string {
	return "10.6084/m9.figshare." + strconv.Itoa(figshareNumber(index))
}

func (f *Figshare) routes() map[string]answerer {
	return map[string]answerer{
		"GET /v2/articles/{id}":                    {"article", nil, f.article},
		"GET /v2/articles/{id}/versions/{version}": {"article", nil, f.article},
		"GET /files/{id}/{version}/{number}":       {"download", nil, f.download},
	}
}

// find returns the version of an item that a path names, or the newest.
func (f *Figshare) find(r request) (item Item, index, version int, ok bool) {
	number, err := strconv.Atoi(r.PathValue("id"))
	index = number - figshareNumber(0)
	if err != nil || index < 0 || index >= len(f.items) {
		return Item{}, 0, 0, false
	}
	version = len(f.items[index])
	if text := r.PathValue("version"); text != "" {
		if version, err = strconv.Atoi(text); err != nil || version < 1 || version > len(f.items[index]) {
			return Item{}, 0, 0, false
		}
	}
	return f.items[index][version-1], index, version, true
}

func (f *Figshare) article(r request) (int, any) {
	item, index, version, ok := f.find(r)
	if !ok {
		return http.StatusNotFound, said("Entity not found: article.")
	}
	authors, files := []object{}, []object{}
	for _, one := range item.People {
		authors = append(authors, object{"full_name": one.Name, "orcid_id": one.ORCID})
	}
	for i, one := range item.Files {
		file := object{
			"id": 100 + i, "name": one.Path, "size": len(one.Data), "is_link_only": one.LinkOnly, "supplied_md5": "", "computed_md5": md5Of(one.Data),
			"download_url": fmt.Sprintf("%s/files/%d/%d/%d", f.url, figshareNumber(index), version, i),
		}
		if one.Elsewhere != "" {
			file["download_url"] = one.Elsewhere
		}
		files = append(files, file)
	}
	if item.Restricted {
		files = []object{}
	}
	return http.StatusOK, object{
		"id": figshareNumber(index), "title": item.Title, "doi": fmt.Sprintf("%s.v%d", figshareDOI(index), version), "description": item.Description,
		"license": object{"value": 1, "name": item.License, "url": "https://creativecommons.org/"}, "authors": authors, "published_date": item.Published + "T09:00:00Z",
		"version": version, "tags": item.Keywords, "files": files, "is_embargoed": item.Restricted, "is_confidential": false,
	}
}

func (f *Figshare) download(r request) (int, any) {
	item, _, _, ok := f.find(r)
	number, err := strconv.Atoi(r.PathValue("number"))
	if !ok || err != nil || number < 0 || number >= len(item.Files) {
		return http.StatusNotFound, nil
	}
	return http.StatusOK, content(item.Files[number].Data)
}
