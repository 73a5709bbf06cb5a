package preview

import (
	"context"
	"net/http"

	"cairn/internal/content/dataset"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

type datasetInput struct {
	ID   string `path:"id"`
	Path string `query:"path" doc:"Below the dataset's own folder, with slashes; empty for that folder itself"`
}

type tableInput struct {
	ID    string `path:"id"`
	Path  string `query:"path" doc:"Below the dataset's own folder, with slashes"`
	Sheet string `query:"sheet" maxLength:"200" doc:"Of a spreadsheet: the name of the sheet; empty for the first one"`
}

type totalInput struct {
	ID string `path:"id"`
}

type answerOutput[Body any] struct{ Body Body }

// Routes registers the operations on datasets.
func (d *Datasets) Routes(api *httpapi.API) {
	addPreview(api, huma.Operation{
		OperationID: "list-dataset-files", Path: "/resources/public/{id}/dataset", Summary: "List a folder of a dataset",
		Description: "For data on this server. Of other data it says why there is nothing to list.",
	}, d.List)
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "preview-dataset-table", Method: http.MethodGet, Path: "/resources/public/{id}/dataset/table", Tags: []string{"Catalog"},
		Summary: "Preview a table of a dataset",
		Description: "A CSV or TSV file, packed by gzip or not, a sheet of a spreadsheet (.xlsx), or a Parquet file. With a summary and a plot of each column of " +
			"numbers.",
	}, func(ctx context.Context, input *tableInput) (*answerOutput[dataset.Table], error) {
		table, err := d.Table(ctx, input.ID, input.Path, input.Sheet)
		return &answerOutput[dataset.Table]{Body: table}, err
	})
	addPreview(api, huma.Operation{
		OperationID: "preview-dataset-structure", Path: "/resources/public/{id}/dataset/structure", Summary: "Preview a file of arrays of a dataset",
		Description: "The groups, variables and attributes of an HDF5 file, so of NetCDF-4 and NWB too, or of a classic NetCDF file. Without the arrays.",
	}, d.Structure)
	addPreview(api, huma.Operation{
		OperationID: "preview-dataset-text", Path: "/resources/public/{id}/dataset/text", Summary: "Preview a text file of a dataset",
	}, d.Text)
	addPreview(api, huma.Operation{
		OperationID: "digest-dataset-file", Path: "/resources/public/{id}/dataset/digest", Summary: "The SHA-256 digest of a file of a dataset",
		Description: "For those who may download the file; refused like that. The digest of a file over 1 MiB is computed in the background when it is first " +
			"asked for, and again after the file changed.",
	}, d.Digest)
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "total-of-dataset", Method: http.MethodGet, Path: "/resources/public/{id}/dataset/total", Tags: []string{"Catalog"},
		Summary: "The number and size of all files of a dataset",
	}, func(ctx context.Context, input *totalInput) (*answerOutput[dataset.Total], error) {
		total, err := d.Total(ctx, input.ID)
		return &answerOutput[dataset.Total]{Body: total}, err
	})
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
