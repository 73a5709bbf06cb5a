package app

import (
	"archive/tar"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"

	"cairn/internal/entries/archives/archivestest"
)

// matrixOfContent are the rows of the matrix about uploads and versions of entries. {upload} is a file of the author's that has arrived,
// {keptData} a dataset of theirs with two versions, {keptPrivate} a private one, {task} a task of theirs that waits.
var matrixOfContent = []matrixRow{
	{"list-uploads", "GET", "/uploads", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"create-upload", "POST", "/uploads", "", [7]int{401, 401, 400, 400, 400, 403, 400}},
	{"get-upload", "HEAD", "/uploads/{upload}", "", [7]int{401, 401, 404, 200, 404, 403, 404}},
	{"continue-upload", "PATCH", "/uploads/{upload}", "", [7]int{401, 401, 404, 400, 404, 403, 404}}, // it doesn't speak the protocol
	{"delete-upload", "DELETE", "/uploads/{upload}", "", [7]int{401, 401, 404, 400, 404, 403, 404}},
	{"describe-uploads", "POST", "/uploads/contents", `{"upload":"{upload}"}`, [7]int{401, 401, 404, 200, 404, 403, 404}},
	{"create-resource", "POST", "/resources", `{"type":"DATASET","upload":"{upload}"}`, [7]int{401, 401, 404, 201, 404, 403, 404}},
	{"renew-resource", "POST", "/resources/{keptData}/content", `{"upload":["{upload}"]}`, [7]int{401, 401, 404, 201, 404, 403, 404}},
	{"renew-resource", "POST", "/resources/{public}/content", `{"upload":["{upload}"]}`, [7]int{401, 401, 404, 409, 404, 403, 404}},
	{"get-upload-task", "GET", "/uploads/tasks/{task}", "", [7]int{401, 401, 404, 200, 404, 404, 404}},
	{"cancel-upload-task", "DELETE", "/uploads/tasks/{task}", "", [7]int{401, 401, 404, 204, 404, 404, 404}},
	{"list-entry-versions", "GET", "/resources/public/{keptData}/versions", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"list-entry-versions", "GET", "/resources/public/{keptPrivate}/versions", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-resource", "GET", "/resources/public/{keptData}?version=1", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-resource", "GET", "/resources/public/{keptPrivate}?version=1", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"export-resource", "GET", "/resources/public/{keptPrivate}/export/jsonld?version=1", "", [7]int{404, 404, 404, 404, 404, 404, 404}},
	{"list-dataset-files", "GET", "/resources/public/{keptPrivate}/dataset?version=1", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"compare-entry-versions", "GET", "/resources/public/{keptData}/versions/2/changes", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"compare-entry-versions", "GET", "/resources/public/{keptPrivate}/versions/1/changes", "", [7]int{404, 401, 404, 409, 404, 404, 404}},
	{"withdraw-entry-version", "POST", "/resources/{keptData}/versions/1/withdraw", `{"reason":"Wrong."}`, [7]int{401, 401, 403, 204, 403, 403, 204}},
	{"withdraw-entry-version", "POST", "/resources/{keptPrivate}/versions/1/withdraw", `{"reason":"Wrong."}`, [7]int{401, 401, 404, 409, 404, 403, 404}},
	{"describe-session", "POST", "/sessions/{session}/publish/contents", `{}`, [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"publish-session", "POST", "/sessions/{session}/publish", `{"version":"{version}","paths":["notes.txt"],"as":{"new":{"type":"DATASET","name":"Notes"}}}`, [7]int{401, 401, 404, 404, 201, 404, 404}},
	{"publish-session", "POST", "/sessions/{session}/publish", `{"version":"{version}","paths":["notes.txt"],"as":{"entry":"{keptPrivate}"}}`, [7]int{401, 401, 404, 404, 404, 404, 404}},
	{"list-archives", "GET", "/archives", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"begin-deposit", "POST", "/resources/{keptLicensed}/deposits", `{"at":"archive"}`, [7]int{401, 401, 403, 202, 403, 403, 403}},
	{"begin-deposit", "POST", "/resources/{keptPrivate}/deposits", `{"at":"archive"}`, [7]int{401, 401, 404, 422, 404, 403, 404}},
	{"list-deposits", "GET", "/resources/{keptLicensed}/deposits", "", [7]int{401, 401, 403, 200, 403, 403, 403}},
	{"list-deposits", "GET", "/resources/{keptPrivate}/deposits", "", [7]int{401, 401, 404, 200, 404, 403, 404}},
	{"get-deposit", "GET", "/resources/{deposited}/deposits/{keptDeposit}", "", [7]int{401, 401, 403, 200, 403, 403, 403}},
	{"publish-deposit", "POST", "/resources/{deposited}/deposits/{keptDeposit}/publish", "", [7]int{401, 401, 403, 409, 403, 403, 403}},
	{"retry-deposit", "POST", "/resources/{deposited}/deposits/{keptDeposit}/retry", "", [7]int{401, 401, 403, 202, 403, 403, 403}},
	{"discard-deposit", "DELETE", "/resources/{deposited}/deposits/{keptDeposit}", "", [7]int{401, 401, 403, 204, 403, 403, 403}},
}

// connectLate connects what needs everything else.
func (p *program) connectLate(parts *features) error {
	parts.runs = p.newRuns(*parts)
	parts.overview = p.newOverview(*parts)
	files := p.openKept()
	return errors.Join(p.newContent(context.Background(), parts, files), p.newDeposits(parts, archivesOf(p), files))
}

// tus sends a request of the tus protocol as a role.
func (w *matrixWorld) tus(role, method, address, body string, headers map[string]string) *http.Response {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+w.tokens[role])
	request.Header.Set("Tus-Resumable", "1.0.0")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := w.server.Client().Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		w.t.Fatalf("%s %s: %d", method, address, response.StatusCode)
	}
	return response
}

