package localjupyter

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cairn/internal/fault"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/engine"
)

// lack is the failure of a launch because of missing datasets. The launch can be tried without them.
type lack struct {
	error

	ids []string
}

func (l *lack) Unwrap() error { return l.error }

// placeDatasets checks the datasets and puts them in place. With bubblewrap, the whole folder "data" is mounted from
// one of ours, so that the session's user can't put links at mount points.
func (s *session) placeDatasets(ctx context.Context, root *os.Root, tell func(string)) ([]sandbox.Mount, error) {
	s.mu.Lock()
	datasets := slices.Clone(s.record.Spec.Datasets)
	s.mu.Unlock()
	var unavailable, reasons []string
	for _, dataset := range datasets { // before anything is fetched
		if dataset.Unavailable != "" {
			unavailable, reasons = append(unavailable, dataset.ID), append(reasons, dataset.Unavailable)
		}
	}
	if len(unavailable) > 0 {
		return nil, &lack{fault.New(fault.Unavailable, "%s", strings.Join(reasons, " ")), unavailable}
	}
	for i, dataset := range datasets {
		if dataset.URL == "" {
			continue
		}
		var err error
		if datasets[i].Path, err = s.fetch(ctx, dataset, tell); err != nil {
			return nil, &lack{err, []string{dataset.ID}}
		}
	}
	if !s.engine.sandbox.Level().Mounts() {
		return nil, s.copyDatasets(ctx, root, datasets)
	}
	if err := removeTree(root, datasetsName); err != nil {
		return nil, err
	}
	if err := sharedFolder(root, datasetsName); err != nil {
		return nil, err
	}
	data := "/session/" + workName + "/" + engine.DataFolder
	mounts := []sandbox.Mount{{From: filepath.Join(s.folder, datasetsName), To: data}}
	for _, dataset := range datasets {
		about, err := s.readable(dataset)
		if err != nil {
			return nil, err
		}
		point := path.Join(datasetsName, dataset.Folder)
		if about.IsDir() {
			err = sharedFolder(root, point)
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
func (s *session) copyDatasets(ctx context.Context, root *os.Root, datasets []engine.Dataset) error {
	const half = "copy"
	for _, dataset := range datasets {
		folder := path.Join(workName, engine.DataFolder, dataset.Folder)
		if there, err := exists(root, folder); err != nil {
			return err
		} else if there {
			continue
		}
		about, err := s.readable(dataset)
		if err != nil {
			return err
		}
		if err := removeTree(root, half); err != nil {
			return err
		}
		if err := copyTree(ctx, dataset.Path, root, half); err != nil {
			return &lack{
				fault.Wrap(err, fault.Unavailable, "The dataset “%s” couldn't be copied into the session.", dataset.Name),
				[]string{dataset.ID},
			}
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
func (s *session) readable(dataset engine.Dataset) (fs.FileInfo, error) {
	about, err := s.checkReadable(dataset)
	if err != nil {
		err = &lack{err, []string{dataset.ID}}
	}
	return about, err
}

func (s *session) checkReadable(dataset engine.Dataset) (fs.FileInfo, error) {
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
	if s.engine.sandbox.Level() == sandbox.LevelA && about.Mode().Perm()&needed != needed {
		return nil, fault.New(fault.Unavailable,
			"The dataset “%s” can't be read by sessions: its permissions on this server allow only its owner.", dataset.Name)
	}
	return about, nil
}
