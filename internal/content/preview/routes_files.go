package preview

import (
	"context"
	"net/http"
	"path"
	"time"

	"cairn/internal/content/cite"
	"cairn/internal/content/notebook"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"

	"github.com/danielgtaylor/huma/v2"
)

// AskingInput names an entry whose repository may require a question to a code host.
type AskingInput struct {
	ID string `path:"id"`

	asker string
}

// Resolve records whose share the question counts against.
func (i *AskingInput) Resolve(ctx huma.Context) []error {
	i.asker = askerOf(ctx.Context(), ctx.RemoteAddr())
	return nil
}

// Asker returns whose share it counts against, for codehost.AskedBy.
func (i *AskingInput) Asker() string { return i.asker }

type fileInput struct {
	AskingInput

	Path string `query:"path" doc:"From the root of the repository; empty: the root"`
}

// askerOf returns an account, or the network of an anonymous caller.
func askerOf(ctx context.Context, remote string) string {
	if caller, ok := identity.From(ctx); ok {
		return caller.AccountID
	}
	return httpapi.ClientNetwork(remote)
}

// Folder is a folder of an entry's repository.
type Folder struct {
	Branch    string           `json:"branch" doc:"The one that answered: main, else master, else the default branch"`
	Path      string           `json:"path"`
	Entries   []codehost.Entry `json:"entries" doc:"Folders first, then by name"`
	Truncated bool             `json:"truncated" doc:"The code host has more than it tells"`
	FilesURL  string           `json:"filesUrl" doc:"The code host's page of a file is at this address with the file's path behind it; empty when it has none"`
	Host      string           `json:"host,omitempty" doc:"What people call the code host; absent for repositories of this server"`
	AsOf      time.Time        `json:"asOf"`
	Stale     bool             `json:"stale" doc:"The code host cannot be asked now; this is how it was at asOf"`

	Language  string     `json:"language,omitempty" doc:"The programming language of most of the repository's code, as the code host says"`
	SizeBytes int64      `json:"sizeBytes,omitempty" doc:"Of the whole repository, as the code host stores it"`
	PushedAt  *time.Time `json:"pushedAt,omitempty" doc:"When commits last arrived in the repository"`
}

func folderOf(found codehost.Listing) Folder {
	folder := Folder{
		Branch: found.Branch, Path: found.Path, Entries: found.Entries, Truncated: found.Truncated, FilesURL: found.FilesURL, Host: found.Host,
		AsOf: found.AsOf.UTC(), Stale: found.Stale, Language: found.Language, SizeBytes: found.SizeBytes,
	}
	if !found.PushedAt.IsZero() {
		pushed := found.PushedAt.UTC()
		folder.PushedAt = &pushed
	}
	return folder
}

// Text is a text file of an entry's repository.
type Text struct {
	Branch     string               `json:"branch"`
	Path       string               `json:"path"`
	Text       string               `json:"text"`
	Highlights []notebook.Highlight `json:"highlights,omitempty" doc:"The colors of code, from the beginning of the text; what is behind the last has none"`
	AsOf       time.Time            `json:"asOf"`
	Stale      bool                 `json:"stale"`
}

// Cited says how to cite an entry.
type Cited struct {
	Item         *cite.CitationItem  `json:"item,omitempty" doc:"An item of CSL-JSON, from the repository's CITATION.cff; absent when there is none that can be read now"`
	Texts        []cite.CitationText `json:"texts" doc:"The citation in each format: as the repository asks for, or from the entry itself if there is no item"`
	NamesGuessed bool                `json:"namesGuessed,omitempty" doc:"The authors' names in the texts are derived from e-mail addresses"`
}

type (
	listingOutput struct{ Body Folder }
	textOutput    struct{ Body Text }
	citedOutput   struct{ Body Cited }
)

// Routes registers the operations on files.
func (f *Files) Routes(api *httpapi.API) {
	tags := []string{"Files"}
	const answers = "From this server's copy of the code host's answer, a few minutes old at most. 503 with Retry-After " +
		"when the code host's limit is used up and there is no copy; 429 when the caller has asked too much of it."
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "list-files", Method: http.MethodGet, Path: "/resources/public/{id}/files", Tags: tags,
		Summary: "List a folder of an entry's repository", Description: answers,
	}, func(ctx context.Context, input *fileInput) (*listingOutput, error) {
		found, err := f.List(codehost.AskedBy(ctx, input.asker), input.ID, input.Path)
		if err != nil {
			return nil, err
		}
		return &listingOutput{Body: folderOf(found)}, nil
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-file", Method: http.MethodGet, Path: "/resources/public/{id}/file", Tags: tags,
		Summary: "Get a text file of an entry's repository", Description: answers + " 413 above 1 MiB, 422 when it is not text.",
	}, func(ctx context.Context, input *fileInput) (*textOutput, error) {
		found, err := f.Text(codehost.AskedBy(ctx, input.asker), input.ID, input.Path)
		if err != nil {
			return nil, err
		}
		text := string(found.Content)
		return &textOutput{Body: Text{
			Branch: found.Branch, Path: found.Path, Text: text, Highlights: f.highlighter.Highlights(ctx, path.Base(found.Path), text),
			AsOf: found.AsOf.UTC(), Stale: found.Stale,
		}}, nil
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-citation", Method: http.MethodGet, Path: "/resources/public/{id}/citation", Tags: tags,
		Summary: "Get the citation of an entry", Description: "By the CITATION.cff of its repository, if it has one.",
	}, func(ctx context.Context, input *AskingInput) (*citedOutput, error) {
		cited, err := f.Citation(codehost.AskedBy(ctx, input.asker), input.ID)
		return &citedOutput{Body: cited}, err
	})
}
