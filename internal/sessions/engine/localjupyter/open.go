package localjupyter

import (
	"errors"
	"path/filepath"
	"sync"
	"time"

	"cairn/internal/sessions/files/workers"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/checkout"
	"cairn/internal/sessions/files/datasets"
	"cairn/internal/sessions/files/disk"
	"cairn/internal/sessions/files/environments"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/files/history"
	"cairn/internal/sessions/machine/sandbox"
)

// New opens the folder, finds out how well sessions can be isolated here, and finds every session again: it adopts
// running ones and restarts interrupted launches. It returns an error if a folder can't be used; Check reports missing
// programs.
func New(options Options) (*Engine, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	opened := &Engine{options: options, changed: make(chan struct{}, 1), sessions: map[string]*session{}, workers: workers.New()}
	opened.remover = &folders.Remover{Workers: opened.workers, Logger: options.Logger, Pause: time.Minute}
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
	opened.chooseFolder()
	if opened.sandbox.Level().OwnAccount() {
		if opened.sharedAccount, err = pickAccount(opened.sandbox); err != nil {
			return nil, err
		}
	}
	if err := opened.makeFolders(); err != nil {
		return nil, err
	}
	opened.crashed = leaveMark(opened.options.Dir, options.Logger)
	opened.disks = disk.NewGuard(disk.Options{
		Folders: []string{opened.options.Dir, options.Data}, Reserve: options.Reserve, Statfs: options.Statfs, Sessions: func() []disk.Session { return mapped(opened.all(), func(s *session) disk.Session { return s }) }, Logger: options.Logger,
	})
	opened.versions = history.NewManager(history.Options{
		Versions: options.Versions, Entries: options.Limits.Files, Interval: options.WatchEvery, Disk: opened.disks,
		Find: func(id string) *history.Work {
			if known := opened.find(id); known != nil {
				return known.work
			}
			return nil
		},
		All:     func() []*history.Work { return mapped(opened.all(), func(s *session) *history.Work { return s.work }) },
		Changed: opened.signal, Closing: opened.workers.Closing(), Logger: options.Logger, Now: options.Now,
	})
	opened.Access = opened.versions.Access()
	opened.disks.Check(opened.workers.Closing())
	if err := opened.recover(); err != nil {
		opened.workers.Cancel()
		return nil, err
	}
	opened.workers.Go(opened.cleanUp)
	opened.workers.Go(func() { opened.disks.Run(opened.workers.Closing()) })
	opened.workers.Go(opened.versions.Run)
	return opened, nil
}

// makeFolders creates the folders, and git's only configuration, because sources on this machine belong to other
// accounts.
func (e *Engine) makeFolders() error {
	folder, gitConfig := filepath.Join(e.options.Dir, "cache"), filepath.Join(e.options.Dir, "gitconfig")
	if err := folders.Make(folder, e.permissions(folder)); err != nil {
		return err
	}
	if err := e.openCaches(folder, gitConfig); err != nil {
		return err
	}
	return sandbox.WriteShared(gitConfig, "[safe]\n\tdirectory = *\n")
}

// openCaches opens what sessions share, in one folder.
func (e *Engine) openCaches(folder, gitConfig string) (err error) {
	o := e.options
	lacks := func() bool { return e.disks.Shortage() != "" }
	e.repositories, err = checkout.Open(checkout.Options{
		Folder: filepath.Join(folder, "repositories"), CacheBytes: o.CacheBytes, Scratch: o.Dir, Git: o.Git, GitConfig: gitConfig,
		Account: e.sharedAccount, DiskLimit: o.Limits.Disk, Deadline: o.LaunchDeadline, Web: o.Web, Sandbox: e.sandbox, RunAlone: e.runWithoutSession, Logger: o.Logger,
	})
	if err != nil {
		return err
	}
	e.environments, err = environments.Open(environments.Options{
		Folder: filepath.Join(folder, "environments"), Downloads: filepath.Join(folder, "downloads"), CacheBytes: o.CacheBytes, Python: o.Python,
		Pip: o.Pip, Builder: o.Builder, R: o.R, Descriptors: o.Descriptors, Network: o.Network, DiskLimit: o.Limits.Disk, Web: o.Web,
		Sandbox: e.sandbox, RunAlone: e.runWithoutSession, Lacks: lacks, PickAccount: func() (int, error) { return pickAccount(e.sandbox) }, Logger: o.Logger, Now: o.Now,
	})
	if err != nil {
		return err
	}
	e.datasets, err = datasets.Open(datasets.Options{
		Folder: filepath.Join(folder, "datasets"), CacheBytes: o.CacheBytes, Web: o.Web, Stall: o.LaunchDeadline, Level: e.sandbox.Level(), Now: o.Now, Lacks: lacks,
	})
	return err
}

// load loads the sessions in one folder, and returns the ids of all sessions in it.
func (e *Engine) load(dir string) ([]string, error) {
	ids, removed, err := sessionFolders(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range removed {
		e.workers.Go(func() { e.remover.Delete(filepath.Join(dir, name)) })
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
	for _, dir := range e.sessionDirs() {
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
				if known.unreachable {
					known.endUnreachable()
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
