package localjupyter

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterprogram"
	"cairn/internal/sessions/engine/localjupyter/checkout"
	"cairn/internal/sessions/engine/localjupyter/datasets"
	"cairn/internal/sessions/engine/localjupyter/disk"
	"cairn/internal/sessions/engine/localjupyter/environments"
	"cairn/internal/sessions/engine/localjupyter/folders"
	"cairn/internal/sessions/engine/localjupyter/history"
	"cairn/internal/sessions/engine/localjupyter/workarchive"
)

// sessionVariable marks all processes of a session in their environment. Sessions that earlier versions started have it.
const sessionVariable = "CAIRN_SESSION_ID"

// Engine implements engine.Engine with Jupyter processes on this machine.
type Engine struct {
	*history.Access

	options       Options
	sandbox       *sandbox.Sandbox
	environments  *environments.Installer
	repositories  *checkout.Repositories
	datasets      *datasets.Store
	disks         *disk.Guard
	versions      *history.Manager
	sharedAccount int    // that owns what sessions share; 0 if they have no separate ones
	elsewhere     string // where sessions of another level of isolation may be; or empty
	blocked       error  // why no session can start here although the programs exist

	crashed bool // the engine before this one was killed

	sockets *sockets
	workers *workers
	remover *remover
	changed chan struct{}

	dead atomic.Bool // set by tests: from then on nothing is changed, as after kill -9

	// mu guards the field below.
	mu       sync.Mutex
	sessions map[string]*session
}

var (
	_ engine.EnvironmentPlanner = (*Engine)(nil)
	_ engine.Runner             = (*Engine)(nil)
)

// New opens the folder, finds out how well sessions can be isolated here, and finds every session again: it adopts
// running ones and restarts interrupted launches. It returns an error if a folder can't be used; Check reports missing
// programs.
func New(options Options) (*Engine, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	opened := &Engine{options: options, changed: make(chan struct{}, 1), sessions: map[string]*session{}, workers: newWorkers()}
	opened.remover = &remover{workers: opened.workers, logger: options.Logger, pause: time.Minute}
	if err := errors.Join(folders.Make(options.Dir, folders.Private), folders.Make(options.RuntimeDir, runtimePermissions())); err != nil {
		return nil, err
	}
	opened.sandbox, err = sandbox.Open(sandbox.Options{
		Programs: options.Programs, Dir: options.Dir, Name: filepath.Base(options.RuntimeDir), Hostname: "session", Variable: sessionVariable,
		Network: options.Network, Logger: options.Logger,
	})
	if err != nil {
		return nil, err
	}
	opened.sockets = &sockets{dir: options.RuntimeDir, level: opened.sandbox.Level(), logger: options.Logger}
	opened.choosePlace()
	if opened.sandbox.Level().OwnAccount() {
		if opened.sharedAccount, err = opened.pickAccount(); err != nil {
			return nil, err
		}
	}
	if err := opened.makeFolders(); err != nil {
		return nil, err
	}
	opened.crashed = leaveMark(options.Dir, options.Logger)
	opened.disks = disk.NewGuard(disk.Options{
		Folders: []string{opened.options.Dir, options.Data}, Reserve: options.Reserve, Statfs: options.Statfs, Sessions: opened.weighable, Logger: options.Logger,
	})
	opened.versions = history.NewManager(history.Options{
		Versions: options.Versions, Entries: options.Limits.Files, Interval: options.WatchEvery, Disk: opened.disks, Find: opened.findWork,
		All: opened.allWork, Changed: opened.signal, Closing: opened.workers.closing, Logger: options.Logger, Now: options.Now,
	})
	opened.Access = opened.versions.Access()
	opened.disks.Check(opened.workers.closing)
	if err := opened.recover(); err != nil {
		opened.workers.cancel()
		return nil, err
	}
	opened.workers.Go(opened.cleanUp)
	opened.workers.Go(func() { opened.disks.Run(opened.workers.closing) })
	opened.workers.Go(opened.versions.Run)
	return opened, nil
}

