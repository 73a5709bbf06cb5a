package operators_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
)

func TestOperatorsSeeAndStopSessions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Run(w.Server)
		olga := w.Operator()
		session := w.Running("My secret plan")
		ended := w.Settled("An older one", sessions.Finished)
		_, err := w.Server.Operators.All(w.As(w.Bob), sessions.AllQuery{Size: 10})
		sessionstest.WantKind(t, err, fault.Forbidden)
		_, err = w.Server.Operators.Stop(w.As(w.Ann), session.ID, "Why not?")
		sessionstest.WantKind(t, err, fault.Forbidden)
		all, err := w.Server.Operators.All(w.As(olga), sessions.AllQuery{Size: 10})
		sessionstest.Check(t, err)
		live, err := w.Server.Operators.All(w.As(olga), sessions.AllQuery{Live: true, Size: 10})
		sessionstest.Check(t, err)
		if all.TotalElements != 2 || live.TotalElements != 1 || len(live.Content) != 1 || live.Content[0].ID != session.ID ||
			live.Content[0].Owner != "ann@example.org" || live.Content[0].Engine != "local" {
			t.Errorf("operators see %+v, live %+v", all, live)
		}
		second, err := w.Server.Operators.All(w.As(olga), sessions.AllQuery{Offset: 1, Size: 1})
		sessionstest.Check(t, err)
		if len(second.Content) != 1 || second.Content[0].ID != all.Content[1].ID {
			t.Errorf("the second page is %+v", second)
		}
		told, err := json.Marshal(all)
		sessionstest.Check(t, err)
		if text := string(told); strings.Contains(text, "secret") || strings.Contains(text, "notes") {
			t.Errorf("names are told: %s", text)
		}

		_, err = w.Server.Operators.Stop(w.As(olga), session.ID, " ")
		sessionstest.WantKind(t, err, fault.Invalid)
		_, err = w.Server.Operators.Stop(w.As(olga), "absent", "Why?")
		sessionstest.WantKind(t, err, fault.NotFound)
		if same, err := w.Server.Operators.Stop(w.As(olga), ended.ID, "Too late."); err != nil || same.Status != sessions.Finished || same.StatusReason == "Too late." {
			t.Errorf("one that has ended became %+v, %v", same, err)
		}
		if _, err := w.Server.Operators.Stop(w.As(olga), session.ID, "The machine is moved."); err != nil {
			t.Fatal(err)
		}
		const reason = "The operators stopped this session: The machine is moved."
		if got := w.WaitFor(session.ID, sessions.Terminated); got.StatusReason != reason {
			t.Errorf("its owner reads %q", got.StatusReason)
		}
		again, err := w.Server.Restart(w.As(w.Ann), session.ID)
		if err != nil || again.StatusReason != "" {
			t.Errorf("started again it is %+v, %v", again, err)
		}
	})
}
