package deposits

import (
	"context"
	"net/http"

	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

// NewDeposit says what is to be deposited where.
type NewDeposit struct {
	At      string `json:"at" doc:"The name of the archive: GET /archives"`
	Version int    `json:"version,omitempty" minimum:"0" doc:"The number of the entry's version; by default the latest"`
}

type (
	entryInput struct {
		ID string `path:"id"`
	}
	depositInput struct {
		ID      string `path:"id"`
		Deposit string `path:"deposit"`
	}
	depositOutput  struct{ Body Deposit }
	depositsOutput struct{ Body []Deposit }
	archivesOutput struct{ Body []Archive }
)

// Routes registers the operations.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Deposits"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-archives", Method: http.MethodGet, Path: "/archives", Tags: tags,
		Summary: "The archives at which entries can be deposited", Description: "An account is connected with one by POST /account/connections/{name}.",
	}, func(ctx context.Context, _ *struct{}) (*archivesOutput, error) {
		found, err := s.Archives(ctx)
		return &archivesOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "begin-deposit", Method: http.MethodPost, Path: "/resources/{id}/deposits", Tags: tags, DefaultStatus: http.StatusAccepted,
		Summary: "Deposit a version of an entry at an archive",
		Description: "For its authors, with the caller's own account at the archive: 403 not_connected without one. The files that this server keeps go up, with a description; of " +
			"entries elsewhere the description alone. What comes of it is a draft, which the caller publishes or discards. A version that was deposited there already answers that " +
			"deposit, and is tried again if it had failed. 409 while another version's deposit there isn't published; 422 for an entry without a license.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body NewDeposit
	},
	) (*depositOutput, error) {
		begun, err := s.Begin(ctx, input.ID, input.Body.At, input.Body.Version)
		return &depositOutput{Body: begun}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-deposits", Method: http.MethodGet, Path: "/resources/{id}/deposits", Tags: tags,
		Summary: "The deposits of an entry, the newest first", Description: "For its authors.",
	}, func(ctx context.Context, input *entryInput) (*depositsOutput, error) {
		found, err := s.List(ctx, input.ID)
		return &depositsOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-deposit", Method: http.MethodGet, Path: "/resources/{id}/deposits/{deposit}", Tags: tags,
		Summary: "How far a deposit is", Description: "For the entry's authors.",
	}, func(ctx context.Context, input *depositInput) (*depositOutput, error) {
		found, err := s.Get(ctx, input.ID, input.Deposit)
		return &depositOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "discard-deposit", Method: http.MethodDelete, Path: "/resources/{id}/deposits/{deposit}", Tags: tags, DefaultStatus: http.StatusNoContent,
		Summary:     "Discard a deposit",
		Description: "The draft at the archive is deleted, and the deposit forgotten. For who has begun it, or any author once that person is none. 409 if it is published.",
	}, func(ctx context.Context, input *depositInput) (*struct{}, error) {
		return nil, s.Discard(ctx, input.ID, input.Deposit)
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "publish-deposit", Method: http.MethodPost, Path: "/resources/{id}/deposits/{deposit}/publish", Tags: tags, DefaultStatus: http.StatusAccepted,
		Summary: "Publish a draft at the archive, for good",
		Description: "For who has begun it. Archives take back nothing that is published. The DOI then becomes that of the version, and of the entry if it has none; a second " +
			"call changes nothing. 409 while there is no draft.",
	}, func(ctx context.Context, input *depositInput) (*depositOutput, error) {
		found, err := s.Publish(ctx, input.ID, input.Deposit)
		return &depositOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "retry-deposit", Method: http.MethodPost, Path: "/resources/{id}/deposits/{deposit}/retry", Tags: tags, DefaultStatus: http.StatusAccepted,
		Summary: "Try a failed deposit again", Description: "For who has begun it. It goes on from what the archive has. 409 for one that hasn't failed.",
	}, func(ctx context.Context, input *depositInput) (*depositOutput, error) {
		found, err := s.Retry(ctx, input.ID, input.Deposit)
		return &depositOutput{Body: found}, err
	})
}
