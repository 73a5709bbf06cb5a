package origin_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sessionstest"
)

// An open page that read a file before a version was restored in its place can't save it.
func TestSavesOfOutdatedPagesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	first := w.Saved(session.ID, map[string]string{"notes/a.ipynb": "one", "b.txt": "b"})
	address := w.Origin(session) + "/s/" + session.ID + "/api/contents/"
	read := w.Visit(http.MethodGet, address+"notes/a.ipynb", "Cookie", cookie).Header().Get(origin.ReadHeader)
	save := func(method, file, read string) *httptest.ResponseRecorder {
		return w.Visit(method, address+file, "Cookie", cookie, "Origin", w.Origin(session), origin.ReadHeader, read)
	}
	w.WantStatus("before", save(http.MethodPut, "notes/a.ipynb", read), http.StatusOK)
	w.Clock.Advance(time.Second)
	_, err := w.Server.Work.RestoreVersion(w.As(w.Ann), session.ID, first.ID, "notes/a.ipynb", "place")
	sessionstest.Check(t, err)
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		for _, stamp := range []string{read, "", "soon"} {
			answer := save(method, "notes/a.ipynb", stamp)
			w.WantStatus("a page from before", answer, http.StatusConflict)
			got := sessionstest.Decode[struct {
				Message string  `json:"message"`
				Reason  *string `json:"reason"`
			}](t, answer)
			if !strings.Contains(got.Message, `"notes/a.ipynb" was restored from an earlier version`) || got.Reason != nil {
				t.Errorf("got %+v", got)
			}
		}
	}
	w.WantStatus("another file", save(http.MethodPut, "b.txt", read), http.StatusOK)
	state := w.pageState(session, cookie, http.StatusOK).Session
	if len(state.Restored) != 1 || state.Restored[0].Path != "notes/a.ipynb" {
		t.Errorf("the page is told %+v", state.Restored)
	}
	w.Clock.Advance(time.Second)
	again := w.Visit(http.MethodGet, address+"notes/a.ipynb", "Cookie", cookie).Header().Get(origin.ReadHeader)
	w.WantStatus("after it was loaded again", save(http.MethodPut, "notes/a.ipynb", again), http.StatusOK)
}
