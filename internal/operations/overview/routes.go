package overview

import (
	"context"
	"net/http"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"

	"github.com/danielgtaylor/huma/v2"
)

type (
	overviewOutput struct{ Body Overview }
	healthOutput   struct{ Body Health }
)

const operatorsOnly = "Only operators can see what this server does."

// Routes registers the operations.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Operators"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-overview", Method: http.MethodGet, Path: "/operator/overview", Tags: tags,
		Summary: "What the server does", Description: "For operators: people, sessions, the queue, disks, and the failures of the last hour.",
	}, func(ctx context.Context, _ *struct{}) (*overviewOutput, error) {
		if _, err := identity.RequireOperator(ctx, operatorsOnly); err != nil {
			return nil, err
		}
		found, err := s.Look(ctx)
		return &overviewOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-health", Method: http.MethodGet, Path: "/operator/health", Tags: tags,
		Summary: "Whether the server is well", Description: "For operators. The answer is up to ten seconds old. Balancers ask /readyz.",
	}, func(ctx context.Context, _ *struct{}) (*healthOutput, error) {
		if _, err := identity.RequireOperator(ctx, operatorsOnly); err != nil {
			return nil, err
		}
		return &healthOutput{Body: s.Check(ctx)}, nil
	})
}
