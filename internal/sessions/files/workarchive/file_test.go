package workarchive

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestReadFile(t *testing.T) {
	session, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	work := filepath.Join(session, "work")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(work, "closed"), 0o700), os.WriteFile(filepath.Join(work, "closed/a.ipynb"), []byte("{}"), 0o600),
		os.WriteFile(outside, []byte("secret"), 0o600), os.WriteFile(filepath.Join(session, "record.json"), []byte("secret"), 0o600),
		os.Symlink("closed/a.ipynb", filepath.Join(work, "inside")), os.Symlink("closed", filepath.Join(work, "folder")),
		os.Symlink(outside, filepath.Join(work, "out")), os.Symlink("../record.json", filepath.Join(work, "up")),
		os.Symlink("loop", filepath.Join(work, "loop")), os.Symlink("/proc/self/environ", filepath.Join(work, "process")),
		unix.Mkfifo(filepath.Join(work, "pipe"), 0o600), os.Chmod(work, 0),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"closed/a.ipynb", "inside", "folder/a.ipynb"} {
		if content, err := ReadFile(session, "work", path, 2); err != nil || string(content) != "{}" {
			t.Errorf("%s: %q %v", path, content, err)
		}
		if _, err := ReadFile(session, "work", path, 1); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{"out", "up", "loop", "process", "pipe", "closed", "folder", "absent", "../record.json", "closed/../../record.json", outside} {
		if content, err := ReadFile(session, "work", path, 100); err == nil || len(content) > 0 {
			t.Errorf("%s: %q %v", path, content, err)
		}
	}
	if err := os.Symlink(session, filepath.Join(session, "link")); err != nil {
		t.Fatal(err)
	}
	if content, err := ReadFile(session, "link", "record.json", 100); err == nil {
		t.Errorf("A link in place of the work folder: %q", content)
	}
}
