package curation

import (
	"context"
	"net/http"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

// OperatorEntryPage is a page of entries.
type OperatorEntryPage struct {
	Content       []OperatorEntry `json:"content"`
	TotalElements int             `json:"totalElements"`
	Number        int             `json:"number"`
	Size          int             `json:"size"`
}

type (
	entryInput struct {
		ID string `path:"id"`
	}
	entryOutput     struct{ Body OperatorEntry }
	entryPageOutput struct{ Body OperatorEntryPage }
	booleanOutput   struct{ Body bool }
)

// Routes registers the operations of operators on entries.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Curation"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-all-entries", Method: http.MethodGet, Path: "/operator/entries", Tags: tags,
		Summary: "All entries, newest first", Description: "For operators. Of private entries it shows only id, type and authors.",
	}, s.handleList)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "curate-entry", Method: http.MethodPatch, Path: "/operator/entries/{id}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Hide, show, feature or verify an entry",
		Description: "For operators. A hidden entry is gone for everyone but its authors and operators, who see it with the reason; hiding closes its " +
			"reports. 409 for private entries, which can only be shown again.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body struct {
			Hidden   *bool           `json:"hidden,omitempty"`
			Reason   string          `json:"reason,omitempty" doc:"Needed to hide: 1 to 1,000 characters, for the entry's authors"`
			Featured *bool           `json:"featured,omitempty" doc:"On the landing page first"`
			Status   *catalog.Status `json:"status,omitempty" enum:"VERIFIED,REJECTED,NONE"`
		}
	},
	) (*entryOutput, error) {
		if err := requireOperator(ctx); err != nil {
			return nil, err
		}
		change := input.Body
		entry, err := s.Change(ctx, input.ID, catalog.Curation{Hidden: change.Hidden, Reason: change.Reason, Featured: change.Featured, Status: change.Status})
		return &entryOutput{Body: entry}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "erase-entry", Method: http.MethodDelete, Path: "/operator/entries/{id}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Delete a hidden entry permanently", Description: "For operators. 409 unless the entry is hidden.",
	}, func(ctx context.Context, input *entryInput) (*booleanOutput, error) {
		if err := requireOperator(ctx); err != nil {
			return nil, err
		}
		return &booleanOutput{Body: true}, s.Delete(ctx, input.ID)
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "close-reports", Method: http.MethodDelete, Path: "/operator/entries/{id}/reports", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Dismiss the open reports of an entry", Description: "For operators.",
	}, func(ctx context.Context, input *entryInput) (*booleanOutput, error) {
		if err := requireOperator(ctx); err != nil {
			return nil, err
		}
		return &booleanOutput{Body: true}, s.CloseReports(ctx, input.ID)
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "report-entry", Method: http.MethodPost, Path: "/resources/{id}/reports", Tags: tags, DefaultStatus: http.StatusAccepted,
		Summary: "Report an entry to the operators", Description: "A second report of the same account replaces the first, until operators close it.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body struct {
			Reason string `json:"reason" doc:"1 to 1,000 characters"`
		}
	},
	) (*booleanOutput, error) {
		return &booleanOutput{Body: true}, s.Report(ctx, input.ID, input.Body.Reason)
	})
}

func (s *Service) handleList(ctx context.Context, input *struct {
	Text       string `query:"q" maxLength:"1000" doc:"Words in names, descriptions and addresses of what is public or hidden; or of authors' e-mail addresses; or an id"`
	State      string `query:"state" doc:"Comma list of new (added in the last seven days), reported, hidden: any of them"`
	PageNumber int    `query:"pageNumber" minimum:"0" maximum:"1000000" default:"0" doc:"Counted from 0"`
	PageSize   int    `query:"pageSize" minimum:"1" maximum:"100" default:"100" doc:"Results on a page"`
},
) (*entryPageOutput, error) {
	if err := requireOperator(ctx); err != nil {
		return nil, err
	}
	states, err := ParseStates(input.State)
	if err != nil {
		return nil, err
	}
	page, err := s.List(ctx, Query{Text: input.Text, States: states, Offset: input.PageNumber * input.PageSize, Limit: input.PageSize})
	return &entryPageOutput{Body: OperatorEntryPage{
		Content: page.Entries, TotalElements: page.Total, Number: input.PageNumber, Size: input.PageSize,
	}}, err
}
