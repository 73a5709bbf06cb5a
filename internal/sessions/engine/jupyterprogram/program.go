// Package jupyterprogram finds the Jupyter server that sessions run and knows how each kind of it is started. It reads the
// folders in which a program is installed and runs nothing of them: they may belong to somebody else than this server does.
package jupyterprogram

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// Program is an installed Jupyter server.
type Program struct {
	Path      string
	Name      string           // what people know it by, with versions, such as "JupyterLab 4.2.5"
	Interface engine.Interface // of the pages that it shows
	Needs     []string         // absolute paths outside of /usr of folders and files that it needs, at these very paths
	Terminals bool             // whether it can open terminals
	Blank     bool             // their page stays blank, because Debian's package lacks parts of it

	data    []string // folders in which it looks for kernels before those of the system
	classes []string // whose options it reads: "NotebookApp", "ServerApp", or both
}

// String returns the program's name and path.
func (p Program) String() string { return p.Name + " (" + p.Path + ")" }

// candidates are where Debian and pip install the programs that sessions can use, by the interface that people expect.
var candidates = []struct {
	name string
	fits func(Program, packages) bool
}{
	{"jupyter-lab", func(_ Program, found packages) bool { return found.major("jupyterlab") >= 4 }},
	{"jupyter-nbclassic", func(_ Program, found packages) bool { return found["jupyter_server"] != "" }},
	{"jupyter-notebook", func(Program, packages) bool { return true }},
}

// folders of programs that everybody may run, those of the operators first.
var folders = []string{"/usr/local/bin", "/usr/bin"}

// Find returns the program at a path, or for an empty path the best one in the system's folders: JupyterLab 4, else
// nbclassic on jupyter_server, else Notebook. Its error is an EngineUnavailable fault that says what to install.
func Find(path string) (Program, error) {
	if path != "" {
		found, _, err := inspect(path)
		return found, err
	}
	return best(folders)
}

func best(folders []string) (Program, error) {
	for _, candidate := range candidates {
		for _, folder := range folders {
			path := filepath.Join(folder, candidate.name)
			if _, err := os.Stat(path); err != nil {
				continue
			}
			if found, packages, err := inspect(path); err == nil && candidate.fits(found, packages) {
				return found, nil
			}
		}
	}
	return Program{}, fault.New(fault.EngineUnavailable,
		"Sessions can't start: Jupyter isn't installed on this server. The operators have to run: apt-get install jupyter-notebook python3-ipykernel")
}

// inspect describes the program at a path.
func inspect(path string) (Program, packages, error) {
	about, err := os.Stat(path)
	switch {
	case err != nil:
		return Program{}, nil, unusable(err, "%s isn't on this server. The operators can set sessions.jupyter or install it.", path)
	case !about.Mode().IsRegular() || about.Mode()&0o111 == 0:
		return Program{}, nil, unusable(nil, "%s isn't a program. The operators can set sessions.jupyter.", path)
	}
	found := Program{Path: path}
	python, err := interpreter(path)
	if err != nil {
		return Program{}, nil, unusable(err, "%s can't be read. The operators can set sessions.jupyter.", path)
	}
	var home installation // nothing is known of a program that isn't a script of Python
	if python != "" {
		if home, err = installationOf(python); err != nil {
			return Program{}, nil, unusable(err, "%s runs with %s, which isn't a complete Python installation.", path, python)
		}
		found.data = []string{filepath.Join(filepath.Dir(filepath.Dir(python)), "share/jupyter")}
	}
	found.Needs = home.needs
	if !covers(found.Needs, path) {
		found.Needs = append(found.Needs, path)
	}
	if os.Geteuid() == 0 { // sessions have other accounts
		for _, needed := range append([]string{path}, found.Needs...) {
			if about, err := os.Stat(needed); err != nil || about.Mode()&0o005 != 0o005 {
				return Program{}, nil, unusable(err, "%s has to be readable by everyone (chmod o+rx), because sessions run %s.", needed, path)
			}
		}
	}
	found.describe(home.packages)
	return found, home.packages, nil
}

func unusable(err error, format string, arguments ...any) error {
	return fault.Wrap(err, fault.EngineUnavailable, "Sessions can't start: "+format, arguments...)
}

// describe fills in what follows from the program's name and the packages beside it.
func (p *Program) describe(found packages) {
	name := filepath.Base(p.Path)
	lab, server, notebook := found["jupyterlab"], found["jupyter_server"], found["notebook"]
	classic := strings.HasPrefix(name, "jupyter-notebook") || strings.HasPrefix(name, "jupyter-nbclassic")
	p.Interface, p.Terminals, p.classes = engine.Classic, true, []string{"NotebookApp", "ServerApp"}
	if strings.HasPrefix(name, "jupyter-lab") || lab != "" && !classic {
		p.Interface = engine.Lab
	}
	if found == nil {
		p.Name = name
		return
	}
	p.Terminals = found["terminado"] != ""
	p.Blank = p.Interface == engine.Classic && found[blankTerminals] != ""
	switch {
	case strings.HasPrefix(name, "jupyter-notebook"):
		p.Name = "Jupyter Notebook " + cmp.Or(notebook, "of an unknown version")
		if found.major("notebook") < 7 {
			p.classes = []string{"NotebookApp"}
			return
		}
	case p.Interface == engine.Lab:
		p.Name = "JupyterLab " + cmp.Or(lab, "of an unknown version")
	case found["nbclassic"] != "":
		p.Name = "nbclassic " + found["nbclassic"] + " on jupyter_server " + server
	default:
		p.Name = name + " on jupyter_server " + server
	}
	p.classes = []string{"ServerApp"}
}

