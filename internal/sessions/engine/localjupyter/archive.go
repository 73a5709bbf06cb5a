package localjupyter

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"cairn/internal/sessions/engine"
)

// writeArchive packs a work folder that its user may change meanwhile: files that vanish are left out, and those that
// grow are cut at the size that they had.
func writeArchive(ctx context.Context, folder string, w io.Writer) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	archive := zip.NewWriter(w)
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if cause := ctx.Err(); cause != nil {
			return cause
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			return err
		case name == engine.DataFolder:
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case name == ".":
			return nil
		case entry.IsDir():
			_, err := archive.Create(name + "/")
			return err
		case !entry.Type().IsRegular():
			return nil
		}
		return addFile(ctx, archive, root, name)
	})
	if err != nil {
		return err // without the directory at its end nobody takes half an archive for a whole one
	}
	return archive.Close()
}

func addFile(ctx context.Context, archive *zip.Writer, root *os.Root, name string) error {
	file, err := openRegular(root, name)
	if err != nil {
		return nil // it vanished, became something else, or is closed to a server without root's rights
	}
	defer file.Close()
	about, err := file.Stat()
	if err != nil {
		return err
	}
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: about.ModTime()}
	header.SetMode(about.Mode().Perm())
	entry, err := archive.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = io.Copy(entry, reader{ctx, io.LimitReader(file, about.Size())})
	return err
}
