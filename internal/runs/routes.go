package runs

import (
	"context"
	"net/http"

	"cairn/internal/content/cite"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

// RunPage is a page of runs.
type RunPage struct {
	Content       []Run `json:"content"`
	TotalElements int   `json:"totalElements"`
	Number        int   `json:"number"`
	Size          int   `json:"size"`
}

// RunCitation says how to cite a run.
type RunCitation struct {
	Texts        []cite.CitationText `json:"texts" doc:"The citation in each format: of the run's crate"`
	NamesGuessed bool                `json:"namesGuessed,omitempty" doc:"The authors' names are derived from e-mail addresses"`
}

type (
	runInput struct {
		ID  string `path:"id"`
		Run string `path:"run"`
	}
	runOutput      struct{ Body Run }
	citationOutput struct{ Body RunCitation }
	runPageOutput  struct{ Body RunPage }
	booleanOutput  struct{ Body bool }
)

// Routes registers the operations on runs.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Runs"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "start-run", Method: http.MethodPost, Path: "/resources/{id}/runs", Tags: tags, DefaultStatus: http.StatusAccepted,
		Summary: "Run a public entry for the catalog",
		Description: "For its authors and operators whose accounts are enabled. It is queued behind everybody who waits for a session. While a " +
			"run of the same file is under way, the answer is that one.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body struct {
			File string `json:"file,omitempty" maxLength:"1000" doc:"A notebook's path in the repository; empty: the file that a session opens"`
			Ref  string `json:"ref,omitempty" maxLength:"250" doc:"A branch, tag or commit; empty: the default branch"`
		}
	},
	) (*runOutput, error) {
		run, err := s.Start(ctx, input.ID, input.Body.File, input.Body.Ref)
		return &runOutput{Body: run}, err
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "list-runs", Method: http.MethodGet, Path: "/resources/public/{id}/runs", Tags: tags, Summary: "The runs of an entry, newest first",
	}, func(ctx context.Context, input *struct {
		ID         string `path:"id"`
		PageNumber int    `query:"pageNumber" minimum:"0" maximum:"1000000" default:"0" doc:"Counted from 0"`
		PageSize   int    `query:"pageSize" minimum:"1" maximum:"100" default:"20" doc:"Results on a page"`
	},
	) (*runPageOutput, error) {
		found, total, err := s.List(ctx, input.ID, input.PageNumber*input.PageSize, input.PageSize)
		return &runPageOutput{Body: RunPage{Content: found, TotalElements: total, Number: input.PageNumber, Size: input.PageSize}}, err
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-run", Method: http.MethodGet, Path: "/resources/public/{id}/runs/{run}", Tags: tags, Summary: "One run of an entry",
	}, func(ctx context.Context, input *runInput) (*runOutput, error) {
		run, err := s.Get(ctx, input.ID, input.Run)
		return &runOutput{Body: run}, err
	})
	s.fileRoute(api, tags, "get-run-notebook", "notebook", "The executed notebook of a run", executedName, notebookType)
	s.fileRoute(api, tags, "get-run-author", "author", "The notebook of a run as it was before, with the outputs that its author stored", authorName, notebookType)
	s.fileRoute(api, tags, "get-run-log", "log", "The log of a run", logName, "text/plain; charset=utf-8")
	s.fileRoute(api, tags, "get-run-comparison", "comparison", "How long each cell of a run took, and how its outputs differ from those that the author stored", comparisonName, "application/json")
	s.crateRoute(api, tags)
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-run-citation", Method: http.MethodGet, Path: runPath + "citation", Tags: tags, Summary: "Get the citation of a run",
	}, func(ctx context.Context, input *runInput) (*citationOutput, error) {
		citation, err := s.Citation(ctx, input.ID, input.Run, httpapi.Base+"/resources/public/"+input.ID+"/runs/"+input.Run+"/crate.zip")
		return &citationOutput{Body: citation}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "stop-run", Method: http.MethodDelete, Path: "/resources/{id}/runs/{run}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Stop a run", Description: "For who started it, the authors of its entry, and operators. One that has ended stays as it is.",
	}, func(ctx context.Context, input *runInput) (*booleanOutput, error) {
		return &booleanOutput{Body: true}, s.Stop(ctx, input.ID, input.Run)
	})
}

// fileRoute registers the download of a file that runs leave.
func (s *Service) fileRoute(api *httpapi.API, tags []string, id, last, summary, name, kind string) {
	download(api, huma.Operation{OperationID: id, Path: last, Tags: tags, Summary: summary}, kind, func(ctx context.Context, input *runInput) (*huma.StreamResponse, error) {
		run, err := s.Get(ctx, input.ID, input.Run)
		if err != nil {
			return nil, err
		}
		file, err := s.artifact(run.ID, name)
		return api.Send(httpapi.Download{ReadSeeker: file, Closer: file, Name: name, Kind: kind}, err)
	})
}

// crateRoute registers the download of all that a run left, and of how that came about.
func (s *Service) crateRoute(api *httpapi.API, tags []string) {
	const kind = "application/zip"
	download(api, huma.Operation{
		OperationID: "get-run-crate", Path: "crate.zip", Tags: tags, Summary: "A run as a Process Run Crate",
		Description: "A zip, without compression, with the files that the run left and an RO-Crate description of how they came about, after " + processRun +
			". Runs that failed have one as well; 404 before a run has ended, or if it was stopped before it began.",
	}, kind, func(ctx context.Context, input *runInput) (*huma.StreamResponse, error) {
		made, err := s.Crate(ctx, input.ID, input.Run)
		if err != nil {
			return nil, err
		}
		return api.Stream(made.Close, func(w http.ResponseWriter, _ *http.Request) error {
			httpapi.Attach(w.Header(), "run-"+input.Run+".crate.zip", kind)
			return made.Zip(w)
		}), nil
	})
}

// runPath is where the parts of a run are.
const runPath = "/resources/public/{id}/runs/{run}/"

// download registers the download of a file of a run, below whose path operation.Path is.
func download(api *httpapi.API, operation huma.Operation, kind string, answer func(context.Context, *runInput) (*huma.StreamResponse, error)) {
	operation.Method, operation.Path = http.MethodGet, runPath+operation.Path
	operation.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
		kind: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
	}}}
	httpapi.Register(api, httpapi.Public, operation, answer)
}
