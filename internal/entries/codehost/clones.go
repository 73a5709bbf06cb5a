package codehost

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitclient"
	"cairn/internal/foundation/safehttp"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	refsTime    = 30 * time.Second // for the names of branches and tags
	fetchTime   = 5 * time.Minute  // for a branch
	refsBytes   = 8 << 20
	refsShown   = 100      // names of branches, and of tags, that are told
	filesBytes  = 20 << 20 // of a file that is fetched; larger ones are only listed
	fetchesMost = 4        // at a time
	missingMost = 1_000    // repositories of which is remembered that there are none
)

// Clones are shallow clones of repositories that are read with git, in a folder. A branch is fetched when somebody asks for it, and goes on
// being fetched for the next one who asks when the first doesn't wait. The clones that nobody has asked for longest are deleted when all of
// them take too much.
type Clones struct {
	folder  string
	limit   int64 // bytes
	now     func() time.Time
	fetches chan struct{}                 // one for each that is under way
	missing *lru.Cache[string, time.Time] // when it was last said that there is no such repository, by the names of clones
	locks   [256]chan struct{}            // by the first byte of the name of a clone
}

// OpenClones returns the clones in a folder, which take about so many bytes at most.
func OpenClones(folder string, limit int64, now func() time.Time) (*Clones, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The folder %s for clones of repositories cannot be used.", folder)
	}
	missing, err := lru.New[string, time.Time](missingMost)
	if err != nil {
		return nil, err
	}
	opened := &Clones{folder: folder, limit: limit, now: now, fetches: make(chan struct{}, fetchesMost), missing: missing}
	for i := range opened.locks {
		opened.locks[i] = make(chan struct{}, 1)
	}
	return opened, nil
}

var errOffline = fault.New(fault.Unavailable, "It isn't asked now.")

// refs are the branches and tags of a repository, with the ids of their commits or tags.
type refs struct {
	Age

	address        string // of the repository
	head           string // the default branch; "" for none
	branches, tags map[string]string
}

// clone is a clone that nobody else uses, with one of its commits.
type clone struct {
	*gitclient.Repository

	commit string
}

// folderName returns the name of the folder for a repository, or for a branch in that.
func folderName(of string) string {
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:16])
}

// lock waits until nobody else uses a clone.
func (c *Clones) lock(ctx context.Context, name string) (unlock func(), err error) {
	lock := c.lockOf(name)
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// lockOf returns the lock of a clone, which it shares with few others.
func (c *Clones) lockOf(name string) chan struct{} {
	first, err := strconv.ParseUint(name[:2], 16, 8)
	if err != nil {
		panic(err) // names are in hexadecimal
	}
	return c.locks[first]
}

// apart does something that goes on when ctx ends, for at most so long.
func apart[Found any](ctx context.Context, most time.Duration, do func(ctx context.Context) (Found, error)) (Found, error) {
	type outcome struct {
		found Found
		err   error
	}
	done := make(chan outcome, 1)
	going, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), most, fault.New(fault.Unavailable, "It takes too long."))
	go func() {
		defer cancel()
		found, err := do(going)
		done <- outcome{found, err}
	}()
	select {
	case it := <-done:
		return it.found, it.err
	case <-ctx.Done():
		return *new(Found), ctx.Err()
	}
}

// refs returns the branches and tags of a repository, as they were at most maxAge ago, or older ones while the host can't be asked and
// maxAge isn't 0.
func (c *Clones) refs(ctx context.Context, by *Git, repository Repository, maxAge time.Duration) (refs, error) {
	name := folderName(repository.Host + "/" + repository.String())
	return apart(ctx, refsTime, func(ctx context.Context) (refs, error) {
		unlock, err := c.lock(ctx, name)
		if err != nil {
			return refs{}, err
		}
		defer unlock()
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
			if isKnown && maxAge > 0 && old < usableUnasked {
				return known, nil
			}
			return refs{}, errOffline
		}
		asked, err := c.askRefs(ctx, by, repository, name)
		switch {
		case errors.Is(err, errNothing):
			c.missing.Add(name, c.now())
			return refs{}, errors.Join(err, os.RemoveAll(filepath.Join(c.folder, name))) // what was withdrawn isn't shown
		case err != nil && isKnown && maxAge > 0 && old < usable:
			return known, nil
		}
		return asked, err
	})
}

