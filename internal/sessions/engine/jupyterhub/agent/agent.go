package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/files/disk"
	"cairn/internal/sessions/files/environments"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/files/history"
	"cairn/internal/sessions/files/workers"
	"cairn/internal/sessions/machine/sandbox"
)

// Options say where the hub's sessions are. Root and Token are required; zero times mean the defaults.
type Options struct {
	Root     string           // the folder of all sessions, absolute
	Token    string           // of Cairn's service on the hub
	Release  string           // of this program
	Versions history.Versions // of sessions' work; Dir may be empty

	DataRoot     string           // the folder with the server's datasets on this machine; "": there are none
	DatasetBytes int64            // that a dataset from the web may take; 0: none are fetched
	CacheBytes   int64            // that each of the caches may take: repositories, datasets, environments; default 50 GiB
	Web          *safehttp.Client // for datasets, and everything that git and pip reach
	Pip          environments.Pip
	R            environments.R
	NoRuns       bool                // it runs no batch sessions
	RunLimits    localjupyter.Limits // of each of them
	Stall        time.Duration       // nothing may come for longer of what is fetched; default 3 minutes
	CloneTime    time.Duration       // a launch waits no longer for the clone of its private repository; default 30 minutes

	Reserve  disk.Reserve  // of the disk of Root, below which nothing is saved on its own
	Interval time.Duration // between two looks at the running sessions; default 10 seconds
	Entries  int           // files, folders and everything else that a version may have; default 200,000
	Logger   *slog.Logger
	Now      func() time.Time
	Statfs   func(path string, about *unix.Statfs_t) error
}

func (o Options) complete() (Options, error) {
	if !filepath.IsAbs(o.Root) {
		return o, fmt.Errorf("the folder of the sessions must be an absolute path, not %q", o.Root)
	}
	if o.Token == "" {
		return o, errors.New("the agent needs the token of Cairn's service on the hub")
	}
	o.Root = filepath.Clean(o.Root)
	if o.Versions.Dir == "" {
		o.Versions.Dir = filepath.Join(o.Root, ".versions")
	}
	if o.Versions.Every == 0 {
		o.Versions.Every = time.Minute
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 50 << 30
	}
	if o.Stall == 0 {
		o.Stall = 3 * time.Minute
	}
	if o.CloneTime == 0 {
		o.CloneTime = 30 * time.Minute
	}
	if o.Interval == 0 {
		o.Interval = 10 * time.Second
	}
	if o.Entries == 0 {
		o.Entries = 200_000
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Statfs == nil {
		o.Statfs = unix.Statfs
	}
	return o, nil
}

// Agent is the agent of one hub.
type Agent struct {
	*history.Access

	// The fields below don't change once the agent is open.
	options  Options
	sandbox  *sandbox.Sandbox
	disks    *disk.Guard
	versions *history.Manager
	caches   caches
	runs     *runs // nil where there are none
	pods     *podEnvironments
	workers  *workers.Workers
	remover  *folders.Remover
	changes  *changes

	dead atomic.Bool // set by tests: from then on nothing is changed, as after kill -9

	// mu guards the field below.
	mu       sync.Mutex
	sessions map[string]*session
}

// New opens the folder and finds the sessions in it.
func New(options Options) (*Agent, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	opened := &Agent{options: options, workers: workers.New(), sessions: map[string]*session{}, changes: newChanges()}
	opened.pods = newPodEnvironments(opened)
	opened.remover = &folders.Remover{Workers: opened.workers, Logger: options.Logger, Pause: time.Minute}
	if err := folders.Make(options.Root, folders.Passable); err != nil {
		return nil, err
	}
	opened.sandbox, err = sandbox.Open(sandbox.Options{Dir: options.Root, Name: "cairn-agent-" + engine.ShortID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(options.Root)).String()), Hostname: "session", Network: sandbox.None, Logger: options.Logger})
	if err != nil {
		return nil, err
	}
	opened.disks = disk.NewGuard(disk.Options{
		Folders: []string{options.Root}, Reserve: options.Reserve, Statfs: options.Statfs, Sessions: func() []disk.Session { return nil }, Logger: options.Logger,
	})
	opened.versions = history.NewManager(history.Options{
		Versions: options.Versions, Entries: options.Entries, Interval: options.Interval, Disk: opened.disks,
		Find: func(id string) *history.Work {
			if known := opened.find(id); known != nil {
				return known.work
			}
			return nil
		},
		All: func() []*history.Work {
			var all []*history.Work
			for _, one := range opened.all() {
				all = append(all, one.work)
			}
			return all
		},
		Changed: opened.noteAll, Closing: opened.workers.Closing(), Logger: options.Logger, Now: options.Now,
	})
	opened.Access = opened.versions.Access()
	opened.disks.Check(opened.workers.Closing())
	if err := opened.openCaches(); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	if err := opened.load(); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	if opened.runs, err = opened.openRuns(); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	opened.workers.Go(opened.watch)
	opened.workers.Go(func() { opened.disks.Run(opened.workers.Closing()) })
	opened.workers.Go(opened.versions.Run)
	return opened, nil
}

