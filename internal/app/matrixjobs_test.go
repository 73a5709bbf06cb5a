package app

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/sessionstest"
)

// serveFinish answers as the server of a session that executes the rest of a notebook.
func serveFinish(w http.ResponseWriter, r *http.Request) {
	var asked broker.FinishRequest
	switch {
	case !strings.HasSuffix(r.URL.Path, broker.FinishPath):
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodPost && json.NewDecoder(r.Body).Decode(&asked) == nil:
		w.WriteHeader(http.StatusAccepted)
		_ = json.NewEncoder(w).Encode(broker.FinishState{ID: asked.ID, File: asked.File, Running: true, Total: 1, Began: time.Now()})
	default:
		_, _ = io.WriteString(w, "[]")
	}
}

// finishNotebook has a notebook executed to its end in a session of the owner's, once that runs, and returns the job's id.
func (w *matrixWorld) finishNotebook(session string) string {
	w.t.Helper()
	var made struct{ ID string }
	sessionstest.Eventually(w.t, "the session runs a notebook to its end", func() bool {
		status, text := w.request("owner", matrixRow{method: "POST", path: "/sessions/" + session + "/finish", body: `{"path":"first.ipynb"}`})
		return status == http.StatusAccepted && json.Unmarshal([]byte(text), &made) == nil
	})
	return made.ID
}
