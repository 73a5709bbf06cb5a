package kept

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"cairn/internal/content/uploads"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/unpack"
)

// Limits of what an entry may have.
const (
	filesLimit    = 200_000        // files of a version
	notebookLimit = 100 << 20      // bytes of a notebook
	bombLeast     = int64(1 << 30) // bytes that a small archive may have in it
	bombFactor    = 200            // how many times its own size a larger one may have in it
)

// file is a file of an entry.
type file struct {
	path   string
	bytes  int64
	digest string // SHA-256 in hexadecimal digits
}

// gathered are the files of uploads in a folder.
type gathered struct {
	root    *os.Root
	files   []file
	bytes   int64
	leftOut []UploadLeftOut
}

// UploadLeftOut is something that an entry doesn't get.
type UploadLeftOut struct {
	Path   string `json:"path"`
	Reason string `json:"reason" enum:"link,special,name" doc:"link: a symbolic or hard link; special: a device, a pipe and the like; name: a file of a session whose name other machines can't have"`
}

// leftOutShown is how many of them are told.
const leftOutShown = 100

// gatherer puts the files of uploads into a folder.
type gatherer struct {
	folder string // in which treeName is
	most   int64  // bytes that all files together may have
	full   error  // says so of more
	tell   func(files int, bytes int64)

	gathered

	folded map[string]string // the paths by how they compare where case doesn't count, of files and folders
	known  map[string]string // digests of files that are uploads themselves, by their paths
}

// gather writes files below treeName of a folder.
func (g *gatherer) gather(ctx context.Context, built *os.Root, kind catalog.Type, of material) (err error) {
	if err := unpack.MakeFolder(built, treeName); err != nil {
		return err
	}
	if g.root, err = built.OpenRoot(treeName); err != nil {
		return err
	}
	g.folded, g.known = map[string]string{}, map[string]string{}
	if err := of.write(ctx, g, kind); err != nil {
		return explainDisk(err)
	}
	if err := g.unwrap(built, kind); err != nil {
		return err
	}
	return explainDisk(g.digest(ctx))
}

// archiveIn returns the kind of an archive that is sent alone; "" if the uploads aren't one.
func archiveIn(kind catalog.Type, of []uploads.Upload) unpack.Kind {
	if kind == catalog.Notebook || len(of) != 1 || of[0].Packed {
		return ""
	}
	return unpack.KindOf(of[0].Filename)
}

func (g *gatherer) unpack(ctx context.Context, at string, one uploads.Upload, kind unpack.Kind) error {
	archive, err := os.Open(at)
	if err != nil {
		return err
	}
	defer archive.Close()
	most := g.most - g.bytes
	if !one.Packed { // what pages pack isn't compressed
		most = min(most, max(bombLeast, bombFactor*one.Bytes))
	}
	unpacking := unpack.New(ctx, unpack.Options{
		Most: most, Check: g.check, Tell: func(written int64) { g.tell(len(g.folded), g.bytes+written) },
		LeftOut: func(name string, mode fs.FileMode) { g.leaveOut(name, mode) }, Skip: skipped,
	})
	err = unpacking.Unpack(g.root, archive, one.Bytes, kind)
	g.bytes += unpacking.Written()
	switch {
	case err == nil:
		return nil
	case g.bytes > g.most && ctx.Err() == nil:
		return g.full
	}
	refused, known := errors.AsType[*fault.Fault](err)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case isFull(err):
		return err
	case known && refused.Kind != fault.Unavailable:
		return err
	case known:
		return fault.Wrap(err, fault.Invalid, "%s can't be used. %s", fault.Quote(one.Filename), refused.Message)
	case errors.Is(err, fs.ErrExist):
		return fault.Wrap(err, fault.Invalid, "%s can't be used: it has two files of the same name.", fault.Quote(one.Filename))
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR):
		return fault.Wrap(err, fault.Invalid, "%s can't be used: one name in it is both a file and a folder.", fault.Quote(one.Filename))
	}
	return fault.Wrap(err, fault.Invalid, "%s can't be unpacked: it is damaged, or not an archive of its kind.", fault.Quote(one.Filename))
}

// leaveOut notes something that isn't a file.
func (g *gatherer) leaveOut(name string, mode fs.FileMode) {
	if len(g.leftOut) < leftOutShown {
		g.leftOut = append(g.leftOut, UploadLeftOut{strings.ToValidUTF8(name, "?"), reasonFor(mode)})
	}
}

// reasonFor says why something that isn't a file is left out.
func reasonFor(mode fs.FileMode) string {
	if mode&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
		return "link"
	}
	return "special"
}

// skipped reports whether a file isn't part of a work: what git keeps of its history, which every version is by itself, and what systems leave
// in folders and archives.
func skipped(name string) bool {
	for element := range strings.SplitSeq(name, "/") {
		switch element {
		case ".git", "__MACOSX", ".DS_Store", "Thumbs.db":
			return true
		}
	}
	return false
}

// check refuses names of files that some machine can't have, or not beside the others.
func (g *gatherer) check(name string) error {
	if err := uploads.CheckPath(name); err != nil {
		return fault.New(fault.Invalid, "The name %s %s, so the files can't be kept.", fault.Quote(strings.ToValidUTF8(name, "?")), err)
	}
	for at := name; at != "."; at = path.Dir(at) {
		key := strings.ToLower(at)
		known, ok := g.folded[key]
		switch {
		case !ok:
			g.folded[key] = at
		case known != at:
			return fault.New(fault.Invalid, "The names %s and %s differ only in upper and lower case, which some machines don't tell apart. Rename one.", fault.Quote(known), fault.Quote(at))
		}
	}
	if len(g.folded) > filesLimit {
		return fault.New(fault.Invalid, "These are more than %d files and folders. Put what belongs together into fewer files.", filesLimit)
	}
	return nil
}

