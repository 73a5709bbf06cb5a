package checkout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// A bare clone of a repository is what all sessions clone from. It belongs to an account that no session has and that only
// runs git. While the repository's host doesn't answer, sessions get the bare clone as it is. One that can't be updated for
// another reason is made again, and is deleted when the new one is complete.
const (
	bareCloneName = "mirror.git"
	branchName    = "cairn-head" // the file with the output of git ls-remote about the default branch
)

// The arguments are data to both scripts. A file beyond the limit should be an error that git reports, not git's silent
// death.
const (
	cloneBareScript = `trap "" XFSZ; exec "$0" -c core.hooksPath=/dev/null clone --bare --progress -- "$1" "$2"`
	fetchScript     = `trap "" XFSZ; "$0" -C "$2" -c core.hooksPath=/dev/null -c gc.auto=0 fetch --prune --no-write-fetch-head --progress -- "$1" ` +
		`"+refs/heads/*:refs/heads/*" "+refs/tags/*:refs/tags/*" && exec "$0" ls-remote --symref -- "$1" HEAD >"$2/` + branchName + `"`
)

// source is the repository that a session clones from.
type source struct {
	path string
	note string // a note for its user; or empty
	done func() // call it after the clone: until then the source isn't removed
}

var errAbsent = errors.New("there is no copy yet")

var errNoElsewhere = diagnosis.With(fault.New(fault.Unavailable, "This server doesn't copy repositories from elsewhere."), diagnosis.ServerFault)

// asOf says when a bare clone was last updated, and ends the sentence.
func asOf(bareClone string) string {
	about, err := os.Stat(filepath.Join(bareClone, branchName))
	if err != nil {
		return "."
	}
	return ", as of " + about.ModTime().UTC().Format("2006-01-02 15:04") + " UTC."
}

// bareClone returns the bare clone of a repository, updated if its host answers.
func (c checkout) bareClone(ctx context.Context, address string, tell func(string)) (source, error) {
	key := cache.KeyOf(address)
	tell, hear := c.cache.Share(key, tell)
	unlock, err := c.cache.Lock(ctx, key, hear)
	if err != nil {
		return source{}, err
	}
	defer unlock()
	c.session.Pin(key)
	found := source{path: filepath.Join(c.cache.Path(key), bareCloneName)}
	err = errAbsent
	if c.cache.Has(key) {
		err = c.refresh(ctx, address, key, tell)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return source{}, context.Cause(ctx)
	case errors.Is(err, errNoAnswer):
		found.note = "The repository's host doesn't answer, so this server's own copy is used" + asOf(found.path)
		c.session.Log(found.note)
	default:
		if !errors.Is(err, errAbsent) {
			c.session.Log("The kept copy of the repository can't be updated. The repository is copied again.")
		}
		if err := c.makeBareClone(ctx, address, key, tell); err != nil {
			return source{}, err
		}
	}
	if err := c.cache.Complete(key); err != nil {
		return source{}, err
	}
	found.done = c.cache.Hold(key)
	return found, nil
}

