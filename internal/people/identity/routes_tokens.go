package identity

import (
	"context"
	"net/http"

	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

// AccessTokenPage is a page of access tokens.
type AccessTokenPage struct {
	Content       []AccessToken `json:"content"`
	TotalElements int           `json:"totalElements"`
	Number        int           `json:"number"`
	Size          int           `json:"size"`
}

// CreatedToken is an access token that was just created. The name is exported because it is that of the schema.
type CreatedToken struct {
	AccessToken

	Token string `json:"token" doc:"The secret: shown this once, and stored nowhere" example:"cairn_pat_..."`
}

type (
	tokenPageOutput    struct{ Body AccessTokenPage }
	createdTokenOutput struct {
		CacheControl string `header:"Cache-Control"`
		Body         CreatedToken
	}
	revokedOutput struct{ Body bool }
)

// tokenRoutes registers the operations on the caller's access tokens. None of them accepts such a token.
func (s *Service) tokenRoutes(api *httpapi.API) {
	tags := []string{"Accounts"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-tokens", Method: http.MethodGet, Path: "/account/tokens", Tags: tags,
		Summary: "The caller's access tokens, newest first", Description: "Without their secrets. Expired ones stay in the list for 30 days.",
	}, func(ctx context.Context, input *PageInput) (*tokenPageOutput, error) {
		found, total, err := s.Tokens(ctx, input.PageNumber*input.PageSize, input.PageSize)
		return &tokenPageOutput{Body: AccessTokenPage{Content: found, TotalElements: total, Number: input.PageNumber, Size: input.PageSize}}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "create-token", Method: http.MethodPost, Path: "/account/tokens", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Create an access token",
		Description: "For programs that call this server as the caller does: send it as a bearer token. It does what its scopes say and what the account may do, " +
			"but nothing that needs an operator; no token is valid for accounts, for tokens, or inside sessions. It ends with its time, when it is revoked, " +
			"and while the account is disabled. At most 50 per account.",
	}, func(ctx context.Context, input *struct {
		Body struct {
			Name    string  `json:"name" doc:"1 to 100 characters, to tell it from others" example:"Laptop"`
			Scopes  []Scope `json:"scopes" enum:"read,run,write" doc:"read: entries, projects, downloads; run: sessions and runs; write: add and change entries, projects and stars"`
			Expires int     `json:"expires,omitempty" default:"90" doc:"Days, at most 365"`
		}
	},
	) (*createdTokenOutput, error) {
		token, secret, err := s.CreateToken(ctx, input.Body.Name, input.Body.Scopes, input.Body.Expires)
		return &createdTokenOutput{CacheControl: "no-store", Body: CreatedToken{AccessToken: token, Token: secret}}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "revoke-token", Method: http.MethodDelete, Path: "/account/tokens/{id}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Revoke an access token", Description: "All servers refuse it within seconds.",
	}, func(ctx context.Context, input *struct {
		ID string `path:"id"`
	},
	) (*revokedOutput, error) {
		return &revokedOutput{Body: true}, s.RevokeToken(ctx, input.ID)
	})
}
