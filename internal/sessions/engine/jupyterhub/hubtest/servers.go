package hubtest

import (
	"archive/zip"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// serveServer answers for the servers behind the hub's proxy.
func (h *Hub) serveServer(w http.ResponseWriter, r *http.Request) {
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/user/"), "/", 3)
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "token ")
	h.mu.Lock()
	opens, known := h.tokens[token]
	var one server
	if len(parts) == 3 {
		if found := h.settled(h.users[parts[0]], parts[1]); found != nil {
			one = *found
		}
	}
	h.mu.Unlock()
	switch {
	case !one.ready:
		refuse(w, http.StatusServiceUnavailable, "Your server appears to be down.")
	case !known || opens != parts[0]+"/"+parts[1]:
		refuse(w, http.StatusForbidden, "Forbidden")
	case one.machine != nil:
		r.Header.Set("Authorization", "token "+innerToken)
		one.machine.jupyter.ServeHTTP(w, r)
	case parts[2] == "api/status":
		answer(w, http.StatusOK, map[string]any{"connections": 0, "kernels": 1, "last_activity": one.since.UTC(), "started": one.since.UTC()})
	case parts[2] == "api/kernels":
		answer(w, http.StatusOK, []map[string]any{{
			"id": "k", "name": "python3", "last_activity": time.Now().UTC(), "execution_state": "idle", "connections": 1,
		}})
	default:
		_, _ = w.Write([]byte(r.URL.Path))
	}
}

// serveWork answers for the service that reads and removes work folders.
func (h *Hub) serveWork(w http.ResponseWriter, r *http.Request) {
	if h.Agent != nil {
		h.Agent.ServeHTTP(w, r)
		return
	}
	name, _ := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), "/services/cairn-work/"))
	switch {
	case r.Header.Get("Authorization") != "token "+h.Token:
		w.WriteHeader(http.StatusForbidden)
	case r.Method == http.MethodDelete:
		if h.Machine != nil {
			_ = os.RemoveAll(filepath.Join(h.Machine.Folder, filepath.Base(name)))
		}
		w.WriteHeader(http.StatusNoContent)
	case name != "" && h.Machine != nil:
		h.Machine.pack(w, name)
	case name != "":
		w.Header().Set("Content-Type", "application/zip")
		_ = zip.NewWriter(w).Close()
	}
}
