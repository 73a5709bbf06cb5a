package environments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"sync"
	"time"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine/requirements"
	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/packageindex"
	"cairn/internal/sessions/machine/sandbox"
)

// environmentTime is how long an installation may take while it makes progress.
const environmentTime = 30 * time.Minute

var errDeepPackages = fault.New(fault.Unavailable, "The packages of this repository nest folders deeper than the %d that are allowed.", filetree.MaxDepth)

var errSlowPackages = Slow(environmentTime)

// Slow is why an installation is ended that takes longer than this.
func Slow(most time.Duration) error {
	return diagnosis.With(fault.New(fault.Unavailable, "The packages couldn't be installed within %d minutes.", most/time.Minute), diagnosis.Time)
}

// The environment of a session is a virtual environment on top of the system's packages. It is created once for the
// same packages, by a separate account that can't see any session, and then belongs to nobody who could change it.
const (
	venvName  = "venv"
	listName  = "requirements.txt" // of what pip installs
	wheelsBox = "/session/wheels"
	// In these scripts, $0 is Python and $1 the folder.
	venvScript    = `mkdir -p "$1/tmp" && "$0" -m venv --system-site-packages --without-pip "$1/` + venvName + `"`
	installScript = venvScript + ` && ` + pipStart + `--no-cache-dir` + pipEnd
	pipStart      = `exec "$1/` + venvName + `/bin/python" -m pip install --no-input --disable-pip-version-check `
	pipEnd        = ` --progress-bar off -r "$1/` + listName + `"`
)

// pipEnvironment returns the variables of everything that installs packages into a folder.
func pipEnvironment(folder string) []string {
	return []string{"HOME=" + folder, "TMPDIR=" + path.Join(folder, "tmp"), "PIP_CONFIG_FILE=" + os.DevNull, "PYTHONUNBUFFERED=1", "PIP_RETRIES=2"}
}

// pipTimeout is how many seconds pip waits for an index; the guard gives up before.
const pipTimeout = "PIP_TIMEOUT=60"

// install returns the key of an environment with these packages.
func (i *installation) install(ctx context.Context, lines []string, tell func(string)) (string, error) {
	key, err := i.environmentKey(lines...)
	if err != nil {
		return "", err
	}
	tell, hear := i.cache.Share(key, tell)
	unlock, err := i.cache.Lock(ctx, key, hear)
	if err != nil {
		return "", err
	}
	defer unlock()
	i.session.Pin(key)
	if i.cache.Has(key) {
		return key, i.cache.Touch(key)
	}
	account, err := i.session.AllocateBuildAccount()
	if err != nil {
		return "", err
	}
	root, err := i.cache.Create(key, account)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := errors.Join(root.WriteFile(listName, []byte(requirements.File(lines)), 0o600), root.Chmod(listName, 0o644)); err != nil {
		return "", err
	}
	if err := i.runPip(ctx, i.installBox(key, account), i.cache.Path(key), tell); err != nil {
		return "", err
	}
	err = errors.Join(folders.Remove(root, "tmp"), folders.OwnTree(ctx, root, ".", 0))
	if errors.Is(err, filetree.ErrTooDeep) {
		err = errDeepPackages
	}
	if err != nil {
		return "", err
	}
	i.session.ReleaseBuildAccount()
	return key, i.cache.Complete(key)
}

// environmentKey identifies an environment by everything that its packages depend on: the requirements, how and where
// pip runs, its Python and the packages below, the index, and the operators' wheels. The current content of the index
// isn't part of it: an environment doesn't change.
func (i *Installer) environmentKey(lines ...string) (string, error) {
	python, err := i.aboutPython()
	if err != nil {
		return "", err
	}
	wheels, err := listing(i.options.Pip.FindLinks)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "The operators' folder of wheels can't be read.")
	}
	box := i.installBox("", 0)
	about := map[string]any{
		"packages": lines, "command": box.Command, "environment": box.Environment, "level": i.options.Sandbox.Level(),
		"folder": i.cache.Folder(), "python": python, "wheels": wheels,
	}
	if i.index != nil {
		about["index"] = i.index.String()
	}
	text, err := json.Marshal(about)
	return cache.KeyOf(string(text)), err
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

