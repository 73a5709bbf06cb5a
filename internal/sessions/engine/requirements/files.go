package requirements

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

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
)

var fileNames = []string{
	listName, pyprojectName, environmentName, longerName, runtimeName, aptName, dockerName, postBuildName, descriptionName,
}

// folders are where these files may be. The first folder that has any is the only one that counts, as for Binder.
var folders = []string{"binder/", ".binder/", ""}

// FileNames returns the paths of all files that may be read, given the names that the descriptor may have.
func FileNames(descriptors []string) []string {
	paths := slices.Clone(descriptors)
	for _, folder := range folders {
		for _, name := range fileNames {
			paths = append(paths, folder+name)
		}
	}
	return paths
}

// file is a file of the repository.
type file struct{ path, name, text string }

// files returns the files that say what a repository needs, the descriptor first. What can't be read is left out.
func (r *Requirements) files(from Source, descriptors []string) ([]file, error) {
	var found []file
	read := func(path, name string) error {
		text, err := from(path)
		switch {
		case errors.Is(err, ErrTooLong):
			r.leave(path, fmt.Sprintf("The file is longer than %d kB.", fileLimit>>10))
		case err != nil:
			return err
		case text != "":
			if plain, _, ok := plaintext.Decode([]byte(text), true); ok {
				found = append(found, file{path, name, string(plain)})
			} else {
				r.leave(path, "The file isn't text that can be read. UTF-8 always can.")
			}
		}
		return nil
	}
	for _, name := range descriptors {
		if err := read(name, ""); err != nil {
			return nil, err
		}
		if len(found) > 0 {
			break
		}
	}
	before := len(found) + len(r.left)
	for _, folder := range folders {
		for _, name := range fileNames {
			if err := read(folder+name, name); err != nil {
				return nil, err
			}
		}
		if len(found)+len(r.left) > before {
			break
		}
	}
	return found, nil
}
