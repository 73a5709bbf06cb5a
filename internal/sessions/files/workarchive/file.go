package workarchive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/files/folders"
)

// ErrTooLarge says that a file has more bytes than were asked for.
var ErrTooLarge = errors.New("the file is too large")

// ReadWork is ReadFile of a session's work, as engine.Runner promises it.
func ReadWork(session, path string, most int64) ([]byte, error) {
	content, err := ReadFile(session, folders.Work, path, most)
	switch {
	case errors.Is(err, ErrTooLarge):
		return nil, fault.Wrap(err, fault.TooLarge, "The file %s has more than %s.", fault.Quote(path), humanize.Bytes(most))
	case err != nil:
		return nil, fault.Wrap(err, fault.NotFound, "The session's work has no file %s that can be read.", fault.Quote(path))
	}
	return content, nil
}

// ReadFile returns a regular file of at most so many bytes from the work folder of a session, with the rights of Write. It
// follows no link out of the folder.
func ReadFile(session, name, path string, most int64) ([]byte, error) {
	root, err := openWork(session, name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	owner, err := filetree.Owner(root)
	if err != nil {
		return nil, err
	}
	var content []byte
	read := func() (err error) {
		content, err = readFile(root, path, most)
		return err
	}
	if owner == os.Geteuid() {
		err = read()
	} else {
		err = filetree.As(owner, read)
	}
	return content, err
}

func readFile(root *os.Root, path string, most int64) ([]byte, error) {
	if !fs.ValidPath(path) {
		return nil, fmt.Errorf("%q is no path in a folder", path)
	}
	file, err := root.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0) // a pipe would wait for a writer
	if err != nil {
		return nil, err
	}
	defer file.Close()
	about, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !about.Mode().IsRegular():
		return nil, fmt.Errorf("%q is no regular file", path)
	}
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if int64(len(content)) > most {
		return nil, ErrTooLarge
	}
	return content, err
}
