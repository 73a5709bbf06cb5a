package executor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"cairn/internal/runs/executor"
	"cairn/internal/sessions/machine/jupyterkernel"
)

const (
	jupyterProgram = "/usr/bin/jupyter-notebook"
	python         = "/usr/bin/python3"
	nbclientFiles  = "/usr/lib/python3/dist-packages/nbclient/tests/files"
)

// jupyter is a real Jupyter server on a folder.
type jupyter struct {
	testing.TB
	folder  string
	server  jupyterkernel.Server
	process *exec.Cmd
}

// startJupyter starts Jupyter as its caller has to. Where Jupyter is missing the test is skipped, except where everything
// must be installed.
func startJupyter(t testing.TB) *jupyter {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs Jupyter; the scripted kernels are enough here")
	}
	if _, err := os.Stat(jupyterProgram); err != nil && os.Getenv("CI") != "true" {
		t.Skip("Jupyter is not installed: run make setup-test")
	}
	home := t.TempDir()
	j := &jupyter{TB: t, folder: filepath.Join(home, "work")}
	if err := os.Mkdir(j.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(home, "j.sock")
	j.process = exec.Command(jupyterProgram, append(executor.ServerOptions(), "--no-browser", "--allow-root", "--NotebookApp.sock="+socket,
		"--NotebookApp.notebook_dir="+j.folder, "--KernelManager.transport=ipc", "--NotebookApp.terminals_enabled=False",
		"--NotebookApp.rate_limit_window=0.01")...) // with limits, ten messages or 10,000 bytes at once would be too many
	j.process.Env = append(executor.Environment(time.Unix(1_700_000_000, 0)), "PATH=/usr/bin:/bin", "HOME="+home, "JUPYTER_RUNTIME_DIR="+home,
		"JUPYTER_TOKEN=secret", "JUPYTER_NO_CONFIG=1", "PYTHONDONTWRITEBYTECODE=1", "NBEXECUTE_TEST_PARALLEL_TMPDIR="+j.folder)
	log, err := os.Create(filepath.Join(home, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	j.process.Stdout, j.process.Stderr = log, log
	j.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := j.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = j.process.Process.Signal(syscall.SIGTERM)
		_ = j.process.Wait()
		if t.Failed() {
			said, _ := os.ReadFile(log.Name())
			t.Logf("Jupyter says:\n%s", said[max(0, len(said)-8000):])
		}
	})
	j.server = jupyterkernel.Server{URL: "http://localhost/", Header: http.Header{"Authorization": {"token secret"}}, Client: &http.Client{
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}},
	}}
	ticks := time.NewTicker(25 * time.Millisecond)
	defer ticks.Stop()
	for late := time.After(time.Minute); j.server.Call(t.Context(), http.MethodGet, "api/status", nil, nil) != nil; {
		select {
		case <-ticks.C:
		case <-late:
			t.Fatal("Jupyter doesn't answer")
		}
	}
	return j
}

// execute executes a notebook.
func (j *jupyter) execute(ctx context.Context, t testing.TB, source string, options executor.Options) executor.Executed {
	t.Helper()
	executed, err := executor.Execute(ctx, j.server, []byte(source), options)
	if err != nil {
		t.Fatal(err)
	}
	if executed.KernelLeft || executed.Malformed != 0 {
		t.Errorf("The kernel is left: %t; %d messages weren't understood", executed.KernelLeft, executed.Malformed)
	}
	name := strings.NewReplacer("/", "-", " ", "-").Replace(t.Name())
	if err := os.WriteFile(filepath.Join(j.folder, name+".executed"), executed.Notebook, 0o644); err != nil {
		t.Fatal(err)
	}
	return executed
}

