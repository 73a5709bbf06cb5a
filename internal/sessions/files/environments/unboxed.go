package environments

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/requirements"
)

// Unboxed makes an environment where this program itself is kept apart from everything else, as in a container of its own: the code of
// packages runs beside it, and pip reaches the index by what the container reaches.
type Unboxed struct {
	Folder string           // where the environment is made, which must be there
	Index  string           // the address of the package index; "": pip's own default
	Tell   func(now string) // hears each step
	Log    func(line string)
}

// PythonOf returns the path of the Python in an environment that an Unboxed makes in a folder.
func PythonOf(folder string) string { return filepath.Join(folder, venvName, "bin", "python") }

var (
	errNoPython = diagnosis.With(fault.New(fault.Unavailable,
		"The packages of this repository weren't installed: the image of its session lacks Python. Tell the operators."), diagnosis.ServerFault)
	errNoPip = diagnosis.With(fault.New(fault.Unavailable,
		"The packages of this repository weren't installed: the image of its session lacks pip, or Python's module venv. Tell the operators."), diagnosis.ServerFault)
)

// Make installs packages on top of those of the Python that is found, and returns what the index lacks.
func (u Unboxed) Make(ctx context.Context, lines []string) ([]engine.LeftOut, error) {
	python, err := exec.LookPath("python3")
	if err != nil {
		return nil, errors.Join(errNoPython, err)
	}
	installer := &Installer{options: Options{Python: python, Now: time.Now}}
	if _, err := installer.aboutPython(); err != nil {
		return nil, errors.Join(errNoPip, err)
	}
	var packages []requirements.Package
	for _, line := range lines {
		packages = append(packages, requirements.Package{Name: requirements.NameOf(line), Line: line})
	}
	answers, err := u.askForPython(ctx, python, packages)
	if err != nil {
		return nil, err
	}
	found := installer.sum(packages, answers, nil)
	u.Tell("Making the environment")
	said, err := u.run(ctx, python, venvScript)
	for err == nil && len(found.Lines) > 0 {
		if err := os.WriteFile(filepath.Join(u.Folder, listName), []byte(requirements.File(found.Lines)), 0o600); err != nil {
			return nil, err
		}
		// Its cache spares another download when pip is tried again without a package.
		if said, err = u.run(ctx, python, pipStart+`--cache-dir "$1/tmp/cache"`+pipEnd); err == nil {
			break
		}
		if lacking, ok := errors.AsType[*lackingError](err); ok && !said.away && found.without(lacking) {
			err = nil
		}
	}
	switch {
	case err != nil && said.away && !said.full:
		return nil, unreachable(err)
	case err != nil:
		return nil, err
	}
	return found.Left, os.RemoveAll(filepath.Join(u.Folder, "tmp"))
}

// askForPython finds out whether this Python is one that the repository asks for; a wish that can't be read isn't fulfilled. pip says
// itself which packages the index lacks: here nothing else knows whether it can be reached at all.
func (u Unboxed) askForPython(ctx context.Context, python string, packages []requirements.Package) (map[int]checkAnswer, error) {
	lines, numbers := []string{}, []int{}
	for number, one := range packages {
		if one.IsPython() {
			lines, numbers = append(lines, one.Line), append(numbers, number)
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	asked, err := json.Marshal(map[string]any{"lines": lines, "wheels": []string{}})
	if err != nil {
		return nil, err
	}
	name := filepath.Join(u.Folder, askedName)
	if err := os.WriteFile(name, asked, 0o600); err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, python, "-I", "-c", checkScript, name)
	command.Env = u.environment()
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	found, err := readAnswers(output, packages, func(string) {}, u.Log)
	if err := errors.Join(err, command.Wait()); err != nil {
		u.Log("The version of Python that the repository asks for can't be read: " + err.Error())
	}
	answers := map[int]checkAnswer{}
	for at, number := range numbers {
		answers[number] = checkAnswer{Number: number, Answer: cmp.Or(found[at].Answer, answerLacking)}
	}
	return answers, nil
}

// run runs a script of a shell and returns what it said, as pip does.
func (u Unboxed) run(ctx context.Context, python, script string) (*pipOutput, error) {
	said := &pipOutput{tell: u.Tell, log: u.Log, plain: func(line string) string { return line }}
	command := exec.CommandContext(ctx, "/bin/sh", "-c", script, python, u.Folder)
	command.Env, command.Dir = u.environment(), u.Folder
	output, err := command.StdoutPipe()
	if err != nil {
		return said, err
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		return said, err
	}
	err = said.read(output)
	if ended := command.Wait(); ended != nil {
		return said, said.failure(errors.Join(ended, err))
	}
	return said, err
}

// environment returns the variables of what runs: those of the container that tell where programs are, and whom the image trusts.
func (u Unboxed) environment() []string {
	variables := append(pipEnvironment(u.Folder), pipTimeout, "PATH="+os.Getenv("PATH"), "LANG="+cmp.Or(os.Getenv("LANG"), "C.UTF-8"))
	if u.Index != "" {
		variables = append(variables, "PIP_INDEX_URL="+u.Index)
	}
	if trusted := os.Getenv("SSL_CERT_FILE"); trusted != "" {
		variables = append(variables, "SSL_CERT_FILE="+trusted, "PIP_CERT="+trusted)
	}
	return variables
}
