package handouts_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"cairn/internal/sessions/engine"
	"cairn/internal/workshops/handouts"
)

const sessionID = "0b2b6f1e-7a4c-4f0e-9d64-0a5a4c3a1b2c"

// folder is what a session has at the path of a folder.
const folder = "\x00folder"

// session is a running session whose server answers as Jupyter's does, with a front before it that keeps both versions of a file. Its
// transport calls it directly, so that nothing but the package itself sends a request again.
type session struct {
	*testing.T

	files    map[string]string // by path; folder for folders
	open     []string          // files for which kernels work
	readOnly map[string]bool   // files and folders
	noFront  bool

	requests []string // with their methods
	turns    int      // of all that reads or saves
	saved    map[string]save
	read     map[string]int // when somebody has read a file, by who and path

	meanwhile func(request string) // what happens in the session just before a request
	// cut answers a request, by its number from 1, instead of serve or after it has been called; nil: it doesn't.
	cut func(number int, serve func() *http.Response) (*http.Response, error)
}

type save struct {
	who string
	at  int
}

func newSession(t *testing.T, files map[string]string) *session {
	s := &session{T: t, files: map[string]string{}, readOnly: map[string]bool{}, saved: map[string]save{}, read: map[string]int{}}
	maps.Copy(s.files, files)
	return s
}

func (s *session) target() handouts.Target {
	return handouts.Target{Session: sessionID, Target: engine.Target{
		Transport: s, URL: &url.URL{Scheme: "http", Host: "session.invalid"}, Authorization: "token right",
	}}
}

func (s *session) deliver(files ...handouts.File) (handouts.Delivered, error) {
	return handouts.Deliver(s.Context(), s.target(), handouts.Bundle{Files: files, Label: "from the host"})
}

// delivers returns what became of each file: how, and where it lies.
func (s *session) delivers(files ...handouts.File) (said []string) {
	s.Helper()
	delivered, err := s.deliver(files...)
	if err != nil {
		s.Fatal(err)
	}
	for i, one := range delivered.Files {
		if one.Path != files[i].Path {
			s.Errorf("file %d is about %q", i, one.Path)
		}
		said = append(said, strings.TrimSuffix(string(one.How)+" "+one.At+" | "+one.Kept, " | "))
	}
	return said
}

var errCut = errors.New("the connection is cut")

// RoundTrip implements http.RoundTripper.
func (s *session) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	request := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/s/"+sessionID+"/")
	s.requests = append(s.requests, request)
	if s.meanwhile != nil {
		s.meanwhile(request)
	}
	serve := func() *http.Response {
		answer := httptest.NewRecorder()
		s.front(answer, r)
		return answer.Result()
	}
	if s.cut != nil {
		return s.cut(len(s.requests), serve)
	}
	return serve(), nil
}

// front does what package front does with files of which it is said who uses them.
func (s *session) front(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "token right" {
		http.Error(w, "forbidden", http.StatusForbidden)
		return
	}
	file, isFile := strings.CutPrefix(r.URL.Path, "/s/"+sessionID+"/api/contents/")
	if who := r.Header.Get(engine.WhoHeader); who == "" && isFile && r.URL.Query().Get("type") == "file" {
		s.Errorf("nobody is named who asks for %s", r.URL)
	} else if who != "" && isFile && !s.noFront {
		s.turns++
		began := s.turns
		if r.Method == http.MethodPut {
			if kept := s.keep(who, file); kept != "" {
				w.Header().Set(engine.KeptHeader, (&url.URL{Path: kept}).EscapedPath())
			}
		}
		before := s.files[file]
		s.serve(w, r, file)
		switch {
		case r.Method == http.MethodPut && s.files[file] != before:
			s.saved[file] = save{who, s.turns}
			s.read[who+" "+file] = s.turns + 1
		case r.Method == http.MethodGet && s.files[file] != "" && r.URL.Query().Get("content") != "0":
			s.read[who+" "+file] = began
		}
		return
	}
	if r.URL.Path == "/s/"+sessionID+"/api/sessions" && r.Method == http.MethodGet {
		list := []map[string]any{}
		for _, one := range s.open {
			list = append(list, map[string]any{"id": "1", "path": one, "type": "notebook", "kernel": map[string]string{"id": "2"}})
		}
		answer(w, http.StatusOK, list)
		return
	}
	s.serve(w, r, file)
}

// keep keeps what somebody else has saved since this one read it, and returns the path of the copy.
func (s *session) keep(who, file string) string {
	last, ok := s.saved[file]
	content, there := s.files[file]
	if !ok || last.who == who || s.read[who+" "+file] > last.at || !there || content == folder {
		return ""
	}
	extension := path.Ext(file)
	kept := strings.TrimSuffix(file, extension) + " (other version 2026-03-01 12.00.00)" + extension
	s.files[kept] = content
	return kept
}

