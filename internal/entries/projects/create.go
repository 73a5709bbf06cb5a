package projects

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Create creates a project of the caller. A named owner must be the caller, otherwise it returns Forbidden; Invalid
// names the parts that don't exist, have the wrong type, or can't be published.
func (s *Service) Create(ctx context.Context, draft Draft) (Project, error) {
	if draft.OwnerEmail == "" {
		draft.OwnerEmail = identity.Email(ctx)
	}
	caller, err := identity.RequireEmail(ctx, draft.OwnerEmail)
	if err != nil {
		return Project{}, err
	}
	draft.OwnerEmail, draft.Name = caller.Email, strings.TrimSpace(draft.Name)
	draft.DatasetIDs = unique(draft.DatasetIDs)
	faults := draft.Check()
	if len(draft.DatasetIDs) <= DatasetsLimit { // otherwise a flood of ids would be looked up
		of, err := s.checkParts(ctx, draft)
		if err != nil {
			return Project{}, err
		}
		faults = append(faults, of...)
	}
	if err := refuse(faults); err != nil {
		return Project{}, err
	}
	id, err := s.store.Create(ctx, draft)
	if err != nil {
		return Project{}, err
	}
	return s.Get(ctx, id)
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

// checkParts returns the faults of a draft's parts for the caller. Hidden parts and missing parts have the same
// message.
func (s *Service) checkParts(ctx context.Context, draft Draft) ([]fault.Field, error) {
	visible, err := s.entries.LoadAny(ctx, append([]string{draft.RepositoryID}, draft.DatasetIDs...))
	if err != nil {
		return nil, err
	}
	shown, err := s.shown(ctx, visible)
	if err != nil {
		return nil, err
	}
	visible = slices.DeleteFunc(visible, func(r catalog.Entry) bool { return !shown[r.ID] })
	var faults []fault.Field
	check := func(location, id string, kind catalog.Type) {
		at := slices.IndexFunc(visible, func(r catalog.Entry) bool { return r.ID == id })
		var message string
		switch {
		case at < 0:
			message = strconv.Quote(shortened(id)) + " isn't an entry that you can see"
		case visible[at].Type != kind:
			message = strconv.Quote(visible[at].Name) + " (" + id + ") is a " + string(visible[at].Type) + ", not a " + string(kind)
		case draft.Published && visible[at].Hidden:
			message = strconv.Quote(visible[at].Name) + " (" + id + ") is hidden by an operator; the parts of a published project must be public"
		case draft.Published && !visible[at].Public():
			message = strconv.Quote(visible[at].Name) + " (" + id + ") is private; the parts of a published project must be public"
		default:
			return
		}
		faults = append(faults, fault.Field{Location: location, Message: message})
	}
	if draft.RepositoryID == "" {
		faults = append(faults, fault.Field{Location: "repositoryId", Message: "Please select a repository."})
	} else {
		check("repositoryId", draft.RepositoryID, catalog.Repository)
	}
	for i, id := range draft.DatasetIDs {
		check(datasetField(i), id, catalog.Dataset)
	}
	return faults, nil
}

// datasetField is the field of a dataset of a draft.
func datasetField(i int) string { return "datasetIds[" + strconv.Itoa(i) + "]" }

// shortened shortens an id from a request for a message.
func shortened(id string) string {
	if id = strings.ToValidUTF8(id, "\uFFFD"); len(id) > 60 {
		return strings.ToValidUTF8(id[:60], "") + "…"
	}
	return id
}
