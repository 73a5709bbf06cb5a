package jobs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

	"cairn/internal/content/parameters"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/machine/jupyterkernel"
	"cairn/internal/sessions/sizes"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Sessions is what the service asks about sessions.
type Sessions interface {
	// Own returns one of the caller's sessions; NotFound when it doesn't exist or is somebody else's.
	Own(ctx context.Context, id string) (sessions.Session, error)
	// OfAccount is Own for an account.
	OfAccount(ctx context.Context, id, accountID string) (sessions.Session, error)
	// OwnOrDeleted is Own, and also returns recently deleted sessions.
	OwnOrDeleted(ctx context.Context, id string) (sessions.Session, error)
	// CheckStart returns the error that StartFrom would return, except over the limit.
	CheckStart(ctx context.Context, asked sessions.StartRequest) error
	// StartFrom creates a session; SessionLimit over the limit.
	StartFrom(ctx context.Context, asked sessions.StartRequest) (sessions.Session, error)
	// Delete deletes the caller's sessions: so that it can be undone, or now.
	Delete(ctx context.Context, ids []string, now bool) error
	// Undelete brings a deleted session back.
	Undelete(ctx context.Context, id string) (sessions.Session, error)
	// OfJobs returns the sessions of jobs that run or start, whoever owns them.
	OfJobs(ctx context.Context) ([]sessions.Session, error)
	// OfJob returns the session of a job; nil if it hasn't been started.
	OfJob(ctx context.Context, job string) (*sessions.Session, error)
	// EndOfJobs requests the end of sessions of jobs, whose work is kept.
	EndOfJobs(ctx context.Context, ids []string) error
	// EraseOfJob requests that the session of a job be deleted forever.
	EraseOfJob(ctx context.Context, job string) error
}

// Notebooks reads notebooks before a session has them.
type Notebooks interface {
	// Notebook returns the notebook that a session opens, and its path.
	Notebook(ctx context.Context, asked sessions.StartRequest, descriptors []string) (file string, content []byte, err error)
}

// Accounts finds the accounts for which jobs are started.
type Accounts interface {
	Account(ctx context.Context, id string) (identity.Caller, error)
}

// Options configure the service.
type Options struct {
	Limits

	Sessions    Sessions
	Notebooks   Notebooks
	Accounts    Accounts
	Engines     sizes.Engines
	Descriptors []string      // the names of the files in which a repository describes itself, the first one counts
	Undo        time.Duration // how long deleted jobs can be undeleted; 0: until Keep has passed
	Patience    time.Duration // how long a look waits for the sessions that it asks; 0: five seconds
	PublicURL   string        // where the catalog is, without a slash at the end
	Product     func() string // what it is called
	Now         func() time.Time
	Logger      *slog.Logger
}

// Limits bound the jobs of an account.
type Limits struct {
	PerAccount int           // how many with sessions of their own there may be at once; 0: 2
	Deadline   time.Duration // the most that a job may take; 0: 12 hours
	Keep       time.Duration // how long jobs that have ended are kept; 0: 30 days
}

// Service has the jobs of people carried out.
type Service struct {
	Options

	store     *Store
	wake      chan struct{}
	following chan struct{} // has an element for each job that is followed now
	preparing chan struct{} // likewise for those whose notebook is prepared

	looking sync.Mutex // held by each look, one after the other; guards the field below
	expired time.Time  // when old jobs were deleted last

	// mu guards the field below.
	mu        sync.Mutex
	inFlight  map[string]bool                                    // the jobs that are followed now
	declaring chan struct{}                                      // has an element for each notebook that is read for its parameters now
	comparing chan struct{}                                      // is full while notebooks are compared
	readings  *lru.Cache[[sha256.Size]byte, parameters.Declared] // of notebooks, by their digest
}

// declaredAtOnce is how many notebooks are read for their parameters at once.
const declaredAtOnce = 4

// readingsKept is how many notebooks are remembered by what they can be executed with.
const readingsKept = 256

