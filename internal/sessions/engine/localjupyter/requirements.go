package localjupyter

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// packages are what a repository asks for.
type packages struct {
	lines []string // of a requirements file, each a package by its name
	left  []string // what is not supported, as it is written
}

const (
	requirementsName  = "requirements.txt"
	requirementsLimit = 256 << 10 // bytes
)

// requirementLine admits packages by name alone. Options, addresses and paths would bring in what the key of the cache
// does not tell of: another repository with the same lines must not get this one's code.
var requirementLine = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\s*(?:\[[A-Za-z0-9._,\s-]*\])?\s*` +
	`\(?(?:(?:===?|~=|!=|[<>]=?)\s*[A-Za-z0-9.*+!_-]+\s*,?\s*)*\)?\s*(?:;[^#]*?)?(?:\s+--hash=sha(?:256|384|512):[0-9a-f]+)*$`)

// readPackages reads the requirements file and the descriptor of a repository. Its files are hostile.
func readPackages(repository *os.Root, descriptors []string) (packages, error) {
	var found packages
	text, err := readShort(repository, requirementsName)
	if err != nil {
		return found, err
	}
	found.addLines(text)
	for _, name := range descriptors {
		text, err := readShort(repository, name)
		if err != nil {
			return found, err
		}
		if text != "" {
			found.addDescriptor(text)
			break
		}
	}
	return found, nil
}

// readShort returns "" for what is not there or no file.
func readShort(root *os.Root, name string) (string, error) {
	file, err := openRegular(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", nil // a link, a pipe, a folder: not what we look for
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, requirementsLimit+1))
	if err == nil && len(content) > requirementsLimit {
		err = fmt.Errorf("%s is longer than %d bytes", name, requirementsLimit)
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(content), "\ufeff"), "?"), err
}

func (p *packages) addLines(text string) {
	text = strings.ReplaceAll(text, "\r", "")
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		p.add(line)
	}
}

func (p *packages) add(line string) {
	if before, _, comment := strings.Cut(" "+line, " #"); comment {
		line = before
	}
	switch line = strings.TrimSpace(line); {
	case line == "":
	case requirementLine.MatchString(line) && !strings.Contains(line, "$"):
		p.lines = append(p.lines, line)
	default:
		p.left = append(p.left, line)
	}
}

// addDescriptor reads what real descriptors hold, at their top or in their project; what cannot be read is nothing.
func (p *packages) addDescriptor(text string) {
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
	_ = yaml.Unmarshal([]byte(text), &descriptor) // fields of another kind are left out
	for _, found := range []dependencies{descriptor.Dependencies, descriptor.Project.Dependencies} {
		for _, line := range found.Pip {
			p.add(strings.ReplaceAll(line, "\n", " "))
		}
		for kind, names := range map[string][]string{"conda": found.Conda, "modules": found.Modules} {
			if len(names) > 0 {
				p.left = append(p.left, kind+" ("+strings.Join(names, ", ")+")")
			}
		}
	}
}

// notSupported is a short line on what was left out; "" when nothing was.
func (p *packages) notSupported() string {
	if len(p.left) == 0 {
		return ""
	}
	return shorten("Not supported, left out: "+strings.Join(p.left, ", "), 180)
}

// shorten makes one short line of a text.
func shorten(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}
