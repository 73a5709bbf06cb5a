package sessions

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"cairn/internal/sessions/engine"
)

// openEvents opens a stream of a session's events with a cookie; the caller closes its body.
func openEvents(t *testing.T, w *world, client *http.Client, session Session, cookie string) *http.Response {
	t.Helper()
	made, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.origin(session)+"/.cairn/s/"+session.ID+"/events", nil)
	check(t, err)
	made.Header.Set("Cookie", cookie)
	made.Header.Set("Accept", "text/event-stream")
	answer, err := client.Do(made)
	check(t, err)
	return answer
}

func TestStreamsOfACookieAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.start("Session")
	client := browser(t, w.service.Gateway())
	cookie := w.enter(session, w.ann)
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
	for range streamsPerCookie - 1 {
		open(cookie, http.StatusOK)
	}
	open(cookie, http.StatusTooManyRequests)
	open(w.enter(session, w.ann), http.StatusOK) // of another browser
	check(t, first.Close())
	eventually(t, "there is room again", func() bool {
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
	kill := w.run(w.service)
	session := w.start("Session")
	w.launched(session.ID)
	w.machine.Progress(session.ID, engine.StepRepository, engine.Active, "Receiving objects: 45 %")
	kill()
	once := make(chan struct{}, 1)
	w.service.Engines[0].Engine = onceAsked{w.service.Engines[0].Engine, once, t.Context()}
	client := browser(t, w.service.Gateway())
	cookie := w.enter(session, w.ann)
	var streams []*http.Response
	for range streamsPerCookie {
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
	w := newWorldAt(t, hostForm)
	session := w.start("Session")
	made, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.origin(session)+"/.cairn/s/"+session.ID+"/events", nil)
	check(t, err)
	made.Header.Set("Cookie", w.enter(session, w.ann))
	answer, err := browser(t, w.service.Gateway()).Do(made)
	check(t, err)
	defer answer.Body.Close()
	check(t, w.service.EndAccess(w.as(w.ann)))
	if _, err := io.Copy(io.Discard, answer.Body); err != nil { // to its end
		t.Error(err)
	}
}

// All at once, they would be too many for the next server.
func TestStreamsAreToldToComeBackAtDifferentMoments(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.start("Session")
	client := browser(t, w.service.Gateway())
	cookie := w.enter(session, w.ann)
	var streams []*http.Response
	for range streamsPerCookie - 1 {
		streams = append(streams, openEvents(t, w, client, session, cookie))
	}
	w.service.EndStreams()
	streams = append(streams, openEvents(t, w, client, session, cookie)) // one that comes late
	told := map[string]bool{}
	for _, stream := range streams {
		text := bodyOf(t, stream) // to its end
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
