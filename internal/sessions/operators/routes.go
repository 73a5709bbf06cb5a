package operators

import (
	"context"
	"net/http"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions"

	"github.com/danielgtaylor/huma/v2"
)

type (
	operatorSessionOutput     struct{ Body OperatorSession }
	operatorSessionPageOutput struct{ Body OperatorSessionPage }
)

// Routes registers the operations on everybody's sessions.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Operators"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-all-sessions", Method: http.MethodGet, Path: "/operator/sessions", Tags: tags,
		Summary: "Everybody's sessions", Description: "For operators; without the names that are private to their owners, and with what running ones use.",
	}, func(ctx context.Context, input *struct {
		Live       bool            `query:"live" doc:"Only those that run or start"`
		Text       string          `query:"q" maxLength:"254" doc:"A part of the owner's e-mail address, or an id"`
		Status     sessions.Status `query:"status" enum:"CREATED,RUNNING,FINISHED,TERMINATED,ERROR" doc:"Only those in this state"`
		Engine     string          `query:"engine" maxLength:"100" doc:"Only those on this engine"`
		Order      Order           `query:"sort" enum:"newest,memory,cpus,disk" default:"newest" doc:"By memory, cpus or disk, the largest first, only those that run or start are listed"`
		PageNumber int             `query:"pageNumber" minimum:"0" maximum:"1000000" default:"0" doc:"Counted from 0"`
		PageSize   int             `query:"pageSize" minimum:"1" maximum:"100" default:"100" doc:"Results on a page"`
	},
	) (*operatorSessionPageOutput, error) {
		page, err := s.All(ctx, sessions.AllQuery{
			Live: input.Live, Text: input.Text, Status: input.Status, Engine: input.Engine, Offset: input.PageNumber * input.PageSize, Size: input.PageSize,
		}, input.Order)
		return &operatorSessionPageOutput{Body: page}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "stop-session", Method: http.MethodPatch, Path: "/operator/sessions/{id}", Tags: tags,
		Summary: "Stop somebody's session, with a reason", Description: "For operators. The work is kept, and the owner reads the reason. One that has ended stays as it is.",
	}, func(ctx context.Context, input *struct {
		ID     string          `path:"id"`
		Status sessions.Status `query:"status" enum:"TERMINATED" required:"true"`
		Body   struct {
			Reason string `json:"reason" minLength:"1" maxLength:"1000"`
		}
	},
	) (*operatorSessionOutput, error) {
		session, err := s.Stop(ctx, input.ID, input.Body.Reason)
		return &operatorSessionOutput{Body: session}, err
	})
}
