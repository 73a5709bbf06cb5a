package folders

import (
	"errors"
	"os"
	"path/filepath"
)

// WriteFile replaces a file of ours atomically, and returns when it is on the disk.
func WriteFile(path string, content []byte) error {
	next := path + ".next"
	file, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(next, path)
	}
	if err == nil {
		err = Sync(filepath.Dir(path))
	}
	return err
}

// Sync returns when the names in a folder are on the disk.
func Sync(folder string) error {
	opened, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}

// Discard moves what is left of a session's folders, which are in folder, into a new one beside it with a name, and lets that be deleted.
func Discard(folder, name string, remove func(removed string)) error {
	removed := filepath.Join(filepath.Dir(folder), name)
	made := false
	for _, name := range []string{Work, Home, Datasets, Clone, Source, Temporary} {
		if _, err := os.Lstat(filepath.Join(folder, name)); err != nil {
			continue
		}
		if !made {
			if err := os.Mkdir(removed, Private); err != nil {
				return err
			}
			made = true
		}
		if err := os.Rename(filepath.Join(folder, name), filepath.Join(removed, name)); err != nil {
			return err
		}
	}
	if made {
		remove(removed)
	}
	return nil
}
