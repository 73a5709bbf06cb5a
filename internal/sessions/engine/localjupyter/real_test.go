package localjupyter_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/jupyterapi"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// The Jupyters of Debian, of which the tests choose one: the default depends on what a machine has.
const (
	notebook  = "/usr/bin/jupyter-notebook"
	nbclassic = "/usr/bin/jupyter-nbclassic"
)

func withRealJupyter(options *localjupyter.Options) { options.Jupyter = notebook }

// TestJupyter walks once through the life of a session with the real Jupyter. The other tests have a stand-in, which
// answers alike.
func TestJupyter(t *testing.T) {
	t.Parallel()
	b := newBench(t, withRealJupyter, withInternet, func(options *localjupyter.Options) { options.Program = thisProgram(t) })
	b.open()
	spec := b.running(b.url("working.git"))
	b.showsItsPages(spec.ID)
	b.keepsOutputs(spec.ID)
	b.kernelsAreJupyters(spec.ID)
	b.runsR(spec.ID)
	kernel := b.kernel(spec.ID)
	b.wants("a cell", kernel.Run(`
open("mine.txt", "w").write("precious")
print(get_ipython().kernel.implementation, open("data/spikes/values.csv").read(), open("working/README.md").read())`),
		"ipython 1,2,3\n # working.git")
	b.lookingIsNoActivity(spec.ID, kernel)
	b.tokenIsNowhere(spec.ID)
	kernel.Close()
	b.stop(spec.ID)
	b.nothingLeft(spec.ID)
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.wants("the work after a restart", b.cell(spec.ID, `print(open("mine.txt").read(), open("data/spikes/values.csv").read())`), "precious 1,2,3")

	imitation := newBench(t)
	imitation.open()
	standIn := imitation.running(imitation.url("working.git"))
	genuine, imitated := b.conversation(spec.ID), imitation.conversation(standIn.ID)
	for what, want := range genuine {
		got := imitated[what]
		if got.outcome != want.outcome {
			t.Errorf("%s: Jupyter gives %s, the stand-in %s", what, want.outcome, got.outcome)
		}
		for _, key := range got.keys {
			if !slices.Contains(want.keys, key) {
				t.Errorf("%s: the stand-in invents %q", what, key)
			}
		}
	}
	b.await(spec.ID, engine.Ended)
	if err := b.engine.Remove(t.Context(), spec.ID); err != nil {
		t.Fatal(err)
	}
	if all, err := b.engine.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("After its removal there are %v %v", all, err)
	}
}

// showsItsPages asks for a page that the catalog may show in a frame.
func (b *bench) showsItsPages(id string) {
	b.Helper()
	response, page := b.ask(id, http.MethodGet, "tree", true)
	if response.StatusCode != http.StatusOK || !strings.Contains(page, "<title>Home Page - Select or create a notebook</title>") {
		b.Errorf("The page is %s:\n%s", response.Status, page)
	}
	if policy := response.Header.Get("Content-Security-Policy"); policy != "frame-ancestors 'self' "+b.options.FrameAncestors {
		b.Errorf("The page has the policy %q", policy)
	}
}

// lookingIsNoActivity makes sure that only work is activity, not what the pages of ours and of Jupyter ask for.
func (b *bench) lookingIsNoActivity(id string, kernel *enginetest.Kernel) {
	b.Helper()
	b.engine.Look(id)
	before := b.await(id, engine.Running).Activity
	for _, path := range []string{"api/status", "api/kernels", "api/sessions", "api/contents"} {
		if response, body := b.ask(id, http.MethodGet, path, true); response.StatusCode != http.StatusOK {
			b.Errorf("%s: %s\n%s", path, response.Status, body)
		}
	}
	b.engine.Look(id)
	if after := b.await(id, engine.Running).Activity; after != before {
		b.Errorf("Looking moved %+v to %+v", before, after)
	}
	b.wants("a file", kernel.Run(`open("new.txt", "w").write("x"); print("written")`), "written")
	b.engine.Look(id)
	if after := b.await(id, engine.Running).Activity; !after.LastAt.After(before.LastAt) {
		b.Errorf("The work moved %+v to %+v", before, after)
	}
}

