package engine_test

import (
	"regexp"
	"strings"
	"testing"

	"cairn/internal/sessions/engine"

	"github.com/google/uuid"
)

func TestNamesOfServersAreWhatEveryHubTakes(t *testing.T) {
	t.Parallel()
	for range 1000 {
		id := uuid.Must(uuid.NewV7()).String()
		name := engine.ServerName(id)
		if len(name) > 30 || !regexp.MustCompile(`^[a-z][a-z0-9]*$`).MatchString(name) {
			t.Fatalf("a server is named %q", name)
		}
		if engine.SessionOf(name) != id || engine.SessionOf(id) != id {
			t.Fatalf("%q is taken for session %q, not %q", name, engine.SessionOf(name), id)
		}
	}
	const id, name = "0190f5a1-7a3e-7bbb-8d3a-0123456789ab", "sagiplil2hz53xdj2aerukz4jvm" // as the hook of deploy/jupyterhub spells it
	if got := engine.ServerName(id); got != name {
		t.Errorf("got %q, want %q", got, name)
	}
	for _, other := range []string{
		"", "s", "project", "ann@example.org", name[1:], name[:26], name[:26] + "n", "t" + name[1:], name + "a",
		strings.ToUpper(name), strings.ToUpper(id), "{" + id + "}", strings.ReplaceAll(id, "-", ""),
	} {
		if got := engine.SessionOf(other); got != "" {
			t.Errorf("%q is taken for session %q", other, got)
		}
	}
}