// makeFolders creates the folders, and git's only configuration, because sources on this machine belong to other
// accounts.
func (e *Engine) makeFolders() error {
	folder := filepath.Join(e.options.Dir, "cache")
	if err := folders.Make(folder, e.permissions(folder)); err != nil {
		return err
	}
	if err := e.openCaches(folder); err != nil {
		return err
	}
	return sandbox.WriteShared(e.gitConfig(), "[safe]\n\tdirectory = *\n")
}

// openCaches opens what sessions share, in one folder.
func (e *Engine) openCaches(folder string) (err error) {
	o := e.options
	e.repositories, err = checkout.Open(checkout.Options{
		Folder: filepath.Join(folder, "repositories"), CacheBytes: o.CacheBytes, Scratch: o.Dir, Git: o.Git, GitConfig: e.gitConfig(),
		Account: e.sharedAccount, DiskLimit: o.Limits.Disk, Deadline: o.LaunchDeadline, Web: o.Web, Sandbox: e.sandbox, Aside: e.aside, Logger: o.Logger,
	})
	if err != nil {
		return err
	}
	e.environments, err = environments.Open(environments.Options{
		Folder: filepath.Join(folder, "environments"), Downloads: filepath.Join(folder, "downloads"), CacheBytes: o.CacheBytes, Python: o.Python,
		Pip: o.Pip, Builder: o.Builder, Descriptors: o.Descriptors, Network: o.Network, DiskLimit: o.Limits.Disk, Web: o.Web,
		Sandbox: e.sandbox, Aside: e.aside, PickAccount: e.pickAccount, Logger: o.Logger, Now: o.Now,
	})
	if err != nil {
		return err
	}
	e.datasets, err = datasets.Open(datasets.Options{
		Folder: filepath.Join(folder, "datasets"), CacheBytes: o.CacheBytes, Web: o.Web, Stall: o.LaunchDeadline, Level: e.sandbox.Level(), Now: o.Now,
	})
	return err
}

func (e *Engine) gitConfig() string { return filepath.Join(e.options.Dir, "gitconfig") }

// load loads the sessions in one folder, and returns the ids of all sessions in it.
func (e *Engine) load(dir string) ([]string, error) {
	ids, removed, err := sessionFolders(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range removed {
		e.workers.Go(func() { e.remover.delete(filepath.Join(dir, name)) })
	}
	for _, id := range ids {
		if e.sessions[id] != nil {
			continue
		}
		known := e.newSession(id)
		if known.record, err = loadRecord(filepath.Join(dir, id)); err != nil {
			e.options.Logger.Error("a session's record cannot be read; its folder is left alone", "session", id, "error", err)
			continue
		}
		known.pins.SetPinned(known.record.Pinned)
		known.locateFolder(dir)
		known.work.Load(known.record.Record, e.crashed)
		e.sessions[id] = known
		e.sandbox.KeepAccount(known.record.UserID)
	}
	return ids, nil
}

// recover loads all sessions. It asks running ones concurrently, because one that hangs takes a while.
func (e *Engine) recover() error {
	var ids []string
	for _, dir := range e.places() {
		found, err := e.load(dir)
		if err != nil {
			return err
		}
		ids = append(ids, found...)
	}
	var asked sync.WaitGroup
	slots := make(chan struct{}, 16)
	for _, known := range e.sessions {
		switch known.record.Phase {
		case engine.Starting:
			known.relaunch()
		case engine.Running:
			asked.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				if known.cutOff {
					known.endCutOff()
					return
				}
				known.adopt()
			})
		}
	}
	asked.Wait()
	kept := map[string]bool{}
	for _, id := range ids {
		known := e.find(id)
		kept[engine.ShortID(id)] = known == nil || known.live() // the owner of an unreadable record is unknown
	}
	e.sockets.sweep(kept)
	return nil
}

