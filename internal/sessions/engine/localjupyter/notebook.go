package localjupyter

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/opening"
	"cairn/internal/sessions/engine/requirements"
	"cairn/internal/sessions/files/folders"
)

// notebookName is where the content of a spec's notebook waits for the launch.
const notebookName = "notebook.ipynb"

// keepNotebook keeps the content for a launch, which may happen after a restart of this server.
func (s *session) keepNotebook(given engine.Notebook) error {
	if len(given.Content) == 0 {
		return nil
	}
	return os.WriteFile(filepath.Join(s.folder, notebookName), given.Content, 0o600)
}

// chooseFile puts the notebook of the spec into the work folder, unless something has its name, and decides which file
// the session opens.
func (l *launch) chooseFile(root *os.Root) error {
	l.session.mu.Lock()
	spec, userID := l.session.record.Spec, l.session.record.UserID
	l.session.mu.Unlock()
	if err := l.placeNotebook(root, spec.Notebook.Name, userID); err != nil {
		return err
	}
	work, err := root.OpenRoot(folders.Work)
	if err != nil {
		return err
	}
	defer work.Close()
	declared := ""
	if repository, err := work.OpenRoot(spec.Repository.Folder); spec.Repository.Folder != "" && err == nil {
		declared = requirements.Open(requirements.FromFolder(repository), l.engine.options.Descriptors)
		_ = repository.Close()
	}
	opens, note := opening.Choose(work.FS(), spec, declared)
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	l.chose = l.session.record.Opens == ""
	l.session.record.Opens, l.session.record.OpenNote = opens, note // written with the phase that follows
	return nil
}

func (l *launch) placeNotebook(root *os.Root, name string, userID int) error {
	if name == "" {
		return nil
	}
	there, err := folders.Exists(root, path.Join(folders.Work, name))
	if err != nil {
		return err
	}
	if !there {
		user, group := folders.Owners(userID)
		if err = root.Lchown(notebookName, user, group); err == nil {
			err = root.Rename(notebookName, path.Join(folders.Work, name))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // its user removed it
	}
	return err
}
