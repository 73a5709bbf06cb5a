package jobs

import (
	"context"
	"io"
	"net/http"
	"strings"

	"cairn/internal/content/comparator"
	"cairn/internal/content/parameters"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

type (
	jobOutput        struct{ Body Job }
	jobPageOutput    struct{ Body JobPage }
	deletedOutput    struct{ Body bool }
	parametersOutput struct{ Body parameters.Declared }
	changesOutput    struct{ Body comparator.Result }
	filePageOutput   struct{ Body FilePage }
	jobInput         struct {
		ID string `path:"id"`
	}
)

// Routes registers the operations on jobs.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Jobs"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "finish-notebook", Method: http.MethodPost, Path: "/sessions/{id}/finish", Tags: tags, DefaultStatus: http.StatusAccepted,
		Summary: "Execute the rest of a notebook in its running session",
		Description: "In the notebook's kernel, without a page; its outputs are in the file after each cell. A version of the session's work is made " +
			"before and after, and the session isn't stopped as idle meanwhile. Cells are executed as they are in the file at the beginning. It ends " +
			"with the first cell that fails, unless that is tagged raises-exception.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body FinishRequest
	},
	) (*jobOutput, error) {
		job, err := s.Finish(ctx, input.ID, input.Body)
		return &jobOutput{Body: job}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-jobs", Method: http.MethodGet, Path: "/jobs", Tags: tags, Summary: "The caller's jobs, newest first",
		Description: "Those that have ended are kept as long as the operators have configured, by default for 30 days.",
	}, func(ctx context.Context, input *struct {
		Deleted    bool `query:"deleted" default:"false" doc:"Those that were deleted and can be undeleted, instead of the others"`
		PageNumber int  `query:"pageNumber" minimum:"0" maximum:"1000000" default:"0" doc:"Counted from 0"`
		PageSize   int  `query:"pageSize" minimum:"1" maximum:"100" default:"20" doc:"Results on a page"`
	},
	) (*jobPageOutput, error) {
		found, total, err := s.List(ctx, input.Deleted, input.PageNumber*input.PageSize, input.PageSize)
		return &jobPageOutput{Body: JobPage{Content: found, TotalElements: total, Number: input.PageNumber, Size: input.PageSize}}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-job", Method: http.MethodGet, Path: "/jobs/{id}", Tags: tags, Summary: "One of the caller's jobs",
	}, func(ctx context.Context, input *jobInput) (*jobOutput, error) {
		job, err := s.Get(ctx, input.ID)
		return &jobOutput{Body: job}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "delete-job", Method: http.MethodDelete, Path: "/jobs/{id}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Cancel a job, or delete one that has ended", Description: "The cell that runs is interrupted. A deletion can be undone for a while.",
	}, func(ctx context.Context, input *jobInput) (*deletedOutput, error) {
		return &deletedOutput{Body: true}, s.Delete(ctx, input.ID)
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "undelete-job", Method: http.MethodPost, Path: "/jobs/{id}/undelete", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Bring a deleted job back, with its result",
	}, func(ctx context.Context, input *jobInput) (*jobOutput, error) {
		job, err := s.Undelete(ctx, input.ID)
		return &jobOutput{Body: job}, err
	})
	s.parameterRoutes(api, tags)
	s.resultRoutes(api, tags)
}

// parameterRoutes registers the operations that say with which values notebooks can be executed.
func (s *Service) parameterRoutes(api *httpapi.API, tags []string) {
	const convention = "Those that the first cell with the tag `parameters` sets, in Python or R; nothing is executed to find them. The type is that of " +
		"an annotation, else of the value. What can't be read as plain values can't be set, and is listed in unread."
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-parameters", Method: http.MethodGet, Path: "/resources/public/{id}/parameters", Tags: tags,
		Summary: "With which values the notebook of an entry can be executed", Description: convention,
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		File string `query:"file" maxLength:"1000" doc:"A notebook's path in the repository; empty: the file that a session opens"`
	},
	) (*parametersOutput, error) {
		found, err := s.Parameters(ctx, input.ID, input.File)
		return &parametersOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-session-parameters", Method: http.MethodGet, Path: "/sessions/{id}/parameters", Tags: tags,
		Summary: "With which values a notebook of a session can be executed", Description: convention,
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Path string `query:"path" required:"true" maxLength:"1000" doc:"The notebook's path in the session"`
	},
	) (*parametersOutput, error) {
		found, err := s.SessionParameters(ctx, FromSession{Session: input.ID, Path: input.Path})
		return &parametersOutput{Body: found}, err
	})
}

