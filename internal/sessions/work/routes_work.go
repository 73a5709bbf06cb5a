package work

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"

	"github.com/danielgtaylor/huma/v2"
)

type workLinkOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		URL string `json:"url" format:"uri" doc:"Open it within 60 s; it works once"`
	}
}

// workRoutes registers the operations on what sessions leave behind: their work and their log.
func (s *Service) workRoutes(api *httpapi.API, tags []string) {
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "download-work", Method: http.MethodGet, Path: "/sessions/{id}/work.zip", Tags: tags,
		Summary: "The work folder of a session", Description: "A zip file, streamed, in every state; without the datasets in work/data, links, Git's hooks, caches and checkpoints. " +
			"A text file in it says what was left out or renamed. One download of each session at a time.",
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/zip": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		}}},
	}, s.handleWork)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "link-work", Method: http.MethodPost, Path: "/sessions/{id}/work-link", Tags: tags,
		Summary: "Make a link that downloads a session's work",
		Description: "For browsers: they write a download to disk as it comes only when they go to its address themselves, " +
			"which sends no token.",
		DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, input *sessionInput) (*workLinkOutput, error) {
		address, err := s.WorkLink(ctx, input.ID)
		output := &workLinkOutput{CacheControl: "no-store"}
		output.Body.URL = address
		return output, err
	})
}

// WorkLink returns an address that downloads the work of one of the caller's sessions once.
func (s *Service) WorkLink(ctx context.Context, id string) (string, error) {
	session, err := s.sessions.Own(ctx, id)
	if err != nil {
		return "", err
	}
	if _, err := s.engines.Of(session.Engine); err != nil {
		return "", err
	}
	return s.workLink(ctx, session, nil)
}

// VersionLink returns an address that downloads a version of the work of one of the caller's sessions once, or a file of it.
func (s *Service) VersionLink(ctx context.Context, id, version, path string) (string, error) {
	session, versioner, err := s.versioner(ctx, id)
	if err != nil {
		return "", err
	}
	if path == "" {
		_, err = versioner.Version(ctx, id, version)
	} else {
		var opened engine.VersionContent
		if opened, _, err = s.openVersion(ctx, versioner, session, version, path); err == nil {
			err = opened.Close()
		}
	}
	if err != nil {
		return "", err
	}
	return s.workLink(ctx, session, url.Values{"version": {version}, "path": {path}})
}

// workLink returns the address of a download with a query.
func (s *Service) workLink(ctx context.Context, session sessions.Session, query url.Values) (string, error) {
	if err := s.archives.check(session.ID); err != nil { // it's shown here better than by the browser that opens the link
		return "", err
	}
	return s.links.Work(ctx, session.ID, query, sessions.AuditEvent(audit.DownloadSession, []string{session.ID}))
}

type workOutput struct {
	ContentType        string `header:"Content-Type"`
	ContentDisposition string `header:"Content-Disposition"`
	Body               func(huma.Context)
}

// handleWork streams the work folder. An error before the first byte gets its own answer; after that the connection is
// cut, so that nobody mistakes half an archive for a complete one.
func (s *Service) handleWork(ctx context.Context, input *sessionInput) (*workOutput, error) {
	session, err := s.sessions.Own(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(s.Archive(ctx, session, "", writer)) }()
	work := bufio.NewReaderSize(reader, 64<<10)
	if _, err := work.Peek(1); err != nil {
		return nil, err
	}
	return &workOutput{
		ContentType: "application/zip", ContentDisposition: disposition(session),
		Body: func(ctx huma.Context) {
			defer reader.Close() // ends the archive when the client has left
			out := httpapi.NewPatientWriter(ctx.BodyWriter(), s.patience)
			if _, err := work.WriteTo(out); err != nil {
				panic(http.ErrAbortHandler)
			}
			out.Done()
		},
	}, nil
}
