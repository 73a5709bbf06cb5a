package environments

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
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/requirements"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/packageindex"
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
	answerLacking   = "lacking"   // neither has it
)

type checkAnswer struct {
	Number  int
	Answer  string
	Version string // there: the version
}

// check finds out which packages pip can install, without installing any.
func (i *installation) check(ctx context.Context, packages []requirements.Package, tell func(string)) (found checked, key string, err error) {
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
	if key, err = i.environmentKey(checkScript, string(asked), strings.Join(packageLines(packages), "\n")); err != nil {
		return checked{}, "", err
	}
	tell, hear := i.cache.Share(key, tell)
	unlock, err := i.cache.Lock(ctx, key, hear)
	if err != nil {
		return checked{}, "", err
	}
	defer unlock()
	if found, ok := i.checkedBefore(key); ok {
		return found, key, i.cache.Touch(key)
	}
	account, err := i.session.AllocateBuildAccount()
	if err != nil {
		return checked{}, "", err
	}
	root, err := i.cache.Create(key, account)
	if err != nil {
		return checked{}, "", err
	}
	defer root.Close()
	if err := errors.Join(root.WriteFile(askedName, asked, 0o600), root.Chmod(askedName, 0o644)); err != nil {
		return checked{}, "", err
	}
	found, err = i.runCheck(ctx, key, account, packages, tell)
	if err != nil {
		return checked{}, "", err
	}
	i.session.ReleaseBuildAccount()
	return found, key, errors.Join(folders.OwnTree(ctx, root, ".", 0), i.keepChecked(key, found))
}

func packageLines(packages []requirements.Package) []string {
	lines := make([]string, len(packages))
	for i, one := range packages {
		lines[i] = one.Line
	}
	return lines
}

// checkedBefore returns the result of an earlier check, unless an index may have got since what it lacked.
func (i *Installer) checkedBefore(key string) (found checked, ok bool) {
	root, err := i.cache.OpenEntry(key)
	if err != nil || !i.cache.Has(key) {
		return found, false
	}
	defer root.Close()
	content, err := root.ReadFile(checkedName)
	if err != nil || json.Unmarshal(content, &found) != nil {
		return found, false
	}
	return found, len(found.Left) == 0 || i.options.Now().Sub(found.At) < lackingAgain
}

// keepChecked stores the result of a check in its entry of the cache.
func (i *Installer) keepChecked(key string, found checked) error {
	content, err := json.Marshal(found)
	if err != nil {
		return err
	}
	root, err := i.cache.OpenEntry(key)
	if err != nil {
		return err
	}
	defer root.Close()
	// Whoever filled the entry may have put a pipe in the file's place.
	if err := folders.Remove(root, checkedName); err != nil {
		return err
	}
	file, err := root.OpenFile(checkedName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close(), i.cache.Complete(key))
}

func (i *installation) runCheck(ctx context.Context, key string, account int, packages []requirements.Package, tell func(string)) (checked, error) {
	box := i.installBox(key, account)
	box.Command = []string{
		i.options.Sandbox.Shell(), "-c", `mkdir -p "$1/tmp" && exec "$0" -I -c "$2" "$1/` + askedName + `"`, i.options.Python, box.Folder, checkScript,
	}
	var answers map[int]checkAnswer
	var guard *packageindex.Guard
	if i.index != nil {
		guard = i.index.Guard()
		defer guard.Close()
		if err := i.offerIndex(ctx, &box, guard); err != nil {
			return checked{}, err
		}
	}
	tell("Looking for the packages")
	err := i.session.Run(ctx, box, func(output io.Reader) (err error) {
		answers, err = readAnswers(output, packages, tell, i.session.Log)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return checked{}, context.Cause(ctx)
	case guard != nil && guard.Failure() != nil:
		i.session.Log("The package index: " + fault.MessageOf(guard.Failure()))
		return checked{}, i.indexFailed(errors.Join(guard.Failure(), err))
	case err != nil:
		i.options.Logger.Warn("pip cannot be asked for packages; it says itself what it lacks", "error", err)
	}
	return i.sum(packages, answers, guard), nil
}

// readAnswers reads what checkScript prints, by the numbers of packages.
func readAnswers(output io.Reader, packages []requirements.Package, tell, log func(string)) (map[int]checkAnswer, error) {
	answers := map[int]checkAnswer{}
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var answer checkAnswer
		if json.Unmarshal(lines.Bytes(), &answer) != nil || answer.Answer == "" || answer.Number < 0 || answer.Number >= len(packages) {
			log(strings.ToValidUTF8(string(bytes.TrimSpace(lines.Bytes())), "?"))
			continue
		}
		answers[answer.Number] = answer
		tell("Looking for the packages: " + packages[answer.Number].String())
	}
	return answers, lines.Err()
}

// sum makes lists of the answers. A package without an answer is left to pip.
func (i *Installer) sum(packages []requirements.Package, answers map[int]checkAnswer, guard *packageindex.Guard) checked {
	found := checked{At: i.options.Now()}
	var wheels, lines []string
	for number, one := range packages {
		answer, answered := answers[number]
		if !answered {
			answer.Answer = answerFound
		}
		switch {
		case answer.Answer == answerElsewhere || one.IsPython() && answer.Answer != answerLacking:
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
			found.Left = append(found.Left, engine.LeftOut{What: one.String(), Why: i.whyLacking(one, guard)})
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
func (i *Installer) whyLacking(one requirements.Package, guard *packageindex.Guard) string {
	switch {
	case one.IsPython():
		return "Sessions of this server have Python " + i.pythonVersion() + "."
	case guard == nil && i.options.Pip.FindLinks == "":
		return "Packages aren't installed: sessions on this server have no network, and the operators don't keep a folder of wheels."
	case guard == nil:
		return "It isn't among the packages that this server's operators keep."
	case !guard.Has(one.Name) && one.Conda != "":
		return "The package index doesn't have it under this name, and there is no conda on this server."
	case !guard.Has(one.Name):
		return "The package index doesn't have it."
	case one.Conda != "" || !i.builds():
		return fmt.Sprintf("The package index has no version that fits, as a wheel for Python %s.", i.pythonVersion())
	}
	return fmt.Sprintf("The package index has no version that fits, for Python %s.", i.pythonVersion())
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
		line, _, _ = strings.Cut(line, " --hash=")
		c.Left = append(c.Left, engine.LeftOut{What: line, Why: why})
		return true
	}
	return false
}