// NewService returns a service.
func NewService(store *Store, options Options) *Service {
	options.Deadline, options.Keep, options.PerAccount = cmp.Or(options.Deadline, 12*time.Hour), cmp.Or(options.Keep, 30*24*time.Hour), cmp.Or(options.PerAccount, 2)
	options.Patience = cmp.Or(options.Patience, patience)
	readings, _ := lru.New[[sha256.Size]byte, parameters.Declared](readingsKept) // the only error is about the size
	return &Service{
		Options: options, store: store, wake: make(chan struct{}, 1), comparing: make(chan struct{}, 1), readings: readings,
		following: make(chan struct{}, followedAtOnce), preparing: make(chan struct{}, preparedAtOnce), declaring: make(chan struct{}, declaredAtOnce), inFlight: map[string]bool{},
	}
}

// FinishRequest asks for the rest of a notebook to be executed.
type FinishRequest struct {
	Path     string `json:"path" doc:"The notebook's path in the session" example:"analysis/first.ipynb"`
	From     *From  `json:"from,omitempty" doc:"Absent: the first cell with code after the last one that has begun"`
	Deadline string `json:"deadline,omitempty" doc:"How long it may take, such as 2h30m" example:"2h"`
	Digest   string `json:"digest,omitempty" pattern:"^[0-9a-fA-F]{64}$" doc:"SHA-256 of the file as the caller knows it; if it's another one, nothing is executed"`
}

// From names the cell with which the rest begins.
type From struct {
	Index *int   `json:"index,omitempty" minimum:"0" doc:"Its index among all cells, from 0"`
	Cell  string `json:"cell,omitempty" maxLength:"64" doc:"Or its id"`
}

// Finish has the rest of a notebook executed in its kernel, in one of the caller's running sessions.
func (s *Service) Finish(ctx context.Context, sessionID string, asked FinishRequest) (Job, error) {
	session, err := s.Sessions.Own(ctx, sessionID)
	if err != nil {
		return Job{}, err
	}
	if session.Status != sessions.Running {
		return Job{}, engine.ErrNotRunning
	}
	caller, err := identity.Require(ctx)
	if err != nil {
		return Job{}, err
	}
	request, err := s.requestOf(asked)
	if err != nil {
		return Job{}, err
	}
	text, err := json.Marshal(request)
	if err != nil {
		return Job{}, err
	}
	if err := s.keepVersion(ctx, session, "Before “%s” ran to the end", request.File); err != nil {
		return Job{}, err
	}
	job, err := s.store.add(ctx, Job{
		ID: request.ID, Name: path.Base(request.File), Kind: FinishKind, Session: sessionID, File: request.File, State: Queued, accountID: caller.AccountID, request: string(text),
	}, sessions.AuditEvent(audit.FinishNotebook, []string{sessionID}))
	if err != nil {
		return Job{}, err
	}
	if job, err = s.beginFinish(ctx, session, job); err != nil {
		return Job{}, err
	}
	s.Wake()
	return s.shown(ctx, job)
}

// requestOf checks what was asked.
func (s *Service) requestOf(asked FinishRequest) (request broker.FinishRequest, err error) {
	request = broker.FinishRequest{ID: newID(), File: path.Clean(asked.Path), Digest: asked.Digest}
	if err := checkPath(asked.Path, "body.path"); err != nil {
		return request, err
	}
	took, err := s.deadline(asked.Deadline)
	if err != nil {
		return request, err
	}
	request.Deadline = s.Now().Add(took)
	switch from := asked.From; {
	case from == nil:
	case (from.Index == nil) == (from.Cell == ""):
		return request, fault.InvalidField("body.from", "The first cell is named either by its index or by its id.")
	case from.Index != nil:
		request.From = &broker.Place{Index: *from.Index}
	default:
		request.From = &broker.Place{ID: from.Cell, Index: -1}
	}
	return request, nil
}

// checkPath refuses what isn't the path of a notebook in a session.
func checkPath(file, location string) error {
	if !filepath.IsLocal(file) || !strings.HasSuffix(file, ".ipynb") || plain(file, pathLimit) != file {
		return fault.InvalidField(location, "The path must be that of a notebook in the session, such as analysis/first.ipynb.")
	}
	return nil
}

// nameLimit is how many characters of a file's name are in that of a version.
const nameLimit = 120

