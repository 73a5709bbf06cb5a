package publishing

import (
	"context"
	"net/http"

	"cairn/internal/content/kept"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

// Routes registers the operations.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Sessions"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "describe-session", Method: http.MethodPost, Path: "/sessions/{id}/publish/contents", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "What can be published from a session, and what it says about itself",
		Description: "For its owner. Makes a version of the work as it is now, unless a version is named, and lists its files, those that look as if they had a secret in them, and " +
			"what they can become. 404 if the session's engine keeps no versions.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body struct {
			Version string   `json:"version,omitempty" doc:"Of the session's work; absent: as it is now"`
			Paths   []string `json:"paths,omitempty" maxItems:"10000" doc:"Files, and folders with all that is in them; absent: all"`
		}
	},
	) (*struct{ Body SessionContents }, error) {
		paths := input.Body.Paths
		if len(paths) == 0 {
			paths = nil
		}
		found, err := s.Contents(ctx, input.ID, input.Body.Version, paths)
		return &struct{ Body SessionContents }{found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "publish-session", Method: http.MethodPost, Path: "/sessions/{id}/publish", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Make files of a session an entry, or a version of one",
		Description: "For its owner. A new entry is private: its authors make it public. If the session came from somebody else's entry, the new one is related to it (IsDerivedFrom) " +
			"and credits its authors. 201 with the version, or 202 with a task where much is copied. 409 looks_secret, whose errors name files, until confirm is true.",
		Responses: map[string]*huma.Response{
			"201": {Description: "The version", Content: map[string]*huma.MediaType{"application/json": {Schema: httpapi.Schema[Published](api)}}},
			"202": {Description: "The task that makes it", Content: map[string]*huma.MediaType{"application/json": {Schema: httpapi.Schema[kept.UploadTask](api)}}},
		},
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body Publication
	},
	) (*publishedOutput, error) {
		done, task, err := s.Publish(ctx, input.ID, input.Body)
		if task != nil {
			return &publishedOutput{http.StatusAccepted, *task}, err
		}
		return &publishedOutput{http.StatusCreated, done}, err
	})
}

type publishedOutput struct {
	Status int
	Body   any
}