// tokenIsNowhere looks for the token in command lines and in files that others may read: CVE-2020-26261, CVE-2025-58366.
func (b *bench) tokenIsNowhere(id string) {
	b.Helper()
	target, err := b.engine.Target(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	token := strings.TrimPrefix(target.Authorization, "token ")
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		if content, _ := os.ReadFile(line); strings.Contains(string(content), token) {
			b.Errorf("%s holds the token", line)
		}
	}
	err = filepath.Walk(b.options.Dir, func(path string, about os.FileInfo, err error) error {
		if err != nil || !about.Mode().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), token) && about.Mode().Perm() != 0o600 {
			b.Errorf("%s holds the token and is open: %v", path, about.Mode())
		}
		return err
	})
	if err != nil {
		b.Error(err)
	}
}

// kernelsAreJupyters compares the kernels that the engine reports with those that a session's Jupyter finds in its box.
func (b *bench) kernelsAreJupyters(id string) {
	b.Helper()
	var found struct {
		Kernels map[string]struct {
			Spec struct {
				Language string
				Label    string `json:"display_name"`
			}
		} `json:"kernelspecs"`
	}
	_, body := b.ask(id, http.MethodGet, "api/kernelspecs", true)
	if err := json.Unmarshal([]byte(body), &found); err != nil {
		b.Fatal(err)
	}
	var want []string
	for name, one := range found.Kernels {
		want = append(want, name+" "+one.Spec.Language)
	}
	slices.Sort(want)
	var got []string
	for _, one := range b.engine.Kernels(b.Context()) {
		got = append(got, one.Name+" "+one.Language)
	}
	if !slices.Equal(got, want) {
		b.Errorf("The engine reports the kernels %q, Jupyter %q.", got, want)
	}
}

