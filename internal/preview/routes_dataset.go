package preview

import (
	"context"
	"net/http"

	"cairn/internal/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

type datasetInput struct {
	ID   string `path:"id"`
	Path string `query:"path" doc:"Below the dataset's own folder, with slashes; empty for that folder itself"`
}

type answerOutput[Body any] struct{ Body Body }

// Routes registers the operations on datasets.
func (d *Datasets) Routes(api *httpapi.API) {
	addPreview(api, huma.Operation{
		OperationID: "list-dataset-files", Path: "/resources/public/{id}/dataset", Summary: "List a folder of a dataset",
		Description: "For data on this server. Of other data it says why there is nothing to list.",
	}, d.List)
	addPreview(api, huma.Operation{
		OperationID: "preview-dataset-table", Path: "/resources/public/{id}/dataset/table", Summary: "Preview a CSV or TSV file of a dataset",
		Description: "Packed by gzip or not. With a summary and a plot of each column of numbers.",
	}, d.Table)
	addPreview(api, huma.Operation{
		OperationID: "preview-dataset-text", Path: "/resources/public/{id}/dataset/text", Summary: "Preview a text file of a dataset",
	}, d.Text)
	d.downloadRoutes(api)
}

// addPreview registers an operation that previews the data of an entry.
func addPreview[Body any](api *httpapi.API, operation huma.Operation, look func(ctx context.Context, id, path string) (Body, error)) {
	operation.Method, operation.Tags = http.MethodGet, []string{"Catalog"}
	httpapi.Register(api, httpapi.Public, operation, func(ctx context.Context, input *datasetInput) (*answerOutput[Body], error) {
		body, err := look(ctx, input.ID, input.Path)
		return &answerOutput[Body]{Body: body}, err
	})
}
