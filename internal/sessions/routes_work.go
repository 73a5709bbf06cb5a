package sessions

import (
	"context"
	"net/http"
	"net/url"

	"cairn/internal/audit"
	"cairn/internal/codehost"
	"cairn/internal/httpapi"
	"cairn/internal/preview"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"

	"github.com/danielgtaylor/huma/v2"
)

type workLinkOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		URL string `json:"url" format:"uri" doc:"Open it within 60 s; it works once"`
	}
}

type logOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		Log   string              `json:"log" doc:"The end of it; empty when the engine has none"`
		Parts []diagnosis.LogPart `json:"parts" nullable:"false" doc:"The same in parts, for people: the cause of a failure is marked, and lines that say nothing about it are folded"`
	}
}

// workRoutes registers the operations on what sessions leave behind: their work and their log.
func (s *Service) workRoutes(api *httpapi.API, tags []string) {
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
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-session-log", Method: http.MethodGet, Path: "/sessions/{id}/log", Tags: tags,
		Summary: "The log of a session's last launch", Description: "For its owner, in every state: why a launch failed stands at its end.",
	}, func(ctx context.Context, input *sessionInput) (*logOutput, error) {
		log, parts, err := s.Log(ctx, input.ID)
		output := &logOutput{CacheControl: "no-store"}
		output.Body.Log, output.Body.Parts = log, append([]diagnosis.LogPart{}, parts...)
		return output, err
	})
}

type environmentOutput struct{ Body engine.Environment }

func (s *Service) environmentRoute(api *httpapi.API, tags []string) {
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-environment", Method: http.MethodGet, Path: "/resources/public/{id}/environment", Tags: tags,
		Summary:     "What a session of an entry would install and leave out",
		Description: "Of what its repository declares at its default branch, before anything is started. Empty lists while its code host can't be asked.",
	}, func(ctx context.Context, input *preview.AskingInput) (*environmentOutput, error) {
		found, err := s.Environment(codehost.AskedBy(ctx, input.Asker()), input.ID)
		return &environmentOutput{Body: found}, err
	})
}

// WorkLink returns an address that downloads the work of one of the caller's sessions once.
func (s *Service) WorkLink(ctx context.Context, id string) (string, error) {
	session, err := s.Own(ctx, id)
	if err != nil {
		return "", err
	}
	if _, err := s.engineOf(session); err != nil {
		return "", err
	}
	return s.workLink(ctx, session, nil)
}

// VersionLink returns an address that downloads a version of the work of one of the caller's sessions once, or a file of it.
func (s *Service) VersionLink(ctx context.Context, id, version, path string) (string, error) {
	session, keeper, err := s.keeper(ctx, id)
	if err != nil {
		return "", err
	}
	if path == "" {
		_, err = keeper.Version(ctx, id, version)
	} else {
		var opened engine.VersionContent
		if opened, _, err = s.openVersion(ctx, keeper, session, version, path); err == nil {
			err = opened.Close()
		}
	}
	if err != nil {
		return "", err
	}
	return s.workLink(ctx, session, url.Values{"version": {version}, "path": {path}})
}

// workLink returns the address of a download with a query.
func (s *Service) workLink(ctx context.Context, session Session, query url.Values) (string, error) {
	end, err := s.archives.begin(session.ID) // a refusal is shown here better than by the browser that opens the link
	if err != nil {
		return "", err
	}
	end()
	address, err := s.issueLink(ctx, session, workKind, "work.zip", eventOf(audit.DownloadSession, []string{session.ID}))
	if len(query) > 0 {
		address += "&" + query.Encode()
	}
	return address, err
}
