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

	"cairn/internal/fault"
)

// Tree is the data of one entry: a folder with all that lies below it, or a single file. Nothing outside can be opened
// through it, wherever links in it lead.
type Tree struct {
	root   *os.Root
	single string // path below root of the only file; "" for a folder
}

// pathLimit is the longest path of a file that is looked at, in bytes.
const pathLimit = 4096

// Open returns what lies at an address, a relative path, below a folder. What it answers with errors is meant for code:
// fs.ErrNotExist, fs.ErrPermission and others of the file system.
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
		return nil, fs.ErrNotExist // a device or a pipe is no data
	}
	inner, err := root.OpenRoot(address)
	if err != nil {
		return nil, err
	}
	return &Tree{root: inner}, nil
}

// Close lets go of the folder.
func (t *Tree) Close() error { return t.root.Close() }

var errAbsent = fault.New(fault.NotFound, "There is no such file or folder in this dataset.")

// inside returns the path below root of what a caller calls name. Hidden names and ways up are as absent as any other.
func (t *Tree) inside(name string) (string, error) {
	switch {
	case len(name) > pathLimit || (name != "" && !fs.ValidPath(name)):
		return "", errAbsent
	case name == "":
		return ".", nil
	case slices.ContainsFunc(strings.Split(name, "/"), hidden):
		return "", errAbsent
	case t.single == "":
		return name, nil
	case name == path.Base(t.single):
		return t.single, nil
	default:
		return "", errAbsent
	}
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// open opens a regular file for reading. Nothing else is opened: a pipe would keep the reader waiting, and a device may
// do something when it is opened.
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
		return nil, 0, fault.InvalidField("query.path", "This is no file, so there is nothing to show of it.")
	}
	// Whatever took the file's place meanwhile is opened without waiting, and looked at again.
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

// content is the beginning of a file.
type content struct {
	bytes []byte
	size  int64 // of the whole file
	whole bool  // there is no more than bytes
}

// read returns the beginning of a file of one of the wanted kinds, at most limit bytes of it; of a file that is packed by
// gzip, of what it holds.
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
	_, err = read.ReadFrom(io.LimitReader(source, limit+1)) // one more shows that there is more
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

var errPacked = fault.InvalidField("query.path", "The file cannot be unpacked: it is damaged, or it is not packed by gzip.")

func isPacked(name string) bool { return strings.EqualFold(path.Ext(name), ".gz") }

// troubles are errors of this server and not of what was asked for.
var troubles = []syscall.Errno{syscall.EIO, syscall.ESTALE, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ETIMEDOUT}

// faultOf says what an error of the file system means to a caller. Links that lead out of the folder are as absent as
// what they lead to.
func faultOf(err error) error {
	number, _ := errors.AsType[syscall.Errno](err)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Forbidden, "The server may not read this. Tell the operators.")
	case slices.Contains(troubles, number):
		return fault.Wrap(err, fault.Unavailable, "The server cannot read this now. Try again in a while.")
	default:
		return errAbsent
	}
}
