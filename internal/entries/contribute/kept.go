package contribute

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/metadata"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/people/identity"
)

// NewContent is what becomes the content of an entry.
type NewContent struct {
	Upload  UploadIDs         `json:"upload,omitempty"`
	Digests map[string]string `json:"digests,omitempty" doc:"The SHA-256 of uploads by their ids, in hexadecimal digits, as their sender computed them: 422 digest_mismatch if something else arrived"`
	Note    string            `json:"note,omitempty" doc:"What is new in this version; up to 1,000 characters"`
}

// ContentKeeper makes uploads the content of entries that this server keeps.
type ContentKeeper interface {
	// Add begins to add an entry; the answer is the entry, with 201, or else a task, with 202.
	Add(ctx context.Context, kind catalog.Type, edit Edit, content NewContent) (status int, answer any, err error)
	// AddRecord is Add with the files of an archive's record, by the DOI of one of its versions.
	AddRecord(ctx context.Context, kind catalog.Type, edit Edit, doi string) (status int, answer any, err error)
}

// FromFiles is what files say about the work that they are.
type FromFiles struct {
	Name        string                      `json:"name"`
	Description string                      `json:"description"`
	Tags        []string                    `json:"tags" nullable:"false"`
	People      []catalog.Credit            `json:"people" nullable:"false"`
	License     string                      `json:"license,omitempty"`
	DOI         string                      `json:"doi,omitempty"`
	Language    string                      `json:"language,omitempty"`
	Version     string                      `json:"version,omitempty"`
	Funding     []catalog.Funding           `json:"funding,omitempty"`
	Related     []catalog.RelatedIdentifier `json:"relatedIdentifiers,omitempty"`

	needs *catalog.Needs
}

// DescribeFiles returns what files say about the work that they are: their descriptor, CITATION.cff, codemeta.json, .zenodo.json, their README,
// and what a notebook is called, in this order. DescriptorInvalid if there is a descriptor that can't be used. Addresses of people other
// than the caller aren't in it.
func (s *Service) DescribeFiles(ctx context.Context, files fs.FS, notebookTitle, name string) (found FromFiles, err error) {
	const host, place = "files.invalid", "these/files"
	repository, err := codehost.Parse("https://" + host + "/" + place)
	if err != nil {
		return found, err
	}
	hosts := codehost.NewHosts(map[string]codehost.Host{host: codehost.Bundled{place: files}}, nil)
	finder := &metadata.Finder{Hosts: hosts}
	said := finder.Find(ctx, metadata.Work{Repository: repository}).WithoutAddresses()
	for _, one := range s.DescriptorNames {
		file, err := hosts.File(ctx, repository, one, codehost.DescriptorLimit)
		if err != nil {
			continue
		}
		d, faults := readDescriptor(file.Content, true)
		if len(faults) > 0 {
			return found, descriptorFault(one, faults)
		}
		d.fillGaps(said)
		caller, _ := identity.From(ctx)
		for i := range d.People {
			if d.People[i].Email != caller.Email {
				d.People[i].Email = ""
			}
		}
		people := slices.DeleteFunc(d.People, func(one catalog.Credit) bool { return one.Name == "" && one.Email == "" })
		return FromFiles{d.Name, d.Description, d.Tags, people, d.License, d.DOI, d.Language, d.Version, d.Funding, d.RelatedIdentifiers, d.Needs}, nil
	}
	var heading, paragraph string
	for _, one := range []struct {
		name string
		read func(string) (string, string)
	}{{"README.md", beginning}, {"readme.md", beginning}, {"README.rst", beginningOfRST}, {"README", beginning}, {"README.txt", beginning}} {
		if file, err := hosts.File(ctx, repository, one.name, codehost.DescriptorLimit); err == nil && heading == "" && paragraph == "" {
			heading, paragraph = one.read(string(file.Content))
		}
	}
	found = FromFiles{
		Name:        firstValid(catalog.CheckName, said.Name, heading, notebookTitle, name),
		Description: firstValid(catalog.CheckDescription, humanize.OneLine(said.Description), paragraph),
		Tags:        append([]string{}, said.Tags...), People: append([]catalog.Credit{}, said.People...),
		License: said.License, DOI: said.DOI, Language: said.Language, Version: said.Version, Funding: said.Funding, Related: said.RelatedIdentifiers,
	}
	return found, nil
}

