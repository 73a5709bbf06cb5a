package jobs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"cairn/internal/content/parameters"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// The codes of jobs whose notebook wasn't executed, besides those of faults.
const (
	sessionFailed = "session_failed"
	noNotebook    = "no_notebook"
	notTaken      = "parameters"
	noKernel      = "no_kernel"
)

// as returns a context in which an account acts.
func (s *Service) as(ctx context.Context, accountID string) (context.Context, error) {
	caller, err := s.Accounts.Account(ctx, accountID)
	return identity.With(ctx, caller), err
}

// read returns which values a notebook can be executed with. The same content is read once.
func (s *Service) read(notebook []byte) (parameters.Declared, error) {
	digest := sha256.Sum256(notebook)
	if known, ok := s.readings.Get(digest); ok {
		return known, nil
	}
	declared, err := parameters.Read(notebook)
	if err == nil {
		s.readings.Add(digest, declared)
	}
	return declared, err
}

// fail ends a job before its notebook was executed.
func (s *Service) fail(ctx context.Context, job Job, code, reason string) error {
	now := s.Now().UTC()
	job.State, job.Code, job.Reason, job.EndedAt = Failed, code, plain(reason, reasonLimit), &now
	_, err := s.store.save(ctx, job)
	return errors.Join(err, s.endSession(ctx, job))
}

// launchAll starts the sessions of jobs that have none yet, in the order in which they were asked for.
func (s *Service) launchAll(ctx context.Context, live []Job) {
	full := map[string]bool{} // accounts that have as many as they may
	for _, job := range live {
		if job.Session != "" || full[job.accountID] {
			continue
		}
		waits, err := s.launch(ctx, job)
		if err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "a job can't be started; trying again", "job", job.ID, "error", err)
		}
		full[job.accountID] = waits
	}
}

// launch starts the session of a job. It waits if its owner has as many for jobs as they may.
func (s *Service) launch(ctx context.Context, job Job) (waits bool, err error) {
	ctx, err = s.as(ctx, job.accountID)
	if err != nil {
		return false, err
	}
	before := job.Reason
	session, err := s.startSession(ctx, job)
	switch kind := fault.KindOf(err); {
	case err == nil:
		job.Session, job.Reason = session.ID, ""
	case errors.Is(err, errElsewhere):
		return false, nil
	case fault.CodeOf(err) == fault.SessionLimit:
		waits, job.Reason = true, "It waits for another of your jobs."
	case kind == fault.Internal:
		return false, err
	case kind == fault.Unavailable, kind == fault.TooMany:
		job.Reason = plain(fault.MessageOf(err), reasonLimit)
	default:
		return false, s.fail(ctx, job, string(fault.CodeOf(err)), fault.MessageOf(err))
	}
	if job.Session == "" && job.Reason == before {
		return waits, nil
	}
	_, err = s.store.launched(ctx, job) // if its owner has canceled it meanwhile, the session is ended as one that is left
	return waits, err
}

// errElsewhere says that other servers have the engine of a job.
var errElsewhere = errors.New("another server has the engine")

// startSession returns the session of a job, which it starts unless a server did so before it was killed.
func (s *Service) startSession(ctx context.Context, job Job) (sessions.Session, error) {
	known, err := s.Sessions.OfJob(ctx, job.ID)
	if err != nil || known != nil {
		return valueOf(known), err
	}
	engineName := job.asked.Engine
	if job.From != nil && engineName == "" {
		from, err := s.Sessions.Own(ctx, job.From.Session)
		if err != nil {
			return sessions.Session{}, err
		}
		engineName = from.Engine
	}
	if engineName != "" {
		if _, err := s.Engines.Of(engineName); err != nil {
			return sessions.Session{}, errElsewhere
		}
	}
	request, err := s.request(ctx, job.asked)
	if err != nil {
		return sessions.Session{}, err
	}
	request.Name, request.Job, request.Key = job.Name, job.ID, "job/"+job.ID
	return s.Sessions.StartFrom(ctx, request)
}

// valueOf returns a session, or the zero value.
func valueOf(session *sessions.Session) (value sessions.Session) {
	if session != nil {
		value = *session
	}
	return value
}

