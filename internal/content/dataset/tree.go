package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"cairn/internal/foundation/fault"
)

// Tree is the data of one entry: a folder with everything below it, or a single file. Nothing outside can be opened
// through it, wherever links lead.
type Tree struct {
	root   *os.Root
	single string // path below root of the only file; "" for a folder
}

// pathLimit is the length of the longest valid path, in bytes.
const pathLimit = 4096

// Open opens the data at an address, a relative path, below a folder. It returns errors of the file system:
// fs.ErrNotExist, fs.ErrPermission and others.
func Open(folder, address string) (*Tree, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(address)
	if err == nil && info.Mode().IsRegular() {
		return &Tree{root: root, single: address}, nil
	}
	defer root.Close()
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fs.ErrNotExist // devices and pipes aren't data
	}
	inner, err := root.OpenRoot(address)
	if err != nil {
		return nil, err
	}
	return &Tree{root: inner}, nil
}

// Close closes the folder.
func (t *Tree) Close() error { return t.root.Close() }

var errAbsent = fault.New(fault.NotFound, "This dataset has no such file or folder.")

// inside returns the path below root for a caller's name. Hidden names and paths that lead up don't exist.
func (t *Tree) inside(name string) (string, error) {
	switch {
	case len(name) > pathLimit || (name != "" && !fs.ValidPath(name)):
		return "", errAbsent
	case name == "":
		return ".", nil
	case slices.ContainsFunc(strings.Split(name, "/"), isHidden):
		return "", errAbsent
	case t.single == "":
		return name, nil
	case name == path.Base(t.single):
		return t.single, nil
	default:
		return "", errAbsent
	}
}

func isHidden(name string) bool { return strings.HasPrefix(name, ".") }

// open opens a regular file for reading. Nothing else is opened: a pipe would block, and opening a device may have
// effects.
func (t *Tree) open(name string) (*os.File, int64, error) {
	inside, err := t.inside(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := t.root.Stat(inside)
	if err != nil {
		return nil, 0, faultOf(err)
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fault.InvalidField("query.path", "This isn't a file, so there's nothing to show.")
	}
	// Whatever has replaced the file meanwhile is opened without blocking, and checked again.
	file, err := t.root.OpenFile(inside, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, faultOf(err)
	}
	if info, err = file.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return nil, 0, errAbsent
	}
	return file, info.Size(), nil
}

var (
	errNoText    = fault.InvalidField("query.path", "This file isn't text, whatever its name says, so it can't be previewed.")
	errNoPreview = fault.InvalidField("query.path", "This type of file can't be previewed.")
)

// content is the beginning of a file.
type content struct {
	bytes []byte
	size  int64 // of the whole file
	whole bool  // bytes is the whole file
}

// read returns the beginning of a file of one of the wanted kinds, at most limit bytes; of a gzip file, the beginning
// of its content.
func (t *Tree) read(name string, limit int64, wanted ...string) (content, error) {
	file, size, err := t.open(name)
	if err != nil {
		return content{}, err
	}
	defer file.Close()
	if !slices.Contains(wanted, previewOf(path.Base(name))) {
		return content{}, errNoPreview
	}
	var source io.Reader = file
	if isPacked(name) {
		if source, err = gzip.NewReader(file); err != nil {
			return content{}, errPacked
		}
	}
	read := bytes.NewBuffer(make([]byte, 0, min(size, limit)+1+bytes.MinRead))
	_, err = read.ReadFrom(io.LimitReader(source, limit+1)) // one byte more shows that there is more
	begin := read.Bytes()
	switch {
	case err != nil && isPacked(name):
		return content{}, errPacked
	case err != nil:
		return content{}, faultOf(err)
	case int64(len(begin)) > limit:
		return content{bytes: begin[:limit], size: size}, nil
	default:
		return content{bytes: begin, size: size, whole: true}, nil
	}
}

var errPacked = fault.InvalidField("query.path", "The file can't be unpacked: it's damaged, or it isn't gzip.")

func isPacked(name string) bool { return strings.EqualFold(path.Ext(name), ".gz") }

// troubles are errors of this server rather than of the request.
var troubles = []syscall.Errno{syscall.EIO, syscall.ESTALE, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ETIMEDOUT}

// faultOf translates an error of the file system for callers. Links that lead out of the folder don't exist.
func faultOf(err error) error {
	number, _ := errors.AsType[syscall.Errno](err)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Forbidden, "The server may not read this. Tell the operators.")
	case slices.Contains(troubles, number):
		return fault.Wrap(err, fault.Unavailable, "The server can't read this right now. Try again in a while.")
	default:
		return errAbsent
	}
}