// keepVersion makes a version of a session's work, where its engine keeps versions.
func (s *Service) keepVersion(ctx context.Context, session sessions.Session, name, file string) error {
	chosen, err := s.Engines.Of(session.Engine)
	if err != nil {
		return err
	}
	versioner, keeps := chosen.Versioner()
	if !keeps {
		return nil
	}
	base := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, path.Base(file))
	if runes := []rune(base); len(runes) > nameLimit {
		base = string(runes[:nameLimit]) + "…"
	}
	_, err = versioner.SaveVersion(ctx, session.ID, fmt.Sprintf(name, base))
	return err
}

// server returns the way to the server of a running session.
func (s *Service) server(ctx context.Context, session sessions.Session) (jupyterkernel.Server, error) {
	chosen, err := s.Engines.Of(session.Engine)
	if err != nil {
		return jupyterkernel.Server{}, err
	}
	target, err := chosen.Target(ctx, session.ID)
	if err != nil {
		return jupyterkernel.Server{}, err
	}
	base := cmp.Or(target.Base, sessions.ServerPath(session.ID))
	return jupyterkernel.NewServer(target.URL.JoinPath(base), target.Authorization, target.Transport), nil
}

// beginFinish hands a job over to its session. One that is refused is deleted.
func (s *Service) beginFinish(ctx context.Context, session sessions.Session, job Job) (Job, error) {
	begun, refused, err := s.begin(ctx, session, job)
	if refused != nil {
		err = cmp.Or(s.store.remove(ctx, job), refused)
	}
	return begun, err
}

// begin hands a job over to its session, which takes it once, however often it is asked; refused says why it doesn't.
func (s *Service) begin(ctx context.Context, session sessions.Session, job Job) (begun Job, refused, err error) {
	server, err := s.server(ctx, session)
	if err != nil {
		return job, nil, err
	}
	var state broker.FinishState
	asking, stop := context.WithTimeout(ctx, answerTime)
	defer stop()
	err = server.Call(asking, http.MethodPost, broker.FinishPath, json.RawMessage(job.request), &state)
	if refused := refusal(err, job.File); refused != nil {
		return job, refused, nil
	}
	if err != nil {
		return job, nil, fault.Wrap(err, fault.Unavailable, "The session isn't responding. It is asked again in a moment.")
	}
	s.take(&job, state)
	stored, err := s.store.save(ctx, job)
	if err == nil && !stored { // its owner has canceled it meanwhile
		err = server.Call(asking, http.MethodDelete, broker.FinishPath+"?id="+job.ID, nil, nil)
	}
	return job, nil, err
}

// refusal returns why a session doesn't take a job; nil if that isn't the session's answer.
func refusal(err error, file string) error {
	var said broker.Refusal
	switch status := jupyterkernel.StatusOf(err); status {
	case http.StatusNotFound, http.StatusMethodNotAllowed: // Jupyter's own answer
		return fault.New(fault.Conflict, "This session can't execute notebooks without a page. Stop it and start it again.")
	case http.StatusConflict:
		_ = json.Unmarshal([]byte(jupyterkernel.MessageOf(err)), &said)
	default:
		return nil
	}
	switch said.Code {
	case broker.RefusedBusy:
		return fault.New(fault.NotebookBusy, "The rest of %s is being executed already.", fault.Quote(file))
	case broker.RefusedChanged:
		return fault.New(fault.NotebookChanged, "The file %s has changed since it was read. Save it and try again.", fault.Quote(file))
	case broker.RefusedNoKernel:
		return fault.New(fault.Conflict, "The notebook %s has no kernel. Open it, and try again.", fault.Quote(file))
	case broker.RefusedNoCell:
		return fault.InvalidField("body.from", "The notebook %s has no cell with code from there on.", fault.Quote(file))
	}
	return fault.New(fault.NotFound, "The session has no notebook %s.", fault.Quote(file))
}

