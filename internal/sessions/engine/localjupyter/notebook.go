package localjupyter

import (
	"os"
	"path/filepath"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/opens"
)

// keepNotebook keeps the content for a launch, which may happen after a restart of this server.
func (s *session) keepNotebook(given engine.Notebook) error {
	if len(given.Content) == 0 {
		return nil
	}
	return os.WriteFile(filepath.Join(s.folder, opens.NotebookName), given.Content, 0o600)
}

// chooseFile decides which file the session opens, after the notebook of the spec is in its work.
func (l *launch) chooseFile(root *os.Root) error {
	l.session.mu.Lock()
	spec, userID := l.session.record.Spec, l.session.record.UserID
	l.session.mu.Unlock()
	file, note, err := opens.Choose(root, spec, l.engine.options.Descriptors, userID)
	if err != nil {
		return err
	}
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	l.chose = l.session.record.Opens == ""
	l.session.record.Opens, l.session.record.OpenNote = file, note // written with the phase that follows
	return nil
}