// cleanUp limits the logs of running sessions, and the caches.
func (e *Engine) cleanUp() {
	ticks := time.NewTicker(10 * time.Second)
	defer ticks.Stop()
	for {
		select {
		case <-e.workers.closing.Done():
			return
		case <-ticks.C:
			e.evict()
			e.sandbox.RemoveGroups(nil)
			for _, known := range e.all() {
				if err := trimLog(filepath.Join(known.folder, logName)); err != nil && !os.IsNotExist(err) {
					e.options.Logger.Warn("a session's log cannot be cut", "session", known.id, "error", err)
				}
			}
		}
	}
}

// evict makes room in the caches.
func (e *Engine) evict() {
	if err := errors.Join(e.repositories.Evict(e.isPinned), e.environments.Evict(e.isPinned), e.datasets.Evict(e.isPinned)); err != nil {
		e.options.Logger.Warn("a cache cannot be made smaller", "error", err)
	}
}

// isPinned reports whether a live session uses an entry of a cache.
func (e *Engine) isPinned(key string) bool {
	return slices.ContainsFunc(e.all(), func(known *session) bool { return known.live() && known.pins.IsPinned(key) })
}

// AnswerFirst is Sandbox.AnswerFirst.
func (e *Engine) AnswerFirst() error { return e.sandbox.AnswerFirst() }

// Network returns what sessions can reach: internet, none or all.
func (e *Engine) Network() string { return string(e.sandbox.Reach().Network) }

// Check returns Unavailable if a program is missing or sessions can't run on this folder.
func (e *Engine) Check(context.Context) error {
	if _, err := jupyterprogram.Find(e.options.Jupyter); err != nil {
		return err
	}
	if about, err := os.Stat(e.options.Git); err != nil || about.IsDir() || about.Mode()&0o111 == 0 {
		return fault.Wrap(err, fault.EngineUnavailable,
			"Sessions can't start: git isn't installed on this server. The operators have to run: apt-get install git")
	}
	return e.blocked
}

// Start records the request and begins the launch.
func (e *Engine) Start(ctx context.Context, spec engine.Spec) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	for {
		if gone, err := e.findOrMake(spec.ID).start(ctx, spec); err != nil || !gone {
			return err
		}
	}
}

// Stop ends the session's processes and waits for it.
func (e *Engine) Stop(ctx context.Context, id string) error {
	known := e.find(id)
	if known == nil {
		return nil
	}
	return known.stop(engine.VersionStop).await(ctx, "The session is still being stopped.")
}

// Remove ends the session's processes and deletes its folder.
func (e *Engine) Remove(ctx context.Context, id string) error {
	known := e.find(id)
	if known == nil {
		return nil
	}
	return known.Remove(ctx)
}

// List returns every session, without its log.
func (e *Engine) List(context.Context) ([]engine.Status, error) {
	list := []engine.Status{}
	for _, known := range e.all() {
		if status, there := known.status(); there {
			list = append(list, status)
		}
	}
	return list, nil
}

// Status returns one session.
func (e *Engine) Status(_ context.Context, id string) (engine.Status, error) {
	if known := e.find(id); known != nil {
		if status, there := known.status(); there {
			status.Log = known.log()
			return status, nil
		}
	}
	return engine.Status{}, engine.ErrUnknownSession
}

// Changed signals that some session changed.
func (e *Engine) Changed() <-chan struct{} { return e.changed }

// Target leads to the Jupyter of a running session.
func (e *Engine) Target(_ context.Context, id string) (engine.Target, error) {
	client, err := e.client(id)
	if err != nil {
		return engine.Target{}, err
	}
	return client.target(), nil
}

// Idle asks the kernels of a running session.
func (e *Engine) Idle(ctx context.Context, id string) (bool, error) {
	client, err := e.client(id)
	if err != nil {
		return false, err
	}
	return client.idle(ctx)
}

