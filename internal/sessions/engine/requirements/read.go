package requirements

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"cairn/internal/sessions/engine"
)

// Requirements are what a repository asks for.
type Requirements struct {
	// Packages can be installed by pip, those of conda last.
	Packages []Package
	// R are packages of R, and its version if it matters.
	R []RPackage
	// Files are the texts of the files that were read, by path.
	Files map[string]string

	left   []engine.LeftOut // what pip never installs
	beyond []engine.LeftOut // what only a builder can install
	never  []engine.LeftOut // what no session has, with a builder either
	conda  []Package

	contradiction error

	lists map[string]string // the texts of lists for pip, which other files can include, by path
	at    Place             // what is read now
}

// Package is one package.
type Package struct {
	Name  string // of the package, or python for the version of Python itself
	Conda string // how conda names it; "" for a package that was meant for pip
	Line  string // how pip reads it
	Place Place

	hashed bool
}

// Place is where a repository asks for something.
type Place struct {
	File string // its path
	Line int    // from 1; 0 if it isn't known
}

// String returns the place in words.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("line %d of %s", p.Line, p.File)
}

// python is the name of the package that stands for the version of Python.
const python = "python"

// IsPython reports whether it asks for a version of Python.
func (p Package) IsPython() bool { return p.Name == python && p.Conda == "" }

// String returns the package as its repository's authors know it.
func (p Package) String() string {
	switch {
	case p.Conda != "":
		return p.Conda + " (conda)"
	case p.IsPython():
		return "Python" + strings.TrimPrefix(p.Line, python)
	}
	line, _, _ := strings.Cut(p.Line, " --hash=")
	return line
}

// Reasons for what pip can't do.
const (
	whyByName   = "Only packages given by name are installed."
	whyHashes   = "The list has checksums, so pip doesn't install anything without one."
	whySystem   = "System packages can't be installed in sessions on this server."
	whyDocker   = "Sessions use this server's system; the commands in this file weren't run."
	whyScript   = "Scripts that prepare an environment aren't run on this server."
	whyStart    = "Scripts that start a session aren't run on this server."
	whyModules  = "Software modules can't be loaded on this server."
	whyJulia    = "Packages of Julia aren't installed in sessions on this server."
	whyConda    = "It's a conda package, and no Python package is known to be the same project. Operators can have it installed by sessions.builder."
	whyVersion  = "The version that it asks for can't be read."
	whyKind     = "Only lists of conda and pip are read here."
	whyGroups   = "Only project.dependencies are installed. The authors can add to them what notebooks need."
	whyVariable = "Variables of an environment aren't set in sessions."
	whyBuild    = "The repository's own package isn't installed. Notebooks can import what lies beside them."
	whySetup    = "The repository's own package isn't installed, and neither is what it needs. " + whyElsewhere

	whyElsewhere = "The authors can list that in requirements.txt."
)

// Read reads what a repository asks for. Descriptors are the names that its descriptor may have; the first one that
// exists is read. What can't be read is left out.
func Read(from Source, descriptors []string) (Requirements, error) {
	found := Requirements{Files: map[string]string{}, lists: map[string]string{}}
	all, err := files(from, descriptors)
	if err != nil {
		return found, err
	}
	for _, one := range all {
		if one.name == listName && one.unreadable == "" {
			found.lists[one.path] = one.text
		}
	}
	chosen, unused := choose(all)
	for _, one := range chosen {
		found.addFile(one)
	}
	for _, one := range slices.Backward(all) {
		if _, included := found.Files[one.path]; !included && unused[one.path] != "" {
			found.never = slices.Insert(found.never, 0, engine.LeftOut{What: one.path, Why: unused[one.path]})
		}
	}
	found.finish()
	found.finishR()
	return found, nil
}

// addFile reads a file, once: another one may have included it.
func (r *Requirements) addFile(one file) {
	if _, again := r.Files[one.path]; again {
		return
	}
	switch why := unreadNames[one.name]; {
	case why != "":
		r.leaveBeyond(one.path, why)
	case one.unreadable != "":
		r.leave(one.path, one.unreadable)
		return
	}
	defer func(before Place) { r.at = before }(r.at)
	r.at = Place{File: one.path}
	switch one.name {
	case startName:
		r.leaveAlways(one.path, whyStart)
		return
	case setupName:
		r.leaveAlways(one.path, whySetup)
		return
	case setupConfigName:
		if packageForm.MatchString(one.text) {
			r.leaveAlways(one.path, whySetup)
		}
		return
	}
	r.Files[one.path] = one.text
	switch one.name {
	case "":
		r.addDescriptor(one.text)
	case listName:
		r.addLines(one.text)
	case pyprojectName:
		r.addPyproject(one)
	case environmentName, longerName:
		r.addEnvironment(one)
	case runtimeName:
		r.addRuntime(one.text)
	case aptName:
		for line := range strings.Lines(one.text) {
			for _, name := range strings.Fields(withoutComment(line)) {
				r.leaveBeyond(name+" (apt)", whySystem)
			}
		}
	case dockerName:
		r.leaveBeyond(one.path, whyDocker)
	case postBuildName:
		r.leaveBeyond(one.path, whyScript)
	case descriptionName:
		r.addDescription(one.text)
	case renvLockName:
		r.addRenvLock(one)
	case installRName:
		r.addInstallScript(one)
	}
}

