package origin

import (
	_ "embed" // of the script
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

//go:embed pages/reads.js
var readsScript string

// readsRoute is the script that notes when the pages of a session read files.
var readsRoute = "GET " + ownPath("{id}", "reads.js")

// serveReads serves the script.
func serveReads(w http.ResponseWriter, r *http.Request, _ string) {
	http.ServeContent(w, r, "reads.js", time.Time{}, strings.NewReader(readsScript))
}

// ReadHeader says in answers when a file was read, and in requests when the page read the file that it saves, in microseconds
// by this server's clock.
const ReadHeader = "X-Cairn-Read"

// contentsPath returns the path below the work folder of the file that a request reads, saves or renames.
func contentsPath(r *http.Request, id string) (file string, ok bool) {
	file, ok = strings.CutPrefix(lastingPath(r.URL.Path, id), sessions.ServerPath(id)+"api/contents/")
	return strings.Trim(file, "/"), ok
}

// saves reports whether a request writes a file as the page around it has it. Checkpoints are the user's wish of that moment.
func saves(r *http.Request, id string) (file string, ok bool) {
	if r.Method != http.MethodPut && r.Method != http.MethodPatch {
		return "", false
	}
	return contentsPath(r, id)
}

// staleSave reports whether a page that saves a file read it before a version was restored in its place. Pages that don't say
// when they read it count as such.
func staleSave(restored []engine.RestoredPath, file, readAt string) bool {
	read, err := strconv.ParseInt(readAt, 10, 64)
	for _, one := range restored {
		if covers(one.Path, file) && (err != nil || read <= one.At.UnixMicro()) {
			return true
		}
	}
	return false
}

// covers reports whether a path is a file, or a folder that it is in; "" is everything.
func covers(path, file string) bool {
	return path == "" || path == file || strings.HasPrefix(file, path+"/")
}

// refusesSave answers a save that would write an earlier state over a restored version, in the form of Jupyter's errors, which
// its pages show.
func (g *Gateway) refusesSave(w http.ResponseWriter, r *http.Request, chosen sizes.Engine, id string) bool {
	file, ok := saves(r, id)
	if _, keeps := chosen.Versioner(); !ok || !keeps {
		return false
	}
	report, err := chosen.Status(r.Context(), id)
	if err != nil {
		g.fail(w, r, id, err)
		return true
	}
	if !staleSave(report.Saving.Restored, file, r.Header.Get(ReadHeader)) {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusConflict)
	_ = json.NewEncoder(w).Encode(map[string]any{"reason": nil, "message": fault.Quote(versions.EscapePath(file)) +
		" was restored from an earlier version after this page read it, so it wasn't saved over that. What you typed is still on this page: " +
		"copy what you need, and load the page again."})
	return true
}

func restoredFiles(restored []engine.RestoredPath) []restoredFile {
	var found []restoredFile
	for _, one := range restored {
		found = append(found, restoredFile{Path: (&url.URL{Path: one.Path}).EscapedPath(), At: one.At.UnixMicro()})
	}
	return found
}
