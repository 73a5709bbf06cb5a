// Package bareclone sends bare clones of repositories from one machine to another, as tar files. Only what git stores of a repository is
// sent and taken: no configuration, no hooks, and nothing that leads git to other folders.
package bareclone

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"syscall"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/files/folders"
)

const (
	headName  = "HEAD" // the last file of a clone that is sent, so that nobody takes a part of it for all
	nameLimit = 1 << 10
	depth     = 32      // folders of a path
	textLimit = 4 << 10 // bytes of a file that isn't one of objects, except packed-refs
)

// What is told of a clone that can't be taken.
var (
	// ErrCut is the cause if not all of it came.
	ErrCut = errors.New("the clone of the repository didn't come completely")

	errForeign = fault.New(fault.Malformed, "What was sent isn't a clone of a repository.")
)

var objectName = regexp.MustCompile(`^objects/(?:[0-9a-f]{2}/[0-9a-f]{38}(?:[0-9a-f]{24})?|pack/pack-[0-9a-f]{40}(?:[0-9a-f]{24})?\.(?:pack|idx|rev|bitmap))$`)

// isPart reports whether a path in a bare clone is that of a file which is sent.
func isPart(name string) bool {
	switch {
	case name == headName, name == "packed-refs", name == "shallow", objectName.MatchString(name):
		return true
	case !strings.HasPrefix(name, "refs/"), len(name) > nameLimit, strings.Count(name, "/") > depth, !fs.ValidPath(name), strings.ContainsAny(name, "\x00\n\\"):
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// most returns how many bytes a file may have that isn't one of objects; 0: as many as there is room for.
func most(name string) int64 {
	if strings.HasPrefix(name, "refs/") || name == headName {
		return textLimit
	}
	return 0
}

// Write writes the bare clone in a folder as a tar file.
func Write(ctx context.Context, folder string, w io.Writer) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	out := tar.NewWriter(w)
	err = filetree.Walk(ctx, root, ".", filetree.Limits{}, func(entry *filetree.Entry) error {
		if name := entry.Path(); !entry.IsFile() || name == headName || !isPart(name) {
			return nil
		}
		opened, err := entry.Open()
		if err != nil {
			return err
		}
		return writeFile(ctx, out, entry.Path(), opened)
	})
	if err != nil {
		return err
	}
	head, err := root.Open(headName)
	if err != nil {
		return err
	}
	return errors.Join(writeFile(ctx, out, headName, head), out.Close())
}

// writeFile writes a file and closes it.
func writeFile(ctx context.Context, out *tar.Writer, name string, file *os.File) error {
	defer file.Close()
	about, err := file.Stat()
	if err != nil {
		return err
	}
	if err := out.WriteHeader(&tar.Header{Format: tar.FormatPAX, Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: about.Size()}); err != nil {
		return err
	}
	_, err = io.CopyN(out, filetree.Reader(ctx, file), about.Size())
	return err
}

// Read makes a bare clone of what Write wrote, in a new folder of this name. It may take so many bytes, 0 being any number. After an error,
// whose cause is ErrCut if not all of it came, the folder is to be removed.
func Read(ctx context.Context, root *os.Root, name string, r io.Reader, limit int64) error {
	for _, folder := range []string{"", "objects", "refs", "refs/heads"} {
		if err := folders.Share(root, path.Join(name, folder)); err != nil {
			return err
		}
	}
	in := reading{root: root, folder: name, room: limit, bounded: limit > 0, from: &heard{from: filetree.Reader(ctx, r)}}
	err := in.read()
	if in.from.err != nil && err != nil {
		err = errors.Join(ErrCut, in.from.err)
	}
	return err
}

// reading is one Read.
type reading struct {
	root    *os.Root
	folder  string
	from    *heard
	room    int64 // bytes that are left
	bounded bool
	sha256  bool // the names of its objects are long
}

func (r *reading) read() error {
	archive := tar.NewReader(r.from)
	last := ""
	for {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF) && last == headName:
			return r.configure()
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return ErrCut
		case err != nil:
			return fault.Wrap(err, fault.Malformed, "%s", errForeign.Message)
		}
		if err := r.take(header, archive); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = ErrCut
			}
			return err
		}
		last = header.Name
	}
}

// take writes one file. Where one is already, or something else is in its way, the clone is refused.
func (r *reading) take(header *tar.Header, content io.Reader) error {
	if header.Typeflag != tar.TypeReg || !isPart(header.Name) || most(header.Name) > 0 && header.Size > most(header.Name) {
		return errForeign
	}
	before := r.room
	if r.room -= max(header.Size, folders.LeastFile); r.bounded && r.room < 0 {
		return diagnosis.With(fault.New(fault.TooLarge, "The repository is larger than what is left of the disk of this session (%s).", humanize.Bytes(max(before, 0))), diagnosis.TooLarge)
	}
	if base := path.Base(strings.TrimSuffix(header.Name, path.Ext(header.Name))); strings.HasPrefix(header.Name, "objects/") {
		r.sha256 = r.sha256 || len(strings.TrimPrefix(base, "pack-")) >= 62
	}
	name := path.Join(r.folder, header.Name) //nolint:gosec // isPart has checked it, and the root holds what is below it
	err := folders.Share(r.root, path.Dir(name))
	var file *os.File
	if err == nil {
		file, err = r.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTDIR) {
		return errForeign
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Chmod(0o644), file.Close())
}

// configure writes the configuration, which is the same for all repositories with names of objects of one length.
func (r *reading) configure() error {
	text := "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
	if r.sha256 {
		text = "[core]\n\trepositoryformatversion = 1\n\tfilemode = true\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
	}
	name := path.Join(r.folder, "config")
	return errors.Join(r.root.WriteFile(name, []byte(text), 0o644), r.root.Chmod(name, 0o644))
}

// heard remembers why nothing more came.
type heard struct {
	from io.Reader
	err  error // nil at the proper end
}

// Read implements io.Reader.
func (h *heard) Read(into []byte) (int, error) {
	count, err := h.from.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		h.err = err
	}
	return count, err
}
