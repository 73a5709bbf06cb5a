package work

import (
	"bufio"
	"context"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"

	"cairn/internal/content/difference"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// VersionInput names a version. The name is exported because huma ignores other parts of inputs.
type VersionInput struct {
	ID      string `path:"id"`
	Version string `path:"version" doc:"The id of a version"`
}

type (
	versionOutput         struct{ Body Version }
	versionPageOutput     struct{ Body VersionPage }
	versionFilePageOutput struct{ Body VersionFilePage }
	differenceOutput      struct{ Body difference.FileDifference }
	restoredOutput        struct {
		Body struct {
			Path string `json:"path" doc:"What was written, below the work folder; empty: everything"`
		}
	}
)

// versionRoutes registers the operations on versions of work. They work whatever state the session is in.
func (s *Service) versionRoutes(api *httpapi.API, tags []string) {
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-versions", Method: http.MethodGet, Path: "/sessions/{id}/versions", Tags: tags,
		Summary: "The versions of a session's work, newest first",
		Description: "For its owner, in every state, also of recently deleted sessions. 404 if the session's engine keeps no versions. " +
			"Paths of any bytes are text: bytes that aren't UTF-8 are written as ␛ and two hexadecimal digits each.",
	}, func(ctx context.Context, input *struct {
		ID         string `path:"id"`
		Path       string `query:"path" doc:"Only versions in which this file is new, changed or gone"`
		PageNumber int    `query:"pageNumber" minimum:"0" maximum:"1000000" default:"0" doc:"Counted from 0"`
		PageSize   int    `query:"pageSize" minimum:"1" maximum:"100" default:"100" doc:"Results on a page"`
	},
	) (*versionPageOutput, error) {
		page, err := s.Versions(ctx, input.ID, input.Path, input.PageNumber, input.PageSize)
		return &versionPageOutput{Body: page}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "save-version", Method: http.MethodPost, Path: "/sessions/{id}/versions", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Make a version of a session's work with a name", Description: "Of the work as it is now. Named versions are kept as long as the session.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body struct {
			Name string `json:"name" doc:"1 to 200 characters"`
		}
	},
	) (*versionOutput, error) {
		made, err := s.SaveVersion(ctx, input.ID, input.Body.Name)
		return &versionOutput{Body: made}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-version-files", Method: http.MethodGet, Path: "/sessions/{id}/versions/{version}/files", Tags: tags,
		Summary: "What is in a folder of a version", Description: "Folders first, then by name.",
	}, func(ctx context.Context, input *struct {
		VersionInput

		Path       string `query:"path" doc:"The folder; empty: the work folder"`
		PageNumber int    `query:"pageNumber" minimum:"0" maximum:"1000000" default:"0" doc:"Counted from 0"`
		PageSize   int    `query:"pageSize" minimum:"1" maximum:"100" default:"100" doc:"Results on a page"`
	},
	) (*versionFilePageOutput, error) {
		page, err := s.VersionFiles(ctx, input.ID, input.Version, input.Path, input.PageNumber, input.PageSize)
		return &versionFilePageOutput{Body: page}, err
	})
	s.versionDownloadRoutes(api, tags)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "compare-versions", Method: http.MethodGet, Path: "/sessions/{id}/versions/{version}/diff", Tags: tags,
		Summary: "How a file of a version differs from another state of it",
		Description: "Lines of text, or cells of a notebook (.ipynb). A file that one side lacks is empty there; 404 if both do. 413 for files " +
			"over 8 MiB (notebooks: 32 MiB) or 50,000 lines, 422 for files that aren't text.",
	}, func(ctx context.Context, input *struct {
		VersionInput

		Path string `query:"path" required:"true" doc:"The file"`
		With string `query:"with" doc:"The id of another version of the session; empty: the work as it is now"`
	},
	) (*differenceOutput, error) {
		found, err := s.CompareVersions(ctx, input.ID, input.Version, input.With, input.Path)
		return &differenceOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "restore-version", Method: http.MethodPost, Path: "/sessions/{id}/versions/{version}/restore", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Bring a file, a folder or all of a version back",
		Description: "Beside what is there, under a name with the version's time; or in its place, after a version of the present state was made. " +
			"Deleted sessions have to be undeleted first.",
	}, func(ctx context.Context, input *struct {
		VersionInput

		Body struct {
			Path string `json:"path,omitempty" doc:"A file or folder; without it, everything"`
			Into string `json:"into" enum:"beside,place"`
		}
	},
	) (*restoredOutput, error) {
		output := &restoredOutput{}
		var err error
		output.Body.Path, err = s.RestoreVersion(ctx, input.ID, input.Version, input.Body.Path, input.Body.Into)
		return output, err
	})
}

