package demo

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"cairn/internal/foundation/fault"
)

// Install puts the bundled datasets into dir/datasets and the bundled repository into dir/git, and keeps what is
// already right. Every part is built in dir/staging and then renamed, so a start after a crash or an upgrade finds each
// part complete, missing or old, and repairs it. It returns Unavailable when git is missing.
func Install(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return installFault(dir, err)
	}
	staging := filepath.Join(dir, "staging")
	if err := errors.Join(os.RemoveAll(staging), os.MkdirAll(staging, 0o755)); err != nil {
		return installFault(dir, err)
	}
	for name, tree := range datasets() {
		target := filepath.Join(dir, "datasets", name)
		if sameTree(tree, target) {
			continue
		}
		built := filepath.Join(staging, name)
		if err := errors.Join(writeTree(tree, built), replace(built, target, staging)); err != nil {
			return installFault(dir, err)
		}
	}
	if err := installRepository(dir, staging); err != nil {
		return err
	}
	if err := os.RemoveAll(staging); err != nil {
		return installFault(dir, err)
	}
	return nil
}

func installFault(dir string, err error) error {
	return fault.Wrap(err, fault.Internal,
		"The demo content cannot be written to %s. Check that the folder is writable and has space.", dir)
}

// replace moves built to target.
func replace(built, target, staging string) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	old := filepath.Join(staging, "old-"+filepath.Base(target))
	if err := os.Rename(target, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(built, target)
}

// writeTree copies tree to target. Modes are set explicitly: sessions of other system users read these files, whatever
// the server's umask.
func writeTree(tree fs.FS, target string) error {
	return fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path := filepath.Join(target, filepath.FromSlash(name))
		if entry.IsDir() {
			return errors.Join(os.Mkdir(path, 0o755), os.Chmod(path, 0o755))
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		return errors.Join(os.WriteFile(path, data, 0o644), os.Chmod(path, 0o644))
	})
}

// sameTree reports whether target contains exactly the files of tree. The bundled files are small enough to compare
// byte by byte at every start, which also detects files that somebody changed or a full disk truncated.
func sameTree(tree fs.FS, target string) bool {
	expected, actual := 0, 0
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		expected++
		if err != nil || entry.IsDir() {
			return err
		}
		want, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		path := filepath.Join(target, filepath.FromSlash(name))
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() || info.Size() != int64(len(want)) {
			return fs.ErrInvalid
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, want) {
			return fs.ErrInvalid
		}
		return nil
	})
	if err != nil {
		return false
	}
	err = filepath.WalkDir(target, func(_ string, _ fs.DirEntry, err error) error {
		actual++
		return err
	})
	return err == nil && actual == expected
}
