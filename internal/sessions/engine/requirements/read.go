package requirements

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"

	"go.yaml.in/yaml/v3"

	"cairn/internal/sessions/engine"
)

// Packages are what a repository asks for.
type Packages struct {
	wanted []requirement
	left   []string // unsupported lines, as written
}

const (
	listName  = "requirements.txt"
	fileLimit = 256 << 10 // bytes
)

// Read reads the requirements file and the descriptor of a repository. Descriptors are the names that the latter may
// have; the first one that exists is read.
func Read(repository *os.Root, descriptors []string) (Packages, error) {
	var found Packages
	text, err := readShort(repository, listName)
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
	content, err := io.ReadAll(io.LimitReader(file, fileLimit+1))
	if err == nil && len(content) > fileLimit {
		err = fmt.Errorf("%s is longer than %d bytes", name, fileLimit)
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(content), "\ufeff"), "?"), err
}

// blanks between the words of a line.
const blanks = " \t"

// addLines reads a requirements file as pip does, where a backslash continues a line.
func (p *Packages) addLines(text string) {
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
func (p *Packages) add(line string) {
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
func (p *Packages) addDescriptor(text string) {
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

// Lines returns the lines of the file that pip reads, one for each package.
func (p *Packages) Lines() []string {
	lines := make([]string, len(p.wanted))
	for i, one := range p.wanted {
		lines[i] = one.String()
	}
	return lines
}

// File returns the file that pip reads.
func File(lines []string) string {
	return strings.Join(slices.Concat(lines, []string{""}), "\n")
}

// NotSupported returns a short line about what was skipped; "" if nothing was.
func (p *Packages) NotSupported() string {
	if len(p.left) == 0 {
		return ""
	}
	return engine.Shorten("Not supported, left out: "+strings.Join(p.left, ", "), 180)
}

// openRegular opens a file that isn't a link, pipe or device, and doesn't wait for the other end of a pipe that
// somebody put in its place.
func openRegular(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	about, err := file.Stat()
	if err == nil && !about.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", name)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}
