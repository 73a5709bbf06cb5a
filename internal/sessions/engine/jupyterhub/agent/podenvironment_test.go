package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agent"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/files/environments"
)

// podLine is a line of what the hook hears.
type podLine struct {
	agentapi.Event

	Laid *struct {
		agentapi.Prepared

		Shown []struct{ From, To string }
	}
}

// hook asks for the environment of the session, as the hub's hook does.
type hook struct {
	*bench

	server *httptest.Server
	lines  *json.Decoder
	leave  context.CancelFunc
}

func (b *bench) askForEnvironment(packages ...string) *hook {
	b.Helper()
	if status, body := b.ask(b.Context(), http.MethodPost, session+"/prepare", agentapi.Prepare{Permit: agentapi.Permit{Session: session, Owner: "ann"}}); status != http.StatusOK {
		b.Fatalf("prepare: %d %s", status, body)
	}
	server := httptest.NewServer(b.agent.Handler())
	b.Cleanup(server.Close)
	ctx, leave := context.WithCancel(b.Context())
	b.Cleanup(leave)
	h := &hook{bench: b, server: server, leave: leave}
	h.lines = json.NewDecoder(h.post(ctx, "/environment", map[string]any{"owner": "ann", "packages": packages, "image": "example/image:1", "seconds": 60}))
	return h
}

// post makes a call and returns what it answers, also while it does.
func (h *hook) post(ctx context.Context, path string, send any) io.Reader {
	h.Helper()
	body, err := json.Marshal(send)
	if err != nil {
		h.Fatal(err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.server.URL+agentapi.Path+session+path, bytes.NewReader(body))
	if err != nil {
		h.Fatal(err)
	}
	request.Header.Set("Authorization", "token "+token)
	answer, err := h.server.Client().Do(request)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = answer.Body.Close() })
	if answer.StatusCode != http.StatusOK {
		h.Fatalf("%s: %s", path, answer.Status)
	}
	return answer.Body
}

// until returns the first line that is it.
func (h *hook) until(is func(podLine) bool) podLine {
	h.Helper()
	for {
		var line podLine
		if err := h.lines.Decode(&line); err != nil {
			h.Fatal(err)
		}
		if is(line) {
			return line
		}
	}
}

func isLaid(line podLine) bool { return line.Laid != nil }
func isLast(line podLine) bool { return line.Done != nil || line.Failed != nil }

// say does what the init container does, and ends it.
func (h *hook) say(laid podLine, said string, status int) {
	h.Helper()
	for _, one := range laid.Laid.Shown {
		if one.To == "/session/said" {
			if err := os.WriteFile(filepath.Join(one.From, "lines"), []byte(said), 0o600); err != nil {
				h.Fatal(err)
			}
		}
	}
	h.post(h.Context(), "/environment/ended", map[string]int{"status": status})
}

func TestAnEnvironmentThatAPodMadeIsKept(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := b.askForEnvironment("firefly")
	laid := first.until(isLaid)
	first.say(laid, `{"log": "Collecting firefly"}`+"\n"+`{"left": [{"what": "absent", "why": "It is absent."}]}`+"\n"+`{"done": {}}`+"\n", 0)
	if line := first.until(func(line podLine) bool { return line.Log != "" }); line.Log != "Collecting firefly" {
		t.Errorf("The log has %q", line.Log)
	}
	want := []engine.LeftOut{{What: "absent", Why: "It is absent."}}
	if made := first.until(isLast); made.Done == nil || len(made.Done.LeftOut) != 1 || made.Done.LeftOut[0] != want[0] || made.Done.Mounts[0] != laid.Laid.Mounts[0] {
		t.Fatalf("It is %+v, %+v", made.Done, made.Failed)
	}
	programs, err := filepath.Glob(filepath.Join(b.options.Root, ".bin", "cairn-*"))
	if err != nil || len(programs) != 1 {
		t.Fatalf("The programs are %v, %v", programs, err)
	}
	if program, err := os.Stat(programs[0]); err != nil || program.Mode().Perm() != 0o755 {
		t.Errorf("The program is %v, %v", program, err)
	}
	again := b.askForEnvironment("firefly")
	if kept := again.until(func(line podLine) bool { return isLaid(line) || isLast(line) }); kept.Done == nil || len(kept.Done.LeftOut) != 1 {
		t.Errorf("It is made again: %+v", kept)
	}
	var described struct{ Argv []string }
	content, err := os.ReadFile(filepath.Join(b.options.Root, session, "jupyter", "kernels", "python3", "kernel.json"))
	if err != nil || json.Unmarshal(content, &described) != nil || described.Argv[0] != environments.PythonOf(laid.Laid.Mounts[0].To) {
		t.Errorf("The kernel is %s, %v", content, err)
	}
}

func TestWhatAPodDidNotFinishIsDeleted(t *testing.T) {
	t.Parallel()
	for name, leaves := range map[string]func(h *hook, laid podLine){
		"the hook leaves": func(h *hook, _ podLine) { h.leave() },
		"it ended":        func(h *hook, laid podLine) { h.say(laid, `{"done": {}}`+"\n", 1) },
		"it isn't done":   func(h *hook, laid podLine) { h.say(laid, "no JSON\n{\"left\": [1]}\n", 0) },
		"it is too long":  func(h *hook, laid podLine) { h.say(laid, strings.Repeat("x", 1<<20), 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			h := b.askForEnvironment("firefly")
			leaves(h, h.until(isLaid))
			b.eventually("it is deleted", func(agentapi.States) bool {
				left, err := filepath.Glob(filepath.Join(b.options.Root, ".people", "*", "*"))
				return err == nil && len(left) == 0
			})
			next := b.askForEnvironment("firefly")
			next.until(isLaid) // it's made again
		})
	}
}

func TestWhyAPodCouldNotInstallIsTold(t *testing.T) {
	t.Parallel()
	h := newBench(t).askForEnvironment("firefly")
	h.say(h.until(isLaid), `{"failed": "The index is away.", "code": "index_unreachable"}`+"\n", 0)
	if last := h.until(isLast); last.Failed == nil || last.Failed.Reason != "The index is away." || last.Failed.Code != diagnosis.IndexUnreachable {
		t.Errorf("It ends with %+v", last.Failed)
	}
}

func TestAnIndexWithAPasswordIsNotShownToPackages(t *testing.T) {
	t.Parallel()
	for _, index := range []string{"https://ann:secret@pypi.example.org/simple", "file:///etc", "http://%"} {
		h := newBench(t, func(o *agent.Options) { o.Pip.IndexURL = index }).askForEnvironment("firefly")
		if last := h.until(func(line podLine) bool { return isLaid(line) || isLast(line) }); last.Failed == nil || last.Failed.Code != diagnosis.ServerFault {
			t.Errorf("%s: %+v", index, last)
		}
	}
}

func TestAPodIsToldWhatItCannotRead(t *testing.T) {
	t.Parallel()
	if err := agent.MakePodEnvironment(t.Context(), strings.NewReader("no JSON"), io.Discard); err == nil || !strings.Contains(err.Error(), "can't be read") {
		t.Errorf("It ends with %v", err)
	}
}
