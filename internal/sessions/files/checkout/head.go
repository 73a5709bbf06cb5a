package checkout

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

const (
	headTime  = 30 * time.Second // how long a repository may take to answer
	headBytes = 1 << 20          // of its answer about one name
)

var (
	errSlowHead  = fault.New(fault.Unavailable, "The repository couldn't be asked for its latest commit: its host didn't answer within %d seconds.", headTime/time.Second)
	errLargeHead = errors.New("the answer is too large")
)

// Head returns the id of the commit that a repository's ref names now, or its default branch, without copying it. The error is
// RefNotFound if there is no such branch or tag, and Unavailable if the host doesn't answer.
func (r *Repositories) Head(ctx context.Context, repository engine.Repository) (string, error) {
	if repository == (engine.Repository{}) {
		return "", fault.InvalidField("repository.url", "There is no repository to ask.")
	}
	if err := errors.Join(repository.Validate(), checkLocal(repository)); err != nil {
		return "", err
	}
	if repository.LocalPath == "" && r.options.Web == nil {
		return "", errNoElsewhere
	}
	ctx, cancel := context.WithTimeoutCause(ctx, headTime, errSlowHead)
	defer cancel()
	source, done, err := r.headSource(ctx, repository.LocalPath)
	if err != nil {
		return "", err
	}
	defer done()
	names := []string{"HEAD"}
	if repository.Ref != "" {
		names = []string{"refs/heads/" + repository.Ref, "refs/tags/" + repository.Ref + "^{}", "refs/tags/" + repository.Ref}
	}
	said := &gitOutput{failed: "The repository couldn't be asked for its latest commit", limit: r.options.DiskLimit, heads: map[string]string{}}
	for _, name := range names {
		said.heads[name] = ""
	}
	err = r.runGit(ctx, r.headBox(repository, source, names), said, func(box sandbox.Box) error {
		return r.options.RunAlone(ctx, box, func(output io.Reader) error { return r.readHead(output, said) })
	})
	if err != nil {
		return "", err
	}
	return said.head(repository.Ref, names)
}

// headSource returns the path at which git's account can read a repository of this server; "" for one elsewhere.
func (r *Repositories) headSource(ctx context.Context, local string) (path string, done func(), err error) {
	if local == "" || r.options.Sandbox.Level() != sandbox.LevelC {
		return local, func() {}, nil
	}
	root, err := os.OpenRoot(r.options.Scratch)
	if err != nil {
		return "", nil, err
	}
	name := folders.RemovedPrefix + "head-" + rand.Text() // what a crash leaves is deleted like removed sessions
	done = func() { _ = errors.Join(folders.Remove(root, name), root.Close()) }
	if err := errors.Join(folders.CopyTree(ctx, local, root, name), root.Chmod(name, 0o755)); err != nil {
		done()
		return "", nil, err
	}
	return filepath.Join(r.options.Scratch, name), done, nil
}

// headBox asks a repository by the ways of a clone: one of this server without a network, all others through a proxy.
func (r *Repositories) headBox(repository engine.Repository, source string, names []string) sandbox.Box {
	command := []string{r.options.Git, "-c", "core.hooksPath=/dev/null", "ls-remote", "--", repository.URL}
	box := sandbox.Box{
		Account: r.options.Account, Network: sandbox.All, Folder: "/", Command: append(command, names...),
		Mounts: []sandbox.Mount{{From: r.options.GitConfig, To: "/session/gitconfig"}},
	}
	if source != "" {
		box.Network, box.Mounts = sandbox.None, append(box.Mounts, sandbox.Mount{From: source, To: "/session/source"})
		box.Environment = insteadOf(repository.URL, r.inside(source, "source"))
	}
	return box
}

func (r *Repositories) readHead(output io.Reader, said *gitOutput) error {
	bounded := &io.LimitedReader{R: output, N: headBytes}
	err := said.read(bounded, func(string) {}, func(line string) { r.options.Logger.Debug("git ls-remote", "said", line) })
	if bounded.N == 0 {
		err = errLargeHead // the names that are wanted may come later
	}
	return err
}

var fullCommit = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// head returns the commit behind the first of the names that there is.
func (g *gitOutput) head(ref string, names []string) (string, error) {
	found := ""
	for _, name := range names {
		found = cmp.Or(found, g.heads[name])
	}
	switch {
	case found != "":
		return found, nil
	case fullCommit.MatchString(ref):
		return ref, nil
	case ref == "":
		return "", fault.New(fault.RefNotFound, "The repository has no commits.")
	}
	return "", fault.New(fault.RefNotFound, "The repository has no branch or tag %s.", fault.Quote(ref))
}
