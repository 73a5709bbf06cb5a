package runs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"time"

	"cairn/internal/content/comparator"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/runs/executor"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/jupyterkernel"
	"cairn/internal/sessions/sizes"
)

const (
	notebookLimit = 64 << 20        // bytes of a notebook that is executed
	noteInterval  = time.Second     // between two notes of the progress
	lostTime      = 2 * time.Minute // after which an engine knows why a server is lost
	startTimeout  = 5 * time.Minute // for a kernel, which everything else on the machine goes before
)

// worker carries out one run.
type worker struct {
	*Service

	one       sizes.Engine
	runner    engine.Runner
	run       Run
	folder    string // of the repository in the work folder; empty for a notebook
	begun     bool
	files     []string    // that the entry has checked, once that is known
	noted     time.Time   // when progress was last noted at once
	noting    *time.Timer // the note that waits
	artifacts artifacts
}

// perform executes the file, a second time if its outputs aren't the stored ones, and returns what came out.
func (w *worker) perform(ctx context.Context) (outcome, error) {
	spec, err := w.sessions.Spec(ctx, w.run.ID, w.run.ResourceID, w.run.ref, w.run.File, w.Network)
	if kind := fault.KindOf(err); err != nil && kind != fault.Internal && kind != fault.Unavailable {
		reason := "It can't be started: " + fault.MessageOf(err)
		w.begun, err = w.store.Begin(ctx, w.run.ID)
		return outcome{reason: reason}, err
	}
	if err != nil {
		return outcome{}, err
	}
	w.folder = spec.Repository.Folder
	status, err := w.launch(ctx, spec)
	if err != nil {
		return outcome{}, err
	}
	w.artifacts.log = status.Log
	w.run.Commit = status.Commit
	if status.Code == diagnosis.Evicted {
		return outcome{}, evicted(status)
	}
	if status.Phase != engine.Running {
		return notLaunched(status), nil
	}
	if err := w.choose(ctx, status); err != nil {
		return outcome{}, err
	}
	if path.Ext(w.run.File) != ".ipynb" {
		return outcome{verdict: NothingToCompare, reason: "It has no notebook to run."}, nil
	}
	return w.executeAndCompare(ctx, spec, status)
}

// notLaunched is the outcome of a launch that failed. What only this server or others are to blame for says nothing about
// the entry.
func notLaunched(status engine.Status) outcome {
	switch status.Code {
	case diagnosis.CloneUnreachable, diagnosis.IndexUnreachable, diagnosis.DiskFull, diagnosis.ServerFault:
		return outcome{reason: status.Reason}
	}
	return outcome{verdict: Fails, reason: status.Reason, code: status.Code}
}

// choose decides which file is run: the one that was asked for, the first one below check in the repository's description,
// or the one that a session opens. It queues runs of the others below check.
func (w *worker) choose(ctx context.Context, status engine.Status) error {
	if w.run.File != "" {
		return nil
	}
	files := w.checked(ctx)
	if len(files) == 0 {
		files = []string{strings.TrimPrefix(status.Opens, w.folder+"/")}
	}
	w.run.File, w.files = files[0], files
	for _, file := range files[1:] {
		next := Run{ResourceID: w.run.ResourceID, File: file, ref: w.run.ref, StartedBy: w.run.StartedBy, Engine: w.run.Engine}
		if _, _, err := w.store.Add(ctx, next, "", 0, 0); err != nil {
			return err
		}
	}
	return nil
}

// evicted is the error of a session that the cluster took away, or had no room for, which says nothing about the entry.
func evicted(status engine.Status) error {
	return fault.Wrap(errEvicted, fault.Unavailable, "%s", status.Reason)
}

// checkEvicted waits until the engine knows why the session's server was lost, and returns an error if it was evicted.
func (w *worker) checkEvicted(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lostTime)
	defer cancel()
	status, err := w.await(ctx, engine.Running)
	if err == nil && status.Code == diagnosis.Evicted {
		return evicted(status)
	}
	return nil // the server is lost for another reason
}

