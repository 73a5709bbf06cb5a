package archivestest

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"cairn/internal/entries/archives"
)

// Archive stands in for Zenodo or an InvenioRDM.
type Archive struct {
	standIn

	kind archives.Kind
	doi  *DOI

	HidesPublished bool // Zenodo's deposits are gone once they are published

	deposits []*Deposit // protected by mu
	next     int        // protected by mu
}

// Deposit is a draft or a record.
type Deposit struct {
	ID        string
	DOI       string // "": none is reserved
	Published bool
	Metadata  map[string]any // as the archive has them
	Files     map[string][]byte

	concept    string
	isEmpty    map[string]bool // files that are registered, and not there yet
	restricted bool
}

func newArchive(kind archives.Kind, doi *DOI) *Archive {
	return &Archive{kind: kind, doi: doi, next: 1000}
}

// Archive is how operators would list it.
func (a *Archive) Archive() archives.Archive {
	return archives.Archive{Name: string(a.kind), Label: "The " + string(a.kind), Kind: a.kind, URL: a.url}
}

// Deposits returns all drafts and records, the oldest first.
func (a *Archive) Deposits() []Deposit {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []Deposit
	for _, one := range a.deposits {
		copied := *one
		copied.Metadata, copied.Files = maps.Clone(one.Metadata), maps.Clone(one.Files)
		all = append(all, copied)
	}
	return all
}

// Add publishes a record, and returns its DOI and that of all its versions. of is the DOI of a version before; "": it's the first.
func (a *Archive) Add(item Item, of string) (doi, concept string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	added := a.add()
	for _, one := range a.deposits {
		if of != "" && one.DOI == of {
			added.concept = one.concept
		}
	}
	added.Metadata = a.metadataOf(item)
	added.restricted = item.Restricted
	for _, file := range item.Files {
		added.Files[file.Path] = file.Data
	}
	a.publish(added)
	return added.DOI, a.doiOf(added.concept)
}

// add begins a draft. a.mu must be held.
func (a *Archive) add() *Deposit {
	a.next += 2
	made := &Deposit{ID: a.id(a.next), concept: a.id(a.next - 1), Metadata: map[string]any{}, Files: map[string][]byte{}, isEmpty: map[string]bool{}}
	a.deposits = append(a.deposits, made)
	return made
}

func (a *Archive) id(number int) string {
	if a.kind == archives.KindZenodo {
		return strconv.Itoa(number)
	}
	return fmt.Sprintf("abcde-%05d", number)
}

func (a *Archive) doiOf(id string) string {
	if a.kind == archives.KindZenodo {
		return "10.5281/zenodo." + id
	}
	return "10.12345/" + id
}

// publish makes a record of a draft, and registers its DOIs. a.mu must be held.
func (a *Archive) publish(one *Deposit) {
	one.Published, one.DOI = true, a.doiOf(one.ID)
	a.doi.Set(one.DOI, a.url+"/records/"+one.ID)
	a.doi.Set(a.doiOf(one.concept), a.url+"/doi/"+a.doiOf(one.concept))
}

func (a *Archive) secret(r *http.Request) int {
	switch {
	case r.URL.Query().Has("access_token"):
		return http.StatusBadRequest // the real ones take it, but it would be in their logs
	case r.Header.Get("Authorization") == "Bearer "+Token:
		return 0
	case a.kind == archives.KindZenodo:
		return http.StatusUnauthorized
	}
	return http.StatusForbidden
}

// draft runs a call on the draft in the path; 404 if there is none.
func (a *Archive) draft(do func(request, *Deposit) (int, any)) func(request) (int, any) {
	return func(r request) (int, any) {
		for _, one := range a.deposits {
			if !one.Published && (one.ID == r.PathValue("id") || "bucket-"+one.ID == r.PathValue("id")) {
				return do(r, one)
			}
		}
		return http.StatusNotFound, said("The persistent identifier does not exist.")
	}
}

// record runs a call on the published record in the path, to whose newest version the id of all versions leads.
func (a *Archive) record(do func(request, *Deposit) (int, any)) func(request) (int, any) {
	return func(r request) (int, any) {
		for _, one := range slices.Backward(a.deposits) {
			switch id := r.PathValue("id"); {
			case one.Published && one.ID == id:
				return do(r, one)
			case one.Published && one.concept == id:
				return http.StatusFound, redirect("/api/records/" + one.ID)
			}
		}
		return http.StatusNotFound, said("The persistent identifier does not exist.")
	}
}

