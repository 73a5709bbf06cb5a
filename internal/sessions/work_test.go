package sessions

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

func TestWorkCanBeDownloadedInEveryState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	api := w.api()
	session := w.start(`Spikes/日本 "1"`)
	files := func(what string) []string {
		t.Helper()
		answer := call(api, http.MethodGet, "/sessions/"+session.ID+"/work.zip", "ann")
		w.wantStatus(what, answer, http.StatusOK)
		if got := answer.Header().Get("Content-Type"); got != "application/zip" {
			t.Errorf("%s: the type is %q", what, got)
		}
		if got, want := answer.Header().Get("Content-Disposition"), "attachment; filename*=utf-8''Spikes-%E6%97%A5%E6%9C%AC%20%221%22.zip"; got != want {
			t.Errorf("%s: the disposition is %q, want %q", what, got, want)
		}
		archive, err := zip.NewReader(bytes.NewReader(answer.Body.Bytes()), int64(answer.Body.Len()))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		var names []string
		for _, file := range archive.File {
			names = append(names, file.Name)
		}
		return names
	}
	if got := files("CREATED"); len(got) != 0 {
		t.Errorf("a session without work holds %v", got)
	}
	w.launched(session.ID)
	w.machine.Ready(session.ID)
	w.waitFor(session.ID, Running)
	w.machine.Put(session.ID, "notes.txt", "kept")
	check := func(what string) {
		t.Helper()
		if got := strings.Join(files(what), " "); !strings.Contains(got, "notes.txt") {
			t.Errorf("%s: the work is %q", what, got)
		}
	}
	check("RUNNING")
	w.machine.End(session.ID, true, "")
	w.waitFor(session.ID, Finished)
	check("FINISHED")
	if _, err := w.service.Terminate(w.as(w.ann), session.ID); err != nil {
		t.Fatal(err)
	}
	check("TERMINATED")
	if _, err := w.service.Restart(w.as(w.ann), session.ID); err != nil {
		t.Fatal(err)
	}
	w.launched(session.ID)
	w.machine.Fail(session.ID, engine.StepServer, "Crashed.")
	w.waitFor(session.ID, Failed)
	check("ERROR")
	for who, status := range map[string]int{"": http.StatusUnauthorized, "bob": http.StatusNotFound} {
		w.wantStatus("for "+who, call(api, http.MethodGet, "/sessions/"+session.ID+"/work.zip", who), status)
	}
}

// archivingEngine writes what a test says.
type archivingEngine struct {
	engine.Engine

	archive func(ctx context.Context, w io.Writer) error
}

func (e archivingEngine) Archive(ctx context.Context, _ string, w io.Writer) error {
	return e.archive(ctx, w)
}

// download asks a real server for a session's work.
func (w *world) download(archive func(ctx context.Context, w io.Writer) error) *http.Response {
	w.t.Helper()
	session := w.settled("Session", Finished)
	w.service.Engines[0].Engine = archivingEngine{w.service.Engines[0].Engine, archive}
	server := httptest.NewServer(w.apiAs(w.ann))
	w.t.Cleanup(server.Close)
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, server.URL+"/api/v1/rf/sessions/"+session.ID+"/work.zip", nil)
	check(w.t, err)
	answer, err := server.Client().Do(request)
	check(w.t, err)
	w.t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

func TestWorkIsStreamedAsItIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const size = 64 << 20
	more, block := make(chan struct{}), make([]byte, 1<<20)
	answer := w.download(func(_ context.Context, out io.Writer) error {
		for sent := 0; sent < size; sent += len(block) {
			if sent == size/2 {
				<-more
			}
			if _, err := out.Write(block); err != nil {
				return err
			}
		}
		return nil
	})
	// Half of it arrives while the other half is not even read.
	if _, err := io.CopyN(io.Discard, answer.Body, size/2-1<<20); err != nil {
		t.Fatal(err)
	}
	close(more)
	rest, err := io.Copy(io.Discard, answer.Body)
	if err != nil || rest != size/2+1<<20 {
		t.Errorf("%d more bytes came, %v", rest, err)
	}
}

func TestWorkThatCannotBeReadIsNoArchive(t *testing.T) {
	t.Parallel()
	unreadable := fault.New(fault.Unavailable, "The work folder cannot be read.")
	answer := newWorld(t).download(func(context.Context, io.Writer) error { return unreadable })
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), unreadable.Message) {
		t.Errorf("before the first byte: %d %s %v", answer.StatusCode, body, err)
	}
	answer = newWorld(t).download(func(_ context.Context, out io.Writer) error {
		_, err := out.Write(make([]byte, 1<<20))
		return errors.Join(err, unreadable)
	})
	if _, err := io.Copy(io.Discard, answer.Body); answer.StatusCode != http.StatusOK || err == nil {
		t.Errorf("in the middle: %d, %v; want that the transfer breaks off", answer.StatusCode, err)
	}
}

func TestArchiveEndsWhenTheClientGoes(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	answer := newWorld(t).download(func(_ context.Context, out io.Writer) error {
		for {
			if _, err := out.Write(make([]byte, 1<<20)); err != nil {
				ended <- err
				return err
			}
		}
	})
	check(t, answer.Body.Close())
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("the archive is still being written")
	}
}

func TestIdsOfDeletedSessionsAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	api := w.api()
	session := w.running("Session")
	cookie := w.enter(session, w.ann)
	w.wantStatus("delete", call(api, http.MethodDelete, "/sessions/"+session.ID, "ann"), http.StatusOK)
	for _, again := range []struct{ method, path string }{
		{http.MethodGet, "/sessions/" + session.ID},
		{http.MethodGet, "/sessions/" + session.ID + "/work.zip"},
		{http.MethodGet, "/hub/resume/session/" + session.ID},
		{http.MethodPatch, "/sessions/" + session.ID + "?status=CREATED"},
		{http.MethodPatch, "/sessions/" + session.ID + "?status=TERMINATED"},
		{http.MethodDelete, "/sessions/" + session.ID},
		{http.MethodDelete, "/sessions/delete/" + session.ID},
	} {
		w.wantStatus(again.method+" "+again.path, call(api, again.method, again.path, "ann"), http.StatusNotFound)
	}
	w.wantRefused("its old cookie", request(http.MethodGet, w.inside(session, "tree"), "Cookie", cookie), http.StatusUnauthorized, "belongs to a session")
}