// launch starts the session of the run and returns when it runs, or has failed.
func (w *worker) launch(ctx context.Context, spec engine.Spec) (engine.Status, error) {
	started, err := w.sessions.Start(ctx, spec, w.Share)
	switch {
	case err != nil:
		return engine.Status{}, err
	case !started:
		return engine.Status{}, errNoPlace
	case !w.begun:
		if w.begun, err = w.store.Begin(ctx, w.run.ID); !w.begun || err != nil {
			return engine.Status{}, cmp.Or(err, errStopped) // somebody stopped it
		}
	}
	status, err := w.await(ctx, engine.Starting)
	if status.Phase == engine.Full {
		err = errYield
	}
	return status, err
}

// await returns the session as it is once it has left a phase.
func (w *worker) await(ctx context.Context, phase engine.Phase) (engine.Status, error) {
	for {
		changed := w.sessions.Changed()
		status, err := w.one.Status(ctx, w.run.ID)
		if err != nil || status.Phase != phase {
			return status, err
		}
		timer := time.NewTimer(time.Second)
		select {
		case <-ctx.Done():
			timer.Stop()
			return engine.Status{}, context.Cause(ctx)
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// executeAndCompare executes the file and compares its outputs. If they differ, it executes the file in a second session of the same
// commit: what differs there again varies on its own.
func (w *worker) executeAndCompare(ctx context.Context, spec engine.Spec, status engine.Status) (outcome, error) {
	first, err := w.executeFile(ctx)
	if kind := fault.KindOf(err); err != nil && (kind == fault.Invalid || kind == fault.TooLarge) { // it isn't a notebook that anybody could run
		return outcome{verdict: Fails, reason: fault.MessageOf(err)}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	w.run.Seconds = first.Took.Seconds()
	w.artifacts.executed = first.Notebook
	w.artifacts.log += endOf(first)
	result := judge(first, w.compare(first, nil), status.LeftOut, w.Network)
	if result.verdict != Differs {
		return result, nil
	}
	if spec.Repository.URL != "" {
		spec.Repository.Ref = w.run.Commit
	}
	if err := w.sessions.End(ctx, w.run.ID); err != nil {
		return outcome{}, err
	}
	second, err := w.launch(ctx, spec)
	if err != nil || second.Phase != engine.Running {
		return outcome{}, cmp.Or(err, errYield) // it started a moment ago, so another time is as good
	}
	again, err := w.executeFile(ctx)
	if err != nil {
		return outcome{}, err
	}
	return judge(first, w.compare(first, again.Notebook), status.LeftOut, w.Network), nil
}

// executeFile executes the file of the run as its author left it, in the session that runs now.
func (w *worker) executeFile(ctx context.Context) (executor.Executed, error) {
	file := path.Join(w.folder, w.run.File)
	source, err := w.runner.ReadFile(ctx, w.run.ID, file, notebookLimit)
	if fault.KindOf(err) == fault.NotFound {
		return executor.Executed{}, fault.New(fault.NotFound, "The repository has no file %s at this commit.", fault.Quote(w.run.File))
	}
	if err != nil {
		return executor.Executed{}, err
	}
	sum := sha256.Sum256(source)
	w.artifacts.author, w.run.Digest = source, hex.EncodeToString(sum[:])
	if installed, err := w.runner.Environment(ctx, w.run.ID, engine.Python.Language); err == nil {
		w.run.Environment = RunEnvironment{Digest: installed.Digest, Python: installed.Version, Packages: installed.Packages}
	}
	target, err := w.one.Target(ctx, w.run.ID)
	if err != nil {
		return executor.Executed{}, err
	}
	server := jupyterkernel.NewServer(target.URL.JoinPath(cmp.Or(target.Base, "/s/"+w.run.ID+"/")), target.Authorization, target.Transport)
	executed, err := w.execute(ctx, server, source, executor.Options{
		Folder: folderOf(file), Timeout: w.Timeout, StartTimeout: startTimeout, Progress: func(cell, of int) { w.note(ctx, cell, of) },
	})
	w.endNotes()
	if err == nil && executed.Ending == executor.ServerLost {
		err = w.checkEvicted(ctx)
	}
	if err != nil {
		return executed, err
	}
	if language := executed.Kernel.Language; language != "" && !engine.SameLanguage(language, engine.Python.Language) {
		w.run.Environment = RunEnvironment{Digest: w.run.Environment.Digest, Language: language, Version: executed.Kernel.Version}
		if installed, err := w.runner.Environment(ctx, w.run.ID, language); err == nil && installed.Digest != "" {
			w.run.Environment.Digest, w.run.Environment.Version, w.run.Environment.Packages = installed.Digest, installed.Version, installed.Packages
		}
	}
	if ctx.Err() != nil {
		return executed, context.Cause(ctx)
	}
	if used, err := w.runner.Usage(ctx, w.run.ID); err == nil {
		w.run.PeakMemoryBytes = max(w.run.PeakMemoryBytes, used.PeakMemoryBytes)
	}
	return executed, nil
}

func folderOf(file string) string {
	if folder := path.Dir(file); folder != "." {
		return folder
	}
	return ""
}

// note records the progress of the first execution: at once, or when the last note is old enough, so that a long cell shows
// even if it came right after a short one.
func (w *worker) note(ctx context.Context, cell, of int) {
	if w.artifacts.executed != nil {
		return
	}
	w.run.Cells = RunCells{Total: of, Ran: cell - 1}
	run := w.run
	write := func() {
		if _, err := w.store.Note(ctx, run); err != nil && ctx.Err() == nil {
			w.Logger.WarnContext(ctx, "the progress of a run can't be noted", "run", run.ID, "error", err)
		}
	}
	w.endNotes()
	now := w.store.db.Now()
	if wait := noteInterval - now.Sub(w.noted); wait > 0 {
		w.noting = time.AfterFunc(wait, write)
		return
	}
	w.noted = now
	write()
}

// endNotes drops a note that waits.
func (w *worker) endNotes() {
	if w.noting != nil {
		w.noting.Stop()
	}
}

// compare compares executed notebooks with the author's; what can't be read has nothing to compare. A cell ran if
// both the executor and the comparator say so: the one doesn't see that a kernel of another language did nothing, the other
// doesn't see that the kernel died in a cell that had printed something.
func (w *worker) compare(first executor.Executed, again []byte) comparator.Result {
	w.artifacts.report = report{Executed: executedCells(first)}
	w.run.Cells = RunCells{Total: len(first.Cells), Ran: ranOf(first), Stopped: first.EndedAt + 1}
	author, err := comparator.Read(w.artifacts.author)
	if err != nil {
		return comparator.Result{}
	}
	run, err := comparator.Read(first.Notebook)
	if err != nil {
		return comparator.Result{}
	}
	second, _ := comparator.Read(again) // nil without one
	result := comparator.Compare(author, run, second)
	w.artifacts.report.Result = result
	counts, cells := result.Counts, &w.run.Cells
	cells.Total, cells.Ran, cells.Skipped, cells.Missed = counts.Total, min(cells.Ran, counts.Ran), counts.Skipped, counts.Missed
	cells.Same, cells.Close, cells.Differs, cells.Format, cells.Varies = counts.Same, counts.Close, counts.Differs, counts.Format, counts.Varies
	return result
}

// checked returns the notebooks below check in the file in which the repository describes itself; nil for none.
func (w *worker) checked(ctx context.Context) []string {
	if w.folder == "" {
		return nil
	}
	for _, name := range w.Descriptors {
		if content, err := w.runner.ReadFile(ctx, w.run.ID, path.Join(w.folder, name), codehost.DescriptorLimit); err == nil {
			return checkedIn(content)
		}
	}
	return nil
}

func checkedIn(descriptor []byte) (files []string) {
	parsed, _ := codehost.ParseDescriptor(descriptor)
	for _, text := range parsed.Check.Texts {
		file := path.Clean(text.Value)
		if codehost.CheckedPath(text.Value) == "" && !slices.Contains(files, file) && len(files) < codehost.CheckLimit {
			files = append(files, file)
		}
	}
	return files
}