// Fill fills what an edit doesn't say from what files say.
func (f FromFiles) Fill(edit *Edit) {
	for _, one := range []struct {
		to   **string
		from string
	}{{&edit.Name, f.Name}, {&edit.Description, f.Description}, {&edit.License, f.License}, {&edit.DOI, f.DOI}, {&edit.Language, f.Language}, {&edit.Version, f.Version}} {
		if *one.to == nil && one.from != "" {
			*one.to = &one.from
		}
	}
	if edit.Tags == nil && len(f.Tags) > 0 {
		edit.Tags = &f.Tags
	}
	if edit.People == nil && len(f.People) > 0 {
		edit.People = &f.People
	}
	if edit.Funding == nil && len(f.Funding) > 0 {
		edit.Funding = &f.Funding
	}
	if edit.RelatedIdentifiers == nil && len(f.Related) > 0 {
		edit.RelatedIdentifiers = &f.Related
	}
}

// KeptEntry is an entry whose files this server keeps, or is about to.
type KeptEntry struct {
	ID     string
	Kind   catalog.Type
	Edit   Edit      // of a new one
	Found  FromFiles // what the files say
	Number int       // of the version
	File   string    // NOTEBOOK: the file
	Public string    // the address of the server
}

// entry returns a new entry, and what is wrong with it.
func (k KeptEntry) entry(caller identity.Caller) (catalog.Entry, []fault.Field) {
	edit := k.Edit
	edit.DatasetURL, edit.NotebookPath, edit.ApplicationInterfaceID = nil, nil, nil // where it is isn't for the caller to say
	r := catalog.Entry{ID: k.ID, Type: k.Kind, Privacy: catalog.PrivacyPublic}
	faults := edit.applyTo(&r)
	k.place(&r, r.Name)
	r.Normalize()
	if !slices.Contains(r.Authors, caller.Email) {
		r.Authors = slices.Insert(r.Authors, 0, caller.Email)
	}
	faults = append(faults, edit.credit(&r)...)
	r.Needs = k.Found.needs
	r.Normalize()
	return r, append(faults, r.CheckForm(caller.Operator)...)
}

// place writes the address of the files into an entry.
func (k KeptEntry) place(r *catalog.Entry, name string) {
	kept := catalog.Kept{ID: k.ID, Number: k.Number}
	switch r.Type {
	case catalog.Notebook:
		kept.File = k.File
		r.NotebookPath = kept.String()
	case catalog.Dataset:
		r.DatasetURL = kept.String()
	case catalog.Repository:
		folder := catalog.KeptFolder(name, "repository")
		if _, before := catalog.ParseKept(r.RepositoryURL); before {
			folder = strings.TrimSuffix(path.Base(r.RepositoryURL), ".git")
		}
		r.RepositoryURL = kept.Repository(k.Public, folder)
	}
}

// CheckKept returns what is wrong with a new entry; Forbidden, or TooMany, if the caller can't add one.
func (s *Service) CheckKept(ctx context.Context, k KeptEntry) error {
	caller, err := identity.RequireContributor(ctx)
	if err != nil {
		return err
	}
	if k.Kind == catalog.Model {
		return fault.InvalidField("body.type", "Uploads become a NOTEBOOK, a DATASET or a REPOSITORY.")
	}
	r, faults := k.entry(caller)
	if k.Kind == catalog.Repository && !catalog.ValidRepository(r.RepositoryURL) {
		return fault.New(fault.Conflict, "This server keeps no repositories: its address must begin with https://. Add the files as a dataset.")
	}
	return refuse(faults)
}

// CountKept counts an entry that is about to be added; TooMany if the caller has added as many as they may.
func (s *Service) CountKept(ctx context.Context) error { return s.countAddition(ctx) }

// CreateKept adds an entry whose files this server keeps now.
func (s *Service) CreateKept(ctx context.Context, k KeptEntry, made catalog.NewVersion) (catalog.Resource, error) {
	caller, err := identity.RequireContributor(ctx)
	if err != nil {
		return catalog.Resource{}, err
	}
	r, faults := k.entry(caller)
	if err := refuse(faults); err != nil {
		return catalog.Resource{}, err
	}
	return s.Entries.Versions().Create(ctx, r, made)
}

