package sessions

import (
	"context"
	"net/http"
	"strings"

	"cairn/internal/content/preview"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions/diagnosis"
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

// Routes registers the operations on sessions.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Sessions"}
	s.environmentRoute(api, tags)
	s.logRoute(api, tags)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "start-project", Method: http.MethodGet, Path: "/hub/start/project/{id}", Tags: tags,
		Summary:     "Start a session from a project",
		Description: "For its owner, and for everyone once it is published. It does not wait until the session is ready.",
	}, s.handleStart)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "start-session", Method: http.MethodPost, Path: "/sessions", Tags: tags,
		Summary: "Start a session from an entry, a project, a version of a session's work, or what somebody shares",
		Description: "For entries that the caller sees, and for projects that the caller may start. It does not wait until the session " +
			"is ready. A repeated call gives the same session only by its Idempotency-Key. Its own codes: not_runnable, ref_not_found, profile_unknown, no_profile_fits.",
		DefaultStatus: http.StatusCreated,
	}, s.handleStartFrom)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "resume-session", Method: http.MethodGet, Path: "/hub/resume/session/{id}", Tags: tags,
		Summary: "Open a session", Description: "Starts it again if it does not run. Somebody else's session can be opened while it runs, by those whom its owner lets in.",
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
		OperationID: "get-session", Method: http.MethodGet, Path: "/sessions/{id}", Tags: tags, Summary: "One of the caller's sessions",
	}, func(ctx context.Context, input *sessionInput) (*sessionOutput, error) {
		session, err := s.Own(ctx, input.ID)
		if err != nil {
			return nil, err
		}
		session.Usage, _ = s.Usage(ctx, session)
		one := []Session{session}
		err = s.addGuests(ctx, session.AccountID, one)
		return &sessionOutput{Status: http.StatusOK, Body: one[0]}, err
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
			"with now, its versions go too, also those of a recently deleted session. Other engines delete at once and forever.",
		DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, input *struct {
		ID  string `path:"id"`
		Now bool   `query:"now" doc:"Forever"`
	},
	) (*booleanOutput, error) {
		return &booleanOutput{Body: true}, s.Delete(ctx, []string{input.ID}, input.Now)
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "undelete-session", Method: http.MethodPost, Path: "/sessions/{id}/undelete", Tags: tags, DefaultStatus: http.StatusOK,
		Summary:     "Bring a recently deleted session back",
		Description: "It is TERMINATED then, with the work of its last version; 202 while it is still being stopped after 8 s. Its own codes: quota_reached (409).",
		Responses:   stillStopping(),
	}, func(ctx context.Context, input *sessionInput) (*sessionOutput, error) {
		session, err := s.Undelete(ctx, input.ID)
		return changed(session), err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "delete-sessions", Method: http.MethodDelete, Path: "/sessions/delete/{ids}", Tags: tags,
		Summary: "Delete sessions with their work", Description: "All of them, or none when one is not the caller's. Each can be undeleted as after a call about it alone.",
		DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, input *struct {
		IDs string `path:"ids" doc:"Comma list of session ids"`
		Now bool   `query:"now" doc:"Forever"`
	},
	) (*booleanOutput, error) {
		return &booleanOutput{Body: true}, s.Delete(ctx, strings.Split(input.IDs, ","), input.Now)
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
	ID             string    `path:"id" doc:"Project"`
	SessionName    string    `query:"sessionName" doc:"1 to 200 characters"`
	Engine         string    `query:"engine" doc:"Name of a configured engine; empty: the first"`
	Profile        string    `query:"profile" doc:"Name of a size that the engine offers; empty: the smallest with what the repository asks for; the first if it asks for nothing"`
	Interface      Interface `query:"interface" enum:"jupyter,vscode" doc:"In which it is opened; empty: Jupyter"`
	IdempotencyKey string    `header:"Idempotency-Key" maxLength:"200" doc:"The same key gives the same session; 409 if it was used to start something else"`
},
) (*redirectOutput, error) {
	if err := input.refuse(); err != nil {
		return nil, err
	}
	session, err := s.startProject(ctx, input.ID, input.SessionName, input.IdempotencyKey, input.Profile, placement{engine: input.Engine, in: input.Interface})
	if err != nil {
		return nil, err
	}
	return s.redirect(ctx, session, input.Interface)
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
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200" doc:"The same key gives the same session; 409 if it was used to start something else"`
	Body           struct {
		ResourceID string    `json:"resourceId,omitempty" doc:"A repository, notebook or dataset; or"`
		ProjectID  string    `json:"projectId,omitempty" doc:"a project"`
		Name       string    `json:"name,omitempty" doc:"1 to 200 characters; without it, the name of the entry or project, with a number if a session has it already"`
		File       string    `json:"file,omitempty" doc:"The path of the file in the repository that opens. If it is missing there, the session starts and openNote says so"`
		Ref        string    `json:"ref,omitempty" doc:"A branch, tag or commit of the repository"`
		Version    int       `json:"version,omitempty" minimum:"1" doc:"The number of a version of the entry; without it, the latest"`
		Engine     string    `json:"engine,omitempty" doc:"Name of a configured engine; empty: the first that can start it"`
		Interface  Interface `json:"interface,omitempty" enum:"jupyter,vscode" doc:"In which openUrl opens it; without it, Jupyter"`
		Profile    string    `json:"profile,omitempty" doc:"Name of a size that the engine offers; empty: the smallest with what the repository asks for; the first if it asks for nothing"`

		FromVersion *engine.FromVersion `json:"fromVersion,omitempty" doc:"Or a version of one of the caller's sessions, whose work the new session begins with"`
		FromShare   string              `json:"fromShare,omitempty" format:"uuid" doc:"Or the id of a share that lets the caller take a copy of somebody else's session, as it is now"`
	}
},
) (*startedOutput, error) {
	body := input.Body
	session, err := s.StartFrom(ctx, StartRequest{
		ResourceID: body.ResourceID, ProjectID: body.ProjectID, Name: body.Name, File: body.File, Ref: body.Ref, Version: body.Version, Engine: body.Engine, Profile: body.Profile,
		Key: input.IdempotencyKey, FromVersion: body.FromVersion, FromShare: body.FromShare, Interface: body.Interface,
	})
	if err != nil {
		return nil, err
	}
	address, err := s.Redirect(ctx, session, body.Interface)
	return &startedOutput{CacheControl: "no-store", Body: StartedSession{Session: session, OpenURL: address}}, err
}

func (s *Service) handleResume(ctx context.Context, input *struct {
	Prefetch
	ID        string    `path:"id" doc:"Session"`
	Interface Interface `query:"interface" enum:"jupyter,vscode" doc:"In which it is opened; empty: Jupyter"`
},
) (*redirectOutput, error) {
	if err := input.refuse(); err != nil {
		return nil, err
	}
	session, err := s.Restart(ctx, input.ID)
	if fault.KindOf(err) == fault.NotFound && s.Shares != nil {
		session, err = s.Shares.Enterable(ctx, input.ID)
	}
	if err != nil {
		return nil, err
	}
	return s.redirect(ctx, session, input.Interface)
}

func (s *Service) redirect(ctx context.Context, session Session, in Interface) (*redirectOutput, error) {
	address, err := s.Redirect(ctx, session, in)
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

type logOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		Log   string              `json:"log" doc:"The end of it; empty when the engine has none"`
		Parts []diagnosis.LogPart `json:"parts" nullable:"false" doc:"The same in parts, for people: the cause of a failure is marked, and lines that say nothing about it are folded"`
	}
}

func (s *Service) logRoute(api *httpapi.API, tags []string) {
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
