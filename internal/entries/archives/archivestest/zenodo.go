package archivestest

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (a *Archive) zenodoRoutes() map[string]answerer {
	const deposits = "/api/deposit/depositions"
	return map[string]answerer{
		"GET " + deposits:                            {"find", a.secret, a.zenodoFind},
		"POST " + deposits:                           {"create", a.secret, a.zenodoCreate},
		"GET " + deposits + "/{id}":                  {"get", a.secret, a.zenodoGet},
		"PUT " + deposits + "/{id}":                  {"describe", a.secret, a.draft(a.zenodoDescribe)},
		"DELETE " + deposits + "/{id}":               {"discard", a.secret, a.zenodoDiscard},
		"GET " + deposits + "/{id}/files":            {"files", a.secret, a.draft(zenodoFiles)},
		"PUT /api/files/{id}/{name}":                 {"upload", a.secret, a.draft(zenodoUpload)},
		"DELETE /api/files/{id}/{name}":              {"deletefile", a.secret, a.draft(deleteFile)},
		"POST " + deposits + "/{id}/actions/publish": {"publish", a.secret, a.zenodoPublish},
		"POST " + deposits + "/{id}/actions/newversion": {"newversion", a.secret, a.record(func(_ request, one *Deposit) (int, any) {
			return a.zenodoNext(one)
		})},
		"GET /api/records/{id}":                      {"record", nil, a.record(a.zenodoRecord)},
		"GET /api/records/{id}/files/{name}/content": a.download(),
	}
}

// zenodoDeposit is how Zenodo says a deposit.
func (a *Archive) zenodoDeposit(one *Deposit) object {
	id, _ := strconv.Atoi(one.ID) // it is a number
	metadata := object{"prereserve_doi": object{"doi": a.doiOf(one.ID), "recid": id}}
	maps.Copy(metadata, one.Metadata)
	links := object{"self": a.url + "/api/deposit/depositions/" + one.ID, "html": a.url + "/deposit/" + one.ID}
	said := object{"id": id, "record_id": id, "conceptrecid": one.concept, "metadata": metadata, "links": links, "submitted": one.Published, "state": "unsubmitted"}
	if one.Published {
		said["state"], said["doi"] = "done", one.DOI
		if _, draft := a.newest(one.concept); draft != nil {
			links["latest_draft"] = a.url + "/api/deposit/depositions/" + draft.ID
		}
	} else {
		links["bucket"] = a.url + "/api/files/bucket-" + one.ID
	}
	return said
}

func (a *Archive) zenodoFind(r request) (int, any) {
	all := []object{}
	for _, one := range a.found(r) {
		all = append(all, a.zenodoDeposit(one))
	}
	return http.StatusOK, all
}

func (a *Archive) zenodoCreate(r request) (int, any) {
	var sent struct {
		Metadata object `json:"metadata"`
	}
	if !r.object(&sent) {
		return http.StatusBadRequest, said("The browser (or proxy) sent a request that this server could not understand.")
	}
	made := a.add()
	if sent.Metadata != nil {
		made.Metadata = sent.Metadata
	}
	return http.StatusCreated, a.zenodoDeposit(made)
}

func (a *Archive) zenodoGet(r request) (int, any) {
	for _, one := range a.deposits {
		if one.ID == r.PathValue("id") && (!one.Published || !a.HidesPublished) {
			return http.StatusOK, a.zenodoDeposit(one)
		}
	}
	return http.StatusNotFound, said("The persistent identifier does not exist.")
}

func (a *Archive) zenodoDescribe(r request, one *Deposit) (int, any) {
	var sent struct {
		Metadata object `json:"metadata"`
	}
	if !r.object(&sent) || sent.Metadata == nil {
		return http.StatusBadRequest, said("No metadata.")
	}
	if wrong := zenodoErrors(sent.Metadata); len(wrong) > 0 {
		return http.StatusBadRequest, object{"status": 400, "message": "Validation error.", "errors": wrong}
	}
	one.Metadata = sent.Metadata
	return http.StatusOK, a.zenodoDeposit(one)
}

var knownLicenses = []string{"cc-by-4.0", "cc0-1.0", "mit", "apache-2.0", "bsd-3-clause"}

