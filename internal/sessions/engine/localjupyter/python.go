package localjupyter

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// python is what this server's Python was when it was last asked.
type python struct {
	mu      sync.Mutex
	about   string   // all of it that changes what pip installs
	folders []string // where its packages lie
	seen    string   // when they, and Python itself, last changed
}

// pythonScript prints the versions of pip and Python, what markers ask of the machine, and the packages of the system, over
// which those of a repository are installed; then the folders that these lie in.
const pythonScript = `
import importlib.metadata, json, pip, sys, venv
from pip._vendor.packaging.markers import default_environment
packages = sorted(f"{one.metadata['Name']} {one.version}" for one in importlib.metadata.distributions())
print(json.dumps([pip.__version__, sys.version, sys.executable, default_environment(), packages], sort_keys=True))
print(json.dumps(sys.path))`

// aboutPython returns all of this server's Python that changes what pip installs. Python is asked again when something
// about it has changed, such as by an update of the system.
func (e *Engine) aboutPython() (string, error) {
	p := &e.python
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.about != "" && p.seen == e.changesOf(p.folders) {
		return p.about, nil
	}
	output, err := exec.Command(e.options.Python, "-I", "-c", pythonScript).Output()
	if err != nil {
		return "", err
	}
	about, folders, _ := strings.Cut(string(output), "\n")
	if err := json.Unmarshal([]byte(folders), &p.folders); err != nil {
		return "", err
	}
	p.about, p.seen = about, e.changesOf(p.folders)
	return about, nil
}

func (e *Engine) changesOf(folders []string) string {
	var seen strings.Builder
	for _, path := range append([]string{e.options.Python}, folders...) {
		if about, err := os.Stat(path); err == nil {
			fmt.Fprintln(&seen, path, about.Size(), about.ModTime().UnixNano())
		}
	}
	return seen.String()
}
