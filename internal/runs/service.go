package runs

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/runs/executor"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/jupyterkernel"
	"cairn/internal/sessions/sizes"
)

// Sessions starts and ends the batch sessions in which runs happen.
type Sessions interface {
	Engine() (sizes.Engine, engine.Runner, error)
	Spec(ctx context.Context, id, entry, ref, file string, network bool) (engine.Spec, error)
	Start(ctx context.Context, spec engine.Spec, share int) (started bool, err error)
	All(ctx context.Context) (all, yielding []string, err error)
	End(ctx context.Context, id string) error
	Changed() <-chan struct{}
}

// Entries reads entries as the caller sees them, and makes searches reflect what was written of them.
type Entries interface {
	Get(ctx context.Context, id string) (catalog.Resource, error)
	Changed(ctx context.Context, changes catalog.Changes)
}

// Versions says which versions entries have: a catalog.Versions.
type Versions interface {
	List(ctx context.Context, id string) ([]catalog.EntryVersion, error)
}

// Options configure the service.
type Options struct {
	Versions Versions

	Every   time.Duration // how long after its last run an entry is run again; zero: only when somebody asks for it
	Share   int           // how many runs may be carried out at once
	Timeout time.Duration // of one execution of a notebook
	Network bool          // whether runs reach what sessions reach
	PerDay  int           // how many runs an account may start of an entry in 24 hours
	Keep    time.Duration // how long the files are kept that a run left, once another one on the same file followed; zero: forever
	Folder  string        // of these files

	PublicURL   string        // where the catalog is, without a slash at the end
	Product     func() string // what it is called
	Publisher   func() string // the name of who publishes the entries, for citations
	Descriptors []string      // the names of the files in which a repository describes itself, the first one counts
	Logger      *slog.Logger
	LookedAfter func() // is called each time the runs were looked after; optional
}

// Service starts runs, and carries them out.
type Service struct {
	Options

	store    *Store
	sessions Sessions
	entries  Entries
	wake     chan struct{} // wakes Run
	execute  func(ctx context.Context, server jupyterkernel.Server, source []byte, options executor.Options) (executor.Executed, error)

	write   func(name string, content []byte, mode fs.FileMode) error
	reading chan struct{} // is full while a crate is read for its description

	swept    time.Time // when files of runs that are gone were looked for last; Schedule's alone
	mu       sync.Mutex
	underWay map[string]context.CancelCauseFunc // by run: ends its work here
}

// NewService returns a service.
func NewService(store *Store, sessions Sessions, entries Entries, options Options) *Service {
	return &Service{
		Options: options, store: store, sessions: sessions, entries: entries, wake: make(chan struct{}, 1), execute: executor.Execute,
		write: os.WriteFile, reading: make(chan struct{}, 1), underWay: map[string]context.CancelCauseFunc{},
	}
}

// Start queues a run of a file of an entry: by one of its authors, or an operator. File and ref may be empty. While one of
// the file is under way, it returns that.
func (s *Service) Start(ctx context.Context, entryID, file, ref string) (Run, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Run{}, err
	}
	answer, err := s.entries.Get(ctx, entryID)
	if err != nil {
		return Run{}, err
	}
	entry := answer.Entry()
	run := Run{ResourceID: entry.ID, File: file, ref: ref, accountID: caller.AccountID}
	switch {
	case entry.DeletableBy(caller.Email):
		run.StartedBy = ByAuthor
	case entry.CuratedBy(caller):
		run.StartedBy = ByOperator
	default:
		return Run{}, fault.New(fault.NotAuthor, "Only the authors of this entry and operators can run it for the catalog.")
	}
	switch {
	case !caller.Enabled:
		return Run{}, fault.New(fault.NotEnabled, "Your account (%s) is not enabled for sessions yet, and runs need it too.", caller.Email)
	case !entry.Public():
		return Run{}, fault.New(fault.NotRunnable, "Only public entries are run for the catalog.")
	case answer.RunNote != "":
		return Run{}, fault.New(fault.NotRunnable, "%s", answer.RunNote)
	}
	if err := engine.CheckRef(ref); ref != "" && err != nil {
		return Run{}, err
	}
	if file != "" && (!filepath.IsLocal(file) || !catalog.ValidText(file, false)) {
		return Run{}, fault.New(fault.Invalid, "The file must be a path in the repository, such as notebooks/first.ipynb.")
	}
	one, _, err := s.sessions.Engine()
	if err != nil {
		return Run{}, err
	}
	run.Engine = one.Name
	run, isNew, err := s.store.Add(ctx, run, entry.Name, s.PerDay, 24*time.Hour)
	if isNew {
		s.signal()
	}
	return run, err
}

