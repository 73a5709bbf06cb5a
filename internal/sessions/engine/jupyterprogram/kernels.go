package jupyterprogram

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"cairn/internal/sessions/engine"
)

// systemData are the folders that Jupyter searches for kernels on every machine, the operators' own first, as in SYSTEM_JUPYTER_PATH
// of jupyter_core.
var systemData = []string{"/usr/local/share/jupyter", "/usr/share/jupyter"}

// kernelName is what Jupyter accepts as the name of a kernel's folder.
var kernelName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// The bounds of what is read: folders of kernels are the operators', and a mistake of theirs must not cost memory.
const (
	mostKernels     = 100
	largestSpecFile = 1 << 16
)

// Kernels returns the kernels that every Jupyter finds on this machine.
func Kernels() []engine.Kernel { return Program{}.Kernels() }

// Kernels returns the kernels that this Jupyter finds in the folders of the machine, in the order of their names. It reads them
// anew at every call, which takes a few system calls for each, so a kernel that operators install is known at once.
func (p Program) Kernels() []engine.Kernel {
	found := map[string]engine.Kernel{engine.Python.Name: engine.Python}
	for _, data := range append(slices.Clone(p.data), systemData...) {
		folder := filepath.Join(data, "kernels")
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			name := entry.Name()
			if _, known := found[name]; known || len(found) >= mostKernels || !kernelName.MatchString(name) {
				continue // Jupyter takes the first, too
			}
			if kernel, ok := readKernel(filepath.Join(folder, name, "kernel.json")); ok {
				kernel.Name = name
				found[name] = kernel
			}
		}
	}
	kernels := make([]engine.Kernel, 0, len(found))
	for _, kernel := range found {
		kernels = append(kernels, kernel)
	}
	slices.SortFunc(kernels, func(one, other engine.Kernel) int { return strings.Compare(one.Name, other.Name) })
	return kernels
}

// readKernel reads the description of a kernel; false if it is none.
func readKernel(path string) (engine.Kernel, bool) {
	file, err := os.Open(path)
	if err != nil {
		return engine.Kernel{}, false
	}
	defer file.Close()
	var spec struct {
		Arguments []string `json:"argv"`
		Label     string   `json:"display_name"`
		Language  string   `json:"language"`
	}
	err = json.NewDecoder(io.LimitReader(file, largestSpecFile)).Decode(&spec)
	return engine.Kernel{Language: spec.Language, Label: spec.Label}, err == nil && len(spec.Arguments) > 0 && spec.Language != ""
}