// makeBareClone clones the repository beside the existing bare clone, and then replaces that.
func (c checkout) makeBareClone(ctx context.Context, address, key string, tell func(string)) error {
	root, err := c.cache.Create(key+cache.NextSuffix, c.options.Account)
	if err != nil {
		return err
	}
	defer root.Close()
	err = watched(ctx, c.cache.Path(key+cache.NextSuffix), c.session.DiskLimit(), watchEvery, func(ctx context.Context) error {
		_, err := c.runGit(ctx, c.bareCloneBox(cloneBareScript, address, key+cache.NextSuffix), tell)
		return err
	})
	if err != nil {
		return err
	}
	noted, err := root.OpenFile(path.Join(bareCloneName, branchName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // its time is when it was updated
	if err != nil {
		return err
	}
	return errors.Join(noted.Close(), c.cache.Replace(ctx, key))
}

func (c checkout) bareCloneBox(script, address, key string) sandbox.Box {
	folder := c.cache.Path(key)
	mounts := []sandbox.Mount{{From: folder, To: "/session/cache", Writable: true}, {From: c.options.GitConfig, To: "/session/gitconfig"}}
	if c.options.Sandbox.Level().Mounts() {
		folder = "/session/cache"
	}
	return sandbox.Box{
		Account: c.options.Account, Network: sandbox.All, Mounts: mounts, Folder: folder,
		Command: []string{c.options.Sandbox.Shell(), "-c", script, c.options.Git, address, path.Join(folder, bareCloneName)},
	}
}

var branchLine = regexp.MustCompile(`(?m)^ref: (refs/heads/[^\s]{1,200})\tHEAD$`)

// refresh updates the bare clone, including its default branch.
func (c checkout) refresh(ctx context.Context, address, key string, tell func(string)) error {
	root, err := c.cache.OpenEntry(key)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := folders.OwnTree(ctx, root, ".", c.options.Account); err != nil { // it was another one before
		return err
	}
	fetching := c.bareCloneBox(fetchScript, address, key)
	fetching.Environment = c.patience()
	err = watched(ctx, c.cache.Path(key), c.session.DiskLimit(), watchEvery, func(ctx context.Context) error {
		_, err := c.runGit(ctx, fetching, tell)
		return err
	})
	if err != nil {
		return err
	}
	said, err := root.ReadFile(path.Join(bareCloneName, branchName))
	if err != nil {
		return err
	}
	found := branchLine.FindSubmatch(said)
	if found == nil || strings.Contains(string(found[1]), "..") {
		return nil // an empty repository has no branch
	}
	return root.WriteFile(path.Join(bareCloneName, "HEAD"), []byte("ref: "+string(found[1])+"\n"), 0o644)
}

// patience are the variables with which git gives up a silent host in time to go on without it.
func (r *Repositories) patience() []string {
	return []string{"GIT_HTTP_LOW_SPEED_LIMIT=1", fmt.Sprintf("GIT_HTTP_LOW_SPEED_TIME=%d", max(1, int(r.options.Deadline.Seconds()/3)))}
}

// source is what git will use: a path on this machine.
func (c checkout) source(ctx context.Context, root *os.Root, repository engine.Repository, tell func(string)) (source, error) {
	if repository.LocalPath != "" && c.options.Sandbox.Level() == sandbox.LevelC {
		return c.copySource(ctx, root, repository.LocalPath)
	}
	if repository.LocalPath != "" {
		return source{path: repository.LocalPath, done: func() {}}, nil
	}
	if c.options.Web == nil {
		return source{}, errNoElsewhere
	}
	return c.bareClone(ctx, repository.URL, tell)
}

// privateSource clones a private repository into a folder of the session's that the session's account can't look into.
func (c checkout) privateSource(ctx context.Context, root *os.Root, private engine.Cloner, account int, tell func(string)) (source, error) {
	if private == nil {
		return source{}, fault.New(fault.Unavailable, "The private repository has to be read again.")
	}
	if err := errors.Join(folders.Remove(root, folders.Secluded), root.Mkdir(folders.Secluded, folders.Private)); err != nil {
		return source{}, err
	}
	done := func() { _ = folders.Remove(root, folders.Secluded) }
	tell("Reading the private repository")
	path, err := private(ctx, filepath.Join(root.Name(), folders.Secluded))
	inside, relErr := filepath.Rel(root.Name(), path)
	if err = errors.Join(err, relErr); err == nil { // git runs as the session's account, which sees it in its box and not in that folder
		err = folders.OwnTree(ctx, root, inside, account)
	}
	if err != nil {
		done()
		return source{}, diagnosis.With(err, diagnosis.CloneRefused)
	}
	if c.options.Sandbox.Level() != sandbox.LevelC {
		return source{path: path, done: done}, nil
	}
	copied, err := c.copySource(ctx, root, path)
	done()
	if err == nil {
		err = folders.OwnTree(ctx, root, folders.Source, account)
	}
	return copied, err
}

// copySource copies a repository of this server to where the session's account can read it.
func (c checkout) copySource(ctx context.Context, root *os.Root, from string) (source, error) {
	if err := errors.Join(folders.Remove(root, folders.Source), folders.CopyTree(ctx, from, root, folders.Source), root.Chmod(folders.Source, 0o755)); err != nil {
		return source{}, err
	}
	return source{path: filepath.Join(root.Name(), folders.Source), done: func() { _ = folders.Remove(root, folders.Source) }}, nil
}