// keepRefs keeps what was just said about a clone's repository.
func (c *Clones) keepRefs(name, address string, said []byte) error {
	file, now := filepath.Join(c.folder, name, "refs"), c.now()
	return errors.Join(os.WriteFile(file, append([]byte(address+"\n"), said...), 0o600), os.Chtimes(file, now, now))
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

// askRefs asks for the branches and tags of a repository, and keeps the answer. errNothing if there is no public one.
func (c *Clones) askRefs(ctx context.Context, by *Git, repository Repository, name string) (refs, error) {
	if err := by.budget.take(askerOf(ctx), by.options.Now()); err != nil {
		return refs{}, err
	}
	home := filepath.Join(c.folder, name)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return refs{}, err
	}
	err := errNothing
	for _, address := range by.addresses(repository) {
		var said []byte
		said, err = askGit(ctx, by.options.Git, home, address)
		by.count(err)
		if err == nil {
			return readRefs(address, said, c.now()), c.keepRefs(name, address, said)
		}
		if !errors.Is(err, gitclient.ErrHidden) {
			return refs{}, err
		}
		err = errNothing
	}
	return refs{}, err
}

func askGit(ctx context.Context, options gitclient.Options, home, address string) (said []byte, err error) {
	opened, err := gitclient.Open(options, home, gitclient.Source{Address: address})
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return opened.Output(ctx, true, refsBytes, "ls-remote", "--symref", "--", address, "HEAD", "refs/heads/*", "refs/tags/*")
}

// count tells whoever counts how a question ended.
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

// objectPattern matches the ids of git's objects.
var objectPattern = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// readRefs reads what git ls-remote --symref says.
func readRefs(address string, said []byte, asOf time.Time) refs {
	found := refs{Age: Age{AsOf: asOf}, address: address, branches: map[string]string{}, tags: map[string]string{}}
	head := ""
	for line := range strings.Lines(string(said)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch target, isSymbolic := strings.CutPrefix(id, "ref: "); {
		case isSymbolic && name == "HEAD":
			found.head = strings.TrimPrefix(target, "refs/heads/")
		case !objectPattern.MatchString(id): // a host chooses the other words, and perhaps the ends of their lines
		case name == "HEAD":
			head = id
		default:
			if branch, ok := strings.CutPrefix(name, "refs/heads/"); ok {
				found.branches[branch] = id
			}
			if tag, ok := strings.CutPrefix(name, "refs/tags/"); ok && !strings.HasSuffix(tag, "^{}") {
				found.tags[tag] = id
			}
		}
	}
	if found.branches[found.head] == "" { // the default branch doesn't exist, or the host doesn't say its name
		found.head = ""
		for _, name := range slices.Sorted(maps.Keys(found.branches)) {
			if found.head == "" || found.branches[name] == head && found.branches[found.head] != head {
				found.head = name
			}
		}
	}
	return found
}

// someOf returns the first names.
func someOf(names map[string]string) []string {
	sorted := slices.Sorted(maps.Keys(names))
	return sorted[:min(len(sorted), refsShown)]
}

