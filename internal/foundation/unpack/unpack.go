// Package unpack writes the content of hostile archives (zip, tar, tar.gz) into a folder.
package unpack

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/humanize"
)

// Kind is the format of an archive.
type Kind string

// The kinds.
const (
	Zip   Kind = "zip"
	Tar   Kind = "tar"
	TarGz Kind = "tar.gz"
)

// KindOf recognizes an archive by its name; "" for any other file.
func KindOf(name string) Kind {
	for suffix, kind := range map[string]Kind{".zip": Zip, ".tar.gz": TarGz, ".tgz": TarGz, ".tar": Tar} {
		if strings.HasSuffix(strings.ToLower(name), suffix) {
			return kind
		}
	}
	return ""
}

// EntryLimit is the maximum number of files and folders in an archive.
const EntryLimit = 1_000_000

// LeastFile is the minimum in bytes that a file or a folder counts: an empty one takes room in the tables of the file system.
const LeastFile = 4 << 10

// errFull says that the disk lacks room.
var errFull = fault.New(fault.Unavailable, "The disk is full.")

// Options are the limits of an unpacking.
type Options struct {
	Most  int64                   // maximum total size of all files and folders, in bytes; each counts LeastFile at least
	Lacks func() bool             // whether the disk has less than its reserve; nil: never
	Full  error                   // what is returned then; nil: a fault that says so
	Tell  func(written int64)     // is told how far it is, in bytes; nil: nobody is
	Check func(name string) error // refuses the name of a file; nil: none but those that lead elsewhere
	Skip  func(name string) bool  // leaves out a file or folder; nil: none
	// LeftOut is told the names of what isn't written: links, devices and the like. nil: nobody is.
	LeftOut func(name string, mode fs.FileMode)
}

// Unpacker writes the contents of archives into folders, and counts what it has written. Links, devices and the like are left out; a name
// that leads outside refuses the whole archive, because that doesn't happen by mistake.
type Unpacker struct {
	Options

	ctx     context.Context //nolint:containedctx // of one unpacking
	written int64
	entries int
}

// New returns an unpacker whose limits hold for everything that it unpacks, until ctx ends.
func New(ctx context.Context, options Options) *Unpacker {
	return &Unpacker{Options: options, ctx: ctx}
}

// entriesBetween is how many entries are written before the disk is looked at again.
const entriesBetween = 64

// Written returns how many bytes were counted.
func (u *Unpacker) Written() int64 { return u.written }

// take counts bytes, and returns an error if they are too many, or the disk lacks room.
func (u *Unpacker) take(bytes int64, look bool) error {
	if u.written += bytes; u.written > u.Most {
		return fault.New(fault.Unavailable, "The contents of its archive are larger than %s.", humanize.Bytes(u.Most))
	}
	if look && u.Lacks != nil && u.Lacks() {
		if u.Full != nil {
			return u.Full
		}
		return errFull
	}
	return nil
}

// Unpack writes the content of an archive of a length into a folder. Its faults are sentences about the archive.
func (u *Unpacker) Unpack(into *os.Root, file *os.File, length int64, kind Kind) error {
	if kind == Zip {
		return u.unzip(into, file, length)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var from io.Reader = file
	if kind == TarGz {
		packed, err := gzip.NewReader(file)
		if err != nil {
			return err
		}
		from = packed
	}
	return u.untar(into, from)
}

func (u *Unpacker) unzip(content *os.Root, file io.ReaderAt, length int64) error {
	archive, err := OpenZip(file, length)
	if err != nil {
		return err
	}
	for _, entry := range archive.File {
		err := u.entry(content, entry.Name, entry.Mode(), func() (io.ReadCloser, error) { return entry.Open() })
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *Unpacker) untar(content *os.Root, from io.Reader) error {
	return EachInTar(from, func(header *tar.Header, mode fs.FileMode, archive io.Reader) error {
		return u.entry(content, header.Name, mode, func() (io.ReadCloser, error) { return io.NopCloser(archive), nil })
	})
}

// EachInTar calls visit for everything in a tar archive. The mode of hard links and of headers is none of a file.
func EachInTar(from io.Reader, visit func(header *tar.Header, mode fs.FileMode, content io.Reader) error) error {
	archive := tar.NewReader(from)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		mode := header.FileInfo().Mode()
		if header.Typeflag == tar.TypeLink || header.Typeflag == tar.TypeXGlobalHeader {
			mode = fs.ModeIrregular
		}
		if err := visit(header, mode, archive); err != nil {
			return err
		}
	}
}

// CleanName returns the name of something in an archive as a path; an error for one that leads elsewhere, or too deep.
func CleanName(name string) (string, error) {
	name = path.Clean(strings.TrimPrefix(name, "./"))
	if !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00") {
		return "", fault.New(fault.Unavailable, "Its archive contains the name “%s”, which points elsewhere.", shorten(strings.ToValidUTF8(name, "?")))
	}
	if strings.Count(name, "/") >= filetree.MaxDepth {
		return "", fault.New(fault.Unavailable, "Its archive nests folders deeper than the %d that are allowed.", filetree.MaxDepth)
	}
	return name, nil
}

func shorten(text string) string {
	const most = 80
	if text = strings.Join(strings.Fields(text), " "); len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}

// entry writes one file or folder.
func (u *Unpacker) entry(content *os.Root, name string, mode fs.FileMode, open func() (io.ReadCloser, error)) error {
	if u.entries++; u.entries > EntryLimit {
		return errTooManyEntries
	}
	if err := u.take(0, u.entries%entriesBetween == 0); err != nil {
		return err
	}
	name, err := CleanName(name)
	if err != nil {
		return err
	}
	switch {
	case u.Skip != nil && u.Skip(name):
		return nil
	case mode.IsDir():
		return u.folder(content, name)
	case !mode.IsRegular():
		if u.LeftOut != nil {
			u.LeftOut(name, mode)
		}
		return nil
	}
	if u.Check != nil {
		if err := u.Check(name); err != nil {
			return err
		}
	}
	if err := errors.Join(u.folder(content, path.Dir(name)), u.take(LeastFile, false)); err != nil {
		return err
	}
	from, err := open()
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := content.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(u.copy(to, from), to.Chmod(0o444), to.Close())
}

// folder makes a folder, with those above it, of which an archive needn't tell.
func (u *Unpacker) folder(content *os.Root, name string) error {
	for missing := name; missing != "."; missing = path.Dir(missing) {
		_, err := content.Lstat(missing)
		if err == nil {
			break
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = u.take(LeastFile, false)
		}
		if err != nil {
			return err
		}
	}
	return MakeFolder(content, name)
}

// MakeFolder makes a folder that everybody may read, with its parents, if it doesn't exist.
func MakeFolder(root *os.Root, name string) error {
	if name == "." {
		return nil
	}
	err := root.Mkdir(name, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err = MakeFolder(root, path.Dir(name)); err == nil {
			err = root.Mkdir(name, 0o700)
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return root.Chmod(name, 0o755)
}

func (u *Unpacker) copy(to io.Writer, from io.Reader) error {
	for counted := int64(LeastFile); ; counted = 0 {
		const part = 1 << 20
		count, err := io.CopyN(to, filetree.Reader(u.ctx, from), part)
		if err := u.take(max(0, count-counted), count == part); err != nil {
			return err
		}
		if u.Tell != nil {
			u.Tell(u.written)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
