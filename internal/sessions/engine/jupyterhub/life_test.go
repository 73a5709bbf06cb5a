package jupyterhub_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/jupyterhub"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/engine/jupyterhub/realhub"
	"cairn/internal/sessions/machine/jupyterkernel"
)

func (b *bench) start(repository engine.Repository, datasets ...engine.Dataset) engine.Spec {
	b.Helper()
	spec := engine.Spec{ID: newID(), Owner: "ann@example.org", Repository: repository, Datasets: datasets}
	if err := b.engine.Start(b.Context(), spec); err != nil {
		b.Fatal(err)
	}
	return spec
}

func (b *bench) await(id string, phase engine.Phase) engine.Status {
	b.Helper()
	var status engine.Status
	b.hub.Eventually("the session is "+string(phase), func() bool {
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
	if status, body := b.hub.Ask(http.MethodGet, "/hub/api/users/ann%40example.org/tokens", &list); status != http.StatusOK {
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

// TestHub walks once through the life of a session on a real hub with a real Jupyter, and tries what only a real hub can
// refuse. Other tests have a stand-in, which answers alike.
func TestHub(t *testing.T) {
	t.Parallel()
	h := realhub.New(t)
	t.Run("the hook refuses what leads astray", func(t *testing.T) {
		t.Parallel()
		newBench(t, h).refusesWhatLeadsAstray()
	})
	t.Run("the stand-in answers as the hub does", func(t *testing.T) {
		t.Parallel()
		compareHubs(t, h, newBench(t, h).repositories.Repository("working.git"), newStandIn(t, 2*time.Second, func(s *standIn) { s.hub.Agent = openAgent(t, t.TempDir()).Handler() }).options.URL)
	})
	t.Run("what we did not sign is refused", func(t *testing.T) {
		t.Parallel()
		refusesWhatWasNotSigned(t, h)
	})
	t.Run("a server that is killed in the middle of a launch", func(t *testing.T) {
		t.Parallel()
		newBench(t, h).followsWhoWasKilled()
	})
	t.Run("cairn engine check", func(t *testing.T) {
		t.Parallel()
		newBench(t, h).passesTheCheck()
	})
	t.Run("the life of a session", func(t *testing.T) {
		t.Parallel()
		newBench(t, h).live()
	})
}

// speaksR runs code in R, which the machine has as its tests do.
func (b *bench) speaksR(id string, way engine.Target) {
	b.Helper()
	if !slices.ContainsFunc(b.engine.Kernels(b.Context()), func(one engine.Kernel) bool { return one.Language == "R" }) {
		b.Errorf("the kernels are %+v", b.engine.Kernels(b.Context()))
	}
	server := jupyterkernel.NewServer(way.URL.JoinPath(base(id)), way.Authorization, way.Transport)
	if said, err := server.Run(b.Context(), "ir", "some.ipynb", `cat(6 * 7, Sys.getenv("RENV_CONFIG_AUTOLOADER_ENABLED"))`); err != nil || said != "42 FALSE" {
		b.Errorf("R said %q %v", said, err)
	}
}

// live brings a session up, works in it, stops it, starts it again on the work that it kept, and removes it.
func (b *bench) live() {
	b.open()
	spec := b.start(b.repositories.Repository("working.git"), b.dataset())
	b.await(spec.ID, engine.Running)
	way, err := b.engine.Target(b.Context(), spec.ID)
	if err != nil {
		b.Fatal(err)
	}
	if page := string(enginetest.Call(b, way, http.MethodGet, base(spec.ID)+"tree")); !strings.Contains(page, "<title>Home Page - Select or create a notebook</title>") ||
		strings.Contains(page, "/hub/") {
		b.Errorf("The page is\n%s", page)
	}
	b.isBounded(spec.ID)
	enginetest.KeepsOutputs(b, way, base(spec.ID))
	kernel := enginetest.OpenKernel(b, way, base(spec.ID))
	if got := kernel.Run(`
open("mine.txt", "w").write("precious")
print(get_ipython().kernel.implementation, open("data/spikes/values.csv").read(), open("working/README.md").read())`); got != "ipython 1,2,3\n # working.git" {
		b.Errorf("The cell printed %q", got)
	}
	b.seesNothingOfTheAgent(kernel)
	b.speaksR(spec.ID, way)
	kernel.Close()
	b.opensToOurTokenAlone(spec.ID, way)
	b.losesItsToken(spec.ID, way)
	if err := b.engine.Start(b.Context(), spec); err != nil {
		b.Fatal(err)
	}
	b.await(spec.ID, engine.Running)
	if way, err = b.engine.Target(b.Context(), spec.ID); err != nil {
		b.Fatal(err)
	}
	again := enginetest.OpenKernel(b, way, base(spec.ID))
	defer again.Close()
	if got := again.Run(`print(open("mine.txt").read())`); got != "precious" {
		b.Errorf("After a restart the work is %q", got)
	}
	if err := b.engine.Remove(b.Context(), spec.ID); err != nil {
		b.Fatal(err)
	}
	if all, err := b.engine.List(b.Context()); err != nil || len(all) != 0 {
		b.Errorf("After its removal there are %v %v", all, err)
	}
}

// boundedMemory is what sessions of these tests may use.
const boundedMemory = 1 << 30

// isBounded looks for the control groups that hold the session's processes.
func (b *bench) isBounded(id string) {
	b.Helper()
	root, memory, processes := "/sys/fs/cgroup/cairn/"+id, "memory.max", "/sys/fs/cgroup/cairn/"+id
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err != nil {
		root, memory, processes = "/sys/fs/cgroup/memory/cairn/"+id, "memory.limit_in_bytes", "/sys/fs/cgroup/pids/cairn/"+id
	}
	for file, want := range map[string]string{root + "/" + memory: strconv.Itoa(boundedMemory), processes + "/pids.max": "1024"} {
		if got, err := os.ReadFile(file); strings.TrimSpace(string(got)) != want {
			b.Errorf("%s is %q, %v", file, got, err)
		}
	}
	for _, folder := range []string{root, processes} {
		if members, err := os.ReadFile(folder + "/cgroup.procs"); len(members) == 0 {
			b.Errorf("no process is in %s: %v", folder, err)
		}
	}
}

// followsWhoWasKilled lets one of our servers die while the hub copies a repository; the next one brings the session up.
func (b *bench) followsWhoWasKilled() {
	now := newClock()
	b.options.Now, b.options.Lease, b.options.TakeOverEvery = now.now, jupyterhub.Lease, 50*time.Millisecond
	b.open()
	spec := b.start(b.repositories.Repository("slow.git"))
	b.hub.Eventually("the hub copies the repository", func() bool {
		status, err := b.engine.Status(b.Context(), spec.ID)
		return err == nil && status.ActiveStep() == engine.StepRepository
	})
	b.open() // and the first one is gone
	now.advance(jupyterhub.Lease)
	b.hub.Eventually("the other server goes on with it", func() bool { return b.engine.Holds(spec.ID) })
	b.repositories.Release()
	b.await(spec.ID, engine.Running)
}

// seesNothingOfTheAgent looks from inside a session for the token of the agent, for the versions of everybody, and asks the agent for
// what it keeps.
func (b *bench) seesNothingOfTheAgent(kernel *enginetest.Kernel) {
	b.Helper()
	code := fmt.Sprintf(`
import glob, urllib.error, urllib.request
for name in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline") + glob.glob(%[1]q + "/*") + [%[1]q + "/token"]:
    try:
        if %[2]q in open(name).read(): print("the token is in", name)
    except OSError: pass
for name in (%[1]q + "/root", %[1]q + "/root/.versions", %[1]q + "/root/.agent.lock"):
    try: print(name, "has", __import__("os").listdir(name))
    except OSError: pass
try: print("the agent answers", urllib.request.urlopen(%[3]q, timeout=60).read())
except urllib.error.HTTPError as refused: print(refused.code)
except OSError: print(403)
`, b.hub.Folder, hubToken, b.hub.URL()+agentapi.Path+"states")
	if got := kernel.Run(code); got != "403" {
		b.Errorf("Inside a session, %s", got)
	}
}

// losesItsToken stops a session, as happens when an account is disabled: its token opens nothing any more, its work is kept.
func (b *bench) losesItsToken(id string, way engine.Target) {
	b.Helper()
	if got := b.tokensOf(id); got == 0 {
		b.Errorf("%d tokens of a running session", got)
	}
	secret := strings.TrimPrefix(way.Authorization, "token ")
	if status, body := b.hub.AskAs(secret, http.MethodGet, "/hub/api/users", nil); status != http.StatusForbidden {
		b.Errorf("the session's token opens the hub's API: %d %s", status, body)
	}
	if err := b.engine.Stop(b.Context(), id); err != nil {
		b.Fatal(err)
	}
	if got := b.tokensOf(id); got != 0 {
		b.Errorf("%d tokens of a stopped session", got)
	}
	if status, _ := b.hub.AskAs(secret, http.MethodGet, base(id)+"api/status", nil); status == http.StatusOK {
		b.Error("its server still answers")
	}
	if status, _ := b.hub.AskAs(secret, http.MethodGet, "/hub/api/user", nil); status != http.StatusForbidden {
		b.Errorf("its token is still good: %d", status)
	}
	if content, err := os.ReadFile(b.hub.Work(id, "mine.txt")); string(content) != "precious" {
		b.Errorf("the work is gone: %v", err)
	}
}

func refusesWhatWasNotSigned(t *testing.T, h *realhub.Hub) {
	user := "/hub/api/users/mallory%40example.org"
	if status, body := exchange(t, http.MethodPost, h.URL()+user, ""); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	forged := `{"cairn":"{\"session\":\"x\"}","signature":"00"}`
	for what, options := range map[string]string{"nothing": "", "a forged permit": forged} {
		id := newID()
		path := user + "/servers/" + id
		exchange(t, http.MethodPost, h.URL()+path, options)
		_, events := h.Ask(http.MethodGet, path+"/progress", nil)
		if !strings.Contains(events, `"failed": true`) || !strings.Contains(events, "Sessions are started from the catalog") && !strings.Contains(events, "don't have the same token") {
			t.Errorf("%s: %s", what, events)
		}
		if status, body := exchange(t, http.MethodDelete, h.URL()+path, `{"remove": true}`); status != http.StatusNoContent {
			t.Errorf("%d %s", status, body)
		}
		if _, err := os.Stat(h.Work(id, "")); !os.IsNotExist(err) {
			t.Errorf("%s: a folder was made", what)
		}
	}
}

// opensToOurTokenAlone asks the hub's service for work folders.
func (b *bench) opensToOurTokenAlone(id string, way engine.Target) {
	b.Helper()
	for _, token := range []string{"", "another", strings.TrimPrefix(way.Authorization, "token ")} {
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			if status, _ := b.hub.AskAs(token, method, "/services/cairn-work/"+id, nil); status != http.StatusForbidden {
				b.Errorf("%s with %q: %d", method, token, status)
			}
		}
	}
	for _, name := range []string{"..", "%2e%2e", "x", id + "/../x"} {
		if status, _ := b.hub.Ask(http.MethodGet, "/services/cairn-work/"+name, nil); status == http.StatusOK && name != ".." && name != "%2e%2e" {
			b.Errorf("%q: %d", name, status)
		}
	}
}

func TestThoroughSessionsOutliveTheirHub(t *testing.T) {
	t.Parallel()
	h := realhub.New(t, "CAIRN_SERVERS_PER_USER=2")
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
		h.Kill()
		h.Eventually("the hub's absence is noticed", func() bool { return b.engine.Check(t.Context()) != nil })
		if got := kernel.Run("print(here + 1)"); got != "43" {
			t.Errorf("without the hub the cell printed %q", got)
		}
		waits := b.start(b.repositories.Repository("working.git"))
		h.Start()
		b.await(waits.ID, engine.Running)
		if status, err := b.engine.Status(t.Context(), first.ID); err != nil || status.Phase != engine.Running {
			t.Errorf("after the hub came back the session is %+v, %v", status, err)
		}
		if same, err := b.engine.Target(t.Context(), first.ID); err != nil || same.Authorization != way.Authorization {
			t.Errorf("it has another token, %v", err)
		}
		enginetest.Call(t, way, http.MethodGet, base(first.ID)+"api/status")
		b.hub.Eventually("the hub is fine again", func() bool { return b.engine.Check(t.Context()) == nil })

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

	t.Run("stopped as planned", func(t *testing.T) {
		at := enginetest.OpenKernel(t, way, base(first.ID)) // the hub's restart cut the other one off
		defer at.Close()
		h.Stop()
		if got := at.Run("print(6 * 7 + 2)"); got != "44" {
			t.Errorf("while the hub is stopped the cell printed %q", got)
		}
		enginetest.Call(t, way, http.MethodGet, base(first.ID)+"api/status")
		h.Start()
		b.hub.Eventually("the hub is fine again", func() bool { return b.engine.Check(t.Context()) == nil })
	})

	t.Run("away when we start", func(t *testing.T) {
		h.Kill()
		opened := b.open()
		if err := opened.Check(t.Context()); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("Check: %v", err)
		}
		if _, err := opened.List(t.Context()); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("List: %v", err)
		}
		h.Start()
		h.Eventually("the hub is found", func() bool { return opened.Check(t.Context()) == nil })
		b.await(first.ID, engine.Running)
	})
}

// refusesWhatLeadsAstray asks for repositories that would reach what nobody must, whatever signed it.
func (b *bench) refusesWhatLeadsAstray() {
	b.open()
	for address, want := range map[string]string{
		"http://10.0.0.1/working.git":       "can't be reached on the public internet",
		"http://169.254.169.254/latest.git": "can't be reached on the public internet",
		"http://[::1]:8000/x.git":           "can't be reached on the public internet",
		"http://absent.invalid/x.git":       "can't be reached on the public internet",
	} {
		spec := b.start(engine.Repository{URL: address, Folder: "x"})
		status := b.await(spec.ID, engine.Failed)
		if !strings.Contains(status.Reason, want) {
			b.Errorf("%s: %q\n%s", address, status.Reason, status.Log)
		}
	}
}
