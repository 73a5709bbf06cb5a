package contribute

import (
	"context"
	"slices"
	"strings"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/fault"
	"cairn/internal/identity"
)

// Edit is what people change in an entry; nil leaves a field unchanged.
type Edit struct {
	Name                   *string   `json:"name,omitempty" doc:"1 to 200 characters on one line"`
	Description            *string   `json:"description,omitempty" doc:"Markdown, up to 20,000 characters"`
	HeaderImage            *string   `json:"headerImage,omitempty" doc:"A web address"`
	Tags                   *[]string `json:"tags,omitempty" doc:"Up to 30, each up to 60 characters"`
	Authors                *[]string `json:"authors,omitempty" doc:"E-mail addresses"`
	Privacy                *string   `json:"privacy,omitempty" doc:"PUBLIC or PRIVATE"`
	DatasetURL             *string   `json:"datasetUrl,omitempty" doc:"DATASET: an https address"`
	NotebookPath           *string   `json:"notebookPath,omitempty" doc:"NOTEBOOK: an https address, as in https://github.com/OWNER/NAME/blob/REF/PATH.ipynb"`
	ApplicationInterfaceID *string   `json:"applicationInterfaceId,omitempty" doc:"MODEL: its id at the workflow platform"`
	Version                *string   `json:"version,omitempty" doc:"MODEL"`
}

// into writes the edit into an entry. It returns faults for fields that the entry's type doesn't have.
func (e Edit) into(r *catalog.Resource) []fault.Field {
	for _, text := range []struct{ from, to *string }{
		{e.Name, &r.Name}, {e.Description, &r.Description}, {e.HeaderImage, &r.HeaderImage},
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
	var faults []fault.Field
	for _, own := range []struct {
		location string
		kind     catalog.Type
		from, to *string
	}{
		{"datasetUrl", catalog.Dataset, e.DatasetURL, &r.DatasetURL},
		{"notebookPath", catalog.Notebook, e.NotebookPath, &r.NotebookPath},
		{"applicationInterfaceId", catalog.Model, e.ApplicationInterfaceID, &r.ApplicationInterfaceID},
		{"version", catalog.Model, e.Version, &r.Version},
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
	r := catalog.Resource{Type: kind, Privacy: catalog.PrivacyPublic}
	faults := edit.into(&r)
	r.Normalize()
	if !slices.Contains(r.Authors, caller.Email) {
		r.Authors = slices.Insert(r.Authors, 0, caller.Email)
	}
	if err := refuse(append(faults, r.CheckForm(caller.Operator)...)); err != nil {
		return catalog.Resource{}, err
	}
	if err := checkAddressOfServer(catalog.Resource{}, r, caller); err != nil {
		return catalog.Resource{}, err
	}
	if err := s.countAddition(ctx); err != nil {
		return catalog.Resource{}, err
	}
	return s.entries.Create(ctx, r)
}

// Update changes an entry, for its authors. seen is the entry's updatedAt that the caller edited: Conflict if it has
// changed since. Authors may leave, except the last one; an author who leaves a private entry can't see it anymore.
func (s *Service) Update(ctx context.Context, id string, edit Edit, seen time.Time) (catalog.Resource, error) {
	caller, err := identity.RequireContributor(ctx)
	if err != nil {
		return catalog.Resource{}, err
	}
	before, err := s.entries.Get(ctx, id)
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
	after := before
	faults := edit.into(&after)
	after.Normalize()
	left, err := s.entries.FormerAuthors(ctx, id)
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
	return s.entries.Update(ctx, after, seen)
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
func checkAddressOfServer(before, after catalog.Resource, caller identity.Caller) error {
	if caller.Operator {
		return nil
	}
	for _, field := range []struct{ location, before, after string }{
		{"body.datasetUrl", before.DatasetURL, after.DatasetURL},
		{"body.notebookPath", before.NotebookPath, after.NotebookPath},
	} {
		if field.after != "" && field.after != field.before && !catalog.ValidHTTPS(field.after) {
			refused := fault.New(fault.Forbidden, "%s isn't an address that begins with https://. Only operators can add what's "+
				"on this server, such as folders below the data root.", fault.Quote(field.after))
			refused.Fields = []fault.Field{{Location: field.location, Message: refused.Message}}
			return refused
		}
	}
	return nil
}
