package jupyterhub_test

import (
	"os"
	"os/exec"
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
	command := exec.CommandContext(t.Context(), "/usr/bin/python3", "-m", "unittest", "--verbose")
	command.Dir = realhub.Deploy(t)
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if printed, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
}
