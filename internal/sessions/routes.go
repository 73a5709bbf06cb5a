package sessions

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"

	"cairn/internal/fault"
	"cairn/internal/httpapi"
	"cairn/internal/sessions/engine"

	"github.com/danielgtaylor/huma/v2"
)

type sessionInput struct {
	ID string `path:"id"`
}

type sessionsOutput struct {
	Status int
	ETag   string `header:"ETag"`
	Body   []Session
}

type sessionOutput struct {
	Status int
	Body   Session
}

type redirectOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		RedirectURL string `json:"redirectUrl" format:"uri" doc:"Open it in a browser within 60 s; it works once"`
		SessionID   string `json:"sessionId" format:"uuid"`
	}
}

type booleanOutput struct{ Body bool }

type forecastOutput struct{ Body Forecast }

type profilesOutput struct{ Body []EngineProfiles }

type workOutput struct {
	ContentType        string `header:"Content-Type"`
	ContentDisposition string `header:"Content-Disposition"`
	Body               func(huma.Context)
}

// Routes registers the operations on sessions.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Sessions"}
	s.workRoutes(api, tags)
	s.versionRoutes(api, tags)
	s.environmentRoute(api, tags)
	s.operatorRoutes(api)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "start-project", Method: http.MethodGet, Path: "/hub/start/project/{id}", Tags: tags,
		Summary:     "Start a session from a project",
		Description: "For its owner, and for everybody once it is published. It does not wait until the session is ready.",
	}, s.handleStart)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "start-session", Method: http.MethodPost, Path: "/sessions", Tags: tags,
		Summary: "Start a session from an entry, a project, or a version of a session's work",
		Description: "For entries that the caller sees, and for projects that the caller may start. It does not wait until the session " +
			"is ready. A repeated call gives the same session only by its Idempotency-Key. Its own codes: not_runnable, ref_not_found, profile_unknown, no_profile_fits.",
		DefaultStatus: http.StatusCreated,
	}, s.handleStartFrom)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "resume-session", Method: http.MethodGet, Path: "/hub/resume/session/{id}", Tags: tags,
		Summary: "Open a session", Description: "Starts it again if it does not run.",
	}, s.handleResume)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-sessions", Method: http.MethodGet, Path: "/sessions", Tags: tags, Summary: "The caller's sessions, newest first",
		Description: "Made to be polled: the ETag changes with the list alone, and an unchanged list is told (304) without a look at the database.",
	}, s.handleList)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "forecast-launch", Method: http.MethodGet, Path: "/sessions/forecast", Tags: tags,
		Summary: "Get how long launches usually take", Description: "From the last 200 launches of the engine that succeeded.",
	}, func(ctx context.Context, input *struct {
		Engine string `query:"engine" doc:"Name of a configured engine; empty: the first"`
	},
	) (*forecastOutput, error) {
		forecast, err := s.Forecast(ctx, input.Engine)
		return &forecastOutput{Body: forecast}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-profiles", Method: http.MethodGet, Path: "/sessions/profiles", Tags: tags,
		Summary: "The sizes of sessions that the caller may choose, by engine", Description: "With how many sessions wait for each, and how many more could start at once where that is known.",
	}, func(ctx context.Context, input *struct {
		ResourceID string `query:"resourceId" doc:"An entry that is to be started; or"`
		ProjectID  string `query:"projectId" doc:"a project"`
	},
	) (*profilesOutput, error) {
		found, err := s.Profiles(ctx, input.ResourceID, input.ProjectID)
		return &profilesOutput{Body: found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "download-work", Method: http.MethodGet, Path: "/sessions/{id}/work.zip", Tags: tags,
		Summary: "The work folder of a session", Description: "A zip file, streamed, in every state; without the datasets in work/data, links, Git's hooks, caches and checkpoints. " +
			"A text file in it says what was left out or renamed. One download of each session at a time.",
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/zip": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		}}},
	}, s.handleWork)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-session", Method: http.MethodGet, Path: "/sessions/{id}", Tags: tags, Summary: "One of the caller's sessions",
	}, func(ctx context.Context, input *sessionInput) (*sessionOutput, error) {
		session, err := s.Own(ctx, input.ID)
		if err == nil {
			session.Usage, _ = s.usage(ctx, session)
		}
		return &sessionOutput{Status: http.StatusOK, Body: session}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "change-session", Method: http.MethodPatch, Path: "/sessions/{id}", Tags: tags,
		Summary: "Terminate a session or start it again",
		Description: "TERMINATED stops it and keeps its work: 200 once that is done, 202 with requestedStatus while it is under way " +
			"after 8 s. CREATED starts it again.",
		Responses: stillStopping(),
	}, s.handleChange)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "delete-session", Method: http.MethodDelete, Path: "/sessions/{id}", Tags: tags,
		Summary: "Delete a session with its work", Description: "Where its engine keeps versions, it can be undeleted for sessions.undelete (14 days); " +
			"with now, its versions go too, also those of a recently deleted session. Other engines delete at once and for ever.",
		DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, input *struct {
		ID  string `path:"id"`
		Now bool   `query:"now" doc:"For ever"`
	},
	) (*booleanOutput, error) {
		return &booleanOutput{Body: true}, s.Delete(ctx, []string{input.ID}, input.Now)
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "delete-sessions", Method: http.MethodDelete, Path: "/sessions/delete/{ids}", Tags: tags,
		Summary: "Delete sessions with their work", Description: "All of them, or none when one is not the caller's. Each can be undeleted as after a call about it alone.",
		DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, input *struct {
		IDs string `path:"ids" doc:"Comma list of session ids"`
		Now bool   `query:"now" doc:"For ever"`
	},
	) (*booleanOutput, error) {
		return &booleanOutput{Body: true}, s.Delete(ctx, strings.Split(input.IDs, ","), input.Now)
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "end-session-access", Method: http.MethodDelete, Path: "/sessions/access", Tags: tags,
		Summary: "Sign out: revoke this sign-in's session access and access tokens",
		Description: "Before signing out at the provider. The sessions go on. All servers refuse the token of this request, and " +
			"tokens that were issued before with the same sid, within seconds.",
		DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, _ *struct{}) (*booleanOutput, error) {
		return &booleanOutput{Body: true}, s.EndAccess(ctx)
	})
}