// CheckRenewal returns an entry to which the caller may give other files; NotAuthor if they may not, Conflict for one that has none, or
// whose files are at a code host.
func (s *Service) CheckRenewal(ctx context.Context, id string) (catalog.Entry, error) {
	caller, err := identity.RequireContributor(ctx)
	if err != nil {
		return catalog.Entry{}, err
	}
	before, err := s.Entries.Readable(ctx, id)
	if err != nil {
		return catalog.Entry{}, err
	}
	_, kept := before.Kept()
	switch {
	case !before.DeletableBy(caller.Email):
		return catalog.Entry{}, fault.New(fault.NotAuthor, "Only the authors of %s can change its content: %s.", fault.Quote(before.Name), before.AuthorsText())
	case before.Type == catalog.Model:
		return catalog.Entry{}, fault.New(fault.Conflict, "A model has no files here.")
	case before.Type == catalog.Repository && !kept:
		return catalog.Entry{}, fault.New(fault.Conflict, "The files of this repository are at its code host: change them there, then sync the entry.")
	}
	return before, nil
}

// RenewKept gives an entry other files, which this server keeps now; EntryChanged if their version's number isn't the next one any more.
func (s *Service) RenewKept(ctx context.Context, k KeptEntry, made catalog.NewVersion) (catalog.Resource, error) {
	before, err := s.CheckRenewal(ctx, k.ID)
	if err != nil {
		return catalog.Resource{}, err
	}
	latest, err := s.Entries.Versions().Latest(ctx, k.ID) // what comes after this question changes the time of the entry
	if err != nil {
		return catalog.Resource{}, err
	}
	if latest.Number+1 != k.Number {
		return catalog.Resource{}, fault.New(fault.EntryChanged, "Another version of the entry was added in the meantime. Try again.")
	}
	after := before
	k.place(&after, before.Name)
	if latest.DOI != "" && strings.EqualFold(after.DOI, latest.DOI) {
		after.DOI = "" // it is the earlier version's
	}
	if before.Type == catalog.Repository {
		after.Needs = k.Found.needs
	}
	after.Normalize()
	if err := refuse(after.Check()); err != nil {
		return catalog.Resource{}, err
	}
	return s.Entries.Versions().Renew(ctx, after, before.UpdatedAt, made)
}

// DescriptorOf returns a descriptor for a kept repository that has none, from what is said about it.
func (s *Service) DescriptorOf(ctx context.Context, k KeptEntry, isNew bool) ([]byte, error) {
	caller, err := identity.RequireContributor(ctx)
	if err != nil {
		return nil, err
	}
	r, _ := k.entry(caller)
	if !isNew {
		if r, err = s.Entries.Readable(ctx, k.ID); err != nil {
			return nil, err
		}
	}
	lines := []string{"project:", fmt.Sprintf("  name: %q", r.Name), fmt.Sprintf("  description: %q", humanize.OneLine(r.Description))}
	if r.Description == "" {
		lines = lines[:2]
	}
	lines = append(lines, "  authors:")
	named := map[string]bool{}
	for _, person := range r.People {
		named[person.Email] = true
		lines = append(lines, "    - "+flowAuthor(codehost.DescriptorText{Group: groupOfPerson(person)}))
	}
	for _, author := range r.Authors {
		if !named[author] {
			lines = append(lines, fmt.Sprintf("    - %q", author))
		}
	}
	if len(r.Tags) > 0 {
		lines = append(lines, "  tags:")
	}
	for _, tag := range r.Tags {
		lines = append(lines, fmt.Sprintf("    - %q", tag.Value))
	}
	for _, one := range []struct{ field, value string }{
		{"license", r.License}, {"version", r.Version}, {"doi", r.DOI}, {"language", r.Language}, {"privacy", string(r.Privacy)},
	} {
		if one.value != "" {
			lines = append(lines, fmt.Sprintf("  %s: %q", one.field, one.value))
		}
	}
	return []byte(strings.Join(lines, "\n") + "\n"), nil
}

// isKept reports whether an address is one of files that this server keeps, which no other entry may have: everybody who sees that entry could
// read them.
func isKept(address string) bool {
	_, kept := catalog.ParseKept(address)
	return kept
}