// newest returns the newest version of a record, and the draft of the next one; nil without one.
func (a *Archive) newest(concept string) (published, draft *Deposit) {
	for _, one := range a.deposits {
		switch {
		case one.concept != concept:
		case one.Published:
			published = one
		default:
			draft = one
		}
	}
	return published, draft
}

// nextVersion returns the draft of the next version of the newest; nil for an older one. a.mu must be held.
func (a *Archive) nextVersion(of *Deposit) *Deposit {
	newest, draft := a.newest(of.concept)
	if newest != of {
		return nil
	}
	if draft == nil {
		draft = a.add()
		draft.concept, draft.Metadata = of.concept, maps.Clone(of.Metadata)
		delete(draft.Metadata, "publication_date")
		delete(draft.Metadata, "version")
	}
	return draft
}

func (a *Archive) discard(_ request, one *Deposit) (int, any) {
	a.deposits = slices.DeleteFunc(a.deposits, func(other *Deposit) bool { return other == one })
	return http.StatusNoContent, nil
}

// store stores an uploaded file; 0 if it can.
func store(r request, one *Deposit) (status int, value any) {
	if r.Header.Get("Content-Type") != "application/octet-stream" || r.ContentLength != int64(len(r.body)) {
		return http.StatusUnsupportedMediaType, said("Unsupported media type, or no length.")
	}
	one.Files[r.PathValue("name")] = bytes.Clone(r.body)
	return 0, nil
}

func (a *Archive) download() answerer {
	return answerer{"download", nil, a.record(func(r request, one *Deposit) (int, any) {
		data, ok := one.Files[r.PathValue("name")]
		if !ok || one.restricted {
			return http.StatusNotFound, nil
		}
		return http.StatusOK, content(data)
	})}
}

// found returns what a search for a query finds, the newest first. A query is words in quotes, which some value must contain.
func (a *Archive) found(r request) []*Deposit {
	words := strings.Trim(r.URL.Query().Get("q"), `"`)
	size, err := strconv.Atoi(r.URL.Query().Get("size"))
	if err != nil {
		size = 10
	}
	all := []*Deposit{}
	for _, one := range slices.Backward(a.deposits) {
		if len(all) < size && strings.Contains(fmt.Sprint(one.Metadata), words) {
			all = append(all, one)
		}
	}
	return all
}

// text returns a value of metadata as a text.
func text(all map[string]any, name string) string {
	value, _ := all[name].(string)
	return value
}

func list(all map[string]any, name string) []object {
	values, _ := all[name].([]any)
	var objects []object
	for _, one := range values {
		if value, ok := one.(object); ok {
			objects = append(objects, value)
		}
	}
	return objects
}

func inside(value object, name string) object {
	found, _ := value[name].(object)
	return found
}

// metadataOf returns what describes an item in the archive's way.
func (a *Archive) metadataOf(item Item) map[string]any {
	license := cmp.Or(item.License, "cc-by-4.0")
	var creators []any
	if a.kind == archives.KindZenodo {
		for _, one := range item.People {
			creators = append(creators, object{"name": one.Name, "orcid": one.ORCID, "affiliation": one.Affiliation})
		}
		return object{
			"title": item.Title, "description": item.Description, "license": license, "version": item.Version, "publication_date": item.Published,
			"creators": creators, "keywords": item.Keywords, "upload_type": "dataset", "access_right": map[bool]string{true: "restricted", false: "open"}[item.Restricted],
		}
	}
	for _, one := range item.People {
		creators = append(creators, object{
			"person_or_org": object{"name": one.Name, "type": "personal", "identifiers": []object{{"scheme": "orcid", "identifier": one.ORCID}}},
			"affiliations":  []object{{"name": one.Affiliation}},
		})
	}
	var subjects []any
	for _, one := range item.Keywords {
		subjects = append(subjects, object{"subject": one})
	}
	return object{
		"title": item.Title, "description": item.Description, "version": item.Version, "publication_date": item.Published, "creators": creators,
		"subjects": subjects, "rights": []any{object{"id": license}}, "resource_type": object{"id": "dataset"}, "publisher": "Somebody",
	}
}

// Forget takes the notes out of a record, so that no mark in them is found.
func (a *Archive) Forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range a.deposits {
		if one.ID == id {
			delete(one.Metadata, "notes")
			delete(one.Metadata, "additional_descriptions")
		}
	}
}
