package folders

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"cairn/internal/foundation/filetree"
	"cairn/internal/sessions/files/workers"
)

const (
	closingTime = 10 * time.Second // how long it may continue when the engine is closed
	removalMost = time.Hour        // the longest pause between two attempts
)

// Remover deletes what is left of removed sessions.
type Remover struct {
	Workers *workers.Workers
	Logger  *slog.Logger
	Pause   time.Duration // before the second attempt
}

// Delete deletes a folder. If that fails, it is tried again until the workers are closed, and by whoever starts next.
func (r *Remover) Delete(folder string) {
	if r.try(folder) {
		return
	}
	r.Workers.Start(func() {
		for pause := r.Pause; ; pause = min(2*pause, removalMost) {
			select {
			case <-r.Workers.Closing().Done():
				return
			case <-time.After(pause):
			}
			if r.try(folder) {
				r.Logger.Info("a removed session's files are deleted now", "folder", folder)
				return
			}
		}
	})
}

func (r *Remover) try(folder string) bool {
	root, err := os.OpenRoot(filepath.Dir(folder))
	if err == nil {
		defer root.Close()
		err = r.deleteTree(root, filepath.Base(folder))
	}
	if err != nil {
		r.Logger.Error("a removed session's files take space and cannot be deleted; trying again", "folder", folder, "error", err)
	}
	return err == nil
}

// deleteTree deletes what a session wrote with the rights of the account that owns it, and then the rest, which is
// ours.
func (r *Remover) deleteTree(root *os.Root, name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), RemovalTime)
	defer cancel()
	defer context.AfterFunc(r.Workers.Closing(), func() { time.AfterFunc(closingTime, cancel) })()
	folder, err := root.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	for _, written := range []string{Work, Home, Clone, Temporary} {
		if err := emptyAsOwner(ctx, folder, written); err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.Logger.Debug("not all of a removed session's files can be deleted by its account", "folder", name, "error", err)
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
