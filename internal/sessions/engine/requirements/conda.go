package requirements

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// condaList has a line for each package of conda that is known to be the same project as a package in the index of pip, with
// the name that it has there if that is another one. docs/dependencies.md says how each line was checked.
//
//go:embed conda.txt
var condaList string

// indexNames are the names by which the index of pip knows packages of conda. Any other name of a package of conda may belong to
// somebody else there, so pip is never asked for it.
var indexNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for line := range strings.Lines(condaList) {
		if words := strings.Fields(withoutComment(strings.TrimSpace(line))); len(words) > 0 {
			names[words[0]] = words[len(words)-1]
		}
	}
	return names
})

// condaMeans are packages that only say how an environment is made.
var condaMeans = []string{"pip", "setuptools", "wheel", "conda", "mamba", "python_abi", "_libgcc_mutex", "_openmp_mutex"}

// addEnvironment reads an environment of conda, and the list for pip in it.
func (r *Requirements) addEnvironment(one file) {
	var environment struct {
		Dependencies []yaml.Node `yaml:"dependencies"`
		Variables    yaml.Node   `yaml:"variables"`
	}
	if err := yaml.Unmarshal([]byte(one.text), &environment); err != nil {
		r.leave(one.path, "The file can't be read as a conda environment.")
		return
	}
	for _, wish := range environment.Dependencies {
		switch wish := target(&wish); {
		case wish.Kind == yaml.ScalarNode && wish.Tag != "!!null":
			r.at.Line = wish.Line
			r.addConda(wish.Value)
		case wish.Kind == yaml.MappingNode:
			for pair := range slices.Chunk(wish.Content, 2) {
				r.addNested(pair[0].Value, target(pair[1]))
			}
		case wish.Kind == yaml.SequenceNode:
			r.leave(one.path+": dependencies", whyKind)
		}
	}
	if len(target(&environment.Variables).Content) > 0 {
		r.leaveAlways(one.path+": variables", whyVariable)
	}
}

// addNested reads a list within the dependencies of an environment, of which conda knows pip's alone.
func (r *Requirements) addNested(key string, list *yaml.Node) {
	if key != "pip" || list.Kind != yaml.SequenceNode && list.Tag != "!!null" {
		r.leave(r.at.File+": "+key, whyKind)
		return
	}
	for _, line := range list.Content {
		if line = target(line); line.Kind == yaml.ScalarNode {
			r.at.Line = line.Line
			r.add(strings.TrimRight(line.Value, "\n"))
		} else {
			r.leave(r.at.File+": pip", whyKind)
		}
	}
}

// target returns what a node of YAML stands for.
func target(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

var (
	condaForm = regexp.MustCompile(`^(?:[A-Za-z0-9_./-]+::)?([A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(.*)$`)
	exactForm = regexp.MustCompile(`^[0-9][A-Za-z0-9.!+_]*$`)
)

// addConda reads one package of conda, such as numpy, conda-forge::numpy>=1.2 or numpy=1.2.3=py39_0.
func (r *Requirements) addConda(wish string) {
	wish = strings.TrimSpace(visible(wish))
	found := condaForm.FindStringSubmatch(wish)
	if found == nil {
		if wish != "" {
			r.leaveBeyond(wish+" (conda)", whyVersion)
		}
		return
	}
	name, condition := strings.ToLower(found[1]), pipVersions(found[2])
	versions, ok := parseVersions(condition)
	switch {
	case name == python && found[2] != "" && !ok:
		r.leaveBeyond(wish+" (conda)", whyVersion)
	case name == python:
		r.wantPython(condition)
	case slices.Contains(condaMeans, name):
	case strings.HasPrefix(name, "r-"):
		if !r.addCondaR(strings.TrimPrefix(name, "r-"), strings.TrimSpace(found[2])) {
			r.leave(wish+" (conda)", whyVersion)
		}
	case indexNames()[name] == "":
		r.leaveBeyond(wish+" (conda)", whyConda)
	case !ok:
		r.leaveBeyond(wish+" (conda)", whyVersion)
	default:
		asked := requirement{name: indexNames()[name], versions: versions}
		r.conda = append(r.conda, Package{Name: asked.name, Conda: wish, Line: asked.String(), Place: r.at})
	}
}

// pipVersions translates a condition of conda for pip; what it can't translate, pip can't read either.
func pipVersions(condition string) string {
	condition = strings.TrimSpace(condition)
	exact, exactly := strings.CutPrefix(condition, "==")
	loose, loosely := strings.CutPrefix(condition, "=")
	switch {
	case condition == "" || condition == "*" || condition == "=*":
		return ""
	case exactly:
		exact, _, _ = strings.Cut(exact, "=") // before the name of a build
		return "==" + exact
	case loosely && !strings.Contains(loose, ","):
		version, _, built := strings.Cut(loose, "=")
		if version = strings.TrimSpace(version); !built && exactForm.MatchString(version) {
			version += ".*"
		}
		return "==" + version
	case exactForm.MatchString(strings.Fields(condition)[0]):
		return "==" + strings.Fields(condition)[0]
	case strings.HasSuffix(condition, "*") && exactForm.MatchString(strings.TrimRight(condition, ".*")):
		return "==" + strings.TrimRight(condition, ".*") + ".*"
	}
	return condition
}

func sortedKeys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
