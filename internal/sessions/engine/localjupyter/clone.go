package localjupyter

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/opening"
	"cairn/internal/sessions/engine/requirements"
)

// copyRepository clones into a separate folder and moves the complete clone into the work folder with one rename, so
// that half a clone is never mistaken for a repository. An existing folder isn't changed.
func (s *session) copyRepository(ctx context.Context, root *os.Root, tell func(string)) error {
	s.mu.Lock()
	repository, userID := s.record.Spec.Repository, s.record.UserID
	s.mu.Unlock()
	if repository.URL == "" {
		return nil
	}
	folder := path.Join(workName, repository.Folder)
	switch there, err := exists(root, folder); {
	case err != nil:
		return err
	case there:
		tell("Kept from before")
		return nil
	}
	if err := checkLocal(repository); err != nil {
		return err
	}
	defer s.unuse(keyOf(repository.URL))
	from, err := s.source(ctx, root, repository, tell)
	if err != nil {
		return err
	}
	defer from.done()
	repository.LocalPath = from.path
	if err := ownFolder(root, cloneName, userID); err != nil {
		return err
	}
	said, err := s.runGit(ctx, s.cloneBox(repository, userID), tell)
	if err != nil {
		if from.note != "" && fault.CodeOf(err) == fault.RefNotFound {
			return diagnosis.With(fault.New(fault.Unavailable, "The repository's host doesn't answer, and the copy that this server keeps has no branch, tag or commit %s%s",
				fault.Quote(repository.Ref), asOf(from.path)), diagnosis.CloneUnreachable)
		}
		return err
	}
	s.mu.Lock()
	s.record.Commit, s.record.CommittedAt = said.commit, said.committedAt
	err = s.save() // before the folder is in place, which no launch copies again
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if err := root.Rename(path.Join(cloneName, clonedName), folder); err != nil {
		return err
	}
	if from.note != "" {
		tell(from.note)
	}
	return removeTree(root, cloneName)
}

// checkLocal returns an error if a repository of this server is no longer there.
func checkLocal(repository engine.Repository) error {
	if repository.LocalPath == "" {
		return nil
	}
	if _, err := os.Stat(repository.LocalPath); err != nil {
		return diagnosis.With(fault.Wrap(err, fault.Unavailable, "The repository is no longer on this server."), diagnosis.CloneRefused)
	}
	return nil
}

const clonedName = "repository"

// cloneScript clones $1 into $2. If $3 names a branch, tag or commit, it checks that out; if there is none, it prints the
// branches and tags that there are. At its end it prints the commit and its time, which an empty repository doesn't have.
// The arguments are data, and names are only passed to git in forms that are no options.
const (
	cloneScript = `git() { command "$0" -c core.hooksPath=/dev/null "$@"; }
tell() { git log -1 --no-show-signature --format='` + commitPrefix + `%H %ct' 2>/dev/null; exit 0; }
[ -n "$3" ] || { git clone --progress --no-hardlinks -- "$1" "$2" && cd "$2" && tell; exit; }
git clone --progress --no-hardlinks --no-checkout -- "$1" "$2" && cd "$2" || exit
has() { git rev-parse --quiet --verify --end-of-options "$1^{commit}" >/dev/null; }
if has "refs/remotes/origin/$3"; then git checkout --progress -B "$3" --track "refs/remotes/origin/$3"
elif has "refs/tags/$3"; then git checkout --progress --detach "refs/tags/$3"
elif case "$3" in *[!0-9a-f]*) false ;; ???????*) has "$3" ;; *) false ;; esac; then git checkout --progress --detach "$3"
else echo "` + noRefPrefix + `$3"; git for-each-ref --format='` + refPrefix + `%(refname:lstrip=3)' refs/remotes/origin; git for-each-ref --format='` + refPrefix + `%(refname:lstrip=2)' refs/tags; exit 1
fi && tell`
	noRefPrefix  = "no-ref "
	refPrefix    = "has-ref "
	commitPrefix = "commit-is "
)

// errNoAnswer is the cause if the network or the repository's host failed.
var errNoAnswer = errors.New("the host of the repository isn't responding")

// runGit runs git in a box of the session, and returns what it said.
func (s *session) runGit(ctx context.Context, box sandbox.Box, tell func(string)) (*gitOutput, error) {
	said := &gitOutput{failed: "The repository couldn't be copied", limit: s.diskLimit()}
	return said, s.engine.runGit(ctx, box, said, func(box sandbox.Box) error {
		return s.run(ctx, box, func(output io.Reader) error { return said.read(output, tell, s.appendLog) })
	})
}

