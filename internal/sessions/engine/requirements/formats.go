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
func (r *Requirements) addDescriptor(text string) {
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
			r.add(strings.TrimRight(line, "\n"))
		}
		for _, line := range found.Conda {
			r.addConda(line)
		}
		for _, name := range found.Modules {
			r.leaveBeyond(name+" (module)", whyModules)
		}
	}
}

// addPyproject reads the dependencies of a project; other tables than its own are of tools.
func (r *Requirements) addPyproject(one file) {
	var pyproject struct {
		Project map[string]any
		Tool    struct {
			Poetry map[string]any
		}
	}
	if _, err := toml.Decode(one.text, &pyproject); err != nil {
		r.leave(one.path, "The file can't be read as TOML.")
		return
	}
	lines, _ := pyproject.Project["dependencies"].([]any)
	for _, line := range lines {
		if text, ok := line.(string); ok {
			r.add(text)
		}
	}
	if dynamic, _ := pyproject.Project["dynamic"].([]any); slices.Contains(dynamic, any("dependencies")) {
		r.leave(one.path+": dependencies", "These are known only once the package is built, which isn't done here.")
	}
	poetry, _ := pyproject.Tool.Poetry["dependencies"].(map[string]any)
	if len(lines) > 0 {
		return
	}
	for _, name := range sortedKeys(poetry) {
		if name != python {
			r.leave(name, "Poetry's lists aren't read. The authors can add it to project.dependencies.")
		}
	}
}

var runtimeForm = regexp.MustCompile(`^python-([0-9]+(?:\.[0-9]+){0,2})$`)

// addRuntime reads the one line of a file that names a language and its version.
func (r *Requirements) addRuntime(text string) {
	text = strings.TrimSpace(text)
	found := runtimeForm.FindStringSubmatch(text)
	switch {
	case found != nil:
		r.wantPython("==" + found[1] + ".*")
	case strings.HasPrefix(text, "r-"):
		r.leaveBeyond(text, whyR)
	case text != "":
		r.leaveBeyond(runtimeName, whyVersion)
	}
}

func (r *Requirements) wantPython(version string) {
	if versions, ok := parseVersions(version); ok && len(versions) > 0 {
		r.Packages = append(r.Packages, Package{Name: python, Line: python + strings.Join(versions, ",")})
	} else if !ok {
		r.leaveBeyond("Python "+version, whyVersion)
	}
}

// addDescription reads the packages that an R package depends on.
func (r *Requirements) addDescription(text string) {
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
			r.leaveBeyond(name+" (R)", whyR)
		}
	}
}
