package jobs_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/content/comparator"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/jobs"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/operators"
	"cairn/internal/sessions/sessionstest"
)

// jupyter stands in for Jupyter's server behind the finisher: it has one notebook, and starts kernels.
type jupyter struct {
	content string
	saved   int
	kernels []string // the paths for which one was started
	broken  bool     // no kernel starts
}

// answers reports whether it knows the address.
func (j *jupyter) answers(w http.ResponseWriter, r *http.Request) bool {
	send := func(value any) bool {
		_ = json.NewEncoder(w).Encode(value)
		return true
	}
	_, path, _ := strings.Cut(r.URL.Path, "/api/")
	switch {
	case strings.HasPrefix(path, "contents/") && r.Method == http.MethodPut:
		var sent struct{ Content string }
		_ = json.NewDecoder(r.Body).Decode(&sent)
		j.content, j.saved = sent.Content, j.saved+1
		return send(map[string]string{})
	case strings.HasPrefix(path, "contents/") && j.content == "":
		w.WriteHeader(http.StatusNotFound)
		return true
	case strings.HasPrefix(path, "contents/"):
		return send(map[string]string{"content": j.content})
	case path == "kernelspecs":
		return send(map[string]any{"default": "python3", "kernelspecs": map[string]any{"python3": map[string]any{"spec": map[string]string{"display_name": "Python 3", "language": "python"}}}})
	case path == "sessions" && j.broken:
		w.WriteHeader(http.StatusInternalServerError)
		return true
	case path == "sessions":
		var sent struct{ Path string }
		_ = json.NewDecoder(r.Body).Decode(&sent)
		j.kernels = append(j.kernels, sent.Path)
		return send(map[string]any{"kernel": map[string]string{"id": "one"}})
	}
	return false
}

const notebook = "values.ipynb"

// newOwnWorld is a world with an entry that takes values.
func newOwnWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.finisher.jupyter = &jupyter{content: sessionstest.ValuesNotebook}
	w.AddEntries(catalog.Entry{ExternalID: "values", Type: catalog.Notebook, NotebookPath: "https://example.org/" + notebook})
	return w
}

func values(text string) map[string]json.RawMessage {
	var found map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		panic(err)
	}
	return found
}

// ask asks for a job, a second after what happened before.
func (w *world) ask(given string) jobs.Job {
	w.T.Helper()
	w.Clock.Advance(time.Second)
	job, err := w.Server.Jobs.Ask(w.As(w.Ann), jobs.Asked{ResourceID: w.ID("values"), Parameters: values(given)}, "")
	sessionstest.Check(w.T, err)
	return job
}

func (w *world) write(statement string, arguments ...any) {
	w.T.Helper()
	sessionstest.Check(w.T, w.Database.Write(w.T.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(w.T.Context(), statement, arguments...)
		return err
	}))
}

// begun brings a job to its first cell.
func (w *world) begun(id string) jobs.Job {
	w.T.Helper()
	w.follow()
	session := w.job(id).Session
	w.Launched(session)
	w.Machine.Ready(session)
	w.WaitFor(session, sessions.Running)
	w.follow()
	return w.job(id)
}

// done brings a job to its end, at which its second cell has shown a text.
func (w *world) done(id, shown string) jobs.Job {
	w.T.Helper()
	job := w.begun(id)
	var book map[string]any
	sessionstest.Check(w.T, json.Unmarshal([]byte(w.finisher.jupyter.content), &book))
	cells := book["cells"].([]any)
	cells[len(cells)-1].(map[string]any)["outputs"] = []any{map[string]any{"output_type": "stream", "name": "stdout", "text": shown}}
	executed, err := json.Marshal(book)
	sessionstest.Check(w.T, err)
	w.Clock.Advance(time.Minute)
	w.Machine.Put(job.Session, notebook, string(executed))
	w.Machine.Put(job.Session, "figure.csv", "a,b\n")
	w.Machine.Use(job.Session, engine.Usage{MemoryBytes: 5 << 20, PeakMemoryBytes: 7 << 20})
	w.finisher.change(func(state *broker.FinishState) {
		state.Done, state.Total, state.Running, state.Ended, state.ProcessorSeconds = 3, 3, false, w.Clock.Now(), 2.5
	})
	w.follow()
	return w.job(id)
}

func TestAJobInASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	job := w.ask(`{"rate": 2}`)
	if job.State != jobs.Queued || job.Kind != jobs.OwnKind || job.Name != notebook || job.Session != "" {
		t.Errorf("it is asked for as %+v", job)
	}
	job = w.begun(job.ID)
	if job.State != jobs.Running || job.Session == "" || job.File != notebook {
		t.Errorf("it begins as %+v", job)
	}
	if asked := w.finisher.requests[0]; asked.ID != job.ID || asked.File != notebook || asked.From == nil || asked.From.Index != 0 || !asked.Deadline.Equal(w.Clock.Now().Add(12*time.Hour)) {
		t.Errorf("its session is asked for %+v", asked)
	}
	if written := w.finisher.jupyter.content; !strings.Contains(written, "injected-parameters") || !strings.Contains(written, "rate = 2.0") || strings.Contains(written, `name = \"`) {
		t.Errorf("the notebook is %s", written)
	}
	if found, err := w.Server.List(w.As(w.Ann), sessions.Filter{}); err != nil || slices.ContainsFunc(found, func(one sessions.Session) bool { return one.ID == job.Session }) {
		t.Errorf("its session is in the list: %v", err)
	}
	job = w.done(job.ID, "north 2.0\n")
	if job.State != jobs.Done || job.Cells.Done != 3 || job.PeakMemoryBytes != 7<<20 || job.ProcessorSeconds != 2.5 || job.Previous != "" {
		t.Errorf("it ends as %+v", job)
	}
	w.WaitFor(job.Session, sessions.Terminated)
	if _, err := w.Server.Restart(w.As(w.Ann), job.Session); fault.KindOf(err) != fault.Conflict {
		t.Errorf("its session is started again: %v", err)
	}
	opened, name, err := w.Server.Jobs.Notebook(w.As(w.Ann), job.ID)
	sessionstest.Check(t, err)
	if text, _ := io.ReadAll(opened); name != notebook || !strings.Contains(string(text), "north 2.0") {
		t.Errorf("the executed notebook %q is %s", name, text)
	}
	files, err := w.Server.Jobs.Files(w.As(w.Ann), job.ID, 0, 10)
	sessionstest.Check(t, err)
	if files.TotalElements != 2 || files.Content[0].Path != "figure.csv" || files.Content[1].Path != notebook || files.Version == "" {
		t.Errorf("it wrote %+v", files)
	}
}

func TestTwoJobsAreComparedCellByCell(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	first := w.done(w.ask(`{}`).ID, "north 0.5\n")
	if _, err := w.Server.Jobs.Changes(w.As(w.Ann), first.ID, ""); fault.KindOf(err) != fault.NotFound {
		t.Errorf("the first is compared: %v", err)
	}
	w.Clock.Advance(time.Hour)
	w.finisher.jupyter.content = sessionstest.ValuesNotebook
	second := w.done(w.ask(`{"name": "south"}`).ID, "south 0.5\n")
	if second.Previous != first.ID {
		t.Fatalf("the one before is %q, want %q", second.Previous, first.ID)
	}
	found, err := w.Server.Jobs.Changes(w.As(w.Ann), second.ID, "")
	sessionstest.Check(t, err)
	if last := found.Cells[len(found.Cells)-1]; found.Counts.Differs != 1 || last.ID != "show" || last.Verdict != comparator.Different || len(last.Differences[0].Lines) != 2 {
		t.Errorf("they differ by %+v", found)
	}
	if third, err := w.Server.Jobs.Changes(w.As(w.Ann), first.ID, second.ID); err != nil || third.Counts.Differs != 1 {
		t.Errorf("the other way round: %+v, %v", third.Counts, err)
	}
}

func TestJobsOfAnAccountWaitForEachOther(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	first, second, third := w.ask(`{}`), w.ask(`{}`), w.ask(`{}`)
	w.follow()
	if one, two, three := w.job(first.ID), w.job(second.ID), w.job(third.ID); one.Session == "" || two.Session == "" || three.Session != "" || three.Reason == "" {
		t.Errorf("they are %+v, %+v and %+v", one, two, three)
	}
	sessionstest.Check(t, w.Server.Jobs.Delete(w.As(w.Ann), first.ID))
	w.follow()
	w.follow()
	sessionstest.Eventually(t, "the third has a session", func() bool { w.follow(); return w.job(third.ID).Session != "" })
	if canceled := w.job(first.ID); canceled.State != jobs.Canceled {
		t.Errorf("the first is %+v", canceled)
	}
}

