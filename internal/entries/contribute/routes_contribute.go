package contribute

import (
	"context"
	"net/http"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/metadata"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

type (
	resourceOutput   struct{ Body catalog.Resource }
	descriptorOutput struct{ Body Descriptor }
	foundOutput      struct{ Body metadata.Found }
	addedOutput      struct {
		Body struct {
			Type     catalog.Type     `json:"type"`
			Resource catalog.Resource `json:"resource"`
		}
	}
)

// Routes registers the operations that write entries.
func (s *Service) Routes(api *httpapi.API) {
	s.descriptorRoutes(api)
	s.editRoutes(api)
	s.sourceRoutes(api)
}

// descriptorRoutes registers the operations on descriptors.
func (s *Service) descriptorRoutes(api *httpapi.API) {
	tags := []string{"Contribute"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-descriptor", Method: http.MethodGet, Path: "/codehost/descriptor", Tags: tags,
		Summary: "The descriptor of a repository, as it is now",
		Description: "From the branch main, else master, else the default branch; in each by the configured names in their order. " +
			"422 names every fault by line and field. Repositories that are not public are not found.",
	}, func(ctx context.Context, input *struct {
		GitHubURL string `query:"githubUrl" doc:"Address of the repository, as in https://github.com/owner/name"`
		Sync      bool   `query:"sync" doc:"For an entry that is there: a missing privacy is PUBLIC"`
	},
	) (*descriptorOutput, error) {
		descriptor, err := s.PullDescriptor(ctx, input.GitHubURL, input.Sync)
		return &descriptorOutput{Body: descriptor}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "find-metadata", Method: http.MethodGet, Path: "/codehost/metadata", Tags: tags,
		Summary: "What others say about a work, for a form",
		Description: "CITATION.cff, codemeta.json and .zenodo.json of its repository, the code host itself, and DataCite by its DOI; each field from the first of these " +
			"that says something valid. Without e-mail addresses. A source that has nothing says nothing; unanswered names those that couldn't be asked.",
	}, func(ctx context.Context, input *struct {
		Address string `query:"address" doc:"Of a repository, of a file in one, or of a record with a DOI"`
		DOI     string `query:"doi"`
	},
	) (*foundOutput, error) {
		found, err := s.FindMetadata(ctx, input.Address, input.DOI)
		return &foundOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "add-repository", Method: http.MethodPost, Path: "/resources/repository", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Add a repository",
		Description: "For those whom its descriptor names as authors; 403 says which line to add. The server reads the descriptor itself: 409 when " +
			"it is not what was posted (case and blanks aside), and when the repository is in the catalog already, with a link to the entry.",
	}, func(ctx context.Context, input *struct {
		GitHubURL string `query:"githubUrl" doc:"Address of the repository, as in https://github.com/owner/name"`
		Body      *NewRepository
	},
	) (*addedOutput, error) {
		if input.Body == nil {
			input.Body = &NewRepository{}
		}
		resource, err := s.AddRepository(ctx, input.GitHubURL, *input.Body)
		output := &addedOutput{}
		output.Body.Type, output.Body.Resource = resource.Type, resource
		return output, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "sync-repository", Method: http.MethodPatch, Path: "/resources/repository", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Sync a repository's entry with its descriptor",
		Description: "For its authors. The server reads the descriptor itself: 409 when it is not what was posted (case and blanks aside). " +
			"A missing privacy is PUBLIC.",
	}, func(ctx context.Context, input *struct {
		Body struct {
			PostedCopy

			ID string `json:"id"`
		}
	},
	) (*resourceOutput, error) {
		resource, err := s.SyncRepository(ctx, input.Body.ID, input.Body.PostedCopy)
		return &resourceOutput{Body: resource}, err
	})
}
