package jobs_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/jobs"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/sessionstest"
)

// finisher stands in for what executes notebooks in a session.
type finisher struct {
	mu       sync.Mutex
	away     bool
	old      bool // it knows nothing of it
	refuses  string
	states   []broker.FinishState
	requests []broker.FinishRequest
	jupyter  *jupyter // nil: there is none behind it
	deaf     bool     // it says that it cancels, and goes on
	lost     bool     // what is before the session doesn't find it
}

func (f *finisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := func(status int, value any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
	switch {
	case f.away:
		w.WriteHeader(http.StatusBadGateway)
	case f.lost:
		w.WriteHeader(http.StatusNotFound)
	case strings.HasSuffix(r.URL.Path, "/api/status"):
		answer(http.StatusOK, map[string]string{})
	case f.jupyter != nil && f.jupyter.answers(w, r):
	case f.old || !strings.HasSuffix(r.URL.Path, "/"+broker.FinishPath):
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodGet:
		answer(http.StatusOK, f.states)
	case r.Method == http.MethodDelete && f.deaf:
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodDelete:
		for at, one := range f.states {
			if one.ID == r.URL.Query().Get("id") {
				f.states[at].Running, f.states[at].Code, f.states[at].Ended = false, broker.FinishCanceled, one.Began.Add(time.Minute)
			}
		}
		w.WriteHeader(http.StatusNoContent)
	case f.refuses != "":
		answer(http.StatusConflict, broker.Refusal{Code: f.refuses})
	default:
		var asked broker.FinishRequest
		_ = json.NewDecoder(r.Body).Decode(&asked)
		for _, known := range f.states {
			if known.ID == asked.ID { // it takes each once
				answer(http.StatusAccepted, known)
				return
			}
		}
		f.requests = append(f.requests, asked)
		f.states = append(f.states, broker.FinishState{ID: asked.ID, File: asked.File, Running: true, Total: 30, Done: 2, Began: sessionstest.NewClock().Now()})
		answer(http.StatusAccepted, f.states[len(f.states)-1])
	}
}

// change changes the last state.
func (f *finisher) change(how func(*broker.FinishState)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	how(&f.states[len(f.states)-1])
}

type world struct {
	*sessionstest.World

	finisher *finisher
	session  sessions.Session
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: sessionstest.NewAt(t, sessionstest.HostForm), finisher: &finisher{}}
	w.Upstream.AnswerWith(w.finisher.ServeHTTP)
	w.session = w.Running("Session")
	return w
}

const file = "analysis/first.ipynb"

func (w *world) finish() jobs.Job {
	w.T.Helper()
	job, err := w.Server.Jobs.Finish(w.As(w.Ann), w.session.ID, jobs.FinishRequest{Path: file})
	sessionstest.Check(w.T, err)
	return job
}

func (w *world) follow() {
	w.T.Helper()
	_, err := w.Server.Jobs.Follow(w.T.Context())
	sessionstest.Check(w.T, err)
}

func (w *world) job(id string) jobs.Job {
	w.T.Helper()
	job, err := w.Server.Jobs.Get(w.As(w.Ann), id)
	sessionstest.Check(w.T, err)
	return job
}

// names returns the names of the session's versions, the oldest first.
func (w *world) names() (names []string) {
	w.T.Helper()
	chosen, err := w.Server.Engines.Of(w.session.Engine)
	sessionstest.Check(w.T, err)
	versioner, _ := chosen.Versioner()
	found, _, err := versioner.Versions(w.T.Context(), w.session.ID, engine.VersionFilter{Most: 10})
	sessionstest.Check(w.T, err)
	for _, one := range found {
		if one.Cause == engine.VersionNamed {
			names = append([]string{one.Name}, names...)
		}
	}
	return names
}

func TestARunToTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.finish()
	if job.State != jobs.Running || job.Cells.Total != 30 || job.Cells.Done != 2 || job.Name != "first.ipynb" || job.ExpectedSeconds != 0 {
		t.Errorf("it begins as %+v", job)
	}
	if asked := w.finisher.requests[0]; asked.File != file || asked.From != nil || !asked.Deadline.Equal(w.Clock.Now().Add(12*time.Hour)) {
		t.Errorf("the session is asked for %+v", asked)
	}
	w.Clock.Advance(41 * time.Minute)
	at := 12
	w.finisher.change(func(state *broker.FinishState) { state.Done, state.At = 11, &at })
	w.follow()
	if job = w.job(job.ID); job.Cells.Done != 11 || job.Seconds != 41*60 {
		t.Errorf("it is %+v", job)
	}
	if latest, err := w.Server.Jobs.Latest(t.Context(), w.session.ID); err != nil || latest == nil || latest.ID != job.ID {
		t.Errorf("the latest of the session is %+v, %v", latest, err)
	}
	w.Clock.Advance(19 * time.Minute)
	w.finisher.change(func(state *broker.FinishState) {
		state.Done, state.At, state.Running, state.Ended = 30, nil, false, state.Began.Add(time.Hour)
	})
	w.follow()
	if job = w.job(job.ID); job.State != jobs.Done || job.Seconds != 3600 || job.EndedAt == nil || job.Reason != "" {
		t.Errorf("it ends as %+v", job)
	}
	sessionstest.Eventually(t, "the last version is there", func() bool { return len(w.names()) == 2 })
	if names := w.names(); len(names) != 2 || names[0] != "Before “first.ipynb” ran to the end" || names[1] != "After “first.ipynb” ran to the end" {
		t.Errorf("the versions are %q", names)
	}
	if again := w.finish(); again.ExpectedSeconds != 3600 {
		t.Errorf("the second time it expects %v s", again.ExpectedSeconds)
	}
	found, total, err := w.Server.Jobs.List(w.As(w.Ann), false, 0, 1)
	if err != nil || total != 2 || len(found) != 1 || found[0].State != jobs.Running {
		t.Errorf("the list is %+v of %d, %v", found, total, err)
	}
	if found, _, err := w.Server.Jobs.List(w.As(w.Bob), false, 0, 10); err != nil || len(found) > 0 {
		t.Errorf("somebody else sees %+v, %v", found, err)
	}
	w.Clock.Advance(31 * 24 * time.Hour)
	w.follow()
	if _, err := w.Server.Jobs.Get(w.As(w.Ann), job.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an old one is kept: %v", err)
	}
}

func TestHowItEnds(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		broker.FinishFailed: "Cell 3 of 30 failed: ValueError: no.", broker.FinishInput: "Cell 3 of 30 waited for", broker.FinishDeadline: "Cell 3 of 30 was still running",
		broker.FinishLost: "The kernel ended in cell 3 of 30.", broker.FinishUnsaved: "What Cell 3 of 30 printed",
	} {
		w := newWorld(t)
		job := w.finish()
		index := 7
		w.finisher.change(func(state *broker.FinishState) {
			state.Running, state.Code, state.Reason, state.FailedAt, state.Ended = false, code, "ValueError: no", &index, state.Began.Add(time.Minute)
		})
		w.follow()
		if job = w.job(job.ID); job.State != jobs.Failed || job.Code != code || !strings.HasPrefix(job.Reason, want) || *job.Cells.FailedAt != 7 {
			t.Errorf("%s: %+v", code, job)
		}
	}
}

func TestCancelingAndDeleting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.finish()
	if err := w.Server.Jobs.Delete(w.As(w.Bob), job.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("somebody else cancels it: %v", err)
	}
	sessionstest.Check(t, w.Server.Jobs.Delete(w.As(w.Ann), job.ID))
	w.follow()
	if job = w.job(job.ID); job.State != jobs.Canceled || job.Reason != "" {
		t.Errorf("it ends as %+v", job)
	}
	sessionstest.Check(t, w.Server.Jobs.Delete(w.As(w.Ann), job.ID))
	if err := w.Server.Jobs.Delete(w.As(w.Ann), job.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("it is still there: %v", err)
	}
}

