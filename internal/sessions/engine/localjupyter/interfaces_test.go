package localjupyter_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/localjupyter"
)

func withNbclassic(options *localjupyter.Options) { options.Jupyter = nbclassic }

// TestNbclassic is TestJupyter for the server of nbclassic, with what may differ: its options, its pages and its end.
func TestNbclassic(t *testing.T) {
	t.Parallel()
	b := newBench(t, withNbclassic)
	b.open()
	spec := b.running(b.url("working.git"))
	if status := b.await(spec.ID, engine.Running); status.Interface != engine.Classic {
		t.Errorf("its pages are those of %q", status.Interface)
	}
	if err := os.WriteFile(b.work(spec.ID, "a.ipynb"), []byte(`{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"tree": `data-terminals-available="False"`, "notebooks/a.ipynb": `data-notebook-name="a.ipynb"`} {
		response, page := b.ask(spec.ID, http.MethodGet, path, true)
		if response.StatusCode != http.StatusOK || !strings.Contains(page, want) || strings.Contains(page, `id="shutdown"`) {
			t.Errorf("%s: %s\n%s", path, response.Status, page)
		}
		if policy := response.Header.Get("Content-Security-Policy"); policy != "frame-ancestors 'self' "+b.options.FrameAncestors {
			t.Errorf("%s has the policy %q", path, policy)
		}
	}
	if response, _ := b.ask(spec.ID, http.MethodGet, "api/terminals", true); response.StatusCode != http.StatusNotFound {
		t.Errorf("terminals: %s", response.Status)
	}
	b.wants("a cell", b.cell(spec.ID, `print(get_ipython().kernel.implementation, open("data/spikes/values.csv").read())`), "ipython 1,2,3")
	b.stop(spec.ID)
	b.nothingLeft(spec.ID)
	b.kernelStartsAhead(spec)
}

// kernelStartsAhead starts a session whose notebook opens, and waits for its kernel, though nobody loads the page.
func (b *bench) kernelStartsAhead(spec engine.Spec) {
	b.Helper()
	notebook := `{"cells": [], "metadata": {"kernelspec": {"name": "python3", "display_name": ""}}, "nbformat": 4, "nbformat_minor": 5}`
	if err := os.WriteFile(filepath.Join(b.work(spec.ID, spec.Repository.Folder), "index.ipynb"), []byte(notebook), 0o644); err != nil {
		b.Fatal(err)
	}
	if err := b.engine.Start(b.Context(), spec); err != nil {
		b.Fatal(err)
	}
	b.await(spec.ID, engine.Running)
	wanted := `"path": "` + spec.Repository.Folder + `/index.ipynb"`
	for deadline := time.Now().Add(time.Minute); ; {
		if _, open := b.ask(spec.ID, http.MethodGet, "api/sessions", true); strings.Contains(open, wanted) && strings.Contains(open, `"kernel"`) {
			break
		} else if time.Now().After(deadline) {
			b.Fatalf("No kernel was started: %s", open)
		}
	}
	b.stop(spec.ID)
	b.nothingLeft(spec.ID)
}

// TestThoroughContractOnNbclassic is TestContract with nbclassic on jupyter_server.
func TestThoroughContractOnNbclassic(t *testing.T) {
	enginetest.Run(t, contract(withNbclassic))
}

// The interface is that of the program with which a session was started, whatever runs new ones since.
func TestInterfaceIsThatOfTheStart(t *testing.T) {
	t.Parallel()
	lab := filepath.Join(filepath.Dir(jupyter), "jupyter-lab")
	b := newBench(t, func(options *localjupyter.Options) { options.Jupyter = lab })
	b.open()
	spec := b.running(b.url("working.git"))
	b.options.Jupyter = jupyter
	b.open()
	if status := b.await(spec.ID, engine.Running); status.Interface != engine.Lab {
		t.Errorf("after a start with another program the running session's pages are those of %q", status.Interface)
	}
	b.stop(spec.ID)
	b.start(spec)
	if status := b.await(spec.ID, engine.Running); status.Interface != engine.Classic {
		t.Errorf("after its own start they are those of %q", status.Interface)
	}
}

// Terminals are there if operators allow them; work in one is activity, and is first to go when memory runs out.
func TestThoroughTerminals(t *testing.T) {
	for _, program := range []string{notebook, nbclassic} {
		t.Run(filepath.Base(program), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(options *localjupyter.Options) { options.Jupyter, options.Terminals = program, true })
			b.open()
			spec := b.running(b.url("working.git"))
			target, err := b.engine.Target(t.Context(), spec.ID)
			if err != nil {
				t.Fatal(err)
			}
			var opened struct{ Name string }
			if err := json.Unmarshal(enginetest.Call(t, target, http.MethodPost, "/s/"+spec.ID+"/api/terminals"), &opened); err != nil {
				t.Fatal(err)
			}
			b.engine.Look(spec.ID)
			before := b.await(spec.ID, engine.Running).Activity
			tab, _, err := websocket.Dial(t.Context(), target.URL.String()+"/s/"+spec.ID+"/terminals/websocket/"+opened.Name, &websocket.DialOptions{
				HTTPClient: &http.Client{Transport: target.Transport}, HTTPHeader: http.Header{"Authorization": {target.Authorization}},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = tab.CloseNow() }()
			if err := wsjson.Write(t.Context(), tab, []string{"stdin", "echo $((6 * 7)) $(cat /proc/self/oom_score_adj) $0 $(ls)\r"}); err != nil {
				t.Fatal(err)
			}
			said := ""
			for !strings.Contains(said, "42 500 /bin/bash") || !strings.Contains(said, "working") {
				var message []any
				if err := wsjson.Read(t.Context(), tab, &message); err != nil {
					t.Fatalf("%v after %q", err, said)
				}
				if len(message) == 2 && message[0] == "stdout" {
					text, _ := message[1].(string)
					said += text
				}
			}
			b.awaitThat(spec.ID, func(status engine.Status) bool {
				b.engine.Look(spec.ID)
				return status.Activity.LastAt.After(before.LastAt)
			})
			b.stop(spec.ID)
			b.nothingLeft(spec.ID)
		})
	}
}

// A kernel that ends before it answers leaves its reason in the log alone: Jupyter's page only says that it didn't connect.
func TestThoroughAKernelThatCannotStartIsExplained(t *testing.T) {
	for _, program := range []string{notebook, nbclassic} {
		t.Run(filepath.Base(program), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(options *localjupyter.Options) { options.Jupyter = program })
			b.open()
			spec := b.running(b.url("working.git"))
			b.wants("a file", b.cell(spec.ID, `open("random.py", "w").write("x = 1"); print("written")`), "written")
			target, err := b.engine.Target(t.Context(), spec.ID)
			if err != nil {
				t.Fatal(err)
			}
			b.engine.Look(spec.ID)
			enginetest.Call(t, target, http.MethodPost, "/s/"+spec.ID+"/api/kernels")
			b.awaitThat(spec.ID, func(status engine.Status) bool {
				b.engine.Look(spec.ID)
				return status.Warning == "A kernel couldn't start. The file random.py hides Python's own module random. Rename random.py and what imports it."
			})
			b.stop(spec.ID)
		})
	}
}

const ownExtension = `
from jupyter_server.base.handlers import JupyterHandler

class Own(JupyterHandler):
    def get(self):
        self.finish("of the installation")

def _jupyter_server_extension_points():
    return [{"module": "own_extension"}]

def _load_jupyter_server_extension(app):
    app.web_app.add_handlers(".*$", [(app.web_app.settings["base_url"] + "own", Own)])
`

// A server in a virtual environment elsewhere finds its own packages and the settings of its extensions, and can't be
// changed from a session.
func TestThoroughJupyterElsewhere(t *testing.T) {
	venv := filepath.Join(t.TempDir(), "venv")
	if output, err := exec.Command("/usr/bin/python3", "-m", "venv", "--without-pip", "--system-site-packages", venv).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	packages, err := filepath.Glob(filepath.Join(venv, "lib/python3*/site-packages"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("%v (%v)", packages, err)
	}
	program := filepath.Join(venv, "bin/jupyter-server")
	for path, text := range map[string]string{
		filepath.Join(packages[0], "own_extension.py"):                      ownExtension,
		filepath.Join(venv, "etc/jupyter/jupyter_server_config.d/own.json"): `{"ServerApp": {"jpserver_extensions": {"own_extension": true}}}`,
		program: "#!" + venv + "/bin/python3\nfrom jupyter_server.serverapp import main\nmain()\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(program, 0o777); err != nil { // so that nothing but the mount keeps it
		t.Fatal(err)
	}
	b := newBench(t, func(options *localjupyter.Options) { options.Jupyter = program })
	b.open()
	spec := b.running(b.url("working.git"))
	if response, body := b.ask(spec.ID, http.MethodGet, "own", true); body != "of the installation" {
		t.Errorf("its extension answers %s: %s", response.Status, body)
	}
	b.wants("a write", b.cell(spec.ID, `open("`+program+`", "a")`), "OSError: [Errno 30] Read-only file system")
	b.stop(spec.ID)
	b.nothingLeft(spec.ID)
}
