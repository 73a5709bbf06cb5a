package jupyterhub_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/sessions/engine/jupyterhub/realhub"
)

// The hook of the hub has tests of its own, in its own language: permits, dataset paths (security: Traversal) and
// repository addresses (security: SSRF) that it refuses.
func TestHookRefusesWhatWasNotGranted(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs JupyterHub's packages")
	}
	t.Parallel()
	folder := realhub.Deploy(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "test_*.py"))
	if err != nil || files == nil {
		t.Fatalf("no test_*.py found in %s: %v", folder, err)
	}
	for _, file := range files {
		module := strings.TrimSuffix(filepath.Base(file), ".py")
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			command := exec.CommandContext(t.Context(), "/usr/bin/python3", "-m", "unittest", "--verbose", module)
			command.Dir = folder
			command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "CAIRN_PROGRAM="+program)
			if printed, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, printed)
			}
		})
	}
}
