package contribute

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/metadata"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Archives find what is behind DOIs.
type Archives interface {
	Find(ctx context.Context, text string) (archives.Record, error)
}

// DataFinder finds entries by where their data is.
type DataFinder interface {
	// WithData returns the ids of the active entries whose data is that of a datasetUrl, oldest first.
	WithData(ctx context.Context, address string) ([]string, error)
}

// Sources are where contributions come from that people name by a DOI. The zero value knows none.
type Sources struct {
	Archives Archives
	Data     DataFinder
	Now      func() time.Time // nil: time.Now

	lookups interface { // by account
		Take(key string, now time.Time) (wait time.Duration)
	}
}

// ArchivedRecord is what an archive has under a DOI, as people see it before they add it.
type ArchivedRecord struct {
	DOI         string           `json:"doi" doc:"Of the version that is described, if versions have their own" example:"10.5281/zenodo.1234"`
	ConceptDOI  string           `json:"conceptDoi,omitempty" doc:"Of all versions together"`
	Title       string           `json:"title"`
	Description string           `json:"description" doc:"Plain text"`
	License     string           `json:"license,omitempty" doc:"SPDX expression"`
	LicenseText string           `json:"licenseText,omitempty" doc:"What the archive says, if that isn't on the SPDX list"`
	People      []catalog.Credit `json:"people" nullable:"false"`
	Published   string           `json:"published,omitempty" doc:"As precise as it is known: 2026-11-30, 2026-11 or 2026"`
	Version     string           `json:"version,omitempty"`
	Keywords    []string         `json:"keywords" nullable:"false"`
	Files       []ArchivedFile   `json:"files" nullable:"false"`
	Bytes       int64            `json:"bytes" doc:"Of the files that can be fetched, as far as the archive says it"`
	Restricted  bool             `json:"restricted" doc:"There are files that can't be fetched"`
	Archive     string           `json:"archive" doc:"What people call it" example:"Zenodo"`
	URL         string           `json:"url" doc:"Of the record's page"`
	Entry       *ArchivedEntry   `json:"entry,omitempty" doc:"The entry that has this data already, if the caller may see it"`
}

// ArchivedFile is a file of an ArchivedRecord.
type ArchivedFile struct {
	Path       string `json:"path"`
	Bytes      *int64 `json:"bytes,omitempty" doc:"Left out if the archive doesn't say"`
	Digest     string `json:"digest,omitempty" doc:"Algorithm and hexadecimal digits" example:"md5:d41d8cd98f00b204e9800998ecf8427e"`
	Comparable bool   `json:"comparable" doc:"Its digest is checked when it is fetched; otherwise only the size can be"`
	Fetched    bool   `json:"fetched" doc:"Sessions get it; false for what the archive doesn't give to everybody"`
	Note       string `json:"note,omitempty" doc:"What is special about it, a sentence"`
}

// ArchivedEntry names an entry of the catalog.
type ArchivedEntry struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Link string `json:"link" doc:"Path of its page"`
}

// doiIn returns the DOI that people mean: a DOI, an address of doi.org, or that of a record's page at Zenodo; "" for anything else.
func doiIn(text string) string {
	return cmp.Or(archives.ParseDOI(text), metadata.WorkAt(strings.TrimSpace(text), "").DOI)
}

// find looks a DOI up for a caller; location is that of the DOI in the request.
func (s *Service) find(ctx context.Context, caller identity.Caller, location, text string) (archives.Record, error) {
	doi := doiIn(text)
	if doi == "" {
		return archives.Record{}, fault.InvalidField(location, "%s isn't a DOI. Write it as in 10.5281/zenodo.1234567.", fault.Quote(text))
	}
	if s.Sources.Archives == nil {
		return archives.Record{}, fault.New(fault.Unavailable, "This server looks up no DOIs.")
	}
	now := time.Now
	if s.Sources.Now != nil {
		now = s.Sources.Now
	}
	if wait := s.Sources.lookups.Take(caller.AccountID, now()); wait > 0 {
		busy := fault.New(fault.TooMany, "You've looked up many DOIs in the last minutes, and the archives limit what this server may ask. Try again in a while.")
		busy.RetryAfter, busy.Limit = wait, "sources"
		return archives.Record{}, busy
	}
	record, err := s.Sources.Archives.Find(ctx, doi)
	if found, ok := errors.AsType[*fault.Fault](err); ok && found.Kind == fault.Invalid && len(found.Fields) == 0 {
		refused := *found
		refused.Fields = []fault.Field{{Location: location, Message: found.Message}}
		err = &refused
	}
	return record, err
}