// take changes a job as its session says.
func (s *Service) take(job *Job, state broker.FinishState) {
	began := between(state.Began, job.AskedAt, s.Now())
	job.State, job.StartedAt, job.Beside = Running, &began, plain(state.Beside, pathLimit)
	job.Cells = Cells{Total: min(max(state.Total, 0), cellsLimit), FailedAt: state.FailedAt}
	job.Cells.Done = min(max(state.Done, 0), job.Cells.Total)
	if at := job.Cells.FailedAt; at != nil && (*at < 0 || *at > cellsLimit) {
		job.Cells.FailedAt = nil
	}
	job.Reason, job.ProcessorSeconds = "", min(max(job.ProcessorSeconds, state.ProcessorSeconds), secondsLimit)
	if state.Running {
		return
	}
	ended := between(state.Ended, began, s.Now())
	job.EndedAt = &ended
	switch state.Code {
	case "":
		job.State = Done
	case broker.FinishCanceled:
		job.State = Canceled
	case broker.FinishFailed, broker.FinishInput, broker.FinishDeadline, broker.FinishUnsaved:
		job.State, job.Code = Failed, state.Code
	default:
		job.State, job.Code = Failed, broker.FinishLost
	}
	if job.State == Failed {
		job.Reason = reasonOf(*job, plain(state.Reason, reasonLimit))
	}
}

// What a session says of a job is its user's: more of it isn't stored.
const (
	pathLimit    = 1024 // bytes
	reasonLimit  = 500  // bytes
	cellsLimit   = 1_000_000
	secondsLimit = 1e9
)

// between returns a time, or the first or last one that it can be.
func between(at, first, last time.Time) time.Time {
	switch {
	case at.After(last):
		at = last
	case at.Before(first):
		at = first
	}
	return at.UTC()
}

// plain returns the beginning of a text, without what databases don't store.
func plain(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// reasonOf says in a sentence why a job has failed.
func reasonOf(job Job, said string) string {
	where := fmt.Sprintf("Cell %d of %d", job.Cells.Done+1, job.Cells.Total)
	switch job.Code {
	case broker.FinishFailed:
		return where + " failed: " + strings.TrimSuffix(said, ".") + "."
	case broker.FinishInput:
		return where + " waited for somebody to type something, and nobody was there."
	case broker.FinishDeadline:
		return where + " was still running at the deadline."
	case broker.FinishUnsaved:
		return "What " + where + " printed couldn't be written into the file."
	}
	return "The kernel ended in " + strings.ToLower(where[:1]) + where[1:] + "."
}

// List returns a page of the caller's jobs, newest first: of those that were deleted, or of the others.
func (s *Service) List(ctx context.Context, deleted bool, offset, limit int) (found []Job, total int, err error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return nil, 0, err
	}
	found, total, err = s.store.of(ctx, caller.AccountID, deleted, offset, limit)
	for at := range found {
		if found[at], err = s.shown(ctx, found[at]); err != nil {
			return nil, 0, err
		}
	}
	return found, total, err
}

// Get returns one of the caller's jobs; NotFound for one that was deleted.
func (s *Service) Get(ctx context.Context, id string) (Job, error) {
	job, err := s.getOrDeleted(ctx, id)
	if err == nil && job.DeletedAt != nil {
		return Job{}, errNoJob
	}
	return job, err
}

func (s *Service) getOrDeleted(ctx context.Context, id string) (Job, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Job{}, err
	}
	job, err := s.store.byID(ctx, caller.AccountID, id)
	if err != nil {
		return Job{}, err
	}
	return s.shown(ctx, job)
}

// Latest returns the job of a session that was asked for last; nil for none.
func (s *Service) Latest(ctx context.Context, sessionID string) (*Job, error) {
	job, err := s.store.latestOf(ctx, sessionID)
	if err != nil || job == nil {
		return nil, err
	}
	shown, err := s.shown(ctx, *job)
	return &shown, err
}

// shown fills in what isn't stored.
func (s *Service) shown(ctx context.Context, job Job) (_ Job, err error) {
	if job.StartedAt != nil {
		end := s.Now()
		if job.EndedAt != nil {
			end = *job.EndedAt
		}
		job.Seconds = max(0, end.Sub(*job.StartedAt).Seconds())
	}
	if job.live() {
		job.ExpectedSeconds, err = s.store.lastSeconds(ctx, job)
	}
	return job, err
}
