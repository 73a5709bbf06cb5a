package shares

import (
	"context"
	"net/http"

	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

type (
	shareOutput struct {
		CacheControl string `header:"Cache-Control"`
		Body         Share
	}
	sharesOutput   struct{ Body []Share }
	sharedOutput   struct{ Body []Shared }
	followedOutput struct{ Body Shared }
	endedOutput    struct{ Body bool }
	requestOutput  struct{ Body Request }
	requestsOutput struct{ Body []Request }
	sessionInput   struct {
		ID string `path:"id"`
	}
)

// Routes registers the operations on shares and requests.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Sharing"}
	s.shareRoutes(api, tags)
	s.requestRoutes(api, tags)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-shared-sessions", Method: http.MethodGet, Path: "/sessions/shared", Tags: tags,
		Summary: "The sessions that others share with the caller, and whether they run",
	}, func(ctx context.Context, _ *struct{}) (*sharedOutput, error) {
		found, err := s.Shared(ctx)
		return &sharedOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "follow-link", Method: http.MethodPost, Path: "/sessions/shared", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Follow a link to somebody's session",
		Description: "From then on the session is among those that are shared with the caller. Without an account, where the operators let links " +
			"work for anyone, the calls that show the session take the link in the header Share-Link. 429 after 20 links that don't exist in a minute.",
	}, func(ctx context.Context, input *struct {
		Body struct {
			Link string `json:"link" maxLength:"100" doc:"What follows the # in the address"`
		}
	},
	) (*followedOutput, error) {
		found, err := s.Follow(ctx, input.Body.Link)
		return &followedOutput{Body: found}, err
	})
}

func (s *Service) shareRoutes(api *httpapi.API, tags []string) {
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "share-session", Method: http.MethodPost, Path: "/sessions/{id}/shares", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Share a session with a person, the members of a project, or whoever has a link",
		Description: "see: a page of the catalog that follows the notebooks and files. copy: a session of their own from its work as well. edit: enter it, " +
			"where they can do what its owner can, with its files too; it needs an enabled account. The same person or project is shared with once.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body Wanted
	},
	) (*shareOutput, error) {
		made, err := s.Create(ctx, input.ID, input.Body)
		return &shareOutput{CacheControl: "no-store", Body: made}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-shares", Method: http.MethodGet, Path: "/sessions/{id}/shares", Tags: tags, Summary: "How one of the caller's sessions is shared",
	}, func(ctx context.Context, input *sessionInput) (*sharesOutput, error) {
		found, err := s.List(ctx, input.ID)
		return &sharesOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "end-share", Method: http.MethodDelete, Path: "/sessions/{id}/shares/{share}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "End a share", Description: "Whoever is there because of it is cut off within five seconds, on every server.",
	}, func(ctx context.Context, input *struct {
		ID    string `path:"id"`
		Share string `path:"share"`
	},
	) (*endedOutput, error) {
		return &endedOutput{Body: true}, s.End(ctx, input.ID, input.Share)
	})
}

func (s *Service) requestRoutes(api *httpapi.API, tags []string) {
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "ask-for-share", Method: http.MethodPost, Path: "/sessions/{id}/requests", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary:     "Ask the help desk for help with one's session, or the owner of another one to be let in",
		Description: "A newer request replaces an older one of the same kind that nobody has answered.",
	}, func(ctx context.Context, input *struct {
		ID   string `path:"id"`
		Body Asked
	},
	) (*requestOutput, error) {
		made, err := s.Ask(ctx, input.ID, input.Body)
		return &requestOutput{Body: made}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-session-requests", Method: http.MethodGet, Path: "/sessions/{id}/requests", Tags: tags,
		Summary: "The requests about a session", Description: "All of them for its owner, and their own for others; the newest first.",
	}, func(ctx context.Context, input *sessionInput) (*requestsOutput, error) {
		found, err := s.Requests(ctx, input.ID)
		return &requestsOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-open-requests", Method: http.MethodGet, Path: "/sessions/requests", Tags: tags,
		Summary: "The requests that the caller may answer", Description: "About the caller's sessions, and those to the help desk if the caller belongs to it.",
	}, func(ctx context.Context, _ *struct{}) (*requestsOutput, error) {
		found, err := s.Open(ctx)
		return &requestsOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "answer-request", Method: http.MethodPatch, Path: "/sessions/{id}/requests/{request}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Grant or refuse a request, or take one's own back", Description: "A granted one becomes a share: with whoever asks, or with the helper who grants it.",
	}, func(ctx context.Context, input *struct {
		ID      string `path:"id"`
		Request string `path:"request"`
		Body    Answer
	},
	) (*requestOutput, error) {
		answered, err := s.Answer(ctx, input.ID, input.Request, input.Body)
		return &requestOutput{Body: answered}, err
	})
}
