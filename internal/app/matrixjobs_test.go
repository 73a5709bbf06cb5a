package app

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/sessionstest"
)

// matrixOfJobs are the rows of the matrix about jobs. {job} finishes a notebook, {ownJob} has ended and left a result, {goneJob} was
// deleted; {schedule} is the owner's too.
var matrixOfJobs = []matrixRow{
	{"finish-notebook", "POST", "/sessions/{session}/finish", `{"path":"first.ipynb"}`, [7]int{401, 401, 404, 404, 202, 404, 404}},
	{"list-jobs", "GET", "/jobs", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"get-job", "GET", "/jobs/{job}", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"delete-job", "DELETE", "/jobs/{job}", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"undelete-job", "POST", "/jobs/{goneJob}/undelete", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"get-job-notebook", "GET", "/jobs/{ownJob}/notebook", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"get-job-log", "GET", "/jobs/{ownJob}/log", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"get-job-changes", "GET", "/jobs/{ownJob}/changes?with={ownJob}", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"list-job-files", "GET", "/jobs/{ownJob}/files", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"download-job-files", "GET", "/jobs/{ownJob}/files.zip", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"get-job-crate", "GET", "/jobs/{ownJob}/crate.zip", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"start-job", "POST", "/jobs", `{"resourceId":"{public}"}`, [7]int{401, 401, 202, 202, 202, 403, 202}},
	{"start-job", "POST", "/jobs", `{"resourceId":"{private}"}`, [7]int{401, 401, 404, 202, 404, 403, 404}},
	{"start-job", "POST", "/jobs", `{"projectId":"{project}"}`, [7]int{401, 401, 404, 404, 202, 403, 404}},
	{"start-job", "POST", "/jobs", `{"fromSession":{"session":"{session}","path":"first.ipynb"}}`, [7]int{401, 401, 404, 404, 202, 404, 404}},
	{"start-job", "POST", "/jobs", `{"resourceId":"{public}","schedule":{"every":"day","at":"03:00","timezone":"UTC"}}`, [7]int{401, 401, 202, 202, 202, 403, 202}},
	{"get-parameters", "GET", "/resources/public/{public}/parameters", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-parameters", "GET", "/resources/public/{private}/parameters", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-session-parameters", "GET", "/sessions/{session}/parameters?path=first.ipynb", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"list-schedules", "GET", "/schedules", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"get-schedule", "GET", "/schedules/{schedule}", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"change-schedule", "PATCH", "/schedules/{schedule}", `{"paused":true}`, [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"delete-schedule", "DELETE", "/schedules/{schedule}", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
}

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

const emptyNotebook = `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[]}`

// finishNotebook has a notebook executed to its end in a session of the owner's, once that runs, and returns the job's id.
func (w *matrixWorld) finishNotebook(session string) string {
	w.t.Helper()
	return w.made(matrixRow{method: "POST", path: "/sessions/" + session + "/finish", body: `{"path":"first.ipynb"}`})
}

// made returns the id of what a request of the owner's has made, once it succeeds.
func (w *matrixWorld) made(row matrixRow) string {
	w.t.Helper()
	var made struct{ ID string }
	sessionstest.Eventually(w.t, row.path+" is accepted", func() bool {
		status, text := w.request("owner", row)
		return status == http.StatusAccepted && json.Unmarshal([]byte(text), &made) == nil
	})
	return made.ID
}

// addJobs adds jobs of the owner's, and returns what their names in rows stand for.
func (w *matrixWorld) addJobs(session string) []string {
	w.t.Helper()
	finishing := w.finishNotebook(session)
	schedule := w.made(matrixRow{method: "POST", path: "/jobs", body: `{"fromSession":{"session":"` + session + `","path":"first.ipynb"},"schedule":{"every":"day","at":"03:00","timezone":"UTC"}}`})
	own, gone := sqldb.NewID(), sqldb.NewID()
	err := w.db.Write(w.t.Context(), func(tx *sqldb.Tx) error {
		for _, id := range []string{own, gone} {
			_, err := tx.ExecContext(w.t.Context(), `INSERT INTO job (id, account_id, session_id, kind, file, request, state, asked_at, started_at, ended_at, deleted_at)
				SELECT $1, account_id, $2, 'job', 'first.ipynb', '{"file":"first.ipynb"}', 'DONE', $3, $3, $3, $4 FROM job WHERE id = $5`,
				id, map[string]string{own: session}[id], sqldb.Micros(tx.Now), map[string]int64{gone: sqldb.Micros(tx.Now)}[id], finishing)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return []string{"{job}", finishing, "{ownJob}", own, "{goneJob}", gone, "{schedule}", schedule}
}