// resultRoutes registers the operations on what jobs with sessions of their own have left.
func (s *Service) resultRoutes(api *httpapi.API, tags []string) {
	download(api, huma.Operation{OperationID: "get-job-notebook", Path: "notebook", Tags: tags, Summary: "The executed notebook of a job, as it is now"},
		notebookType, func(ctx context.Context, input *jobInput) (*huma.StreamResponse, error) {
			opened, name, err := s.Notebook(ctx, input.ID)
			return api.Send(httpapi.Download{ReadSeeker: opened, Closer: opened, Name: name, Kind: notebookType}, err)
		})
	download(api, huma.Operation{OperationID: "get-job-log", Path: "log", Tags: tags, Summary: "The end of the log of a job's session"},
		"text/plain; charset=utf-8", func(ctx context.Context, input *jobInput) (*huma.StreamResponse, error) {
			log, err := s.Log(ctx, input.ID)
			return api.Send(httpapi.Download{ReadSeeker: strings.NewReader(log), Closer: io.NopCloser(nil), Name: logName, Kind: "text/plain; charset=utf-8"}, err)
		})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-job-changes", Method: http.MethodGet, Path: "/jobs/{id}/changes", Tags: tags,
		Summary: "How the outputs of a job differ from those of the one before it, cell by cell",
		Description: "By the rules by which runs are compared with what the author stored. In the answer, author stands for the job before, and run for " +
			"this one. 404 if there was none on the same file.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		With string `query:"with" maxLength:"100" doc:"The id of another of the caller's jobs; empty: the one before"`
	},
	) (*changesOutput, error) {
		found, err := s.Changes(ctx, input.ID, input.With)
		return &changesOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-job-files", Method: http.MethodGet, Path: "/jobs/{id}/files", Tags: tags, Summary: "The files that a job wrote",
		Description: "Hidden ones are left out. Each can be downloaded from the version of its session that the answer names.",
	}, func(ctx context.Context, input *struct {
		ID         string `path:"id"`
		PageNumber int    `query:"pageNumber" minimum:"0" maximum:"1000000" default:"0" doc:"Counted from 0"`
		PageSize   int    `query:"pageSize" minimum:"1" maximum:"100" default:"100" doc:"Results on a page"`
	},
	) (*filePageOutput, error) {
		page, err := s.Files(ctx, input.ID, input.PageNumber, input.PageSize)
		return &filePageOutput{Body: page}, err
	})
	const archive = "application/zip"
	download(api, huma.Operation{OperationID: "download-job-files", Path: "files.zip", Tags: tags, Summary: "The files that a job wrote, as a zip"},
		archive, func(ctx context.Context, input *jobInput) (*huma.StreamResponse, error) {
			found, err := s.result(ctx, input.ID)
			if err != nil {
				return nil, err
			}
			return s.sendZip(api, "job-"+input.ID+".zip", found.zip), nil
		})
	download(api, huma.Operation{
		OperationID: "get-job-crate", Path: "crate.zip", Tags: tags, Summary: "A job as a Process Run Crate",
		Description: "What it wrote, and an RO-Crate description of how that came about, after " + processRun + ".",
	}, archive, func(ctx context.Context, input *jobInput) (*huma.StreamResponse, error) {
		made, err := s.crate(ctx, input.ID)
		if err != nil {
			return nil, err
		}
		return s.sendZip(api, "job-"+input.ID+".crate.zip", made.zip), nil
	})
}

func (s *Service) sendZip(api *httpapi.API, name string, write func(context.Context, io.Writer) error) *huma.StreamResponse {
	return api.Stream(func() {}, func(w http.ResponseWriter, r *http.Request) error {
		httpapi.Attach(w.Header(), name, "application/zip")
		return write(r.Context(), w)
	})
}

// download registers the download of a part of a job.
func download(api *httpapi.API, operation huma.Operation, kind string, answer func(context.Context, *jobInput) (*huma.StreamResponse, error)) {
	operation.Method, operation.Path = http.MethodGet, "/jobs/{id}/"+operation.Path
	operation.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
		kind: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
	}}}
	httpapi.Register(api, httpapi.SignedIn, operation, answer)
}