// notLaunched is the end of a job whose session ended before the notebook was executed.
func (s *Service) notLaunched(ctx context.Context, job Job, session sessions.Session) error {
	reason := session.StatusReason
	if session.Cause != nil {
		reason = session.Cause.Sentence
	}
	if reason == "" {
		reason = "Its session was stopped before the notebook was executed."
	}
	return s.fail(ctx, job, sessionFailed, reason)
}

// prepare prepares a job in its session, unless another server does, and hands it over to that.
func (s *Service) prepare(ctx context.Context, session sessions.Session, job Job) error {
	now := s.Now()
	if ours, err := s.store.claim(ctx, job.ID, now, now.Add(prepareTime+answerTime)); !ours || err != nil {
		return err // if this fails, the next one tries once this time has passed
	}
	bounded, stop := context.WithTimeout(ctx, prepareTime)
	defer stop()
	err := s.prepareClaimed(bounded, session, job)
	switch {
	case errors.Is(err, jupyterkernel.ErrTooLarge):
		return s.fail(ctx, job, noNotebook, "The notebook is too large to be executed as a job.")
	case err != nil && ctx.Err() == nil && s.Now().Sub(session.UpdatedAt) > giveUpAfter:
		return s.fail(ctx, job, sessionFailed, "Its session didn't get ready: "+err.Error())
	}
	return err
}

// giveUpAfter is how long a session that runs has to get ready for its job.
const giveUpAfter = 15 * time.Minute

// prepareClaimed writes the values of a job into the notebook in its session, starts the kernel, and hands the job over. What was done
// before a server was killed is done again, and makes no difference.
func (s *Service) prepareClaimed(ctx context.Context, session sessions.Session, job Job) error {
	server, err := s.server(ctx, session)
	if err != nil {
		return err
	}
	server.Limit = 2 * notebookLimit // in JSON
	where := placeOf(&job, session)
	if path.Ext(where) != ".ipynb" {
		return s.fail(ctx, job, noNotebook, "It has no notebook that could be executed.")
	}
	address := "api/contents/" + (&url.URL{Path: where}).EscapedPath()
	var found struct {
		Content string `json:"content"`
	}
	err = server.Call(ctx, http.MethodGet, address+"?type=file&format=text&content=1", nil, &found)
	switch {
	case jupyterkernel.StatusOf(err) == http.StatusNotFound:
		return s.fail(ctx, job, noNotebook, "There is no notebook "+fault.Quote(job.File)+".")
	case err != nil:
		return err
	}
	content := []byte(found.Content)
	written, err := parameters.Write(content, job.Parameters)
	if err != nil {
		return s.fail(ctx, job, notTaken, fault.MessageOf(err))
	}
	if !bytes.Equal(written, content) {
		saved := map[string]string{"type": "file", "format": "text", "content": string(written)}
		if err := server.Call(ctx, http.MethodPut, address, saved, nil); err != nil {
			return err
		}
	}
	if err := startKernel(ctx, server, where, written); err != nil {
		if missing, ok := errors.AsType[jupyterkernel.NoKernelError](err); ok {
			return s.fail(ctx, job, noKernel, missing.Error())
		}
		return err
	}
	took, err := s.deadline(job.asked.Deadline)
	if err != nil { // the operators have shortened it
		took = s.Deadline
	}
	request, err := json.Marshal(broker.FinishRequest{ID: job.ID, File: where, From: &broker.Place{}, Deadline: s.Now().Add(took)})
	if err != nil {
		return err
	}
	job.request = string(request)
	if stored, err := s.store.save(ctx, job); err != nil || !stored {
		return err
	}
	return s.beginOwn(ctx, session, job)
}

// beginOwn hands a job over to its session. One that is refused fails.
func (s *Service) beginOwn(ctx context.Context, session sessions.Session, job Job) error {
	begun, refused, err := s.begin(ctx, session, job)
	if refused != nil {
		return s.fail(ctx, begun, noNotebook, fault.MessageOf(refused))
	}
	return err
}

