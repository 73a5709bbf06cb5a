package jupyterhub_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
)

func (b *bench) start(repository engine.Repository) engine.Spec {
	b.Helper()
	spec := engine.Spec{ID: newID(), Owner: "ann@example.org", Repository: repository}
	if err := b.engine.Start(b.Context(), spec); err != nil {
		b.Fatal(err)
	}
	return spec
}

func (b *bench) await(id string, phase engine.Phase) engine.Status {
	b.Helper()
	var status engine.Status
	b.hub.eventually("the session is "+string(phase), func() bool {
		var err error
		if status, err = b.engine.Status(b.Context(), id); err != nil {
			b.Fatal(err)
		}
		if status.Phase == engine.Failed && phase != engine.Failed {
			b.Fatalf("it failed: %+v", status)
		}
		return status.Phase == phase
	})
	return status
}

// tokensOf counts the tokens that the hub has for sessions.
func (b *bench) tokensOf(id string) int {
	b.Helper()
	var list struct {
		Tokens []struct{ Note string } `json:"api_tokens"`
	}
	if status, body := b.hub.ask(http.MethodGet, "/hub/api/users/ann%40example.org/tokens", &list); status != http.StatusOK {
		b.Fatalf("%d %s", status, body)
	}
	count := 0
	for _, token := range list.Tokens {
		if strings.Contains(token.Note, id) {
			count++
		}
	}
	return count
}

