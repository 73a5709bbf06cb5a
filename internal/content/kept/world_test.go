package kept_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"cairn/internal/content/kept"
	"cairn/internal/content/uploads"
	"cairn/internal/entries/archives/archivestest"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

const (
	ada      = catalogtest.Ada
	bob      = catalogtest.Bob
	operator = "operator@example.org"
	public   = "https://cairn.example"
	most     = int64(256 << 20)
)

// clock is a clock that a test controls.
type clock struct {
	mu  sync.Mutex
	now time.Time // protected by mu
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(more time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(more)
}

// world is a server that keeps the files of entries.
type world struct {
	*catalogtest.World

	clock   *clock
	folder  string // of stores and uploads
	cache   string // of trees
	inUse   map[catalog.Kept]bool
	callers map[string]string // e-mail addresses by account
	records contribute.Archives
	session kept.Work // that publishes

	uploads    *uploads.Service
	contribute *contribute.Service
	files      *kept.Files
	kept       *kept.Service
	host       *kept.Host
}

func newWorld(t testing.TB, entries ...catalog.Entry) *world {
	t.Helper()
	at := &clock{now: time.Now()}
	w := &world{World: catalogtest.New(t, sqldbtest.SQLite(t, at.Now), entries...), clock: at, folder: t.TempDir(), cache: t.TempDir(), inUse: map[catalog.Kept]bool{}, callers: map[string]string{}}
	w.SignIn = func(caller identity.Caller) identity.Caller {
		caller.Enabled, caller.Operator = true, caller.Email == operator
		return caller
	}
	w.open()
	return w
}

// open makes the services anew, as a server that starts after another one was killed.
func (w *world) open() {
	w.T.Helper()
	w.files, w.uploads, w.contribute, w.kept = w.another(w.cache)
	w.host = kept.NewHost(w.files, nil)
	w.Mount(w.contribute, w.kept, w.uploads)
}

// another makes the services of one more server.
func (w *world) another(cache string) (*kept.Files, *uploads.Service, *contribute.Service, *kept.Service) {
	w.T.Helper()
	logger := slog.New(slog.DiscardHandler)
	sent, err := uploads.New(uploads.NewStore(w.DB), uploads.Options{
		Folder: filepath.Join(w.folder, "uploads"), File: most, Quota: 4 * most, Path: httpapi.Base + "/uploads", Now: w.clock.Now, Logger: logger,
	})
	if err != nil {
		w.T.Fatal(err)
	}
	files := kept.OpenFiles(kept.NewStore(w.DB), filepath.Join(w.folder, "stores"), cache, w.clock.Now)
	files.MayRead = func(ctx context.Context, id string) error { return w.CheckReadable(ctx, id) }
	adding := contribute.NewService(contribute.Dependencies{
		Entries: w.Service, Sources: contribute.Sources{Archives: w.records}, Hosts: codehost.NewHosts(map[string]codehost.Host{"cairn.example": kept.NewHost(files, nil)}, nil), DescriptorNames: []string{"cairn.yml", "cybershuttle.yml"},
	})
	made := kept.New(files, kept.Options{
		Uploads: sent, Contribute: adding, Versions: w.Versions(), Public: public, Most: most, Work: func(context.Context, string, string) (kept.Work, error) { return w.session, nil }, Records: w.records, Web: archivestest.Client(),
		Callers: func(_ context.Context, accountID string) (identity.Caller, error) {
			email, ok := w.callers[accountID]
			if !ok {
				return identity.Caller{}, errors.New("no account")
			}
			return identity.Caller{AccountID: accountID, Email: email, Enabled: true}, nil
		},
		InUse: func(context.Context) (map[catalog.Kept]bool, error) { return w.inUse, nil },
		Now:   w.clock.Now, Logger: logger,
	})
	adding.Content = made
	return files, sent, adding, made
}

// as signs somebody in.
func (w *world) as(email string) context.Context {
	w.T.Helper()
	ctx := w.As(email)
	caller, _ := identity.From(ctx)
	w.callers[caller.AccountID] = email
	return ctx
}

// send uploads a file and returns its id.
func (w *world) send(email string, content []byte, pairs ...string) string {
	w.T.Helper()
	w.as(email)
	var metadata []byte
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			metadata = append(metadata, ',')
		}
		metadata = append(metadata, pairs[i]+" "+encode(pairs[i+1])...)
	}
	made := w.tus(email, http.MethodPost, httpapi.Base+"/uploads", nil, "Upload-Length", strconv.Itoa(len(content)), "Upload-Metadata", string(metadata))
	if made.Code != http.StatusCreated {
		w.T.Fatalf("upload: %d %s", made.Code, made.Body)
	}
	path := made.Header().Get("Location")
	if len(content) > 0 {
		if found := w.tus(email, http.MethodPatch, path, content, "Upload-Offset", "0", "Content-Type", "application/offset+octet-stream"); found.Code != http.StatusNoContent {
			w.T.Fatalf("upload: %d %s", found.Code, found.Body)
		}
	}
	return filepath.Base(path)
}

// file uploads a file of a folder; a path without a folder is a single file.
func (w *world) file(email, path, text string) string {
	w.T.Helper()
	return w.send(email, []byte(text), "filename", filepath.Base(path), "path", path)
}

func (w *world) tus(email, method, path string, body []byte, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequestWithContext(w.T.Context(), method, path, bytes.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+email)
	request.Header.Set("Tus-Resumable", "1.0.0")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	w.Handler().ServeHTTP(answer, request)
	return answer
}