// startKernel starts the kernel of a notebook; a server that has one for it keeps that.
func startKernel(ctx context.Context, server jupyterkernel.Server, file string, notebook []byte) error {
	var about struct {
		Metadata struct {
			Kernel struct{ Name, Language string } `json:"kernelspec"`
			Info   struct{ Name string }           `json:"language_info"`
		}
	}
	_ = json.Unmarshal(notebook, &about) // what can't be read of it is as if it wasn't there
	language := about.Metadata.Info.Name
	if language == "" {
		language = about.Metadata.Kernel.Language
	}
	chosen, err := server.ChooseKernel(ctx, about.Metadata.Kernel.Name, language)
	if err == nil {
		_, err = server.Start(ctx, chosen.Name, file)
	}
	return err
}

// placeOf returns the path of a job's notebook in its session; from then on, the job knows its file.
func placeOf(job *Job, session sessions.Session) (where string) {
	folder := ""
	if address := session.Project.Repository.Address; address != "" {
		folder = catalog.RepositoryFolder(address) + "/"
	}
	switch {
	case job.From != nil:
		where, job.File = job.From.Path, job.From.Path
	case job.asked.File != "":
		where, job.File = folder+path.Clean(job.asked.File), path.Clean(job.asked.File)
	default:
		where = session.Opens
		job.File = strings.TrimPrefix(where, folder)
	}
	job.target = job.targetOf()
	return where
}

// targetOf returns what is equal for jobs on the same file of the same thing.
func (j Job) targetOf() string {
	of := j.Resource + j.Project
	if j.From != nil {
		of = j.From.Session
	}
	return of + " " + j.File
}

// resultTime is how long the version with the result of a job may take to be made.
const resultTime = 10 * time.Minute

// conclude adds to a job that has ended what its session knows, and has the session keep its result. An error says that it's too early for
// the end of the session; a job whose result can't be kept for some time fails.
func (s *Service) conclude(ctx context.Context, session sessions.Session, job *Job) error {
	s.measure(ctx, session, job)
	if err := s.keepVersion(ctx, session, "Result of “%s”", job.File); err != nil {
		if s.Now().Sub(*job.EndedAt) < resultTime {
			return err
		}
		job.State, job.Code, job.Reason = Failed, broker.FinishUnsaved, "Its files couldn't be kept: "+plain(fault.MessageOf(err), reasonLimit)
	}
	previous, err := s.store.before(ctx, *job)
	job.Previous = previous
	return err
}

// keepResult has a session keep what a job has left that hasn't come to its end, if it can.
func (s *Service) keepResult(ctx context.Context, session sessions.Session, job Job) {
	if err := s.keepVersion(ctx, session, "Result of “%s”", job.File); err != nil {
		s.Logger.WarnContext(ctx, "what a job has left can't be kept in a version", "job", job.ID, "error", err)
	}
}

// measure notes how much memory the session of a job has used.
func (s *Service) measure(ctx context.Context, session sessions.Session, job *Job) {
	chosen, err := s.Engines.Of(session.Engine)
	if err != nil {
		return
	}
	if meter, ok := chosen.Engine.(engine.Meter); ok {
		if used, err := meter.Usage(ctx, session.ID); err == nil {
			job.PeakMemoryBytes = max(job.PeakMemoryBytes, used.PeakMemoryBytes, used.MemoryBytes)
		}
	}
}

// endSession ends the session of a job; its work, with the result, stays.
func (s *Service) endSession(ctx context.Context, job Job) error {
	if job.Session == "" || job.Kind != OwnKind {
		return nil
	}
	return s.Sessions.EndOfJobs(ctx, []string{job.Session})
}

// endLeft ends the sessions among some of jobs whose job isn't among those that go on: a server may be killed after the end of a job. The
// sessions must have been read first, because jobs are there before their sessions.
func (s *Service) endLeft(ctx context.Context, found []sessions.Session, live []Job) error {
	going := map[string]bool{}
	for _, one := range live {
		going[one.ID] = true
	}
	var left []string
	for _, one := range found {
		if !going[one.Job] && one.RequestedStatus == "" {
			left = append(left, one.ID)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return s.Sessions.EndOfJobs(ctx, left)
}
