package operators_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/operators"
	"cairn/internal/sessions/sessionstest"
)

func TestOperatorsSeeAndStopSessions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Run(w.Server)
		olga := w.Operator()
		session := w.Running("My secret plan")
		ended := w.Settled("An older one", sessions.Finished)
		_, err := w.Server.Operators.All(w.As(w.Bob), sessions.AllQuery{Size: 10}, operators.Newest)
		sessionstest.WantKind(t, err, fault.Forbidden)
		_, err = w.Server.Operators.Stop(w.As(w.Ann), session.ID, "Why not?")
		sessionstest.WantKind(t, err, fault.Forbidden)
		all, err := w.Server.Operators.All(w.As(olga), sessions.AllQuery{Size: 10}, operators.Newest)
		sessionstest.Check(t, err)
		live, err := w.Server.Operators.All(w.As(olga), sessions.AllQuery{Live: true, Size: 10}, operators.Newest)
		sessionstest.Check(t, err)
		if all.TotalElements != 2 || live.TotalElements != 1 || len(live.Content) != 1 || live.Content[0].ID != session.ID ||
			live.Content[0].Owner != "ann@example.org" || live.Content[0].Engine != "local" {
			t.Errorf("operators see %+v, live %+v", all, live)
		}
		second, err := w.Server.Operators.All(w.As(olga), sessions.AllQuery{Offset: 1, Size: 1}, operators.Newest)
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

func TestOperatorsFindTheSessionsThatUseMost(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Run(w.Server)
		olga := w.Operator()
		first, second := w.Running("First"), w.Running("Second")
		w.Settled("An older one", sessions.Finished)
		w.Machine.Use(first.ID, engine.Usage{MemoryBytes: 3 << 30, DiskBytes: 1 << 20, CPUs: 0.5})
		w.Machine.Use(second.ID, engine.Usage{MemoryBytes: 1 << 30, DiskBytes: 2 << 20, CPUs: 2})
		list := func(order operators.Order, offset, size int) operators.OperatorSessionPage {
			t.Helper()
			page, err := w.Server.Operators.All(w.As(olga), sessions.AllQuery{Offset: offset, Size: size}, order)
			sessionstest.Check(t, err)
			return page
		}
		for order, want := range map[operators.Order]string{operators.ByMemory: first.ID, operators.ByCPUs: second.ID, operators.ByDisk: second.ID} {
			if page := list(order, 0, 1); page.TotalElements != 2 || len(page.Content) != 1 || page.Content[0].ID != want {
				t.Errorf("by %s it lists %+v, want %s", order, page, want)
			}
			if page := list(order, 1, 1); len(page.Content) != 1 || page.Content[0].ID == want {
				t.Errorf("by %s the second page is %+v", order, page)
			}
			if page := list(order, 5, 1); len(page.Content) != 0 {
				t.Errorf("by %s there is a sixth page: %+v", order, page)
			}
		}
		shown := list(operators.ByMemory, 0, 10).Content[0]
		if shown.Usage == nil || *shown.Usage != (sessions.Usage{MemoryBytes: 3 << 30, DiskBytes: 1 << 20, CPUs: 0.5}) {
			t.Errorf("it uses %+v", shown.Usage)
		}
		if shown.EntryID != w.ID("tools") || shown.EntryName == "" || shown.EntryType != catalog.Repository {
			t.Errorf("it runs %+v", shown)
		}
		if all := list(operators.Newest, 0, 10); all.TotalElements != 3 || all.Content[0].Usage != nil {
			t.Errorf("all are %+v", all)
		}
		w.AddEntries(catalog.Entry{ExternalID: "tools", Type: catalog.Repository, RepositoryURL: "https://github.com/example/tools.git", Privacy: catalog.PrivacyPrivate})
		if shown := list(operators.ByMemory, 0, 10).Content[0]; shown.EntryID != "" || shown.EntryName != "" || shown.EntryType != "" {
			t.Errorf("of a private entry it tells %+v", shown)
		}
	})
}