// finish makes one list of packages: each one once, those of conda only if pip isn't asked for them anyway.
func (r *Requirements) finish() {
	if r.contradiction = findContradiction(r.Packages); r.contradiction == nil {
		r.contradiction = findContradiction(r.conda)
	}
	hashed := slices.ContainsFunc(r.Packages, func(one Package) bool { return one.hashed })
	named, lines := map[string]bool{}, map[string]bool{}
	var kept []Package
	for _, one := range r.Packages {
		if one.hashed || !hashed {
			named[canonical(one.Name)] = true
		}
	}
	for _, one := range slices.Concat(r.Packages, r.conda) {
		again := one.Conda != "" && named[canonical(one.Name)]
		switch {
		case lines[one.Line] || again:
		case hashed && !one.hashed && !one.IsPython():
			if !named[canonical(one.Name)] {
				r.leave(one.String(), whyHashes)
			}
		default:
			kept = append(kept, one)
		}
		lines[one.Line] = true
		if one.Conda != "" {
			named[canonical(one.Name)] = true
		}
	}
	r.Packages = kept
}

// LeftOut returns what pip can't install, whatever its index has.
func (r *Requirements) LeftOut() []engine.LeftOut { return slices.Concat(r.left, r.beyond, r.never) }

// NeverInstalled returns what a builder doesn't install either: it doesn't even get the files.
func (r *Requirements) NeverInstalled() []engine.LeftOut { return r.never }

// Environment returns wanted with what is installed and what is left out.
func (r *Requirements) Environment(installed []Package, left []engine.LeftOut) engine.Environment {
	planned := engine.Environment{
		Files: slices.AppendSeq([]string{}, maps.Keys(r.Files)), Packages: []string{}, LeftOut: append([]engine.LeftOut{}, engine.ShortLeftOut(left)...),
	}
	slices.Sort(planned.Files)
	for _, one := range installed {
		planned.Packages = append(planned.Packages, one.String())
	}
	return planned
}

// BeyondPip reports whether it takes more than pip.
func (r *Requirements) BeyondPip() bool {
	return len(r.beyond) > 0 || slices.ContainsFunc(r.Packages, func(one Package) bool { return one.Conda != "" || one.IsPython() })
}

func (r *Requirements) leave(what, why string) {
	r.left = append(r.left, engine.LeftOut{What: visible(what), Why: why})
}

func (r *Requirements) leaveBeyond(what, why string) {
	r.beyond = append(r.beyond, engine.LeftOut{What: visible(what), Why: why})
}

func (r *Requirements) leaveAlways(what, why string) {
	r.never = append(r.never, engine.LeftOut{What: visible(what), Why: why})
}

var separators = regexp.MustCompile(`[-_.]+`)

// canonical returns the name by which an index knows a package.
func canonical(name string) string { return separators.ReplaceAllString(strings.ToLower(name), "-") }

// NameOf returns the name of the package in a line, as an index knows it.
func NameOf(line string) string { return canonical(nameStart.FindString(line)) }

// blanks between the words of a line.
const blanks = " \t"

// addLines reads a requirements file as pip does, where a backslash continues a line.
func (r *Requirements) addLines(text string) {
	whole := ""
	for number, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if whole == "" {
			r.at.Line = number + 1
		}
		begun, goesOn := strings.CutSuffix(line, "\\")
		if goesOn && !strings.HasPrefix(strings.TrimLeft(line, blanks), "#") {
			whole += begun
			continue
		}
		r.add(whole + line)
		whole = ""
	}
	r.add(whole)
}

// includeForm is how a list for pip includes another one.
var includeForm = regexp.MustCompile(`^(?:-r *|--requirement[ =] *)(\S+)$`)

// add reads one line. One with a character that could end a line for another program is skipped entirely: Python sees
// more line ends than people do.
func (r *Requirements) add(line string) {
	if shown := visible(line); shown != line {
		r.leave(strings.Trim(shown, blanks), whyByName)
		return
	}
	text := strings.Trim(withoutComment(line), blanks)
	if text == "" {
		return
	}
	if included := includeForm.FindStringSubmatch(text); included != nil {
		other := path.Join(path.Dir(r.at.File), included[1])
		if list, there := r.lists[other]; there {
			r.addFile(file{path: other, name: listName, text: list})
			return
		}
	}
	if found, ok := parseRequirement(text); ok {
		r.Packages = append(r.Packages, Package{Name: found.name, Line: found.String(), Place: r.at, hashed: len(found.hashes) > 0})
	} else {
		r.leave(text, whyByName)
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

// File returns the file that pip reads.
func File(lines []string) string {
	return strings.Join(slices.Concat(lines, []string{""}), "\n")
}
