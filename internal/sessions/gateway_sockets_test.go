package sessions

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/httpapi"

	"github.com/coder/websocket"
)

func TestWebsocketsAreClosedWithAReason(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.running("Session")
	cookie := w.enter(session, w.ann)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client := browser(t, httpapi.Observe(w.options.Logger, time.Now, nil, w.service.Gateway()))
	address := "ws" + strings.TrimPrefix(strings.Replace(w.inside(session, "echo"), "https", "http", 1), "http")
	var codes []<-chan websocket.StatusCode
	for range 3 {
		connection, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{
			HTTPClient: client, HTTPHeader: http.Header{"Cookie": {cookie}, "Origin": {w.origin(session)}},
		})
		check(t, err)
		check(t, connection.Write(ctx, websocket.MessageText, []byte("print(1)")))
		_, _, err = connection.Read(ctx)
		check(t, err)
		closed := make(chan websocket.StatusCode, 1)
		codes = append(codes, closed)
		go func() {
			_, _, err := connection.Read(ctx)
			closed <- websocket.CloseStatus(err)
		}()
	}
	w.service.EndSockets(ctx)
	if ctx.Err() != nil {
		t.Error("the browsers' answers were not noticed")
	}
	for _, code := range codes {
		if got := <-code; got != websocket.StatusServiceRestart {
			t.Errorf("closed with %d, want %d", got, websocket.StatusServiceRestart)
		}
	}
	if open := w.service.openSockets(session.ID); open != 0 {
		t.Errorf("%d websockets are still open", open)
	}
}

// A browser that neither reads nor answers must not hold up the end.
func TestASilentBrowserIsNotWaitedForForever(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	here, browser := net.Pipe() // nobody reads
	t.Cleanup(func() { _, _ = here.Close(), browser.Close() })
	w.service.open[&socket{Conn: here, left: make(chan struct{})}] = true
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	w.service.EndSockets(ctx) // returns
}

// notedConn notes what is written to it.
type notedConn struct {
	net.Conn

	bytes.Buffer
}

func (c *notedConn) Write(data []byte) (int, error)   { return c.Buffer.Write(data) }
func (c *notedConn) Read(data []byte) (int, error)    { return c.Buffer.Read(data) }
func (c *notedConn) SetWriteDeadline(time.Time) error { return nil }

// Our frame in the middle of another would be read as its content, and what follows as nonsense.
func TestTheLastFrameStandsBetweenTwo(t *testing.T) {
	t.Parallel()
	frame := func(header []byte, size int) []byte { return append(header, bytes.Repeat([]byte{0xff}, size)...) }
	sent := [][]byte{
		frame([]byte{0x81, 5}, 5),
		frame([]byte{0x89, 0}, 0),
		frame([]byte{0x01, 126, 0, 200}, 200), // the first of a message in two frames
		frame([]byte{0x80, 127, 0, 0, 0, 0, 0, 1, 0, 1}, 1<<16+1),
		frame([]byte{0x82, 0x83, 1, 2, 3, 4}, 3), // masked, which servers must not do
		frame([]byte{0x81, 1}, 1),
	}
	all := bytes.Join(sent, nil)
	ends := []int{0}
	for _, one := range sent {
		ends = append(ends, ends[len(ends)-1]+len(one))
	}
	for cut := 0; cut <= len(all); cut++ {
		if cut > 230 && cut < len(all)-30 && cut%997 != 0 {
			continue // inside of the long frame
		}
		browser := &notedConn{}
		s := &socket{Conn: browser}
		for part := range slices.Chunk(all[:cut], 100) {
			if n, err := s.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		s.end(t.Context())
		for part := range slices.Chunk(all[cut:], 7000) {
			if n, err := s.Write(part); n != len(part) || err != nil { // less would end the copying
				t.Fatal(n, err)
			}
		}
		passed := ends[slices.IndexFunc(ends, func(end int) bool { return end >= cut })]
		if want := append(slices.Clone(all[:passed]), restartFrame...); !bytes.Equal(browser.Bytes(), want) {
			t.Fatalf("cut after %d: %d bytes, want %d", cut, browser.Len(), len(want))
		}
	}
}
