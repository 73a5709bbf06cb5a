package kept

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"syscall"

	"cairn/internal/content/uploads"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/unpack"
)

// material is what becomes the content of an entry.
type material interface {
	// total returns how many bytes it has; those of archives as they are packed.
	total() int64
	// held returns how many bytes of it count as the account's until release gives them back.
	held() int64
	// isSlow reports whether nobody should wait until it is the content of an entry of a type.
	isSlow(kind catalog.Type) bool
	// isFile reports whether it is a file that wasn't packed.
	isFile() bool
	// look notes what is in it.
	look(ctx context.Context, l *look) error
	// write puts the files into the folder of a gatherer.
	write(ctx context.Context, g *gatherer, kind catalog.Type) error
	// release frees what isn't needed once the entry has the files.
	release(ctx context.Context) error
}

// sent are uploads, all of which have arrived.
type sent struct {
	uploads *uploads.Service
	all     []uploads.Upload
}

func (m sent) total() (sum int64) {
	for _, one := range m.all {
		sum += one.Bytes
	}
	return sum
}

func (m sent) held() int64 { return m.total() }

func (m sent) isSlow(kind catalog.Type) bool {
	return m.total() > promptBytes || archiveIn(kind, m.all) != "" || slices.ContainsFunc(m.all, func(one uploads.Upload) bool { return one.Packed })
}

func (m sent) isFile() bool { return len(m.all) == 1 && !m.all[0].Packed }

func (m sent) look(ctx context.Context, l *look) error {
	for _, one := range m.all {
		if err := l.upload(ctx, m.uploads.Path(one.ID), one, m.all); err != nil {
			return err
		}
	}
	return nil
}

// write unpacks archives that are sent alone, except into a notebook.
func (m sent) write(ctx context.Context, g *gatherer, kind catalog.Type) (err error) {
	for _, one := range m.all {
		archive := archiveIn(kind, m.all)
		if one.Packed {
			archive = unpack.Tar
		}
		if archive != "" {
			err = g.unpack(ctx, m.uploads.Path(one.ID), one, archive)
		} else {
			err = g.link(ctx, m.uploads.Path(one.ID), one)
		}
		if errors.Is(err, syscall.ENOTDIR) {
			err = fault.Wrap(err, fault.Invalid, "One name among the files is both a file and a folder: %s.", fault.Quote(one.Path))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m sent) release(ctx context.Context) error {
	ids := make([]string, len(m.all))
	for i, one := range m.all {
		ids[i] = one.ID
	}
	return m.uploads.Delete(ctx, ids)
}

// Work is a version of the work of a session. Paths are relative to its folder.
type Work interface {
	// Files returns the files at paths, which are files or folders with all that is in them; nil: all files. NotFound names a path that
	// doesn't exist.
	Files(ctx context.Context, paths []string) ([]WorkFile, error)
	// Open opens a file that Files has returned.
	Open(ctx context.Context, path string) (io.ReadCloser, error)
}

// WorkFile is a file of a session's work.
type WorkFile struct {
	Path  string // as bytes
	Bytes int64
	Link  bool // a symbolic link
}

// WorkOf names files of a version of a session's work.
type WorkOf struct {
	Session string   `json:"session"`
	Version string   `json:"version"`
	Paths   []string `json:"paths"` // see Work.Files
}

// worked are files of a session's work.
type worked struct {
	work  Work
	files []WorkFile
}

// promptFiles is how many files of a session become an entry while the caller waits: each may come from another machine.
const promptFiles = 100

func (m worked) total() (sum int64) {
	for _, one := range m.files {
		sum += one.Bytes
	}
	return sum
}

func (worked) held() int64 { return 0 }

func (m worked) isSlow(catalog.Type) bool {
	return m.total() > promptBytes || len(m.files) > promptFiles
}

func (m worked) isFile() bool { return len(m.files) == 1 }

func (m worked) look(ctx context.Context, l *look) error {
	l.most, l.whole = workShown, true
	for _, one := range m.files {
		switch {
		case one.Link:
			l.leaveOut(one.Path, "link")
		case uploads.CheckPath(one.Path) != nil:
			l.leaveOut(one.Path, "name")
		case !skipped(one.Path):
			open := func() (io.ReadCloser, error) { return m.work.Open(ctx, one.Path) }
			l.plain[one.Path] = open
			content := &lateReader{open: open}
			l.file(one.Path, one.Bytes, content)
			if err := content.close(); err != nil {
				return err
			}
		}
	}
	if len(m.files) == 1 {
		l.name = strings.TrimSuffix(path.Base(m.files[0].Path), path.Ext(m.files[0].Path))
	}
	return ctx.Err()
}

func (m worked) write(ctx context.Context, g *gatherer, kind catalog.Type) error {
	for _, one := range m.files {
		if one.Link || uploads.CheckPath(one.Path) != nil {
			continue // the caller was told
		}
		name := one.Path
		if kind == catalog.Notebook {
			name = path.Base(name)
		}
		if err := g.copy(ctx, name, one.Bytes, func() (io.ReadCloser, error) { return m.work.Open(ctx, one.Path) }); err != nil {
			return err
		}
	}
	return nil
}

func (worked) release(context.Context) error { return nil } // the session keeps its work

// material returns what a request names, all of which can be had.
func (s *Service) material(ctx context.Context, accountID string, asked request, digests map[string]string) (material, error) {
	switch {
	case asked.Record != "":
		record, err := s.options.Records.Find(ctx, asked.Record)
		return archived{record, s.options.Web}, err
	case asked.Work == nil:
		all, err := s.options.Uploads.Complete(ctx, accountID, asked.Uploads, digests)
		return sent{s.options.Uploads, all}, err
	}
	work, err := s.options.Work(ctx, asked.Work.Session, asked.Work.Version)
	if err != nil {
		return nil, err
	}
	files, err := work.Files(ctx, asked.Work.Paths)
	return worked{work, files}, err
}

// lateReader opens a file when it is read first.
type lateReader struct {
	open func() (io.ReadCloser, error)
	file io.ReadCloser
}

func (r *lateReader) Read(into []byte) (int, error) {
	if r.file == nil {
		file, err := r.open()
		if err != nil {
			return 0, err
		}
		r.file = file
	}
	return r.file.Read(into)
}

func (r *lateReader) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// NewWork says which files of a session become the content of an entry.
type NewWork struct {
	Of       WorkOf
	Note     string
	Complete func(*contribute.Edit) // adds to a new entry what its files don't say; nil: nothing
}

// DescribeWork returns what is in a version of a session's work, and what it says about itself.
func (s *Service) DescribeWork(ctx context.Context, of WorkOf) (UploadContents, error) {
	caller, err := s.options.Uploads.Available(ctx)
	if err != nil {
		return UploadContents{}, err
	}
	found, err := s.material(ctx, caller.AccountID, request{Work: &of}, nil)
	if err != nil {
		return UploadContents{}, err
	}
	return s.describe(ctx, found)
}
