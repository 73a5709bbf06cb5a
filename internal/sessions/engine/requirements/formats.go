package requirements

import (
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"
)

// addDescriptor reads the forms of real descriptors, at the top level or in their project; it ignores what it can't
// read.
func (w *Wishes) addDescriptor(text string) {
	type dependencies struct {
		Modules []string `yaml:"modules"`
		Conda   []string `yaml:"conda"`
		Pip     []string `yaml:"pip"`
	}
	var descriptor struct {
		Dependencies dependencies `yaml:"additional_dependencies"`
		Project      struct {
			Dependencies dependencies `yaml:"additional_dependencies"`
		} `yaml:"project"`
	}
	_ = yaml.Unmarshal([]byte(text), &descriptor) // fields of another type are ignored
	for _, found := range []dependencies{descriptor.Dependencies, descriptor.Project.Dependencies} {
		for _, line := range found.Pip {
			w.add(strings.TrimRight(line, "\n"))
		}
		for _, line := range found.Conda {
			w.addConda(line)
		}
		for _, name := range found.Modules {
			w.leaveBeyond(name+" (module)", whyModules)
		}
	}
}

// addPyproject reads the dependencies of a project; other tables than its own are of tools.
func (w *Wishes) addPyproject(one file) {
	var pyproject struct {
		Project map[string]any
		Tool    struct {
			Poetry map[string]any
		}
	}
	if _, err := toml.Decode(one.text, &pyproject); err != nil {
		w.leave(one.path, "The file can't be read as TOML.")
		return
	}
	lines, _ := pyproject.Project["dependencies"].([]any)
	for _, line := range lines {
		if text, ok := line.(string); ok {
			w.add(text)
		}
	}
	if dynamic, _ := pyproject.Project["dynamic"].([]any); slices.Contains(dynamic, any("dependencies")) {
		w.leave(one.path+": dependencies", "These are known only once the package is built, which isn't done here.")
	}
	poetry, _ := pyproject.Tool.Poetry["dependencies"].(map[string]any)
	if len(lines) > 0 {
		return
	}
	for _, name := range sortedKeys(poetry) {
		if name != python {
			w.leave(name, "Poetry's lists aren't read. The authors can add it to project.dependencies.")
		}
	}
}

var runtimeForm = regexp.MustCompile(`^python-([0-9]+(?:\.[0-9]+){0,2})$`)

// addRuntime reads the one line of a file that names a language and its version.
func (w *Wishes) addRuntime(text string) {
	text = strings.TrimSpace(text)
	found := runtimeForm.FindStringSubmatch(text)
	switch {
	case found != nil:
		w.wantPython("==" + found[1] + ".*")
	case strings.HasPrefix(text, "r-"):
		w.leaveBeyond(text, whyR)
	case text != "":
		w.leaveBeyond(runtimeName, whyVersion)
	}
}

func (w *Wishes) wantPython(version string) {
	if versions, ok := parseVersions(version); ok && len(versions) > 0 {
		w.Packages = append(w.Packages, Package{Name: python, Line: python + strings.Join(versions, ",")})
	} else if !ok {
		w.leaveBeyond("Python "+version, whyVersion)
	}
}

// addDescription reads the packages that an R package depends on.
func (w *Wishes) addDescription(text string) {
	field, wanted := "", ""
	fields := map[string]string{}
	for line := range strings.Lines(text) {
		name, rest, named := strings.Cut(line, ":")
		if named && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			field, line = name, rest
		}
		fields[field] += line
	}
	for _, name := range []string{"Depends", "Imports", "LinkingTo"} {
		wanted += fields[name] + ","
	}
	for one := range strings.SplitSeq(wanted, ",") {
		name, _, _ := strings.Cut(one, "(")
		if name = strings.TrimSpace(name); name != "" && name != "R" {
			w.leaveBeyond(name+" (R)", whyR)
		}
	}
}
