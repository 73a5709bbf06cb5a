package projects

import (
	"context"
	"net/http"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

type (
	membersOutput struct{ Body []Member }
	memberOutput  struct{ Body Member }
	projectInput  struct {
		ID string `path:"id"`
	}
)

// memberRoutes registers the operations on the members of projects, and on handing projects over.
func (s *Service) memberRoutes(api *httpapi.API, tags []string) {
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-shared-projects", Method: http.MethodGet, Path: "/projects/shared", Tags: tags,
		Summary: "The projects of others that are shared with the caller, newest first", Description: "Those that are offered to the caller have offeredTo.",
	}, func(ctx context.Context, _ *struct{}) (*projectsOutput, error) {
		projects, err := s.Shared(ctx)
		return &projectsOutput{Body: projects}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-members", Method: http.MethodGet, Path: "/projects/{id}/members", Tags: tags, Summary: "The members of a project",
		Description: "For its owner, who isn't among them, and for its members.",
	}, func(ctx context.Context, input *projectInput) (*membersOutput, error) {
		members, err := s.Members(ctx, input.ID)
		return &membersOutput{Body: members}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "set-member", Method: http.MethodPut, Path: "/projects/{id}/members/{email}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Share a project with somebody, or give them another role",
		Description: "For its owner. Viewers see and start the project, editors change it too. The address may be of somebody who has never signed in. " +
			"Parts that are private stay hidden from those who may not see them.",
	}, func(ctx context.Context, input *struct {
		ID    string `path:"id"`
		Email string `path:"email"`
		Body  struct {
			Role Role `json:"role" enum:"viewer,editor"`
		}
	},
	) (*memberOutput, error) {
		member, err := s.SetMember(ctx, input.ID, input.Email, input.Body.Role)
		return &memberOutput{Body: member}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "remove-member", Method: http.MethodDelete, Path: "/projects/{id}/members/{email}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Remove a member from a project, or leave it", Description: "For its owner and the member. Sessions that the member has started stay theirs.",
	}, func(ctx context.Context, input *struct {
		ID    string `path:"id"`
		Email string `path:"email"`
	},
	) (*booleanOutput, error) {
		return &booleanOutput{Body: true}, s.RemoveMember(ctx, input.ID, input.Email)
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "transfer-project", Method: http.MethodPost, Path: "/projects/{id}/transfer", Tags: tags, DefaultStatus: http.StatusOK,
		Summary:     "Offer a project to another owner, or accept it",
		Description: "Its owner names the other (email), who becomes its owner by accepting it (accept) and may refuse it instead. The owner before stays as an editor.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body struct {
			Email  string `json:"email,omitempty" doc:"By the owner: to whom it's offered"`
			Accept bool   `json:"accept,omitempty" doc:"By the other: true"`
		}
	},
	) (*projectOutput, error) {
		if (input.Body.Email != "") == input.Body.Accept {
			return nil, fault.InvalidField("body.email", "Name to whom the project is offered (email), or accept it (accept).")
		}
		if input.Body.Accept {
			project, err := s.Accept(ctx, input.ID)
			return &projectOutput{Body: project}, err
		}
		project, err := s.Offer(ctx, input.ID, input.Body.Email)
		return &projectOutput{Body: project}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "refuse-project", Method: http.MethodDelete, Path: "/projects/{id}/transfer", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Refuse a project that is offered, or withdraw the offer",
	}, func(ctx context.Context, input *projectInput) (*booleanOutput, error) {
		return &booleanOutput{Body: true}, s.EndOffer(ctx, input.ID)
	})
}
