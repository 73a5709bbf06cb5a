package work_test

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

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
)

func TestWorkCanBeDownloadedInEveryState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	api := w.API()
	session := w.Start(`Spikes/日本 "1"`)
	files := func(what string) []string {
		t.Helper()
		answer := sessionstest.Call(api, http.MethodGet, "/sessions/"+session.ID+"/work.zip", "ann")
		w.WantStatus(what, answer, http.StatusOK)
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
	w.Launched(session.ID)
	w.Machine.Ready(session.ID)
	w.WaitFor(session.ID, sessions.Running)
	w.Machine.Put(session.ID, "notes.txt", "kept")
	check := func(what string) {
		t.Helper()
		if got := strings.Join(files(what), " "); !strings.Contains(got, "notes.txt") {
			t.Errorf("%s: the work is %q", what, got)
		}
	}
	check("RUNNING")
	w.Machine.End(session.ID, true, "")
	w.WaitFor(session.ID, sessions.Finished)
	check("FINISHED")
	if _, err := w.Server.Terminate(w.As(w.Ann), session.ID); err != nil {
		t.Fatal(err)
	}
	check("TERMINATED")
	if _, err := w.Server.Restart(w.As(w.Ann), session.ID); err != nil {
		t.Fatal(err)
	}
	w.Launched(session.ID)
	w.Machine.Fail(session.ID, engine.StepServer, "Crashed.")
	w.WaitFor(session.ID, sessions.Failed)
	check("ERROR")
	for who, status := range map[string]int{"": http.StatusUnauthorized, "bob": http.StatusNotFound} {
		w.WantStatus("for "+who, sessionstest.Call(api, http.MethodGet, "/sessions/"+session.ID+"/work.zip", who), status)
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
	w.T.Helper()
	session := w.Settled("Session", sessions.Finished)
	w.OpenAround(func(one engine.Engine) engine.Engine { return archivingEngine{one, archive} })
	server := httptest.NewServer(w.APIAs(w.Ann))
	w.T.Cleanup(server.Close)
	request, err := http.NewRequestWithContext(w.T.Context(), http.MethodGet, server.URL+"/api/v1/rf/sessions/"+session.ID+"/work.zip", nil)
	sessionstest.Check(w.T, err)
	answer, err := server.Client().Do(request)
	sessionstest.Check(w.T, err)
	w.T.Cleanup(func() { _ = answer.Body.Close() })
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
	sessionstest.Check(t, answer.Body.Close())
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("the archive is still being written")
	}
}

func TestIdsOfDeletedSessionsAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	api := w.API()
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	w.WantStatus("delete", sessionstest.Call(api, http.MethodDelete, "/sessions/"+session.ID, "ann"), http.StatusOK)
	for _, again := range []struct{ method, path string }{
		{http.MethodGet, "/sessions/" + session.ID},
		{http.MethodGet, "/sessions/" + session.ID + "/work.zip"},
		{http.MethodGet, "/hub/resume/session/" + session.ID},
		{http.MethodPatch, "/sessions/" + session.ID + "?status=CREATED"},
		{http.MethodPatch, "/sessions/" + session.ID + "?status=TERMINATED"},
		{http.MethodDelete, "/sessions/" + session.ID},
		{http.MethodDelete, "/sessions/delete/" + session.ID},
	} {
		w.WantStatus(again.method+" "+again.path, sessionstest.Call(api, again.method, again.path, "ann"), http.StatusNotFound)
	}
	w.WantRefused("its old cookie", sessionstest.Request(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie), http.StatusUnauthorized, "belongs to a session")
}