// List returns a page of the runs of an entry that the caller sees, newest first, and how many there are; in a context that names a version of the
// entry, of those alone that were asked for while it was the latest.
func (s *Service) List(ctx context.Context, entryID string, offset, limit int) ([]Run, int, error) {
	entry, err := s.entries.Get(ctx, entryID)
	if err != nil {
		return nil, 0, err
	}
	during, err := s.spanOf(ctx, entry.ID)
	if err != nil {
		return nil, 0, err
	}
	found, total, err := s.store.Of(ctx, entry.ID, during, offset, limit)
	if err != nil {
		return nil, 0, err
	}
	return found, total, s.store.noteChanges(ctx, found)
}

// span is the time in which a version of an entry was its latest; zero ends are open.
type span struct{ from, until time.Time }

// spanOf returns that of the version that a context names: a run is of what is the latest version when it is asked for.
func (s *Service) spanOf(ctx context.Context, id string) (during span, err error) {
	number := catalog.VersionOf(ctx)
	if number == 0 {
		return span{}, nil
	}
	all, err := s.Versions.List(ctx, id)
	for _, one := range all {
		switch {
		case one.Number == number && number > 1:
			during.from = one.At
		case one.Number == number+1:
			during.until = one.At
		}
	}
	return during, err
}

// Get returns a run of an entry that the caller sees.
func (s *Service) Get(ctx context.Context, entryID, id string) (Run, error) {
	entry, err := s.entries.Get(ctx, entryID)
	if err != nil {
		return Run{}, err
	}
	run, err := s.store.ByID(ctx, entry.ID, id)
	if err != nil {
		return Run{}, err
	}
	found := []Run{run}
	err = s.store.noteChanges(ctx, found)
	return found[0], err
}

// Stop ends a run: for whoever started it, the authors of its entry, and operators. One that has ended stays as it is.
func (s *Service) Stop(ctx context.Context, entryID, id string) error {
	caller, err := identity.Require(ctx)
	if err != nil {
		return err
	}
	answer, err := s.entries.Get(ctx, entryID)
	if err != nil {
		return err
	}
	entry := answer.Entry()
	run, err := s.store.ByID(ctx, entry.ID, id)
	if err != nil {
		return err
	}
	if run.accountID != caller.AccountID && !entry.DeletableBy(caller.Email) && !entry.CuratedBy(caller) {
		return fault.New(fault.NotAuthor, "Only who started this run, the authors of its entry and operators can stop it.")
	}
	name := entry.Name
	if !entry.Public() {
		name = "" // isn't recorded
	}
	stopped, err := s.store.Stop(ctx, run, name)
	if stopped {
		s.end(id, errStopped)
	}
	return err
}

// recordEnd records how a run ended, unless it had ended before.
func (s *Service) recordEnd(ctx context.Context, run Run, files []string) error {
	changes, err := s.store.End(ctx, run, files)
	if err != nil {
		return err
	}
	s.entries.Changed(ctx, changes)
	return nil
}

func (s *Service) signal() {
	select {
	case s.wake <- struct{}{}:
	default: // it is awake already
	}
}

// end ends the work on a run in this process.
func (s *Service) end(id string, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.underWay[id]; cancel != nil {
		cancel(why)
	}
}