// Settings are what a session's server is told.
type Settings struct {
	Base      string // the path below which everything lies, with a slash at both ends
	Folder    string // whose files it shows
	Socket    string
	Policy    string // its Content-Security-Policy; without quotes of Python's, backslashes and line ends
	Terminals bool
	Shell     []string // the command of a terminal; words without quotes and backslashes
	Root      bool     // it runs as root
	AllOutput bool     // whatever kernels print is passed on, to a program of ours
	Batch     bool     // nobody watches: the death of a kernel is noticed at once
}

// Command returns the program with its arguments. They contain no secrets.
func (p Program) Command(settings Settings) []string {
	options := []string{
		"base_url=" + settings.Base,
		"sock=" + settings.Socket,
		"allow_remote_access=True",
		"terminals_enabled=" + python(settings.Terminals),
		`tornado_settings={'headers':{'Content-Security-Policy':"` + settings.Policy + `"}}`,
	}
	if settings.Terminals {
		options = append(options, "terminado_settings={'shell_command':['"+strings.Join(settings.Shell, "','")+"']}")
	}
	command := []string{p.Path, "--no-browser", "--KernelManager.transport=ipc", "--NotebookApp.quit_button=False"}
	if settings.AllOutput {
		command = append(command, OutputArguments(p.classes...)...)
	}
	if settings.Batch {
		command = append(command, quickRestarter)
	}
	for _, class := range p.classes {
		folder := "notebook_dir"
		if class == "ServerApp" {
			folder = "root_dir"
			command = append(command, "--ServerApp.quit_button=False")
		}
		command = append(command, "--"+class+"."+folder+"="+settings.Folder)
		for _, option := range options {
			command = append(command, "--"+class+"."+option)
		}
	}
	if settings.Root {
		command = append(command, "--allow-root")
	}
	return command
}

// BatchArguments are those of a server of any kind in which a program runs notebooks.
func BatchArguments() []string {
	classes := []string{"ServerApp", "NotebookApp"}
	arguments := append(OutputArguments(classes...), quickRestarter)
	for _, class := range classes {
		arguments = append(arguments, "--"+class+".terminals_enabled=False")
	}
	return arguments
}

// quickRestarter has a server notice the death of a kernel at once.
const quickRestarter = "--KernelRestarter.time_to_dead=0.25"

// OutputArguments have servers of these classes pass on whatever kernels print. By default they drop what is above a rate, for good.
func OutputArguments(classes ...string) []string {
	// limit_rate is how jupyter_server 2 names the limits; other servers ignore it.
	arguments := []string{"--ZMQChannelsWebsocketConnection.limit_rate=False"}
	for _, class := range classes {
		arguments = append(arguments, "--"+class+".iopub_data_rate_limit=0", "--"+class+".iopub_msg_rate_limit=0") // 0 is no limit
	}
	return arguments
}

// python returns the literal of a truth value.
func python(value bool) string {
	if value {
		return "True"
	}
	return "False"
}

// interpreter returns the absolute path of the Python in the first lines of a script; "" if it isn't a script of Python.
func interpreter(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	start := make([]byte, 4096)
	count, err := file.Read(start)
	if err != nil && count == 0 {
		return "", err
	}
	lines := bufio.NewScanner(bytes.NewReader(start[:count]))
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "#!") {
		return "", nil
	}
	words := strings.Fields(lines.Text()[2:])
	if len(words) == 2 && words[0] == "/usr/bin/env" && strings.HasPrefix(words[1], "python") {
		return "/usr/bin/" + words[1], nil
	}
	if len(words) > 0 && strings.HasPrefix(filepath.Base(words[0]), "python") && filepath.IsAbs(words[0]) {
		return words[0], nil
	}
	if len(words) == 1 && words[0] == "/bin/sh" && lines.Scan() { // pip's, for a path that is too long or has blanks
		command, ok := strings.CutPrefix(lines.Text(), `'''exec' `)
		command, _, cut := strings.Cut(command, ` "$0" "$@"`)
		if unquoted, err := strconv.Unquote(command); err == nil {
			command = unquoted
		}
		if ok && cut && filepath.IsAbs(command) {
			return command, nil
		}
	}
	return "", nil
}

// outside returns a path that sessions don't see without a mount.
func outside(path string) []string {
	for _, seen := range []string{"/usr", "/bin", "/sbin", "/lib", "/lib64"} {
		if path == seen || strings.HasPrefix(path, seen+"/") {
			return nil
		}
	}
	return []string{path}
}

// covers reports whether a path is one of some folders or below one, or needs none.
func covers(folders []string, path string) bool {
	for _, folder := range folders {
		if path == folder || strings.HasPrefix(path, folder+"/") {
			return true
		}
	}
	return len(outside(path)) == 0
}

var errNoPython = errors.New("it has no folder of packages")

func wrapped(path string, err error) error { return fmt.Errorf("%s: %w", path, err) }
