package localjupyter

import (
	"context"
	"errors"
	"os"
)

// makeEnvironment installs what the repository asks for, and makes it the session's kernel.
func (l *launch) makeEnvironment(ctx context.Context, root *os.Root, tell func(string)) error {
	l.session.mu.Lock()
	repository, account := l.session.record.Spec.Repository, l.session.record.UserID
	l.session.mu.Unlock()
	if repository.URL == "" {
		return l.registerKernel("")
	}
	made, err := l.engine.environments.Make(ctx, l, root, repository.Folder, l.engine.options.Descriptors, account, tell)
	if err != nil {
		return err
	}
	l.session.mu.Lock()
	l.session.record.LeftOut, l.session.record.R = made.LeftOut, made.RKey
	l.session.mu.Unlock()
	if err := l.linkLibrary(made.RKey); err != nil {
		return err
	}
	return l.registerKernel(made.Key)
}

// libraryLink leads from the folder of the session's sockets to the packages of R that were installed for it. The server, which
// has its path, starts before they are known.
const libraryLink = "r-library"

// userLibrary is the folder of a home for packages of R that people install themselves. R ignores one that isn't there when it
// starts, and can't make it in a notebook.
const userLibrary = "R"

func (l *launch) linkLibrary(key string) error {
	if key == "" {
		return nil
	}
	runtime, err := os.OpenRoot(l.session.runtime) // which the session may have changed meanwhile
	if err != nil {
		return err
	}
	defer runtime.Close()
	return runtime.Symlink(l.engine.environments.RLibrary(key), libraryLink)
}

// registerKernel makes the environment's Python, or the system's, the kernel of notebooks, through a folder that
// Jupyter searches first.
func (l *launch) registerKernel(key string) error {
	content, python, err := l.engine.environments.KernelSpec(key)
	if err != nil {
		return err
	}
	l.session.mu.Lock()
	l.session.record.Python = python // written with the phase that follows
	l.session.mu.Unlock()
	runtime, err := os.OpenRoot(l.session.runtime) // which the session may have changed meanwhile
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
