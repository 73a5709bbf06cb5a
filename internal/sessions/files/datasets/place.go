package datasets

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// Place checks the datasets and puts them into the session's folder, whose root is given. It returns the mounts by which the
// session sees them. With bubblewrap, the whole folder "data" is mounted from one of ours, so that the session's user can't put
// links at mount points. The error is a *MissingError if a dataset can't be had.
func (s *Store) Place(ctx context.Context, session Session, root *os.Root, datasets []engine.Dataset, tell func(string)) ([]sandbox.Mount, error) {
	datasets = slices.Clone(datasets)
	var unavailable, reasons []string
	for _, dataset := range datasets { // before anything is fetched
		if dataset.Unavailable != "" && !s.hasKept(dataset) {
			unavailable, reasons = append(unavailable, dataset.ID), append(reasons, dataset.Unavailable)
		}
	}
	if len(unavailable) > 0 {
		return nil, &MissingError{fault.New(fault.Unavailable, "%s", strings.Join(reasons, " ")), unavailable}
	}
	for i, dataset := range datasets {
		if dataset.Path != "" || dataset.URL == "" && dataset.Key == "" {
			continue
		}
		var err error
		if datasets[i].Path, err = s.fetch(ctx, session, dataset, tell); err != nil {
			return nil, Missing(err, dataset.ID)
		}
	}
	if !s.options.Level.Mounts() {
		return nil, s.copyDatasets(ctx, root, datasets)
	}
	if err := folders.Remove(root, folders.Datasets); err != nil {
		return nil, err
	}
	if err := folders.Share(root, folders.Datasets); err != nil {
		return nil, err
	}
	data := "/session/" + folders.Work + "/" + engine.DataFolder
	mounts := []sandbox.Mount{{From: filepath.Join(root.Name(), folders.Datasets), To: data}}
	for _, dataset := range datasets {
		about, err := s.readable(dataset)
		if err != nil {
			return nil, err
		}
		point := path.Join(folders.Datasets, dataset.Folder)
		if about.IsDir() {
			err = folders.Share(root, point)
		} else {
			err = root.WriteFile(point, nil, 0o600)
		}
		if err != nil {
			return nil, err
		}
		mounts = append(mounts, sandbox.Mount{From: dataset.Path, To: path.Join(data, dataset.Folder)})
	}
	return mounts, nil
}

// copyDatasets copies the datasets that earlier starts didn't copy.
func (s *Store) copyDatasets(ctx context.Context, root *os.Root, datasets []engine.Dataset) error {
	const half = "copy"
	for _, dataset := range datasets {
		folder := path.Join(folders.Work, engine.DataFolder, dataset.Folder)
		if there, err := folders.Exists(root, folder); err != nil {
			return err
		} else if there {
			continue
		}
		about, err := s.readable(dataset)
		if err != nil {
			return err
		}
		if err := folders.Remove(root, half); err != nil {
			return err
		}
		if err := folders.CopyTree(ctx, dataset.Path, root, half); err != nil {
			return Missing(fault.Wrap(err, fault.Unavailable, "The dataset “%s” couldn't be copied into the session.", dataset.Name), dataset.ID)
		}
		if err := root.Rename(half, folder); err != nil {
			return err
		}
		if about.IsDir() {
			if err := root.Chmod(folder, 0o555); err != nil {
				return err
			}
		}
	}
	return nil
}

// readable checks that the session's account will be able to read the dataset.
func (s *Store) readable(dataset engine.Dataset) (fs.FileInfo, error) {
	about, err := s.checkReadable(dataset)
	if err != nil {
		err = Missing(err, dataset.ID)
	}
	return about, err
}

func (s *Store) checkReadable(dataset engine.Dataset) (fs.FileInfo, error) {
	about, err := os.Stat(dataset.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Wrap(err, fault.Unavailable, "The dataset “%s” is no longer on this server.", dataset.Name)
	case err != nil:
		return nil, fault.Wrap(err, fault.Unavailable, "The dataset “%s” can't be read on this server.", dataset.Name)
	case !about.IsDir() && !about.Mode().IsRegular():
		return nil, fault.New(fault.Unavailable, "The dataset “%s” is neither a file nor a folder.", dataset.Name)
	}
	needed := fs.FileMode(0o004)
	if about.IsDir() {
		needed = 0o005
	}
	if s.options.Level == sandbox.LevelA && about.Mode().Perm()&needed != needed {
		return nil, fault.New(fault.Unavailable,
			"The dataset “%s” can't be read by sessions: its permissions on this server allow only its owner.", dataset.Name)
	}
	return about, nil
}
