package archives

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/connections"
)

// zenodo speaks the deposit API of https://developers.zenodo.org.
type zenodo struct{}

const zenodoDeposits = "/api/deposit/depositions"

// number is an id in JSON, which some answers have as a text.
type number string

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(text []byte) error {
	if *n = number(strings.Trim(string(text), `"`)); *n == "null" {
		*n = ""
	}
	return nil
}

// deposition is a deposit as Zenodo says it.
type deposition struct {
	ID        number                     `json:"id"`
	RecordID  number                     `json:"record_id"`
	DOI       string                     `json:"doi"`
	Submitted bool                       `json:"submitted"`
	State     string                     `json:"state"`
	Metadata  map[string]json.RawMessage `json:"metadata"`
	Links     struct {
		Bucket      string `json:"bucket"`
		LatestDraft string `json:"latest_draft"`
	} `json:"links"`
}

func (d deposition) notes() string {
	var notes string
	_ = json.Unmarshal(d.Metadata["notes"], &notes) // then it has none
	return notes
}

// draft reads a deposit; BadUpstream if it has no usable id.
func (d deposition) draft(s session) (Draft, error) {
	id := string(d.ID)
	published := d.Submitted || d.State == "done" || d.State == "inprogress" // which is one that is edited again
	if published {
		id = cmp.Or(string(d.RecordID), id)
	}
	var reserved struct {
		DOI string `json:"doi"`
	}
	_ = json.Unmarshal(d.Metadata["prereserve_doi"], &reserved) // then there is none yet
	doi := reserved.DOI
	if published {
		doi = cmp.Or(d.DOI, doi)
	}
	return s.draft(id, doi, published)
}

// draft returns a draft with its page; BadUpstream for an id that can't be one.
func (s session) draft(id, doi string, published bool) (Draft, error) {
	if !idPattern.MatchString(id) {
		return Draft{}, fault.New(fault.BadUpstream, "%s sent an answer that can't be read: a deposit has no id.", s.label)
	}
	page := s.base + "/uploads/" + id
	if published {
		page = s.base + "/records/" + id
	}
	return Draft{ID: id, DOI: ParseDOI(doi), URL: page, Published: published}, nil
}

func (zenodo) look(ctx context.Context, s session) (connections.Granted, error) {
	var list []json.RawMessage
	err := s.get(ctx, zenodoDeposits+"?size=1", &list)
	return connections.Granted{Rights: []connections.Right{connections.RightRead, connections.RightWrite, connections.RightUnknown}}, err
}

func (zenodo) find(ctx context.Context, s session, query, mark string) ([]Draft, error) {
	var all []deposition
	asked := url.Values{"sort": {"-mostrecent"}, "size": {"100"}}
	if query != "" {
		asked.Set("q", query)
	}
	if err := s.get(ctx, zenodoDeposits+"?"+asked.Encode(), &all); err != nil {
		return nil, err
	}
	var found []Draft
	for _, one := range all {
		if !hasMark(one.notes(), mark) {
			continue
		}
		draft, err := one.draft(s)
		if err != nil {
			return nil, err
		}
		found = append(found, draft)
	}
	return found, nil
}

// hasMark reports whether a mark is a line of a text. Archives may make HTML of the line breaks.
func hasMark(text, mark string) bool {
	for line := range strings.SplitSeq(breaks.Replace(text), "\n") {
		if strings.TrimSpace(line) == mark {
			return true
		}
	}
	return false
}

var breaks = strings.NewReplacer("<p>", "\n", "</p>", "\n", "<br>", "\n", "<br/>", "\n", "<br />", "\n")

// withMark adds a mark to notes, as a line.
func withMark(notes, mark string) string {
	if notes == "" || mark == "" {
		return notes + mark
	}
	return "<p>" + notes + "</p><p>" + mark + "</p>"
}

func (zenodo) create(ctx context.Context, s session, mark string) (Draft, error) {
	var made deposition
	if err := s.change(ctx, "POST", zenodoDeposits, map[string]any{"metadata": map[string]any{"notes": mark}}, &made); err != nil {
		return Draft{}, err
	}
	return made.draft(s)
}

func (z zenodo) newVersion(ctx context.Context, s session, id, mark string) (Draft, error) {
	var answered deposition
	if err := s.change(ctx, "POST", zenodoDeposits+segment(id)+"/actions/newversion", nil, &answered); err != nil {
		return Draft{}, err
	}
	next := string(answered.ID) // the answer is about the version before, with a link to the draft
	if answered.Links.LatestDraft != "" {
		next = path.Base(answered.Links.LatestDraft)
	}
	if !idPattern.MatchString(next) || next == id {
		return Draft{}, fault.New(fault.BadUpstream, "%s sent an answer that can't be read: the new version has no id.", s.label)
	}
	made, err := z.read(ctx, s, next)
	if err != nil {
		return Draft{}, err
	}
	if !hasMark(made.notes(), mark) {
		metadata := map[string]any{"publication_date": answered.Metadata["publication_date"]} // which a new version doesn't have yet
		for name, value := range made.Metadata {
			if name != "doi" && name != "prereserve_doi" { // which would make it a DOI from elsewhere
				metadata[name] = value
			}
		}
		metadata["notes"] = mark
		err := s.change(ctx, "PUT", zenodoDeposits+segment(next), map[string]any{"metadata": metadata}, nil)
		if err != nil && fault.KindOf(err) != fault.Invalid { // Describe says later what is missing
			return Draft{}, err
		}
	}
	return made.draft(s)
}

