package archives

import (
	"context"
	"net/url"
	"regexp"
	"strings"

	"cairn/internal/foundation/fault"
)

var (
	recordInPath = regexp.MustCompile(`^/records?/([A-Za-z0-9-]+)(?:/|$)`)
	recordInDOI  = regexp.MustCompile(`[/.]([A-Za-z0-9-]+)$`)
)

// recordID returns the id of a record of Zenodo or InvenioRDM: in the address of its page, or at the end of its DOI.
func recordID(doi string, target *url.URL) string {
	if found := recordInPath.FindStringSubmatch(target.Path); found != nil {
		return found[1]
	}
	if found := recordInDOI.FindStringSubmatch(doi); found != nil {
		return found[1]
	}
	return ""
}

func (p place) contentOf(id, key string) string {
	return p.base + "/api/records" + segment(id) + "/files" + segment(key) + "/content"
}

// isAbout checks that an archive answered about the DOI that was asked for, and not about what its address became.
func isAbout(at place, doi string, said ...string) error {
	for _, one := range said {
		if strings.EqualFold(ParseDOI(one), doi) {
			return nil
		}
	}
	return fault.New(fault.BadUpstream, "%s has another record where the DOI %s leads to.", at.label, fault.Quote(doi))
}

// findZenodo reads a record of Zenodo. The id of all versions together leads to the newest.
func (r *Records) findZenodo(ctx context.Context, at place, doi string, target *url.URL) (Record, error) {
	var said struct {
		ID         number `json:"id"`
		DOI        string `json:"doi"`
		ConceptDOI string `json:"conceptdoi"`
		Metadata   struct {
			Title       string   `json:"title"`
			Description string   `json:"description"`
			Published   string   `json:"publication_date"`
			Version     string   `json:"version"`
			Keywords    []string `json:"keywords"`
			Access      string   `json:"access_right"`
			License     struct {
				ID string `json:"id"`
			} `json:"license"`
			Creators []struct {
				Name        string `json:"name"`
				ORCID       string `json:"orcid"`
				Affiliation string `json:"affiliation"`
			} `json:"creators"`
		} `json:"metadata"`
		Files []struct {
			Key      string `json:"key"`
			Size     int64  `json:"size"`
			Checksum string `json:"checksum"`
		} `json:"files"`
	}
	if err := r.get(ctx, at, "/api/records"+segment(recordID(doi, target)), &said); err != nil {
		return Record{}, err
	}
	if err := isAbout(at, doi, said.DOI, said.ConceptDOI); err != nil {
		return Record{}, err
	}
	about, id := said.Metadata, string(said.ID)
	record := Record{
		DOI: ParseDOI(said.DOI), ConceptDOI: ParseDOI(said.ConceptDOI), Title: plain(about.Title), Description: about.Description,
		License: licenseOf(about.License.ID), Published: dateOf(about.Published), Version: plain(about.Version), Keywords: allPlain(about.Keywords),
		Restricted: about.Access != "" && about.Access != "open" && len(said.Files) == 0, URL: at.base + "/records" + segment(id),
	}
	for _, one := range about.Creators {
		record.People = append(record.People, Person{plain(one.Name), orcidOf(one.ORCID), plain(one.Affiliation)})
	}
	for _, one := range said.Files {
		record.Files = append(record.Files, File{Path: one.Key, Size: one.Size, URL: at.contentOf(id, one.Key), Digest: digestOf(one.Checksum), Comparable: true})
	}
	return record, nil
}

// invenioRecord is a record as InvenioRDM says it.
type invenioRecord struct {
	invenioDraft

	Access struct {
		Files string `json:"files"`
	} `json:"access"`
	Parent   invenioDraft `json:"parent"`
	Metadata struct {
		Title       string `json:"title"`
		Description string `json:"description"`
		Published   string `json:"publication_date"`
		Version     string `json:"version"`
		Subjects    []struct {
			Subject string `json:"subject"`
		} `json:"subjects"`
		Rights []struct {
			ID    string            `json:"id"`
			Title map[string]string `json:"title"`
		} `json:"rights"`
		Creators []struct {
			Who struct {
				Name        string `json:"name"`
				Identifiers []struct {
					Scheme     string `json:"scheme"`
					Identifier string `json:"identifier"`
				} `json:"identifiers"`
			} `json:"person_or_org"`
			Affiliations []struct {
				Name string `json:"name"`
			} `json:"affiliations"`
		} `json:"creators"`
	} `json:"metadata"`
}

// findInvenio reads a record of InvenioRDM, whose files are in a list of their own.
func (r *Records) findInvenio(ctx context.Context, at place, doi string, target *url.URL) (Record, error) {
	var said invenioRecord
	if err := r.get(ctx, at, "/api/records"+segment(recordID(doi, target)), &said); err != nil {
		return Record{}, err
	}
	concept := said.Parent.PIDs.DOI.Identifier
	if err := isAbout(at, doi, said.PIDs.DOI.Identifier, concept); err != nil {
		return Record{}, err
	}
	record := said.record(at)
	record.ConceptDOI = ParseDOI(concept)
	if said.Access.Files == "restricted" {
		record.Restricted = true
		return record, nil
	}
	var listed struct {
		Entries []struct {
			Key      string `json:"key"`
			Size     int64  `json:"size"`
			Checksum string `json:"checksum"`
		} `json:"entries"`
	}
	if err := r.get(ctx, at, recordPath(said.ID)+"/files", &listed); err != nil {
		return Record{}, err
	}
	for _, one := range listed.Entries {
		record.Files = append(record.Files, File{Path: one.Key, Size: one.Size, URL: at.contentOf(said.ID, one.Key), Digest: digestOf(one.Checksum), Comparable: true})
	}
	return record, nil
}

func (v invenioRecord) record(at place) Record {
	about := v.Metadata
	record := Record{
		DOI: ParseDOI(v.PIDs.DOI.Identifier), Title: plain(about.Title), Description: about.Description, Published: dateOf(about.Published),
		Version: plain(about.Version), URL: at.base + "/records" + segment(v.ID),
	}
	if len(about.Rights) > 0 {
		record.License = licenseOf(about.Rights[0].ID)
		if record.License == "" {
			record.License = plain(about.Rights[0].Title["en"])
		}
	}
	for _, one := range about.Subjects {
		record.Keywords = append(record.Keywords, plain(one.Subject))
	}
	for _, one := range about.Creators {
		person := Person{Name: plain(one.Who.Name)}
		for _, identifier := range one.Who.Identifiers {
			if identifier.Scheme == "orcid" {
				person.ORCID = orcidOf(identifier.Identifier)
			}
		}
		if len(one.Affiliations) > 0 {
			person.Affiliation = plain(one.Affiliations[0].Name)
		}
		record.People = append(record.People, person)
	}
	return record
}