func TestItEndsWithItsSession(t *testing.T) {
	t.Parallel()
	for what, end := range map[string]func(*world){
		"stopped": func(w *world) {
			_, err := w.Server.Terminate(w.As(w.Ann), w.session.ID)
			sessionstest.Check(w.T, err)
		},
		"deleted":       func(w *world) { sessionstest.Check(w.T, w.Server.Delete(w.As(w.Ann), []string{w.session.ID}, false)) },
		"started again": func(w *world) { w.finisher.states = nil },
	} {
		w := newWorld(t)
		job := w.finish()
		end(w)
		sessionstest.Eventually(t, what, func() bool {
			w.follow()
			return w.job(job.ID).State == jobs.Failed
		})
		if job = w.job(job.ID); job.Code != "interrupted" || job.Reason == "" || job.EndedAt == nil {
			t.Errorf("%s: %+v", what, job)
		}
	}
}

// A server that was killed, or couldn't reach the session, has it asked again: once.
func TestASessionThatDoesNotAnswerIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.finisher.away = true
	if _, err := w.Server.Jobs.Finish(w.As(w.Ann), w.session.ID, jobs.FinishRequest{Path: file}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without an answer: %v", err)
	}
	found, _, err := w.Server.Jobs.List(w.As(w.Ann), false, 0, 10)
	if err != nil || len(found) != 1 || found[0].State != jobs.Queued {
		t.Fatalf("the jobs are %+v, %v", found, err)
	}
	w.finisher.away = false
	w.follow()
	w.follow()
	if job := w.job(found[0].ID); job.State != jobs.Running || len(w.finisher.requests) != 1 || w.finisher.requests[0].ID != job.ID {
		t.Errorf("it is %+v after %d requests", job, len(w.finisher.requests))
	}
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	index := 3
	for what, one := range map[string]struct {
		asked jobs.FinishRequest
		kind  fault.Kind
	}{
		"no notebook": {jobs.FinishRequest{Path: "notes.txt"}, fault.Invalid},
		"outside":     {jobs.FinishRequest{Path: "../first.ipynb"}, fault.Invalid},
		"too late":    {jobs.FinishRequest{Path: file, Deadline: "13h"}, fault.Invalid},
		"no time":     {jobs.FinishRequest{Path: file, Deadline: "soon"}, fault.Invalid},
		"two cells":   {jobs.FinishRequest{Path: file, From: &jobs.From{Index: &index, Cell: "x"}}, fault.Invalid},
		"no cell":     {jobs.FinishRequest{Path: file, From: &jobs.From{}}, fault.Invalid},
	} {
		if _, err := w.Server.Jobs.Finish(w.As(w.Ann), w.session.ID, one.asked); fault.KindOf(err) != one.kind {
			t.Errorf("%s: %v", what, err)
		}
	}
	for refusal, want := range map[string]fault.Code{
		broker.RefusedBusy: fault.NotebookBusy, broker.RefusedChanged: fault.NotebookChanged, broker.RefusedNoKernel: "conflict", broker.RefusedNoFile: "not_found", broker.RefusedNoCell: "invalid",
	} {
		w.finisher.refuses = refusal
		if _, err := w.Server.Jobs.Finish(w.As(w.Ann), w.session.ID, jobs.FinishRequest{Path: file}); fault.CodeOf(err) != want {
			t.Errorf("%s: %v", refusal, err)
		}
	}
	w.finisher.refuses, w.finisher.old = "", true
	if _, err := w.Server.Jobs.Finish(w.As(w.Ann), w.session.ID, jobs.FinishRequest{Path: file}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("in a session from before: %v", err)
	}
	if _, err := w.Server.Jobs.Finish(w.As(w.Bob), w.session.ID, jobs.FinishRequest{Path: file}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("in somebody else's: %v", err)
	}
	if found, _, err := w.Server.Jobs.List(w.As(w.Ann), false, 0, 10); err != nil || len(found) > 0 {
		t.Errorf("refused ones are kept: %+v, %v", found, err)
	}
	_, err := w.Server.Terminate(w.As(w.Ann), w.session.ID)
	sessionstest.Check(t, err)
	if _, err := w.Server.Jobs.Finish(w.As(w.Ann), w.session.ID, jobs.FinishRequest{Path: file}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("in one that has ended: %v", err)
	}
}