// finish makes sure that no kernel is left, and that Jupyter finds nothing wrong with what was written.
func (j *jupyter) finish() {
	j.Helper()
	var kernels []json.RawMessage
	if err := j.server.Call(context.Background(), http.MethodGet, "api/kernels", nil, &kernels); err != nil || len(kernels) != 0 {
		j.Errorf("%d kernels are left (%v)", len(kernels), err)
	}
	written, _ := filepath.Glob(j.folder + "/*.executed")
	const check = `
import sys, warnings, nbformat
warnings.simplefilter("error")
for name in sys.argv[1:]:
    book = nbformat.read(name, as_version=nbformat.NO_CONVERT)
    assert (book.nbformat, book.nbformat_minor) == (4, 5), name
    nbformat.validate(book)
print(len(sys.argv) - 1)`
	command := exec.Command(python, append([]string{"-c", check}, written...)...)
	if output, err := command.CombinedOutput(); err != nil || string(output) != fmt.Sprintln(len(written)) || len(written) == 0 {
		j.Errorf("%d notebooks were written: %v\n%s", len(written), err, output)
	}
}

// TestJupyter executes real notebooks on a real server.
func TestJupyter(t *testing.T) {
	t.Parallel()
	j := startJupyter(t)
	t.Cleanup(j.finish)
	for name, test := range map[string]func(*testing.T, *jupyter){
		"the demo": executesTheDemo, "nbclient's": executesThoseOfNbclient, "floods": executesFloods, "input": executesInput,
		"endless": executesEndless, "deaths": executesDeaths, "deletes": executesDeletes, "environment": executesAlike, "languages": executesLanguages,
		"R": executesR,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, j)
		})
	}
}

