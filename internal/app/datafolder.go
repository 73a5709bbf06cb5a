package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cairn/internal/fault"
)

// Files in the data folder besides the database and issuerFile.
const (
	discoveryFile = "discovery.json"
	snapshotFile  = "catalog.index"
)

// prepareData creates the data folder, readable by its owner only, and returns its absolute path.
func prepareData(folder string) (string, error) {
	path, err := filepath.Abs(folder)
	if err == nil {
		err = os.MkdirAll(path, 0o700)
	}
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(path, ".writable-*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return "", dataFault(err, folder)
	}
	return path, nil
}

func dataFault(err error, folder string) error {
	return fault.Wrap(err, fault.Invalid, "The data folder %s can't be used: %s. Choose another with --data, or fix its permissions.",
		folder, reasonOf(err))
}

// ownFiles are what this server keeps in the data folder, as patterns. What lies deeper in the folders of sessions and of the
// demo is shown to sessions on purpose, and may be theirs.
var ownFiles = []string{
	".", "lock", "cairn.db*", issuerFile, discoveryFile, snapshotFile + "*", "idp", "idp/*", "cache", "cache/*", "cache/*/*",
	"sessions", "sessions/*", "demo", "demo/*",
}

// closeData takes the permissions on what this server keeps from everybody but its owner. Versions before created some of it
// open, and asked operators to open more.
func closeData(config Config) error {
	if err := closeFiles(config.Data, ownFiles...); err != nil {
		return dataFault(err, config.Data)
	}
	if path, ok := strings.CutPrefix(config.DatabaseURL, "sqlite:"); ok {
		name := filepath.Base(path)
		if err := closeFiles(filepath.Dir(path), name, name+"-wal", name+"-shm", name+".servers"); err != nil {
			return fault.Wrap(err, fault.Invalid, "The database file %s can't be used: %s.", path, reasonOf(err))
		}
	}
	return nil
}

// closeFiles closes the files and folders of this server's account that match patterns in a folder, and follows no links.
func closeFiles(folder string, patterns ...string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, pattern := range patterns {
		names, err := fs.Glob(root.FS(), pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			about, err := root.Lstat(name)
			if err != nil || (!about.IsDir() && !about.Mode().IsRegular()) || about.Mode().Perm()&0o077 == 0 {
				continue // gone, a link, or closed
			}
			err = root.Chmod(name, about.Mode().Perm()&0o700)
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) { // not if it is another account's
				return err
			}
		}
	}
	return nil
}

// sessionsFolder returns the folder of sessions for the level of isolation at which their accounts enter it.
func (c Config) sessionsFolder() string {
	if c.Sessions.Folder != "" {
		return filepath.Clean(c.Sessions.Folder)
	}
	return filepath.Clean(c.Data) + "-sessions"
}

// sessionsFolderFaults returns what is wrong with sessions.folder.
func (c Config) sessionsFolderFaults() []string {
	folder := c.Sessions.Folder
	if folder == "" {
		return nil
	}
	const key = "sessions.folder: "
	if !filepath.IsAbs(folder) {
		return []string{key + quoted(folder) + " must be the absolute path of a folder"}
	}
	if data, err := filepath.Abs(c.Data); err == nil && strings.HasPrefix(filepath.Clean(folder)+"/", data+"/") {
		return []string{key + quoted(folder) + " must be outside the data folder, which only this server may enter"}
	}
	for above := filepath.Dir(filepath.Clean(folder)); above != "/"; above = filepath.Dir(above) {
		if about, err := os.Stat(above); err == nil && (!about.IsDir() || about.Mode().Perm()&0o001 == 0) {
			return []string{key + quoted(folder) + ": the accounts of sessions can't enter " + above + "; choose a folder whose parents everyone " +
				"may enter, such as /var/lib/cairn-sessions"}
		}
	}
	return nil
}
