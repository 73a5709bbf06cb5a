package projects

import (
	"context"
	"net/http"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"

	"github.com/danielgtaylor/huma/v2"
)

type projectsOutput struct{ Body []Project }

type projectOutput struct{ Body Project }

type booleanOutput struct{ Body bool }

// Routes registers the operations on projects.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Projects"}
	s.memberRoutes(api, tags)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-projects", Method: http.MethodGet, Path: "/projects", Tags: tags, Summary: "The caller's projects, newest first",
	}, func(ctx context.Context, _ *struct{}) (*projectsOutput, error) {
		projects, err := s.Own(ctx, identity.Email(ctx))
		return &projectsOutput{Body: projects}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-projects-of", Method: http.MethodGet, Path: "/projects/{email}", Tags: tags,
		Summary: "The caller's projects, newest first", Description: "Asking for someone else's is refused.",
	}, func(ctx context.Context, input *struct {
		Email string `path:"email"`
	},
	) (*projectsOutput, error) {
		projects, err := s.Own(ctx, input.Email)
		return &projectsOutput{Body: projects}, err
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "list-associated-projects", Method: http.MethodGet, Path: "/resources/public/{id}/projects", Tags: tags,
		Summary: "Projects that hold an entry", Description: "The caller's own, those shared with the caller, and published ones.",
	}, func(ctx context.Context, input *struct {
		ID string `path:"id"`
	},
	) (*projectsOutput, error) {
		if err := s.entries.CheckReadable(ctx, input.ID); err != nil {
			return nil, err
		}
		projects, err := s.Using(ctx, input.ID)
		return &projectsOutput{Body: projects}, err
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-project", Method: http.MethodGet, Path: "/projects/public/{id}", Tags: tags,
		Summary: "A project", Description: "The caller's own, one shared with or offered to the caller, or a published one.",
	}, func(ctx context.Context, input *struct {
		ID string `path:"id"`
	},
	) (*projectOutput, error) {
		project, err := s.Get(ctx, input.ID)
		return &projectOutput{Body: project}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "create-project", Method: http.MethodPost, Path: "/projects", Tags: tags, Summary: "Make a project",
		Description: "Of exactly one repository and any number of datasets that the caller may see. 422 names what is invalid; " +
			"datasetIds[0] is the first dataset.",
		DefaultStatus: http.StatusCreated,
	}, func(ctx context.Context, input *struct{ Body Draft }) (*projectOutput, error) {
		project, err := s.Create(ctx, input.Body)
		return &projectOutput{Body: project}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "change-project", Method: http.MethodPatch, Path: "/projects/{id}", Tags: tags, Summary: "Change a project",
		Description: "For its owner and its editors. Fields that are left out stay as they are; datasetIds replaces all datasets. The repository stays, and " +
			"sessions keep what they were started with. 409 if the project has changed since updatedAt. 422 names what is invalid: published for a part that keeps the project from being published.",
		DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body Change
	},
	) (*projectOutput, error) {
		project, err := s.Change(ctx, input.ID, input.Body)
		return &projectOutput{Body: project}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "delete-project", Method: http.MethodDelete, Path: "/projects/{id}", Tags: tags,
		Summary: "Delete a project", Description: "For its owner. Its sessions stay.", DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, input *struct {
		ID string `path:"id"`
	},
	) (*booleanOutput, error) {
		return &booleanOutput{Body: true}, s.Delete(ctx, input.ID)
	})
}