// link puts an upload that is a file in its place: as a link where that can be done, because uploads don't change once they are complete.
func (g *gatherer) link(ctx context.Context, at string, one uploads.Upload) error {
	name := one.Path
	if name == "" {
		name = one.Filename
	}
	if wanted, err := g.prepare(name, one.Bytes); !wanted || err != nil {
		return err
	}
	g.known[name] = one.Digest
	err := os.Link(at, filepath.Join(g.folder, treeName, filepath.FromSlash(name)))
	if err == nil {
		g.tell(len(g.folded), g.bytes)
		return g.root.Chmod(name, 0o444)
	}
	if errors.Is(err, fs.ErrExist) {
		return fault.Wrap(err, fault.Invalid, "Two files are called %s.", fault.Quote(name))
	}
	return g.write(ctx, name, func() (io.ReadCloser, error) { return os.Open(at) })
}

// copy writes a file.
func (g *gatherer) copy(ctx context.Context, name string, bytes int64, open func() (io.ReadCloser, error)) error {
	if wanted, err := g.prepare(name, bytes); !wanted || err != nil {
		return err
	}
	return g.write(ctx, name, open)
}

// prepare makes the folder of a file that may have this name and size; false for one that isn't part of the work.
func (g *gatherer) prepare(name string, bytes int64) (wanted bool, err error) {
	if skipped(name) {
		return false, nil
	}
	if err := g.check(name); err != nil {
		return false, err
	}
	if g.bytes += bytes; g.bytes > g.most {
		return false, g.full
	}
	return true, unpack.MakeFolder(g.root, path.Dir(name))
}

func (g *gatherer) write(ctx context.Context, name string, open func() (io.ReadCloser, error)) error {
	from, err := open()
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := g.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, contextReader{ctx, from})
	g.tell(len(g.folded), g.bytes)
	return errors.Join(err, to.Chmod(0o444), to.Close())
}

// unwrap makes the content of a folder that has everything in it the topmost one: that is how archives of repositories and dropped folders
// come.
func (g *gatherer) unwrap(built *os.Root, kind catalog.Type) error {
	if kind == catalog.Notebook {
		return nil
	}
	found, err := fs.ReadDir(g.root.FS(), ".")
	if err != nil || len(found) != 1 || !found[0].IsDir() {
		return err
	}
	const inner = "inner"
	if err := errors.Join(
		built.Rename(path.Join(treeName, found[0].Name()), inner), g.root.Close(), built.Remove(treeName), built.Rename(inner, treeName),
	); err != nil {
		return err
	}
	known := map[string]string{}
	for name, digest := range g.known {
		known[strings.TrimPrefix(name, found[0].Name()+"/")] = digest
	}
	g.known = known
	g.root, err = built.OpenRoot(treeName)
	return err
}

// digest computes the digest of each file.
func (g *gatherer) digest(ctx context.Context) error {
	g.files, g.bytes = nil, 0
	err := fs.WalkDir(g.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if digest := g.known[name]; digest != "" {
			about, err := entry.Info()
			if err == nil {
				g.files = append(g.files, file{name, about.Size(), digest})
				g.bytes += about.Size()
			}
			return err
		}
		content, err := g.root.Open(name)
		if err != nil {
			return err
		}
		defer content.Close()
		hash := sha256.New()
		bytes, err := io.Copy(hash, contextReader{ctx, content})
		g.files = append(g.files, file{name, bytes, hex.EncodeToString(hash.Sum(nil))})
		g.bytes += bytes
		g.tell(len(g.files), g.bytes)
		return err
	})
	slices.SortFunc(g.files, func(one, other file) int { return strings.Compare(one.path, other.path) })
	if err == nil && len(g.files) == 0 {
		err = fault.New(fault.Invalid, "There are no files in it.")
	}
	return err
}

// digestOf is the digest of all files: that of the list that sha256sum writes, sorted by path.
func digestOf(files []file) string {
	hash := sha256.New()
	for _, one := range files {
		fmt.Fprintf(hash, "%s  %s\n", one.digest, one.path)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// contextReader reads until ctx ends.
type contextReader struct {
	ctx  context.Context //nolint:containedctx // of one copy
	from io.Reader
}

func (r contextReader) Read(into []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.from.Read(into)
}

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func explainDisk(err error) error {
	if isFull(err) {
		return fault.Wrap(err, fault.Unavailable, "The disk of this server is full. The uploads stay: try again once its operators have made room.")
	}
	return err
}

// single returns the only file of a notebook entry.
func single(files []file) (file, error) {
	if len(files) != 1 || !strings.EqualFold(filepath.Ext(files[0].path), ".ipynb") || strings.Contains(files[0].path, "/") {
		return file{}, fault.New(fault.Invalid, "A notebook is one file whose name ends in .ipynb. Add several files as a dataset or a repository.")
	}
	if files[0].bytes > notebookLimit {
		return file{}, fault.New(fault.TooLarge, "This notebook has %s; the most is %s. Clear the outputs that it doesn't need.", humanize.Bytes(files[0].bytes), humanize.Bytes(notebookLimit))
	}
	return files[0], nil
}