// Close ends the work of the agent; sessions go on. A version that is being made gets ten seconds.
func (a *Agent) Close() error {
	a.workers.Close()
	a.sandbox.Close()
	return errors.Join(a.runs.close(), a.versions.Close())
}

// load finds the sessions that have a record, and deletes what is left of removed ones.
func (a *Agent) load() error {
	entries, err := os.ReadDir(a.options.Root)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if len(entry.Name()) > len(folders.RemovedPrefix) && entry.Name()[:len(folders.RemovedPrefix)] == folders.RemovedPrefix {
			a.workers.Go(func() { a.remover.Delete(filepath.Join(a.options.Root, entry.Name())) })
		}
		if !isSession(entry.Name()) || !entry.IsDir() {
			continue
		}
		known := a.newSession(entry.Name())
		switch err := known.load(); {
		case errors.Is(err, fs.ErrNotExist): // of an earlier release: the server tells whose it is
		case err != nil:
			a.options.Logger.Error("a session's record cannot be read; its folder is left alone", "session", known.id, "error", err)
			continue
		}
		if err := os.RemoveAll(filepath.Join(known.folder, folders.Secluded)); err != nil { // of a launch that ended with the agent
			a.options.Logger.Warn("the clone of a private repository cannot be deleted; the next launch tries again", "session", known.id, "error", err)
		}
		a.sessions[known.id] = known
		if account := known.owner(); account != 0 {
			a.sandbox.KeepAccount(account)
		}
	}
	return nil
}

func isSession(name string) bool { return engine.IsSessionID(name) }

func (a *Agent) find(id string) *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

func (a *Agent) findOrMake(id string) *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.sessions[id]
	if known == nil {
		known = a.newSession(id)
		a.sessions[id] = known
	}
	return known
}

func (a *Agent) all() []*session {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := make([]*session, 0, len(a.sessions))
	for _, known := range a.sessions {
		all = append(all, known)
	}
	return all
}

// forget takes a session out of the list.
func (a *Agent) forget(known *session) {
	a.mu.Lock()
	if a.sessions[known.id] == known {
		delete(a.sessions, known.id)
	}
	a.mu.Unlock()
	a.changes.remove(known.id)
}

// noteAll looks what has changed in what the server knows of sessions.
func (a *Agent) noteAll() {
	for _, known := range a.all() {
		if state, there := known.told(); there {
			a.changes.note(known.id, state)
		}
	}
}

// savesAtOnce is how many versions are made at a time.
const savesAtOnce = 2

// watch makes the versions of running sessions when they are due.
func (a *Agent) watch() {
	ticks := time.NewTicker(a.options.Interval)
	defer ticks.Stop()
	for {
		a.noteAll()
		var saves errgroup.Group
		saves.SetLimit(savesAtOnce)
		for _, known := range a.all() {
			if known.isRunning() {
				saves.Go(func() error { known.work.SaveChanged(a.workers.Closing()); return nil })
			}
		}
		_ = saves.Wait()
		a.evict()
		a.sandbox.RemoveGroups(nil)
		select {
		case <-a.workers.Closing().Done():
			return
		case <-ticks.C:
		}
	}
}

// removedName returns a name for a folder that is to be deleted.
func removedName(id string) string { return folders.RemovedPrefix + id + "-" + rand.Text() }

// await returns what comes of work that goes on when the context ends.
func await(ctx context.Context, result <-chan error) error {
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