// read has something read from the clone of a repository, which has the commit that refs last returned for a branch. errNothing if it has no
// such branch.
func (c *Clones) read(ctx context.Context, by *Git, repository Repository, branch string, what func(in *clone) error) error {
	name := folderName(repository.Host + "/" + repository.String())
	_, err := apart(ctx, fetchTime, func(ctx context.Context) (struct{}, error) { return struct{}{}, c.fetch(ctx, by, name, branch) })
	if err != nil {
		return err
	}
	unlock, err := c.lock(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	now := c.now()
	_ = os.Chtimes(filepath.Join(c.folder, name), now, now) // the ones that were used longest ago are deleted first
	known := c.knownRefs(name)
	opened, err := gitclient.Open(by.options.Git, filepath.Join(c.folder, name, folderName(branch)), gitclient.Source{Address: known.address})
	if err != nil {
		return err
	}
	defer opened.Close()
	return what(&clone{opened, known.branches[branch]})
}

// fetch fetches a branch unless its commit is there.
func (c *Clones) fetch(ctx context.Context, by *Git, name, branch string) error {
	unlock, err := c.lock(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	known := c.knownRefs(name)
	commit := known.branches[branch]
	if commit == "" {
		return errNothing
	}
	home := filepath.Join(c.folder, name, folderName(branch))
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	opened, err := gitclient.Open(by.options.Git, home, gitclient.Source{Address: known.address})
	if err != nil {
		return err
	}
	defer opened.Close()
	if _, err := opened.Output(ctx, false, refsBytes, "cat-file", "-e", commit+"^{tree}"); err == nil {
		return nil
	}
	if safehttp.IsOffline(ctx) {
		return errOffline
	}
	select {
	case c.fetches <- struct{}{}:
		defer func() { <-c.fetches }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := by.budget.take(askerOf(ctx), by.options.Now()); err != nil {
		return err
	}
	format := "sha1"
	if len(commit) == sha256.Size*2 {
		format = "sha256"
	}
	if err := opened.Make(ctx, format); err != nil { // older commits aren't kept
		return err
	}
	config, err := opened.Config()
	if err != nil {
		return err
	}
	_, err = opened.Output(ctx, true, refsBytes, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--depth=1",
		"--filter=blob:limit="+strconv.Itoa(filesBytes+1), "--", opened.Source(), "+refs/heads/"+branch+":refs/heads/"+branch)
	by.count(err)
	if err != nil {
		return err
	}
	// git notes that what is missing can be fetched later, and would do that whenever it's looked for.
	if err := opened.SetConfig(config); err != nil {
		return err
	}
	now, err := opened.Output(ctx, false, refsBytes, "rev-parse", "--verify", "--end-of-options", "refs/heads/"+branch)
	if err != nil {
		return err
	}
	if err := c.noteMoved(name, branch, commit, strings.TrimSpace(string(now))); err != nil {
		return err
	}
	return c.makeRoom(name)
}

// noteMoved keeps where a branch is if somebody has pushed to it meanwhile.
func (c *Clones) noteMoved(name, branch, from, to string) error {
	if from == to {
		return nil
	}
	path := filepath.Join(c.folder, name, "refs")
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "%s\trefs/heads/%s\n", to, branch)
	return errors.Join(err, file.Close(), os.Chtimes(path, info.ModTime(), info.ModTime()))
}

// makeRoom deletes the clones that were used longest ago, until the others take no more than they may.
func (c *Clones) makeRoom(except string) error {
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return err
	}
	type kept struct {
		name string
		used time.Time
		size int64
	}
	var all []kept
	var total int64
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			continue
		}
		one := kept{name: entry.Name(), used: info.ModTime()}
		_ = filepath.WalkDir(filepath.Join(c.folder, one.name), func(_ string, file fs.DirEntry, err error) error {
			if err == nil && !file.IsDir() {
				if info, err := file.Info(); err == nil {
					one.size += info.Size()
				}
			}
			return nil
		})
		total += one.size
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b kept) int { return a.used.Compare(b.used) })
	for _, one := range all {
		if total <= c.limit {
			return nil
		}
		if one.name == except {
			continue
		}
		unlock, isFree := c.tryLock(one.name)
		if !isFree {
			continue
		}
		err := os.RemoveAll(filepath.Join(c.folder, one.name))
		unlock()
		if err != nil {
			return err
		}
		total -= one.size
	}
	return nil
}

// tryLock locks a clone unless somebody uses it.
func (c *Clones) tryLock(name string) (unlock func(), isFree bool) {
	lock := c.lockOf(name)
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, true
	default:
		return nil, false
	}
}

// list returns what git ls-tree says, with the sizes of the files that are there.
func (c *clone) list(ctx context.Context, arguments ...string) ([]treeEntry, error) {
	said, err := c.Output(ctx, false, listBytes, append([]string{"ls-tree", "-z", "--full-tree"}, arguments...)...)
	if err != nil {
		return nil, err
	}
	var found []treeEntry
	var asked strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(string(said), "\x00"), "\x00") {
		about, path, _ := strings.Cut(line, "\t")
		words := strings.Fields(about)
		if len(words) != 3 {
			continue
		}
		found = append(found, treeEntry{Mode: words[0], Type: words[1], SHA: words[2], Path: path, Size: SizeUnknown})
		fmt.Fprintln(&asked, words[2])
	}
	at := 0
	err = c.Run(ctx, false, strings.NewReader(asked.String()), func(output io.Reader) error {
		lines := bufio.NewScanner(output)
		for ; lines.Scan() && at < len(found); at++ {
			var id, kind string
			var size int64
			if _, err := fmt.Sscan(lines.Text(), &id, &kind, &size); err == nil && kind == "blob" {
				found[at].Size = size
			}
		}
		return lines.Err()
	}, "cat-file", "--batch-check")
	return found, err
}

// content returns a file, or the target of a link. TooLarge if it has more bytes than asked for, or wasn't fetched for that reason.
func (c *clone) content(ctx context.Context, at treeEntry, most int64) ([]byte, error) {
	if at.Size > most || at.Size == SizeUnknown {
		return nil, tooLarge(min(most, filesBytes))
	}
	return c.Output(ctx, false, most, "cat-file", "blob", at.SHA)
}
