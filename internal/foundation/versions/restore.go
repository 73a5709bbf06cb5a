package versions

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/filetree"
)

// restoring is a Restore under way. It reaches everything by the descriptor of its folder.
type restoring struct {
	ctx      context.Context //nolint:containedctx // of one Restore
	store    *storeState
	options  RestoreOptions
	into     *os.Root
	at       string
	restored Restored
	writing  *writing
	fresh    bool // it is in a folder that has a temporary name itself
}

func (s *storeState) restore(ctx context.Context, id, from string, into *os.Root, at string, options RestoreOptions) (Restored, error) {
	found, err := s.at(id, from)
	if err != nil {
		return Restored{}, err
	}
	if options.Keep == nil {
		options.Keep = func(name string, isFolder bool) bool { return LeaveOutCaches(name, isFolder) != "" }
	}
	r := &restoring{ctx: ctx, store: s, options: options, into: into, at: at}
	r.writing = newWriting(ctx, s)
	defer r.writing.stop()
	err = errors.Join(r.top(found), r.writing.wait())
	return r.restored, explain(err)
}

// top restores to the path that was asked for.
func (r *restoring) top(n *node) error {
	folder, err := r.into.Open(".")
	if err != nil {
		return err
	}
	defer folder.Close()
	parent := int(folder.Fd())
	if r.at == "." || r.at == "" {
		if n.kind != Folder {
			return fmt.Errorf("%w: a folder", ErrExists)
		}
		return r.fill(parent, n, "")
	}
	names := strings.Split(r.at, "/")
	for _, name := range names {
		if !validName(name) {
			return fmt.Errorf("%q is no path in a folder", r.at)
		}
	}
	for _, name := range names[:len(names)-1] {
		next, err := openFolder(parent, name)
		if err != nil {
			return &os.PathError{Op: "open", Path: name, Err: err}
		}
		defer unix.Close(next)
		parent = next
	}
	n = n.named(names[len(names)-1])
	if r.options.Exclusive {
		var about unix.Stat_t
		if err := unix.Fstatat(parent, n.name, &about, unix.AT_SYMLINK_NOFOLLOW); !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("%w: %q", ErrExists, r.at)
		}
	}
	return r.entry(parent, n, "")
}

// named returns a copy with another name.
func (n *node) named(name string) *node {
	renamed := *n
	renamed.name = name
	return &renamed
}

func openFolder(parent int, name string) (int, error) {
	for {
		opened, err := unix.Openat(parent, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return opened, err
		}
	}
}

func (r *restoring) entry(parent int, n *node, here string) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.options.Delete {
		if err := r.makeRoom(parent, n, here); err != nil {
			return err
		}
	}
	switch n.kind {
	case Folder:
		return r.folder(parent, n, here)
	case Link:
		r.restored.Links++
		return r.place(parent, n, func(temporary string) error { return symlink(parent, n, temporary) })
	default:
		r.restored.Files++
		r.restored.Bytes += n.size - n.holes
		return r.place(parent, n, func(temporary string) error { return r.file(parent, n, temporary) })
	}
}

// makeRoom removes a folder where something else goes, and the reverse.
func (r *restoring) makeRoom(parent int, n *node, here string) error {
	var about unix.Stat_t
	err := unix.Fstatat(parent, n.name, &about, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil || (about.Mode&unix.S_IFMT == unix.S_IFDIR) == (n.kind == Folder) {
		return nil //nolint:nilerr // whatever is wrong is found when it is written
	}
	return filetree.Remove(r.ctx, r.into, path.Join(r.at, here))
}

// folder restores a folder. One that isn't there gets its name when it is complete.
func (r *restoring) folder(parent int, n *node, here string) error {
	if folder, err := openOwn(parent, n.name); err == nil {
		defer unix.Close(folder)
		return r.finish(parent, folder, n, here)
	} else if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return fmt.Errorf("%w: %q isn't a folder", ErrExists, n.name)
	} else if !errors.Is(err, unix.ENOENT) {
		return pathError("open", n.name, err)
	}
	temporary := n.name
	if !r.fresh {
		temporary = ".restored-" + rand.Text()
		r.fresh = true
		defer func() { r.fresh = false }()
	}
	if err := unix.Mkdirat(parent, temporary, 0o700); err != nil {
		return pathError("mkdir", n.name, err)
	}
	folder, err := openFolder(parent, temporary)
	if err != nil {
		return pathError("open", n.name, err)
	}
	defer unix.Close(folder)
	err = r.finish(parent, folder, n.named(temporary), here)
	if temporary == n.name {
		return err
	}
	err = errors.Join(err, r.writing.wait())
	if err == nil {
		err = pathError("restore", n.name, unix.Renameat(parent, temporary, parent, n.name))
	}
	if err != nil {
		beside := path.Dir(path.Join(r.at, here))
		err = errors.Join(err, filetree.Remove(context.WithoutCancel(r.ctx), r.into, path.Join(beside, temporary)))
	}
	return err
}

