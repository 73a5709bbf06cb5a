// Package opening decides which file a session opens.
package opening

import (
	"io/fs"
	"path"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// Choose returns Opens and OpenNote of a session with this work folder. Declared is what the repository's descriptor
// names; it and the files are hostile. A path that doesn't exist is reported and passed over.
func Choose(work fs.FS, spec engine.Spec, declared string) (opens, note string) {
	if name := spec.Notebook.Name; name != "" {
		if exists(work, name) != "" {
			return name, ""
		}
		return "", "The notebook " + fault.Quote(name) + " isn't in the session any more."
	}
	folder := spec.Repository.Folder
	if folder == "" {
		return "", ""
	}
	if spec.Open != "" {
		if found := exists(work, path.Join(folder, spec.Open)); found != "" {
			return found, ""
		}
		note = "The repository doesn't have a file " + fault.Quote(spec.Open) + refSuffix(spec.Repository.Ref) + "."
	}
	if declared != "" {
		clean := path.Clean(declared)
		if found := exists(work, path.Join(folder, clean)); fs.ValidPath(clean) && found != "" {
			return found, note
		}
		if note == "" {
			note = "The repository's descriptor opens " + fault.Quote(declared) + ", which isn't there."
		}
	}
	entries, _ := fs.ReadDir(work, folder) // what can be read of it
	if found := first(work, folder, entries); found != "" {
		return path.Join(folder, found), note
	}
	return "", note
}

func refSuffix(ref string) string {
	if ref == "" {
		return ""
	}
	return " at " + fault.Quote(ref)
}

// exists returns the path of a file, or of a folder with a slash at the end; "" if there is neither.
func exists(work fs.FS, name string) string {
	about, err := fs.Stat(work, name)
	switch {
	case err == nil && about.Mode().IsRegular():
		return name
	case err == nil && about.IsDir():
		return name + "/"
	}
	return ""
}

// usual are the files that open if nothing else is wanted, by their names in lower case.
var usual = []func(name string) bool{
	func(name string) bool { return name == "index.ipynb" },
	func(name string) bool { return path.Ext(name) == ".ipynb" && !strings.HasPrefix(name, ".") },
	func(name string) bool { return name == "readme.md" },
	func(name string) bool { return name == "readme" || strings.HasPrefix(name, "readme.") },
}

// first returns the first file, by name, that fits the first of the usual rules that any fits. A symbolic link counts as the
// file that it leads to.
func first(work fs.FS, folder string, entries []fs.DirEntry) string {
	isFile := func(entry fs.DirEntry) bool {
		if entry.Type()&fs.ModeSymlink == 0 {
			return entry.Type().IsRegular()
		}
		found := exists(work, path.Join(folder, entry.Name()))
		return found != "" && !strings.HasSuffix(found, "/")
	}
	for _, fits := range usual {
		for _, entry := range entries {
			if fits(strings.ToLower(entry.Name())) && isFile(entry) {
				return entry.Name()
			}
		}
	}
	return ""
}
