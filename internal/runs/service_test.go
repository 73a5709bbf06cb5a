package runs

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/runs/executor"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

func TestRunIsCarriedOut(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.work(w.service)
		run := w.run("")
		if run.State != Done || run.Verdict != Clean || run.File != "first.ipynb" || len(run.Commit) != 40 || len(run.Digest) != 64 || run.StartedBy != ByAuthor {
			t.Errorf("the run is %+v", run)
		}
		if (run.Cells != RunCells{Total: 2, Ran: 2, Same: 2}) || run.Seconds != 2 || run.Environment.Python == "" || len(run.Environment.Packages) == 0 {
			t.Errorf("what was measured is %+v", run)
		}
		if run.StartedAt == nil || run.EndedAt == nil || run.attempts != 1 {
			t.Errorf("its times are %v to %v, after %d attempts", run.StartedAt, run.EndedAt, run.attempts)
		}
		for _, name := range []string{logName, authorName, executedName, comparisonName} {
			if content, err := w.left(run, name); err != nil || len(content) == 0 {
				t.Errorf("%s: %d bytes, %v", name, len(content), err)
			}
		}
	})
}

// What differs is executed a second time, in a new session: what differs there again varies on its own.
func TestWhatDiffersIsExecutedTwice(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.work(w.service)
		for what, c := range map[string]struct {
			first, second string
			want          Verdict
			cells         RunCells
		}{
			"it varies":  {notebook("1\n", "0.314\n"), notebook("1\n", "0.592\n"), Clean, RunCells{Total: 2, Ran: 2, Same: 1, Varies: 1}},
			"it differs": {notebook("1\n", "3\n"), notebook("1\n", "3\n"), Differs, RunCells{Total: 2, Ran: 2, Same: 1, Differs: 1}},
		} {
			executions := 0
			w.kernels(func(context.Context, []byte, executor.Options) executor.Executed {
				if executions++; executions == 1 {
					return finished(c.first)
				}
				return finished(c.second)
			})
			w.clock.advance(25 * time.Hour)
			run := w.run("")
			if run.Verdict != c.want || run.Cells != c.cells || executions != 2 {
				t.Errorf("%s: %s with %+v after %d executions", what, run.Verdict, run.Cells, executions)
			}
		}
	})
}

func TestFailuresSayWhy(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.work(w.service)
		w.kernels(func(context.Context, []byte, executor.Options) executor.Executed {
			return raised("ValueError", "no such river")
		})
		run := w.run("")
		log, _ := w.left(run, logName)
		if run.Verdict != Fails || !strings.Contains(run.Reason, "ValueError: no such river") || !strings.Contains(string(log), "code cell 1 of 1 failed:\nTraceback\nthe end") {
			t.Errorf("the run is %+v, and its log %q", run, log)
		}
		w.batch.fail = func(id string) {
			w.machine.FailWith(id, engine.StepEnvironment, "No pip.", diagnosis.PackageUnknown, "the log")
		}
		run = w.run("")
		if run.State != Done || run.Verdict != Fails || run.Code != string(diagnosis.PackageUnknown) || run.Reason != "No pip." {
			t.Errorf("after a launch that failed it is %+v", run)
		}
		w.batch.fail = func(id string) {
			w.machine.FailWith(id, engine.StepRepository, "The host doesn't answer.", diagnosis.CloneUnreachable, "")
		}
		if run = w.run(""); run.State != Stopped || run.Verdict != "" || run.Reason != "The host doesn't answer." {
			t.Errorf("when others are to blame it is %+v", run)
		}
	})
}

func TestFilesThatCannotBeRun(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.work(w.service)
		if run := w.run("absent.ipynb"); run.State != Stopped || !strings.Contains(run.Reason, `no file "absent.ipynb"`) {
			t.Errorf("a file that isn't there: %+v", run)
		}
		w.batch.files = map[string]string{"README.md": "# Rivers\n"}
		if run := w.run(""); run.Verdict != NothingToCompare || !strings.Contains(run.Reason, "no notebook") {
			t.Errorf("no notebook: %+v", run)
		}
		w.batch.files = map[string]string{"first.ipynb": notebook("", "")}
		if run := w.run(""); run.Verdict != NothingToCompare || run.Cells.Total != 2 {
			t.Errorf("no outputs: %+v", run)
		}
	})
}

