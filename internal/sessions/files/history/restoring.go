package history

import (
	"context"
	"errors"
	"os"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
)

// restore brings a path of a version back, and returns the path that was written.
func (w *Work) restore(ctx context.Context, store *versions.Store, restore engine.Restore) (written string, err error) {
	found, err := w.version(store, restore.Version)
	if err == nil {
		_, err = store.Stat(restore.Version, inWork(restore.Path))
	}
	if err != nil {
		return "", pathFault(err, restore.Path)
	}
	w.files.Lock()
	defer w.files.Unlock()
	if err := w.mayRestore(); err != nil {
		return "", err
	}
	if restore.InPlace {
		if _, err := w.saveFiles(ctx, engine.VersionRestore, ""); err != nil {
			return "", fault.Wrap(err, fault.Unavailable, "Nothing was restored, because the present state can't be saved first. %s", w.manager.stoppedSaving(err))
		}
	}
	root, owner, err := w.openWork()
	if err != nil {
		return "", cannotRestore(err)
	}
	defer root.Close()
	written = restore.Path
	r := restoring{
		ctx: ctx, store: store, version: restore.Version, root: root, top: folders.Work, now: w.manager.options.Now(), keep: leaveOutOfWork,
	}
	err = runAsAccount(owner, func() error {
		if restore.InPlace {
			return r.replace(restore.Path)
		}
		written, err = r.writeBeside(restore.Path, found.At)
		return err
	})
	if err == nil && restore.InPlace && restore.Path == "" && !w.isLive() { // programs have files there open, such as databases
		err = w.restoreSettings(ctx, store, restore.Version)
	}
	if restore.InPlace {
		w.noteRestored(restore.Path)
	}
	if err != nil {
		return "", cannotRestore(err)
	}
	return written, nil
}

// isLive reports whether the session is running or being started.
func (w *Work) isLive() bool {
	phase := w.session.State().Phase
	return phase == engine.Starting || phase == engine.Running
}

// mayRestore returns an error while the work folder isn't what its user sees.
func (w *Work) mayRestore() error {
	state := w.session.State()
	switch {
	case state.Gone || state.Removing:
		return engine.ErrUnknownSession
	case w.IsPending():
		return fault.New(fault.Unavailable, "The session's work isn't back yet. Bring the session back, and restore again in a moment.")
	case state.Phase == engine.Starting:
		return fault.New(fault.Unavailable, "The session is starting. Restore again in a moment.")
	case !w.hasVersions():
		return errNoVersion
	}
	return nil
}

func (w *Work) noteRestored(name string) {
	list := engine.AddRestored(w.Saving().Restored, engine.RestoredPath{Path: name, At: w.manager.options.Now()})
	var restored []RestoredPath
	for _, one := range list {
		restored = append(restored, RestoredPath{versions.EscapePath(one.Path), one.At})
	}
	w.mu.Lock()
	w.record.Restored = restored
	w.mu.Unlock()
	w.saveRecord()
	w.manager.options.Changed()
}

// restoreSettings restores the home folder of a session that doesn't run: nothing is deleted that the version hasn't got.
func (w *Work) restoreSettings(ctx context.Context, store *versions.Store, version string) error {
	folder, err := os.OpenRoot(w.session.Folder())
	if err != nil {
		return err
	}
	defer folder.Close()
	root, err := openKept(folder, folders.Home)
	if err != nil || root == nil {
		return err
	}
	defer root.Close()
	return w.fill(ctx, store, version, folders.Home, root)
}

// fill writes one of the folders of a version, with the rights of the account that owns the folder.
func (w *Work) fill(ctx context.Context, store *versions.Store, version, name string, root *os.Root) error {
	if _, err := store.Stat(version, name); errors.Is(err, versions.ErrNotFound) {
		return nil // it had none
	}
	owner, err := filetree.Owner(root)
	if err != nil {
		return err
	}
	r := restoring{ctx: ctx, store: store, version: version, root: root, top: name, now: w.manager.options.Now(), keep: leaveOutOfHome}
	return runAsAccount(owner, r.fill)
}

// pendingRestore returns the version that the folders are to be made from, with its store; nil if they are as they should be.
func (w *Work) pendingRestore() (wanted *RestoreRequest, store *versions.Store, done func(), err error) {
	pending := w.Record().PendingRestore
	if pending == nil {
		return nil, nil, nil, nil
	}
	from := w
	if pending.Session != w.session.ID() {
		from = w.manager.options.Find(pending.Session)
		if owner := w.session.State().Owner; from == nil || owner == "" || from.session.State().Owner != owner {
			return nil, nil, nil, errNoVersion
		}
	}
	if store, done, err = from.store(); err != nil {
		return nil, nil, nil, err
	}
	wanted = &RestoreRequest{Session: pending.Session, Version: pending.Version}
	if wanted.Version == Latest {
		last, failed := from.latestVersion(store)
		wanted.Version, err = last.ID, failed
	} else {
		_, err = from.version(store, wanted.Version)
	}
	if err != nil {
		done()
		return nil, nil, nil, readingFault(err)
	}
	return wanted, store, done, nil
}

// RestoreHome makes the home folder, below the root, from a version if the session's folders are to be made from one. That has
// to be done before its server starts; the work follows meanwhile.
func (w *Work) RestoreHome(ctx context.Context, root *os.Root) error {
	wanted, store, done, err := w.pendingRestore()
	if err != nil || wanted == nil {
		return err
	}
	defer done()
	return w.restoreFolder(ctx, store, wanted.Version, root, folders.Home)
}

// RestoreWork makes the work folder from a version likewise, and then the session's folders are its own.
func (w *Work) RestoreWork(ctx context.Context, root *os.Root, tell func(string)) error {
	wanted, store, done, err := w.pendingRestore()
	if err != nil || wanted == nil {
		return err
	}
	defer done()
	tell("Bringing back the saved work")
	if err := w.restoreFolder(ctx, store, wanted.Version, root, folders.Work); err != nil {
		return err
	}
	w.mu.Lock()
	w.record.PendingRestore, w.record.RetiredAt = nil, time.Time{}
	w.mu.Unlock()
	return w.session.Save()
}

func (w *Work) restoreFolder(ctx context.Context, store *versions.Store, version string, root *os.Root, name string) error {
	folder, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := w.fill(ctx, store, version, name, folder); err != nil {
		return cannotRestore(err)
	}
	return nil
}
