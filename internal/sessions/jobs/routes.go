package jobs

import (
	"context"
	"net/http"

	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

type (
	jobOutput     struct{ Body Job }
	jobPageOutput struct{ Body JobPage }
	deletedOutput struct{ Body bool }
	jobInput      struct {
		ID string `path:"id"`
	}
)

// Routes registers the operations on jobs.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Jobs"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "finish-notebook", Method: http.MethodPost, Path: "/sessions/{id}/finish", Tags: tags, DefaultStatus: http.StatusAccepted,
		Summary: "Execute the rest of a notebook in its running session",
		Description: "In the notebook's kernel, without a page; its outputs are in the file after each cell. A version of the session's work is made " +
			"before and after, and the session isn't stopped as idle meanwhile. Cells are executed as they are in the file at the beginning. It ends " +
			"with the first cell that fails, unless that is tagged raises-exception.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body FinishRequest
	},
	) (*jobOutput, error) {
		job, err := s.Finish(ctx, input.ID, input.Body)
		return &jobOutput{Body: job}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-jobs", Method: http.MethodGet, Path: "/jobs", Tags: tags, Summary: "The caller's jobs, newest first",
		Description: "Those that have ended are kept for 30 days.",
	}, func(ctx context.Context, input *struct {
		PageNumber int `query:"pageNumber" minimum:"0" maximum:"1000000" default:"0" doc:"Counted from 0"`
		PageSize   int `query:"pageSize" minimum:"1" maximum:"100" default:"20" doc:"Results on a page"`
	},
	) (*jobPageOutput, error) {
		found, total, err := s.List(ctx, input.PageNumber*input.PageSize, input.PageSize)
		return &jobPageOutput{Body: JobPage{Content: found, TotalElements: total, Number: input.PageNumber, Size: input.PageSize}}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-job", Method: http.MethodGet, Path: "/jobs/{id}", Tags: tags, Summary: "One of the caller's jobs",
	}, func(ctx context.Context, input *jobInput) (*jobOutput, error) {
		job, err := s.Get(ctx, input.ID)
		return &jobOutput{Body: job}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "delete-job", Method: http.MethodDelete, Path: "/jobs/{id}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Cancel a job, or delete one that has ended", Description: "The cell that runs is interrupted.",
	}, func(ctx context.Context, input *jobInput) (*deletedOutput, error) {
		return &deletedOutput{Body: true}, s.Delete(ctx, input.ID)
	})
}
