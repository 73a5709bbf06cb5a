package preview

import (
	"context"
	"net/http"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"

	"github.com/danielgtaylor/huma/v2"
)

// NotebookView is what is known about a notebook after its source was read.
type NotebookView struct {
	NotebookFrameURL string     `json:"notebookFrameUrl" doc:"Where it is shown, for a frame; good for 5 minutes"`
	FullPageURL      string     `json:"fullPageUrl" doc:"Where all its parts are shown, for a tab of its own; good for 12 hours"`
	Language         string     `json:"language" doc:"As the notebook spells it; may be empty"`
	Kernel           string     `json:"kernel" doc:"As people read it; may be empty"`
	Size             int64      `json:"size" doc:"Bytes of its file"`
	Parts            int        `json:"parts" doc:"In how many parts it is shown; large notebooks have several"`
	FileURL          string     `json:"fileUrl" doc:"Downloads its file; for private entries good for 11 to 12 hours"`
	SourceURL        string     `json:"sourceUrl,omitempty" doc:"Where people find the file"`
	FetchedAt        *time.Time `json:"fetchedAt,omitempty" doc:"When the source had it so, unless it is included with this server"`
	Stale            string     `json:"stale,omitempty" doc:"Why an older copy is shown"`
	Notes            []string   `json:"notes" doc:"What could not be shown as it was meant"`

	Page *NotebookPage `json:"page,omitempty" doc:"The web page to which the notebook's address leads instead of a file; without language, size and file"`
}

type notebookInput struct {
	AskingInput

	Path string `query:"path" doc:"Of a repository: the notebook at this path in it"`
}

type notebookOutput struct{ Body NotebookView }

// Routes registers the operation of notebooks.
func (n *Notebooks) Routes(api *httpapi.API) {
	n.downloadRoute(api)
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-notebook", Method: http.MethodGet, Path: "/resources/public/{id}/notebook", Tags: []string{"Catalog"},
		Summary: "Get the metadata of a notebook",
		Description: "The server reads the notebook from its source, if it has no copy of it, and answers when it can be shown. 404 also when the " +
			"source no longer has it, 422 for what is neither a notebook nor a web page or is in a private network, 502 and 503 for a source that fails.",
	}, func(ctx context.Context, input *notebookInput) (*notebookOutput, error) {
		resource, err := n.entries.Readable(ctx, input.ID)
		if err != nil {
			return nil, err
		}
		path := input.Path
		if resource.Type != catalog.Repository {
			path = ""
		}
		shown, err := n.show(codehost.AskedBy(ctx, input.asker), resource, path, 1)
		if err != nil {
			return nil, err
		}
		output := &notebookOutput{Body: NotebookView{
			NotebookFrameURL: n.frames.url(resource, identity.Email(ctx), path, 1), FullPageURL: n.parts.url(resource, identity.Email(ctx), path, allParts), Language: shown.Language, Kernel: shown.Kernel, Size: shown.Size, Parts: shown.Parts,
			FileURL: n.options.Downloads.url(resource, identity.Email(ctx), "/notebook/file", pathQuery(path), false), SourceURL: shown.Link, Notes: append([]string{}, shown.Notes...),
		}}
		if output.Body.Page = n.pageOf(shown, resource, identity.Email(ctx)); output.Body.Page != nil {
			output.Body.FileURL = ""
		}
		if !shown.Fetched.IsZero() {
			fetched := shown.Fetched.UTC()
			output.Body.FetchedAt = &fetched
		}
		if shown.Failure != nil {
			output.Body.Stale = fault.MessageOf(shown.Failure)
		}
		return output, nil
	})
}
