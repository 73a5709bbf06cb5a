package jupytertest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path"
	"strings"
)

// model returns Jupyter's description of a file or folder without its content.
func model(name string, about os.FileInfo) map[string]any {
	kind := "file"
	switch {
	case about.IsDir():
		kind = "directory"
	case path.Ext(name) == ".ipynb":
		kind = "notebook"
	}
	return map[string]any{"name": path.Base(name), "path": name, "type": kind, "format": nil, "content": nil, "writable": true}
}

// hidden reports whether a path leads through something hidden, which Jupyter doesn't show.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }

func (s *Server) readContents(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("path")
	root, err := os.OpenRoot(s.options.Folder)
	if err != nil {
		refuse(w, http.StatusInternalServerError)
		return
	}
	defer root.Close()
	about, err := root.Stat(path.Join(".", name))
	kind := r.URL.Query().Get("type")
	switch {
	case err != nil || hidden(name):
		refuse(w, http.StatusNotFound)
		return
	case kind == "directory" && !about.IsDir(), kind == "file" && about.IsDir():
		refuse(w, http.StatusBadRequest)
		return
	}
	found := model(name, about)
	switch {
	case r.URL.Query().Get("content") == "0":
	case about.IsDir():
		folder, err := root.Open(path.Join(".", name))
		if err != nil {
			refuse(w, http.StatusInternalServerError)
			return
		}
		defer folder.Close()
		entries, _ := folder.Readdir(-1)
		list := []map[string]any{}
		for _, one := range entries {
			if !hidden(one.Name()) {
				list = append(list, model(path.Join(name, one.Name()), one))
			}
		}
		found["content"], found["format"] = list, "json"
	default:
		text, _ := root.ReadFile(path.Join(".", name))
		found["content"], found["format"] = string(text), "text"
	}
	answer(w, http.StatusOK, found)
}

func (s *Server) writeContents(w http.ResponseWriter, r *http.Request) {
	var sent struct{ Type, Format, Content string }
	err := json.NewDecoder(r.Body).Decode(&sent)
	content, damaged := base64.StdEncoding.DecodeString(sent.Content)
	name := r.PathValue("path")
	if err != nil || damaged != nil || sent.Type != "file" || sent.Format != "base64" || hidden(name) {
		refuse(w, http.StatusBadRequest)
		return
	}
	root, err := os.OpenRoot(s.options.Folder)
	if err == nil {
		defer root.Close()
		err = root.WriteFile(name, content, 0o644)
	}
	if err != nil {
		refuse(w, http.StatusInternalServerError)
		return
	}
	about, _ := root.Stat(name)
	answer(w, http.StatusCreated, model(name, about))
}
