package jupyterprogram

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// packages are the versions of installed packages, by their normalized names.
type packages map[string]string

// major returns the first number of a package's version; 0 if it isn't installed.
func (p packages) major(name string) int {
	first, _, _ := strings.Cut(p[name], ".")
	number, _ := strconv.Atoi(first)
	return number
}

// wanted are the packages that matter here.
var wanted = map[string]bool{"jupyterlab": true, "jupyter_server": true, "nbclassic": true, "notebook": true, "terminado": true}

// blankTerminals is the key of what is no package: a file of Notebook that loads a module which isn't there. Debian 12 has it.
const blankTerminals = "blank terminals"

// installation is a Python: the system's, a virtual environment, or one of conda and the like.
type installation struct {
	needs    []string // folders and files outside of /usr that it needs, at these very paths
	packages packages
}

// mostLinks is how many links may lead to a Python.
const mostLinks = 16

// installationOf describes the installation to which a path of a Python belongs. What makes it a virtual environment is
// the file pyvenv.cfg above the first path that leads to Python's program, as Python itself looks for it.
func installationOf(python string) (installation, error) {
	found := installation{packages: packages{}}
	add := func(path string) {
		if !covers(found.needs, path) {
			found.needs = append(found.needs, outside(path)...)
		}
	}
	base := ""
	for range mostLinks {
		prefix := filepath.Dir(filepath.Dir(python))
		home, system, isVenv := readVenv(prefix)
		switch {
		case isVenv && len(found.packages) == 0:
			add(prefix)
			found.read(prefix)
			if base = filepath.Dir(home); system {
				found.read(base)
			}
		case isInstallation(prefix):
			add(prefix)
			if base == "" {
				base = prefix
				found.read(prefix)
			}
		default:
			add(python) // a link alone, such as ~/bin/python
		}
		next, err := os.Readlink(python)
		if err != nil {
			break
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(python), next)
		}
		python = next
	}
	if _, err := os.Stat(python); err != nil {
		return installation{}, err
	}
	if base == "" || !isInstallation(base) {
		return installation{}, wrapped(python, errNoPython)
	}
	add(base)
	return found, nil
}

// readVenv reads the settings of a virtual environment: the folder of the Python that it was made with, and whether it
// also uses that one's packages.
func readVenv(prefix string) (home string, system, found bool) {
	content, err := os.ReadFile(filepath.Join(prefix, "pyvenv.cfg"))
	if err != nil {
		return "", false, false
	}
	for line := range strings.Lines(string(content)) {
		key, value, _ := strings.Cut(line, "=")
		switch value = strings.TrimSpace(value); strings.ToLower(strings.TrimSpace(key)) {
		case "home":
			home = filepath.Clean(value)
		case "include-system-site-packages":
			system = strings.EqualFold(value, "true")
		}
	}
	return home, system, filepath.IsAbs(home)
}

// isInstallation reports whether a folder contains Python's library.
func isInstallation(prefix string) bool {
	if prefix == "/" { // /bin/python is that of /usr
		prefix = "/usr"
	}
	found, _ := filepath.Glob(filepath.Join(prefix, "lib/python3*"))
	return len(found) > 0
}

// read adds the versions of the wanted packages below a prefix. Those of the operators hide those of Debian.
func (i *installation) read(prefix string) {
	folders := []string{"lib/python3*/site-packages"}
	if prefix == "/" || prefix == "/usr" {
		prefix = "/usr"
		folders = []string{"local/lib/python3*/dist-packages", "lib/python3/dist-packages"}
	}
	for _, pattern := range folders {
		parts, _ := filepath.Glob(filepath.Join(prefix, pattern, "notebook/static/components/xterm.js/index.js"))
		for _, part := range parts {
			if text, err := os.ReadFile(part); err == nil && strings.Contains(string(text), `require("./public/Terminal")`) {
				i.packages[blankTerminals] = "yes"
			}
		}
		found, _ := filepath.Glob(filepath.Join(prefix, pattern, "*-*.*-info")) // such as notebook-6.4.12.egg-info
		for _, path := range found {
			about := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".dist-info"), ".egg-info")
			name, version, _ := strings.Cut(about, "-")
			if name = strings.ToLower(name); wanted[name] && i.packages[name] == "" {
				i.packages[name], _, _ = strings.Cut(version, "-py")
			}
		}
	}
}
