package environments

import (
	"encoding/json"
	"os/exec"
	"strings"
	"sync"
)

// python is the state of this server's Python when it was last queried.
type python struct {
	// mu guards the fields below.
	mu      sync.Mutex
	about   string   // everything about it that changes what pip installs
	folders []string // the folders of its packages
	seen    string   // when they, and Python itself, last changed
}

// pythonScript prints the versions of pip and Python, the machine's values for markers, and the system's packages, over
// which those of a repository are installed; then the folders of these packages.
const pythonScript = `
import importlib.metadata, json, pip, sys, venv
from pip._vendor.packaging.markers import default_environment
packages = sorted(f"{one.metadata['Name']} {one.version}" for one in importlib.metadata.distributions())
print(json.dumps([pip.__version__, sys.version, sys.executable, default_environment(), packages], sort_keys=True))
print(json.dumps(sys.path))`

// aboutPython returns everything about this server's Python that changes what pip installs. Python is queried again if
// something about it has changed, for example by a system update.
func (i *Installer) aboutPython() (string, error) {
	p := &i.python
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.about != "" && p.seen == changesOf(i.options.Python, p.folders) {
		return p.about, nil
	}
	output, err := exec.Command(i.options.Python, "-I", "-c", pythonScript).Output()
	if err != nil {
		return "", err
	}
	about, folders, _ := strings.Cut(string(output), "\n")
	if err := json.Unmarshal([]byte(folders), &p.folders); err != nil {
		return "", err
	}
	p.about, p.seen = about, changesOf(i.options.Python, p.folders)
	return about, nil
}

// pythonVersion returns the version of this server's Python, such as 3.11.
func (i *Installer) pythonVersion() string {
	about, _ := i.aboutPython()
	var parts []any
	if json.Unmarshal([]byte(about), &parts) != nil || len(parts) < 2 {
		return "?"
	}
	version, _ := parts[1].(string)
	version, _, _ = strings.Cut(version, " ")
	return version
}
