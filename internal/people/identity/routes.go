package identity

import (
	"context"
	"net/http"

	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

// Me is what signed-in callers may know about their own account.
type Me struct {
	Email    string `json:"email" doc:"Verified; empty when the provider does not vouch for it"`
	Name     string `json:"name"`
	Enabled  bool   `json:"enabled" doc:"May start sessions"`
	Operator bool   `json:"operator"`
	Waiting  int    `json:"waiting" doc:"For operators: accounts that wait to be enabled"`
	MayHost  bool   `json:"mayHost" doc:"May prepare workshops"`
}

// PersonPage is a page of accounts.
type PersonPage struct {
	Content       []Person `json:"content"`
	TotalElements int      `json:"totalElements"`
	Waiting       int      `json:"waiting" doc:"Accounts that wait to be enabled, in all"`
	Number        int      `json:"number"`
	Size          int      `json:"size"`
}

type (
	meOutput         struct{ Body Me }
	personOutput     struct{ Body Person }
	personPageOutput struct{ Body PersonPage }
)

// Routes registers the operations on accounts.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Accounts"}
	s.auditRoutes(api)
	s.tokenRoutes(api)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-me", Method: http.MethodGet, Path: "/accounts/me", Tags: tags, Summary: "The caller's own account",
	}, func(ctx context.Context, _ *struct{}) (*meOutput, error) {
		caller, _ := From(ctx)
		me := Me{Email: caller.Email, Name: caller.Name, Enabled: caller.Enabled, Operator: caller.Operator, MayHost: s.MayHost(caller)}
		if caller.ManagesAccounts() {
			waiting, err := s.store.CountWaiting(ctx, s.policy)
			if err != nil {
				return nil, err
			}
			me.Waiting = waiting
		}
		return &meOutput{Body: me}, nil
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-accounts", Method: http.MethodGet, Path: "/accounts", Tags: tags,
		Summary: "List accounts, those waiting first", Description: "For operators.",
	}, s.handleList)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "decide-account", Method: http.MethodPatch, Path: "/accounts/{email}", Tags: tags,
		Summary: "Enable, disable or promote an account",
		Description: "For operators; also for an e-mail that was not seen yet. Within ten seconds a disabled account's ways into " +
			"its sessions end and its sessions are stopped, their work kept.",
	}, func(ctx context.Context, input *struct {
		Email string `path:"email"`
		Body  struct {
			Enabled *bool   `json:"enabled,omitempty"`
			Role    *string `json:"role,omitempty" enum:"user,operator"`
		}
	},
	) (*personOutput, error) {
		if _, err := RequireOperator(ctx, operatorsOnly); err != nil {
			return nil, err
		}
		person, err := s.Decide(ctx, input.Email, Decision{Enabled: input.Body.Enabled, Role: input.Body.Role})
		return &personOutput{Body: person}, err
	})
}

const operatorsOnly = "Only operators can see and change accounts."

func (s *Service) handleList(ctx context.Context, input *struct {
	Search     string `query:"search" maxLength:"254" doc:"A part of the e-mail or name"`
	Waiting    bool   `query:"waiting" doc:"Only those who wait to be enabled"`
	PageNumber int    `query:"pageNumber" minimum:"0" maximum:"1000000" default:"0" doc:"Counted from 0"`
	PageSize   int    `query:"pageSize" minimum:"1" maximum:"100" default:"100" doc:"Results on a page"`
},
) (*personPageOutput, error) {
	if _, err := RequireOperator(ctx, operatorsOnly); err != nil {
		return nil, err
	}
	page := PersonPage{Number: input.PageNumber, Size: input.PageSize}
	waiting, err := s.store.CountWaiting(ctx, s.policy)
	if err != nil {
		return nil, err
	}
	page.Waiting = waiting
	page.Content, page.TotalElements, err = s.People(ctx, PeopleQuery{
		Search: input.Search, Waiting: input.Waiting, Offset: input.PageNumber * input.PageSize, Limit: input.PageSize,
	})
	return &personPageOutput{Body: page}, err
}
