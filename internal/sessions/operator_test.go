package sessions

import (
	"encoding/json"
	"strings"
	"testing"

	"cairn/internal/fault"
	"cairn/internal/identity"
)

// operator is an account that looks after the others.
func (w *world) operator() identity.Caller {
	w.t.Helper()
	check(w.t, w.accounts.Decide(w.t.Context(), []identity.Grant{{Email: "olga@example.org", Enabled: true, Role: identity.RoleOperator}}, false))
	return w.person("olga")
}

func TestOperatorsSeeAndStopSessions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.run(w.service)
		olga := w.operator()
		session := w.running("My secret plan")
		ended := w.settled("An older one", Finished)
		_, err := w.service.All(w.as(w.bob), AllQuery{Size: 10})
		wantKind(t, err, fault.Forbidden)
		_, err = w.service.StopForOperators(w.as(w.ann), session.ID, "Why not?")
		wantKind(t, err, fault.Forbidden)
		all, err := w.service.All(w.as(olga), AllQuery{Size: 10})
		check(t, err)
		live, err := w.service.All(w.as(olga), AllQuery{Live: true, Size: 10})
		check(t, err)
		if all.TotalElements != 2 || live.TotalElements != 1 || len(live.Content) != 1 || live.Content[0].ID != session.ID ||
			live.Content[0].Owner != "ann@example.org" || live.Content[0].Engine != "local" {
			t.Errorf("operators see %+v, live %+v", all, live)
		}
		second, err := w.service.All(w.as(olga), AllQuery{Offset: 1, Size: 1})
		check(t, err)
		if len(second.Content) != 1 || second.Content[0].ID != all.Content[1].ID {
			t.Errorf("the second page is %+v", second)
		}
		told, err := json.Marshal(all)
		check(t, err)
		if text := string(told); strings.Contains(text, "secret") || strings.Contains(text, "notes") {
			t.Errorf("names are told: %s", text)
		}

		_, err = w.service.StopForOperators(w.as(olga), session.ID, " ")
		wantKind(t, err, fault.Invalid)
		_, err = w.service.StopForOperators(w.as(olga), "absent", "Why?")
		wantKind(t, err, fault.NotFound)
		if same, err := w.service.StopForOperators(w.as(olga), ended.ID, "Too late."); err != nil || same.Status != Finished || same.StatusReason == "Too late." {
			t.Errorf("one that has ended became %+v, %v", same, err)
		}
		if _, err := w.service.StopForOperators(w.as(olga), session.ID, "The machine is moved."); err != nil {
			t.Fatal(err)
		}
		const reason = "The operators stopped this session: The machine is moved."
		if got := w.waitFor(session.ID, Terminated); got.StatusReason != reason {
			t.Errorf("its owner reads %q", got.StatusReason)
		}
		again, err := w.service.Restart(w.as(w.ann), session.ID)
		if err != nil || again.StatusReason != "" {
			t.Errorf("started again it is %+v, %v", again, err)
		}
	})
}
