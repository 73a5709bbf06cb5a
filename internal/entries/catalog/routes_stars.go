package catalog

import (
	"context"
	"net/http"
	"strings"

	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

// routes registers the operations on stars.
func (s Stars) routes(api *httpapi.API) {
	tags := []string{"Catalog"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-star", Method: http.MethodGet, Path: "/resources/{id}/star", Tags: tags, Summary: "Find out whether the caller starred an entry",
	}, func(ctx context.Context, input *resourceInput) (*booleanOutput, error) {
		resource, err := s.entries.Get(ctx, input.ID)
		if err != nil {
			return nil, err
		}
		return &booleanOutput{Body: *resource.Starred}, nil
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "toggle-star", Method: http.MethodPost, Path: "/resources/{id}/star", Tags: tags,
		Summary: "Star or unstar an entry", Description: "Answers with the new state.", DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, input *resourceInput) (*booleanOutput, error) {
		starred, err := s.Toggle(ctx, input.ID)
		return &booleanOutput{Body: starred}, err
	})
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		httpapi.Register(api, httpapi.SignedIn, huma.Operation{
			OperationID: strings.ToLower(method) + "-star", Method: method, Path: "/resources/{id}/star", Tags: tags,
			Summary: "Set or remove a star", DefaultStatus: http.StatusOK,
		}, func(ctx context.Context, input *resourceInput) (*booleanOutput, error) {
			now, err := s.Set(ctx, input.ID, method == http.MethodPut)
			return &booleanOutput{Body: now}, err
		})
	}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-stars", Method: http.MethodGet, Path: "/resources/{email}/stars", Tags: tags,
		Summary: "The caller's starred entries, newest star first",
	}, func(ctx context.Context, input *struct {
		Email string `path:"email"`
	},
	) (*resourcesOutput, error) {
		resources, err := s.Of(ctx, input.Email)
		return &resourcesOutput{Body: resources}, err
	})
}
