package jupyterprogram

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// tree writes files below a new folder; @/ in them is that folder. A file that ends in "->" is a link to its text.
func tree(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path, text := filepath.Join(root, strings.TrimSuffix(name, "->")), strings.ReplaceAll(text, "@/", root+"/")
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case err != nil:
		case strings.HasSuffix(name, "->"):
			err = os.Symlink(text, path)
		default:
			err = os.WriteFile(path, []byte(text), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// A program is described by the packages beside its Python, and comes with everything that it needs outside of /usr.
func TestProgramsElsewhere(t *testing.T) {
	venv := map[string]string{
		"venv/bin/jupyter-lab":      "#!@/venv/bin/python\nimport sys\n",
		"venv/bin/jupyter-notebook": "#!@/venv/bin/python\nimport sys\n",
		"venv/bin/jupyter-server":   "#!/bin/sh\n'''exec' \"@/venv/bin/python\" \"$0\" \"$@\"\n' '''\nimport sys\n",
		"venv/bin/python->":         "python3.12", "venv/bin/python3.12->": "@/link/bin/python3.12",
		"venv/pyvenv.cfg": "home = @/link/bin\ninclude-system-site-packages = false\n", "venv/lib/python3.12/site-packages/x": "",
		"venv/lib/python3.12/site-packages/jupyterlab-4.2.5.dist-info/METADATA": "", "venv/lib/python3.12/site-packages/jupyterlab_pygments-0.3.0.dist-info/METADATA": "",
		"venv/lib/python3.12/site-packages/notebook-7.2.1.dist-info/METADATA": "", "venv/lib/python3.12/site-packages/jupyter_server-2.14.0.dist-info/METADATA": "",
		"venv/lib/python3.12/site-packages/terminado-0.18.1.dist-info/METADATA": "",
		"link->": "cpython-3.12.4", "cpython-3.12.4/bin/python3.12": "", "cpython-3.12.4/lib/python3.12/os.py": "",
		"cpython-3.12.4/lib/python3.12/site-packages/nbclassic-1.0.0.dist-info/METADATA": "",
		"more/pyvenv.cfg": "home=@/cpython-3.12.4/bin\nInclude-System-Site-Packages = True\n", "more/bin/python3->": "@/cpython-3.12.4/bin/python3.12",
		"more/lib/python3.12/site-packages/jupyter_server-2.0.0.dist-info/METADATA": "", "more/bin/jupyter-nbclassic": "#!@/more/bin/python3 -I\n",
		"conda/bin/jupyter-notebook": "#!@/conda/bin/python3.11", "conda/bin/python3.11": "", "conda/lib/python3.11/site-packages/notebook-6.5.7.dist-info/METADATA": "",
		"conda/lib/python3.11/site-packages/notebook/static/components/xterm.js/index.js": `var t = require("./public/Terminal");`,
		"wrapper/jupyter-lab": "#!/bin/sh\nexec /opt/lab \"$@\"\n", "binary": "\x7fELF",
		"odd/jupyter-lab": "#!@/odd/python3\n", "odd/python3->": "/usr/bin/python3",
	}
	root := tree(t, venv)
	server, classic := []string{"ServerApp"}, []string{"NotebookApp"}
	for path, want := range map[string]Program{
		"venv/bin/jupyter-lab":       {Name: "JupyterLab 4.2.5", Interface: engine.Lab, Terminals: true, classes: server, Needs: []string{"venv", "link"}},
		"venv/bin/jupyter-notebook":  {Name: "Jupyter Notebook 7.2.1", Interface: engine.Classic, Terminals: true, classes: server, Needs: []string{"venv", "link"}},
		"venv/bin/jupyter-server":    {Name: "JupyterLab 4.2.5", Interface: engine.Lab, Terminals: true, classes: server, Needs: []string{"venv", "link"}},
		"more/bin/jupyter-nbclassic": {Name: "nbclassic 1.0.0 on jupyter_server 2.0.0", Interface: engine.Classic, classes: server, Needs: []string{"more", "cpython-3.12.4"}},
		"conda/bin/jupyter-notebook": {Name: "Jupyter Notebook 6.5.7", Interface: engine.Classic, Blank: true, classes: classic, Needs: []string{"conda"}},
		"wrapper/jupyter-lab":        {Name: "jupyter-lab", Interface: engine.Lab, Terminals: true, classes: []string{"NotebookApp", "ServerApp"}, Needs: []string{"wrapper/jupyter-lab"}},
		"binary":                     {Name: "binary", Interface: engine.Classic, Terminals: true, classes: []string{"NotebookApp", "ServerApp"}, Needs: []string{"binary"}},
		"odd/jupyter-lab":            {Interface: engine.Lab, Terminals: true, classes: server, Needs: []string{"odd/python3", "odd/jupyter-lab"}},
	} {
		got, err := Find(filepath.Join(root, path))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for i, need := range want.Needs {
			want.Needs[i] = filepath.Join(root, need)
		}
		if path == "odd/jupyter-lab" {
			want.Name = got.Name // this machine's
		}
		slices.Sort(got.Needs)
		slices.Sort(want.Needs)
		if got.Name != want.Name || got.Interface != want.Interface || got.Terminals != want.Terminals || got.Blank != want.Blank ||
			!slices.Equal(got.classes, want.classes) || !slices.Equal(got.Needs, want.Needs) {
			t.Errorf("%s is %#v, want %#v", path, got, want)
		}
	}
}

// What can't be run is refused with a sentence that names it.
func TestProgramsThatCannotRun(t *testing.T) {
	root := tree(t, map[string]string{
		"lost/jupyter-lab": "#!@/lost/bin/python3\n", "bare/jupyter-lab": "#!@/bare/bin/python3\n", "bare/bin/python3": "",
		"closed/bin/jupyter-lab": "#!@/closed/bin/python3\n", "closed/bin/python3": "", "closed/lib/python3.11/site-packages/x": "",
		"text": "#!/usr/bin/python3\n", "endless/jupyter-lab": "#!@/endless/python3", "endless/python3->": "python3",
	})
	for path, mode := range map[string]os.FileMode{"text": 0o644, "closed": 0o700} {
		if err := os.Chmod(filepath.Join(root, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"gone": "gone isn't on this server", "text": "text isn't a program", "lost": "lost isn't a program",
		"lost/jupyter-lab": "lost/bin/python3, which isn't a complete Python installation", "bare/jupyter-lab": "isn't a complete Python installation",
		"endless/jupyter-lab": "isn't a complete Python installation",
	} {
		_, err := Find(filepath.Join(root, path))
		if fault.CodeOf(err) != fault.EngineUnavailable || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	_, err := Find(filepath.Join(root, "closed/bin/jupyter-lab"))
	if os.Geteuid() == 0 && !strings.Contains(fault.MessageOf(err), "has to be readable by everyone") {
		t.Errorf("a closed folder: %v", err)
	}
}

// The best program that is found is the default.
func TestDefaultProgram(t *testing.T) {
	at := func(prefix string, files ...string) map[string]string {
		found := map[string]string{prefix + "/bin/python3": "", prefix + "/lib/python3.11/site-packages/x": ""}
		for _, name := range files {
			if strings.HasPrefix(name, "jupyter-") {
				found[prefix+"/bin/"+name] = "#!@/" + prefix + "/bin/python3\n"
			} else {
				found[prefix+"/lib/python3.11/site-packages/"+name+".dist-info/METADATA"] = ""
			}
		}
		return found
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"all":             {at("b", "jupyter-lab", "jupyter-nbclassic", "jupyter-notebook", "jupyterlab-4.0.1", "nbclassic-0.3.2", "jupyter_server-1.23.3", "notebook-6.4.12"), "JupyterLab 4.0.1"},
		"an old Lab":      {at("b", "jupyter-lab", "jupyter-nbclassic", "jupyter-notebook", "jupyterlab-3.6.1", "nbclassic-0.3.2", "jupyter_server-1.23.3", "notebook-6.4.12"), "nbclassic 0.3.2 on jupyter_server 1.23.3"},
		"nbclassic":       {at("b", "jupyter-nbclassic", "jupyter-notebook", "nbclassic-0.3.2", "jupyter_server-1.23.3", "notebook-6.4.12"), "nbclassic 0.3.2 on jupyter_server 1.23.3"},
		"Notebook":        {at("b", "jupyter-notebook", "notebook-6.4.12"), "Jupyter Notebook 6.4.12"},
		"the operators'":  {at("a", "jupyter-lab", "jupyterlab-4.3.0"), "JupyterLab 4.3.0"},
		"broken and good": {map[string]string{"a/bin/jupyter-lab": "#!@/gone/bin/python3", "b/bin/jupyter-notebook": "\x7fELF"}, "jupyter-notebook"},
		"none":            {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, c.files)
			found, err := best([]string{filepath.Join(root, "a/bin"), filepath.Join(root, "b/bin")})
			if found.Name != c.want || (err == nil) != (c.want != "") {
				t.Errorf("it is %+v (%v)", found, err)
			}
			if err != nil && !strings.Contains(fault.MessageOf(err), "apt-get install jupyter-notebook python3-ipykernel") {
				t.Error(err)
			}
		})
	}
}

// Each kind of server is told the same by its own options.
func TestOptions(t *testing.T) {
	settings := Settings{Base: "/s/x/", Folder: "/work", Socket: "/run/j.sock", Policy: "frame-ancestors 'self'", Root: true}
	old := Program{Path: "/usr/bin/jupyter-notebook", classes: []string{"NotebookApp"}}.Command(settings)
	for _, want := range []string{
		"/usr/bin/jupyter-notebook", "--NotebookApp.base_url=/s/x/", "--NotebookApp.notebook_dir=/work", "--NotebookApp.sock=/run/j.sock", "--NotebookApp.terminals_enabled=False",
		"--NotebookApp.quit_button=False", "--allow-root", `--NotebookApp.tornado_settings={'headers':{'Content-Security-Policy':"frame-ancestors 'self'"}}`,
	} {
		if !slices.Contains(old, want) {
			t.Errorf("%v lacks %s", old, want)
		}
	}
	if text := strings.Join(old, "\n"); strings.Contains(text, "rate_limit") || strings.Contains(text, "limit_rate") || strings.Contains(text, "time_to_dead") {
		t.Errorf("%v changes Jupyter's own limits of output, or when it looks for dead kernels", old)
	}
	settings.AllOutput, settings.Batch = true, true
	settings.Terminals, settings.Root, settings.Shell = true, false, []string{"/bin/sh", "-c", `exec "$@"`}
	current := strings.Join(Program{classes: []string{"ServerApp"}}.Command(settings), "\n")
	for _, want := range []string{
		"--ServerApp.root_dir=/work\n", "--ServerApp.sock=/run/j.sock\n", "--ServerApp.terminals_enabled=True\n", "--ServerApp.quit_button=False\n",
		`--ServerApp.terminado_settings={'shell_command':['/bin/sh','-c','exec "$@"']}`,
		"--ServerApp.iopub_data_rate_limit=0", "--ServerApp.iopub_msg_rate_limit=0", "--ZMQChannelsWebsocketConnection.limit_rate=False",
		"--KernelRestarter.time_to_dead=0.25",
	} {
		if !strings.Contains(current, want) {
			t.Errorf("%s lacks %s", current, want)
		}
	}
	if strings.Contains(current, "--NotebookApp.sock") || strings.Contains(current, "allow-root") {
		t.Error(current)
	}
	both := Program{classes: []string{"NotebookApp", "ServerApp"}}.Command(settings)
	for _, want := range []string{
		"--NotebookApp.sock=/run/j.sock", "--ServerApp.sock=/run/j.sock", "--NotebookApp.iopub_data_rate_limit=0", "--NotebookApp.iopub_msg_rate_limit=0",
	} {
		if !slices.Contains(both, want) {
			t.Errorf("%v lacks %s", both, want)
		}
	}
}
