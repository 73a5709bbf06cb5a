package datasets

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

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
)

// entryLimit is the maximum number of files and folders in an archive.
const entryLimit = 1_000_000

// unpacker writes the content of an archive. Links, devices and the like are left out; a name that leads outside
// refuses the whole archive, because that doesn't happen by mistake.
type unpacker struct {
	ctx     context.Context //nolint:containedctx // of one unpacking
	most    int64           // maximum total size of all files and folders, in bytes; each counts folders.LeastFile at least
	lacks   func() bool     // whether the disk has less than its reserve; nil: never
	tell    func(string)
	written int64
	entries int
}

// entriesBetween is how many entries are written before the disk is looked at again.
const entriesBetween = 64

// take counts bytes, and returns an error if they are too many, or the disk lacks room.
func (u *unpacker) take(bytes int64, look bool) error {
	if u.written += bytes; u.written > u.most {
		return fault.New(fault.Unavailable, "The contents of its archive are larger than %s.", humanize.Bytes(u.most))
	}
	if look && u.lacks != nil && u.lacks() {
		return diagnosis.With(fault.New(fault.Unavailable, "%s", folders.DiskFull), diagnosis.DiskFull)
	}
	return nil
}

func (u *unpacker) unpack(root *os.Root, file *os.File, length int64, kind string) error {
	if err := folders.Share(root, contentName); err != nil {
		return err
	}
	content, err := root.OpenRoot(contentName)
	if err != nil {
		return err
	}
	defer content.Close()
	if kind == "zip" {
		return u.unzip(content, file, length)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var from io.Reader = file
	if kind == "tar.gz" {
		if from, err = gzip.NewReader(file); err != nil {
			return err
		}
	}
	return u.untar(content, from)
}

func (u *unpacker) unzip(content *os.Root, file io.ReaderAt, length int64) error {
	archive, err := openZip(file, length)
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

func (u *unpacker) untar(content *os.Root, from io.Reader) error {
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
		if err := u.entry(content, header.Name, mode, func() (io.ReadCloser, error) { return io.NopCloser(archive), nil }); err != nil {
			return err
		}
	}
}

// entry writes one file or folder.
func (u *unpacker) entry(content *os.Root, name string, mode fs.FileMode, open func() (io.ReadCloser, error)) error {
	if u.entries++; u.entries > entryLimit {
		return errTooManyEntries
	}
	if err := u.take(0, u.entries%entriesBetween == 0); err != nil {
		return err
	}
	name = path.Clean(strings.TrimPrefix(name, "./"))
	if !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00") {
		return fault.New(fault.Unavailable, "Its archive contains the name “%s”, which points elsewhere.", engine.Shorten(strings.ToValidUTF8(name, "?"), 80))
	}
	if strings.Count(name, "/") >= filetree.MaxDepth {
		return fault.New(fault.Unavailable, "Its archive nests folders deeper than the %d that are allowed.", filetree.MaxDepth)
	}
	switch {
	case mode.IsDir():
		return u.folder(content, name)
	case !mode.IsRegular():
		return nil
	}
	if err := errors.Join(u.folder(content, path.Dir(name)), u.take(folders.LeastFile, false)); err != nil {
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
func (u *unpacker) folder(content *os.Root, name string) error {
	for missing := name; missing != "."; missing = path.Dir(missing) {
		exists, err := folders.Exists(content, missing)
		if exists {
			break
		}
		if err == nil {
			err = u.take(folders.LeastFile, false)
		}
		if err != nil {
			return err
		}
	}
	return folders.Share(content, name)
}

func (u *unpacker) copy(to io.Writer, from io.Reader) error {
	for counted := int64(folders.LeastFile); ; counted = 0 {
		const part = 1 << 20
		count, err := io.CopyN(to, filetree.Reader(u.ctx, from), part)
		if err := u.take(max(0, count-counted), count == part); err != nil {
			return err
		}
		u.tell("unpacked " + progressText(u.written, 0))
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
