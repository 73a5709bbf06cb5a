package contribute

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Edit is what people change in an entry; nil leaves a field unchanged.
type Edit struct {
	Name                   *string   `json:"name,omitempty" doc:"1 to 200 characters on one line"`
	Description            *string   `json:"description,omitempty" doc:"Markdown, up to 20,000 characters"`
	HeaderImage            *string   `json:"headerImage,omitempty" doc:"A web address"`
	Tags                   *[]string `json:"tags,omitempty" doc:"Up to 30, each up to 60 characters"`
	Authors                *[]string `json:"authors,omitempty" doc:"E-mail addresses"`
	Privacy                *string   `json:"privacy,omitempty" doc:"PUBLIC or PRIVATE"`
	DatasetURL             *string   `json:"datasetUrl,omitempty" doc:"DATASET: an https address, or a DOI at an archive that the server knows"`
	NotebookPath           *string   `json:"notebookPath,omitempty" doc:"NOTEBOOK: an https address, as in https://github.com/OWNER/NAME/blob/REF/PATH.ipynb"`
	ApplicationInterfaceID *string   `json:"applicationInterfaceId,omitempty" doc:"MODEL: its id at the workflow platform"`
	Version                *string   `json:"version,omitempty" doc:"Up to 200 characters"`

	People             *[]catalog.Credit            `json:"people,omitempty" doc:"Everyone who is credited, in their order. An address must be one of authors; those without a name are credited by it"`
	License            *string                      `json:"license,omitempty" doc:"Expression of licenses on the SPDX list, in any case" example:"CC-BY-4.0"`
	DOI                *string                      `json:"doi,omitempty" doc:"Also as an address at doi.org"`
	Language           *string                      `json:"language,omitempty" doc:"A BCP 47 tag" example:"en"`
	Funding            *[]catalog.Funding           `json:"funding,omitempty" doc:"Up to 50"`
	RelatedIdentifiers *[]catalog.RelatedIdentifier `json:"relatedIdentifiers,omitempty" doc:"Up to 50"`
}

// applyTo writes the edit into an entry. It returns faults for fields that the entry's type doesn't have.
func (e Edit) applyTo(r *catalog.Entry) []fault.Field {
	for _, text := range []struct{ from, to *string }{
		{e.Name, &r.Name},
		{e.Description, &r.Description},
		{e.HeaderImage, &r.HeaderImage},
		{e.Version, &r.Version},
		{e.DOI, &r.DOI},
		{e.Language, &r.Language},
	} {
		if text.from != nil {
			*text.to = *text.from
		}
	}
	if e.Privacy != nil {
		r.Privacy = catalog.Privacy(*e.Privacy)
	}
	if e.Tags != nil {
		r.Tags = make([]catalog.Tag, len(*e.Tags))
		for i, value := range *e.Tags {
			r.Tags[i] = catalog.Tag{Value: value}
		}
	}
	if e.Authors != nil {
		r.Authors = *e.Authors
	}
	if e.Funding != nil {
		r.Funding = *e.Funding
	}
	if e.RelatedIdentifiers != nil {
		r.RelatedIdentifiers = *e.RelatedIdentifiers
	}
	var faults []fault.Field
	if e.License != nil && strings.TrimSpace(*e.License) != r.License {
		r.License = strings.TrimSpace(*e.License)
		if problem := catalog.CheckLicense(r.License); problem != "" {
			faults = append(faults, fault.Field{Location: "license", Message: problem})
			r.License = ""
		}
	}
	for _, own := range []struct {
		location string
		kind     catalog.Type
		from, to *string
	}{
		{"datasetUrl", catalog.Dataset, e.DatasetURL, &r.DatasetURL},
		{"notebookPath", catalog.Notebook, e.NotebookPath, &r.NotebookPath},
		{"applicationInterfaceId", catalog.Model, e.ApplicationInterfaceID, &r.ApplicationInterfaceID},
	} {
		switch {
		case own.from == nil:
		case own.kind == r.Type:
			*own.to = *own.from
		default:
			faults = append(faults, fault.Field{Location: own.location, Message: "is for the type " + string(own.kind) + " only"})
		}
	}
	return faults
}

// credit writes the people into an entry. Those who are credited with an address are among the authors; who is an author no
// more keeps the credit without the address.
func (e Edit) credit(r *catalog.Entry) (faults []fault.Field) {
	authors := make(map[string]bool, len(r.Authors))
	for _, author := range r.Authors {
		authors[identity.NormalizeEmail(author)] = true
	}
	if e.People == nil {
		people := make([]catalog.Credit, 0, len(r.People))
		for _, person := range r.People {
			if !authors[person.Email] {
				person.Email = ""
			}
			if person.Name != "" || person.Email != "" {
				people = append(people, person)
			}
		}
		r.People = people
		return nil
	}
	r.People = slices.Clone(*e.People)
	for i, person := range r.People {
		if email := identity.NormalizeEmail(person.Email); email != "" && !authors[email] && len(r.People) <= catalog.AuthorsLimit {
			faults = append(faults, fault.Field{
				Location: fmt.Sprintf("people[%d].email", i),
				Message:  fault.Quote(person.Email) + " isn't among the authors of the entry. Add it there, or credit this person by name alone.",
			})
		}
	}
	return faults
}