// client returns the client for the Jupyter of a running session.
func (e *Engine) client(id string) (*client, error) {
	if known := e.find(id); known != nil {
		known.mu.Lock()
		defer known.mu.Unlock()
		if known.record.Phase == engine.Running && known.client != nil {
			return known.client, nil
		}
	}
	return nil, engine.ErrNotRunning
}

// Archive writes the work folder without its datasets and links.
func (e *Engine) Archive(ctx context.Context, id string, w io.Writer) error {
	known := e.find(id)
	if known == nil {
		return engine.ErrUnknownSession
	}
	if _, there := known.status(); !there {
		return engine.ErrUnknownSession
	}
	if version := known.work.PendingVersion(); version != "" {
		return e.ArchiveVersion(ctx, id, version, w)
	}
	err := workarchive.Write(ctx, known.folder, folders.Work, w)
	if os.IsNotExist(err) {
		err = zip.NewWriter(w).Close() // its first launch hasn't created the folder yet
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The archive of the session's work couldn't be written. The work itself is kept: try again in a while.")
	}
	return nil
}

// ReadFile implements engine.Runner.
func (e *Engine) ReadFile(_ context.Context, id, path string, most int64) ([]byte, error) {
	known := e.find(id)
	if known == nil {
		return nil, engine.ErrUnknownSession
	}
	content, err := workarchive.ReadFile(known.folder, folders.Work, path, most)
	switch {
	case errors.Is(err, workarchive.ErrTooLarge):
		return nil, fault.Wrap(err, fault.TooLarge, "The file %s has more than %s.", fault.Quote(path), engine.Size(most))
	case err != nil:
		return nil, fault.Wrap(err, fault.NotFound, "The session's work has no file %s that can be read.", fault.Quote(path))
	}
	return content, nil
}

// Close ends what this process does for sessions and returns when that is done. Running sessions continue; launches in
// progress are stopped and restarted by the next New; stops and removals in progress are completed.
func (e *Engine) Close() error {
	e.workers.close()
	for _, known := range e.all() {
		known.release()
	}
	e.sandbox.Close()
	if err := e.versions.Close(); err != nil {
		e.options.Logger.Warn("versions cannot be closed", "error", err)
	}
	removeMark(e.options.Dir)
	_ = os.Remove(e.options.RuntimeDir) // unless it contains sockets
	return nil
}

func (e *Engine) find(id string) *session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sessions[id]
}

// forget takes a session out of the list.
func (e *Engine) forget(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.sessions, id)
}

func (e *Engine) findOrMake(id string) *session {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := e.sessions[id]
	if known == nil {
		known = e.newSession(id)
		e.sessions[id] = known
	}
	return known
}

// pickAccount returns an account that nobody has.
func (e *Engine) pickAccount() (int, error) {
	number, err := e.sandbox.PickAccount()
	if err != nil {
		return 0, fault.Wrap(err, fault.Unavailable, "No account is free for a session. Delete sessions you no longer need.")
	}
	return number, nil
}

func (e *Engine) all() []*session {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]*session, 0, len(e.sessions))
	for _, known := range e.sessions {
		all = append(all, known)
	}
	return all
}

// findWork returns the work of a session, for its versions; nil if there is none.
func (e *Engine) findWork(id string) *history.Work {
	if known := e.find(id); known != nil {
		return known.work
	}
	return nil
}

// allWork returns the work of all sessions.
func (e *Engine) allWork() []*history.Work {
	var list []*history.Work
	for _, known := range e.all() {
		list = append(list, known.work)
	}
	return list
}

// weighable returns the sessions that the disks' guard may measure and stop.
func (e *Engine) weighable() []disk.Session {
	var list []disk.Session
	for _, known := range e.all() {
		list = append(list, known)
	}
	return list
}

func (e *Engine) signal() {
	select {
	case e.changed <- struct{}{}:
	default:
	}
}