func (i *Installer) installBox(key string, account int) sandbox.Box {
	folder, pip := i.cache.Path(key), i.options.Pip
	inside := i.inside(folder, path.Join("environments", key)) // its path in the session, too
	mounts := []sandbox.Mount{{From: folder, To: inside, Writable: true}}
	environment := pipEnvironment(inside)
	if pip.FindLinks != "" {
		mounts = append(mounts, sandbox.Mount{From: pip.FindLinks, To: wheelsBox})
		environment = append(environment, "PIP_FIND_LINKS="+i.inside(pip.FindLinks, path.Base(wheelsBox)))
	}
	if i.index == nil {
		environment = append(environment, "PIP_NO_INDEX=1")
	} else {
		environment = append(environment, pipTimeout)
	}
	if !i.builds() {
		environment = append(environment, "PIP_ONLY_BINARY=:all:")
	}
	return sandbox.Box{
		Account: account, Mounts: mounts, Folder: inside, Environment: environment,
		Command: []string{i.options.Sandbox.Shell(), "-c", installScript, i.options.Python, inside},
	}
}

// builds reports whether pip may run the code of packages to build them: only if it reaches nothing but the index.
func (i *Installer) builds() bool { return i.options.Sandbox.Level().Mounts() }

// offerIndex lets pip reach a guard as its index; where boxes have separate networks, it reaches nothing else.
func (i *installation) offerIndex(ctx context.Context, box *sandbox.Box, guard *packageindex.Guard) error {
	address := sandbox.Loopback
	if i.options.Sandbox.Level().Mounts() {
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
func (i *installation) runPip(ctx context.Context, box sandbox.Box, folder string, tell func(string)) error {
	var received func() int64
	said := &pipOutput{tell: tell, log: i.session.Log, plain: i.asked.Located, wheelsOnly: !i.builds()}
	failure := func() error { return nil }
	if i.index != nil {
		guard := i.index.Guard()
		defer guard.Close()
		if err := i.offerIndex(ctx, &box, guard); err != nil {
			return err
		}
		received, failure = guard.Received, guard.Failure
		said.plain = func(line string) string { return i.asked.Located(guard.Plain(line)) }
	}
	ended, err := i.runWatched(ctx, box, folder, said, received, said.read)
	if ended || err == nil {
		return err
	}
	if cause := failure(); cause != nil {
		i.session.Log("The package index: " + fault.MessageOf(cause))
		return i.indexFailed(errors.Join(cause, err))
	}
	return said.failure(err)
}

// runWatched runs what fills a folder of the cache, within the limits of time and disk; ended reports that it was ended
// for one of them, or by a stop.
func (i *installation) runWatched(
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
	watching.Go(func() {
		said.watch(done, received, func() {
			i.checkSize(folder, giveUp)
			if received != nil && received() > i.session.DiskLimit() {
				giveUp(i.tooLarge(nil))
			}
		})
	})
	err = i.session.Run(ctx, box, read)
	if ctx.Err() != nil {
		return true, context.Cause(ctx)
	}
	return false, err
}

// indexFailed is the fault of an installation that failed because of what the index couldn't send.
func (i *installation) indexFailed(err error) error {
	if fault.KindOf(err) == fault.TooLarge {
		return i.tooLarge(err)
	}
	return unreachable(err)
}

func unreachable(err error) error {
	return diagnosis.With(fault.Wrap(err, fault.Unavailable,
		"The package index can't be reached, so the packages of this repository weren't installed. Try again in a while."), diagnosis.IndexUnreachable)
}

// checkSize ends an installation that exceeds a session's limits.
func (i *installation) checkSize(folder string, giveUp context.CancelCauseFunc) {
	_, err := Measure(folder, i.session.DiskLimit())
	switch {
	case err != nil:
		giveUp(err)
	case i.options.Lacks != nil && i.options.Lacks():
		giveUp(diagnosis.With(fault.New(fault.Unavailable, "%s", folders.DiskFull), diagnosis.DiskFull))
	}
}

// Measure returns how many bytes a folder takes into which packages are installed, and why the installation is ended if that is too much.
func Measure(folder string, most int64) (used int64, err error) {
	used, err = folders.DiskUse(folder)
	switch {
	case used > most:
		return used, tooLarge(nil, most)
	case errors.Is(err, filetree.ErrTooDeep):
		return used, errDeepPackages // deeper folders aren't counted
	}
	return used, nil // what can't be read now is still being written
}

func (i *installation) tooLarge(err error) error { return tooLarge(err, i.session.DiskLimit()) }

func tooLarge(err error, most int64) error {
	return diagnosis.With(fault.Wrap(err, fault.Unavailable, "This repository's packages take more than the %s that a session's files may.",
		humanize.Bytes(most)), diagnosis.TooLarge)
}
