package installation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/app/apptest"
)

func TestFoldersThatCannotBeUsedSayWhoseTheyAre(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(apptest.OpenFolder(t), "closed")
	if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	apptest.WithoutRights(t, func() {
		whose := "it belongs to " + AccountName(os.Geteuid())
		if err := CheckFolder(closed); err == nil || !strings.Contains(err.Error(), whose) {
			t.Errorf("a closed folder: %v", err)
		}
		if err := CheckFolder(filepath.Join(closed, "a", "b")); err == nil || !strings.Contains(err.Error(), "it can't be made in "+closed+": "+whose) {
			t.Errorf("a folder below it: %v", err)
		}
	})
	if err := CheckFolder(filepath.Join(t.TempDir(), "a", "b")); err != nil {
		t.Errorf("a folder that can be made: %v", err)
	}
}

func TestFilesThatCannotBeUsedAreNamedWithTheirOwner(t *testing.T) {
	t.Parallel()
	data := apptest.OpenFolder(t)
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
	if faults := FileFaults(data); len(faults) > 0 {
		t.Errorf("all is fine, and it says %q", faults)
	}
	if err := os.Chmod(filepath.Join(data, "cairn.db"), 0o400); err != nil {
		t.Fatal(err)
	}
	apptest.WithoutRights(t, func() {
		us := AccountName(os.Geteuid())
		want := "data: " + filepath.Join(data, "cairn.db") + " can't be used: it belongs to " + us + ", and this program runs as " + us +
			"; run it as " + us + ", or chown -R " + us + " " + data
		if got := fileFault(data, "cairn.db*", filepath.Join(data, "cairn.db"), about(t, filepath.Join(data, "cairn.db"))); got != want {
			t.Errorf("it says %q", got)
		}
	})
	if os.Geteuid() == 0 { // apptest.Nobody else can give files away
		if err := os.Chown(filepath.Join(data, "sessions", "local"), apptest.Nobody, apptest.Nobody); err != nil {
			t.Fatal(err)
		}
		if faults := FileFaults(data); len(faults) != 1 || !strings.Contains(faults[0], "sessions/local can't be used: it belongs to nobody, and this program runs as root") {
			t.Errorf("it says %q", faults)
		}
	}
	many := t.TempDir()
	for _, name := range []string{"idp", "cache", "sessions", "demo"} {
		if err := os.WriteFile(filepath.Join(many, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if faults := FileFaults(many); len(faults) != 4 || !strings.Contains(faults[0], "must be a folder and is a file") {
		t.Errorf("it says %q", faults)
	}
}

func about(t *testing.T, path string) os.FileInfo {
	t.Helper()
	found, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
