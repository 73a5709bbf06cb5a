package reconcile_test

import (
	"strings"
	"testing"

	"cairn/internal/sessions"
)

func TestDisabledAccountsSessionsAreStoppedAndTheirWorkIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	running := w.Running("Running")
	w.Machine.Put(running.ID, "notes.txt", "kept")
	starting := w.Start("Starting")
	w.Launched(starting.ID)

	w.Enable(w.Ann.Email, false)
	for _, id := range []string{running.ID, starting.ID} {
		if got := w.WaitFor(id, sessions.Finished); !strings.Contains(got.StatusReason, "disabled") {
			t.Errorf("the reason is %q", got.StatusReason)
		}
	}
	var work strings.Builder
	if err := w.Server.Engines.All[0].Archive(t.Context(), running.ID, &work); err != nil || !strings.Contains(work.String(), "notes.txt") {
		t.Errorf("the work is gone: %v", err)
	}
	if _, err := w.Server.Restart(w.As(w.Person("ann")), running.ID); err == nil {
		t.Error("a disabled account started its session again")
	}
}
