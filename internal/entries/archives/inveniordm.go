package archives

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/connections"
)

// invenio speaks the API of InvenioRDM: https://inveniordm.docs.cern.ch/reference/rest_api_drafts_records/
type invenio struct{}

func recordPath(id string) string { return "/api/records" + segment(id) }
func draftPath(id string) string  { return recordPath(id) + "/draft" }

// invenioDraft is a draft or a record as InvenioRDM says it.
type invenioDraft struct {
	ID          string `json:"id"`
	IsPublished bool   `json:"is_published"`
	PIDs        struct {
		DOI struct {
			Identifier string `json:"identifier"`
		} `json:"doi"`
	} `json:"pids"`
	Metadata struct {
		Descriptions []described `json:"additional_descriptions"`
	} `json:"metadata"`
}

// described is a text about a record, beside its description.
type described struct {
	Description string            `json:"description"`
	Type        map[string]string `json:"type"`
}

// notes returns what stands for notes in metadata; nil for none.
func notes(text, mark string) []described {
	var all []described
	for _, one := range []string{text, mark} {
		if one != "" {
			all = append(all, described{one, map[string]string{"id": "other"}})
		}
	}
	return all
}

func (d invenioDraft) draft(s session, published bool) (Draft, error) {
	return s.draft(d.ID, d.PIDs.DOI.Identifier, published)
}

func (d invenioDraft) hasMark(mark string) bool {
	return slices.ContainsFunc(d.Metadata.Descriptions, func(one described) bool { return hasMark(one.Description, mark) })
}

// look can't ask what a token may: InvenioRDM's own have a single scope, and may do everything.
func (invenio) look(ctx context.Context, s session) (connections.Granted, error) {
	var list map[string]json.RawMessage
	err := s.get(ctx, "/api/user/records?size=1", &list)
	return connections.Granted{Rights: []connections.Right{connections.RightRead, connections.RightWrite, connections.RightAll}}, err
}

func (invenio) find(ctx context.Context, s session, query, mark string) ([]Draft, error) {
	var list struct {
		Hits struct {
			Hits []invenioDraft `json:"hits"`
		} `json:"hits"`
	}
	asked := url.Values{"sort": {"newest"}, "size": {"25"}}
	if query != "" {
		asked.Set("q", query)
	}
	if err := s.get(ctx, "/api/user/records?"+asked.Encode(), &list); err != nil {
		return nil, err
	}
	if list.Hits.Hits == nil { // an answer that doesn't even say that there are none would lead to a second draft
		return nil, fault.New(fault.BadUpstream, "%s sent an answer that can't be read.", s.label)
	}
	var found []Draft
	for _, one := range list.Hits.Hits {
		if !one.hasMark(mark) {
			continue
		}
		draft, err := one.draft(s, one.IsPublished)
		if err != nil {
			return nil, err
		}
		found = append(found, draft)
	}
	return found, nil
}

func (invenio) create(ctx context.Context, s session, mark string) (Draft, error) {
	var made invenioDraft
	err := s.change(ctx, "POST", "/api/records", map[string]any{
		"access": openAccess, "files": map[string]bool{"enabled": true}, "metadata": map[string]any{"additional_descriptions": notes("", mark)},
	}, &made)
	if err != nil {
		return Draft{}, err
	}
	return made.draft(s, false)
}

var openAccess = map[string]string{"record": "public", "files": "public"}

func (v invenio) newVersion(ctx context.Context, s session, id, mark string) (Draft, error) {
	var made invenioDraft
	if err := s.change(ctx, "POST", recordPath(id)+"/versions", nil, &made); err != nil {
		return Draft{}, err
	}
	draft, err := made.draft(s, false)
	if err != nil {
		return Draft{}, err
	}
	there, err := v.files(ctx, s, draft.ID)
	if err != nil {
		return Draft{}, err
	}
	if len(there) == 0 { // else they were imported before
		err := s.change(ctx, "POST", draftPath(draft.ID)+"/actions/files-import", nil, nil)
		if err != nil && fault.KindOf(err) != fault.Invalid { // the version before has none
			return Draft{}, err
		}
	}
	if made.hasMark(mark) {
		return draft, nil
	}
	return draft, v.edit(ctx, s, draft.ID, func(metadata map[string]any) { metadata["additional_descriptions"] = notes("", mark) }, nil)
}

// edit changes the metadata of a draft, and leaves alone what else is in it: a draft that is written without its reserved
// DOI loses it. check looks at the answer; nil: what is missing doesn't matter yet.
func (invenio) edit(ctx context.Context, s session, id string, change func(map[string]any), check func(answer) error) error {
	var now map[string]json.RawMessage
	if err := s.get(ctx, draftPath(id), &now); err != nil {
		return err
	}
	metadata := map[string]any{}
	_ = json.Unmarshal(now["metadata"], &metadata) // it may have none
	change(metadata)
	next := map[string]any{"access": openAccess, "files": map[string]bool{"enabled": true}, "metadata": metadata}
	for _, name := range []string{"access", "pids", "custom_fields"} {
		if kept, ok := now[name]; ok {
			next[name] = kept
		}
	}
	found, err := s.call(ctx, "PUT", draftPath(id), next)
	switch {
	case err != nil:
		return err
	case check != nil:
		return check(found)
	}
	return found.refusal()
}

