package localjupyter

import (
	"context"
	"encoding/json"
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
	made, err := l.engine.environments.Make(ctx, l, root, repository.Folder, account, tell)
	if err != nil {
		return err
	}
	l.session.mu.Lock()
	l.session.record.LeftOut = made.LeftOut
	l.session.mu.Unlock()
	return l.registerKernel(made.Key)
}

// registerKernel makes the environment's Python, or the system's, the kernel of notebooks, through a folder that
// Jupyter searches first.
func (l *launch) registerKernel(key string) error {
	python, name, variables := l.engine.environments.Kernel(key)
	l.session.mu.Lock()
	l.session.record.Python = python // written with the phase that follows
	l.session.mu.Unlock()
	content, err := json.Marshal(map[string]any{
		"argv": []string{
			l.engine.sandbox.Shell(), "-c", firstKilled, "kernel", python, "-m", "ipykernel_launcher", "-f", "{connection_file}",
		},
		"display_name": name, "language": "python", "metadata": map[string]bool{"debugger": true}, "env": variables,
	})
	if err != nil {
		return err
	}
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