func TestRunsYieldToPeople(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		begun := w.endless()
		w.work(w.service)
		run := w.start("")
		for range attemptsLimit + 1 { // giving up the place isn't held against it
			<-begun
			w.person(true)
			eventually(t, "the run waits again", func() bool { return w.row(run.ID).State == Queued && !w.batch.holds(run.ID) })
			w.person(false)
		}
		<-begun
		w.kernels(nil)
		w.person(true)
		eventually(t, "the run waits again", func() bool { return w.row(run.ID).State == Queued })
		w.person(false)
		if run = w.ended(run.ID); run.Verdict != Clean || run.attempts != 1 {
			t.Errorf("at last it is %+v", run)
		}
	})
}

// Without a place, a run waits for the next look at the queue and doesn't ask again and again.
func TestRunsWaitForAPlace(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.batch.person(true)
		run := w.start("")
		<-w.service.wake
		var work sync.WaitGroup
		check(t, w.service.updateWork(t.Context(), &work))
		work.Wait()
		if asked := w.batch.asked; asked != 1 || len(w.service.wake) != 0 || w.row(run.ID).State != Queued {
			t.Errorf("asked %d times, woken %d times, and it is %s", asked, len(w.service.wake), w.row(run.ID).State)
		}
	})
}

func TestStop(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		begun := w.endless()
		w.work(w.service)
		run := w.start("")
		<-begun
		wantKind(t, "somebody else", w.service.Stop(w.As(bob), run.ResourceID, run.ID), fault.Forbidden)
		check(t, w.service.Stop(w.As(eve), run.ResourceID, run.ID))
		if run = w.ended(run.ID); run.State != Stopped || run.Verdict != "" || run.Reason == "" {
			t.Errorf("the run is %+v", run)
		}
		check(t, w.service.Stop(w.As(ann), run.ResourceID, run.ID)) // again
		w.batch.person(true)
		queued := w.start("")
		check(t, w.service.Stop(w.As(ann), queued.ResourceID, queued.ID))
		if queued = w.row(queued.ID); queued.State != Stopped || queued.StartedAt != nil {
			t.Errorf("the one in the queue is %+v", queued)
		}
	})
}

// A process is killed: its runs are begun anew by the next one, but not forever, and none has a verdict without an execution.
func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		left := func(state State) Run { // what a killed process leaves
			run := w.start("")
			spec, err := w.batch.Spec(t.Context(), run.ID, run.ResourceID, "", "", false)
			check(t, err)
			if started, err := w.batch.Start(t.Context(), spec, 1); !started || err != nil {
				t.Fatal(started, err)
			}
			if state == Running {
				_, err = w.store.Begin(t.Context(), run.ID)
				check(t, err)
			}
			return run
		}
		launched := left(Queued)
		end := w.work(w.newService())
		if run := w.ended(launched.ID); run.Verdict != Clean {
			t.Errorf("killed before it had begun: %+v", run)
		}
		end()
		running := left(Running)
		end = w.work(w.newService())
		if run := w.ended(running.ID); run.Verdict != Clean || run.attempts != 2 {
			t.Errorf("killed while it ran: %+v", run)
		}
		end()
		w.clock.advance(25 * time.Hour)
		often := w.start("")
		for range attemptsLimit - 1 {
			_, err := w.store.Begin(t.Context(), often.ID)
			check(t, err)
			_, err = w.store.Requeue(t.Context(), often.ID, true)
			check(t, err)
		}
		_, err := w.store.Begin(t.Context(), often.ID)
		check(t, err)
		w.work(w.newService())
		if run := w.ended(often.ID); run.State != Stopped || run.Verdict != "" || run.attempts != attemptsLimit {
			t.Errorf("killed several times: %+v", run)
		}
	})
}

// A process that is ended in order puts its runs back, and the next one begins them anew.
func TestEndedProcesses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		begun := w.endless()
		end := w.work(w.service)
		run := w.start("")
		<-begun
		end()
		if run = w.row(run.ID); run.State != Queued || w.batch.holds(run.ID) {
			t.Errorf("after the end it is %s, with a session: %t", run.State, w.batch.holds(run.ID))
		}
		w.kernels(nil)
		w.work(w.newService())
		if run = w.ended(run.ID); run.Verdict != Clean {
			t.Errorf("the next process makes it %+v", run)
		}
	})
}

