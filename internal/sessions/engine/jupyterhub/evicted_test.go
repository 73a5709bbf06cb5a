package jupyterhub_test

import (
	"testing"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// The hook of a cluster knows why a pod is gone; a session shows that, and what to do about it.
func TestASessionThatTheClusterEndedSaysWhy(t *testing.T) {
	t.Parallel()
	for said, code := range map[string]diagnosis.Code{"evicted": diagnosis.Evicted, "memory": diagnosis.Memory, "made up": ""} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			s := newStandIn(t, 0)
			spec := s.start("ann@example.org")
			s.eventually("it runs", func() bool { return s.phases()[engine.Running] == 1 })
			const why = "The cluster ended this session because its machine is being emptied."
			s.hub.Evict(spec.ID, why, said)
			s.eventually("it failed", func() bool { return s.phases()[engine.Failed] == 1 })
			status, err := s.engine.Status(t.Context(), spec.ID)
			if err != nil || status.Reason != why || status.Code != code {
				t.Errorf("got %q with the code %q: %v", status.Reason, status.Code, err)
			}
			cause := diagnosis.Explain(diagnosis.Failure{Code: status.Code, Reason: status.Reason})
			if code != "" && (cause.Sentence != why || cause.Fix == "" || cause.Action != diagnosis.Again) {
				t.Errorf("it is explained by %+v", cause)
			}
		})
	}
}