// zenodoErrors are what is wrong with metadata.
func zenodoErrors(m object) []object {
	wrong := []object{}
	add := func(isWrong bool, field, message string) {
		if isWrong {
			wrong = append(wrong, object{"field": field, "message": message})
		}
	}
	for _, name := range []string{"title", "upload_type", "description", "access_right", "license", "publication_date"} {
		add(text(m, name) == "", name, "Missing data for required field.")
	}
	add(text(m, "upload_type") != "" && !slices.Contains([]string{"dataset", "software", "other", "publication"}, text(m, "upload_type")), "upload_type", "Not a valid choice.")
	add(text(m, "license") != "" && !slices.Contains(knownLicenses, text(m, "license")), "license", "Not a valid choice.")
	_, err := time.Parse(time.DateOnly, text(m, "publication_date"))
	add(text(m, "publication_date") != "" && err != nil, "publication_date", "Not a valid date.")
	creators := list(m, "creators")
	add(len(creators) == 0, "creators", "Missing data for required field.")
	for i, one := range creators {
		add(text(one, "name") == "", "creators."+strconv.Itoa(i)+".name", "Missing data for required field.")
	}
	for i, one := range list(m, "related_identifiers") {
		relation := text(one, "relation")
		add(relation == "" || strings.ToLower(relation[:1]) != relation[:1] || text(one, "identifier") == "", "related_identifiers."+strconv.Itoa(i), "Not a valid relation.")
	}
	return wrong
}

func zenodoFiles(_ request, one *Deposit) (int, any) {
	all := []object{}
	for _, name := range names(one.Files) {
		all = append(all, object{"id": "file-" + name, "filename": name, "filesize": len(one.Files[name]), "checksum": md5Of(one.Files[name])})
	}
	return http.StatusOK, all
}

func zenodoUpload(r request, one *Deposit) (int, any) {
	if status, value := store(r, one); status != 0 {
		return status, value
	}
	name := r.PathValue("name")
	return http.StatusCreated, object{"key": name, "size": len(r.body), "checksum": "md5:" + md5Of(one.Files[name])}
}

func deleteFile(r request, one *Deposit) (int, any) {
	name := r.PathValue("name")
	if _, ok := one.Files[name]; !ok {
		return http.StatusNotFound, said("No such file.")
	}
	delete(one.Files, name)
	delete(one.isEmpty, name)
	return http.StatusNoContent, nil
}

func (a *Archive) isPublished(id string) bool {
	return slices.ContainsFunc(a.deposits, func(one *Deposit) bool { return one.Published && one.ID == id })
}

func (a *Archive) zenodoPublish(r request) (int, any) {
	if a.isPublished(r.PathValue("id")) {
		return http.StatusForbidden, said("It is published already.")
	}
	return a.draft(func(_ request, one *Deposit) (int, any) {
		wrong := zenodoErrors(one.Metadata)
		if len(one.Files) == 0 {
			wrong = append(wrong, object{"field": "files", "message": "Minimum one file must be provided."})
		}
		if len(wrong) > 0 {
			return http.StatusBadRequest, object{"status": 400, "message": "Validation error.", "errors": wrong}
		}
		a.publish(one)
		return http.StatusAccepted, a.zenodoDeposit(one)
	})(r)
}

func (a *Archive) zenodoDiscard(r request) (int, any) {
	if a.isPublished(r.PathValue("id")) {
		return http.StatusForbidden, said("It is published, which cannot be undone.")
	}
	return a.draft(a.discard)(r)
}

// zenodoNext answers with the version before, as Zenodo does.
func (a *Archive) zenodoNext(one *Deposit) (int, any) {
	_, before := a.newest(one.concept)
	draft := a.nextVersion(one)
	if draft == nil {
		return http.StatusBadRequest, said("Only the newest version can have a next one.")
	}
	if before == nil {
		maps.Copy(draft.Files, one.Files)
	}
	return http.StatusCreated, a.zenodoDeposit(one)
}

// zenodoRecord is what everybody sees of a record.
func (a *Archive) zenodoRecord(_ request, one *Deposit) (int, any) {
	id, _ := strconv.Atoi(one.ID) // it is a number
	metadata := object{}
	maps.Copy(metadata, one.Metadata)
	metadata["license"] = object{"id": text(one.Metadata, "license")}
	said := object{"id": id, "doi": one.DOI, "conceptdoi": a.doiOf(one.concept), "conceptrecid": one.concept, "metadata": metadata}
	if !one.restricted {
		files := []object{}
		for _, name := range names(one.Files) {
			files = append(files, object{
				"key": name, "size": len(one.Files[name]), "checksum": "md5:" + md5Of(one.Files[name]),
				"links": object{"self": a.url + "/api/records/" + one.ID + "/files/" + escape(name) + "/content"},
			})
		}
		said["files"] = files
	}
	return http.StatusOK, said
}
