package catalog

import (
	"context"
	"net/http"

	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

// CreditedPage is somebody with a page of the entries that credit them.
type CreditedPage struct {
	Person Credited `json:"person"`
	ResourcePage
}

type personOutput struct{ Body CreditedPage }

// routes registers the operations on those whom entries credit.
func (p creditedPeople) routes(api *httpapi.API) {
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-person", Method: http.MethodGet, Path: "/people/{id}", Tags: []string{"Catalog"},
		Summary: "A person whom entries credit, and these entries",
		Description: "By ORCID iD, or by name for those without one. Newest entries first, private ones to their authors only. There is no e-mail address " +
			"in the answer: `authors` is empty. 404 if the caller sees no such entry. " + whileBuilding,
	}, func(ctx context.Context, input *struct {
		ID         string `path:"id"`
		PageNumber int    `query:"pageNumber" minimum:"0" maximum:"10000000" default:"0" doc:"Counted from 0"`
		PageSize   int    `query:"pageSize" minimum:"1" maximum:"100" default:"100" doc:"Results on a page"`
		View       string `query:"view" enum:"card" doc:"card: descriptions cut to 280 characters of plain text"`
	},
	) (*personOutput, error) {
		person, page, err := p.find(ctx, input.ID, input.PageNumber*input.PageSize, input.PageSize, input.View == "card")
		if err != nil {
			return nil, err
		}
		return &personOutput{Body: CreditedPage{person, pageOf(page, input.PageNumber, input.PageSize).Body}}, nil
	})
}