// handleList answers before anything is read if the client already has the list.
func (s *Service) handleList(ctx context.Context, input *struct {
	Status      Status `query:"status" enum:"CREATED,RUNNING,FINISHED,TERMINATED,ERROR,DELETED" doc:"CREATED includes RUNNING, as existing clients expect. DELETED: those that can be undeleted, which no other list has"`
	Exact       bool   `query:"exact" doc:"With status: CREATED doesn't include RUNNING"`
	IfNoneMatch string `header:"If-None-Match" hidden:"true"`
},
) (*sessionsOutput, error) {
	output := &sessionsOutput{Status: http.StatusOK}
	wanted := Filter{Status: input.Status, Exact: input.Exact}
	if tag := s.ListTag(ctx, wanted); tag != "" {
		output.ETag = `"` + tag + `"`
		if httpapi.MatchesTag(input.IfNoneMatch, output.ETag) {
			output.Status = http.StatusNotModified
			return output, nil
		}
	}
	var err error
	output.Body, err = s.List(ctx, wanted)
	return output, err
}

// handleWork streams the work folder. An error before the first byte gets its own answer; after that the connection is
// cut, so that nobody mistakes half an archive for a complete one.
func (s *Service) handleWork(ctx context.Context, input *sessionInput) (*workOutput, error) {
	session, err := s.Own(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(s.Archive(ctx, session, writer)) }()
	work := bufio.NewReaderSize(reader, 64<<10)
	if _, err := work.Peek(1); err != nil {
		return nil, err
	}
	return &workOutput{
		ContentType: "application/zip", ContentDisposition: workDisposition(session),
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

// Prefetch are the headers of browsers that prefetch. The name is exported because huma ignores other parts of inputs.
type Prefetch struct {
	SecPurpose string `header:"Sec-Purpose" hidden:"true"`
	Purpose    string `header:"Purpose" hidden:"true"`
	XMoz       string `header:"X-Moz" hidden:"true"`
}

// refuse prevents browsers from starting sessions by prefetching.
func (p Prefetch) refuse() error {
	if strings.Contains(p.SecPurpose+p.Purpose+p.XMoz, "prefetch") {
		return fault.New(fault.Forbidden, "This call starts a session, so it isn't answered for a prefetch.")
	}
	return nil
}

func (s *Service) handleStart(ctx context.Context, input *struct {
	Prefetch
	ID             string `path:"id" doc:"Project"`
	SessionName    string `query:"sessionName" doc:"1 to 200 characters"`
	Engine         string `query:"engine" doc:"Name of a configured engine; empty: the first"`
	Profile        string `query:"profile" doc:"Name of a size that the engine offers; empty: the smallest with what the repository asks for; the first if it asks for nothing"`
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200" doc:"The same key gives the same session"`
},
) (*redirectOutput, error) {
	if err := input.refuse(); err != nil {
		return nil, err
	}
	session, err := s.Start(ctx, input.ID, input.SessionName, input.Engine, input.Profile, input.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	return s.redirect(ctx, session)
}

// StartedSession is a session that a call has just started. The name is exported because it is that of the schema.
type StartedSession struct {
	Session

	OpenURL string `json:"openUrl" format:"uri" doc:"Open it in a browser within 60 s; it works once"`
}

type startedOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         StartedSession
}

func (s *Service) handleStartFrom(ctx context.Context, input *struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200" doc:"The same key gives the same session"`
	Body           struct {
		ResourceID string `json:"resourceId,omitempty" doc:"A repository, notebook or dataset; or"`
		ProjectID  string `json:"projectId,omitempty" doc:"a project"`
		Name       string `json:"name,omitempty" doc:"1 to 200 characters; without it, the name of the entry or project, with a number if a session has it already"`
		File       string `json:"file,omitempty" doc:"The path of the file in the repository that opens. If it is missing there, the session starts and openNote says so"`
		Ref        string `json:"ref,omitempty" doc:"A branch, tag or commit of the repository"`
		Engine     string `json:"engine,omitempty" doc:"Name of a configured engine; empty: the first that can start it"`
		Profile    string `json:"profile,omitempty" doc:"Name of a size that the engine offers; empty: the smallest with what the repository asks for; the first if it asks for nothing"`

		FromVersion *engine.FromVersion `json:"fromVersion,omitempty" doc:"Or a version of one of the caller's sessions, whose work the new session begins with"`
	}
},
) (*startedOutput, error) {
	body := input.Body
	session, err := s.StartFrom(ctx, Wish{
		ResourceID: body.ResourceID, ProjectID: body.ProjectID, Name: body.Name, File: body.File, Ref: body.Ref, Engine: body.Engine, Profile: body.Profile,
		Key: input.IdempotencyKey, FromVersion: body.FromVersion,
	})
	if err != nil {
		return nil, err
	}
	address, err := s.Redirect(ctx, session)
	return &startedOutput{CacheControl: "no-store", Body: StartedSession{Session: session, OpenURL: address}}, err
}

func (s *Service) handleResume(ctx context.Context, input *struct {
	Prefetch
	ID string `path:"id" doc:"Session"`
},
) (*redirectOutput, error) {
	if err := input.refuse(); err != nil {
		return nil, err
	}
	session, err := s.Restart(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	return s.redirect(ctx, session)
}

func (s *Service) redirect(ctx context.Context, session Session) (*redirectOutput, error) {
	address, err := s.Redirect(ctx, session)
	output := &redirectOutput{CacheControl: "no-store"}
	output.Body.RedirectURL, output.Body.SessionID = address, session.ID
	return output, err
}

func (s *Service) handleChange(ctx context.Context, input *struct {
	ID     string `path:"id"`
	Status Status `query:"status" enum:"TERMINATED,CREATED" required:"true"`
},
) (*sessionOutput, error) {
	var session Session
	var err error
	if input.Status == Terminated {
		session, err = s.Terminate(ctx, input.ID)
	} else {
		session, err = s.Restart(ctx, input.ID)
	}
	return changed(session), err
}

// stillStopping describes the answers of calls that may return before a session is stopped.
func stillStopping() map[string]*huma.Response {
	return map[string]*huma.Response{"202": {Description: "The stop is under way", Content: map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/Session"}},
	}}, "default": {Description: "Error", Content: map[string]*huma.MediaType{
		"application/problem+json": {Schema: &huma.Schema{Ref: "#/components/schemas/Problem"}},
	}}}
}

// changed is the answer of such a call.
func changed(session Session) *sessionOutput {
	output := &sessionOutput{Status: http.StatusOK, Body: session}
	if session.RequestedStatus != "" {
		output.Status = http.StatusAccepted
	}
	return output
}