// Create adds an entry that isn't a repository. The caller is always among its authors, first unless named elsewhere.
// Invalid names every fault by its field; an address in the operators' data is Forbidden for others.
func (s *Service) Create(ctx context.Context, kind catalog.Type, edit Edit) (catalog.Resource, error) {
	caller, err := identity.RequireContributor(ctx)
	if err != nil {
		return catalog.Resource{}, err
	}
	if kind == catalog.Repository {
		return catalog.Resource{}, fault.InvalidField("body.type", "A repository is added by its address, and its descriptor is read from there: "+
			"POST /resources/repository.")
	}
	if kind == catalog.Dataset {
		if err := s.resolveData(ctx, caller, &edit); err != nil {
			return catalog.Resource{}, err
		}
	}
	return s.create(ctx, caller, kind, edit)
}

// create adds an entry whose address is final.
func (s *Service) create(ctx context.Context, caller identity.Caller, kind catalog.Type, edit Edit) (catalog.Resource, error) {
	r := catalog.Entry{Type: kind, Privacy: catalog.PrivacyPublic}
	faults := edit.applyTo(&r)
	r.Normalize()
	if !slices.Contains(r.Authors, caller.Email) {
		r.Authors = slices.Insert(r.Authors, 0, caller.Email)
	}
	faults = append(faults, edit.credit(&r)...)
	r.Normalize()
	if err := refuse(append(faults, r.CheckForm(caller.Operator)...)); err != nil {
		return catalog.Resource{}, err
	}
	if err := checkAddressOfServer(catalog.Entry{}, r, caller); err != nil {
		return catalog.Resource{}, err
	}
	if err := s.countAddition(ctx); err != nil {
		return catalog.Resource{}, err
	}
	if _, archived := catalog.ParseDOIAddress(r.DatasetURL); !archived {
		return s.Entries.Create(ctx, r)
	}
	added, existing, err := s.Entries.CreateOnce(ctx, r, "")
	if err == nil && len(existing) > 0 {
		err = s.duplicate(ctx, existing, "data")
	}
	return added, err
}

// Update changes an entry, for its authors. seen is the entry's updatedAt that the caller edited: Conflict if it has
// changed since. Authors may leave, except the last one; an author who leaves a private entry can't see it anymore.
func (s *Service) Update(ctx context.Context, id string, edit Edit, seen time.Time) (catalog.Resource, error) {
	caller, err := identity.RequireContributor(ctx)
	if err != nil {
		return catalog.Resource{}, err
	}
	before, err := s.Entries.Readable(ctx, id)
	if err != nil {
		return catalog.Resource{}, err
	}
	if !before.DeletableBy(caller.Email) {
		return catalog.Resource{}, fault.New(fault.NotAuthor, "Only the authors of %s can change it: %s.", fault.Quote(before.Name), before.AuthorsText())
	}
	if !before.EditableBy(caller.Email) {
		return catalog.Resource{}, fault.New(fault.Conflict, "A repository's entry comes from its descriptor file: "+
			"change that file, then sync the entry.")
	}
	if edit.NotebookPath != nil && s.IsFrame != nil && s.IsFrame(id, strings.TrimSpace(*edit.NotebookPath)) {
		edit.NotebookPath = nil // a client that returns what it was given
	}
	if before.Type == catalog.Dataset && edit.DatasetURL != nil && strings.TrimSpace(*edit.DatasetURL) != before.DatasetURL {
		address := Edit{DatasetURL: edit.DatasetURL}
		if err := s.resolveData(ctx, caller, &address); err != nil {
			return catalog.Resource{}, err
		}
		edit.DatasetURL = address.DatasetURL
	}
	after := before
	faults := edit.applyTo(&after)
	faults = append(faults, edit.credit(&after)...)
	after.Normalize()
	left, err := s.Entries.FormerAuthors(ctx, id)
	if err != nil {
		return catalog.Resource{}, err
	}
	for _, email := range left {
		if slices.Contains(after.Authors, email) {
			faults = append(faults, fault.Field{Location: "authors", Message: fault.Quote(email) + " left this entry and can't be named as its author again."})
		}
	}
	if err := refuse(append(faults, after.CheckForm(caller.Operator)...)); err != nil {
		return catalog.Resource{}, err
	}
	if err := checkAddressOfServer(before, after, caller); err != nil {
		return catalog.Resource{}, err
	}
	return s.Entries.Update(ctx, after, seen)
}

// refuse returns Invalid if there are faults, each at its field of the body.
func refuse(faults []fault.Field) error {
	if len(faults) == 0 {
		return nil
	}
	for i := range faults {
		faults[i].Location = "body." + faults[i].Location
	}
	return fault.InvalidFields(faults)
}

// checkAddressOfServer refuses new addresses on this server: folders below the operators' data root and bundled files.
// Otherwise anybody could mount any folder there in their sessions.
func checkAddressOfServer(before, after catalog.Entry, caller identity.Caller) error {
	for _, field := range []struct{ location, before, after string }{
		{"body.datasetUrl", before.DatasetURL, after.DatasetURL},
		{"body.notebookPath", before.NotebookPath, after.NotebookPath},
	} {
		if isKept(field.after) && field.after != field.before {
			return fault.InvalidField(field.location, "%s is where this server keeps the files of an entry. Upload the files instead.", fault.Quote(field.after))
		}
		if !caller.Operator && field.after != "" && field.after != field.before && catalog.DataAddress(field.after) == "" {
			refused := fault.New(fault.Forbidden, "%s isn't an address that begins with https://. Only operators can add what's "+
				"on this server, such as folders below the data root.", fault.Quote(field.after))
			refused.Fields = []fault.Field{{Location: field.location, Message: refused.Message}}
			return refused
		}
	}
	return nil
}