func TestFilesBelowCheck(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.work(w.service)
		w.batch.files = map[string]string{
			"cairn.yml": "project:\n  name: Rivers\n  check: [sub/a.ipynb, b.ipynb, ../c.ipynb, b.ipynb]\n", "sub/a.ipynb": notebook("1\n"), "b.ipynb": notebook(""),
		}
		w.start("")
		var found []Run
		eventually(t, "both have run", func() bool {
			var err error
			found, _, err = w.service.List(w.As(""), w.ID("rivers"), 0, 10)
			check(t, err)
			return len(found) == 2 && found[0].State == Done && found[1].State == Done
		})
		if found[0].File != "b.ipynb" || found[0].Verdict != NothingToCompare || found[1].File != "sub/a.ipynb" || found[1].Verdict != Clean || found[0].StartedBy != ByAuthor {
			t.Errorf("the runs are %+v", found)
		}
		if files := w.latest("rivers"); files != "b.ipynb sub/a.ipynb" {
			t.Errorf("the entry shows %q", files)
		}
		w.batch.files["cairn.yml"] = "project:\n  check: [sub/a.ipynb]\n"
		w.run("")
		if files := w.latest("rivers"); files != "sub/a.ipynb" {
			t.Errorf("with a shorter list the entry shows %q", files)
		}
	})
}

// latest returns the files of an entry with a verdict that it shows.
func (w *world) latest(name string) string {
	w.t.Helper()
	found, err := list(w.t.Context(), w.store.db, `latest AND resource_id = $1 ORDER BY file`, w.ID(name))
	check(w.t, err)
	files := make([]string, len(found))
	for i, run := range found {
		files[i] = run.File
	}
	return strings.Join(files, " ")
}

func TestProgress(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.kernels(func(_ context.Context, source []byte, options executor.Options) executor.Executed {
			for cell := 1; cell <= 3; cell++ {
				options.Progress(cell, 3)
				if cell == 2 {
					w.clock.advance(noteInterval)
				}
			}
			if cells := w.row(w.only()).Cells; (cells != RunCells{Total: 3, Ran: 2}) {
				t.Errorf("before the third cell: %+v", cells)
			}
			return finished(string(source))
		})
		w.work(w.service)
		w.run("")
	})
}

func (w *world) only() string {
	w.t.Helper()
	found, err := list(w.t.Context(), w.store.db, `TRUE`)
	check(w.t, err)
	if len(found) != 1 {
		w.t.Fatalf("%d runs, want one", len(found))
	}
	return found[0].ID
}

func TestWhoStartsRuns(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.batch.person(true) // nothing is carried out
		start := func(email, entry, file, ref string) error {
			_, err := w.service.Start(w.As(email), w.ID(entry), file, ref)
			return err
		}
		wantKind(t, "nobody", start("", "rivers", "", ""), fault.Unauthenticated)
		wantKind(t, "a reader", start(bob, "rivers", "", ""), fault.Forbidden)
		wantKind(t, "a private entry", start(ann, "own", "", ""), fault.Invalid)
		wantKind(t, "a private entry of others", start(eve, "own", "", ""), fault.NotFound)
		wantKind(t, "a path out of the repository", start(ann, "rivers", "../a.ipynb", ""), fault.Invalid)
		for _, file := range []string{"a\x00.ipynb", "\x00", "a/\xff.ipynb", "a\n.ipynb"} { // which not every database takes
			wantKind(t, strconv.Quote(file), start(ann, "rivers", file, ""), fault.Invalid)
		}
		wantKind(t, "a ref with NUL", start(ann, "rivers", "", "main\x00"), fault.Invalid)
		wantKind(t, "an option of git", start(ann, "rivers", "", "--upload-pack=x"), fault.Invalid)
		first := w.start("")
		w.clock.advance(time.Second)
		if again := w.start(""); again.ID != first.ID {
			t.Error("a second call starts a second run of the same file")
		}
		if other := w.start("other.ipynb"); other.ID == first.ID {
			t.Error("another file has the same run")
		}
		w.start("third.ipynb")
		wantKind(t, "a fourth one within a day", start(ann, "rivers", "fourth.ipynb", ""), fault.TooMany)
		check(t, start(ann, "lakes", "", ""))
		if err := start(eve, "rivers", "fourth.ipynb", ""); err != nil {
			t.Errorf("an operator: %v", err)
		}
		w.clock.advance(24*time.Hour + time.Second)
		check(t, start(ann, "rivers", "fifth.ipynb", ""))
	})
}

