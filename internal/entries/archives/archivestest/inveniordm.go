package archivestest

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

func (a *Archive) invenioRoutes() map[string]answerer {
	const draft = "/api/records/{id}/draft"
	return map[string]answerer{
		"GET /api/user/records":                      {"find", a.secret, a.invenioFind},
		"POST /api/records":                          {"create", a.secret, a.invenioCreate},
		"GET " + draft:                               {"get", a.secret, a.draft(func(_ request, one *Deposit) (int, any) { return http.StatusOK, a.invenioDraft(one) })},
		"PUT " + draft:                               {"describe", a.secret, a.draft(a.invenioDescribe)},
		"DELETE " + draft:                            {"discard", a.secret, a.draft(a.discard)},
		"GET " + draft + "/files":                    {"files", a.secret, a.draft(invenioFiles)},
		"POST " + draft + "/files":                   {"register", a.secret, a.draft(invenioRegister)},
		"PUT " + draft + "/files/{name}/content":     {"upload", a.secret, a.draft(invenioUpload)},
		"POST " + draft + "/files/{name}/commit":     {"commit", a.secret, a.draft(invenioCommit)},
		"DELETE " + draft + "/files/{name}":          {"deletefile", a.secret, a.draft(deleteFile)},
		"POST " + draft + "/pids/doi":                {"reserve", a.secret, a.draft(a.invenioReserve)},
		"POST " + draft + "/actions/publish":         {"publish", a.secret, a.draft(a.invenioPublish)},
		"POST " + draft + "/actions/files-import":    {"import", a.secret, a.draft(a.invenioImport)},
		"POST /api/records/{id}/versions":            {"newversion", a.secret, a.record(a.invenioNext)},
		"GET /api/records/{id}":                      {"record", nil, a.record(func(_ request, one *Deposit) (int, any) { return http.StatusOK, a.invenioDraft(one) })},
		"GET /api/records/{id}/files":                {"recordfiles", nil, a.record(invenioRecordFiles)},
		"GET /api/records/{id}/files/{name}/content": a.download(),
	}
}

// invenioDraft is how InvenioRDM says a draft or a record.
func (a *Archive) invenioDraft(one *Deposit) object {
	pids := object{}
	if one.DOI != "" {
		pids["doi"] = object{"identifier": one.DOI, "provider": "datacite", "client": "datacite"}
	}
	said := object{
		"id": one.ID, "is_published": one.Published, "is_draft": !one.Published, "pids": pids, "metadata": one.Metadata, "files": object{"enabled": true},
		"access": object{"record": "public", "files": map[bool]string{true: "restricted", false: "public"}[one.restricted]},
		"parent": object{"id": one.concept, "pids": object{"doi": object{"identifier": a.doiOf(one.concept)}}},
	}
	if wrong := invenioErrors(one.Metadata); len(wrong) > 0 && !one.Published {
		said["errors"] = wrong
	}
	return said
}

// invenioErrors are what is wrong with metadata, which drafts may be.
func invenioErrors(m object) []object {
	wrong := []object{}
	add := func(isWrong bool, field, message string) {
		if isWrong {
			wrong = append(wrong, object{"field": "metadata." + field, "messages": []string{message}})
		}
	}
	for _, name := range []string{"title", "publication_date", "publisher"} {
		add(text(m, name) == "", name, "Missing data for required field.")
	}
	_, err := time.Parse(time.DateOnly, text(m, "publication_date"))
	add(text(m, "publication_date") != "" && err != nil, "publication_date", "Please provide a valid date.")
	kind := text(inside(m, "resource_type"), "id")
	add(!slices.Contains([]string{"dataset", "software", "other"}, kind), "resource_type", "Missing data for required field.")
	creators := list(m, "creators")
	add(len(creators) == 0, "creators", "Missing data for required field.")
	for i, one := range creators {
		who := inside(one, "person_or_org")
		add(text(who, "family_name") == "" && text(who, "name") == "", "creators."+strconv.Itoa(i)+".person_or_org.family_name", "Family name cannot be blank.")
	}
	for i, one := range list(m, "rights") {
		add(!slices.Contains(knownLicenses, text(one, "id")), "rights."+strconv.Itoa(i), "Invalid value.")
	}
	for i, one := range list(m, "related_identifiers") {
		relation := text(inside(one, "relation_type"), "id")
		add(relation == "" || relation == "IsSupplementTo" || text(one, "scheme") == "", "related_identifiers."+strconv.Itoa(i), "Invalid value.")
	}
	return wrong
}

func (a *Archive) invenioFind(r request) (int, any) {
	all := []object{}
	for _, one := range a.found(r) {
		all = append(all, a.invenioDraft(one))
	}
	return http.StatusOK, object{"hits": object{"hits": all, "total": len(all)}}
}

