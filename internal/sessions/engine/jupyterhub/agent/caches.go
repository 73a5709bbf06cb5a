package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"path/filepath"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/checkout"
	"cairn/internal/sessions/files/datasets"
	"cairn/internal/sessions/files/environments"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// caches are what sessions share.
type caches struct {
	account      int // that owns it; 0 where sessions have no accounts of their own
	repositories *checkout.Repositories
	datasets     *datasets.Store
	environments *environments.Installer
}

// cacheFolder is below the root.
const cacheFolder = ".cache"

// openCaches opens them, and makes git's only configuration, because repositories on this machine belong to other accounts.
func (a *Agent) openCaches() (err error) {
	if a.sandbox.Level().OwnAccount() {
		if a.caches.account, err = a.pickAccount(); err != nil {
			return err
		}
	}
	o := a.options
	folder := filepath.Join(o.Root, cacheFolder)
	gitConfig := filepath.Join(folder, "gitconfig")
	if err := folders.Make(folder, folders.Passable); err != nil {
		return err
	}
	if err := sandbox.WriteShared(gitConfig, "[safe]\n\tdirectory = *\n"); err != nil {
		return err
	}
	lacks := func() bool { return a.disks.Shortage() != "" }
	a.caches.repositories, err = checkout.Open(checkout.Options{
		Folder: filepath.Join(folder, "repositories"), CacheBytes: o.CacheBytes, Scratch: o.Root, Git: "/usr/bin/git", GitConfig: gitConfig,
		Account: a.caches.account, DiskLimit: o.CacheBytes, Deadline: o.Stall, Web: o.Web, Sandbox: a.sandbox, RunAlone: a.runWithoutSession, Logger: o.Logger,
	})
	if err != nil {
		return err
	}
	a.caches.environments, err = environments.Open(environments.Options{
		Folder: filepath.Join(folder, "environments"), Downloads: filepath.Join(folder, "downloads"), CacheBytes: o.CacheBytes, Python: "/usr/bin/python3",
		Pip: o.Pip, R: o.R, Network: sandbox.Internet, DiskLimit: o.CacheBytes, Web: o.Web,
		Sandbox: a.sandbox, RunAlone: a.runWithoutSession, Lacks: lacks, PickAccount: a.pickAccount, Logger: o.Logger, Now: o.Now,
	})
	if err != nil {
		return err
	}
	web, level := o.Web, a.sandbox.Level()
	if o.DatasetBytes == 0 {
		web = nil
	}
	if !level.Mounts() { // the hub mounts them, whatever this program may do
		level = sandbox.LevelB
	}
	a.caches.datasets, err = datasets.Open(datasets.Options{
		Folder: filepath.Join(folder, "datasets"), CacheBytes: o.CacheBytes, MostBytes: o.DatasetBytes, Web: web, Stall: o.Stall, Level: level, Now: o.Now, Lacks: lacks,
	})
	return err
}

func (a *Agent) pickAccount() (int, error) {
	number, err := a.sandbox.PickAccount()
	if err != nil {
		return 0, fault.Wrap(err, fault.Unavailable, "No account is free for a session. Delete sessions you no longer need.")
	}
	return number, nil
}

// evict makes room in the caches. What live sessions use stays.
func (a *Agent) evict() {
	inUse := func(key string) bool {
		for _, known := range a.all() {
			if known.State().Wanted && known.pins.IsPinned(key) {
				return true
			}
		}
		return false
	}
	lacking := func() bool { return a.disks.Shortage() != "" }
	if err := errors.Join(a.caches.datasets.Evict(inUse, lacking), a.caches.repositories.Evict(inUse, lacking), a.caches.environments.Evict(inUse, lacking)); err != nil {
		a.options.Logger.Warn("a cache cannot be made smaller", "error", err)
	}
}

// sweepTime is how long killed processes may take to end.
const sweepTime = time.Minute

// runWithoutSession runs a command that belongs to no session in a box of its own, and passes its output to read. Nothing of the
// command is left when it returns.
func (a *Agent) runWithoutSession(ctx context.Context, box sandbox.Box, read func(io.Reader) error) error {
	if !a.workers.Begin() {
		return engine.ErrClosing
	}
	defer a.workers.Done()
	box.Name = "aside-" + rand.Text()
	groups, err := a.sandbox.MakeGroups(box.Name, box.Limits)
	defer func() { a.sandbox.RemoveGroups(groups) }()
	if err != nil {
		return err
	}
	box.Groups = groups
	err = a.sandbox.Run(ctx, box, read)
	left := sandbox.Record{Name: box.Name}
	if box.Account != a.caches.account { // which may be at work for others
		left.Account = box.Account
	}
	ending, cancel := context.WithTimeout(context.Background(), sweepTime)
	defer cancel()
	return errors.Join(err, a.sandbox.Sweep(ending, left))
}
