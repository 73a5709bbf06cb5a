package localjupyter

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

	"cairn/internal/fault"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/engine"
)

const (
	headTime  = 30 * time.Second // how long a repository may take to answer
	headBytes = 1 << 20          // of its answer about one name
)

var (
	errSlowHead  = fault.New(fault.Unavailable, "The repository couldn't be asked for its latest commit: its host didn't answer within %d seconds.", headTime/time.Second)
	errLargeHead = errors.New("the answer is too large")
)

// Head implements engine.Runner.
func (e *Engine) Head(ctx context.Context, repository engine.Repository) (string, error) {
	if repository == (engine.Repository{}) {
		return "", fault.InvalidField("repository.url", "There is no repository to ask.")
	}
	if err := errors.Join(repository.Validate(), checkLocal(repository)); err != nil {
		return "", err
	}
	if repository.LocalPath == "" && e.options.Web == nil {
		return "", errNoElsewhere
	}
	ctx, cancel := context.WithTimeoutCause(ctx, headTime, errSlowHead)
	defer cancel()
	defer context.AfterFunc(e.background, cancel)()
	source, done, err := e.headSource(ctx, repository.LocalPath)
	if err != nil {
		return "", err
	}
	defer done()
	names := []string{"HEAD"}
	if repository.Ref != "" {
		names = []string{"refs/heads/" + repository.Ref, "refs/tags/" + repository.Ref + "^{}", "refs/tags/" + repository.Ref}
	}
	said := &gitOutput{failed: "The repository couldn't be asked for its latest commit", limit: e.options.Limits.Disk, heads: map[string]string{}}
	for _, name := range names {
		said.heads[name] = ""
	}
	err = e.runGit(ctx, e.headBox(repository, source, names), said, func(box sandbox.Box) error {
		return e.aside(ctx, box, func(output io.Reader) error { return e.readHead(output, said) })
	})
	if err != nil {
		return "", err
	}
	return said.head(repository.Ref, names)
}

// headSource returns the path at which git's account can read a repository of this server; "" for one elsewhere.
func (e *Engine) headSource(ctx context.Context, local string) (path string, done func(), err error) {
	if local == "" || e.sandbox.Level() != sandbox.LevelC {
		return local, func() {}, nil
	}
	root, err := os.OpenRoot(e.options.Dir)
	if err != nil {
		return "", nil, err
	}
	name := removedPrefix + "head-" + rand.Text() // what a crash leaves is deleted like removed sessions
	done = func() { _ = errors.Join(removeTree(root, name), root.Close()) }
	if err := errors.Join(copyTree(ctx, local, root, name), root.Chmod(name, 0o755)); err != nil {
		done()
		return "", nil, err
	}
	return filepath.Join(e.options.Dir, name), done, nil
}

// headBox asks a repository by the ways of a clone: one of this server without a network, all others through a proxy.
func (e *Engine) headBox(repository engine.Repository, source string, names []string) sandbox.Box {
	command := []string{e.options.Git, "-c", "core.hooksPath=/dev/null", "ls-remote", "--", repository.URL}
	box := sandbox.Box{
		Account: e.keeper, Network: sandbox.All, Folder: "/", Command: append(command, names...),
		Mounts: []sandbox.Mount{{From: e.gitConfig(), To: "/session/gitconfig"}},
	}
	if source != "" {
		box.Network, box.Mounts = sandbox.None, append(box.Mounts, sandbox.Mount{From: source, To: "/session/source"})
		box.Environment = insteadOf(repository.URL, e.inside(source, "source"))
	}
	return box
}

func (e *Engine) readHead(output io.Reader, said *gitOutput) error {
	bounded := &io.LimitedReader{R: output, N: headBytes}
	err := said.read(bounded, func(string) {}, func(line string) { e.options.Logger.Debug("git ls-remote", "said", line) })
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