func (zenodo) read(ctx context.Context, s session, id string) (deposition, error) {
	var found deposition
	err := s.get(ctx, zenodoDeposits+segment(id), &found)
	return found, err
}

func (z zenodo) get(ctx context.Context, s session, id string) (Draft, error) {
	found, err := z.read(ctx, s, id)
	if isMissing(err) { // a record isn't always among the deposits
		var record deposition
		if err := s.get(ctx, "/api/records"+segment(id), &record); err != nil {
			return Draft{}, err
		}
		return s.draft(string(record.ID), record.DOI, true)
	}
	if err != nil {
		return Draft{}, err
	}
	return found.draft(s)
}

func (zenodo) files(ctx context.Context, s session, id string) ([]DraftFile, error) {
	var listed []struct {
		Name     string `json:"filename"`
		Size     int64  `json:"filesize"`
		Checksum string `json:"checksum"`
	}
	if err := s.get(ctx, zenodoDeposits+segment(id)+"/files", &listed); err != nil {
		return nil, err
	}
	files := make([]DraftFile, len(listed))
	for i, one := range listed {
		files[i] = DraftFile{one.Name, one.Size, md5Of(one.Checksum)}
	}
	return files, nil
}

// bucket returns the path below which the files of a draft are. The host in the link may be any.
func (z zenodo) bucket(ctx context.Context, s session, id string) (string, error) {
	found, err := z.read(ctx, s, id)
	if err != nil {
		return "", err
	}
	name := path.Base(found.Links.Bucket)
	if found.Submitted || !idPattern.MatchString(name) {
		return "", fault.Wrap(errors.New("no bucket"), fault.Conflict, "%s takes no files for this deposit any more.", s.label)
	}
	return "/api/files" + segment(name), nil
}

func (z zenodo) upload(ctx context.Context, s session, id, name string, content *upload) (string, error) {
	bucket, err := z.bucket(ctx, s, id)
	if err != nil {
		return "", err
	}
	found, err := s.put(ctx, bucket+segment(name), content)
	if err != nil {
		return "", err
	}
	var stored struct {
		Checksum string `json:"checksum"`
	}
	err = found.decode(&stored)
	return md5Of(stored.Checksum), err
}

// md5Of reads a checksum of an archive, as in md5:d41d8cd98f00b204e9800998ecf8427e, or without its name.
func md5Of(checksum string) string {
	if name, value, ok := strings.Cut(checksum, ":"); ok {
		if !strings.EqualFold(name, "md5") {
			return ""
		}
		return strings.ToLower(value)
	}
	return strings.ToLower(checksum)
}

func (z zenodo) deleteFile(ctx context.Context, s session, id, name string) error {
	bucket, err := z.bucket(ctx, s, id)
	if err != nil {
		return err
	}
	if err := s.change(ctx, "DELETE", bucket+segment(name), nil, nil); !isMissing(err) {
		return err
	}
	return nil
}

func (zenodo) describe(ctx context.Context, s session, id string, m Metadata) error {
	creators := []map[string]string{}
	for _, one := range m.Creators {
		creators = append(creators, filled(map[string]string{"name": one.Name, "orcid": one.ORCID, "affiliation": one.Affiliation}))
	}
	related := []map[string]string{}
	for _, one := range m.Related {
		if one.Relation != "" {
			related = append(related, map[string]string{"identifier": one.Identifier, "relation": strings.ToLower(one.Relation[:1]) + one.Relation[1:]})
		}
	}
	metadata := map[string]any{"access_right": "open", "creators": creators, "related_identifiers": related, "keywords": append([]string{}, m.Keywords...)}
	for name, value := range filled(map[string]string{
		"title": m.Title, "upload_type": m.Type, "description": m.Description, "license": strings.ToLower(m.License), "publication_date": m.Published,
		"version": m.Version, "notes": withMark(m.Notes, m.Mark),
	}) {
		metadata[name] = value
	}
	found, err := s.call(ctx, "PUT", zenodoDeposits+segment(id), map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	return found.described()
}

// described returns what is wrong with metadata, whatever the status: drafts are stored with their errors.
func (a answer) described() error {
	if fields := a.fields(); len(fields) > 0 {
		return fault.InvalidFields(fields)
	}
	var stored map[string]json.RawMessage
	return a.decode(&stored)
}

// filled returns the values that aren't empty.
func filled(all map[string]string) map[string]string {
	for name, value := range all {
		if value == "" {
			delete(all, name)
		}
	}
	return all
}

// reserve does nothing: Zenodo reserves a DOI for each draft.
func (zenodo) reserve(context.Context, session, string) error { return nil }

func (zenodo) publish(ctx context.Context, s session, id string) error {
	return s.change(ctx, "POST", zenodoDeposits+segment(id)+"/actions/publish", nil, nil)
}

func (zenodo) discard(ctx context.Context, s session, id string) error {
	return s.change(ctx, "DELETE", zenodoDeposits+segment(id), nil, nil)
}
