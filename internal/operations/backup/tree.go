package backup

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

// passes is how often a file is copied that changes meanwhile.
const passes = 3

// tree copies a folder of a session as it is, without following links: files, folders and links. Then it looks at each
// file again, and copies anew those that changed meanwhile. Other kinds, such as sockets, are left out.
func (w *writer) tree(ctx context.Context, from *os.Root, tree, to string) error {
	t := &treeCopy{writer: w, from: from, to: to, done: map[string]item{}, seen: map[string]fileState{}}
	var changed []string
	for range passes {
		var err error
		if changed, err = t.pass(ctx, tree); err != nil {
			return err
		}
		if len(changed) == 0 {
			break
		}
	}
	for _, name := range changed {
		w.changing = append(w.changing, path.Join(to, name))
	}
	for _, name := range slices.Sorted(maps.Keys(t.done)) { // folders come before what is in them
		w.items = append(w.items, t.done[name])
	}
	return nil
}

type treeCopy struct {
	writer *writer
	from   *os.Root
	to     string

	done map[string]item // by the path in the session's folder
	seen map[string]fileState
}

// fileState changes when a file is written.
type fileState struct {
	size          int64
	changed       time.Time
	device, inode uint64
}

func stateOf(about fs.FileInfo) fileState {
	state := fileState{size: about.Size(), changed: about.ModTime()}
	if stat, ok := about.Sys().(*syscall.Stat_t); ok {
		state.device, state.inode = stat.Dev, stat.Ino
		state.changed = time.Unix(stat.Ctim.Unix())
	}
	return state
}

// pass copies what is new or has changed since the last one, removes what is gone, and returns the files that it copied.
func (t *treeCopy) pass(ctx context.Context, tree string) (changed []string, err error) {
	here := map[string]bool{}
	err = t.walk(ctx, tree, func(name string, about fs.FileInfo) error {
		here[name] = true
		copied, err := t.copy(name, about)
		if copied {
			changed = append(changed, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(t.done))) {
		if !here[name] {
			delete(t.done, name)
			delete(t.seen, name)
			if err := t.writer.root.Remove(path.Join(t.to, name)); err != nil {
				return nil, err
			}
		}
	}
	return changed, nil
}

// walk visits what is in a folder, folders first. What vanishes meanwhile is skipped.
func (t *treeCopy) walk(ctx context.Context, name string, visit func(name string, about fs.FileInfo) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	about, err := t.from.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = visit(name, about)
	}
	if err != nil || !about.IsDir() {
		return err
	}
	folder, err := t.from.Open(name)
	if err != nil {
		return ignoreGone(err)
	}
	names, err := folder.Readdirnames(-1)
	_ = folder.Close()
	slices.Sort(names)
	for _, inner := range names {
		if err := t.walk(ctx, path.Join(name, inner), visit); err != nil {
			return err
		}
	}
	return ignoreGone(err)
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) {
		return nil
	}
	return err
}

// copy copies one file, folder or link, unless it is as it was copied before.
func (t *treeCopy) copy(name string, about fs.FileInfo) (copied bool, err error) {
	state := stateOf(about)
	known, copiedBefore := t.done[name]
	one := item{Path: path.Join(t.to, name), Mode: about.Mode().Perm(), Time: about.ModTime().UTC()}
	switch kind := about.Mode().Type(); kind {
	case fs.ModeDir:
		one.Type = typeFolder
	case fs.ModeSymlink:
		one.Type = typeLink
	case 0:
		one.Type = typeFile
	default:
		return false, nil
	}
	if copiedBefore && known.Type != one.Type {
		if err := t.writer.root.RemoveAll(one.Path); err != nil {
			return false, err
		}
		maps.DeleteFunc(t.done, func(below string, _ item) bool { return strings.HasPrefix(below, name+"/") })
		copiedBefore = false
	}
	switch one.Type {
	case typeFolder:
		if !copiedBefore {
			err = t.writer.root.Mkdir(one.Path, 0o700)
		}
	case typeLink:
		if copiedBefore && t.seen[name] == state {
			return false, nil
		}
		copied = true
		if one.Target, err = t.from.Readlink(name); err == nil {
			_ = t.writer.root.Remove(one.Path)
			err = t.writer.root.Symlink(one.Target, one.Path)
		}
	case typeFile:
		if copiedBefore && t.seen[name] == state {
			return false, nil
		}
		copied = true
		one.Size, one.SHA256, err = t.file(name, one.Path)
	}
	if errors.Is(err, fs.ErrNotExist) { // it is gone; the next pass removes what was copied
		return copied, nil
	}
	if err == nil {
		t.done[name], t.seen[name] = one, state
	}
	return copied, err
}

// file copies the content of a regular file. Opened without waiting, so that a pipe that took its name doesn't hang it.
func (t *treeCopy) file(name, to string) (size int64, digest string, err error) {
	file, err := t.from.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return 0, "", err
	}
	defer file.Close()
	if about, err := file.Stat(); err != nil || !about.Mode().IsRegular() {
		return 0, "", errors.Join(err, fs.ErrNotExist)
	}
	return t.writer.content(to, func(to io.Writer) error {
		_, err := io.Copy(to, file)
		return err
	})
}

func sorted[Value any](files map[string]Value) []string { return slices.Sorted(maps.Keys(files)) }
