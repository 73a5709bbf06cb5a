package codehost

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitclient"
	"cairn/internal/foundation/safehttp"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

const (
	refsTime    = 30 * time.Second // for the names of branches and tags
	fetchTime   = 2 * time.Minute  // for a branch
	halfTime    = 10 * time.Minute // after which what isn't whole is given up
	failedTime  = time.Hour        // in which a commit that is too large isn't fetched again
	refsBytes   = 4 << 20
	filesBytes  = 20 << 20 // of a file that is fetched; larger ones are only listed
	fetchesMost = 4        // at a time, of which one person has one
	remembered  = 1_000    // repositories of which it's remembered that there are none, and commits that couldn't be fetched
	blockBytes  = 4 << 10  // that a file takes at least on a disk
)

// Clones are shallow clones of repositories that are read with git, in a folder: REPOSITORY/COMMIT, beside REPOSITORY/refs, which has the
// branches, and REPOSITORY/last-BRANCH, which has the commit that was last read of one. A clone never changes, so it is read without a lock,
// and an older one is read while a newer one can't be fetched. A fetch goes on for the next one who asks when the first doesn't wait. The
// clones that nobody has asked for longest are deleted when all of them take too much. Several servers may share the folder.
type Clones struct {
	folder  string
	limit   int64 // bytes
	now     func() time.Time
	logger  *slog.Logger
	asking  singleflight.Group              // by the names of repositories, and of commits in them
	missing *lru.Cache[string, time.Time]   // when the host last said that a repository doesn't exist
	failed  *lru.Cache[string, failedFetch] // by the names of commits
	fetches chan struct{}                   // one for each that is under way

	mu     sync.Mutex
	askers map[string]bool // who have a fetch under way; protected by mu
}

type failedFetch struct {
	err error
	at  time.Time
}

// OpenClones returns the clones in a folder, which take about so many bytes at most.
func OpenClones(folder string, limit int64, now func() time.Time, logger *slog.Logger) (*Clones, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The folder %s for clones of repositories cannot be used.", folder)
	}
	missing, err := lru.New[string, time.Time](remembered)
	if err != nil {
		return nil, err
	}
	failed, err := lru.New[string, failedFetch](remembered)
	return &Clones{
		folder: folder, limit: limit, now: now, logger: logger, missing: missing, failed: failed, fetches: make(chan struct{}, fetchesMost), askers: map[string]bool{},
	}, err
}

var errOffline = fault.New(fault.Unavailable, "It isn't asked now.")

// folderName returns the name of the folder for a repository, or a part of one for a branch in that.
func folderName(of string) string {
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:16])
}

// apart does something once for all who ask for the same, and goes on when ctx ends, for at most so long.
func apart[Found any](ctx context.Context, among *singleflight.Group, key string, most time.Duration, do func(ctx context.Context) (Found, error)) (Found, error) {
	asked := among.DoChan(key, func() (any, error) {
		going, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), most, fault.New(fault.Unavailable, "It takes too long."))
		defer cancel()
		return do(going)
	})
	select {
	case it := <-asked:
		found, _ := it.Val.(Found)
		return found, it.Err
	case <-ctx.Done():
		return *new(Found), ctx.Err()
	}
}

// refs returns the branches and tags of a repository, as they were at most maxAge ago, or older ones while the host can't be asked and
// maxAge isn't 0.
func (c *Clones) refs(ctx context.Context, by *Git, repository Repository, maxAge time.Duration) (refs, error) {
	name := by.cloneName(repository)
	if since, isMissing := c.missing.Get(name); isMissing && c.now().Sub(since) < min(maxAge, freshFault) {
		return refs{}, errNothing
	}
	known := c.knownRefs(name)
	old, isKnown := c.now().Sub(known.AsOf), !known.AsOf.IsZero()
	if isKnown && old < maxAge {
		return known, nil
	}
	known.Stale = true
	if safehttp.IsOffline(ctx) {
		if isKnown && maxAge > 0 && old < usableUnasked && by.options.Account == "" {
			return known, nil
		}
		return refs{}, errOffline
	}
	asked, err := refs{}, by.budget.take(askerOf(ctx), by.options.Now())
	if err == nil {
		asked, err = apart(ctx, &c.asking, name, refsTime, func(ctx context.Context) (refs, error) { return c.askRefs(ctx, by, repository, name) })
	}
	switch {
	case errors.Is(err, errNothing):
		return refs{}, err
	case err != nil && isKnown && maxAge > 0 && old < usable && by.options.Account == "": // rights may have ended
		return known, nil
	}
	return asked, err
}

// knownRefs returns what was last said about a clone's repository; the zero value if nothing was.
func (c *Clones) knownRefs(name string) refs {
	file := filepath.Join(c.folder, name, "refs")
	said, err := os.ReadFile(file)
	if err != nil {
		return refs{}
	}
	info, err := os.Stat(file)
	if err != nil {
		return refs{}
	}
	address, rest, _ := bytes.Cut(said, []byte("\n"))
	return readRefs(string(address), rest, info.ModTime())
}

