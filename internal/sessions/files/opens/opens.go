// Package opens decides which file a session opens, and puts the notebook into its work that it was given.
package opens

import (
	"errors"
	"io/fs"
	"os"
	"path"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/opening"
	"cairn/internal/sessions/engine/requirements"
	"cairn/internal/sessions/files/folders"
)

// NotebookName is where the content of a spec's notebook waits for the launch, in the session's folder.
const NotebookName = "notebook.ipynb"

// Choose puts the notebook of the spec into the work folder, unless something has its name, and returns which file the session opens,
// as a path there, and a sentence about why that isn't the one that was wanted. The root is that of the session's folder, account is
// who owns the work, and descriptors are the names of the file in a repository that may name a file to open.
func Choose(root *os.Root, spec engine.Spec, descriptors []string, account int) (file, note string, err error) {
	if err := placeNotebook(root, spec.Notebook.Name, account); err != nil {
		return "", "", err
	}
	work, err := root.OpenRoot(folders.Work)
	if err != nil {
		return "", "", err
	}
	defer work.Close()
	declared := ""
	if repository, err := work.OpenRoot(spec.Repository.Folder); spec.Repository.Folder != "" && err == nil {
		declared = requirements.Open(requirements.FromFolder(repository), descriptors)
		_ = repository.Close()
	}
	file, note = opening.Choose(work.FS(), spec, declared)
	return file, note, nil
}

func placeNotebook(root *os.Root, name string, account int) error {
	if name == "" {
		return nil
	}
	there, err := folders.Exists(root, path.Join(folders.Work, name))
	if err != nil {
		return err
	}
	if !there {
		user, group := folders.Owners(account)
		if err = root.Lchown(NotebookName, user, group); err == nil {
			err = root.Rename(NotebookName, path.Join(folders.Work, name))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // its user removed it
	}
	return err
}