// runGit runs git as an account that owns everything it writes: git refuses trees of other accounts, and hooks and
// filters would run with its rights. It must not see the home folder of a session, where a user could have configured
// programs for it. Run fills in what git says.
func (e *Engine) runGit(ctx context.Context, box sandbox.Box, said *gitOutput, run func(sandbox.Box) error) error {
	environment := []string{
		"HOME=" + box.Folder, "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + e.inside(e.gitConfig(), "gitconfig"),
	}
	unreachable := func() bool { return false }
	if box.Network != sandbox.All {
		environment = append(environment, "GIT_ALLOW_PROTOCOL=file")
	} else {
		proxy, err := sandbox.OpenProxy(e.options.Web.Dial, e.options.Logger)
		if err != nil {
			return err
		}
		defer proxy.Close()
		unreachable = proxy.Failed
		environment = slices.Concat(environment, []string{"GIT_ALLOW_PROTOCOL=http:https"}, proxy.Environment())
	}
	box.Environment = append(environment, box.Environment...)
	err := run(box)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if unreachable() {
		return diagnosis.With(fault.Wrap(errors.Join(errNoAnswer, err), fault.Unavailable,
			"%s: its host can't be reached on the public internet.", said.failed), diagnosis.CloneUnreachable)
	}
	if said.noAnswer {
		err = errors.Join(errNoAnswer, err)
	}
	if said.ref != "" {
		return engine.RefNotFound(said.ref, said.refs)
	}
	err = fault.Wrap(err, fault.Unavailable, "%s", said.reason())
	if said.tooBig {
		return diagnosis.With(err, diagnosis.TooLarge)
	}
	return err
}

// run runs a command in a box of the session to its end and passes its output to read. If the context ends first, the
// launch is over: all of the session is killed, so that nothing keeps working on what others wait for.
func (s *session) run(ctx context.Context, box sandbox.Box, read func(io.Reader) error) error {
	err := s.engine.sandbox.Run(ctx, s.boxed(box), read)
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), s.sweep())
	}
	return err
}

// boxed adds to a box what all boxes of a session have.
func (s *session) boxed(box sandbox.Box) sandbox.Box {
	s.mu.Lock()
	defer s.mu.Unlock()
	box.Name, box.Groups, box.Limits = s.id, s.record.Groups, s.boxLimits()
	return box
}

// cloneBox is git's view: the folder of the clone, and the source, which is on this machine. The origin remains the
// repository's address.
func (s *session) cloneBox(repository engine.Repository, userID int) sandbox.Box {
	folder, source := filepath.Join(s.folder, cloneName), repository.LocalPath
	mounts := []sandbox.Mount{
		{From: folder, To: "/session/clone", Writable: true},
		{From: s.engine.gitConfig(), To: "/session/gitconfig"},
		{From: source, To: "/session/source"},
	}
	folder, source = s.engine.inside(folder, "clone"), s.engine.inside(source, "source")
	return sandbox.Box{
		Account: userID, Mounts: mounts, Folder: folder, Environment: insteadOf(repository.URL, source),
		Command: []string{
			s.engine.sandbox.Shell(), "-c", cloneScript, s.engine.options.Git, repository.URL, path.Join(folder, clonedName), repository.Ref,
		},
	}
}

// insteadOf returns the variables that make git use a source on this machine in place of an address.
func insteadOf(address, source string) []string {
	return []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url." + source + ".insteadOf", "GIT_CONFIG_VALUE_0=" + address}
}

// inside is the path by which a command in its box finds a path of the machine.
func (e *Engine) inside(path, name string) string {
	if e.sandbox.Level().Mounts() {
		return "/session/" + name
	}
	return path
}

// gitOutput is git's standard error.
type gitOutput struct {
	failed string // what couldn't be done if git fails: the beginning of a sentence
	limit  int64  // maximum size of a file, in bytes
	fatal  string
	tooBig bool
	full   bool

	noAnswer bool // the host failed, or the connection to it

	ref  string   // a branch, tag or commit that the repository doesn't have
	refs []string // those that it has

	commit      string // that was checked out
	committedAt time.Time
	heads       map[string]string // the ids behind the names that are its keys, for those that git ls-remote listed
}

var (
	gitFailed  = regexp.MustCompile(`^(?:fatal|error): (?:unable to access|RPC failed|.*(?:early EOF|hung up unexpectedly|unexpected disconnect))`)
	gitRefused = regexp.MustCompile(`The requested URL returned error: 4(?:[013-9]|2[0-8])`) // responses of the host itself, except "too many requests"
)