// left are the ids of uploads that aren't used.
func (w *world) left(email string) (ids []string) {
	w.T.Helper()
	found, err := w.uploads.List(w.as(email))
	if err != nil {
		w.T.Fatal(err)
	}
	for _, one := range found {
		ids = append(ids, one.ID)
	}
	return ids
}

// add makes uploads an entry, and returns its id.
func (w *world) add(email string, kind catalog.Type, name string, ids ...string) string {
	w.T.Helper()
	id, err := w.tryAdd(email, kind, name, ids...)
	if err != nil {
		w.T.Fatalf("add %s: %v", name, err)
	}
	return id
}

// tryAdd is add for what may be refused, at once or by its task.
func (w *world) tryAdd(email string, kind catalog.Type, name string, ids ...string) (string, error) {
	w.T.Helper()
	edit := contribute.Edit{Name: &name}
	status, answer, err := w.kept.Add(w.as(email), kind, edit, contribute.NewContent{Upload: ids, Note: "first"})
	if err != nil {
		return "", err
	}
	return w.finish(email, status, answer)
}

// renew makes uploads a new version of an entry.
func (w *world) renew(email, id string, ids ...string) {
	w.T.Helper()
	if err := w.tryRenew(email, id, ids...); err != nil {
		w.T.Fatalf("renew %s: %v", id, err)
	}
}

func (w *world) tryRenew(email, id string, ids ...string) error {
	w.T.Helper()
	status, answer, err := w.kept.Renew(w.as(email), id, contribute.NewContent{Upload: ids, Note: "later"})
	if err == nil {
		_, err = w.finish(email, status, answer)
	}
	return err
}

// finish carries out the task of an answer if it is one, and returns the entry.
func (w *world) finish(email string, status int, answer any) (string, error) {
	w.T.Helper()
	switch found := answer.(type) {
	case catalog.Resource:
		if status != http.StatusCreated {
			w.T.Errorf("status %d", status)
		}
		return found.ID, nil
	case kept.MadeVersion:
		return found.ResourceID, nil
	case kept.UploadTask:
		if status != http.StatusAccepted {
			w.T.Errorf("status %d", status)
		}
		if ok, err := w.kept.Work(w.T.Context()); err != nil || !ok {
			w.T.Fatalf("no task: %v", err)
		}
		done := w.task(email, found.ID)
		if done.State == kept.Failed {
			return "", &fault.Fault{Code: done.Problem.Code, Message: done.Problem.Detail, Fields: done.Problem.Errors}
		}
		if done.State != kept.Done {
			w.T.Fatalf("the task is %s", done.State)
		}
		return done.ResourceID, nil
	}
	w.T.Fatalf("answered %T", answer)
	return "", nil
}

func (w *world) task(email, id string) kept.UploadTask {
	w.T.Helper()
	found, err := w.kept.Task(w.as(email), id)
	if err != nil {
		w.T.Fatal(err)
	}
	return found
}

// versions are the versions of an entry, the first first.
func (w *world) versions(email, id string) []catalog.EntryVersion {
	w.T.Helper()
	found, err := w.Versions().List(w.as(email), id)
	if err != nil {
		w.T.Fatal(err)
	}
	slices.Reverse(found)
	return found
}

// tree is the folder of a version.
func (w *world) tree(id string, number int) string {
	w.T.Helper()
	path, ok, err := w.files.Path(catalog.Kept{ID: id, Number: number}.String())
	if err != nil || !ok {
		w.T.Fatalf("version %d: %v %v", number, ok, err)
	}
	return path
}

// contents are the files below a folder.
func contents(t testing.TB, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	if err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		found[name] = string(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// has asserts the files of a version.
func (w *world) has(id string, number int, want map[string]string) {
	w.T.Helper()
	if found := contents(w.T, w.tree(id, number)); !maps.Equal(found, want) {
		w.T.Errorf("version %d has %v, want %v", number, slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(want)))
	}
}

// dropTrees removes the caches of all servers.
func (w *world) dropTrees() {
	w.T.Helper()
	if err := os.RemoveAll(w.cache); err != nil {
		w.T.Fatal(err)
	}
}

// member is something in an archive.
type member struct {
	name, text, link string
	kind             byte // of tar
}

func tarOf(t testing.TB, members ...member) []byte {
	t.Helper()
	var made bytes.Buffer
	archive := tar.NewWriter(&made)
	for _, one := range members {
		header := &tar.Header{Name: one.name, Mode: 0o644, Size: int64(len(one.text)), Typeflag: tar.TypeReg, Linkname: one.link}
		if one.kind != 0 {
			header.Typeflag = one.kind
		}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(one.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return made.Bytes()
}

func gzipOf(t testing.TB, content []byte) []byte {
	t.Helper()
	var made bytes.Buffer
	packed := gzip.NewWriter(&made)
	_, err := packed.Write(content)
	if err := errors.Join(err, packed.Close()); err != nil {
		t.Fatal(err)
	}
	return made.Bytes()
}

func zipOf(t testing.TB, members ...member) []byte {
	t.Helper()
	var made bytes.Buffer
	archive := zip.NewWriter(&made)
	for _, one := range members {
		header := &zip.FileHeader{Name: one.name, Method: zip.Deflate}
		if one.link != "" {
			header.SetMode(os.ModeSymlink | 0o777)
			one.text = one.link
		}
		to, err := archive.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write([]byte(one.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return made.Bytes()
}

func notebookOf(text string) string {
	return `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# ` + text + `"]}]}`
}

// random is bytes that can't be compressed.
func random(seed uint64, length int) []byte {
	source := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	made := make([]byte, length)
	_, _ = source.Read(made) // it never fails
	return made
}

func jsonOf(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
