package filetree_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/filetree"
)

// fewVariable makes the test binary work on a folder with few descriptors, in a process where nobody else needs some.
const fewVariable = "FILETREE_FEW_DESCRIPTORS"

// TestFewDescriptors runs alone in its process.
func TestFewDescriptors(t *testing.T) {
	folder := os.Getenv(fewVariable)
	if folder == "" {
		withFewDescriptors(t, 3000)
		return
	}
	most := unix.Rlimit{Cur: 64, Max: 64}
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &most))
	root, err := os.OpenRoot(folder)
	must(t, err)
	err = filetree.Walk(t.Context(), root, "deep", filetree.Limits{Depth: 40}, func(*filetree.Entry) error { return nil })
	if !errors.Is(err, filetree.ErrTooDeep) {
		t.Errorf("walking: %v", err)
	}
	must(t, filetree.Remove(t.Context(), root, "deep"))
}

func TestThoroughRemovingFortyThousandNestedFolders(t *testing.T) {
	t.Parallel()
	withFewDescriptors(t, 40000)
}

func withFewDescriptors(t *testing.T, depth int) {
	t.Helper()
	folder := t.TempDir()
	deep := filepath.Join(folder, "deep")
	must(t, os.Mkdir(deep, 0o700))
	nest(t, deep, depth)
	program, err := os.Executable()
	must(t, err)
	command := exec.CommandContext(t.Context(), program, "-test.run=^TestFewDescriptors$")
	command.Env = append(os.Environ(), fewVariable+"="+folder)
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	if _, err := os.Lstat(deep); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}