// versionDownloadRoutes registers what sends files.
func (s *Service) versionDownloadRoutes(api *httpapi.API, tags []string) {
	binary := func(kind string) map[string]*huma.Response {
		return map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			kind: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		}}}
	}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "download-version-file", Method: http.MethodGet, Path: "/sessions/{id}/versions/{version}/file", Tags: tags,
		Summary: "Download a file of a version", Description: "As it was, with Range and ETag. The version `present` stands for the work as it is now, which has neither: it may change meanwhile.",
		Responses: binary(anyFile),
	}, func(ctx context.Context, input *struct {
		VersionInput

		Path string `query:"path" required:"true" doc:"The file"`
	},
	) (*huma.StreamResponse, error) {
		file, name, err := s.OpenVersion(ctx, input.ID, input.Version, input.Path)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			request, writer := humachi.Unwrap(ctx)
			s.sendVersionFile(writer, request, file, name)
		}}, nil
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "download-version", Method: http.MethodGet, Path: "/sessions/{id}/versions/{version}.zip", Tags: tags,
		Summary: "Download all files of a version", Description: "A zip file, streamed, as work.zip sends the present state and under its limits.",
		Responses: binary("application/zip"),
	}, s.handleVersionArchive)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "link-version", Method: http.MethodPost, Path: "/sessions/{id}/versions/{version}/link", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Make a link that downloads a version, or a file of it", Description: "For browsers, as work-link.",
	}, func(ctx context.Context, input *struct {
		VersionInput

		Path string `query:"path" doc:"A file; empty: all of the version, as a zip file"`
	},
	) (*workLinkOutput, error) {
		address, err := s.VersionLink(ctx, input.ID, input.Version, input.Path)
		output := &workLinkOutput{CacheControl: "no-store"}
		output.Body.URL = address
		return output, err
	})
}

// sendVersionFile answers with a file, or the part of it that a Range names, and closes it.
func (s *Service) sendVersionFile(w http.ResponseWriter, r *http.Request, file engine.VersionContent, name string) {
	defer file.Close()
	attach(w.Header(), downloadName(name), anyFile)
	if file.Digest != "" {
		w.Header().Set("ETag", `"`+file.Digest+`"`)
	}
	patient := httpapi.NewPatientWriter(w, s.patience)
	httpapi.ServeFile(&patientResponse{w, patient}, r, file.Modified, file)
	patient.Done()
}

// anyFile is the type of every file that is downloaded: nothing of it is shown or run.
const anyFile = "application/octet-stream"

// handleVersionArchive is handleWork for a version.
func (s *Service) handleVersionArchive(ctx context.Context, input *VersionInput) (*huma.StreamResponse, error) {
	session, _, err := s.versioner(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(s.Archive(ctx, session, input.Version, writer)) }()
	work := bufio.NewReaderSize(reader, 64<<10)
	if _, err := work.Peek(1); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer reader.Close() // ends the archive when the client has left
		_, writer := humachi.Unwrap(ctx)
		attach(writer.Header(), humanize.FileName(session.SessionName, "work")+".zip", "application/zip")
		out := httpapi.NewPatientWriter(writer, s.patience)
		if _, err := work.WriteTo(out); err != nil {
			panic(http.ErrAbortHandler)
		}
		out.Done()
	}}, nil
}

// attach makes an answer a download: whatever a file pretends to be, it is shown on no page and runs nothing.
func attach(header http.Header, name, kind string) {
	header.Set("Content-Type", kind)
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("X-Accel-Buffering", "no")
}

// downloadName returns the name of a file of any bytes as others can save it.
func downloadName(file string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, versions.EscapePath(path.Base(file)))
}

// patientResponse is an answer whose body is written patiently.
type patientResponse struct {
	http.ResponseWriter

	body io.Writer
}

// Write implements io.Writer.
func (r *patientResponse) Write(data []byte) (int, error) { return r.body.Write(data) }
