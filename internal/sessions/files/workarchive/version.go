package workarchive

import (
	"archive/zip"
	"context"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/versions"
)

// WriteVersion packs a root of a version as Write packs a folder.
func WriteVersion(ctx context.Context, store *versions.Store, id, root string, w io.Writer) error {
	a := newArchiver(ctx, w)
	err := store.Walk(ctx, id, root, func(full string, entry versions.Entry, open func() *versions.Content) error {
		here := strings.TrimPrefix(strings.TrimPrefix(full, root), "/")
		if here == "" {
			return nil
		}
		return a.addSaved(here, entry, open)
	})
	if err == nil {
		err = a.addNotes()
	}
	if err != nil {
		return err
	}
	return a.zip.Close()
}

func (a *archiver) addSaved(here string, entry versions.Entry, open func() *versions.Content) error {
	switch {
	case entry.Kind == versions.Link:
		a.notes.leaveOut(here, "It's a link, or not a regular file.")
		return nil
	case entry.Kind == versions.Folder && hooks.MatchString(here):
		a.notes.leaveOut(here, "Git would run these programs on your computer.")
		return fs.SkipDir
	}
	depth := strings.Count(here, "/") + 1
	a.levels = a.levels[:depth]
	parent := a.levels[depth-1]
	name, changed := parent.claim(path.Base(here))
	header := &zip.FileHeader{Name: parent.path + name, Modified: limitTime(entry.Modified)}
	if changed {
		a.notes.rename(here, header.Name)
	}
	if entry.Kind == versions.Folder {
		header.Name += "/"
		header.SetMode(fs.ModeDir | 0o755)
		a.levels = append(a.levels, newArchiveFolder(header.Name))
		_, err := a.zip.CreateHeader(header)
		return err
	}
	header.Method = zip.Deflate
	header.SetMode(fs.FileMode(entry.Mode)&0o777 | 0o600)
	if a.free+entry.Holes > archiveFree+a.stored+entry.Bytes-entry.Holes {
		a.notes.leaveOut(here, "It's mostly empty and would take much more here than in the session.")
		return nil
	}
	a.free, a.stored = a.free+entry.Holes, a.stored+entry.Bytes-entry.Holes
	to, err := a.zip.CreateHeader(header)
	if err != nil {
		return err
	}
	content := open()
	defer content.Close()
	_, err = io.Copy(to, filetree.Reader(a.ctx, content))
	return err
}

// addNotes writes the differences from the work folder, if there are any.
func (a *archiver) addNotes() error {
	if a.notes.empty() {
		return nil
	}
	name, _ := a.levels[0].claim(notesName)
	entry, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Now()})
	if err != nil {
		return err
	}
	return a.notes.write(entry)
}