func (invenio) get(ctx context.Context, s session, id string) (Draft, error) {
	var found invenioDraft
	err := s.get(ctx, recordPath(id), &found)
	if err == nil {
		return found.draft(s, true)
	}
	if !isMissing(err) {
		return Draft{}, err
	}
	if err := s.get(ctx, draftPath(id), &found); err != nil {
		return Draft{}, err
	}
	return found.draft(s, found.IsPublished)
}

func (invenio) files(ctx context.Context, s session, id string) ([]DraftFile, error) {
	var listed struct {
		Entries []struct {
			Key      string `json:"key"`
			Size     int64  `json:"size"`
			Checksum string `json:"checksum"`
		} `json:"entries"`
	}
	if err := s.get(ctx, draftPath(id)+"/files", &listed); err != nil {
		return nil, err
	}
	files := make([]DraftFile, len(listed.Entries))
	for i, one := range listed.Entries {
		files[i] = DraftFile{one.Key, one.Size, md5Of(one.Checksum)}
	}
	return files, nil
}

// upload first deletes a file of the same name, also one that broke off.
func (v invenio) upload(ctx context.Context, s session, id, name string, content *upload) (string, error) {
	there, err := v.files(ctx, s, id)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(there, func(one DraftFile) bool { return one.Name == name }) {
		if err := v.deleteFile(ctx, s, id, name); err != nil {
			return "", err
		}
	}
	if err := s.change(ctx, "POST", draftPath(id)+"/files", []map[string]string{{"key": name}}, nil); err != nil {
		return "", err
	}
	at := draftPath(id) + "/files" + segment(name)
	sent, err := s.put(ctx, at+"/content", content)
	if err == nil {
		err = sent.refusal()
	}
	if err != nil {
		return "", err
	}
	var stored struct {
		Checksum string `json:"checksum"`
		Status   string `json:"status"`
	}
	if err := s.change(ctx, "POST", at+"/commit", nil, &stored); err != nil {
		return "", err
	}
	if stored.Status != "completed" {
		return "", fault.New(fault.BadUpstream, "%s didn't finish storing %s. Send it again.", s.label, fault.Quote(name))
	}
	return md5Of(stored.Checksum), nil
}

func (invenio) deleteFile(ctx context.Context, s session, id, name string) error {
	if err := s.change(ctx, "DELETE", draftPath(id)+"/files"+segment(name), nil, nil); !isMissing(err) {
		return err
	}
	return nil
}

func (v invenio) describe(ctx context.Context, s session, id string, m Metadata) error {
	metadata := map[string]any{"publisher": s.label, "resource_type": map[string]string{"id": m.Type}}
	for name, value := range filled(map[string]string{"title": m.Title, "description": m.Description, "publication_date": m.Published, "version": m.Version}) {
		metadata[name] = value
	}
	creators := []any{}
	for _, one := range m.Creators {
		creators = append(creators, invenioCreator(one))
	}
	metadata["creators"] = creators
	if m.License != "" {
		metadata["rights"] = []map[string]string{{"id": strings.ToLower(m.License)}}
	}
	subjects, related := []any{}, []any{}
	for _, one := range m.Keywords {
		subjects = append(subjects, map[string]string{"subject": one})
	}
	for _, one := range m.Related {
		related = append(related, map[string]any{
			"identifier": one.Identifier, "scheme": schemeOf(one.Identifier), "relation_type": map[string]string{"id": strings.ToLower(one.Relation)},
		})
	}
	metadata["subjects"], metadata["related_identifiers"], metadata["additional_descriptions"] = subjects, related, notes(m.Notes, m.Mark)
	return v.edit(ctx, s, id, func(all map[string]any) {
		clear(all)
		maps.Copy(all, metadata)
	}, answer.described)
}

func schemeOf(identifier string) string {
	if strings.HasPrefix(identifier, "10.") {
		return "doi"
	}
	return "url"
}

func invenioCreator(one Person) any {
	who := map[string]any{"type": "organizational", "name": one.Name}
	if family, given, ok := strings.Cut(one.Name, ","); ok {
		who = map[string]any{"type": "personal", "family_name": strings.TrimSpace(family), "given_name": strings.TrimSpace(given)}
	}
	if one.ORCID != "" {
		who["identifiers"] = []map[string]string{{"scheme": "orcid", "identifier": one.ORCID}}
	}
	creator := map[string]any{"person_or_org": who}
	if one.Affiliation != "" {
		creator["affiliations"] = []map[string]string{{"name": one.Affiliation}}
	}
	return creator
}

func (invenio) reserve(ctx context.Context, s session, id string) error {
	return s.change(ctx, "POST", draftPath(id)+"/pids/doi", nil, nil)
}

func (invenio) publish(ctx context.Context, s session, id string) error {
	return s.change(ctx, "POST", draftPath(id)+"/actions/publish", nil, nil)
}

func (invenio) discard(ctx context.Context, s session, id string) error {
	return s.change(ctx, "DELETE", draftPath(id), nil, nil)
}
