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

// addPyproject reads the dependencies of a project; those in other tables are named.
func (r *Requirements) addPyproject(one file) {
	var pyproject struct {
		Project map[string]any
		Build   map[string]any `toml:"build-system"`
		Groups  map[string]any `toml:"dependency-groups"`
		Tool    map[string]any
	}
	if _, err := toml.Decode(one.text, &pyproject); err != nil {
		r.leave(one.path, "The file can't be read as TOML.")
		return
	}
	lines, _ := pyproject.Project["dependencies"].([]any)
	listed := map[string]bool{python: true}
	for _, line := range lines {
		if text, ok := line.(string); ok {
			r.at.Line = lineOf(one.text, text)
			r.add(text)
			listed[NameOf(text)] = true
		}
	}
	if dynamic, _ := pyproject.Project["dynamic"].([]any); slices.Contains(dynamic, any("dependencies")) {
		r.leave(one.path+": dependencies", "These are known only once the package is built, which isn't done here.")
	}
	poetry, _ := pyproject.Tool["poetry"].(map[string]any)
	wanted, _ := poetry["dependencies"].(map[string]any)
	for _, name := range sortedKeys(wanted) {
		if !listed[canonical(name)] {
			r.leave(name, "Poetry's lists aren't read. The authors can add it to project.dependencies.")
		}
	}
	optional, _ := pyproject.Project["optional-dependencies"].(map[string]any)
	for _, name := range sortedKeys(optional) {
		r.leave(one.path+": project.optional-dependencies."+name, whyGroups)
	}
	for _, name := range sortedKeys(pyproject.Groups) {
		r.leave(one.path+": dependency-groups."+name, whyGroups)
	}
	for _, name := range dependenciesIn(pyproject.Tool, "tool", 0) {
		r.leave(one.path+": "+name, whyGroups)
	}
	if len(pyproject.Build) > 0 {
		r.leaveAlways(one.path+": build-system", whyBuild)
	}
}

// deepestTable is how far below a table of a tool its dependencies are looked for.
const deepestTable = 5

// dependenciesIn returns the keys of lists of dependencies that tools have tables of their own for, such as
// tool.poetry.group.dev.dependencies. Those of tool.poetry itself are read by name, and project.dynamic says what those of
// setuptools do.
func dependenciesIn(table map[string]any, path string, depth int) (keys []string) {
	for _, key := range sortedKeys(table) {
		inner, filled := table[key].(map[string]any)
		list, _ := table[key].([]any)
		name := path + "." + key
		switch {
		case depth > deepestTable || name == "tool.poetry.dependencies" || name == "tool.setuptools":
		case strings.HasSuffix(key, "dependencies") && len(inner)+len(list) > 0:
			keys = append(keys, name)
		case filled:
			keys = append(keys, dependenciesIn(inner, name, depth+1)...)
		}
	}
	return keys
}

// lineOf returns the number of the line in which a text stands, from 1; 0 if it's written in another way.
func lineOf(text, part string) int {
	before, _, found := strings.Cut(text, part)
	if !found {
		return 0
	}
	return strings.Count(before, "\n") + 1
}

// packageForm is what a setup.cfg has that describes a package; those of most repositories only set up tools.
var packageForm = regexp.MustCompile(`(?m)^\[(?:metadata|options)\]`)

var runtimeForm = regexp.MustCompile(`^python-([0-9]+(?:\.[0-9]+){0,2})$`)

// addRuntime reads the one line of a file that names a language and its version.
func (r *Requirements) addRuntime(text string) {
	text = strings.TrimSpace(text)
	found := runtimeForm.FindStringSubmatch(text)
	switch {
	case found != nil:
		r.wantPython("==" + found[1] + ".*")
	case rRuntimeForm.MatchString(text):
		r.wantR(rItself, RCondition{"==", rRuntimeForm.FindStringSubmatch(text)[1] + ".*"})
	case text != "":
		r.leaveBeyond(runtimeName, whyVersion)
	}
}

func (r *Requirements) wantPython(version string) {
	if versions, ok := parseVersions(version); ok && len(versions) > 0 {
		r.Packages = append(r.Packages, Package{Name: python, Line: python + strings.Join(versions, ","), Place: r.at})
	} else if !ok {
		r.leaveBeyond("Python "+version, whyVersion)
	}
}
