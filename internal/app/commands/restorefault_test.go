package commands

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"

	"golang.org/x/sys/unix"
)

// A folder where a disk is mounted can't be removed, and that is found out before anything is restored.
func TestARestoreNeedsAFolderThatCanBeReplaced(t *testing.T) {
	t.Parallel()
	err := restoreFault(&fs.PathError{Op: "remove", Path: "/var/lib/cairn", Err: unix.EBUSY}, "/var/lib/cairn")
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "where a disk is mounted") || !errors.Is(err, unix.EBUSY) {
		t.Errorf("the fault is %v", err)
	}
}
