package handouts

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitclient"
	"cairn/internal/sessions/engine"
)

// TemporaryPrefix begins the names of the temporary folders of Git. A process that is killed leaves them, and whoever owns
// the folder in which they are may delete them when it starts.
const TemporaryPrefix = "handouts-"

// Git runs git on this machine to find what changed: it fetches the two commits alone into a temporary folder or, from hosts that give no
// single commits, all branches and tags.
type Git struct {
	options gitclient.Options
	folder  string // in which temporary folders are made; "": the system's
}

var _ Repositories = (*Git)(nil)

// NewGit returns a Git that makes temporary folders in a folder, whose names begin with TemporaryPrefix; "": the system's.
func NewGit(options gitclient.Options, folder string) *Git {
	return &Git{options, cmp.Or(folder, os.TempDir())}
}

// gitWork is what git does for one question about a repository, in a temporary folder.
type gitWork struct {
	*gitclient.Repository

	logger *slog.Logger // may be nil
	folder string
}

// open prepares the work with a repository. Call close in the end.
func (g *Git) open(repository engine.Repository) (*gitWork, error) {
	if repository.URL == "" {
		return nil, fault.InvalidField("repository.url", "There is no repository to ask.")
	}
	if err := repository.Validate(); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(g.folder, TemporaryPrefix)
	if err != nil {
		return nil, err
	}
	opened, err := gitclient.Open(g.options, folder, gitclient.Source{Address: repository.URL, Path: repository.LocalPath})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return &gitWork{opened, g.options.Logger, folder}, nil
}

func (w *gitWork) close() {
	if err := errors.Join(w.Close(), os.RemoveAll(w.folder)); err != nil && w.logger != nil {
		w.logger.Warn("a temporary folder can't be deleted", "folder", w.folder, "error", err)
	}
}

const (
	resolveTime = 30 * time.Second
	changesTime = 5 * time.Minute

	listBytes = 1 << 20 // of the answer about one name
	diffBytes = 8 << 20 // of the list of what differs
	lineBytes = 4 << 10 // of a line about an object
)

var (
	errLateHost = fault.New(fault.Unavailable, "The repository's host didn't answer in time.")
	errTooMuch  = fault.New(fault.TooLarge, "More has changed in the repository than can be handed out at once.")
)

// Resolve implements Repositories.
func (g *Git) Resolve(ctx context.Context, repository engine.Repository, ref string) (string, error) {
	repository.Ref = ref
	ctx, cancel := context.WithTimeoutCause(ctx, resolveTime, errLateHost)
	defer cancel()
	work, err := g.open(repository)
	if err != nil {
		return "", err
	}
	defer work.close()
	names := []string{"HEAD"}
	if ref != "" {
		names = []string{"refs/heads/" + ref, "refs/tags/" + ref + "^{}", "refs/tags/" + ref}
	}
	said, err := work.Output(ctx, true, listBytes, append([]string{"ls-remote", "--", work.Source()}, names...)...)
	if err != nil {
		return "", err
	}
	commit := head(said, names)
	switch {
	case commit != "":
		return commit, nil
	case commitPattern.MatchString(ref):
		return ref, nil
	case ref == "":
		return "", fault.New(fault.RefNotFound, "The repository has no commits.")
	}
	return "", fault.New(fault.RefNotFound, "The repository has no branch or tag %s.", fault.Quote(ref))
}

