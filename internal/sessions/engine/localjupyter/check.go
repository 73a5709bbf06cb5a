package localjupyter

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"cairn/internal/fault"
	"cairn/internal/packageindex"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/requirements"
)

//go:embed check.py
var checkScript string

// checked says what pip can do about the packages that a repository asks for.
type checked struct {
	At      time.Time
	Lines   []string         // of the packages that pip installs
	There   []string         // packages of this server that fit
	Instead []string         // packages of conda that pip installs
	Left    []engine.LeftOut // what the index lacks
}

const (
	checkedName = "checked.json"
	askedName   = "asked.json"

	// lackingAgain is when an index is asked again for what it lacked.
	lackingAgain = 24 * time.Hour
)

// Answers of checkScript.
const (
	answerFound     = "found"     // the index has it
	answerThere     = "there"     // the server has it
	answerElsewhere = "elsewhere" // it's meant for other systems
)

type checkAnswer struct {
	Number  int
	Answer  string
	Version string // there: the version
}

// check finds out which packages pip can install, without installing any.
func (s *session) check(ctx context.Context, packages []requirements.Package, tell func(string)) (found checked, key string, err error) {
	lines, wheels := make([]string, len(packages)), []string{}
	for i, one := range packages {
		lines[i], _, _ = strings.Cut(one.Line, " --hash=")
		if one.Conda != "" {
			wheels = append(wheels, one.Name)
		}
	}
	asked, err := json.Marshal(map[string]any{"lines": lines, "wheels": wheels})
	if err != nil {
		return checked{}, "", err
	}
	if key, err = s.engine.environmentKey(checkScript, string(asked), strings.Join(packageLines(packages), "\n")); err != nil {
		return checked{}, "", err
	}
	cache := s.engine.caches[environmentsCache]
	tell, hear := cache.share(key, tell)
	unlock, err := cache.lock(ctx, key, hear)
	if err != nil {
		return checked{}, "", err
	}
	defer unlock()
	if found, ok := s.engine.checkedBefore(key); ok {
		return found, key, cache.used(key)
	}
	helper, err := s.helper()
	if err != nil {
		return checked{}, "", err
	}
	root, err := cache.fresh(key, helper)
	if err != nil {
		return checked{}, "", err
	}
	defer root.Close()
	if err := errors.Join(root.WriteFile(askedName, asked, 0o600), root.Chmod(askedName, 0o644)); err != nil {
		return checked{}, "", err
	}
	found, err = s.runCheck(ctx, key, helper, packages, tell)
	if err != nil {
		return checked{}, "", err
	}
	s.helped()
	return found, key, errors.Join(ownTree(ctx, root, ".", 0), s.engine.keepChecked(key, found))
}

func packageLines(packages []requirements.Package) []string {
	lines := make([]string, len(packages))
	for i, one := range packages {
		lines[i] = one.Line
	}
	return lines
}

// checkedBefore returns the result of an earlier check, unless an index may have got since what it lacked.
func (e *Engine) checkedBefore(key string) (found checked, ok bool) {
	cache := e.caches[environmentsCache]
	root, err := cache.open(key)
	if err != nil || !cache.has(key) {
		return found, false
	}
	defer root.Close()
	content, err := root.ReadFile(checkedName)
	if err != nil || json.Unmarshal(content, &found) != nil {
		return found, false
	}
	return found, len(found.Left) == 0 || e.options.Now().Sub(found.At) < lackingAgain
}

// keepChecked stores the result of a check in its entry of the cache.
func (e *Engine) keepChecked(key string, found checked) error {
	cache := e.caches[environmentsCache]
	content, err := json.Marshal(found)
	if err != nil {
		return err
	}
	root, err := cache.open(key)
	if err != nil {
		return err
	}
	defer root.Close()
	return errors.Join(root.WriteFile(checkedName, content, 0o600), cache.keep(key))
}

func (s *session) runCheck(ctx context.Context, key string, helper int, packages []requirements.Package, tell func(string)) (checked, error) {
	box := s.engine.installBox(key, helper)
	box.Command = []string{
		s.engine.sandbox.Shell(), "-c", `mkdir -p "$1/tmp" && exec "$0" -I -c "$2" "$1/` + askedName + `"`, s.engine.options.Python, box.Folder, checkScript,
	}
	answers := map[int]checkAnswer{}
	var guard *packageindex.Guard
	if s.engine.index != nil {
		guard = s.engine.index.Guard()
		defer guard.Close()
		if err := s.offerIndex(ctx, &box, guard); err != nil {
			return checked{}, err
		}
	}
	tell("Looking for the packages")
	err := s.run(ctx, box, func(output io.Reader) error {
		lines := bufio.NewScanner(output)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var answer checkAnswer
			if json.Unmarshal(lines.Bytes(), &answer) != nil || answer.Answer == "" || answer.Number < 0 || answer.Number >= len(packages) {
				s.appendLog(strings.ToValidUTF8(string(bytes.TrimSpace(lines.Bytes())), "?"))
				continue
			}
			answers[answer.Number] = answer
			tell("Looking for the packages: " + packages[answer.Number].String())
		}
		return lines.Err()
	})
	switch {
	case ctx.Err() != nil:
		return checked{}, context.Cause(ctx)
	case guard != nil && guard.Failure() != nil:
		s.appendLog("The package index: " + fault.MessageOf(guard.Failure()))
		return checked{}, s.indexFailed(errors.Join(guard.Failure(), err))
	case err != nil:
		s.engine.options.Logger.Warn("pip cannot be asked for packages; it says itself what it lacks", "error", err)
	}
	return s.engine.sum(packages, answers, guard), nil
}