func (b *bench) keepsOutputs(id string) {
	b.Helper()
	target, err := b.engine.Target(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	enginetest.KeepsOutputs(b, target, "/s/"+id+"/")
}

// runsR runs R in a session's box, which has R's settings and keeps projects from replacing its library.
func (b *bench) runsR(id string) {
	b.Helper()
	if !slices.ContainsFunc(b.engine.Kernels(b.Context()), func(one engine.Kernel) bool { return one.Language == "R" }) {
		if os.Getenv("CI") == "true" {
			b.Error("R isn't installed.")
		}
		return
	}
	target, err := b.engine.Target(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	kernel := enginetest.OpenKernelOf(b, target, "/s/"+id+"/", "ir")
	defer kernel.Close()
	b.wants("R", kernel.Run(`cat(R.version$language, capabilities("png"), Sys.getenv("RENV_CONFIG_AUTOLOADER_ENABLED"), getwd())`), "R TRUE FALSE")
	b.wants("what R can read", kernel.Run(`cat(file.exists("/etc/shadow"), nzchar(Sys.getenv("R_HOME")))`), "FALSE TRUE")
}

// ask asks a session's server.
func (b *bench) ask(id, method, path string, authorized bool) (response *http.Response, body string) {
	b.Helper()
	target, err := b.engine.Target(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	request, err := http.NewRequestWithContext(b.Context(), method, target.URL.String()+"/s/"+id+"/"+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	if authorized {
		request.Header.Set("Authorization", target.Authorization)
	}
	if response, err = target.Transport.RoundTrip(request); err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	return response, string(content)
}

// said is what a server answered: what has to be the same, and the keys of its JSON.
type said struct {
	outcome string
	keys    []string
}

// conversation asks a server for what the engines and tests ask for, and shuts it down.
func (b *bench) conversation(id string) map[string]said {
	b.Helper()
	answers := map[string]said{}
	ask := func(what, method, path string, authorized bool) string {
		response, body := b.ask(id, method, path, authorized)
		var one map[string]any
		if json.Unmarshal([]byte(strings.Trim(body, "[]")), &one) == nil {
			answers[what] = said{response.Status, slices.Collect(maps.Keys(one))}
		} else {
			answers[what] = said{outcome: response.Status}
		}
		id, _ := one["id"].(string)
		return id
	}
	ask("status", "GET", "api/status", true)
	ask("without a token", "GET", "api/status", false)
	ask("the page", "GET", "tree", true)
	kernel := ask("start a kernel", "POST", "api/kernels", true)
	path := "api/kernels/" + kernel
	ask("kernels", "GET", "api/kernels", true)
	ask("one kernel", "GET", path, true)
	maps.Copy(answers, b.chat(id, kernel))
	ask("interrupt it", "POST", path+"/interrupt", true)
	ask("end it", "DELETE", path, true)
	ask("one that ended", "GET", path, true)
	ask("shut down", "POST", "api/shutdown", true)
	return answers
}

// chat asks a kernel for what it is and for two cells, and returns what it said to each.
func (b *bench) chat(id, kernel string) map[string]said {
	b.Helper()
	target, err := b.engine.Target(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	tab, err := jupyterapi.Server(target, "/s/"+id+"/").Dial(b.Context(), kernel)
	if err != nil {
		b.Fatal(err)
	}
	defer tab.Close()
	answers := map[string]said{}
	for _, asked := range []struct{ what, channel, kind, code string }{
		{"warm up", "shell", "execute_request", "pass"}, // the server may not hear at first what a kernel says
		{"what it is", "shell", "kernel_info_request", ""},
		{"what it is, at once", "control", "kernel_info_request", ""},
		{"a cell", "shell", "execute_request", "print(1)"},
		{"a cell that fails", "shell", "execute_request", "1/0"},
	} {
		content := map[string]any{}
		if asked.code != "" {
			content = map[string]any{"code": asked.code, "silent": false, "store_history": false, "user_expressions": map[string]any{}, "allow_stdin": false, "stop_on_error": false}
		}
		question, err := tab.Ask(b.Context(), asked.channel, asked.kind, content)
		if err != nil {
			b.Fatal(err)
		}
		outcome, keys := b.hear(tab, question)
		answers[asked.what] = said{outcome, keys}
	}
	delete(answers, "warm up")
	return answers
}

// hear collects what a kernel says to a request until it has replied and is idle again. Channels overtake each other.
func (b *bench) hear(tab *jupyterkernel.Connection, asked string) (outcome string, keys []string) {
	b.Helper()
	var heard []string
	printed, replied, idle := "", false, false
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	for !replied || !idle {
		message, err := tab.Read(ctx)
		var content map[string]any
		if err == nil {
			err = json.Unmarshal(message.Content, &content)
		}
		if err != nil {
			b.Fatal(err)
		}
		if message.Parent != asked {
			continue
		}
		if text, _ := content["text"].(string); message.Type == "stream" { // in as many parts as it likes
			printed += text
			continue
		}
		line := message.Channel + " " + message.Type
		for _, key := range []string{"execution_state", "status", "ename", "evalue"} {
			if value, _ := content[key].(string); value != "" {
				line += " " + value
			}
		}
		heard = append(heard, line)
		for key := range content {
			keys = append(keys, message.Type+" "+key)
		}
		replied = replied || strings.HasSuffix(message.Type, "_reply")
		idle = idle || content["execution_state"] == "idle"
	}
	slices.Sort(heard)
	return strings.Join(append(heard, printed), ", "), keys
}

// TestThoroughContractOnJupyter is TestContract with the real Jupyter.
func TestThoroughContractOnJupyter(t *testing.T) {
	enginetest.Run(t, contract(withRealJupyter))
}

// TestThoroughAllOnJupyter runs all other tests with the real Jupyter.
func TestThoroughAllOnJupyter(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, "-test.skip=^(TestThorough|TestContract$|TestJupyter$|TestNbclassic$|TestInterfaceIsThatOfTheStart$)", "-test.v")
	command.Env = append(os.Environ(), realVariable+"=1")
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}
