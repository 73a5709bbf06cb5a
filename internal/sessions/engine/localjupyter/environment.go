package localjupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"cairn/internal/fault"
	"cairn/internal/filetree"
	"cairn/internal/packageindex"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/requirements"
)

// environmentTime is how long an installation may take while it makes progress.
const environmentTime = 30 * time.Minute

var errDeepPackages = fault.New(fault.Unavailable, "The packages of this repository nest folders deeper than the %d that are allowed.", filetree.MaxDepth)

var errSlowPackages = diagnosis.With(
	fault.New(fault.Unavailable, "The packages couldn't be installed within %s.", humanDuration(environmentTime)), diagnosis.Time)

// The environment of a session is a virtual environment on top of the system's packages. It is created once for the
// same packages, by a separate account that can't see any session, and then belongs to nobody who could change it.
const (
	venvName  = "venv"
	listName  = "requirements.txt" // of what pip installs
	wheelsBox = "/session/wheels"
	// $0 is Python, $1 the folder.
	installScript = `mkdir -p "$1/tmp" && "$0" -m venv --system-site-packages --without-pip "$1/` + venvName + `" && ` +
		`exec "$1/` + venvName + `/bin/python" -m pip install --no-input --disable-pip-version-check --no-cache-dir --progress-bar off ` +
		`-r "$1/` + listName + `"`
)

// makeEnvironment installs what the repository asks for, or finds it installed, and makes it the session's kernel.
func (s *session) makeEnvironment(ctx context.Context, root *os.Root, tell func(string)) error {
	s.mu.Lock()
	spec := s.record.Spec
	s.mu.Unlock()
	if spec.Repository.URL == "" {
		return s.registerKernel("")
	}
	repository, err := root.OpenRoot(path.Join(workName, spec.Repository.Folder))
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "Something else is in place of the repository's folder in the session. Move it elsewhere.")
	}
	defer repository.Close()
	wishes, err := requirements.Read(requirements.FromFolder(repository), s.engine.options.Descriptors)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The files in which the repository declares what it needs can't be read.")
	}
	about, err := s.fulfill(ctx, wishes, tell)
	if err != nil {
		return err
	}
	about.left = engine.ShortLeftOut(about.left)
	for _, one := range about.left {
		s.appendLog("Left out: " + one.What + ". " + one.Why)
	}
	s.mu.Lock()
	s.record.LeftOut = about.left
	s.mu.Unlock()
	if err := s.writeNote(root, about); err != nil {
		s.engine.options.Logger.Warn("what was installed cannot be written beside the work", "session", s.id, "error", err)
	}
	tell(about.String())
	return s.registerKernel(about.key)
}