func (a *Archive) invenioCreate(r request) (int, any) {
	var sent struct {
		Metadata object `json:"metadata"`
	}
	if !r.object(&sent) {
		return http.StatusBadRequest, said("Unable to decode JSON data in request body.")
	}
	made := a.add()
	if sent.Metadata != nil {
		made.Metadata = sent.Metadata
	}
	return http.StatusCreated, a.invenioDraft(made)
}

// invenioDescribe stores what it gets, with errors. A reserved DOI that isn't sent along is lost.
func (a *Archive) invenioDescribe(r request, one *Deposit) (int, any) {
	var sent struct {
		Metadata object            `json:"metadata"`
		PIDs     map[string]object `json:"pids"`
	}
	if !r.object(&sent) {
		return http.StatusBadRequest, said("Unable to decode JSON data in request body.")
	}
	one.Metadata, one.DOI = sent.Metadata, text(sent.PIDs["doi"], "identifier")
	if one.Metadata == nil {
		one.Metadata = object{}
	}
	return http.StatusOK, a.invenioDraft(one)
}

func invenioFile(one *Deposit, name string) object {
	if one.isEmpty[name] {
		return object{"key": name, "status": "pending", "size": nil, "checksum": nil}
	}
	return object{"key": name, "status": "completed", "size": len(one.Files[name]), "checksum": "md5:" + md5Of(one.Files[name])}
}

func invenioFiles(_ request, one *Deposit) (int, any) {
	all := []object{}
	for _, name := range names(one.Files) {
		all = append(all, invenioFile(one, name))
	}
	return http.StatusOK, object{"enabled": true, "entries": all}
}

func invenioRecordFiles(r request, one *Deposit) (int, any) {
	if one.restricted {
		return http.StatusForbidden, said("Permission denied.")
	}
	return invenioFiles(r, one)
}

func invenioRegister(r request, one *Deposit) (int, any) {
	var sent []struct {
		Key string `json:"key"`
	}
	if !r.object(&sent) || len(sent) != 1 {
		return http.StatusBadRequest, said("Unable to decode JSON data in request body.")
	}
	name := sent[0].Key
	if _, ok := one.Files[name]; ok {
		return http.StatusBadRequest, said("File with key " + name + " already exists.")
	}
	one.Files[name], one.isEmpty[name] = nil, true
	return http.StatusCreated, object{"entries": []object{invenioFile(one, name)}}
}

func invenioUpload(r request, one *Deposit) (int, any) {
	name := r.PathValue("name")
	if !one.isEmpty[name] {
		return http.StatusBadRequest, said("The file isn't registered, or is there already.")
	}
	if status, value := store(r, one); status != 0 {
		return status, value
	}
	return http.StatusOK, invenioFile(one, name)
}

func invenioCommit(r request, one *Deposit) (int, any) {
	name := r.PathValue("name")
	if !one.isEmpty[name] || one.Files[name] == nil {
		return http.StatusBadRequest, said("There is nothing to commit.")
	}
	delete(one.isEmpty, name)
	return http.StatusOK, invenioFile(one, name)
}

func (a *Archive) invenioReserve(_ request, one *Deposit) (int, any) {
	if one.DOI != "" {
		return http.StatusBadRequest, said("A PID already exists for type doi")
	}
	one.DOI = a.doiOf(one.ID)
	return http.StatusCreated, a.invenioDraft(one)
}

func (a *Archive) invenioPublish(_ request, one *Deposit) (int, any) {
	wrong := invenioErrors(one.Metadata)
	if len(one.Files) == 0 || len(one.isEmpty) > 0 {
		wrong = append(wrong, object{"field": "files.enabled", "messages": []string{"Missing uploaded files. To disable files for this record please mark it as metadata-only."}})
	}
	if len(wrong) > 0 {
		return http.StatusBadRequest, object{"status": 400, "message": "A validation error occurred.", "errors": wrong}
	}
	a.publish(one)
	return http.StatusAccepted, a.invenioDraft(one)
}

func (a *Archive) invenioNext(_ request, one *Deposit) (int, any) {
	draft := a.nextVersion(one)
	if draft == nil {
		return http.StatusBadRequest, said("Only the newest version can have a next one.")
	}
	return http.StatusCreated, a.invenioDraft(draft)
}

func (a *Archive) invenioImport(r request, one *Deposit) (int, any) {
	before, _ := a.newest(one.concept)
	if before == nil || len(one.Files) > 0 {
		return http.StatusBadRequest, said("Please remove all files first.")
	}
	maps.Copy(one.Files, before.Files)
	status, value := invenioFiles(r, one)
	return max(status, http.StatusCreated), value
}
