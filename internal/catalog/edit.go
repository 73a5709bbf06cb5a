package catalog

import (
	"context"
	"slices"
	"time"

	"cairn/internal/fault"
	"cairn/internal/identity"
)

// Edit is what people write into an entry; what is nil stays as it is.
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

// into writes the edit into an entry. It gives the faults of fields that the entry's type does not have.
func (e Edit) into(r *Resource) []fault.Field {
	for _, text := range []struct{ from, to *string }{
		{e.Name, &r.Name}, {e.Description, &r.Description}, {e.HeaderImage, &r.HeaderImage},
	} {
		if text.from != nil {
			*text.to = *text.from
		}
	}
	if e.Privacy != nil {
		r.Privacy = Privacy(*e.Privacy)
	}
	if e.Tags != nil {
		r.Tags = make([]Tag, len(*e.Tags))
		for i, value := range *e.Tags {
			r.Tags[i] = Tag{Value: value}
		}
	}
	if e.Authors != nil {
		r.Authors = *e.Authors
	}
	var faults []fault.Field
	for _, own := range []struct {
		location string
		kind     Type
		from, to *string
	}{
		{"datasetUrl", Dataset, e.DatasetURL, &r.DatasetURL},
		{"notebookPath", Notebook, e.NotebookPath, &r.NotebookPath},
		{"applicationInterfaceId", Model, e.ApplicationInterfaceID, &r.ApplicationInterfaceID},
		{"version", Model, e.Version, &r.Version},
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

// Create adds an entry that is no repository. The caller is always among its authors, first where they are not named.
// Invalid names every fault by its field; an address of the operators' own data is Forbidden for others.
func (s *Service) Create(ctx context.Context, kind Type, edit Edit) (Resource, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Resource{}, err
	}
	if kind == Repository {
		return Resource{}, fault.InvalidField("body.type", "A repository is added by its address, which holds its descriptor: "+
			"POST /resources/repository.")
	}
	r := Resource{Type: kind, Privacy: PrivacyPublic}
	faults := edit.into(&r)
	r.Normalize()
	if !slices.Contains(r.Authors, caller.Email) {
		r.Authors = slices.Insert(r.Authors, 0, caller.Email)
	}
	if err := refuse(append(faults, checkFor(caller, r)...)); err != nil {
		return Resource{}, err
	}
	if err := checkAddressOfServer(Resource{}, r, caller); err != nil {
		return Resource{}, err
	}
	id, err := s.store.Create(ctx, r)
	if err != nil {
		return Resource{}, err
	}
	s.mirror.changed(ctx, id)
	return s.written(ctx, id)
}

// Update changes an entry, for its authors. seen is its time of change in the state that the caller edited: Conflict
// when it changed since. Authors may leave, but the last one; who leaves a private entry sees it no more.
func (s *Service) Update(ctx context.Context, id string, edit Edit, seen time.Time) (Resource, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Resource{}, err
	}
	before, err := s.Get(ctx, id)
	if err != nil {
		return Resource{}, err
	}
	if !before.DeletableBy(caller.Email) {
		return Resource{}, fault.New(fault.NotAuthor, "Only the authors of %s can change it: %s.", quote(before.Name), authorsText(before))
	}
	if !before.EditableBy(caller.Email) {
		return Resource{}, fault.New(fault.Conflict, "The entry of a repository says what the descriptor file in it says: "+
			"change that file, then sync the entry.")
	}
	after := before
	faults := edit.into(&after)
	after.Normalize()
	if err := refuse(append(faults, checkFor(caller, after)...)); err != nil {
		return Resource{}, err
	}
	if err := checkAddressOfServer(before, after, caller); err != nil {
		return Resource{}, err
	}
	if err := s.store.Update(ctx, after, seen); err != nil {
		return Resource{}, err
	}
	s.mirror.changed(ctx, id)
	return s.written(ctx, id)
}

// written gives an entry to whoever has just written it, even where they may see it no more.
func (s *Service) written(ctx context.Context, id string) (Resource, error) {
	resources, err := s.store.Load(ctx, []string{id})
	if err == nil && len(resources) == 0 {
		err = fault.New(fault.Internal, "the entry %s is gone as soon as it was written", id)
	}
	if err != nil {
		return Resource{}, err
	}
	return resources[0], s.personalize(ctx, resources)
}

// checkFor returns the faults of an entry in the words of its form. Who is no operator is not told of addresses that only operators may write: the
// next answer would refuse those.
func checkFor(caller identity.Caller, r Resource) []fault.Field {
	faults := r.Check()
	for i, one := range faults {
		if !caller.Operator && (one.Location == "datasetUrl" || one.Location == "notebookPath") {
			one = addressFault(one.Location, r.DatasetURL+r.NotebookPath, "an address that begins with https://")
		}
		if one.Ask != "" {
			one.Message = one.Ask
		}
		faults[i] = one
	}
	return faults
}

// refuse is Invalid when there are faults, each at its field of the body.
func refuse(faults []fault.Field) error {
	if len(faults) == 0 {
		return nil
	}
	for i := range faults {
		faults[i].Location = "body." + faults[i].Location
	}
	return fault.InvalidFields(faults)
}

// checkAddressOfServer refuses new addresses of what lies on this server: folders below the operators' data root and
// bundled files. Else anybody could have any folder there put into sessions of theirs.
func checkAddressOfServer(before, after Resource, caller identity.Caller) error {
	if caller.Operator {
		return nil
	}
	for _, field := range []struct{ location, before, after string }{
		{"body.datasetUrl", before.DatasetURL, after.DatasetURL},
		{"body.notebookPath", before.NotebookPath, after.NotebookPath},
	} {
		if field.after != "" && field.after != field.before && !ValidHTTPS(field.after) {
			refused := fault.New(fault.Forbidden, "%s is no address that begins with https://. Only operators add what lies "+
				"on this server itself, such as folders below the data root.", quote(field.after))
			refused.Fields = []fault.Field{{Location: field.location, Message: refused.Message}}
			return refused
		}
	}
	return nil
}
