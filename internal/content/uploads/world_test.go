package uploads_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/content/uploads"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

const (
	ada = "ada@example.org"
	bob = "bob@example.org"
	// waiting has an account that isn't enabled, disabled one that an operator disabled.
	waiting  = "waiting@example.org"
	disabled = "disabled@example.org"

	place = httpapi.Base + "/uploads"
	octet = "application/offset+octet-stream"
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

// world is a server of uploads, which can be made anew on the same folder and database.
type world struct {
	t       *testing.T
	db      *sqldb.DB
	folder  string
	clock   *clock
	file    int64
	quota   int64
	off     string
	service *uploads.Service
	server  *httptest.Server
}

func newWorld(t *testing.T) *world {
	t.Helper()
	at := &clock{now: time.Now()}
	return newWorldOn(t, sqldbtest.SQLite(t, at.Now), at)
}

func newWorldOn(t *testing.T, db *sqldb.DB, at *clock) *world {
	t.Helper()
	w := &world{t: t, db: db, folder: t.TempDir(), clock: at, file: 64 << 20, quota: 256 << 20}
	w.open()
	return w
}

// each runs a test on every database.
func each(t *testing.T, test func(w *world)) {
	t.Helper()
	at := &clock{now: time.Now()}
	sqldbtest.EachAt(t, at.Now, func(t *testing.T, db *sqldb.DB) { test(newWorldOn(t, db, at)) })
}

// open starts a server, as a program that starts after another one was killed.
func (w *world) open() {
	w.t.Helper()
	w.service, w.server = w.another()
}

// another starts one more server on the same folder and database.
func (w *world) another() (*uploads.Service, *httptest.Server) {
	w.t.Helper()
	service, err := uploads.New(uploads.NewStore(w.db), uploads.Options{
		Folder: w.folder, File: w.file, Quota: w.quota, Off: w.off, Path: place, Now: w.clock.Now, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	api := httpapi.New(httpapi.Options{
		Version: "1", Logger: slog.New(slog.DiscardHandler),
		Authenticate: func(r *http.Request, _ bool) (context.Context, error) {
			email, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			if !ok {
				return r.Context(), nil
			}
			return identity.With(r.Context(), w.caller(email)), nil
		},
		SignedIn: func(ctx context.Context) bool { _, ok := identity.From(ctx); return ok },
	})
	service.Routes(api)
	server := httptest.NewServer(api.Handler())
	w.t.Cleanup(server.Close)
	return service, server
}

func (w *world) caller(email string) identity.Caller {
	account, err := identity.NewStore(w.db).See(w.t.Context(), "https://idp.example.org", email, email, "")
	if err != nil {
		w.t.Error(err)
	}
	return identity.Caller{AccountID: account.ID, Email: email, Enabled: email != waiting, Disabled: email == disabled}
}

func (w *world) as(email string) context.Context {
	return identity.With(w.t.Context(), w.caller(email))
}

// answer is what a server answered.
type answer struct {
	status int
	header http.Header
	body   string
	code   fault.Code // of a fault
	kind   string     // media type
}

// call sends a request; an error is one of the line.
func (w *world) call(at *httptest.Server, email, method, path string, body io.Reader, headers ...string) (answer, error) {
	request, err := http.NewRequestWithContext(w.t.Context(), method, at.URL+path, body)
	if err != nil {
		return answer{}, err
	}
	if email != "" {
		request.Header.Set("Authorization", "Bearer "+email)
	}
	request.Header.Set("Tus-Resumable", "1.0.0")
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "" {
			request.Header.Del(headers[i])
			continue
		}
		if headers[i] == "Content-Length" {
			if request.ContentLength, err = strconv.ParseInt(headers[i+1], 10, 64); err != nil {
				return answer{}, err
			}
			continue
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := at.Client().Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	found := answer{status: response.StatusCode, header: response.Header, body: string(text), kind: response.Header.Get("Content-Type")}
	var problem struct {
		Code fault.Code `json:"code"`
	}
	if strings.HasPrefix(found.kind, "application/problem+json") && method != http.MethodHead {
		err = json.Unmarshal(text, &problem)
		found.code = problem.Code
	}
	return found, err
}

// ask is call on a line that holds.
func (w *world) ask(email, method, path string, body io.Reader, headers ...string) answer {
	w.t.Helper()
	found, err := w.call(w.server, email, method, path, body, headers...)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return found
}

// refuses asserts a status and a code of a problem.
func (w *world) refuses(what string, found answer, status int, code fault.Code) {
	w.t.Helper()
	if found.status != status || found.code != code || !strings.HasPrefix(found.kind, "application/problem+json") {
		w.t.Errorf("%s: %d %s (%s), want %d %s: %s", what, found.status, found.code, found.kind, status, code, found.body)
	}
}

// metadata is an Upload-Metadata header of pairs.
func metadata(pairs ...string) string {
	var parts []string
	for i := 0; i < len(pairs); i += 2 {
		parts = append(parts, pairs[i]+" "+base64.StdEncoding.EncodeToString([]byte(pairs[i+1])))
	}
	return strings.Join(parts, ",")
}

// create begins an upload and returns its address.
func (w *world) create(email string, length int64, pairs ...string) string {
	w.t.Helper()
	if len(pairs) == 0 {
		pairs = []string{"filename", "a.bin"}
	}
	found := w.ask(email, http.MethodPost, place, nil, "Upload-Length", strconv.FormatInt(length, 10), "Upload-Metadata", metadata(pairs...))
	if found.status != http.StatusCreated {
		w.t.Fatalf("create: %d %s", found.status, found.body)
	}
	return found.header.Get("Location")
}

func idOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// offset asks how far an upload has come.
func (w *world) offset(at *httptest.Server, email, path string) int64 {
	w.t.Helper()
	found, err := w.call(at, email, http.MethodHead, path, nil)
	if err != nil || found.status != http.StatusOK {
		w.t.Fatalf("HEAD %s: %d %v", path, found.status, err)
	}
	offset, err := strconv.ParseInt(found.header.Get("Upload-Offset"), 10, 64)
	if err != nil {
		w.t.Fatal(err)
	}
	return offset
}

// patch sends bytes of an upload from an offset on.
func (w *world) patch(email, path string, offset int64, part []byte, headers ...string) answer {
	w.t.Helper()
	return w.ask(email, http.MethodPatch, path, bytes.NewReader(part), append([]string{"Upload-Offset", strconv.FormatInt(offset, 10), "Content-Type", octet}, headers...)...)
}

// send sends an upload and returns its id.
func (w *world) send(email string, content []byte, pairs ...string) string {
	w.t.Helper()
	path := w.create(email, int64(len(content)), pairs...)
	if found := w.patch(email, path, 0, content); found.status != http.StatusNoContent {
		w.t.Fatalf("PATCH: %d %s", found.status, found.body)
	}
	return idOf(path)
}

// content is bytes that no two seeds share.
func content(seed uint64, length int) []byte {
	source := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	made := make([]byte, length)
	_, _ = source.Read(made) // it never fails
	return made
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// arrived asserts that an upload is complete and the same as its sender's file.
func (w *world) arrived(email, id string, content []byte) {
	w.t.Helper()
	found, err := w.service.Complete(w.as(email), w.caller(email).AccountID, []string{id}, map[string]string{id: sumOf(content)})
	if err != nil {
		w.t.Fatalf("complete: %v %+v", err, fieldsOf(err))
	}
	stored, err := os.ReadFile(w.service.Path(id))
	if err != nil || !bytes.Equal(stored, content) || found[0].Digest != sumOf(content) {
		w.t.Fatalf("something else arrived: %v, %d of %d bytes, digest %s", err, len(stored), len(content), found[0].Digest)
	}
}

func fieldsOf(err error) string {
	known, _ := errors.AsType[*fault.Fault](err)
	if known == nil {
		return ""
	}
	return fmt.Sprintf("%+v", known.Fields)
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ticks := time.NewTicker(time.Millisecond)
	defer ticks.Stop()
	for !holds() {
		select {
		case <-t.Context().Done():
			t.Fatalf("never: %s", what)
		case <-ticks.C:
		}
	}
}