// The lines of cloneScript and of git ls-remote that name a commit. Times are in seconds since 1970.
var (
	commitLine = regexp.MustCompile(`^` + commitPrefix + `([0-9a-f]{40}|[0-9a-f]{64})(?: ([0-9]*))?$`)
	headLine   = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})\t(.+)$`)
)

var gitProgress = regexp.MustCompile(`^(?:remote: )?([A-Z][a-z]+ [a-z]+): +([0-9]{1,3})%(?: \([0-9/]+\), ([0-9.]+ [KMG]iB))?`)

// read passes progress to tell and the other lines to the log, until git ends.
func (g *gitOutput) read(from io.Reader, tell, log func(string)) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	lines.Split(splitProgress)
	last := ""
	for lines.Scan() {
		line := strings.TrimSpace(strings.ToValidUTF8(lines.Text(), "?"))
		if found := gitProgress.FindStringSubmatch(line); found != nil {
			detail := fmt.Sprintf("%s: %s %%", found[1], found[2])
			if found[3] != "" {
				detail += ", " + found[3] // a large file doesn't change the percentage for a long time
			}
			if detail != last {
				last = detail
				tell(detail)
			}
			continue
		}
		if name, found := strings.CutPrefix(line, noRefPrefix); found {
			g.ref = name
			continue
		}
		if name, found := strings.CutPrefix(line, refPrefix); found {
			if name != "HEAD" {
				g.refs = append(g.refs, name)
			}
			continue
		}
		if found := commitLine.FindStringSubmatch(line); found != nil {
			seconds, _ := strconv.ParseInt(found[2], 10, 64) // whoever commits can make it any
			g.commit, g.committedAt = found[1], time.Unix(min(seconds, latestDate.Unix()), 0).UTC()
			continue
		}
		if found := headLine.FindStringSubmatch(line); found != nil && g.heads != nil {
			if _, asked := g.heads[found[2]]; asked {
				g.heads[found[2]] = found[1]
			}
			continue
		}
		if line == "" {
			continue
		}
		log(line)
		g.tooBig = g.tooBig || strings.Contains(line, "File too large") || strings.Contains(line, "died of signal 25")
		g.noAnswer = g.noAnswer || (gitFailed.MatchString(line) && !gitRefused.MatchString(line))
		g.full = g.full || strings.Contains(line, "No space left on device")
		if reason, isFatal := strings.CutPrefix(line, "fatal: "); isFatal {
			g.fatal = reason
		}
	}
	return lines.Err()
}

// splitProgress also ends lines at carriage returns, with which git overwrites its progress.
func splitProgress(content []byte, atEnd bool) (advance int, line []byte, err error) {
	if end := bytes.IndexAny(content, "\r\n"); end >= 0 {
		return end + 1, content[:end], nil
	}
	if atEnd && len(content) > 0 {
		return len(content), content, nil
	}
	return 0, nil, nil
}

// reason turns git's last message into a sentence.
func (g *gitOutput) reason() string {
	switch {
	case g.full:
		return diskFull
	case g.tooBig:
		return "The repository is larger than the " + engine.Size(g.limit) + " that a session's files may take."
	case strings.Contains(g.fatal, "could not read Username"), strings.Contains(g.fatal, "Authentication failed"):
		return g.failed + ": it doesn't exist, or it isn't public."
	case g.fatal == "" && g.heads != nil:
		return g.failed + "."
	case g.fatal == "":
		return g.failed + ". See the log."
	default:
		said := []rune(g.fatal)
		return g.failed + ": " + strings.TrimRight(string(said[:min(len(said), 300)]), ".") + "."
	}
}

// notebookName is where the content of a spec's notebook waits for the launch.
const notebookName = "notebook.ipynb"

// keepNotebook keeps the content for a launch, which may happen after a restart of this server.
func (s *session) keepNotebook(given engine.Notebook) error {
	if len(given.Content) == 0 {
		return nil
	}
	return os.WriteFile(filepath.Join(s.folder, notebookName), given.Content, 0o600)
}

// chooseFile puts the notebook of the spec into the work folder, unless something has its name, and decides which file
// the session opens.
func (s *session) chooseFile(root *os.Root) error {
	s.mu.Lock()
	spec, userID := s.record.Spec, s.record.UserID
	s.mu.Unlock()
	if err := s.placeNotebook(root, spec.Notebook.Name, userID); err != nil {
		return err
	}
	work, err := root.OpenRoot(workName)
	if err != nil {
		return err
	}
	defer work.Close()
	declared := ""
	if repository, err := work.OpenRoot(spec.Repository.Folder); spec.Repository.Folder != "" && err == nil {
		declared = requirements.Open(requirements.FromFolder(repository), s.engine.options.Descriptors)
		_ = repository.Close()
	}
	opens, note := opening.Choose(work.FS(), spec, declared)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.Opens, s.record.OpenNote = opens, note // written with the phase that follows
	return nil
}

func (s *session) placeNotebook(root *os.Root, name string, userID int) error {
	if name == "" {
		return nil
	}
	there, err := exists(root, path.Join(workName, name))
	if err != nil {
		return err
	}
	if !there {
		user, group := owners(userID)
		if err = root.Lchown(notebookName, user, group); err == nil {
			err = root.Rename(notebookName, path.Join(workName, name))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // its user removed it
	}
	return err
}
