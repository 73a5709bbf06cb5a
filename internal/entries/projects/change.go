package projects

import (
	"context"
	"slices"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Change changes a project that the caller owns or edits; its repository stays, and so do its sessions. NotFound unless the caller sees
// it, Forbidden for others, and for editors who publish it or take that back. Conflict if it has changed since change.UpdatedAt. Invalid for what Create refuses. Parts are checked when the datasets change or the project is published.
func (s *Service) Change(ctx context.Context, id string, change Change) (Project, error) {
	before, err := s.editable(ctx, id)
	if err != nil {
		return Project{}, err
	}
	if change.Published != nil && *change.Published != before.Published && before.Role != Owner {
		return Project{}, fault.New(fault.Forbidden, "Only the owner of this project decides whether it is published: %s.", before.OwnerID)
	}
	after := Draft{Name: before.Name, OwnerEmail: before.OwnerID, RepositoryID: before.RepositoryResource.ID, Published: before.Published}
	if change.Name != nil {
		after.Name = strings.TrimSpace(*change.Name)
		change.Name = &after.Name
	}
	if change.Published != nil {
		after.Published = *change.Published
	}
	if change.DatasetIDs != nil {
		// Not nil either if there are none: they are removed then.
		change.DatasetIDs = append([]string{}, unique(change.DatasetIDs)...)
		after.DatasetIDs = change.DatasetIDs
	} else {
		for _, dataset := range before.DatasetResources {
			after.DatasetIDs = append(after.DatasetIDs, dataset.ID)
		}
	}
	faults := after.Check()
	publishes := after.Published && !before.Published
	if (publishes || change.DatasetIDs != nil) && len(after.DatasetIDs) <= DatasetsLimit {
		found, err := s.checkParts(ctx, after)
		if err != nil {
			return Project{}, err
		}
		if before.Role == Editor { // who needn't see what others have put in
			found = slices.DeleteFunc(found, func(one fault.Field) bool { return isKept(one.Location, after, before) })
		}
		faults = append(faults, changed(found, change, publishes)...)
	}
	if err := refuse(faults); err != nil {
		return Project{}, err
	}
	if err := s.store.Change(ctx, id, identity.Email(ctx), change); err != nil {
		return Project{}, err
	}
	return s.Get(ctx, id)
}

// isKept reports whether the part at a field of a draft was in the project before.
func isKept(location string, after Draft, before Project) bool {
	for i, id := range after.DatasetIDs {
		if location == datasetField(i) {
			return slices.ContainsFunc(before.DatasetResources, func(one catalog.Resource) bool { return one.ID == id })
		}
	}
	return true // its repository
}

// changed returns the faults of parts that a change is refused for, at its own fields: a part that the change doesn't
// name only matters for publishing.
func changed(faults []fault.Field, change Change, publishes bool) []fault.Field {
	var result []fault.Field
	for _, found := range faults {
		named := change.DatasetIDs != nil && found.Location != "repositoryId"
		if !named {
			found.Location = "published"
		}
		if named || publishes {
			result = append(result, found)
		}
	}
	return result
}
