package projects

import (
	"context"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Service manages projects for callers, within what they may see.
type Service struct {
	store   *Store
	entries *catalog.Service
}

// NewService returns a service.
func NewService(store *Store, entries *catalog.Service) *Service {
	return &Service{store: store, entries: entries}
}

// Own returns the caller's projects, newest first; Forbidden when the e-mail is somebody else's.
func (s *Service) Own(ctx context.Context, email string) ([]Project, error) {
	caller, err := identity.RequireEmail(ctx, email)
	if err != nil {
		return nil, err
	}
	rows, err := s.store.OwnedBy(ctx, caller.Email)
	if err != nil {
		return nil, err
	}
	return s.complete(ctx, rows)
}

// Using returns the projects with an entry that the caller may read: their own, those they are members of, and published ones. Others stay hidden, because
// names of projects are private.
func (s *Service) Using(ctx context.Context, resourceID string) ([]Project, error) {
	rows, err := s.store.Using(ctx, resourceID, identity.Email(ctx))
	if err != nil {
		return nil, err
	}
	return s.complete(ctx, rows)
}

// Get returns one project; NotFound when it is absent or hidden from the caller.
func (s *Service) Get(ctx context.Context, id string) (Project, error) {
	absent := fault.New(fault.NotFound, "This project doesn't exist, or you don't have access to it.")
	rows, err := s.store.ByID(ctx, id)
	if err != nil {
		return Project{}, err
	}
	if len(rows) == 0 {
		return Project{}, absent
	}
	complete, err := s.complete(ctx, rows)
	if err != nil {
		return Project{}, err
	}
	if !complete[0].visibleTo(identity.Email(ctx)) {
		return Project{}, absent
	}
	return complete[0], nil
}

// Readable reports which of the entries somebody may see now; their code hosts are asked about private repositories.
func (s *Service) Readable(ctx context.Context, accountID, email string, ids []string) (map[string]bool, error) {
	entries, err := s.entries.LoadAny(ctx, ids)
	if err != nil {
		return nil, err
	}
	readable := make(map[string]bool, len(entries))
	for _, entry := range entries {
		if readable[entry.ID], err = s.entries.MayRead(ctx, accountID, email, entry); err != nil {
			return nil, err
		}
	}
	return readable, nil
}

// Delete hides a project permanently; Forbidden unless the caller owns it. Its sessions continue.
func (s *Service) Delete(ctx context.Context, id string) error {
	project, err := s.owned(ctx, id, "delete")
	if err != nil {
		return err
	}
	return s.store.Delete(ctx, id, project.OwnerID)
}

// owned returns a project of the caller for an action; NotFound unless the caller sees it, Forbidden if it is another's.
func (s *Service) owned(ctx context.Context, id, action string) (Project, error) {
	project, err := s.Get(ctx, id)
	if err == nil && !project.OwnedBy(identity.Email(ctx)) {
		err = fault.New(fault.Forbidden, "Only the owner of this project can %s it: %s.", action, project.OwnerID)
	}
	return project, err
}

// editable returns a project that the caller may change; NotFound unless the caller sees it, Forbidden unless they own or edit it.
func (s *Service) editable(ctx context.Context, id string) (Project, error) {
	project, err := s.Get(ctx, id)
	if err == nil && project.Role != Owner && project.Role != Editor {
		err = fault.New(fault.Forbidden, "Only the owner of this project and its editors can change it. Ask %s.", project.OwnerID)
	}
	return project, err
}

// complete fills in the entries with one look-up for all projects. Entries that the caller may not see are replaced by
// their id, and the project is marked as unavailable.
func (s *Service) complete(ctx context.Context, rows []row) ([]Project, error) {
	var ids []string
	for _, row := range rows {
		ids = append(append(ids, row.repositoryID), row.datasetIDs...)
	}
	resources, err := s.entries.LoadAny(ctx, unique(ids))
	if err != nil {
		return nil, err
	}
	known := make(map[string]catalog.Entry, len(resources))
	for _, resource := range resources {
		known[resource.ID] = resource
	}
	email := identity.Email(ctx)
	shown, err := s.shown(ctx, resources)
	if err != nil {
		return nil, err
	}
	roles, err := s.store.roles(ctx, email, rows)
	if err != nil {
		return nil, err
	}
	result := make([]Project, len(rows))
	for i, row := range rows {
		project := row.Project
		project.Available, project.Role = true, row.roleOf(email, roles[row.ID])
		if project.Role != Owner && project.OfferedTo != email {
			project.OfferedTo = ""
		}
		part := func(id string, kind catalog.Type) catalog.Resource {
			if entry := known[id]; shown[id] {
				return entry.AnswerFor(ctx)
			}
			project.Available = false
			return hidden(id, kind, project.CreatedAt).AnswerFor(ctx)
		}
		project.RepositoryResource = part(row.repositoryID, catalog.Repository)
		project.DatasetResources = make([]catalog.Resource, len(row.datasetIDs))
		for j, id := range row.datasetIDs {
			project.DatasetResources[j] = part(id, catalog.Dataset)
		}
		result[i] = project
	}
	return result, nil
}

// shown reports which entries the caller may see. A code host that can't be asked shows nothing.
func (s *Service) shown(ctx context.Context, entries []catalog.Entry) (map[string]bool, error) {
	caller, _ := identity.From(ctx)
	if caller.Disabled || caller.Guest {
		caller.AccountID = "" // no code host is asked for them
	}
	shown := make(map[string]bool, len(entries))
	for _, entry := range entries {
		maySee, err := s.entries.MayRead(ctx, caller.AccountID, caller.Email, entry)
		if ctx.Err() != nil {
			return nil, err
		}
		shown[entry.ID] = maySee && err == nil
	}
	return shown, nil
}

// hidden stands for an entry that is deleted or private; callers can't tell which.
func hidden(id string, kind catalog.Type, since time.Time) catalog.Entry {
	return catalog.Entry{
		ID: id, Name: "Not available", Type: kind, Tags: []catalog.Tag{}, Authors: []string{},
		Privacy: catalog.PrivacyPrivate, Status: "NONE", State: catalog.StateDeleted, CreatedAt: since, UpdatedAt: since,
	}
}

func unique(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	var result []string
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			result = append(result, id)
		}
	}
	return result
}