// keepRefs keeps what was said about a clone's repository at a time.
func (c *Clones) keepRefs(name, address string, said []byte, at time.Time) error {
	return c.keep(name, "refs", append([]byte(address+"\n"), said...), at)
}

// keep writes a file of a repository's whole, so that nobody reads a part of it.
func (c *Clones) keep(name, file string, content []byte, at time.Time) error {
	home := filepath.Join(c.folder, name)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	made, err := os.CreateTemp(home, temporary)
	if err != nil {
		return err
	}
	_, err = made.Write(content)
	err = errors.Join(err, made.Close(), os.Chtimes(made.Name(), at, at))
	if err == nil {
		err = os.Rename(made.Name(), filepath.Join(home, file))
	}
	if err != nil {
		return errors.Join(err, os.Remove(made.Name()))
	}
	return nil
}

// temporary begins the names of what isn't whole yet.
const temporary = "tmp-"

// askRefs asks for the branches and tags of a repository, and keeps the answer. errNothing if there is no public one.
func (c *Clones) askRefs(ctx context.Context, by *Git, repository Repository, name string) (refs, error) {
	home, err := os.MkdirTemp(c.folder, temporary)
	if err != nil {
		return refs{}, err
	}
	defer func() { _ = os.RemoveAll(home) }()
	for _, address := range by.addresses(repository) {
		said, err := askGit(ctx, by.options.Git, home, by.source(address))
		by.count(err)
		if err == nil {
			c.missing.Remove(name)
			now := c.now()
			return readRefs(address, said, now), c.keepRefs(name, address, said, now)
		}
		if !errors.Is(err, gitclient.ErrHidden) {
			return refs{}, err
		}
	}
	c.missing.Add(name, c.now())
	return refs{}, errors.Join(errNothing, os.RemoveAll(filepath.Join(c.folder, name))) // what was withdrawn isn't shown
}

func askGit(ctx context.Context, options gitclient.Options, home string, source gitclient.Source) (said []byte, err error) {
	opened, err := gitclient.Open(options, home, source)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return opened.Output(ctx, true, refsBytes, "ls-remote", "--symref", "--", source.Address, "HEAD", "refs/heads/*", "refs/tags/*")
}

// count reports how a question ended.
func (g *Git) count(err error) {
	if g.options.Counter == nil {
		return
	}
	outcome := "ok"
	switch {
	case errors.Is(err, gitclient.ErrHidden):
		outcome = "missing"
	case err != nil:
		outcome = "unreachable"
	}
	g.options.Counter.Asked(gitService, outcome)
}

// read has something read from the clone of a repository, of the commit that refs last returned for a branch or, unless it must be new, of an
// older one while that can't be fetched. errNothing if it has no such branch.
func (c *Clones) read(ctx context.Context, by *Git, repository Repository, branch string, mustBeNew bool, what func(in *clone) error) error {
	name, last := by.cloneName(repository), "last-"+folderName(branch)
	known := c.knownRefs(name)
	if known.branches[branch] == "" {
		return errNothing
	}
	commit, err := c.fetch(ctx, by, name, known, branch)
	before, _ := os.ReadFile(filepath.Join(c.folder, name, last))
	stale := err != nil && !mustBeNew && objectPattern.Match(before)
	switch {
	case stale:
		commit, err = string(before), nil
	case err == nil && commit != string(before):
		err = c.keep(name, last, []byte(commit), c.now())
	}
	if err != nil {
		return err
	}
	home := filepath.Join(c.folder, name, commit)
	opened, err := gitclient.Open(by.options.Git, home, gitclient.Source{Address: known.address})
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.Unavailable, "The repository has to be fetched again.")
	}
	if err != nil {
		return err
	}
	defer opened.Close()
	now := c.now()
	_ = os.Chtimes(home, now, now)
	return what(&clone{opened, commit, stale})
}

// fetch returns the commit of a branch, once there is a clone of it.
func (c *Clones) fetch(ctx context.Context, by *Git, name string, known refs, branch string) (commit string, err error) {
	commit = known.branches[branch]
	if _, err := os.Stat(filepath.Join(c.folder, name, commit)); err == nil {
		return commit, nil
	}
	key := name + "/" + commit
	if before, isFailed := c.failed.Get(key); isFailed && c.now().Sub(before.at) < failedTime {
		return "", before.err
	}
	if safehttp.IsOffline(ctx) {
		return "", errOffline
	}
	return apart(ctx, &c.asking, key, fetchTime, func(ctx context.Context) (string, error) {
		done, err := c.slot(ctx)
		if err != nil {
			return "", err
		}
		defer done()
		if err := by.budget.take(askerOf(ctx), by.options.Now()); err != nil {
			return "", err
		}
		home, err := os.MkdirTemp(filepath.Join(c.folder, name), temporary)
		if err != nil {
			return "", err
		}
		fetched, err := fetchInto(ctx, by.options.Git, home, by.source(known.address), commit, branch)
		by.count(err)
		if err == nil {
			err = c.keepClone(name, home, known, branch, fetched)
		}
		if err != nil {
			err = errors.Join(err, os.RemoveAll(home))
		}
		if fault.KindOf(err) == fault.TooLarge {
			c.failed.Add(key, failedFetch{err, c.now()})
		}
		c.makeRoom(filepath.Join(name, fetched))
		return fetched, err
	})
}