// stored are the outputs of a notebook as its author stored them.
func stored(t *testing.T, source []byte) string {
	t.Helper()
	var book struct {
		Cells []struct {
			Type    string `json:"cell_type"`
			Outputs []map[string]any
		}
	}
	decode(t, source, &book)
	join := func(value any) any {
		if lines, ok := value.([]any); ok {
			text := ""
			for _, line := range lines {
				text += line.(string)
			}
			return text
		}
		return value
	}
	var all [][]map[string]any
	for _, cell := range book.Cells {
		for _, output := range cell.Outputs {
			delete(output, "metadata")
			delete(output, "traceback")
			delete(output, "execution_count") // the demo's are those of a whole run, nbclient's are not
			if output["text"] != nil {
				output["text"] = join(output["text"])
			}
			data, _ := output["data"].(map[string]any)
			for kind, value := range data {
				data[kind] = join(value)
				if kind == "image/png" || kind == "image/svg+xml" {
					data[kind] = "a picture"
				}
			}
		}
		all = append(all, cell.Outputs)
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The demo's notebooks give what is stored in them.
func executesTheDemo(t *testing.T, j *jupyter) {
	names, _ := filepath.Glob("../../site/demo/notebooks/*.ipynb")
	if len(names) != 7 {
		t.Fatalf("There are %v", names)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			executed := j.execute(t.Context(), t, string(source), executor.Options{})
			if executed.Ending != executor.Finished {
				t.Errorf("%s: %s", executed.Ending, executed.Reason)
			}
			if got, want := stored(t, executed.Notebook), stored(t, source); got != want {
				t.Errorf("The outputs are\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// executesThoseOfNbclient compares with what nbclient's authors stored, where nbclient does.
func executesThoseOfNbclient(t *testing.T, j *jupyter) {
	if _, err := os.Stat(nbclientFiles); err != nil && os.Getenv("CI") != "true" {
		t.Skip("nbclient's tests are not installed")
	}
	if err := os.CopyFS(filepath.Join(j.folder, "nbclient"), os.DirFS(nbclientFiles)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A", "B"} { // each waits for the other's file
		if err := os.WriteFile(filepath.Join(j.folder, "test_file_"+name+".txt"), []byte("Hello from "+name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"Autokill":                       "kernel-died",
		"Check History in Memory":        "raised AssertionError", // its server's option isn't set here
		"Clear Output":                   "finished alike",
		"Disable Stdin":                  "asked-for-input",
		"Empty Cell":                     "finished alike",
		"Error":                          "raised ZeroDivisionError",
		"Factorials":                     "finished alike",
		"HelloWorld":                     "finished alike",
		"Inline Image":                   "finished",
		"Interrupt":                      "timed-out",
		"JupyterWidgets":                 "raised ModuleNotFoundError", // ipywidgets
		"Other Comms":                    "finished alike",
		"Output":                         "raised ModuleNotFoundError",
		"Parallel Execute A":             "finished",
		"Parallel Execute B":             "finished",
		"SVG":                            "finished alike",
		"Skip Exceptions":                "raised Exception",
		"Skip Exceptions with Cell Tags": "finished alike",
		"Skip Execution with Cell Tag":   "finished alike",
		"Sleep1s":                        "finished",
		"Unicode":                        "finished alike",
		"UnicodePy3":                     "finished alike",
		"update-display-id":              "finished alike",
	} {
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(filepath.Join(nbclientFiles, name+".ipynb"))
			if err != nil {
				t.Fatal(err)
			}
			options := executor.Options{Folder: "nbclient"}
			if name == "Interrupt" {
				options.CellTimeout = 2 * time.Second
			}
			executed := j.execute(t.Context(), t, string(source), options)
			got := string(executed.Ending)
			if executed.Ending == executor.Raised {
				got += " " + executed.Cells[executed.EndedAt].Name
			}
			if stored(t, executed.Notebook) == stored(t, source) && strings.HasSuffix(want, "alike") {
				got += " alike"
			}
			if got != want {
				t.Errorf("It is %s (%s), want %s; the outputs are\n%s\nwant\n%s", got, executed.Reason, want, stored(t, executed.Notebook), stored(t, source))
			}
		})
	}
}

// Nothing of 20 MB in one piece, or of thousands of messages, is lost, up to the limits.
func executesFloods(t *testing.T, j *jupyter) {
	executed := j.execute(t.Context(), t, code(
		`print("x" * 20_000_000)`,
		`for i in range(200_000): print("line", "y" * 93)`,
		"from IPython.display import display\nfor i in range(5000): display(i)",
	), executor.Options{CellOutput: 64 << 20})
	cells := read(t, executed).Cells
	if executed.Ending != executor.Finished || len(cells[0].Outputs) != 1 || len(cells[1].Outputs) != 1 || len(cells[2].Outputs) != 5000 {
		t.Errorf("%s: %s: there are %d, %d and %d outputs", executed.Ending, executed.Reason, len(cells[0].Outputs), len(cells[1].Outputs), len(cells[2].Outputs))
	}
	for i, want := range []int{20_000_001, 200_000 * 99} {
		var output struct{ Text string }
		decode(t, cells[i].Outputs[0], &output)
		if len(output.Text) != want {
			t.Errorf("Cell %d printed %d bytes, want %d", i+1, len(output.Text), want)
		}
	}
	executed = j.execute(t.Context(), t, code(`print("x" * 20_000_000)`, `for i in range(200_000): print("z" * 99)`, "print(1)"), executor.Options{})
	got := outputs(t, executed)
	if executed.Ending != executor.Finished || !executed.Cells[0].Cut || !executed.Cells[1].Cut || executed.Cells[2].Cut || len(got) < 32<<20 || len(got) > 33<<20 {
		t.Errorf("%s: %s: %+v, %d bytes", executed.Ending, executed.Reason, executed.Cells, len(got))
	}
}

func executesInput(t *testing.T, j *jupyter) {
	for name, asks := range map[string]string{
		"input":          `input("name: ")`,
		"getpass":        "import getpass\ngetpass.getpass()",
		"it is insisted": "get_ipython().kernel._allow_stdin = True\ninput('name: ')",
	} {
		executed := j.execute(t.Context(), t, code("1", asks, "2"), executor.Options{})
		if executed.Ending != executor.AskedForInput || states(executed) != "ran failed not-run" {
			t.Errorf("%s: %s: %s: %s", name, executed.Ending, executed.Reason, outputs(t, executed))
		}
	}
}

// A run that is canceled ends although its cell doesn't, and says where it was if it can be interrupted.
func executesEndless(t *testing.T, j *jupyter) {
	for name, test := range map[string]struct {
		cell    string
		outputs []string
	}{
		// On a busy machine, it is interrupted again while it says where it was.
		"polite":   {"%s\nwhile True: pass", []string{"[KeyboardInterrupt()][]", `[stderr:"\nKeyboardInterrupt\n\n"][]`}},
		"stubborn": {"while True:\n    try:\n        %s\n        while True: pass\n    except KeyboardInterrupt: pass", []string{"[][]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socket := filepath.Join(filepath.Dir(j.folder), name)
			begun, err := net.Listen("unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			defer begun.Close()
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				_, _ = begun.Accept()
				cancel()
			}()
			cell := fmt.Sprintf(test.cell, fmt.Sprintf("import socket; socket.socket(socket.AF_UNIX).connect(%q)", socket))
			executed := j.execute(ctx, t, code(cell, "2"), executor.Options{Grace: 5 * time.Second})
			if executed.Ending != executor.Canceled || states(executed) != "failed not-run" || !slices.Contains(test.outputs, outputs(t, executed)) {
				t.Errorf("%s: %s: %s", executed.Ending, states(executed), outputs(t, executed))
			}
		})
	}
}

func executesDeaths(t *testing.T, j *jupyter) {
	for name, cell := range map[string]string{
		"exit": "import os\nos._exit(0)", "kill": "import os\nos.kill(os.getpid(), 9)", "memory": "import ctypes\nctypes.string_at(0)",
	} {
		executed := j.execute(t.Context(), t, code("print(1)", cell, "2"), executor.Options{})
		if executed.Ending != executor.KernelDied || states(executed) != "ran failed not-run" || outputs(t, executed) != `[stdout:"1\n"][][]` {
			t.Errorf("%s: %s: %s: %s", name, executed.Ending, executed.Reason, outputs(t, executed))
		}
	}
}

// The notebook's file and folder can go; the run has what it needs.
func executesDeletes(t *testing.T, j *jupyter) {
	folder := filepath.Join(j.folder, "doomed")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	source := code("import os, shutil\nprint(sorted(os.listdir()))", `os.remove("mine.ipynb")`, `shutil.rmtree(os.getcwd())`, "print(6 * 7)")
	if err := os.WriteFile(filepath.Join(folder, "mine.ipynb"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	executed := j.execute(t.Context(), t, source, executor.Options{Folder: "doomed"})
	if executed.Ending != executor.Finished || outputs(t, executed) != `[stdout:"['mine.ipynb']\n"][][][stdout:"42\n"]` {
		t.Errorf("%s: %s: %s", executed.Ending, executed.Reason, outputs(t, executed))
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("The folder is still there: %v", err)
	}
}

// Two runs print the same where only the environment could make a difference, and figures are shown without being asked.
func executesAlike(t *testing.T, j *jupyter) {
	source := code(
		`print(hash("a"), {"a", "b", "c"})`,
		"import datetime, locale, os, shutil\nprint(datetime.datetime.fromtimestamp(0), locale.setlocale(locale.LC_ALL, ''), shutil.get_terminal_size().columns, os.environ['SOURCE_DATE_EPOCH'])",
		"import matplotlib.pyplot as plt\nfigure = plt.plot([1, 2])",
	)
	first := j.execute(t.Context(), t, source, executor.Options{})
	second := j.execute(t.Context(), t, source, executor.Options{})
	got := outputs(t, first)
	if got != outputs(t, second) || first.Ending != executor.Finished {
		t.Errorf("The first run gives\n%.2000s\nthe second one\n%.2000s", got, outputs(t, second))
	}
	if !strings.Contains(got, `[stdout:"1970-01-01 00:00:00 C.UTF-8 80 1700000000\n"][display_data{"image/png":`) {
		t.Errorf("The run gives %.2000s", got)
	}
}

// executesR runs cells in R, which sends values as display data, draws at the end of a cell, and calls every error "ERROR".
func executesR(t *testing.T, j *jupyter) {
	if _, err := exec.LookPath("R"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("R isn't installed")
	}
	inR := func(cells ...string) string {
		var list []string
		for _, source := range cells {
			text, _ := json.Marshal(source)
			list = append(list, `{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": `+string(text)+`}`)
		}
		return notebook(`{"kernelspec": {"name": "ir", "language": "R", "display_name": "R"}}`, list...)
	}
	executed := j.execute(t.Context(), t, inR("mean(c(1, 2, 6))", "plot(1:3)", "data.frame(word = c('a', 'b'))", "cat('said')"), executor.Options{})
	if executed.Ending != executor.Finished || executed.Kernel.Language != "R" || executed.Kernel.Version == "" {
		t.Fatalf("%s: %s: %+v", executed.Ending, executed.Reason, executed.Kernel)
	}
	text := string(executed.Notebook)
	for _, want := range []string{`"text/plain"`, `[1] 3`, `"image/png"`, `word`, `said`} {
		if !strings.Contains(text, want) {
			t.Errorf("the executed notebook lacks %s: %s", want, text)
		}
	}
	executed = j.execute(t.Context(), t, inR("1", "stop('so')", "2"), executor.Options{})
	if executed.Ending != executor.Raised || executed.Cells[1].Name != "ERROR" || !strings.Contains(executed.Cells[1].Value, "so") {
		t.Errorf("an error: %s: %+v", executed.Ending, executed.Cells)
	}
	executed = j.execute(t.Context(), t, inR("1", "readline('name: ')", "2"), executor.Options{})
	if executed.Ending != executor.AskedForInput || executed.KernelLeft {
		t.Errorf("a question: %s: %s, the kernel is left: %t", executed.Ending, executed.Reason, executed.KernelLeft)
	}
}

func executesLanguages(t *testing.T, j *jupyter) {
	cell := `{"cell_type": "code", "source": "print(1)"}`
	executed := j.execute(t.Context(), t, notebook(`{"kernelspec": {"name": "cobol-85", "language": "COBOL", "display_name": "COBOL"}}`, cell), executor.Options{})
	if executed.Ending != executor.NoKernel || !strings.Contains(executed.Reason, "python3") { // the kernels that this server has are named
		t.Errorf("COBOL: %s: %s", executed.Ending, executed.Reason)
	}
	executed = j.execute(t.Context(), t, notebook(`{"kernelspec": {"name": "my-environment", "language": "python", "display_name": "Mine"}}`, cell), executor.Options{})
	if executed.Ending != executor.Finished || executed.Kernel.Name != "python3" || !strings.HasPrefix(executed.Kernel.Version, "3.") {
		t.Errorf("Another environment: %s: %s: %+v", executed.Ending, executed.Reason, executed.Kernel)
	}
}

// A server that is killed in the middle of a cell is noticed.
func TestJupyterIsKilled(t *testing.T) {
	t.Parallel()
	j := startJupyter(t)
	cell := fmt.Sprintf("import os, signal\nos.kill(%[1]d, signal.SIGKILL)\nwhile os.getppid() == %[1]d: pass\nos._exit(0)", j.process.Process.Pid)
	executed, err := executor.Execute(t.Context(), j.server, []byte(code("1", cell)), executor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if executed.Ending != executor.ServerLost || executed.EndedAt != 1 || !executed.KernelLeft {
		t.Errorf("%s in %d: %s; the kernel is left: %t", executed.Ending, executed.EndedAt, executed.Reason, executed.KernelLeft)
	}
}
