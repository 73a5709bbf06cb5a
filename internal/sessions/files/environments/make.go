package environments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/requirements"
	"cairn/internal/sessions/files/folders"
)

// Make installs what the repository in a folder of the session's work asks for, or finds it installed, and writes beside the
// work what that is. The root is that of the session's folder, descriptors are the names of the file in a repository that may list
// packages, and account is who owns the work.
func (i *Installer) Make(ctx context.Context, session Session, root *os.Root, folder string, descriptors []string, account int, tell func(string)) (Environment, error) {
	repository, err := root.OpenRoot(path.Join(folders.Work, folder))
	if err != nil {
		return Environment{}, fault.Wrap(err, fault.Unavailable, "Something else is in place of the repository's folder in the session. Move it elsewhere.")
	}
	defer repository.Close()
	wanted, err := requirements.Read(requirements.FromFolder(repository), descriptors)
	if err != nil {
		return Environment{}, fault.Wrap(err, fault.Unavailable, "The files in which the repository declares what it needs can't be read.")
	}
	making := &installation{Installer: i, session: session}
	made, err := making.fulfill(ctx, wanted, tell)
	if err == nil && len(wanted.R) > 0 {
		made.asked = true
		err = making.addR(ctx, wanted.R, &made, tell)
	}
	if err != nil {
		return Environment{}, err
	}
	made.LeftOut = engine.ShortLeftOut(made.LeftOut)
	for _, one := range made.LeftOut {
		session.Log("Left out: " + one.What + ". " + one.Why)
	}
	if err := i.writeNote(root, made, account); err != nil {
		i.options.Logger.Warn("what was installed cannot be written beside the work", "folder", root.Name(), "error", err)
	}
	tell(made.String())
	return made, nil
}

// String says in a few words what was done; "" if there was nothing to do.
func (e Environment) String() string {
	var words []string
	if e.Key != "" || e.RKey != "" {
		words = append(words, "Packages installed")
	}
	if len(e.LeftOut) > 0 {
		words = append(words, fmt.Sprintf("left out: %d", len(e.LeftOut)))
	}
	text := strings.Join(words, ", ")
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

// plan decides what is made of requirements before an index is asked: packages that pip tries to install, or everything by the
// builder.
func (i *Installer) plan(wanted requirements.Requirements) (packages []requirements.Package, left []engine.LeftOut, build bool) {
	if i.options.Builder.Command != "" && i.builds() && wanted.BeyondPip() {
		return wanted.Packages, wanted.NeverInstalled(), true
	}
	left = wanted.LeftOut()
	if len(wanted.Packages) == 0 {
		return nil, left, false
	}
	if _, err := i.aboutPython(); err != nil {
		const why = "Packages aren't installed, because this server doesn't have pip. The operators have to run: apt-get install python3-pip"
		for _, one := range wanted.Packages {
			left = append(left, engine.LeftOut{What: one.String(), Why: why})
		}
		return nil, left, false
	}
	return wanted.Packages, left, false
}

// PlanEnvironment implements engine.EnvironmentPlanner.
func (i *Installer) PlanEnvironment(read func(path string) (string, error)) (engine.Environment, error) {
	wanted, err := requirements.Read(requirements.FromReader(read), i.options.Descriptors)
	packages, left, _ := i.plan(wanted)
	_, install, leftOfR := i.planR(wanted.R)
	planned := wanted.Environment(packages, slices.Concat(left, leftOfR))
	for _, one := range install {
		planned.Packages = append(planned.Packages, one.String())
	}
	return planned, err
}

// fulfill makes the environment that a repository asks for, as far as that is possible here.
func (i *installation) fulfill(ctx context.Context, wanted requirements.Requirements, tell func(string)) (Environment, error) {
	packages, left, build := i.plan(wanted)
	if build {
		made, err := i.build(ctx, wanted, tell)
		made.LeftOut = slices.Concat(left, made.LeftOut)
		return made, err
	}
	about := Environment{LeftOut: left, asked: len(wanted.Packages)+len(left) > 0}
	if len(packages) == 0 {
		return about, nil
	}
	if err := wanted.Contradiction(); err != nil {
		return about, err
	}
	i.asked = wanted
	found, checkKey, err := i.check(ctx, packages, tell)
	if err != nil {
		return about, err
	}
	for len(found.Lines) > 0 {
		about.Key, err = i.install(ctx, found.Lines, tell)
		if err == nil {
			break
		}
		about.Key = ""
		lacking, ok := errors.AsType[*lackingError](err)
		if !ok || !found.without(lacking) {
			return about, err
		}
		if err := i.keepChecked(checkKey, found); err != nil {
			return about, err
		}
	}
	about.LeftOut, about.there, about.instead = slices.Concat(about.LeftOut, found.Left), found.There, found.Instead
	return about, nil
}
