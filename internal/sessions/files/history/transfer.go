package history

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
)

// A version that begins a session on another engine is sent as a whole: a tar file, compressed by zstd, of the folders "home" and "work".
// Names and targets of links are written as versions.EscapePath does, because they may be any bytes.

// ExportWork implements engine.Versioner.
func (a *Access) ExportWork(ctx context.Context, id, version string, w io.Writer) error {
	return a.manager.reading(id, func(work *Work, store *versions.Store) error {
		if _, err := work.version(store, version); err != nil {
			return err
		}
		compressed, err := zstd.NewWriter(w)
		if err != nil {
			return err
		}
		out := tar.NewWriter(compressed)
		for _, root := range []string{folders.Home, folders.Work} {
			err := store.Walk(ctx, version, root, func(path string, entry versions.Entry, open func() *versions.Content) error {
				return exportEntry(ctx, out, path, entry, open)
			})
			if err != nil && !errors.Is(err, versions.ErrNotFound) {
				return err
			}
		}
		return errors.Join(out.Close(), compressed.Close())
	})
}

func exportEntry(ctx context.Context, out *tar.Writer, path string, entry versions.Entry, open func() *versions.Content) error {
	header := &tar.Header{Format: tar.FormatPAX, Name: versions.EscapePath(path), Mode: int64(entry.Mode), ModTime: entry.Modified}
	switch entry.Kind {
	case versions.Folder:
		header.Typeflag = tar.TypeDir
	case versions.Link:
		header.Typeflag, header.Linkname = tar.TypeSymlink, versions.EscapePath(entry.Target)
	case versions.File:
		header.Typeflag, header.Size = tar.TypeReg, entry.Bytes
	}
	if err := out.WriteHeader(header); err != nil || entry.Kind != versions.File {
		return err
	}
	content := open()
	defer content.Close()
	_, err := io.Copy(out, filetree.Reader(ctx, content))
	return err
}

// Import makes the folders of a session that was never started from what ExportWork wrote, in place of what is left of an import that
// was cut off; one that was finished stays, and nothing is read. Nothing outside them is written, whatever is in it.
func (w *Work) Import(ctx context.Context, from io.Reader) error {
	w.files.Lock()
	defer w.files.Unlock()
	if w.Record().Imported {
		return nil
	}
	root, err := w.session.MakeFolders()
	if err != nil {
		return cannotRestore(err)
	}
	defer root.Close()
	var owner int
	tops := map[string]*os.Root{} // opened with our rights: the session's account can't enter the folder that they are in
	for _, name := range []string{folders.Home, folders.Work} {
		top, err := root.OpenRoot(name)
		if err != nil {
			return cannotRestore(err)
		}
		defer top.Close()
		if owner, err = filetree.Owner(top); err != nil {
			return cannotRestore(err)
		}
		tops[name] = top
	}
	err = runAsAccount(owner, func() error { return importInto(ctx, tops, from) })
	if err != nil {
		_ = w.session.Discard()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return cannotRestore(err)
	}
	if err := w.change(func(r *Record) { r.Imported = true }, func(r *Record) { r.Imported = false }); err != nil {
		return cannotRestore(err)
	}
	return nil
}

var errForeign = errors.New("it isn't the work of a session")

// importInto writes what is exported into these folders, by name.
func importInto(ctx context.Context, tops map[string]*os.Root, from io.Reader) error {
	decompressed, err := zstd.NewReader(filetree.Reader(ctx, from))
	if err != nil {
		return err
	}
	defer decompressed.Close()
	in := tar.NewReader(decompressed)
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := versions.UnescapePath(header.Name)
		if err != nil {
			return err
		}
		top, name, _ := strings.Cut(strings.TrimSuffix(name, "/"), "/")
		switch root := tops[top]; {
		case root == nil || name != "" && !fs.ValidPath(strings.ToValidUTF8(name, "?")):
			return fmt.Errorf("%w: %q", errForeign, header.Name)
		case name == "":
			continue // one of the folders, which are there
		}
		if err := importEntry(tops[top], name, header, in); err != nil {
			return err
		}
	}
}

func importEntry(root *os.Root, name string, header *tar.Header, content io.Reader) error {
	mode := fs.FileMode(header.Mode) & 0o777
	switch header.Typeflag {
	case tar.TypeDir:
		if err := root.Mkdir(name, mode|0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	case tar.TypeSymlink:
		target, err := versions.UnescapePath(header.Linkname)
		if err != nil {
			return err
		}
		return root.Symlink(target, name)
	case tar.TypeReg:
	default:
		return fmt.Errorf("%w: %q is of the kind %q", errForeign, header.Name, header.Typeflag)
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o600)
	if err != nil {
		return err
	}
	err = writeWithHoles(file, content, header.Size)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = root.Chtimes(name, header.ModTime, header.ModTime)
	}
	return err
}

// holeBytes is the size of the parts of a file that aren't written if they are empty.
const holeBytes = 64 << 10

// writeWithHoles writes a file, and leaves out what is nothing but zeros: so it takes no more than the file that was exported.
func writeWithHoles(file *os.File, content io.Reader, size int64) error {
	part, empty := make([]byte, holeBytes), make([]byte, holeBytes)
	for at := int64(0); at < size; {
		count, err := io.ReadFull(content, part[:min(holeBytes, size-at)])
		if err != nil {
			return err
		}
		if !bytes.Equal(part[:count], empty[:count]) {
			if _, err := file.WriteAt(part[:count], at); err != nil {
				return err
			}
		}
		at += int64(count)
	}
	return file.Truncate(size)
}

// MayImport returns a Conflict unless the session was never started.
func (w *Work) MayImport() error {
	if state := w.session.State(); state.Phase != "" || state.Gone || state.Removing {
		return engine.ErrStarted
	}
	return nil
}
