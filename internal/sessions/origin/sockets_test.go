package origin_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions/sessionstest"

	"github.com/coder/websocket"
)

func TestWebsocketsAreClosedWithAReason(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client := sessionstest.Browser(t, httpapi.Observe(w.Options.Logger, time.Now, nil, w.Server.Gateway))
	address := "ws" + strings.TrimPrefix(strings.Replace(w.Inside(session, "echo"), "https", "http", 1), "http")
	var codes []<-chan websocket.StatusCode
	for range 3 {
		connection, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{
			HTTPClient: client, HTTPHeader: http.Header{"Cookie": {cookie}, "Origin": {w.Origin(session)}},
		})
		sessionstest.Check(t, err)
		sessionstest.Check(t, connection.Write(ctx, websocket.MessageText, []byte("print(1)")))
		_, _, err = connection.Read(ctx)
		sessionstest.Check(t, err)
		closed := make(chan websocket.StatusCode, 1)
		codes = append(codes, closed)
		go func() {
			_, _, err := connection.Read(ctx)
			closed <- websocket.CloseStatus(err)
		}()
	}
	w.Server.Gateway.EndSockets(ctx)
	if ctx.Err() != nil {
		t.Error("the browsers' answers were not noticed")
	}
	for _, code := range codes {
		if got := <-code; got != websocket.StatusServiceRestart {
			t.Errorf("closed with %d, want %d", got, websocket.StatusServiceRestart)
		}
	}
	if open := w.OpenSockets(session.ID); open != 0 {
		t.Errorf("%d websockets are still open", open)
	}
}

// A browser that neither reads nor answers must not hold up the end.
func TestASilentBrowserIsNotWaitedForForever(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	here, browser := net.Pipe() // nobody reads
	t.Cleanup(func() { _, _ = here.Close(), browser.Close() })
	w.Server.Gateway.Sockets.AddSocket(here)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	w.Server.Gateway.EndSockets(ctx) // returns
}
