package localjupyter

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/sessions/files/folders"

	"golang.org/x/sys/unix"
)

// lockedBuffer is a log that tests read while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func TestFilesThatCannotBeDeletedAreTriedAgain(t *testing.T) {
	t.Parallel()
	said := &lockedBuffer{}
	e, err := New(Options{Dir: t.TempDir(), Logger: slog.New(slog.NewTextHandler(said, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.remover.Pause = time.Millisecond
	folder := filepath.Join(e.options.Dir, folders.RemovedPrefix+"x")
	busy := filepath.Join(folder, "work", "busy") // a mount point can't be removed
	if err := os.MkdirAll(filepath.Join(busy, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", busy, "tmpfs", 0, "size=4k"); err != nil {
		t.Fatal(err)
	}
	unmount := sync.OnceFunc(func() { _ = unix.Unmount(busy, unix.MNT_DETACH) })
	defer unmount()
	e.remover.Delete(folder)
	if _, err := os.Stat(busy); err != nil || !strings.Contains(said.String(), "cannot be deleted; trying again") {
		t.Errorf("%v\n%s", err, said)
	}
	unmount()
	awaitGone(t, folder)
}

// The account of a session deletes what it made, so nothing else can be deleted with it; what is ours follows.
func TestLeftFilesAreDeletedAtTheStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, folders.RemovedPrefix+"x")
	deep := filepath.Join(folder, "work", strings.Repeat("deep/", 300))
	for _, made := range []string{deep, filepath.Join(folder, "home/closed/below"), filepath.Join(folder, "datasets/ours")} {
		if err := os.MkdirAll(made, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 {
		for _, tree := range []string{"work", "home"} {
			err := filepath.WalkDir(filepath.Join(folder, tree), func(path string, _ fs.DirEntry, err error) error {
				return errors.Join(err, os.Lchown(path, 0x70000001, 0x70000001))
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Chmod(filepath.Join(folder, "home/closed"), 0); err != nil {
		t.Fatal(err)
	}
	e, err := New(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	awaitGone(t, folder)
}

func awaitGone(t *testing.T, folder string) {
	t.Helper()
	late, ticks := time.After(8*time.Minute), time.NewTicker(5*time.Millisecond)
	defer ticks.Stop()
	for {
		if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
			return
		}
		select {
		case <-ticks.C:
		case <-late:
			t.Fatal("The files are still there")
		}
	}
}
