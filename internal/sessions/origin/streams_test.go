package origin_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sessionstest"
)

// openEvents opens a stream of a session's events with a cookie; the caller closes its body.
func openEvents(t *testing.T, w *world, client *http.Client, session sessions.Session, cookie string) *http.Response {
	t.Helper()
	made, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/events", nil)
	sessionstest.Check(t, err)
	made.Header.Set("Cookie", cookie)
	made.Header.Set("Accept", "text/event-stream")
	answer, err := client.Do(made)
	sessionstest.Check(t, err)
	return answer
}

func TestStreamsOfACookieAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Start("Session")
	client := sessionstest.Browser(t, w.Server.Gateway)
	cookie := w.Enter(session, w.Ann)
	open := func(cookie string, status int) io.Closer {
		t.Helper()
		answer := openEvents(t, w, client, session, cookie)
		t.Cleanup(func() { _ = answer.Body.Close() })
		if answer.StatusCode != status || (answer.Header.Get("Retry-After") != "") != (status == http.StatusTooManyRequests) {
			t.Fatalf("got %d %v, want %d", answer.StatusCode, answer.Header, status)
		}
		return answer.Body
	}
	first := open(cookie, http.StatusOK)
	for range origin.StreamsPerCookie - 1 {
		open(cookie, http.StatusOK)
	}
	open(cookie, http.StatusTooManyRequests)
	open(w.Enter(session, w.Ann), http.StatusOK) // of another browser
	sessionstest.Check(t, first.Close())
	sessionstest.Eventually(t, "there is room again", func() bool {
		answer := openEvents(t, w, client, session, cookie)
		t.Cleanup(func() { _ = answer.Body.Close() })
		return answer.StatusCode == http.StatusOK
	})
}

// onceAsked answers one question about a session; the others wait until the test ends.
type onceAsked struct {
	engine.Engine

	once chan struct{}
	over context.Context
}

func (e onceAsked) Status(ctx context.Context, id string) (engine.Status, error) {
	select {
	case <-e.once:
		return e.Engine.Status(ctx, id)
	case <-e.over.Done():
		return engine.Status{}, e.over.Err()
	}
}

func TestStreamsOfASessionShareOneLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kill := w.Run(w.Server)
	session := w.Start("Session")
	w.Launched(session.ID)
	w.Machine.Progress(session.ID, engine.StepRepository, engine.Active, "Receiving objects: 45 %")
	kill()
	once := make(chan struct{}, 1)
	w.Server.Engines.All[0].Engine = onceAsked{w.Server.Engines.All[0].Engine, once, t.Context()}
	client := sessionstest.Browser(t, w.Server.Gateway)
	cookie := w.Enter(session, w.Ann)
	var streams []*http.Response
	for range origin.StreamsPerCookie {
		streams = append(streams, openEvents(t, w, client, session, cookie))
	}
	once <- struct{}{}
	for i, stream := range streams {
		lines := bufio.NewScanner(stream.Body)
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") {
		}
		if !strings.Contains(lines.Text(), "Receiving objects: 45 %") {
			t.Errorf("stream %d says %q", i, lines.Text())
		}
		_ = stream.Body.Close()
	}
}

func TestStreamsEndWithTheirRightWhateverTheyAccept(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Start("Session")
	made, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/events", nil)
	sessionstest.Check(t, err)
	made.Header.Set("Cookie", w.Enter(session, w.Ann))
	answer, err := sessionstest.Browser(t, w.Server.Gateway).Do(made)
	sessionstest.Check(t, err)
	defer answer.Body.Close()
	w.SignOut(w.Ann)
	if _, err := io.Copy(io.Discard, answer.Body); err != nil { // to its end
		t.Error(err)
	}
}

// All at once, they would be too many for the next server.
func TestStreamsAreToldToComeBackAtDifferentMoments(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Start("Session")
	client := sessionstest.Browser(t, w.Server.Gateway)
	cookie := w.Enter(session, w.Ann)
	var streams []*http.Response
	for range origin.StreamsPerCookie - 1 {
		streams = append(streams, openEvents(t, w, client, session, cookie))
	}
	w.Server.Gateway.EndStreams()
	streams = append(streams, openEvents(t, w, client, session, cookie)) // one that comes late
	told := map[string]bool{}
	for _, stream := range streams {
		text := sessionstest.BodyOf(t, stream) // to its end
		_, last, _ := strings.Cut(text, "retry: ")
		wait := strings.TrimSuffix(last, "\n\n")
		milliseconds, err := strconv.Atoi(wait)
		if err != nil || milliseconds < 1000 || milliseconds >= 6000 {
			t.Errorf("a stream is told to come back after %q: %q", wait, text)
		}
		told[wait] = true
	}
	if len(told) == 1 {
		t.Errorf("all %d come back at the same moment", len(streams))
	}
}
