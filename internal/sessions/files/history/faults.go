package history

import (
	"context"
	"errors"
	"io/fs"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
)

var errNoVersion = fault.New(fault.NotFound, "The session has no such version. It may have been deleted since.")

// readingFault says why versions can't be read.
func readingFault(err error) error {
	if _, told := errors.AsType[*fault.Fault](err); told || err == nil {
		return err
	}
	switch {
	case errors.Is(err, versions.ErrNotFound):
		return errNoVersion
	case errors.Is(err, versions.ErrClosed):
		return engine.ErrClosing
	case errors.Is(err, versions.ErrInUse):
		return fault.Wrap(err, fault.Unavailable, "The saved versions are in use by another program. Try again in a while.")
	case errors.Is(err, versions.ErrDamaged):
		return fault.Wrap(err, fault.Unavailable, "A part of the saved versions is damaged. Others may be whole. Tell the operators.")
	case errors.Is(err, context.Canceled):
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "The saved versions can't be read now. Try again in a while, or tell the operators.")
}

// ofQuota says how much the versions of an owner may take, on all engines together; "" if that isn't decided here.
func ofQuota(bytes int64) string {
	if bytes == 0 {
		return ""
	}
	return ", " + humanize.Bytes(bytes)
}

// stoppedSaving says why no version can be made, and what to do.
func (m *Manager) stoppedSaving(err error) string {
	const kept = " What was saved before is kept."
	switch {
	case errors.Is(err, versions.ErrQuota):
		return "Saving stopped: your versions take as much as they may" + ofQuota(m.options.Versions.Quota) + "." + kept +
			" Delete sessions or versions that you no longer need."
	case errors.Is(err, versions.ErrFull), folders.IsFull(err):
		return "Saving stopped: this server's disk is full." + kept + " Tell the operators."
	case errors.Is(err, errReserve):
		return "Saving stopped: this server's disk is nearly full." + kept + " Saving goes on when there's room. Tell the operators."
	case errors.Is(err, versions.ErrReadOnly):
		return "Saving stopped: this server's disk can't be written." + kept + " Tell the operators."
	case errors.Is(err, versions.ErrInUse):
		return "Saving stopped: another program uses the versions." + kept + " Tell the operators."
	case errors.Is(err, versions.ErrDamaged):
		return "Saving stopped: a part of the versions is damaged. Others may be whole. Tell the operators."
	}
	return "Saving stopped because of a fault on this server." + kept + " The operators can find it in their log."
}

var errReserve = errors.New("the disk has less than its reserve")

// cannotRestore says why something can't be written.
func cannotRestore(err error) error {
	if _, told := errors.AsType[*fault.Fault](err); told {
		return err
	}
	switch {
	case folders.IsFull(err), errors.Is(err, versions.ErrFull):
		return fault.Wrap(err, fault.Unavailable, "It can't be restored: this server's disk is full. All versions are kept. Delete files, or tell the operators.")
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Unavailable, "It can't be restored: the permissions of a folder don't allow it. All versions are kept. Restore it beside the present one.")
	case errors.Is(err, versions.ErrDamaged):
		return fault.Wrap(err, fault.Unavailable, "It can't be restored: that part of the version is damaged. Try an earlier one, and tell the operators.")
	}
	return fault.Wrap(err, fault.Unavailable, "It couldn't be restored. All versions are kept: try again in a while.")
}

// pathFault says that a version has no such path.
func pathFault(err error, name string) error {
	if errors.Is(err, versions.ErrNotFound) {
		return fault.Wrap(err, fault.NotFound, "The version has no file or folder %s.", fault.Quote(name))
	}
	return err
}