// String says in a few words what was done; "" if there was nothing to do.
func (m made) String() string {
	var words []string
	if m.key != "" {
		words = append(words, "Packages installed")
	}
	if len(m.left) > 0 {
		words = append(words, fmt.Sprintf("left out: %d", len(m.left)))
	}
	text := strings.Join(words, ", ")
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

// plan decides what is made of wishes before an index is asked: packages that pip tries to install, or everything by the
// builder.
func (e *Engine) plan(wishes requirements.Wishes) (packages []requirements.Package, left []engine.LeftOut, build bool) {
	if e.options.Builder.Command != "" && e.builds() && wishes.BeyondPip() {
		return wishes.Packages, nil, true
	}
	left = wishes.LeftOut()
	if len(wishes.Packages) == 0 {
		return nil, left, false
	}
	if _, err := e.aboutPython(); err != nil {
		const why = "Packages aren't installed, because this server doesn't have pip. The operators have to run: apt-get install python3-pip"
		for _, one := range wishes.Packages {
			left = append(left, engine.LeftOut{What: one.String(), Why: why})
		}
		return nil, left, false
	}
	return wishes.Packages, left, false
}

// Foresee implements engine.Foreseer.
func (e *Engine) Foresee(read func(path string) (string, error)) (engine.Environment, error) {
	wishes, err := requirements.Read(requirements.FromReader(read), e.options.Descriptors)
	packages, left, _ := e.plan(wishes)
	return wishes.Foreseen(packages, left), err
}

// fulfill makes the environment that a repository asks for, as far as that is possible here.
func (s *session) fulfill(ctx context.Context, wishes requirements.Wishes, tell func(string)) (made, error) {
	packages, left, build := s.engine.plan(wishes)
	if build {
		return s.build(ctx, wishes, tell)
	}
	about := made{left: left, asked: len(wishes.Packages)+len(left) > 0}
	if len(packages) == 0 {
		return about, nil
	}
	found, checkKey, err := s.check(ctx, packages, tell)
	if err != nil {
		return about, err
	}
	for len(found.Lines) > 0 {
		about.key, err = s.install(ctx, found.Lines, tell)
		if err == nil {
			break
		}
		about.key = ""
		lacking, ok := errors.AsType[*lackingError](err)
		if !ok || !found.without(lacking) {
			return about, err
		}
		if err := s.engine.keepChecked(checkKey, found); err != nil {
			return about, err
		}
	}
	about.left, about.there, about.instead = slices.Concat(about.left, found.Left), found.There, found.Instead
	return about, nil
}

// openIndex returns the index for pip: the operators' own, or the public one if sessions have the internet; or nil.
func (e *Engine) openIndex() (*packageindex.Index, error) {
	pip := e.options.Pip
	if e.options.Web == nil || pip.IndexURL == "" && (pip.FindLinks != "" || e.options.Network != sandbox.Internet) {
		return nil, nil
	}
	return packageindex.New(packageindex.Options{
		Address: pip.IndexURL, Web: e.options.Web, Files: downloads{e.caches[downloadsCache]}, MaxBytes: e.options.Limits.Disk, Logger: e.options.Logger,
	})
}

// install returns the key of an environment with these packages.
func (s *session) install(ctx context.Context, lines []string, tell func(string)) (string, error) {
	key, err := s.engine.environmentKey(lines...)
	if err != nil {
		return "", err
	}
	cache := s.engine.caches[environmentsCache]
	tell, hear := cache.share(key, tell)
	unlock, err := cache.lock(ctx, key, hear)
	if err != nil {
		return "", err
	}
	defer unlock()
	s.use(key)
	if cache.has(key) {
		return key, cache.used(key)
	}
	helper, err := s.helper()
	if err != nil {
		return "", err
	}
	root, err := cache.fresh(key, helper)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := errors.Join(root.WriteFile(listName, []byte(requirements.File(lines)), 0o600), root.Chmod(listName, 0o644)); err != nil {
		return "", err
	}
	if err := s.runPip(ctx, s.engine.installBox(key, helper), cache.path(key), tell); err != nil {
		return "", err
	}
	err = errors.Join(removeTree(root, "tmp"), ownTree(ctx, root, ".", 0))
	if errors.Is(err, filetree.ErrTooDeep) {
		err = errDeepPackages
	}
	if err != nil {
		return "", err
	}
	s.helped()
	return key, cache.keep(key)
}

// environmentKey identifies an environment by everything that its packages depend on: the requirements, how and where
// pip runs, its Python and the packages below, the index, and the operators' wheels. The current content of the index
// isn't part of it: an environment doesn't change.
func (e *Engine) environmentKey(lines ...string) (string, error) {
	python, err := e.aboutPython()
	if err != nil {
		return "", err
	}
	wheels, err := listing(e.options.Pip.FindLinks)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "The operators' folder of wheels can't be read.")
	}
	box := e.installBox("", 0)
	about := map[string]any{
		"packages": lines, "command": box.Command, "environment": box.Environment, "level": e.sandbox.Level(),
		"folder": e.caches[environmentsCache].folder, "python": python, "wheels": wheels,
	}
	if e.index != nil {
		about["index"] = e.index.String()
	}
	text, err := json.Marshal(about)
	return keyOf(string(text)), err
}

// listing describes the content of a folder; it changes when a file is replaced.
func listing(folder string) ([]string, error) {
	if folder == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range entries {
		if about, err := entry.Info(); err == nil {
			found = append(found, fmt.Sprint(entry.Name(), " ", about.Size(), " ", about.ModTime().UnixNano()))
		}
	}
	return found, nil
}

// helper records an account for the code that packages run when they are installed, so that it can be ended.
func (s *session) helper() (int, error) {
	if !s.engine.sandbox.Level().OwnAccount() {
		return 0, nil
	}
	account, err := s.engine.pickAccount()
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.Helper = account
	return account, s.save()
}

// helped records that the helper is done.
func (s *session) helped() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.Helper = 0
}

func (e *Engine) installBox(key string, account int) sandbox.Box {
	folder, pip := e.caches[environmentsCache].path(key), e.options.Pip
	inside := e.inside(folder, path.Join("environments", key)) // its path in the session, too
	mounts := []sandbox.Mount{{From: folder, To: inside, Writable: true}}
	environment := []string{"HOME=" + inside, "TMPDIR=" + path.Join(inside, "tmp"), "PIP_CONFIG_FILE=" + os.DevNull, "PYTHONUNBUFFERED=1", "PIP_RETRIES=2"}
	if pip.FindLinks != "" {
		mounts = append(mounts, sandbox.Mount{From: pip.FindLinks, To: wheelsBox})
		environment = append(environment, "PIP_FIND_LINKS="+e.inside(pip.FindLinks, path.Base(wheelsBox)))
	}
	if e.index == nil {
		environment = append(environment, "PIP_NO_INDEX=1")
	} else {
		environment = append(environment, "PIP_TIMEOUT=60") // seconds; the guard gives up before
	}
	if !e.builds() {
		environment = append(environment, "PIP_ONLY_BINARY=:all:")
	}
	return sandbox.Box{
		Account: account, Mounts: mounts, Folder: inside, Environment: environment,
		Command: []string{e.sandbox.Shell(), "-c", installScript, e.options.Python, inside},
	}
}

// builds reports whether pip may run the code of packages to build them: only if it reaches nothing but the index.
func (e *Engine) builds() bool { return e.sandbox.Level().Mounts() }