func TestValuesThatANotebookDoesNotTake(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	for given, location := range map[string]string{
		`{"other": 1}`: "body.parameters.other", `{"rate": "fast"}`: "body.parameters.rate", `{"name": 3}`: "body.parameters.name",
	} {
		_, err := w.Server.Jobs.Ask(w.As(w.Ann), jobs.Asked{ResourceID: w.ID("values"), Parameters: values(given)}, "")
		if refused, ok := errors.AsType[*fault.Fault](err); !ok || len(refused.Fields) != 1 || refused.Fields[0].Location != location {
			t.Errorf("%s: %v", given, err)
		}
	}
	job := w.ask(`{"name": "'; import os"}`)
	w.begun(job.ID)
	if written := w.finisher.jupyter.content; !strings.Contains(written, `name = \"'; import os\"`) {
		t.Errorf("the text is written as %s", written)
	}
	w.finisher.jupyter.content = strings.ReplaceAll(sessionstest.ValuesNotebook, "name = ", "called = ")
	changed := w.ask(`{"name": "south"}`)
	if changed = w.begun(changed.ID); changed.State != jobs.Failed || changed.Code != "parameters" || !strings.Contains(changed.Reason, "name") {
		t.Errorf("a notebook that was changed meanwhile: %+v", changed)
	}
}

func TestJobsThatCannotBegin(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	before := []jobs.Job{w.ask(`{}`), w.ask(`{}`)} // for which it waits
	hidden := w.ask(`{}`)
	w.AddEntries(catalog.Entry{ExternalID: "values", Type: catalog.Notebook, NotebookPath: "https://example.org/" + notebook, Privacy: catalog.PrivacyPrivate})
	for _, one := range before {
		sessionstest.Check(t, w.Server.Jobs.Delete(w.As(w.Ann), one.ID))
	}
	sessionstest.Eventually(t, "the one that waited ends", func() bool { w.follow(); return w.job(hidden.ID).EndedAt != nil })
	if job := w.job(hidden.ID); job.State != jobs.Failed || job.Code != "not_found" || job.Reason == "" || job.EndedAt == nil {
		t.Errorf("that of an entry that is hidden: %+v", job)
	}
	w.AddEntries(catalog.Entry{ExternalID: "values", Type: catalog.Notebook, NotebookPath: "https://example.org/" + notebook})
	broken := w.ask(`{}`)
	w.follow()
	session := w.job(broken.ID).Session
	w.Launched(session)
	w.Machine.Fail(session, engine.StepServer, "Jupyter doesn't start.")
	w.WaitFor(session, sessions.Failed)
	w.follow()
	if job := w.job(broken.ID); job.State != jobs.Failed || job.Code != "session_failed" || !strings.Contains(job.Reason, "Jupyter doesn't start.") {
		t.Errorf("that whose session fails: %+v", job)
	}
	w.finisher.jupyter.content = ""
	empty := w.ask(`{}`)
	if job := w.begun(empty.ID); job.State != jobs.Failed || job.Code != "no_notebook" {
		t.Errorf("that without its notebook: %+v", job)
	}
	w.WaitFor(w.job(empty.ID).Session, sessions.Terminated)
	stopped := w.ask(`{}`)
	w.finisher.jupyter.content = sessionstest.ValuesNotebook
	running := w.begun(stopped.ID)
	w.Machine.End(running.Session, false, "It used too much memory.")
	w.WaitFor(running.Session, sessions.Failed)
	w.follow()
	if job := w.job(stopped.ID); job.State != jobs.Failed || job.Code != "interrupted" || !strings.Contains(job.Reason, "memory") {
		t.Errorf("that whose session ends: %+v", job)
	}
}

// Whatever is killed, the notebook is executed once, and a session whose job has ended doesn't stay.
func TestAServerThatIsKilledBetweenTheSteps(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	job := w.ask(`{}`)
	w.follow()
	session := w.job(job.ID).Session
	w.write(`UPDATE job SET session_id = '' WHERE id = $1`, job.ID) // killed before it was stored
	w.follow()
	if again := w.job(job.ID); again.Session != session {
		t.Errorf("it has another session: %q instead of %q", again.Session, session)
	}
	w.begun(job.ID)
	w.write(`UPDATE job SET state = 'QUEUED', started_at = 0, request = '', claimed_until = 0 WHERE id = $1`, job.ID)
	w.follow()
	if again := w.job(job.ID); again.State != jobs.Running || again.Session != session {
		t.Errorf("prepared again, it is %+v", again)
	}
	for _, one := range w.finisher.requests {
		if one.ID != job.ID {
			t.Errorf("the session is asked for another job: %+v", one)
		}
	}
	w.write(`UPDATE job SET state = 'DONE', ended_at = $1 WHERE id = $2`, w.Clock.Now().UnixMicro(), job.ID)
	w.follow()
	w.WaitFor(session, sessions.Terminated)
}

