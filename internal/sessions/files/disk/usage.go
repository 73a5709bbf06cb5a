package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// Usage is the disk space that a session takes.
type Usage struct {
	Bytes   int64
	Files   int       // including folders and everything else
	Changed time.Time // when something in its work folder last changed; times that programs can set don't count
}

// Files says where a session's files are, and by what its processes are found.
type Files struct {
	Folder  string // of the session
	Runtime string // of its sockets
	Box     sandbox.Record
	Groups  []string // folders of its control groups
	Most    int      // files, folders and everything else that it may have
}

// Measure adds up a session's disk space, without its datasets: everything in its folder, what this server writes there for
// it too, and deleted files that its processes keep open. What a version that was just made knows about folders isn't measured again. It stops with filetree.ErrTooDeep,
// filetree.ErrTooMany or sandbox.ErrTooManyHandles at its limits, so its time is bounded whatever the session does.
func Measure(ctx context.Context, box *sandbox.Sandbox, files Files, walked map[string]versions.Usage) (found Usage, err error) {
	entries, err := os.ReadDir(files.Folder)
	if err != nil {
		return found, unlessMissing(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if name == folders.Datasets {
			continue
		}
		if known, here := walked[name]; here {
			found.add(known, name == folders.Work)
			if known.Err != nil {
				return found, known.Err
			}
			continue
		}
		if err := found.addFolder(ctx, files.Folder, name, files.Most); err != nil {
			return found, err
		}
	}
	if err := found.addFolder(ctx, filepath.Dir(files.Runtime), filepath.Base(files.Runtime), files.Most); err != nil {
		return found, err
	}
	deleted, count, err := box.DeletedFiles(ctx, files.Box, files.Groups, files.Folder, files.Runtime)
	found.Bytes += deleted
	if found.Files += count; err == nil && found.Files > files.Most {
		err = filetree.ErrTooMany
	}
	return found, err
}

// add adds what a version knows about a folder.
func (u *Usage) add(known versions.Usage, isWork bool) {
	u.Bytes += known.Bytes
	u.Files += known.Files
	if isWork {
		u.note(known.Changed)
	}
}

// note records when something changed.
func (u *Usage) note(changed time.Time) {
	if changed.After(u.Changed) {
		u.Changed = changed
	}
}

// addFolder adds up a file or a folder; a missing one takes nothing.
func (u *Usage) addFolder(ctx context.Context, parent, name string, most int) error {
	root, err := os.OpenRoot(parent)
	if err != nil {
		return unlessMissing(err)
	}
	defer root.Close()
	isWork := name == folders.Work
	add := func(stat *unix.Stat_t) {
		u.Bytes += max(stat.Blocks*512, folders.LeastFile)
		if isWork {
			u.note(time.Unix(stat.Ctim.Unix()))
		}
	}
	var top unix.Stat_t
	if unix.Lstat(filepath.Join(parent, name), &top) == nil {
		add(&top)
		if top.Mode&unix.S_IFMT != unix.S_IFDIR {
			return nil
		}
	}
	return unlessMissing(filetree.Walk(ctx, root, name, filetree.Limits{}, func(entry *filetree.Entry) error {
		if isWork && entry.Depth == 1 && entry.Name == engine.DataFolder && entry.IsFolder() {
			return fs.SkipDir
		}
		if u.Files++; u.Files > most {
			return filetree.ErrTooMany
		}
		add(&entry.Stat)
		return nil
	}))
}

func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
