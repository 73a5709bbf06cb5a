package installation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"

	"golang.org/x/sys/unix"
)

// Files in the data folder besides the database and issuerFile.
const (
	lockFile      = "lock"
	DiscoveryFile = "discovery.json" // what discovery keeps
	SnapshotFile  = "catalog.index"
	RunsFolder    = "runs"
)

// VersionsName is the folder of versions in the data folder. It has one for each local engine, and that one for each owner:
// it is closed to sessions, and apart from their folders, which come and go.
const VersionsName = "versions"

// ContentStores returns the folder with the stores of entries, given that of all content.
func ContentStores(content string) string { return filepath.Join(content, "stores") }

// PrepareData creates the data folder, readable by its owner only, and returns its absolute path.
func PrepareData(folder string) (string, error) {
	path, err := filepath.Abs(folder)
	if err == nil {
		err = CheckFolder(path)
	}
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
		return "", DataFault(err, folder)
	}
	return path, nil
}

// DataFault returns the Invalid fault for a data folder that can't be used.
func DataFault(err error, folder string) error {
	return fault.Wrap(err, fault.Invalid, "The data folder %s can't be used: %s. Choose another with --data, or fix its permissions.",
		folder, humanize.Reason(err))
}

// CheckFolder returns why this account can't keep files in a folder, which may not exist yet.
func CheckFolder(folder string) error {
	for path := folder; ; path = filepath.Dir(path) {
		about, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != "/":
			continue
		case err != nil:
			return err
		case !about.IsDir():
			return syscall.ENOTDIR
		case path == folder:
			return checkAccess(path, unix.R_OK|unix.W_OK|unix.X_OK)
		}
		if err := checkAccess(path, unix.W_OK|unix.X_OK); err != nil {
			return fmt.Errorf("it can't be made in %s: %w", path, err)
		}
		return nil
	}
}

// checkAccess returns why this account has no such access to a file.
func checkAccess(path string, mode uint32) error {
	err := unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS)
	if errors.Is(err, unix.EACCES) {
		return wrongOwner(path)
	}
	return err
}

// wrongOwner says to whom a file belongs, and who this program is.
func wrongOwner(path string) error {
	return fmt.Errorf("it belongs to %s, and this program runs as %s", ownerOf(path), AccountName(os.Geteuid()))
}

func ownerOf(path string) string {
	about, err := os.Lstat(path)
	if err != nil {
		return "nobody"
	}
	return AccountName(OwnerID(about))
}

// OwnerID returns the id of the account that a file belongs to; -1 where the system doesn't say.
func OwnerID(about fs.FileInfo) int {
	stat, ok := about.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(stat.Uid)
}

// AccountName returns the name of an account of this machine, or its number.
func AccountName(id int) string {
	number := strconv.Itoa(id)
	if found, err := user.LookupId(number); err == nil {
		return found.Username
	}
	return number
}

// MaxNamedFiles is how many files of the data folder are named when they can't be used.
const MaxNamedFiles = 5

// FileFaults returns why this account can't serve with what is in the data folder.
func FileFaults(data string) []string {
	root, err := os.OpenRoot(data)
	if err != nil {
		return nil // there is none yet, or usable told why
	}
	defer root.Close()
	var faults []string
	for _, pattern := range OwnFiles {
		names, _ := fs.Glob(root.FS(), pattern) // the patterns are well formed
		for _, name := range names {
			about, err := root.Lstat(name)
			if err != nil || name == "." || (!about.IsDir() && !about.Mode().IsRegular()) {
				continue
			}
			if text := fileFault(data, pattern, filepath.Join(data, name), about); text != "" {
				faults = append(faults, text)
			}
		}
	}
	if more := len(faults) - MaxNamedFiles; more > 0 {
		faults = append(faults[:MaxNamedFiles], fmt.Sprintf("data: %d more files there can't be used", more))
	}
	return faults
}

func fileFault(data, pattern, path string, about fs.FileInfo) string {
	mode := uint32(unix.R_OK | unix.W_OK)
	if about.IsDir() {
		mode |= unix.X_OK
	}
	err := checkAccess(path, mode)
	switch {
	case slices.Contains(ownFolders, pattern) && !about.IsDir():
		return "data: " + path + " must be a folder and is a file; move it away"
	case pattern == sessionsPattern && OwnerID(about) != os.Geteuid():
		err = wrongOwner(path)
	case err == nil:
		return ""
	}
	return "data: " + path + " can't be used: " + err.Error() + "; run it as " + ownerOf(data) + ", or chown -R " + AccountName(os.Geteuid()) + " " + data
}

// sessionsPattern matches the folders of the engines of this server, which must belong to it.
const sessionsPattern = "sessions/*"

// ownFolders are those of ownFiles that are folders.
var ownFolders = []string{"idp", "cache", "cache/*", "sessions", sessionsPattern, "demo", RunsFolder, RunsFolder + "/*", config.ContentName, config.ContentName + "/*"}

// OwnFiles are what this server keeps in the data folder, as patterns. What lies deeper in the folders of sessions and of the
// demo is shown to sessions on purpose, and may be theirs.
var OwnFiles = []string{
	".", lockFile, "cairn.db*", issuerFile, DiscoveryFile, SnapshotFile + "*", config.SecretsFile, "idp", "idp/*", "cache", "cache/*", "cache/*/*",
	"sessions", sessionsPattern, "demo", "demo/*", RunsFolder, RunsFolder + "/*", config.ContentName, config.ContentName + "/*",
}

// RestrictAccess takes the permissions on what this server keeps from everybody but its owner. Versions before created some of it
// open, and asked operators to open more.
func RestrictAccess(settings config.Config) error {
	if err := closeFiles(settings.Data, OwnFiles...); err != nil {
		return DataFault(err, settings.Data)
	}
	if path, ok := strings.CutPrefix(settings.DatabaseURL, "sqlite:"); ok {
		name := filepath.Base(path)
		if err := closeFiles(filepath.Dir(path), name, name+"-wal", name+"-shm", name+".servers"); err != nil {
			return DatabaseFileFault(err, path)
		}
	}
	return nil
}

// DatabaseFileFault returns the Invalid fault for a database file that can't be used.
func DatabaseFileFault(err error, path string) error {
	return fault.Wrap(err, fault.Invalid, "The database file %s cannot be used: %s.", path, humanize.Reason(err))
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

// NearestFolder returns a folder, or the first above it that is there.
func NearestFolder(folder string) string {
	for folder != "/" {
		if _, err := os.Stat(folder); err == nil {
			break
		}
		folder = filepath.Dir(folder)
	}
	return folder
}