// offerIndex lets pip reach a guard as its index; where boxes have separate networks, it reaches nothing else.
func (s *session) offerIndex(ctx context.Context, box *sandbox.Box, guard *packageindex.Guard) error {
	address := sandbox.Loopback
	if s.engine.sandbox.Level().Mounts() {
		box.Listening = func(listener net.Listener) { go guard.Serve(listener) }
	} else {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		address = listener.Addr().String()
		go guard.Serve(listener)
	}
	box.Environment = append(box.Environment, "PIP_INDEX_URL="+guard.Address(address))
	return nil
}

// runPip runs the installation and reports its progress: pip's own words, and the bytes downloaded.
func (s *session) runPip(ctx context.Context, box sandbox.Box, folder string, tell func(string)) error {
	var received func() int64
	said := &pipOutput{tell: tell, log: s.appendLog, plain: func(line string) string { return line }, wheelsOnly: !s.engine.builds()}
	failure := func() error { return nil }
	if s.engine.index != nil {
		guard := s.engine.index.Guard()
		defer guard.Close()
		if err := s.offerIndex(ctx, &box, guard); err != nil {
			return err
		}
		received, failure, said.plain = guard.Received, guard.Failure, guard.Plain
	}
	ended, err := s.runWatched(ctx, box, folder, said, received, said.read)
	if ended || err == nil {
		return err
	}
	if cause := failure(); cause != nil {
		s.appendLog("The package index: " + fault.MessageOf(cause))
		return s.indexFailed(errors.Join(cause, err))
	}
	failed := fault.Wrap(err, fault.Unavailable, "%s", said.reason())
	if said.lacking != nil {
		return &lackingError{failed, said.lacking.root, said.lacking.needs}
	}
	return failed
}

// runWatched runs what fills a folder of the cache, within the limits of time and disk; ended reports that it was ended
// for one of them, or by a stop.
func (s *session) runWatched(
	ctx context.Context, box sandbox.Box, folder string, said *pipOutput, received func() int64, read func(io.Reader) error,
) (ended bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, environmentTime, errSlowPackages)
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	var watching sync.WaitGroup
	defer watching.Wait()
	done := make(chan struct{})
	defer close(done)
	watching.Go(func() { said.watch(done, received, func() { s.tooMuch(folder, giveUp) }) })
	err = s.run(ctx, box, read)
	if ctx.Err() != nil {
		return true, context.Cause(ctx)
	}
	return false, err
}

// indexFailed is the fault of an installation that failed because of what the index couldn't send.
func (s *session) indexFailed(err error) error {
	if fault.KindOf(err) == fault.TooLarge {
		return s.tooLarge(err)
	}
	return diagnosis.With(fault.Wrap(err, fault.Unavailable,
		"The package index can't be reached, so the packages of this repository weren't installed. Try again in a while."), diagnosis.IndexUnreachable)
}

// tooMuch ends an installation that exceeds a session's limits.
func (s *session) tooMuch(folder string, giveUp context.CancelCauseFunc) {
	most := s.diskLimit()
	used, err := diskUse(folder)
	switch {
	case used > most:
		giveUp(s.tooLarge(nil))
	case errors.Is(err, filetree.ErrTooDeep):
		giveUp(errDeepPackages) // deeper folders aren't counted
	}
}

func (s *session) tooLarge(err error) error {
	return diagnosis.With(fault.Wrap(err, fault.Unavailable, "This repository's packages take more than the %s that a session's files may.",
		engine.Size(s.diskLimit())), diagnosis.TooLarge)
}

// firstKilled makes a kernel or terminal and its children the first to be killed, before Jupyter, when memory runs out.
const firstKilled = `echo 500 >/proc/self/oom_score_adj; exec "$@"`

// registerKernel makes the environment's Python, or the system's, the kernel of notebooks, through a folder that
// Jupyter searches first.
func (s *session) registerKernel(key string) error {
	python, name, environment := s.engine.options.Python, "Python 3", map[string]string{}
	if key != "" {
		venv := path.Join(s.engine.inside(s.engine.caches[environmentsCache].path(key), path.Join("environments", key)), venvName)
		python, name = path.Join(venv, "bin/python"), "Python 3 (packages of the repository)"
		environment["PATH"], environment["VIRTUAL_ENV"] = path.Join(venv, "bin")+":/usr/bin:/bin", venv
	}
	s.mu.Lock()
	s.record.Python = python // written with the phase that follows
	s.mu.Unlock()
	content, err := json.Marshal(map[string]any{
		"argv": []string{
			s.engine.sandbox.Shell(), "-c", firstKilled, "kernel", python, "-m", "ipykernel_launcher", "-f", "{connection_file}",
		},
		"display_name": name, "language": "python", "metadata": map[string]bool{"debugger": true}, "env": environment,
	})
	if err != nil {
		return err
	}
	runtime, err := os.OpenRoot(s.runtime) // which the session may have changed meanwhile
	if err != nil {
		return err
	}
	defer runtime.Close()
	file, err := runtime.OpenFile(kernelName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Chmod(0o644), file.Close())
}