// slot waits until another fetch may begin. TooMany for somebody who has one under way.
func (c *Clones) slot(ctx context.Context) (done func(), err error) {
	asker := askerOf(ctx)
	c.mu.Lock()
	isAsking := asker != "" && c.askers[asker]
	c.askers[asker] = true
	c.mu.Unlock()
	if isAsking {
		busy := fault.New(fault.TooMany, "Another repository is being fetched for you. Try again when that is done.")
		busy.RetryAfter, busy.Limit = busyTime, "codehost"
		return nil, busy
	}
	leave := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.askers, asker)
	}
	select {
	case c.fetches <- struct{}{}:
		return func() { <-c.fetches; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}

// fetchInto fetches a branch into a folder, and returns its commit: a newer one if somebody has pushed meanwhile.
func fetchInto(ctx context.Context, options gitclient.Options, home string, source gitclient.Source, commit, branch string) (fetched string, err error) {
	opened, err := gitclient.Open(options, home, source)
	if err != nil {
		return "", err
	}
	defer opened.Close()
	format := "sha1"
	if len(commit) == sha256.Size*2 {
		format = "sha256"
	}
	if err := opened.Make(ctx, format); err != nil {
		return "", err
	}
	config, err := opened.Config()
	if err != nil {
		return "", err
	}
	_, err = opened.Output(ctx, true, refsBytes, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--depth=1",
		"--filter=blob:limit="+strconv.Itoa(filesBytes+1), "--", opened.Source(), "+refs/heads/"+branch+":refs/heads/"+branch)
	if err != nil {
		return "", err
	}
	// git notes that what is missing can be fetched later, and would do that whenever it's looked for.
	if err := opened.SetConfig(config); err != nil {
		return "", err
	}
	said, err := opened.Output(ctx, false, refsBytes, "rev-parse", "--verify", "--end-of-options", "refs/heads/"+branch)
	return strings.TrimSpace(string(said)), err
}

// keepClone renames a finished clone to its commit.
func (c *Clones) keepClone(name, home string, known refs, branch, commit string) error {
	if commit != known.branches[branch] {
		file := filepath.Join(c.folder, name, "refs")
		said, err := os.ReadFile(file)
		if err == nil {
			err = c.keep(name, "refs", fmt.Appendf(said, "%s\trefs/heads/%s\n", commit, branch), known.AsOf)
		}
		if err != nil {
			return err
		}
	}
	err := os.Rename(home, filepath.Join(c.folder, name, commit))
	if errors.Is(err, fs.ErrExist) { // another server was faster
		return os.RemoveAll(home)
	}
	return err
}

// keptPart is something in the folder that can be deleted.
type keptPart struct {
	path string
	used time.Time
	size int64
}

// makeRoom deletes what isn't whole and nobody works on any more, and what was used longest ago until the rest takes no more than it may.
func (c *Clones) makeRoom(except string) {
	all := c.parts()
	var total int64
	for _, one := range all {
		total += one.size
	}
	slices.SortStableFunc(all, func(a, b keptPart) int { return a.used.Compare(b.used) })
	for _, one := range all {
		isHalf := strings.HasPrefix(filepath.Base(one.path), temporary)
		switch {
		case one.path == filepath.Join(c.folder, except), isHalf && c.now().Sub(one.used) < halfTime, !isHalf && total <= c.limit:
			continue
		}
		if err := os.RemoveAll(one.path); err != nil {
			c.logger.Warn("a clone of a repository can't be deleted", "error", err)
			continue
		}
		_ = os.Remove(filepath.Dir(one.path)) // once nothing is in it
		total -= one.size
	}
}

// parts returns what is in the folder, and nothing that isn't ours.
func (c *Clones) parts() (all []keptPart) {
	add := func(path string) {
		if info, err := os.Stat(path); err == nil {
			all = append(all, keptPart{path, info.ModTime(), sizeOnDisk(path)})
		}
	}
	found, _ := os.ReadDir(c.folder)
	for _, one := range found {
		path := filepath.Join(c.folder, one.Name())
		switch {
		case strings.HasPrefix(one.Name(), temporary):
			add(path)
		case folderPattern.MatchString(one.Name()):
			inside, _ := os.ReadDir(path)
			for _, part := range inside {
				add(filepath.Join(path, part.Name()))
			}
		}
	}
	return all
}

// folderPattern matches the names of folders for repositories.
var folderPattern = regexp.MustCompile(`^[0-9a-f]{32}$`)

// sizeOnDisk adds up the files of a folder.
func sizeOnDisk(folder string) (size int64) {
	_ = filepath.WalkDir(folder, func(_ string, file fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it is gone
		}
		size += blockBytes
		if info, err := file.Info(); err == nil && !file.IsDir() {
			size += info.Size()
		}
		return nil
	})
	return size
}
