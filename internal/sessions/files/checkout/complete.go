package checkout

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitlfs"
	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// modulesFetched is how many submodules a session gets.
const modulesFetched = 20

// modulesScript fetches submodules of the repository in $1, whose paths follow, each by itself and without its own submodules.
// Addresses for SSH keys that nobody has here become those for everybody. It prints the paths of those that can't be had.
const modulesScript = `cd "$1" && shift
for path do git=$0; "$git" -c core.hooksPath=/dev/null \
-c url.https://github.com/.insteadOf=git@github.com: -c url.https://github.com/.insteadOf=ssh://git@github.com/ \
-c url.https://gitlab.com/.insteadOf=git@gitlab.com: -c url.https://gitlab.com/.insteadOf=ssh://git@gitlab.com/ \
submodule --quiet update --init --checkout --depth 1 -- "$path" || echo "` + submodulePrefix + `$path"; done`

// complete fetches what a clone in a session's folder has only names of: its submodules, and its files in Git LFS, as far as their hosts
// have them and the session has room. What stays missing is in what git said. None of it stops a launch.
func (c checkout) complete(ctx context.Context, root *os.Root, repository engine.Repository, account int, said *gitOutput, tell func(string)) error {
	if c.options.Web == nil || (len(said.submodules.all) == 0 && len(said.pointers.all) == 0) {
		return nil
	}
	clone, err := root.OpenRoot(path.Join(folders.Clone, clonedName))
	if err != nil {
		return err
	}
	defer clone.Close()
	if err := c.fetchSubmodules(ctx, clone, account, said, tell); err != nil {
		return err
	}
	return c.fetchObjects(ctx, clone, repository.URL, account, said, tell)
}

func (c checkout) fetchSubmodules(ctx context.Context, clone *os.Root, account int, said *gitOutput, tell func(string)) error {
	wanted := said.submodules
	if len(wanted.all) == 0 {
		return nil
	}
	tell("Fetching submodules")
	folder := filepath.Dir(clone.Name())
	inside := c.inside(folder, "clone")
	box := sandbox.Box{
		Account: account, Network: sandbox.All, Folder: inside,
		Mounts:      []sandbox.Mount{{From: folder, To: "/session/clone", Writable: true}, {From: c.options.GitConfig, To: "/session/gitconfig"}},
		Environment: c.patience(),
		Command: append([]string{c.options.Sandbox.Shell(), "-c", modulesScript, c.options.Git, path.Join(inside, clonedName)},
			wanted.all[:min(len(wanted.all), modulesFetched)]...),
	}
	var lacking *gitOutput
	err := watched(ctx, folder, c.session.DiskLimit(), watchEvery, func(ctx context.Context) (err error) {
		lacking, err = c.runGit(ctx, box, tell)
		return err
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil { // as it has no room for one of them, or git was killed: then the session has none
		c.session.Log("The submodules can't be fetched: " + fault.MessageOf(err))
		return dropSubmodules(clone, wanted.all, account)
	}
	said.submodules = lacking.submodules
	for _, one := range wanted.all[min(len(wanted.all), modulesFetched):] {
		said.submodules.add(one)
	}
	said.submodules.count += wanted.count - len(wanted.all)
	return nil
}

// dropSubmodules leaves the folders of submodules empty, as a clone has them.
func dropSubmodules(clone *os.Root, paths []string, account int) error {
	user, group := folders.Owners(account)
	err := clone.RemoveAll(".git/modules")
	for _, one := range paths {
		err = errors.Join(err, clone.RemoveAll(one), clone.Mkdir(one, 0o755), clone.Lchown(one, user, group))
	}
	return err
}

// fetchObjects puts the files that Git LFS keeps elsewhere into the place of their pointers, the small ones first, while they take
// at most half of what the session's files may.
func (c checkout) fetchObjects(ctx context.Context, clone *os.Root, address string, account int, said *gitOutput, tell func(string)) error {
	type file struct {
		path string
		gitlfs.Pointer
	}
	var files []file
	for _, one := range said.pointers.all {
		if pointer, ok := readPointer(clone, one); ok {
			files = append(files, file{one, pointer})
		}
	}
	slices.SortStableFunc(files, func(a, b file) int { return int(min(max(a.Size-b.Size, -1), 1)) })
	room := c.session.DiskLimit() / 2
	var pointers []gitlfs.Pointer
	for i, one := range files {
		if room -= one.Size; room < 0 {
			files = files[:i]
			break
		}
		pointers = append(pointers, one.Pointer)
	}
	if len(pointers) == 0 {
		return nil
	}
	tell("Fetching files in Git LFS")
	objects, err := gitlfs.Locate(ctx, c.options.Web, address, pointers)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		c.session.Log("The files in Git LFS can't be fetched: " + fault.MessageOf(err))
		return nil
	}
	for _, one := range files {
		object, there := objects[one.OID]
		if !there {
			continue
		}
		err := c.fetchObject(ctx, clone, one.path, object, account, func(done int64) {
			tell("Fetching files in Git LFS: " + humanize.Bytes(done) + " of " + one.path)
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			c.session.Log("The file " + fault.Quote(one.path) + " in Git LFS can't be fetched: " + fault.MessageOf(err))
			if folders.IsFull(err) {
				return err
			}
			continue
		}
		said.pointers.remove(one.path)
	}
	return nil
}

// readPointer reads a pointer of Git LFS in a clone. It isn't ok for anything but such a file, links among them.
func readPointer(clone *os.Root, name string) (gitlfs.Pointer, bool) {
	if about, err := clone.Lstat(name); err != nil || !about.Mode().IsRegular() || about.Size() > gitlfs.PointerBytes {
		return gitlfs.Pointer{}, false
	}
	content, err := clone.ReadFile(name)
	if err != nil {
		return gitlfs.Pointer{}, false
	}
	return gitlfs.ParsePointer(content)
}

// fetchObject writes an object beside its pointer and then takes that one's place, so that half a file is never there.
func (c checkout) fetchObject(ctx context.Context, clone *os.Root, name string, object gitlfs.Object, account int, progress func(int64)) error {
	about, err := clone.Lstat(name)
	if err != nil {
		return err
	}
	const partial = ".git/lfs-part"
	to, err := clone.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, about.Mode().Perm())
	if err != nil {
		return err
	}
	err = errors.Join(gitlfs.Download(ctx, c.options.Web, object, io.Writer(to), progress), to.Close())
	if err == nil {
		user, group := folders.Owners(account)
		err = clone.Lchown(partial, user, group)
	}
	if err == nil {
		return clone.Rename(partial, name)
	}
	return errors.Join(err, clone.Remove(partial))
}
