package localjupyter

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cairn/internal/filetree"
	"cairn/internal/sessions/engine/localjupyter/folders"
)

const (
	closingTime = 10 * time.Second // how long it may continue when the engine is closed
	removalMost = time.Hour        // the longest pause between two attempts
)

// deleteFolder deletes what is left of a removed session. If that fails, it is tried again until the engine is closed,
// and by the next New.
func (e *Engine) deleteFolder(folder string) {
	if e.tryDelete(folder) || !e.begin() {
		return
	}
	go func() {
		defer e.work.Done()
		for pause := e.removalPause; ; pause = min(2*pause, removalMost) {
			select {
			case <-e.background.Done():
				return
			case <-time.After(pause):
			}
			if e.tryDelete(folder) {
				e.options.Logger.Info("a removed session's files are deleted now", "folder", folder)
				return
			}
		}
	}()
}

func (e *Engine) tryDelete(folder string) bool {
	root, err := os.OpenRoot(filepath.Dir(folder))
	if err == nil {
		defer root.Close()
		err = e.deleteTree(root, filepath.Base(folder))
	}
	if err != nil {
		e.options.Logger.Error("a removed session's files take space and cannot be deleted; trying again", "folder", folder, "error", err)
	}
	return err == nil
}

// deleteTree deletes what a session wrote with the rights of the account that owns it, and then the rest, which is
// ours.
func (e *Engine) deleteTree(root *os.Root, name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), folders.RemovalTime)
	defer cancel()
	defer context.AfterFunc(e.background, func() { time.AfterFunc(closingTime, cancel) })()
	folder, err := root.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	for _, written := range []string{folders.Work, folders.Home, folders.Clone, folders.Temporary} {
		if err := emptyAsOwner(ctx, folder, written); err != nil && !errors.Is(err, fs.ErrNotExist) {
			e.options.Logger.Debug("not all of a removed session's files can be deleted by its account", "folder", name, "error", err)
		}
	}
	return filetree.Remove(ctx, root, name)
}

// emptyAsOwner empties a folder with the rights of its owner, unless that is this server's own account.
func emptyAsOwner(ctx context.Context, root *os.Root, name string) error {
	about, err := root.Lstat(name)
	if err != nil || !about.IsDir() {
		return err
	}
	folder, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer folder.Close()
	owner, err := filetree.Owner(folder)
	if err != nil || owner == os.Geteuid() {
		return err
	}
	return filetree.As(owner, func() error { return filetree.Empty(ctx, folder) })
}