func TestRunsOfThoseWhoAreNotEnabled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.Import(seenBy("daves", dave))
		_, err := w.service.Start(w.As(dave), w.ID("daves"), "", "")
		wantKind(t, "an author who isn't enabled", err, fault.Forbidden)
	})
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		due := func() string {
			t.Helper()
			ids, err := w.store.Due(t.Context(), w.options.Every, 100)
			check(t, err)
			var names []string
			for _, id := range ids {
				names = append(names, w.Entry(ann, id).Name)
			}
			return strings.Join(names, " ")
		}
		if names := due(); names != "" {
			t.Errorf("due although nobody vouches for it: %s", names)
		}
		w.set(`UPDATE resource SET status = 'VERIFIED' WHERE id = $1`, w.ID("rivers"))
		w.set(`UPDATE resource SET status = 'VERIFIED' WHERE id = $1`, w.ID("own"))
		w.set(`UPDATE resource SET featured_at = 1 WHERE id = $1`, w.ID("lakes"))
		for _, hidden := range []bool{true, false} {
			want := map[bool]string{true: "rivers", false: "rivers lakes"}[hidden]
			w.set(`UPDATE resource SET hidden = $1 WHERE id = $2`, hidden, w.ID("lakes"))
			if names := due(); names != want {
				t.Errorf("due is %q, lakes hidden: %v", names, hidden)
			}
		}
		if more, err := w.service.schedule(t.Context()); !more || err != nil {
			t.Fatal(more, err)
		}
		if names := due(); names != "" {
			t.Errorf("due while the runs wait: %q", names)
		}
		w.work(w.service)
		eventually(t, "both have run", func() bool { live, err := w.store.Live(t.Context()); return len(live) == 0 && err == nil })
		w.clock.advance(29 * 24 * time.Hour)
		if names := due(); names != "" {
			t.Errorf("due too early: %q", names)
		}
		w.machine.Push("https://github.com/example/lakes.git", "", strings.Repeat("b", 40))
		if more, err := w.service.checkCommits(t.Context()); !more || err != nil {
			t.Fatal(more, err)
		}
		if names := due(); names != "lakes" {
			t.Errorf("due after a push: %q", names)
		}
		if more, _ := w.service.checkCommits(t.Context()); more {
			t.Error("the repositories are asked again at once")
		}
		w.clock.advance(2 * 24 * time.Hour)
		if names := due(); names != "rivers lakes" {
			t.Errorf("due after thirty days: %q", names)
		}
	})
}

func (w *world) set(query string, arguments ...any) {
	w.t.Helper()
	check(w.t, w.DB.Write(w.t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(w.t.Context(), query, arguments...)
		return err
	}))
}

// The schedule takes what somebody added whom an operator enabled.
func TestScheduleOfEnabledPeople(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.set(`INSERT INTO account_grant (email, enabled, role, updated_at) VALUES ($1, $2, 'USER', 0)`, ann, true)
		ids, err := w.store.Due(t.Context(), w.options.Every, 100)
		if err != nil || len(ids) != 2 {
			t.Errorf("due are %d of the public two, %v", len(ids), err)
		}
		w.set(`UPDATE resource SET added_by = $1`, bob)
		if ids, err = w.store.Due(t.Context(), w.options.Every, 100); err != nil || len(ids) != 0 {
			t.Errorf("of those that somebody else added %d are due, %v", len(ids), err)
		}
	})
}

// What a run left can't be kept: then it has no verdict, says who can help, and isn't tried again at once.
func TestFilesThatCannotBeKept(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			err  error
			want string
		}{{syscall.ENOSPC, "the disk of this server is full. The operators"}, {syscall.EIO, "The operators find the cause"}} {
			w.service = w.newService()
			w.service.write = func(name string, content []byte, mode fs.FileMode) error {
				if filepath.Base(name) == executedName {
					return &fs.PathError{Op: "write", Path: name, Err: c.err}
				}
				return os.WriteFile(name, content, mode)
			}
			end := w.work(w.service)
			run := w.run("")
			if run.State != Stopped || run.Verdict != "" || run.attempts != 1 || !strings.Contains(run.Reason, c.want) {
				t.Errorf("%v: the run is %+v", c.err, run)
			}
			if _, err := w.service.artifact(run.ID, logName); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%v: half of its files are left: %v", c.err, err)
			}
			if w.Entry(ann, run.ResourceID).LastRun != nil {
				t.Errorf("%v: the entry shows a verdict", c.err)
			}
			end()
		}
	})
}

// A run that is stopped just before it begins isn't a fault of anybody's.
func TestStoppedBeforeItBegins(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		run := w.start("")
		w.batch.fail = func(string) { // between its place and its beginning
			check(t, w.service.Stop(w.As(ann), run.ResourceID, run.ID))
		}
		one, runner, err := w.batch.Engine()
		check(t, err)
		if err := w.service.executeRun(t.Context(), one, runner, run); err != nil {
			t.Errorf("it is reported as a fault: %v", err)
		}
		if run = w.row(run.ID); run.State != Stopped || run.Reason == "" || w.batch.holds(run.ID) {
			t.Errorf("the run is %+v", run)
		}
	})
}
