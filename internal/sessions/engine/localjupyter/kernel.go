package localjupyter

import (
	"context"
	"encoding/json"
	"errors"
	"os"
)

// makeEnvironment installs what the repository asks for, and makes it the session's kernel.
func (s *session) makeEnvironment(ctx context.Context, root *os.Root, tell func(string)) error {
	s.mu.Lock()
	repository, account := s.record.Spec.Repository, s.record.UserID
	s.mu.Unlock()
	if repository.URL == "" {
		return s.registerKernel("")
	}
	made, err := s.engine.environments.Make(ctx, s, root, repository.Folder, account, tell)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.record.LeftOut = made.LeftOut
	s.mu.Unlock()
	return s.registerKernel(made.Key)
}

// registerKernel makes the environment's Python, or the system's, the kernel of notebooks, through a folder that
// Jupyter searches first.
func (s *session) registerKernel(key string) error {
	python, name, variables := s.engine.environments.Kernel(key)
	s.mu.Lock()
	s.record.Python = python // written with the phase that follows
	s.mu.Unlock()
	content, err := json.Marshal(map[string]any{
		"argv": []string{
			s.engine.sandbox.Shell(), "-c", firstKilled, "kernel", python, "-m", "ipykernel_launcher", "-f", "{connection_file}",
		},
		"display_name": name, "language": "python", "metadata": map[string]bool{"debugger": true}, "env": variables,
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
