package jupyterhub_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"
)

func emptyClone(_ context.Context, _, to string) error { return os.MkdirAll(to, 0o755) }

// An agent that this server doesn't understand is refused with a sentence that says what to install.
func TestAnAgentOfAnotherReleaseIsRefused(t *testing.T) {
	t.Parallel()
	s := newStandIn(t, 0, func(s *standIn) {
		s.hub.Machine = &hubtest.Machine{Folder: t.TempDir(), Clone: emptyClone}
		s.hub.Agent = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(agentapi.About{Protocol: agentapi.Protocol + 1, Release: "9.1"})
		})
	})
	s.eventually("it's noticed", func() bool { return s.engine.Check(t.Context()) != nil })
	err := s.engine.Check(t.Context())
	if text := fault.MessageOf(err); fault.KindOf(err) != fault.Unavailable || !strings.Contains(text, "Cairn 9.1") || !strings.Contains(text, "install") {
		t.Errorf("Check: %v", err)
	}
	if !s.engine.KeepsVersions() {
		t.Error("a deleted session would be gone at once, although the hub may keep its versions")
	}
}

// A hub of the release before has no versions: sessions start, a deleted one is gone at once, and nobody is told of versions.
func TestAHubOfTheReleaseBeforeGoesOn(t *testing.T) {
	t.Parallel()
	s := newStandIn(t, 0)
	spec := s.start("ann@example.org")
	s.eventually("it runs", func() bool { return s.phases()[engine.Running] == 1 })
	s.eventually("its service is known", func() bool { return !s.engine.KeepsVersions() })
	if s.engine.RunsBatches() || s.engine.MakesEnvironments() {
		t.Error("it can what only an agent can")
	}
	if err := s.engine.Retire(t.Context(), spec.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.engine.Status(t.Context(), spec.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("it is still there: %v", err)
	}
}
