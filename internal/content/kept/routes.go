package kept

import (
	"context"
	"net/http"

	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

type (
	taskInput struct {
		ID string `path:"id"`
	}
	taskOutput struct{ Body UploadTask }
	madeOutput struct {
		Status int
		Body   any
	}
)

// Routes registers the operations.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Uploads"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "describe-uploads", Method: http.MethodPost, Path: "/uploads/contents", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "What is in uploads, and what it says about itself",
		Description: "For a form: the files without unpacking them, what the uploads can become, and what CITATION.cff, codemeta.json, .zenodo.json, a descriptor, the README or " +
			"the notebook say. 409 upload_incomplete, 422 digest_mismatch.",
	}, func(ctx context.Context, input *struct{ Body contribute.NewContent }) (*struct{ Body UploadContents }, error) {
		found, err := s.Describe(ctx, input.Body)
		return &struct{ Body UploadContents }{found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "renew-resource", Method: http.MethodPost, Path: "/resources/{id}/content", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Make uploads a new version of an entry",
		Description: "For its authors. What it consisted of before stays as the version before. 201 with the version, or 202 with a task where archives are unpacked or " +
			"much is copied. 409 for the repository of a code host: it changes there.",
		Responses: map[string]*huma.Response{
			"201": {Description: "The version", Content: map[string]*huma.MediaType{"application/json": {Schema: httpapi.Schema[MadeVersion](api)}}},
			"202": {Description: "The task that makes it", Content: map[string]*huma.MediaType{"application/json": {Schema: httpapi.Schema[UploadTask](api)}}},
		},
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body contribute.NewContent
	},
	) (*madeOutput, error) {
		status, answer, err := s.Renew(ctx, input.ID, input.Body)
		return &madeOutput{Status: status, Body: answer}, err
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "compare-entry-versions", Method: http.MethodGet, Path: "/resources/public/{id}/versions/{number}/changes", Tags: []string{"Catalog"},
		Summary:     "What changed in a version of an entry",
		Description: "By file; of at most 20 files also by line, or by cell of a notebook. 409 unless this server keeps the files of both versions.",
	}, func(ctx context.Context, input *struct {
		ID     string `path:"id"`
		Number int    `path:"number" minimum:"1"`
		With   int    `query:"with" minimum:"1" doc:"The version that it is compared with; absent: the one before"`
	},
	) (*struct{ Body EntryChanges }, error) {
		found, err := s.Changes(ctx, input.ID, input.Number, input.With)
		return &struct{ Body EntryChanges }{found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-upload-task", Method: http.MethodGet, Path: "/uploads/tasks/{id}", Tags: tags,
		Summary: "How far uploads are on their way into an entry", Description: "Known for a day after its end.",
	}, func(ctx context.Context, input *taskInput) (*taskOutput, error) {
		found, err := s.Task(ctx, input.ID)
		return &taskOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "cancel-upload-task", Method: http.MethodDelete, Path: "/uploads/tasks/{id}", Tags: tags, DefaultStatus: http.StatusNoContent,
		Summary: "Cancel a task", Description: "The uploads stay. 409 if it has ended.",
	}, func(ctx context.Context, input *taskInput) (*struct{}, error) {
		return nil, s.Cancel(ctx, input.ID)
	})
}
