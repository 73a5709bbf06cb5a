package sessions

import (
	"context"
	"net/http"

	"cairn/internal/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

type workLinkOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		URL string `json:"url" format:"uri" doc:"Open it within 60 s; it works once"`
	}
}

// workRoutes mounts the calls about the work of sessions.
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
}

// WorkLink gives an address that downloads the work of one of the caller's sessions, once.
func (s *Service) WorkLink(ctx context.Context, id string) (string, error) {
	session, err := s.Own(ctx, id)
	if err != nil {
		return "", err
	}
	return s.lead(ctx, session, workKind, "work.zip")
}
