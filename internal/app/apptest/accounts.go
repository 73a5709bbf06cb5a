package apptest

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// PasswordHash has the form of bcrypt; nobody knows the password.
const PasswordHash = "$2y$12$abcdefghijklmnopqrstuv.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123"

// Nobody is the id of the account that owns nothing.
const Nobody = 65534

// WithoutRights runs work with the access to files of an ordinary account, on a thread that does nothing else.
func WithoutRights(t *testing.T, work func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		work()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with its rights
		if _, err := unix.SetfsuidRetUid(Nobody); err != nil {
			t.Error(err)
			return
		}
		work()
	}()
	<-done
}

// OpenFolder makes a folder that every account can enter.
func OpenFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "cairn-test-*") //nolint:usetesting // the folder above t.TempDir may be closed to others
	if err == nil {
		err = os.Chmod(folder, 0o755) //nolint:gosec // other accounts enter it
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}