func TestSessionsOutliveTheirHub(t *testing.T) {
	t.Parallel()
	h := newHub(t, "CAIRN_SERVERS_PER_USER=2")
	b := newBench(t, h)
	b.open()
	first := b.start(b.repositories.Repository("working.git"))
	b.await(first.ID, engine.Running)
	way, err := b.engine.Target(t.Context(), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	kernel := enginetest.OpenKernel(t, way, base(first.ID))
	defer kernel.Close()
	if got := kernel.Run("here = 6 * 7; print(here)"); got != "42" {
		t.Fatalf("the cell printed %q", got)
	}

	t.Run("killed while they run", func(t *testing.T) {
		h.kill9()
		h.eventually("the hub's absence is noticed", func() bool { return b.engine.Check(t.Context()) != nil })
		if got := kernel.Run("print(here + 1)"); got != "43" {
			t.Errorf("without the hub the cell printed %q", got)
		}
		waits := b.start(b.repositories.Repository("working.git"))
		h.start()
		b.await(waits.ID, engine.Running)
		if status, err := b.engine.Status(t.Context(), first.ID); err != nil || status.Phase != engine.Running {
			t.Errorf("after the hub came back the session is %+v, %v", status, err)
		}
		if same, err := b.engine.Target(t.Context(), first.ID); err != nil || same.Authorization != way.Authorization {
			t.Errorf("it has another token, %v", err)
		}
		enginetest.Call(t, way, http.MethodGet, base(first.ID)+"api/status")
		b.hub.eventually("the hub is fine again", func() bool { return b.engine.Check(t.Context()) == nil })

		over := b.start(b.repositories.Repository("working.git"))
		if status := b.await(over.ID, engine.Failed); !strings.Contains(status.Reason, "already has the maximum of 2 named servers") {
			t.Errorf("over the hub's limit: %q", status.Reason)
		}
		for _, id := range []string{over.ID, waits.ID} {
			if err := b.engine.Remove(t.Context(), id); err != nil {
				t.Error(err)
			}
		}
	})

	t.Run("away when we start", func(t *testing.T) {
		h.kill9()
		opened := b.open()
		if err := opened.Check(t.Context()); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("Check: %v", err)
		}
		if _, err := opened.List(t.Context()); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("List: %v", err)
		}
		h.start()
		h.eventually("the hub is found", func() bool { return opened.Check(t.Context()) == nil })
		b.await(first.ID, engine.Running)
	})

	// What an account loses when it is disabled: the sessions slice stops its sessions.
	t.Run("a stop takes the token back and keeps the work", func(t *testing.T) {
		if got := b.tokensOf(first.ID); got == 0 {
			t.Errorf("%d tokens of a running session", got)
		}
		secret := strings.TrimPrefix(way.Authorization, "token ")
		if status, body := h.askAs(secret, http.MethodGet, "/hub/api/users", nil); status != http.StatusForbidden {
			t.Errorf("the session's token opens the hub's API: %d %s", status, body)
		}
		b.put(first.ID, "mine.txt", "precious")
		if err := b.engine.Stop(t.Context(), first.ID); err != nil {
			t.Fatal(err)
		}
		if got := b.tokensOf(first.ID); got != 0 {
			t.Errorf("%d tokens of a stopped session", got)
		}
		if status, _ := h.askAs(secret, http.MethodGet, base(first.ID)+"api/status", nil); status == http.StatusOK {
			t.Error("its server still answers")
		}
		if status, _ := h.askAs(secret, http.MethodGet, "/hub/api/user", nil); status != http.StatusForbidden {
			t.Errorf("its token is still good: %d", status)
		}
		if content, err := os.ReadFile(h.work(first.ID, "mine.txt")); string(content) != "precious" {
			t.Errorf("the work is gone: %v", err)
		}
	})

	t.Run("what we did not sign is refused", func(t *testing.T) {
		forged := `{"cairn":"{\"session\":\"x\"}","signature":"00"}`
		for what, options := range map[string]string{"nothing": "", "a forged grant": forged} {
			id := newID()
			path := "/hub/api/users/ann%40example.org/servers/" + id
			exchange(t, http.MethodPost, h.url()+path, options)
			_, events := h.ask(http.MethodGet, path+"/progress", nil)
			if !strings.Contains(events, `"failed": true`) || !strings.Contains(events, "Sessions are started from the catalog") && !strings.Contains(events, "do not share one token") {
				t.Errorf("%s: %s", what, events)
			}
			if status, body := exchange(t, http.MethodDelete, h.url()+path, `{"remove": true}`); status != http.StatusNoContent {
				t.Errorf("%d %s", status, body)
			}
			if _, err := os.Stat(h.work(id, "")); !os.IsNotExist(err) {
				t.Errorf("%s: a folder was made", what)
			}
		}
	})

	t.Run("the service for work opens to our token alone", func(t *testing.T) {
		for _, token := range []string{"", "another", strings.TrimPrefix(way.Authorization, "token ")} {
			for _, method := range []string{http.MethodGet, http.MethodDelete} {
				if status, _ := h.askAs(token, method, "/services/cairn-work/"+first.ID, nil); status != http.StatusForbidden {
					t.Errorf("%s with %q: %d", method, token, status)
				}
			}
		}
		for _, name := range []string{"..", "%2e%2e", "x", first.ID + "/../x"} {
			if status, _ := h.ask(http.MethodGet, "/services/cairn-work/"+name, nil); status == http.StatusOK && name != ".." && name != "%2e%2e" {
				t.Errorf("%q: %d", name, status)
			}
		}
	})
}

// refusesWhatLeadsAstray asks for repositories that would reach what nobody must, whatever signed it.
func (b *bench) refusesWhatLeadsAstray() {
	b.open()
	for address, want := range map[string]string{
		"http://10.0.0.1/working.git":       "cannot be reached on the public internet",
		"http://169.254.169.254/latest.git": "cannot be reached on the public internet",
		"http://[::1]:8000/x.git":           "cannot be reached on the public internet",
		"http://absent.invalid/x.git":       "its host was not found",
	} {
		spec := b.start(engine.Repository{URL: address, Folder: "x"})
		status := b.await(spec.ID, engine.Failed)
		if !strings.Contains(status.Reason, want) || strings.Contains(status.Log, "Cloning") {
			b.Errorf("%s: %q\n%s", address, status.Reason, status.Log)
		}
	}
}
