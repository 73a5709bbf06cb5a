package related

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"cairn/internal/foundation/httpapi"
)

type relatedOutput struct {
	Body struct {
		Entries []RelatedEntry `json:"entries" doc:"At most six, the closest first"`
		Events  []EventName    `json:"events" doc:"The events that the entry is from"`
	}
}

// Routes registers the operation.
func (s *Service) Routes(api *httpapi.API) {
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "list-related", Method: http.MethodGet, Path: "/resources/public/{id}/related", Tags: []string{"Catalog"},
		Summary:     "List related entries",
		Description: "Entries of the same repository, of projects and events that it is part of, and with tags in common, each with why.",
	}, func(ctx context.Context, input *struct {
		ID string `path:"id"`
	},
	) (*relatedOutput, error) {
		var output relatedOutput
		var err error
		output.Body.Entries, output.Body.Events, err = s.Of(ctx, input.ID)
		return &output, err
	})
}