// openOwn opens a folder, also if its owner closed it.
func openOwn(parent int, name string) (int, error) {
	folder, err := openFolder(parent, name)
	if errors.Is(err, unix.EACCES) {
		if err = unix.Fchmodat(parent, name, 0o700, unix.AT_SYMLINK_NOFOLLOW); err == nil {
			folder, err = openFolder(parent, name)
		}
	}
	return folder, err
}

func (r *restoring) finish(parent, folder int, n *node, here string) error {
	r.restored.Folders++
	_ = unix.Fchmod(folder, n.mode&0o777|0o700)
	if err := r.fill(folder, n, here); err != nil {
		return err
	}
	_ = unix.Fchmod(folder, n.mode&0o777) // of another's folder it stays
	_ = unix.UtimesNanoAt(parent, n.name, n.times(), unix.AT_SYMLINK_NOFOLLOW)
	return nil
}

func (n *node) times() []unix.Timespec {
	return []unix.Timespec{{Nsec: unix.UTIME_NOW}, unix.NsecToTimespec(n.modified)}
}

// fill restores what is in a folder.
func (r *restoring) fill(folder int, n *node, here string) error {
	inside, err := r.store.tree(n.content, n.size)
	if err != nil {
		return err
	}
	for i := range inside.nodes {
		if err := r.entry(folder, &inside.nodes[i], path.Join(here, inside.nodes[i].name)); err != nil {
			return err
		}
	}
	if r.options.Delete && !r.fresh {
		return r.remove(inside, here)
	}
	return nil
}

// remove removes what is in a folder and not in the version.
func (r *restoring) remove(inside *tree, here string) error {
	root := path.Join(".", r.at, here)
	var names []string
	err := filetree.Walk(r.ctx, r.into, root, filetree.Limits{Depth: 1}, func(entry *filetree.Entry) error {
		if inside.find(entry.Name) == nil && !r.options.Keep(path.Join(here, entry.Name), entry.IsFolder()) {
			names = append(names, entry.Name)
		}
		return fs.SkipDir
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := filetree.Remove(r.ctx, r.into, path.Join(root, name)); err != nil {
			return err
		}
	}
	return nil
}

// place makes something under a temporary name and then gives it its own.
func (r *restoring) place(parent int, n *node, create func(temporary string) error) error {
	if r.fresh {
		return pathError("restore", n.name, create(n.name))
	}
	temporary := ".restored-" + rand.Text()
	err := create(temporary)
	if err == nil {
		if err = r.writing.wait(); err == nil {
			err = unix.Renameat(parent, temporary, parent, n.name)
		}
	}
	if err != nil {
		_ = unix.Unlinkat(parent, temporary, 0)
	}
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("%w: %q is a folder", ErrExists, n.name)
	}
	return pathError("restore", n.name, err)
}

func (r *restoring) file(parent int, n *node, temporary string) error {
	created, err := unix.Openat(parent, temporary, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return r.writing.begin(created, n)
}

func symlink(parent int, n *node, name string) error {
	if err := unix.Symlinkat(n.target, parent, name); err != nil {
		return err
	}
	_ = unix.UtimesNanoAt(parent, name, n.times(), unix.AT_SYMLINK_NOFOLLOW)
	return nil
}

func pathError(what, name string, err error) error {
	if err == nil || errors.Is(err, ErrDamaged) {
		return err
	}
	return &os.PathError{Op: what, Path: name, Err: err}
}
