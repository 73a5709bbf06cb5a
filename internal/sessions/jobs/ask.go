package jobs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"path"
	"strings"
	"time"

	"cairn/internal/content/parameters"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
)

// Ask has a whole notebook executed in a session of its own, as soon as there is room. The same key returns the same job, unless it is "".
func (s *Service) Ask(ctx context.Context, asked Asked, key string) (Job, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Job{}, err
	}
	if !catalog.ValidText(key, false) {
		return Job{}, fault.InvalidField("header.Idempotency-Key", "The Idempotency-Key must be text without control characters.")
	}
	digest, err := asked.Digest()
	if err != nil {
		return Job{}, err
	}
	if known, err := keyed(ctx, s.store.db, caller.AccountID, key, digest); known != "" || err != nil {
		if err != nil {
			return Job{}, err
		}
		return s.getOrDeleted(ctx, known)
	}
	if asked, err = s.Check(ctx, asked); err != nil {
		return Job{}, err
	}
	if asked.From != nil {
		session, err := s.Sessions.Own(ctx, asked.From.Session)
		if err != nil {
			return Job{}, err
		}
		if session.Status == sessions.Running {
			if err := s.keepVersion(ctx, session, "Before “%s” ran as a job", asked.From.Path); err != nil {
				return Job{}, err
			}
		}
	}
	job := newOwn(caller.AccountID, asked)
	job.key, job.digest = key, digest
	if job, err = s.store.add(ctx, job, event(audit.StartJob, job.ID)); err != nil {
		return Job{}, err
	}
	s.Wake()
	return s.shown(ctx, job)
}

// newOwn returns a job with a session of its own.
func newOwn(accountID string, asked Asked) Job {
	job := Job{
		ID: newID(), Name: asked.Name, Kind: OwnKind, Resource: asked.ResourceID, Project: asked.ProjectID, File: asked.File, State: Queued,
		From: asked.From, Ref: asked.Ref, Parameters: asked.Parameters, accountID: accountID, asked: asked,
	}
	if asked.From != nil {
		job.File = asked.From.Path
	}
	if job.File != "" {
		job.target = job.targetOf()
	}
	return job
}

