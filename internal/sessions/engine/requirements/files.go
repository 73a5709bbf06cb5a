package requirements

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/plaintext"
)

// fileLimit is the maximum length of a file that is read, in bytes.
const fileLimit = 256 << 10

// Source returns the text of a file of a repository; ErrTooLong if it's longer than the limit, and "" for anything that
// is no file.
type Source func(name string) (string, error)

// ErrTooLong is the error for a file that is too long to be read.
var ErrTooLong = errors.New("the file is too long")

// FromFolder reads the files in a folder. Links are followed within it; pipes and folders aren't files.
func FromFolder(root *os.Root) Source {
	return func(name string) (string, error) {
		file, err := openRegular(root, name)
		if err != nil {
			return "", nil // it doesn't exist, or is not what we look for
		}
		defer file.Close()
		content, err := io.ReadAll(io.LimitReader(file, fileLimit+1))
		if err == nil && len(content) > fileLimit {
			err = ErrTooLong
		}
		return string(content), err
	}
}

// FromTexts reads files from their texts, by name.
func FromTexts(texts map[string]string) Source {
	return func(name string) (string, error) { return texts[name], nil }
}

// FromReport reads files from texts that somebody else has read, by name; nil is a file that was too long.
func FromReport(texts map[string]*string) Source {
	return func(name string) (string, error) {
		text, known := texts[name]
		switch {
		case !known:
			return "", nil
		case text == nil:
			return "", ErrTooLong
		}
		return *text, nil
	}
}

// FromReader reads files with a function that returns a TooLarge fault for those that are too long.
func FromReader(read func(path string) (string, error)) Source {
	return func(name string) (string, error) {
		text, err := read(name)
		if fault.KindOf(err) == fault.TooLarge {
			err = ErrTooLong
		}
		return text, err
	}
}

// openRegular opens a file that isn't a pipe or device, and doesn't wait for the other end of a pipe.
func openRegular(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	about, err := file.Stat()
	if err == nil && !about.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", name, fs.ErrInvalid)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// The files in which repositories say what they need.
const (
	listName        = "requirements.txt"
	pyprojectName   = "pyproject.toml"
	environmentName = "environment.yml"
	longerName      = "environment.yaml"
	runtimeName     = "runtime.txt"
	aptName         = "apt.txt"
	dockerName      = "Dockerfile"
	postBuildName   = "postBuild"
	descriptionName = "DESCRIPTION"
	renvLockName    = "renv.lock"
	installRName    = "install.R"
	startName       = "start"
	setupName       = "setup.py"
	setupConfigName = "setup.cfg"
)

// listNames are the files that list packages for Python. The first of them that a folder has is the only one that counts.
var listNames = []string{environmentName, longerName, listName, pyprojectName}

var fileNames = []string{
	listName, pyprojectName, environmentName, longerName, runtimeName, aptName, dockerName, postBuildName, renvLockName, descriptionName,
	installRName, startName,
}

// unreadNames are files that say what a repository needs in ways that nobody understands here, and why each is left out.
var unreadNames = map[string]string{
	"Pipfile":           "Lists of Pipenv aren't read. " + whyElsewhere,
	"Pipfile.lock":      "Lists of Pipenv aren't read. " + whyElsewhere,
	"pixi.toml":         "Lists of pixi aren't read. " + whyElsewhere,
	"Project.toml":      whyJulia,
	"JuliaProject.toml": whyJulia,
	"REQUIRE":           whyJulia,
	"default.nix":       "Nix isn't available in sessions on this server.",
}

// packageNames are files that make a repository a package of Python itself, which they do in its root alone.
var packageNames = []string{setupName, setupConfigName}

// folders are where these files may be. The first folder that has any is the only one that counts, as for Binder.
var folders = []string{"binder", ".binder", rootFolder}

const rootFolder = "."

// FileNames returns the paths of all files that may be read, given the names that the descriptor may have. Those that list packages
// come first.
func FileNames(descriptors []string) []string {
	paths := slices.Clone(descriptors)
	for _, names := range [][]string{fileNames, sortedKeys(unreadNames)} {
		for _, folder := range folders {
			for _, name := range names {
				paths = append(paths, path.Join(folder, name))
			}
		}
	}
	return append(paths, packageNames...)
}

// file is a file of the repository.
type file struct {
	path, folder, name string // the name of a descriptor is ""
	text               string
	unreadable         string // why it can't be read; "" if it can
}

// files returns the files of a repository that may say what it needs: its descriptor, and those in all folders.
func files(from Source, descriptors []string) (found []file, err error) {
	read := func(one file) error {
		text, err := from(one.path)
		switch {
		case errors.Is(err, ErrTooLong):
			one.unreadable = fmt.Sprintf("The file is longer than %d KiB.", fileLimit>>10)
		case err != nil || text == "":
			return err
		default:
			plain, _, ok := plaintext.Decode([]byte(text), true)
			if one.text = string(plain); !ok {
				one.unreadable = "The file isn't text that can be read. UTF-8 always can."
			}
		}
		found = append(found, one)
		return nil
	}
	for _, name := range descriptors {
		if err := read(file{path: name}); err != nil {
			return nil, err
		}
		if len(found) > 0 {
			break
		}
	}
	for _, name := range FileNames(nil) {
		if err := read(file{path: name, folder: path.Dir(name), name: path.Base(name)}); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// choose returns the files that count: the descriptor, and those of the first folder that has any, of which one alone lists packages
// for Python. The others that ask for something are named by why they don't count.
func choose(found []file) (chosen []file, unused map[string]string) {
	unused = map[string]string{}
	folder := folders[slices.IndexFunc(folders, func(folder string) bool {
		return folder == rootFolder || slices.ContainsFunc(found, func(one file) bool { return one.folder == folder })
	})]
	list := ""
	for _, name := range listNames {
		if at := slices.IndexFunc(found, func(one file) bool { return one.path == path.Join(folder, name) && one.asks() }); list == "" && at >= 0 {
			list = found[at].path
		}
	}
	conda := list == path.Join(folder, environmentName) || list == path.Join(folder, longerName)
	for _, one := range found {
		switch {
		case one.name != "" && one.folder != folder:
			unused[one.path] = "The files in " + folder + " are used, so this one isn't."
		case slices.Contains(listNames, one.name) && one.path != list, conda && one.isPythonRuntime():
			unused[one.path] = list + " is used, so " + one.path + " isn't."
		default:
			chosen = append(chosen, one)
			continue
		}
		if !one.asks() {
			delete(unused, one.path)
		}
	}
	return chosen, unused
}

// asks reports whether the file asks for anything; many of those that only tools read don't.
func (f file) asks() bool {
	if f.unreadable == "" && (f.name == pyprojectName || f.name == setupConfigName) {
		alone := Requirements{Files: map[string]string{}}
		alone.addFile(f)
		return len(alone.Packages)+len(alone.LeftOut()) > 0
	}
	return true
}

func (f file) isPythonRuntime() bool {
	return f.name == runtimeName && runtimeForm.MatchString(strings.TrimSpace(f.text))
}