func TestDeletedJobsComeBackForAWhile(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	job := w.done(w.ask(`{}`).ID, "north 0.5\n")
	w.WaitFor(job.Session, sessions.Terminated)
	sessionstest.Check(t, w.Server.Jobs.Delete(w.As(w.Ann), job.ID))
	if _, err := w.Server.Jobs.Get(w.As(w.Ann), job.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("it is still there: %v", err)
	}
	if found, total, err := w.Server.Jobs.List(w.As(w.Ann), true, 0, 10); err != nil || total != 1 || found[0].ID != job.ID || found[0].DeletedAt == nil {
		t.Errorf("the deleted ones are %+v, %v", found, err)
	}
	back, err := w.Server.Jobs.Undelete(w.As(w.Ann), job.ID)
	sessionstest.Check(t, err)
	opened, _, err := w.Server.Jobs.Notebook(w.As(w.Ann), back.ID)
	sessionstest.Check(t, err)
	sessionstest.Check(t, opened.Close())
	w.Clock.Advance(31 * 24 * time.Hour)
	w.follow()
	if _, _, err := w.Server.Jobs.Notebook(w.As(w.Ann), job.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("it is kept for more than 30 days: %v", err)
	}
	sessionstest.Eventually(t, "its session is gone too", func() bool {
		found, err := w.Store.ByID(t.Context(), job.Session)
		return err == nil && len(found) == 0
	})
}

func TestTheSameKeyIsTheSameJob(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	asked := jobs.Asked{ResourceID: w.ID("values")}
	first, err := w.Server.Jobs.Ask(w.As(w.Ann), asked, "key")
	sessionstest.Check(t, err)
	if second, err := w.Server.Jobs.Ask(w.As(w.Ann), asked, "key"); err != nil || second.ID != first.ID {
		t.Errorf("asked again, it is %+v, %v", second, err)
	}
	asked.Parameters = values(`{"rate": 1}`)
	if _, err := w.Server.Jobs.Ask(w.As(w.Ann), asked, "key"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("for something else: %v", err)
	}
	if _, err := w.Server.Jobs.Ask(w.As(w.Newbie), asked, ""); fault.CodeOf(err) != fault.NotEnabled {
		t.Errorf("by somebody who isn't enabled: %v", err)
	}
	if _, err := w.Server.Jobs.Get(w.As(w.Bob), first.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("somebody else's: %v", err)
	}
}

// A notebook of a session that runs is as it is now: a version is made of it.
func TestAJobOfASession(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	w.Machine.Put(w.session.ID, "own/values.ipynb", sessionstest.ValuesNotebook)
	from := jobs.FromSession{Session: w.session.ID, Path: "own/values.ipynb"}
	found, err := w.Server.Jobs.SessionParameters(w.As(w.Ann), from)
	if err != nil || len(found.Parameters) != 2 || found.Parameters[0].Name != "rate" {
		t.Errorf("it takes %+v, %v", found, err)
	}
	job, err := w.Server.Jobs.Ask(w.As(w.Ann), jobs.Asked{From: &from, Parameters: values(`{"rate": 3}`)}, "")
	sessionstest.Check(t, err)
	if names := w.names(); len(names) != 1 || names[0] != "Before “values.ipynb” ran as a job" {
		t.Errorf("the session has the versions %q", names)
	}
	if job = w.begun(job.ID); job.State != jobs.Running || job.File != from.Path || w.finisher.requests[0].File != from.Path {
		t.Errorf("it is %+v", job)
	}
	if _, err := w.Server.Jobs.Ask(w.As(w.Bob), jobs.Asked{From: &from}, ""); fault.KindOf(err) != fault.NotFound {
		t.Errorf("of somebody else's session: %v", err)
	}
}

func TestOperatorsSeeAndStopJobs(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	job := w.begun(w.ask(`{}`).ID)
	operator := w.As(w.Operator())
	page, err := w.Server.Operators.All(operator, sessions.AllQuery{Text: job.Session, Size: 10}, operators.Newest)
	sessionstest.Check(t, err)
	if len(page.Content) != 1 || !page.Content[0].IsJob {
		t.Errorf("operators see %+v", page.Content)
	}
	_, err = w.Server.Operators.Stop(operator, job.Session, "The machine is moved.")
	sessionstest.Check(t, err)
	w.WaitFor(job.Session, sessions.Terminated)
	w.follow()
	if job = w.job(job.ID); job.State != jobs.Failed || job.Code != "interrupted" || !strings.Contains(job.Reason, "The machine is moved.") {
		t.Errorf("it ends as %+v", job)
	}
}