// saves is what a person's page does.
func (s *session) saves(who, file, content string) {
	s.turns++
	s.saved[file] = save{who, s.turns}
	s.files[file] = content
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]any{"message": message, "reason": nil})
}

// serve answers as the contents API does.
func (s *session) serve(w http.ResponseWriter, r *http.Request, file string) {
	if !strings.Contains(r.URL.Path, "/api/contents/") || strings.HasSuffix(r.URL.EscapedPath(), "/checkpoints") || strings.HasSuffix(r.URL.EscapedPath(), "/trust") {
		refuse(w, http.StatusMethodNotAllowed, "another page")
		return
	}
	if strings.HasPrefix(file, ".") || strings.Contains(file, "/.") {
		refuse(w, http.StatusNotFound, "hidden")
		return
	}
	content, there := s.files[file]
	model := map[string]any{"name": path.Base(file), "path": file, "type": "file", "format": nil, "content": nil, "mimetype": nil, "writable": true}
	switch {
	case content == folder:
		model["type"] = "directory"
	case strings.HasSuffix(file, ".ipynb") && r.URL.Query().Get("type") == "":
		model["type"] = "notebook"
	}
	switch r.Method {
	case http.MethodGet:
		s.serveGet(w, r, model, content, there)
	case http.MethodPut:
		s.servePut(w, r, file, content, there)
	default:
		refuse(w, http.StatusMethodNotAllowed, "not here")
	}
}

func (s *session) serveGet(w http.ResponseWriter, r *http.Request, model map[string]any, content string, there bool) {
	query := r.URL.Query()
	switch {
	case !there:
		refuse(w, http.StatusNotFound, "No such file or directory")
		return
	case content == folder && query.Get("type") == "file":
		refuse(w, http.StatusBadRequest, "a directory, not a file")
		return
	case query.Get("content") == "0":
	case content == folder:
		model["content"], model["format"] = []any{}, "json"
	case query.Get("format") == "base64" && query.Get("type") == "file":
		text := base64.StdEncoding.EncodeToString([]byte(content))
		var lines []string
		for len(text) > 76 { // as Python writes it
			lines, text = append(lines, text[:76]+"\n"), text[76:]
		}
		model["content"], model["format"] = strings.Join(append(lines, text+"\n"), ""), "base64"
	default:
		model["content"], model["format"] = content, "text"
	}
	answer(w, http.StatusOK, model)
}

func (s *session) servePut(w http.ResponseWriter, r *http.Request, file, content string, there bool) {
	var sent struct{ Type, Format, Content string }
	text, _ := io.ReadAll(r.Body)
	bytes, err := []byte(nil), json.Unmarshal(text, &sent)
	if err == nil {
		bytes, err = base64.StdEncoding.DecodeString(sent.Content)
	}
	parent := path.Dir(file)
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, "Invalid JSON")
	case s.readOnly[file] || !there && s.readOnly[parent]:
		refuse(w, http.StatusForbidden, "Permission denied")
	case parent != "." && s.files[parent] != folder:
		refuse(w, http.StatusInternalServerError, "Unexpected error while saving file")
	case sent.Type == "directory" && there && content != folder:
		refuse(w, http.StatusBadRequest, "Not a directory")
	case sent.Type == "file" && content == folder:
		refuse(w, http.StatusInternalServerError, "Unexpected error while saving file: is a directory")
	case sent.Type == "directory":
		s.files[file] = folder
		answer(w, http.StatusCreated, map[string]any{"type": "directory"})
	case sent.Type == "file" && sent.Format == "base64":
		s.files[file] = string(bytes)
		answer(w, http.StatusCreated, map[string]any{"type": "file"})
	default:
		refuse(w, http.StatusBadRequest, "Unhandled contents type")
	}
}

// has fails unless the session has exactly these files and folders.
func (s *session) has(want map[string]string) {
	s.Helper()
	if !maps.Equal(s.files, want) {
		s.Errorf("the session has %q, want %q", s.files, want)
	}
}

func (s *session) asked(method string) (paths []string) {
	for _, one := range s.requests {
		if path, ok := strings.CutPrefix(one, method+" "); ok {
			paths = append(paths, path)
		}
	}
	return paths
}

// file is a file to hand out, with the contents that count as unchanged.
func file(path, content string, before ...string) handouts.File {
	made := handouts.File{Path: path, Content: []byte(content)}
	for _, one := range before {
		made.Before = append(made.Before, handouts.Digest([]byte(one)))
	}
	return made
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// transport answers requests.
type transport func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func deliverOver(ctx context.Context, over transport, files ...handouts.File) (handouts.Delivered, error) {
	return handouts.Deliver(ctx, handouts.Target{Session: sessionID, Target: engine.Target{
		Transport: over, URL: &url.URL{Scheme: "http", Host: "session.invalid"}, Authorization: "token right",
	}}, handouts.Bundle{Files: files})
}
