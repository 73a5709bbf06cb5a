package schedules

import (
	"context"
	"net/http"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions/jobs"

	"github.com/danielgtaylor/huma/v2"
)

type (
	scheduleOutput     struct{ Body Schedule }
	schedulePageOutput struct{ Body SchedulePage }
	deletedOutput      struct{ Body bool }
	startedOutput      struct{ Body any }
	scheduleInput      struct {
		ID string `path:"id"`
	}
)

// askInput asks for a job, now or again and again.
type askInput struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200" doc:"The same key gives the same job or schedule; 409 if it was used for something else"`
	Body           struct {
		jobs.Asked

		Schedule *When `json:"schedule,omitempty" doc:"Absent: once, now"`
	}
}

// Routes registers the operations on schedules, and the one that starts jobs.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Jobs"}
	either := &huma.Schema{OneOf: []*huma.Schema{httpapi.Schema[jobs.Job](api), httpapi.Schema[Schedule](api)}}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "start-job", Method: http.MethodPost, Path: "/jobs", Tags: tags, DefaultStatus: http.StatusAccepted,
		Summary: "Execute a notebook with other values, once or again and again",
		Description: "In a session of its own, from the first cell to the last, without a page. More jobs than the account may have at once wait. The " +
			"notebook is that of an entry or a project, as it is when the job starts, or of the newest version of one of the caller's sessions. With a " +
			"schedule, the answer is that, and each due time makes one job; of those that were missed, the last one is made up for.",
		Responses: map[string]*huma.Response{"202": {Description: "The job, or the schedule", Content: map[string]*huma.MediaType{"application/json": {Schema: either}}}},
	}, func(ctx context.Context, input *askInput) (*startedOutput, error) {
		if when := input.Body.Schedule; when != nil {
			schedule, err := s.Add(ctx, input.Body.Asked, *when, input.IdempotencyKey)
			return &startedOutput{Body: schedule}, err
		}
		job, err := s.jobs.Ask(ctx, input.Body.Asked, input.IdempotencyKey)
		return &startedOutput{Body: job}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-schedules", Method: http.MethodGet, Path: "/schedules", Tags: tags, Summary: "The caller's schedules, newest first",
	}, func(ctx context.Context, input *struct {
		PageNumber int `query:"pageNumber" minimum:"0" maximum:"1000000" default:"0" doc:"Counted from 0"`
		PageSize   int `query:"pageSize" minimum:"1" maximum:"100" default:"100" doc:"Results on a page"`
	},
	) (*schedulePageOutput, error) {
		found, total, err := s.List(ctx, input.PageNumber*input.PageSize, input.PageSize)
		return &schedulePageOutput{Body: SchedulePage{Content: found, TotalElements: total, Number: input.PageNumber, Size: input.PageSize}}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-schedule", Method: http.MethodGet, Path: "/schedules/{id}", Tags: tags, Summary: "One of the caller's schedules",
	}, func(ctx context.Context, input *scheduleInput) (*scheduleOutput, error) {
		found, err := s.Get(ctx, input.ID)
		return &scheduleOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "change-schedule", Method: http.MethodPatch, Path: "/schedules/{id}", Tags: tags,
		Summary: "Pause a schedule, or let it go on", Description: "What is due while it's paused isn't made up for.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body struct {
			Paused bool `json:"paused"`
		}
	},
	) (*scheduleOutput, error) {
		found, err := s.Pause(ctx, input.ID, input.Body.Paused)
		return &scheduleOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "delete-schedule", Method: http.MethodDelete, Path: "/schedules/{id}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Delete a schedule", Description: "Its jobs stay.",
	}, func(ctx context.Context, input *scheduleInput) (*deletedOutput, error) {
		return &deletedOutput{Body: true}, s.Delete(ctx, input.ID)
	})
}