// FindRecord returns what is behind a DOI, and the entry that has it already if the caller sees one.
func (s *Service) FindRecord(ctx context.Context, text string) (ArchivedRecord, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return ArchivedRecord{}, err
	}
	record, err := s.find(ctx, caller, "path.doi", text)
	if err != nil {
		return ArchivedRecord{}, err
	}
	said := metadata.OfRecord(record)
	shown := ArchivedRecord{
		DOI: record.DOI, ConceptDOI: record.ConceptDOI, Title: record.Title, Description: said.Description, License: said.License,
		People: append([]catalog.Credit{}, said.People...), Published: record.Published, Version: record.Version, Keywords: append([]string{}, said.Tags...),
		Files: make([]ArchivedFile, len(record.Files)), Restricted: record.Restricted, Archive: record.Archive, URL: record.URL,
	}
	if said.License == "" {
		shown.LicenseText = record.License
	}
	for i, file := range record.Files {
		one := ArchivedFile{Path: file.Path, Digest: file.Digest.String(), Comparable: file.Comparable, Fetched: file.URL != "", Note: file.Note}
		if file.Size >= 0 {
			one.Bytes = &file.Size
			if one.Fetched {
				shown.Bytes += file.Size
			}
		}
		shown.Files[i] = one
	}
	shown.Entry, err = s.entryWithData(ctx, catalog.DOIAddress(record.DOI))
	return shown, err
}

// entryWithData returns the oldest entry with this data that the caller sees; nil if there is none.
func (s *Service) entryWithData(ctx context.Context, address string) (*ArchivedEntry, error) {
	if s.Sources.Data == nil {
		return nil, nil
	}
	ids, err := s.Sources.Data.WithData(ctx, address)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if entry, err := s.Entries.Readable(ctx, id); err == nil {
			return &ArchivedEntry{ID: id, Name: entry.Name, Link: pageOf(entry)}, nil
		}
	}
	return nil, nil
}

func pageOf(entry catalog.Entry) string {
	return "/resources/" + entry.Type.Plural() + "/" + entry.ID
}

// CreateFrom begins to add an entry from a source, which is a DOI; what the edit doesn't say is filled from there. The answer is the entry, or for
// a repository, whose files this server fetches and keeps, a task with its status. EntryExists if the catalog has the data.
func (s *Service) CreateFrom(ctx context.Context, kind catalog.Type, source string, edit Edit) (status int, answer any, err error) {
	caller, err := identity.RequireContributor(ctx)
	switch {
	case err != nil:
		return 0, nil, err
	case kind != catalog.Dataset && kind != catalog.Repository:
		return 0, nil, fault.InvalidField("body.source", "A DATASET or a REPOSITORY is added by its DOI.")
	case kind == catalog.Repository && s.Content == nil:
		return 0, nil, fault.New(fault.Unavailable, "This server keeps no files of entries.")
	case edit.DatasetURL != nil && *edit.DatasetURL != "" && !strings.EqualFold(doiIn(*edit.DatasetURL), doiIn(source)):
		return 0, nil, fault.InvalidField("body.datasetUrl", "Leave datasetUrl out: source says where the data is.")
	}
	record, err := s.find(ctx, caller, "body.source", source)
	if err != nil {
		return 0, nil, err
	}
	fillFrom(record, &edit)
	if kind == catalog.Repository {
		return s.Content.AddRecord(ctx, kind, edit, record.DOI)
	}
	answer, err = s.create(ctx, caller, kind, edit)
	return 0, answer, err
}

// fillFrom says where the data of a record is, and what the record says where the edit doesn't say anything. The DOI is that of the version:
// what all versions have together leads to other data tomorrow.
func fillFrom(record archives.Record, edit *Edit) {
	address, doi := catalog.DOIAddress(record.DOI), record.DOI
	if edit.DOI != nil && *edit.DOI != "" && record.ConceptDOI != "" && strings.EqualFold(doiIn(*edit.DOI), record.ConceptDOI) {
		edit.DOI = nil
	}
	said := metadata.OfRecord(record)
	FromFiles{
		Name: said.Name, Description: said.Description, Tags: said.Tags, People: said.People, License: said.License, DOI: doi, Version: said.Version,
	}.Fill(edit)
	edit.DatasetURL = &address
}

// resolveData replaces a DOI that somebody gave as the address of a dataset, also as an address of doi.org, by that of the version at its archive.
// The page of a DOI at a server that isn't known stays the web address that it is.
func (s *Service) resolveData(ctx context.Context, caller identity.Caller, edit *Edit) error {
	if edit.DatasetURL == nil {
		return nil
	}
	given := strings.TrimSpace(*edit.DatasetURL)
	isWeb := catalog.ValidHTTPS(given)
	if archives.ParseDOI(given) == "" || isWeb && s.Sources.Archives == nil {
		return nil
	}
	record, err := s.find(ctx, caller, "body.datasetUrl", given)
	if isWeb && errors.Is(err, archives.ErrElsewhere) {
		return nil
	}
	if err == nil {
		fillFrom(record, edit)
	}
	return err
}