// sum makes lists of the answers. A package without an answer is left to pip.
func (e *Engine) sum(packages []requirements.Package, answers map[int]checkAnswer, guard *packageindex.Guard) checked {
	found := checked{At: e.options.Now()}
	var wheels, lines []string
	for i, one := range packages {
		answer, answered := answers[i]
		if !answered {
			answer.Answer = answerFound
		}
		switch {
		case answer.Answer == answerElsewhere || one.IsPython() && answer.Answer != "lacking":
		case answer.Answer == answerThere:
			found.There = append(found.There, one.Name+" "+answer.Version)
			lines = append(lines, one.Line)
		case answer.Answer == answerFound:
			found.Lines = append(found.Lines, one.Line)
			if one.Conda != "" {
				wheels = append(wheels, one.Name)
				found.Instead = append(found.Instead, one.String()+": "+one.Name)
			}
		default:
			found.Left = append(found.Left, engine.LeftOut{What: one.String(), Why: e.whyLacking(one, guard)})
		}
	}
	if len(found.Lines) == 0 {
		return found
	}
	found.Lines = append(found.Lines, lines...) // so that what is installed agrees with them
	if len(wheels) > 0 {
		slices.Sort(wheels)
		found.Lines = slices.Insert(found.Lines, 0, "--only-binary="+strings.Join(slices.Compact(wheels), ","))
	}
	return found
}

// whyLacking says why a package can't be installed.
func (e *Engine) whyLacking(one requirements.Package, guard *packageindex.Guard) string {
	switch {
	case one.IsPython():
		return "Sessions of this server have Python " + e.pythonVersion() + "."
	case guard == nil && e.options.Pip.FindLinks == "":
		return "Packages aren't installed: sessions on this server have no network, and the operators don't keep a folder of wheels."
	case guard == nil:
		return "It isn't among the packages that this server's operators keep."
	case !guard.Has(one.Name) && one.Conda != "":
		return "The package index doesn't have it under this name, and there is no conda on this server."
	case !guard.Has(one.Name):
		return "The package index doesn't have it."
	case one.Conda != "" || !e.builds():
		return fmt.Sprintf("The package index has no version that fits, as a wheel for Python %s.", e.pythonVersion())
	}
	return fmt.Sprintf("The package index has no version that fits, for Python %s.", e.pythonVersion())
}

// lackingError says that a package can't be installed because the index lacks one that it needs.
type lackingError struct {
	error

	root  string // the package of the repository
	needs string // what is lacking
}

func (l *lackingError) Unwrap() error { return l.error }

// without removes a package that can't be installed after all.
func (c *checked) without(lacking *lackingError) bool {
	for i, line := range c.Lines {
		if requirements.NameOf(line) != requirements.NameOf(lacking.root) {
			continue
		}
		c.Lines = slices.Delete(c.Lines, i, i+1)
		why := "The package index has no version that fits."
		if requirements.NameOf(lacking.needs) != requirements.NameOf(lacking.root) {
			why = fmt.Sprintf("It needs %s, which the package index doesn't have.", engine.Shorten(lacking.needs, 100))
		}
		c.Left = append(c.Left, engine.LeftOut{What: line, Why: why})
		return true
	}
	return false
}

// pythonVersion returns the version of this server's Python, such as 3.11.
func (e *Engine) pythonVersion() string {
	about, _ := e.aboutPython()
	var parts []any
	if json.Unmarshal([]byte(about), &parts) != nil || len(parts) < 2 {
		return "?"
	}
	version, _ := parts[1].(string)
	version, _, _ = strings.Cut(version, " ")
	return version
}

// readOwn reads a file that this server wrote into a folder that others may have changed since; "" for anything else.
func readOwn(root *os.Root, name string, most int64) string {
	file, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return ""
	}
	return string(content)
}

// python is the state of this server's Python when it was last queried.
type python struct {
	mu      sync.Mutex
	about   string   // everything about it that changes what pip installs
	folders []string // the folders of its packages
	seen    string   // when they, and Python itself, last changed
}

// pythonScript prints the versions of pip and Python, the machine's values for markers, and the system's packages, over
// which those of a repository are installed; then the folders of these packages.
const pythonScript = `
import importlib.metadata, json, pip, sys, venv
from pip._vendor.packaging.markers import default_environment
packages = sorted(f"{one.metadata['Name']} {one.version}" for one in importlib.metadata.distributions())
print(json.dumps([pip.__version__, sys.version, sys.executable, default_environment(), packages], sort_keys=True))
print(json.dumps(sys.path))`

// aboutPython returns everything about this server's Python that changes what pip installs. Python is queried again if
// something about it has changed, for example by a system update.
func (e *Engine) aboutPython() (string, error) {
	p := &e.python
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.about != "" && p.seen == e.changesOf(p.folders) {
		return p.about, nil
	}
	output, err := exec.Command(e.options.Python, "-I", "-c", pythonScript).Output()
	if err != nil {
		return "", err
	}
	about, folders, _ := strings.Cut(string(output), "\n")
	if err := json.Unmarshal([]byte(folders), &p.folders); err != nil {
		return "", err
	}
	p.about, p.seen = about, e.changesOf(p.folders)
	return about, nil
}

func (e *Engine) changesOf(folders []string) string {
	var seen strings.Builder
	for _, path := range append([]string{e.options.Python}, folders...) {
		if about, err := os.Stat(path); err == nil {
			fmt.Fprintln(&seen, path, about.Size(), about.ModTime().UnixNano())
		}
	}
	return seen.String()
}