// Digest identifies what a client has sent.
func (a Asked) Digest() (string, error) {
	text, err := json.Marshal(a)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// Check returns what is asked for with a name, if the caller may start it as it is now. Values that the notebook doesn't take are refused
// by name; what can't be read before the session has it is checked there.
func (s *Service) Check(ctx context.Context, asked Asked) (Asked, error) {
	asked.Name = strings.TrimSpace(asked.Name)
	if message := catalog.CheckName(asked.Name); asked.Name != "" && message != "" {
		return asked, fault.InvalidField("body.name", "The name of the job %s.", message)
	}
	if named := count(asked.ResourceID != "") + count(asked.ProjectID != "") + count(asked.From != nil); named != 1 {
		return asked, fault.InvalidField("body.resourceId", "Name what to execute: either an entry (resourceId), a project (projectId) or a notebook of a session (fromSession).")
	}
	if asked.From != nil {
		asked.From = &FromSession{Session: asked.From.Session, Path: path.Clean(asked.From.Path)}
	}
	if asked.From != nil && (asked.File != "" || asked.Ref != "") {
		return asked, fault.InvalidField("body.fromSession", "The notebook of a session is named by its path there: leave out file and ref.")
	}
	if _, err := s.deadline(asked.Deadline); err != nil {
		return asked, err
	}
	request, err := s.request(ctx, asked)
	if err != nil {
		return asked, err
	}
	request.Job = "checked" // any will do
	if from := request.FromVersion; from == nil || from.Version != "" {
		if err := s.Sessions.CheckStart(ctx, request); err != nil {
			return asked, err
		}
	}
	declared, file, err := s.declared(ctx, asked, request)
	if err != nil {
		return asked, err
	}
	if declared != nil {
		if err := declared.Check(asked.Parameters); err != nil {
			return asked, err
		}
	}
	asked.Name = cmp.Or(asked.Name, base(file), "Notebook")
	return asked, nil
}

func count(given bool) int {
	if given {
		return 1
	}
	return 0
}

// base returns the name of a file; "" for none.
func base(file string) string {
	if file == "" {
		return ""
	}
	return path.Base(file)
}

// deadline returns how long the cells of a job may take.
func (s *Service) deadline(text string) (time.Duration, error) {
	if text == "" {
		return s.Deadline, nil
	}
	took, err := time.ParseDuration(text)
	if err != nil || took <= 0 || took > s.Deadline {
		return 0, fault.InvalidField("body.deadline", "The deadline must be a time such as 2h30m, at most %s.", humanize.Duration(s.Deadline))
	}
	return took, nil
}

// request returns what is asked of sessions for a job. Of a session, it's the newest version as it is now; "" if a running one has none
// yet.
func (s *Service) request(ctx context.Context, asked Asked) (sessions.StartRequest, error) {
	request := sessions.StartRequest{
		ResourceID: asked.ResourceID, ProjectID: asked.ProjectID, File: asked.File, Ref: asked.Ref, Engine: asked.Engine, Profile: asked.Profile, Name: asked.Name,
		JobLimit: s.PerAccount,
	}
	if asked.From == nil {
		return request, nil
	}
	if err := checkPath(asked.From.Path, "body.fromSession.path"); err != nil {
		return request, err
	}
	session, err := s.Sessions.Own(ctx, asked.From.Session)
	if err != nil {
		return request, err
	}
	versioner, err := s.Engines.VersionerOf(session.Engine)
	if err != nil {
		return request, err
	}
	found, _, err := versioner.Versions(ctx, session.ID, engine.VersionFilter{Most: 1})
	request.FromVersion = &engine.FromVersion{Session: session.ID}
	switch {
	case err != nil:
		return request, err
	case len(found) > 0:
		request.FromVersion.Version = found[0].ID
	case session.Status != sessions.Running:
		return request, fault.New(fault.Conflict, "No version of this session's work has been made yet. Start it, and try again.")
	}
	return request, nil
}

// notebookLimit is the most bytes of a notebook of which a job is made.
const notebookLimit = 64 << 20

// declared returns which values a notebook can be executed with, and its file; nil if that isn't known before a session has it.
func (s *Service) declared(ctx context.Context, asked Asked, request sessions.StartRequest) (*parameters.Declared, string, error) {
	select { // notebooks take memory
	case s.declaring <- struct{}{}:
		defer func() { <-s.declaring }()
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	var file string
	var content []byte
	var err error
	if from := request.FromVersion; from != nil {
		file = asked.From.Path
		content, err = s.ofSession(ctx, from.Session, file)
	} else {
		file, content, err = s.Notebooks.Notebook(ctx, request, s.Descriptors)
	}
	if err != nil || content == nil {
		return nil, file, err
	}
	declared, err := s.read(content)
	return &declared, file, err
}

// ofSession reads a notebook of one of the caller's sessions as it is now, of which the next version is made.
func (s *Service) ofSession(ctx context.Context, sessionID, file string) ([]byte, error) {
	session, err := s.Sessions.Own(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	versioner, err := s.Engines.VersionerOf(session.Engine)
	if err != nil {
		return nil, err
	}
	opened, err := versioner.OpenVersion(ctx, session.ID, "", file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	content, err := io.ReadAll(io.LimitReader(opened, notebookLimit+1))
	if err == nil && len(content) > notebookLimit {
		err = fault.New(fault.TooLarge, "The notebook %s is larger than %d MiB.", fault.Quote(file), notebookLimit>>20)
	}
	return content, err
}

// Parameters returns which values the notebook of an entry can be executed with: of a file of its repository, or of the one that a session
// opens.
func (s *Service) Parameters(ctx context.Context, entryID, file string) (parameters.Declared, error) {
	asked := Asked{ResourceID: entryID, File: file}
	return s.known(s.declared(ctx, asked, sessions.StartRequest{ResourceID: entryID, File: file}))
}

// SessionParameters is Parameters of a notebook in one of the caller's sessions, as it is now.
func (s *Service) SessionParameters(ctx context.Context, from FromSession) (parameters.Declared, error) {
	if err := checkPath(from.Path, "query.path"); err != nil {
		return parameters.Declared{}, err
	}
	request := sessions.StartRequest{FromVersion: &engine.FromVersion{Session: from.Session}}
	return s.known(s.declared(ctx, Asked{From: &from}, request))
}

func (s *Service) known(declared *parameters.Declared, _ string, err error) (parameters.Declared, error) {
	if declared == nil {
		return parameters.Declared{Parameters: []parameters.Parameter{}}, err
	}
	if declared.Parameters == nil {
		declared.Parameters = []parameters.Parameter{}
	}
	return *declared, err
}
