package dataset

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"cairn/internal/content/dataset/bounded"
	"cairn/internal/content/dataset/parquet"
	"cairn/internal/content/dataset/xlsx"
	"cairn/internal/foundation/fault"
)

// errDamagedFile is returned for binary files that don't contain what their names say.
var errDamagedFile = fault.InvalidField("query.path", "This file can't be read: it's damaged, or it isn't what its name says.")

var (
	errTooLarge  = fault.New(fault.TooLarge, "This file is too large to be shown here. Open it in a session, or download it.")
	errProtected = fault.InvalidField("query.path", "This file is protected by a password or in an older format, so it can't be shown here. Save it without a password, as .xlsx.")
	errEncrypted = fault.InvalidField("query.path", "This file is encrypted, so it can't be shown here.")
	errUnknown   = fault.InvalidField("query.path", "This file is compressed or encoded in a way that can't be shown here. Open it in a session, or download it.")
)

// unreadable translates an error of a reader of binary files for callers.
func unreadable(ctx context.Context, err error) error {
	var path *fs.PathError
	var number syscall.Errno
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &path), errors.As(err, &number):
		return faultOf(err)
	case errors.Is(err, bounded.ErrLimit):
		return errTooLarge
	case errors.Is(err, xlsx.ErrNoSheet):
		return errNoSheet
	case errors.Is(err, xlsx.ErrProtected):
		return errProtected
	case errors.Is(err, parquet.ErrEncrypted):
		return errEncrypted
	case errors.Is(err, parquet.ErrUnknown):
		return errUnknown
	default:
		return errDamagedFile
	}
}
