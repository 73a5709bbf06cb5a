package app

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const nobody = 65534

// withoutRights runs work with the access to files of an ordinary account, on a thread that does nothing else.
func withoutRights(t *testing.T, work func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		work()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with its rights
		if _, err := unix.SetfsuidRetUid(nobody); err != nil {
			t.Error(err)
			return
		}
		work()
	}()
	<-done
}

func TestFoldersThatCannotBeUsedSayWhoseTheyAre(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(openFolder(t), "closed")
	if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	withoutRights(t, func() {
		whose := "it belongs to " + accountName(os.Geteuid())
		if err := usable(closed); err == nil || !strings.Contains(err.Error(), whose) {
			t.Errorf("a closed folder: %v", err)
		}
		if err := usable(filepath.Join(closed, "a", "b")); err == nil || !strings.Contains(err.Error(), "it can't be made in "+closed+": "+whose) {
			t.Errorf("a folder below it: %v", err)
		}
	})
	if err := usable(filepath.Join(t.TempDir(), "a", "b")); err != nil {
		t.Errorf("a folder that can be made: %v", err)
	}
}

func TestFilesThatCannotBeUsedAreNamedWithTheirOwner(t *testing.T) {
	t.Parallel()
	data := openFolder(t)
	for _, folder := range []string{"idp", "cache", "sessions/local"} {
		if err := os.MkdirAll(filepath.Join(data, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"lock", "cairn.db", "idp/state.json", "theirs.txt"} {
		if err := os.WriteFile(filepath.Join(data, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if faults := fileFaults(data); len(faults) > 0 {
		t.Errorf("all is fine, and it says %q", faults)
	}
	if err := os.Chmod(filepath.Join(data, "cairn.db"), 0o400); err != nil {
		t.Fatal(err)
	}
	withoutRights(t, func() {
		us := accountName(os.Geteuid())
		want := "data: " + filepath.Join(data, "cairn.db") + " can't be used: it belongs to " + us + ", and this program runs as " + us +
			"; run it as " + us + ", or chown -R " + us + " " + data
		if got := fileFault(data, "cairn.db*", filepath.Join(data, "cairn.db"), about(t, filepath.Join(data, "cairn.db"))); got != want {
			t.Errorf("it says %q", got)
		}
	})
	if os.Geteuid() == 0 { // nobody else can give files away
		if err := os.Chown(filepath.Join(data, "sessions", "local"), nobody, nobody); err != nil {
			t.Fatal(err)
		}
		if faults := fileFaults(data); len(faults) != 1 || !strings.Contains(faults[0], "sessions/local can't be used: it belongs to nobody, and this program runs as root") {
			t.Errorf("it says %q", faults)
		}
	}
	many := t.TempDir()
	for _, name := range []string{"idp", "cache", "sessions", "demo"} {
		if err := os.WriteFile(filepath.Join(many, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if faults := fileFaults(many); len(faults) != 4 || !strings.Contains(faults[0], "must be a folder and is a file") {
		t.Errorf("it says %q", faults)
	}
}

// openFolder makes a folder that every account can enter.
func openFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "cairn-test-*") //nolint:usetesting // the folder above t.TempDir may be closed to others
	if err == nil {
		err = os.Chmod(folder, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

func about(t *testing.T, path string) os.FileInfo {
	t.Helper()
	found, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
