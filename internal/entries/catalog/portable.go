package catalog

import "time"

// Portable is what lines of imports and exports have of an entry, besides what all lines have. What is empty is left out.
type Portable struct {
	Type                   Type     `json:"type,omitempty"`
	Description            string   `json:"description,omitempty"`
	Authors                []string `json:"authors,omitempty"`
	Tags                   []string `json:"tags,omitempty"`
	Privacy                Privacy  `json:"privacy,omitempty"`
	Audience               Audience `json:"audience,omitempty"` // of a new entry
	HostID                 string   `json:"hostId,omitempty"`   // likewise
	HeaderImage            string   `json:"headerImage,omitempty"`
	RepositoryURL          string   `json:"repositoryUrl,omitempty"`
	DatasetURL             string   `json:"datasetUrl,omitempty"`
	NotebookPath           string   `json:"notebookPath,omitempty"`
	ApplicationInterfaceID string   `json:"applicationInterfaceId,omitempty"`
	Version                string   `json:"version,omitempty"`

	People  []Credit `json:"people,omitempty"`
	AddedBy string   `json:"addedBy,omitempty"`
	License string   `json:"license,omitempty"`
	DOI     string   `json:"doi,omitempty"`

	Language           string              `json:"language,omitempty"`
	IssuedAt           *time.Time          `json:"issuedAt,omitempty"` // stays as it is once the entry has one
	Funding            []Funding           `json:"funding,omitempty"`
	RelatedIdentifiers []RelatedIdentifier `json:"relatedIdentifiers,omitempty"`

	Needs *Needs `json:"needs,omitempty"`

	Status       Status `json:"status,omitempty"`
	Hidden       bool   `json:"hidden,omitempty"`
	HiddenReason string `json:"hiddenReason,omitempty"`
	Featured     int    `json:"featured,omitempty"` // its place among the featured entries, from 1

	Content string `json:"content,omitempty"` // Markdown of its files
}

// PortableOf returns what an export has of an entry that has this place among the featured ones; 0: none.
func PortableOf(r Entry, featured int) Portable {
	p := Portable{Hidden: r.Hidden, HiddenReason: r.HiddenReason, Featured: featured}
	if r.Status != StatusNone {
		p.Status = r.Status
	}
	for _, tag := range r.Tags {
		p.Tags = append(p.Tags, tag.Value)
	}
	p.copyFields(&r, fromEntry)
	return p
}

// Into writes into an entry what a line has of it, except what operators decided, and normalizes the entry.
func (p Portable) Into(r *Entry) {
	p.copyFields(r, toEntry)
	for _, tag := range p.Tags {
		r.Tags = append(r.Tags, Tag{Value: tag})
	}
	r.Normalize()
}

// Curation returns what operators decided about the entry, if the line says.
func (p Portable) Curation() (change Curation, decided bool) {
	if p.Hidden {
		change.Hidden, change.Reason = &p.Hidden, p.HiddenReason
	}
	if p.Featured > 0 {
		change.Featured = new(true)
	}
	if p.Status != "" {
		change.Status = &p.Status
	}
	return change, change != (Curation{})
}

type direction bool

const (
	toEntry   direction = false
	fromEntry direction = true
)

// copyFields copies the fields that lines have as entries have them.
func (p *Portable) copyFields(r *Entry, to direction) {
	copyField(to, &p.Type, &r.Type)
	copyField(to, &p.Description, &r.Description)
	copyField(to, &p.Authors, &r.Authors)
	copyField(to, &p.Privacy, &r.Privacy)
	copyField(to, &p.Audience, &r.Audience)
	copyField(to, &p.HostID, &r.HostID)
	copyField(to, &p.HeaderImage, &r.HeaderImage)
	copyField(to, &p.RepositoryURL, &r.RepositoryURL)
	copyField(to, &p.DatasetURL, &r.DatasetURL)
	copyField(to, &p.NotebookPath, &r.NotebookPath)
	copyField(to, &p.ApplicationInterfaceID, &r.ApplicationInterfaceID)
	copyField(to, &p.Version, &r.Version)
	copyField(to, &p.People, &r.People)
	copyField(to, &p.AddedBy, &r.AddedBy)
	copyField(to, &p.License, &r.License)
	copyField(to, &p.DOI, &r.DOI)
	copyField(to, &p.Language, &r.Language)
	copyField(to, &p.IssuedAt, &r.IssuedAt)
	copyField(to, &p.Funding, &r.Funding)
	copyField(to, &p.RelatedIdentifiers, &r.RelatedIdentifiers)
	copyField(to, &p.Needs, &r.Needs)
	copyField(to, &p.Content, &r.Content)
}

func copyField[Value any](to direction, inLine, inEntry *Value) {
	if to == toEntry {
		*inEntry = *inLine
	} else {
		*inLine = *inEntry
	}
}
