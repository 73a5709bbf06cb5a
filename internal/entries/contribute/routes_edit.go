package contribute

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

// NewResource is an entry that somebody adds. The schema requires only the type, so that one answer names every fault.
type NewResource struct {
	Edit
	NewContent

	Source string `json:"source,omitempty" doc:"DATASET: the DOI of data at an archive, from which the server fills what isn't said here" example:"doi:10.5281/zenodo.1234567"`

	Type catalog.Type `json:"type" doc:"DATASET, NOTEBOOK or MODEL; repositories are added by POST /resources/repository, or with upload"`
}

// createdOutput is an entry, or the task that makes it.
type createdOutput struct {
	Status int
	Body   any
}

// ResourceChange is a change of an entry.
type ResourceChange struct {
	Edit

	UpdatedAt *time.Time `json:"updatedAt,omitempty" doc:"Needed: updatedAt of the entry that the change is made on"`
}

// editRoutes registers the operations on entries that aren't repositories.
func (s *Service) editRoutes(api *httpapi.API) {
	tags := []string{"Catalog"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "create-resource", Method: http.MethodPost, Path: "/resources", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Add a dataset, a notebook or a model",
		Description: "For everyone who is signed in. The caller is always among the authors; without privacy it is PUBLIC. A dataset's and " +
			"a notebook's address is an https address, a dataset's also a DOI; operators also add folders below the data root and bundled: names (403 for others). " +
			"422 names every invalid field. With upload, the caller's uploads become what the entry consists of, also a REPOSITORY, which this server keeps; what " +
			"isn't said is filled from them. With source, a dataset is what an archive has under a DOI, and what isn't said is filled from there; 409 if the catalog has it. " +
			"A REPOSITORY with source is fetched from there, and this server keeps it. 201 with the entry, or 202 with a task where archives are unpacked or much is copied.",
		Responses: map[string]*huma.Response{
			"201": {Description: "The entry", Content: map[string]*huma.MediaType{"application/json": {Schema: httpapi.Schema[catalog.Resource](api)}}},
			"202": {Description: "What makes the uploads an entry: GET /uploads/tasks/{id}"},
		},
	}, func(ctx context.Context, input *struct {
		Body NewResource
	},
	) (*createdOutput, error) {
		if len(input.Body.Upload) > 0 {
			if s.Content == nil {
				return nil, fault.New(fault.Unavailable, "Nothing can be uploaded to this server.")
			}
			status, answer, err := s.Content.Add(ctx, input.Body.Type, input.Body.Edit, input.Body.NewContent)
			return &createdOutput{Status: status, Body: answer}, err
		}
		if input.Body.Source != "" {
			status, answer, err := s.CreateFrom(ctx, input.Body.Type, input.Body.Source, input.Body.Edit)
			return &createdOutput{Status: cmp.Or(status, http.StatusCreated), Body: answer}, err
		}
		resource, err := s.Create(ctx, input.Body.Type, input.Body.Edit)
		return &createdOutput{Status: http.StatusCreated, Body: resource}, err
	})
	for _, kind := range []catalog.Type{catalog.Dataset, catalog.Notebook, catalog.Model} {
		word := strings.ToLower(string(kind))
		httpapi.Register(api, httpapi.SignedIn, huma.Operation{
			OperationID: "add-" + word, Method: http.MethodPost, Path: "/resources/" + word, Tags: tags, DefaultStatus: http.StatusCreated,
			Summary: "Add a " + word + ", as clients of other gateways do",
			Description: "As POST /resources, for clients that post a whole entry to the address of its type. Tags may be objects, as in answers; " +
				"what the server decides (id, type, status, state, times) is ignored.",
		}, func(ctx context.Context, input *struct {
			Body PostedResource
		},
		) (*addedOutput, error) {
			edit, err := input.Body.edit()
			if err != nil {
				return nil, err
			}
			resource, err := s.Create(ctx, kind, edit)
			output := &addedOutput{}
			output.Body.Type, output.Body.Resource = kind, resource
			return output, err
		})
	}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "update-resource", Method: http.MethodPatch, Path: "/resources/{id}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Change a dataset, a notebook or a model",
		Description: "For its authors. Members that are left out stay as they are; tags and authors are replaced whole. updatedAt is that of the entry " +
			"as the caller saw it: 409 when it was changed since, and nothing is. Authors may take themselves off, but for the last one. " +
			"The entry of a repository is changed in its descriptor (409).",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body ResourceChange
	},
	) (*resourceOutput, error) {
		if input.Body.UpdatedAt == nil {
			return nil, fault.InvalidField("body.updatedAt", "updatedAt is needed: the one of the entry that you changed.")
		}
		resource, err := s.Update(ctx, input.ID, input.Body.Edit, *input.Body.UpdatedAt)
		return &resourceOutput{Body: resource}, err
	})
}
