package localjupyter

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// packages are what a repository asks for.
type packages struct {
	wanted []requirement
	left   []string // unsupported lines, as written
}

const (
	requirementsName  = "requirements.txt"
	requirementsLimit = 256 << 10 // bytes
)

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

// readShort returns "" for something that doesn't exist or isn't a file.
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

// blanks between the words of a line.
const blanks = " \t"

// addLines reads a requirements file as pip does, where a backslash continues a line.
func (p *packages) addLines(text string) {
	whole := ""
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		begun, goesOn := strings.CutSuffix(line, "\\")
		if goesOn && !strings.HasPrefix(strings.TrimLeft(line, blanks), "#") {
			whole += begun
			continue
		}
		p.add(whole + line)
		whole = ""
	}
	p.add(whole)
}

// add reads one line. One with a character that could end a line for another program is skipped entirely: Python sees
// more line ends than people do.
func (p *packages) add(line string) {
	if shown := visible(line); shown != line {
		p.left = append(p.left, strings.Trim(shown, blanks))
		return
	}
	text := strings.Trim(withoutComment(line), blanks)
	if text == "" {
		return
	}
	if found, ok := parseRequirement(text); ok {
		p.wanted = append(p.wanted, found)
	} else {
		p.left = append(p.left, text)
	}
}

// visible replaces invisible characters, including line ends.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsGraphic(r) { // U+2028 and U+2029 are not
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// withoutComment removes a comment, which begins a line or follows a blank.
func withoutComment(line string) string {
	for i, r := range line {
		if r == '#' && (i == 0 || strings.ContainsRune(blanks, rune(line[i-1]))) {
			return line[:i]
		}
	}
	return line
}

// addDescriptor reads the forms of real descriptors, at the top level or in their project; it ignores what it can't
// read.
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
	_ = yaml.Unmarshal([]byte(text), &descriptor) // fields of another type are ignored
	for _, found := range []dependencies{descriptor.Dependencies, descriptor.Project.Dependencies} {
		for _, line := range found.Pip {
			p.add(strings.TrimRight(line, "\n"))
		}
		for kind, names := range map[string][]string{"conda": found.Conda, "modules": found.Modules} {
			if len(names) > 0 {
				p.left = append(p.left, kind+" ("+visible(strings.Join(names, ", "))+")")
			}
		}
	}
}

// lines returns what pip reads.
func (p *packages) lines() []string {
	lines := make([]string, len(p.wanted))
	for i, one := range p.wanted {
		lines[i] = one.String()
	}
	return lines
}

// requirementsFile returns the file that pip reads.
func requirementsFile(lines []string) string {
	return strings.Join(slices.Concat(lines, []string{""}), "\n")
}

// notSupported returns a short line about what was skipped; "" if nothing was.
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