// Changes implements Repositories.
func (g *Git) Changes(ctx context.Context, repository engine.Repository, from, to string) (Changed, error) {
	for _, one := range []string{from, to} {
		if !commitPattern.MatchString(one) || len(one) != len(from) {
			return Changed{}, fault.New(fault.RefNotFound, "%s isn't the full id of a commit.", fault.Quote(one))
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, changesTime, errLateHost)
	defer cancel()
	work, err := g.open(repository)
	if err != nil {
		return Changed{}, err
	}
	defer work.close()
	if err := work.fetch(ctx, from, to); err != nil {
		return Changed{}, err
	}
	said, err := work.Output(ctx, false, diffBytes, "diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", from, to)
	if errors.Is(err, gitclient.ErrTooMuchSaid) {
		err = errTooMuch
	}
	if err != nil {
		return Changed{}, err
	}
	changes, leftOut, err := readChanges(said, repository.Folder)
	if err != nil {
		return Changed{}, err
	}
	sizes, err := work.sizes(ctx, changes)
	if err == nil {
		err = checkSizes(changes, sizes)
	}
	if err != nil {
		return Changed{}, err
	}
	contents, digests, err := work.contents(ctx, changes, sizes)
	if err != nil {
		return Changed{}, err
	}
	return Changed{bundle(changes, contents, digests, to), leftOut}, nil
}

// fetch fetches two commits with their files, without those that are too large.
func (w *gitWork) fetch(ctx context.Context, from, to string) error {
	config, err := w.makeRepository(ctx, from)
	if err != nil {
		return err
	}
	fetching := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"}
	_, err = w.Output(ctx, true, listBytes, slices.Concat(fetching, []string{
		"--depth=1", fmt.Sprintf("--filter=blob:limit=%d", FileLimit+1), "--", w.Source(), from, to,
	})...)
	if ctx.Err() != nil || errors.Is(err, gitclient.ErrUnreachable) || errors.Is(err, gitclient.ErrHidden) || w.IsOver() {
		return err
	}
	if err == nil {
		// git notes that what is missing can be fetched later, and would do that whenever it's looked for.
		if err := w.SetConfig(config); err != nil {
			return err
		}
		if w.missing(ctx, from, to) == nil {
			return nil
		}
	}
	if _, err := w.makeRepository(ctx, from); err != nil { // of a part, git wouldn't fetch the rest
		return err
	}
	_, err = w.Output(ctx, true, listBytes, append(fetching, "--", w.Source(), "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")...)
	if err != nil {
		return err
	}
	return w.missing(ctx, from, to)
}

// makeRepository makes the repository anew, for commits with ids like this one, and returns its configuration.
func (w *gitWork) makeRepository(ctx context.Context, commit string) ([]byte, error) {
	format := "sha1"
	if len(commit) == 64 {
		format = "sha256"
	}
	if err := w.Make(ctx, format); err != nil {
		return nil, err
	}
	return w.Config()
}

// missing returns a RefNotFound fault unless the commits have been fetched.
func (w *gitWork) missing(ctx context.Context, commits ...string) error {
	for _, one := range commits {
		_, err := w.Output(ctx, false, listBytes, "rev-parse", "--quiet", "--verify", "--end-of-options", one+"^{commit}")
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return fault.Wrap(err, fault.RefNotFound, "The repository has no commit %s any more.", fault.Quote(one[:7]))
		}
	}
	return nil
}

// sizes returns the sizes of the contents that are there, by their ids.
func (w *gitWork) sizes(ctx context.Context, changes []change) (map[string]int64, error) {
	var asked strings.Builder
	for _, one := range changes {
		fmt.Fprintln(&asked, one.now)
		if one.old != "" {
			fmt.Fprintln(&asked, one.old)
		}
	}
	sizes := map[string]int64{}
	err := w.Run(ctx, false, strings.NewReader(asked.String()), func(output io.Reader) error {
		for lines := bufio.NewScanner(output); ; {
			if !lines.Scan() {
				return lines.Err()
			}
			var id, kind string
			var size int64
			if _, err := fmt.Sscan(lines.Text(), &id, &kind, &size); err == nil && kind == "blob" {
				sizes[id] = size
			}
		}
	}, "cat-file", "--batch-check")
	return sizes, err
}

// contents returns the new contents, and the digests of the old ones that are there, by their ids. Their sizes are known.
func (w *gitWork) contents(ctx context.Context, changes []change, sizes map[string]int64) (contents map[string][]byte, digests map[string]string, err error) {
	contents, digests = map[string][]byte{}, map[string]string{}
	var asked bytes.Buffer
	keep := []bool{}
	ask := func(id string, keeps bool) {
		if size, there := sizes[id]; there && size <= FileLimit {
			fmt.Fprintln(&asked, id)
			keep = append(keep, keeps)
		}
	}
	for _, one := range changes {
		ask(one.now, true)
		ask(one.old, false)
	}
	err = w.Run(ctx, false, &asked, func(output io.Reader) error {
		reader := bufio.NewReaderSize(output, lineBytes)
		for _, keeps := range keep {
			id, content, err := readObject(reader)
			if err != nil {
				return err
			}
			if keeps {
				contents[id] = content
			} else {
				digests[id] = Digest(content)
			}
		}
		return nil
	}, "cat-file", "--batch")
	return contents, digests, err
}

// readObject reads one content of what git cat-file --batch says.
func readObject(from *bufio.Reader) (id string, content []byte, err error) {
	line, err := from.ReadSlice('\n')
	if err != nil {
		return "", nil, err
	}
	var kind string
	var size int64
	if _, err := fmt.Sscan(string(line), &id, &kind, &size); err != nil || kind != "blob" || size < 0 || size > FileLimit {
		return "", nil, errDiff
	}
	content = make([]byte, size)
	if _, err := io.ReadFull(from, content); err != nil {
		return "", nil, err
	}
	_, err = from.Discard(1)
	return id, content, err
}
