package jupyterhub_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"cairn/internal/sessions/engine/jupyterhub/realhub"
)

// check runs cairn engine check, as operators do.
func (b *bench) check() (said string, passed bool) {
	b.Helper()
	config, token := filepath.Join(b.TempDir(), "cairn.yaml"), filepath.Join(b.TempDir(), "token")
	text := "sessions: {engines: [{name: hub, kind: jupyterhub, url: \"" + b.hub.URL() + "\", token_file: " + token + "}]}\n"
	for path, content := range map[string]string{config: text, token: hubToken} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	program := filepath.Join(realhub.Deploy(b), "../../bin/cairn")
	command := exec.CommandContext(b.Context(), program, "engine", "check", "--config", config, "--repository", b.repositories.Repository("working.git").URL, "hub")
	output, err := command.CombinedOutput()
	return string(output), err == nil
}

// passesTheCheck says that the hub runs entries, and that these reach no network.
func (b *bench) passesTheCheck() {
	said, passed := b.check()
	if !passed || strings.Count(said, "without leaving anything behind") != 2 || !strings.Contains(said, "A run reaches neither") {
		b.Errorf("it says\n%s", said)
	}
}
