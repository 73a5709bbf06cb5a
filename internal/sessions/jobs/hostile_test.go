package jobs_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions"
	"cairn/internal/sessions/jobs"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/sessionstest"
)

// The server of a session is its user's: what it says of a job is bounded, and never ends a look.
func TestWhatASessionSaysIsBounded(t *testing.T) {
	t.Parallel()
	far := time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -24*3600+60))
	for what, change := range map[string]func(*broker.FinishState){
		"long ago": func(state *broker.FinishState) {
			state.Began, state.Ended = time.Date(0, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
		},
		"far ahead": func(state *broker.FinishState) { state.Began, state.Ended = far, far },
		"numbers": func(state *broker.FinishState) {
			at := -7
			state.Total, state.Done, state.FailedAt, state.ProcessorSeconds = -3, 1<<40, &at, 1e300
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newOwnWorld(t)
			job := w.begun(w.ask(`{}`).ID)
			w.Clock.Advance(time.Minute)
			w.finisher.change(func(state *broker.FinishState) { change(state); state.Running = false })
			w.follow()
			job = w.job(job.ID)
			if job.EndedAt == nil || job.StartedAt.Before(job.AskedAt) || job.EndedAt.Before(*job.StartedAt) || job.EndedAt.After(w.Clock.Now()) {
				t.Errorf("it went on from %v until %v", job.StartedAt, job.EndedAt)
			}
			if job.Cells.Done < 0 || job.Cells.Done > job.Cells.Total || job.ProcessorSeconds > 1e9 || job.Cells.FailedAt != nil {
				t.Errorf("it is %+v", job)
			}
			again := w.ask(`{}`) // whose expected time is that of the first
			w.begun(again.ID)
			if _, _, err := w.Server.Jobs.List(w.As(w.Ann), false, 0, 10); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestASessionThatDoesNotEndItsJob(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	endless := w.begun(w.ask(`{}`).ID)
	w.Clock.Advance(13 * time.Hour)
	w.follow()
	if job := w.job(endless.ID); job.State != jobs.Failed || job.Code != broker.FinishDeadline {
		t.Errorf("after its deadline it is %+v", job)
	}
	w.WaitFor(endless.Session, sessions.Terminated)
	w.finisher.jupyter.content = sessionstest.ValuesNotebook
	w.finisher.deaf = true
	deaf := w.begun(w.ask(`{}`).ID)
	sessionstest.Check(t, w.Server.Jobs.Delete(w.As(w.Ann), deaf.ID))
	w.follow()
	if job := w.job(deaf.ID); job.EndedAt != nil {
		t.Errorf("it has no time to end: %+v", job)
	}
	w.Clock.Advance(time.Minute)
	w.follow()
	if job := w.job(deaf.ID); job.State != jobs.Canceled {
		t.Errorf("canceled, it is %+v", job)
	}
	w.WaitFor(deaf.Session, sessions.Terminated)
}

func TestANotebookThatCannotBePrepared(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	w.finisher.jupyter.content = strings.Replace(sessionstest.ValuesNotebook, `"kernelspec":{`, `"kernelspec":"python3","other":{`, 1)
	odd := w.begun(w.ask(`{}`).ID)
	if odd.State != jobs.Running {
		t.Errorf("one that names its kernel oddly is %+v", odd)
	}
	w.finisher.jupyter.broken = true
	broken := w.ask(`{}`)
	w.follow()
	session := w.job(broken.ID).Session
	w.Launched(session)
	w.Machine.Ready(session)
	w.WaitFor(session, sessions.Running)
	for range 10 {
		w.follow()
		w.Clock.Advance(3 * time.Minute)
	}
	w.follow()
	if job := w.job(broken.ID); job.State != jobs.Failed || job.Code != "session_failed" {
		t.Errorf("one whose kernel doesn't start is %+v", job)
	}
	w.WaitFor(session, sessions.Terminated)
}

func TestASessionThatIsNotFoundForAMoment(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	job := w.begun(w.ask(`{}`).ID)
	w.finisher.mu.Lock()
	w.finisher.lost = true
	w.finisher.mu.Unlock()
	w.follow()
	if job = w.job(job.ID); job.State != jobs.Running {
		t.Errorf("it is %+v", job)
	}
	w.finisher.mu.Lock()
	w.finisher.lost, w.finisher.states = false, nil // Jupyter was started again
	w.finisher.mu.Unlock()
	w.follow()
	if job = w.job(job.ID); job.State != jobs.Failed || job.Code != "interrupted" {
		t.Errorf("it ends as %+v", job)
	}
}

// A server that was killed before it stored the session of a job finds it, whatever has become of its source.
func TestTheSessionOfAJobIsStartedOnce(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	w.Machine.Put(w.session.ID, "values.ipynb", sessionstest.ValuesNotebook)
	job, err := w.Server.Jobs.Ask(w.As(w.Ann), jobs.Asked{From: &jobs.FromSession{Session: w.session.ID, Path: "x/../values.ipynb"}}, "key")
	sessionstest.Check(t, err)
	sessionstest.Eventually(t, "it has a session", func() bool { w.follow(); return w.job(job.ID).Session != "" })
	session := w.job(job.ID).Session
	w.write(`UPDATE job SET session_id = '' WHERE id = $1`, job.ID)
	w.Saved(w.session.ID, map[string]string{"more.txt": "more"}) // a newer version
	w.follow()
	if again := w.job(job.ID); again.Session != session || again.State != jobs.Queued {
		t.Errorf("it is %+v instead of having the session %s", again, session)
	}
	sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), []string{w.session.ID}, true))
	if known, err := w.Server.Jobs.Ask(w.As(w.Ann), jobs.Asked{From: &jobs.FromSession{Session: w.session.ID, Path: "x/../values.ipynb"}}, "key"); err != nil || known.ID != job.ID {
		t.Errorf("asked again with its key: %+v, %v", known, err)
	}
}

func TestNamesInZipsAreHarmless(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	job := w.begun(w.ask(`{}`).ID)
	w.Clock.Advance(time.Minute)
	for _, name := range []string{"log.txt", "ro-crate-metadata.json", `a\..\evil.bat`, "a:b.txt"} {
		w.Machine.Put(job.Session, name, "of the notebook")
	}
	w.finisher.change(func(state *broker.FinishState) {
		state.Running, state.Ended, state.Done = false, w.Clock.Now(), state.Total
	})
	w.follow()
	for _, path := range []string{"files.zip", "crate.zip"} {
		answer := httptest.NewRecorder()
		w.APIAs(w.Ann).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, httpapi.Base+"/jobs/"+job.ID+"/"+path, http.NoBody))
		w.WantStatus(path, answer, http.StatusOK)
		archive, err := zip.NewReader(bytes.NewReader(answer.Body.Bytes()), int64(answer.Body.Len()))
		sessionstest.Check(t, err)
		var names []string
		for _, file := range archive.File {
			if names = append(names, file.Name); strings.Contains(file.Name, `\`) || slices.Contains(names[:len(names)-1], file.Name) {
				t.Errorf("%s has %q in %q", path, file.Name, names)
			}
		}
		if path == "crate.zip" {
			opened, err := archive.Open("ro-crate-metadata.json")
			sessionstest.Check(t, err)
			if text, _ := io.ReadAll(opened); !strings.Contains(string(text), `"@id": "./a:b.txt"`) || !slices.Contains(names, "log (2).txt") {
				t.Errorf("the crate has %q: %s", names, text)
			}
		}
	}
}