// upload sends a file and returns its id.
func (w *matrixWorld) upload(role, name, content string) string {
	w.t.Helper()
	made := w.tus(role, http.MethodPost, w.server.URL+"/api/v1/rf/uploads", "", map[string]string{
		"Upload-Length": strconv.Itoa(len(content)), "Upload-Metadata": "filename " + base64.StdEncoding.EncodeToString([]byte(name)),
	})
	id := path.Base(made.Header.Get("Location"))
	w.tus(role, http.MethodPatch, w.server.URL+"/api/v1/rf/uploads/"+id, content, map[string]string{"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"})
	return id
}

// withContent returns the path and body of a row with the uploads and versions that it names, which are made for the first row that does.
func (w *matrixWorld) withContent(row matrixRow) (path, body string) {
	if !strings.Contains(row.path+row.body, "{kept") && !strings.Contains(row.path+row.body, "{upload}") && !strings.Contains(row.path, "{task}") {
		return row.path, row.body
	}
	if w.content == nil {
		w.content = strings.NewReplacer(w.addContent()...)
	}
	return w.content.Replace(row.path), w.content.Replace(row.body)
}

// packed is a tar archive of one file.
func packed() string {
	var text strings.Builder
	archive := tar.NewWriter(&text)
	err := archive.WriteHeader(&tar.Header{Name: "a.csv", Typeflag: tar.TypeReg, Size: 3, Mode: 0o644})
	_, written := archive.Write([]byte("a,b"))
	if err := errors.Join(err, written, archive.Close()); err != nil {
		panic(err)
	}
	return text.String()
}

// addContent adds what the rows of matrixOfContent need, and returns what stands for it in them.
func (w *matrixWorld) addContent() []string {
	w.t.Helper()
	add := func(method, path, body string) string {
		_, text := w.request("author", matrixRow{method: method, path: path, body: body})
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(text), &made); err != nil {
			w.t.Fatal(text)
		}
		return made.ID
	}
	data := add("POST", "/resources", `{"type":"DATASET","name":"Kept data","upload":"`+w.upload("author", "a.csv", "a,b\n1,2\n")+`"}`)
	add("POST", "/resources/"+data+"/content", `{"upload":"`+w.upload("author", "a.csv", "a,b\n1,3\n")+`"}`)
	private := add("POST", "/resources", `{"type":"DATASET","name":"A private entry","privacy":"PRIVATE","upload":"`+w.upload("author", "a.csv", "a,b\n1,2\n")+`"}`)
	task := add("POST", "/resources", `{"type":"DATASET","name":"Packed","upload":"`+w.upload("author", "a.tar", packed())+`"}`)
	licensed := add("POST", "/resources", `{"type":"DATASET","name":"Licensed","license":"CC-BY-4.0","upload":"`+w.upload("author", "a.csv", "a,b\n1,5\n")+`"}`)
	deposited := add("POST", "/resources", `{"type":"DATASET","name":"Deposited","license":"CC-BY-4.0","upload":"`+w.upload("author", "a.csv", "a,b\n1,6\n")+`"}`)
	add("POST", "/account/connections/archive", `{"token":"`+archivestest.Token+`"}`)
	add("PUT", "/account/connections/archive", `{"keep":true}`)
	deposit := add("POST", "/resources/"+deposited+"/deposits", `{"at":"archive"}`)
	return []string{"{keptLicensed}", licensed, "{deposited}", deposited, "{keptDeposit}", deposit, "{keptData}", data, "{keptPrivate}", private, "{task}", task, "{upload}", w.upload("author", "b.csv", "a,b\n1,4\n")}
}
