package checkout

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/forwardproxy"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// CheckOut clones a repository into a separate folder and moves the complete clone into the work folder with one rename, so
// that half a clone is never mistaken for a repository. An existing folder isn't changed.
//
// The root is that of the session's folder, and account is who owns the clone. private makes what a private repository is cloned from.
func (r *Repositories) CheckOut(
	ctx context.Context, session Session, root *os.Root, repository engine.Repository, private engine.Cloner, account int, tell func(string),
) error {
	if repository.URL == "" {
		return nil
	}
	c := checkout{r, session}
	folder := path.Join(folders.Work, repository.Folder)
	switch there, err := folders.Exists(root, folder); {
	case err != nil:
		return err
	case there:
		tell("Kept from before")
		return nil
	}
	var err error
	if err := checkLocal(repository); err != nil {
		return err
	}
	defer session.Unpin(cache.KeyOf(repository.URL))
	var from source
	if repository.Private {
		from, err = c.privateSource(ctx, root, private, account, tell)
	} else {
		from, err = c.source(ctx, root, repository, tell)
	}
	if err != nil {
		return err
	}
	defer from.done()
	repository.LocalPath = from.path
	if err := folders.Own(root, folders.Clone, account); err != nil {
		return err
	}
	said, err := c.runGit(ctx, r.cloneBox(root.Name(), repository, account), tell)
	if err != nil {
		if from.note != "" && fault.CodeOf(err) == fault.RefNotFound {
			return diagnosis.With(fault.New(fault.Unavailable, "The repository's host doesn't answer, and the copy that this server keeps has no branch, tag or commit %s%s",
				fault.Quote(repository.Ref), asOf(from.path)), diagnosis.CloneUnreachable)
		}
		return err
	}
	if err := session.RecordCommit(said.commit, said.committedAt); err != nil { // before the folder is in place, which no launch copies again
		return err
	}
	if err := c.complete(ctx, root, repository, account, said, tell); err != nil {
		return err
	}
	if err := root.Rename(path.Join(folders.Clone, clonedName), folder); err != nil {
		return err
	}
	lacks := said.lacks()
	if lacks != "" {
		session.Log(lacks)
	}
	if note := strings.TrimSpace(from.note + " " + lacks); note != "" {
		tell(note)
	}
	return folders.Remove(root, folders.Clone)
}

const clonedName = "repository"

// cloneScript clones $1 into $2. If $3 names a branch, tag or commit, it checks that out; if there is none, it prints the
// branches and tags that there are. At its end it prints the submodules, whose files it leaves out, the files of which it
// has only the pointers of Git LFS, and the commit and its time, which an empty repository doesn't have. Git doesn't call the
// pointers changed when their files take their places.
// The arguments are data, and names are only passed to git in forms that are no options.
const (
	cloneScript = `git() { command "$0" -c core.hooksPath=/dev/null "$@"; }
tell() {
git -c core.quotePath=false ls-files --stage | while read -r mode id stage name; do [ "$mode" != 160000 ] || echo "` + submodulePrefix + `$name"; done
git -c core.quotePath=false ls-files -- ':(attr:filter=lfs)' | while read -r name; do
[ -f "$name" ] && read -r line <"$name" && case "$line" in "version https://git-lfs.github.com/spec/"*) echo "` + pointerPrefix + `$name"; printf '%s\n' "$name" >&3;; esac; done 3>&1 >&2 | git update-index --assume-unchanged --stdin
git log -1 --no-show-signature --format='` + commitPrefix + `%H %ct' 2>/dev/null; exit 0; }
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

	submodulePrefix = "submodule "
	pointerPrefix   = "lfs-pointer "
)

// errNoAnswer is the cause if the network or the repository's host failed.
var errNoAnswer = errors.New("the host of the repository isn't responding")

// runGit runs git in a box of the session, and returns what it said.
func (c checkout) runGit(ctx context.Context, box sandbox.Box, tell func(string)) (*gitOutput, error) {
	said := &gitOutput{failed: "The repository couldn't be copied", limit: c.session.DiskLimit()}
	return said, c.Repositories.runGit(ctx, box, said, func(box sandbox.Box) error {
		return c.session.Run(ctx, box, func(output io.Reader) error { return said.read(output, tell, c.session.Log) })
	})
}

// runGit runs git as an account that owns everything it writes: git refuses trees of other accounts, and hooks and
// filters would run with its rights. It must not see the home folder of a session, where a user could have configured
// programs for it. Run fills in what git says.
func (r *Repositories) runGit(ctx context.Context, box sandbox.Box, said *gitOutput, run func(sandbox.Box) error) error {
	environment := []string{
		"HOME=" + box.Folder, "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + r.inside(r.options.GitConfig, "gitconfig"),
	}
	unreachable := func() bool { return false }
	if box.Network != sandbox.All {
		environment = append(environment, "GIT_ALLOW_PROTOCOL=file")
	} else {
		proxy, err := forwardproxy.Open(r.options.Web.Dial, r.options.Logger)
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

// cloneBox is git's view: the folder of the clone, and the source, which is on this machine. The origin remains the
// repository's address.
func (r *Repositories) cloneBox(sessionFolder string, repository engine.Repository, account int) sandbox.Box {
	folder, source := filepath.Join(sessionFolder, folders.Clone), repository.LocalPath
	mounts := []sandbox.Mount{
		{From: folder, To: "/session/clone", Writable: true},
		{From: r.options.GitConfig, To: "/session/gitconfig"},
		{From: source, To: "/session/source"},
	}
	folder, source = r.inside(folder, "clone"), r.inside(source, "source")
	return sandbox.Box{
		Account: account, Mounts: mounts, Folder: folder, Environment: insteadOf(repository.URL, source),
		Command: []string{
			r.options.Sandbox.Shell(), "-c", cloneScript, r.options.Git, repository.URL, path.Join(folder, clonedName), repository.Ref,
		},
	}
}
