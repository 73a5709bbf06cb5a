package projects

import (
	"context"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Shared returns the projects of others that the caller is a member of, or that are offered to the caller, newest first.
func (s *Service) Shared(ctx context.Context) ([]Project, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.store.SharedWith(ctx, caller.Email)
	if err != nil {
		return nil, err
	}
	return s.complete(ctx, rows)
}

// Members returns the members of a project that the caller owns or is a member of; NotFound for everybody else.
func (s *Service) Members(ctx context.Context, id string) ([]Member, error) {
	project, err := s.Get(ctx, id)
	if err == nil && project.Role == "" {
		err = fault.New(fault.NotFound, "Only the owner and the members of this project see who they are.")
	}
	if err != nil {
		return nil, err
	}
	return s.store.members(ctx, id)
}

// SetMember adds a member to a project of the caller's, or gives them another role. They need not have signed in yet.
func (s *Service) SetMember(ctx context.Context, id, address string, role Role) (Member, error) {
	project, err := s.owned(ctx, id, "share")
	if err != nil {
		return Member{}, err
	}
	email, err := addressOf(address, "path.email")
	switch {
	case err != nil:
		return Member{}, err
	case role != Editor && role != Viewer:
		return Member{}, fault.InvalidField("body.role", "The role is viewer or editor.")
	case email == project.OwnerID:
		return Member{}, fault.InvalidField("path.email", "You own this project, so you can do everything that its members can.")
	}
	if err := s.store.setMember(ctx, project, email, role); err != nil {
		return Member{}, err
	}
	return s.store.member(ctx, id, email)
}

// RemoveMember removes a member from a project: for its owner, and for the member.
func (s *Service) RemoveMember(ctx context.Context, id, address string) error {
	project, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	email := identity.NormalizeEmail(address)
	if project.Role != Owner && (project.Role == "" || email != identity.Email(ctx)) {
		return fault.New(fault.Forbidden, "Only the owner of this project can remove others: %s.", project.OwnerID)
	}
	return s.store.removeMember(ctx, project, email)
}

// Offer offers a project of the caller's to somebody, who owns it once they accept.
func (s *Service) Offer(ctx context.Context, id, address string) (Project, error) {
	project, err := s.owned(ctx, id, "hand over")
	if err != nil {
		return Project{}, err
	}
	email, err := addressOf(address, "body.email")
	switch {
	case err != nil:
		return Project{}, err
	case email == project.OwnerID:
		return Project{}, fault.InvalidField("body.email", "You own this project already.")
	case project.OfferedTo != "":
		return Project{}, fault.New(fault.Conflict, "This project is offered to %s. Withdraw that first.", project.OfferedTo)
	}
	if err := s.store.offer(ctx, project, email); err != nil {
		return Project{}, err
	}
	return s.Get(ctx, id)
}

// Accept makes the caller the owner of a project that is offered to them. The owner before stays as an editor.
func (s *Service) Accept(ctx context.Context, id string) (Project, error) {
	project, err := s.offered(ctx, id)
	if err != nil {
		return Project{}, err
	}
	if err := s.store.accept(ctx, project, identity.Email(ctx)); err != nil {
		return Project{}, err
	}
	return s.Get(ctx, id)
}

// EndOffer refuses a project that is offered to the caller, or withdraws the offer of one of the caller's own.
func (s *Service) EndOffer(ctx context.Context, id string) error {
	project, err := s.Get(ctx, id)
	switch {
	case err != nil:
		return err
	case project.Role == Owner && project.OfferedTo == "":
		return fault.New(fault.NotFound, "This project isn't offered to anybody.")
	case project.Role == Owner:
		return s.store.offer(ctx, project, "")
	}
	if project, err = s.offered(ctx, id); err != nil {
		return err
	}
	return s.store.refuse(ctx, project)
}

// offered returns a project that is offered to the caller.
func (s *Service) offered(ctx context.Context, id string) (Project, error) {
	project, err := s.Get(ctx, id)
	if email := identity.Email(ctx); err == nil && (email == "" || project.OfferedTo != email) {
		err = fault.New(fault.NotFound, "This project isn't offered to you.")
	}
	return project, err
}

// addressOf returns an e-mail address as accounts have it.
func addressOf(text, location string) (string, error) {
	email := identity.NormalizeEmail(text)
	if !identity.ValidEmail(email) {
		return "", fault.InvalidField(location, "%s isn't an e-mail address, such as ada@example.org.", fault.Quote(text))
	}
	return email, nil
}

// RoleIn returns the caller's role in a project, and the project's name; "" for others who see it. NotFound for everybody else.
func (s *Service) RoleIn(ctx context.Context, id string) (role, name string, err error) {
	project, err := s.Get(ctx, id)
	return string(project.Role), project.Name, err
}
