package origin_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
)

// workLink asks for a link to a session's work as somebody.
func (w *world) workLink(session sessions.Session, caller string, status int) string {
	w.T.Helper()
	answer := sessionstest.Call(w.API(), http.MethodPost, "/sessions/"+session.ID+"/work-link", caller)
	w.WantStatus("a link for "+caller, answer, status)
	if status != http.StatusOK {
		return ""
	}
	if answer.Header().Get("Cache-Control") != "no-store" {
		w.T.Errorf("the link may be kept: %v", answer.Header())
	}
	return sessionstest.Decode[struct{ URL string }](w.T, answer).URL
}

func TestWorkIsDownloadedInEveryState(t *testing.T) {
	t.Parallel()
	for _, form := range []string{sessionstest.HostForm, sessionstest.PathForm} {
		w := newWorldAt(t, form)
		session := w.Running(`Spikes "é" / a`)
		w.Machine.Put(session.ID, "notes.txt", "kept")
		get := func() {
			t.Helper()
			answer := w.Visit(http.MethodGet, w.workLink(session, "ann", http.StatusOK))
			w.WantStatus("the download", answer, http.StatusOK)
			want := "attachment; filename*=utf-8''Spikes%20%22%C3%A9%22%20-%20a.zip"
			if got := answer.Header().Get("Content-Disposition"); got != want || answer.Header().Get("Content-Type") != "application/zip" {
				t.Errorf("got %q, %v", got, answer.Header())
			}
			if len(answer.Result().Cookies()) != 0 {
				t.Error("a download opens the session")
			}
			body := answer.Body.Bytes()
			archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
			sessionstest.Check(t, err)
			file, err := archive.Open("notes.txt")
			sessionstest.Check(t, err)
			if text, err := io.ReadAll(file); err != nil || string(text) != "kept" {
				t.Errorf("got %q, %v", text, err)
			}
		}
		get()
		_, err := w.Server.Terminate(w.As(w.Ann), session.ID)
		sessionstest.Check(t, err)
		get()
		if row := w.Row(session.ID); row.Status != sessions.Terminated {
			t.Errorf("the download left it %s", row.Status)
		}
	}
}

// CVE-2026-55431, CVE-2024-22421: secrets in addresses.
func TestWorkLinksWorkOnceForTheirSessionWithinAMinute(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.PathForm)
	session, other := w.Running("session"), w.Running("other")
	refused := func(what, method, address string, status int, headers ...string) {
		t.Helper()
		answer := w.Visit(method, address, headers...)
		w.WantStatus(what, answer, status)
		if strings.Contains(answer.Header().Get("Content-Type"), "zip") {
			t.Errorf("%s: it sent the work", what)
		}
	}
	link := w.workLink(session, "ann", http.StatusOK)
	refused("another session's", http.MethodGet, strings.Replace(link, session.ID, other.ID, 1), http.StatusUnauthorized)
	refused("a look ahead", http.MethodGet, link, http.StatusForbidden, "Sec-Purpose", "prefetch")
	refused("a look at its headers", http.MethodHead, link, http.StatusForbidden)
	w.WantStatus("the first time", w.Visit(http.MethodGet, link), http.StatusOK)
	refused("the second time", http.MethodGet, link, http.StatusUnauthorized)

	ticket, err := url.Parse(w.Ticket(session, w.Ann))
	sessionstest.Check(t, err)
	work, err := url.Parse(link)
	sessionstest.Check(t, err)
	work.RawQuery = ticket.RawQuery
	refused("the ticket of a visit", http.MethodGet, work.String(), http.StatusUnauthorized)

	late := w.workLink(session, "ann", http.StatusOK)
	w.Clock.Advance(time.Minute + time.Microsecond)
	refused("after a minute", http.MethodGet, late, http.StatusUnauthorized)
	signedOut := w.workLink(session, "ann", http.StatusOK)
	w.SignOut(w.Ann)
	refused("after the sign-out", http.MethodGet, signedOut, http.StatusUnauthorized)
}

func TestWorkLinksOfOthersAndOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // nothing is launched: no reconciler is at work
	session := w.Start("...")
	w.workLink(session, "", http.StatusUnauthorized)
	w.workLink(session, "bob", http.StatusNotFound)
	answer := w.Visit(http.MethodGet, w.workLink(session, "ann", http.StatusOK))
	w.WantStatus("work that is not there yet", answer, http.StatusOK)
	archive, err := zip.NewReader(bytes.NewReader(answer.Body.Bytes()), int64(answer.Body.Len()))
	if err != nil || len(archive.File) != 0 || answer.Header().Get("Content-Disposition") != "attachment; filename=work.zip" {
		t.Errorf("got %v, %v, %v", archive, err, answer.Header())
	}
}
