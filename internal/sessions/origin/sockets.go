package origin

import (
	"bufio"
	"context"
	"encoding/binary"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
)

// Sockets knows the requests to sessions that are being answered, and the websockets among them.
type Sockets struct {
	mu       sync.Mutex
	requests int              // protected by mu, like the others
	tabs     map[string]int   // open websockets, by session
	open     map[*socket]bool // those of them that the session's server has accepted
}

// NewSockets returns an empty set.
func NewSockets() *Sockets {
	return &Sockets{tabs: map[string]int{}, open: map[*socket]bool{}}
}

// countRequest counts a request to a session until the returned function is called.
func (s *Sockets) countRequest() (done func()) {
	count := func(change int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests += change
	}
	count(1)
	return func() { count(-1) }
}

// countSocket counts a websocket as an open tab until the returned function is called.
func (s *Sockets) countSocket(id string) (closed func()) {
	count := func(change int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.tabs[id] += change; s.tabs[id] == 0 {
			delete(s.tabs, id)
		}
	}
	count(1)
	return func() { count(-1) }
}

// OpenSockets implements reconcile.Tabs.
func (s *Sockets) OpenSockets(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tabs[id]
}

// count returns how many requests are being answered, and how many of them are websockets.
func (s *Sockets) count() (requests, sockets int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, count := range s.tabs {
		sockets += count
	}
	return s.requests, sockets
}

// End closes all websockets with the code 1012 (service restart), after which the pages of Jupyter connect again, and
// returns when the browsers have answered or ctx ends.
func (s *Sockets) End(ctx context.Context) {
	s.mu.Lock()
	open := slices.Collect(maps.Keys(s.open))
	s.mu.Unlock()
	var closing sync.WaitGroup
	for _, one := range open {
		closing.Go(func() {
			one.end(ctx)
			select {
			case <-one.left:
			case <-ctx.Done():
			}
		})
	}
	closing.Wait()
}

// socketAnswer is the answer to a request for a websocket. The proxy takes the connection over once the session's server
// has accepted, and copies all bytes between the two.
type socketAnswer struct {
	http.ResponseWriter

	sockets *Sockets
	socket  *socket
}

// follow returns an answer whose connection End closes, once the session's server has accepted it.
func (s *Sockets) follow(w http.ResponseWriter) *socketAnswer {
	return &socketAnswer{ResponseWriter: w, sockets: s, socket: &socket{left: make(chan struct{})}}
}

// Hijack implements http.Hijacker.
func (a *socketAnswer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	browser, buffered, err := http.NewResponseController(a.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	a.socket.Conn = browser
	a.sockets.mu.Lock()
	defer a.sockets.mu.Unlock()
	a.sockets.open[a.socket] = true
	return a.socket, buffered, nil
}

// observe has a tap get what passes, once the session's server has accepted.
func (a *socketAnswer) observe(tap Tap, done func()) { a.socket.tap, a.socket.untap = tap, done }

// Unwrap lets http.ResponseController reach everything else.
func (a *socketAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// leave is called when the proxy is done.
func (a *socketAnswer) leave() {
	close(a.socket.left)
	if a.socket.untap != nil {
		a.socket.untap()
	}
	a.sockets.mu.Lock()
	defer a.sockets.mu.Unlock()
	delete(a.sockets.open, a.socket)
}

// socket is a browser's connection with a session's server. It follows what the server sends, frame by frame, because a
// frame of ours can only stand between two of these.
type socket struct {
	net.Conn // to the browser

	left chan struct{} // closed when the proxy is done

	tap   Tap    // gets what passes; nil: nobody. It is set before anything does
	untap func() // is called when the proxy is done, if there is a tap

	mu     sync.Mutex
	frames frames // of the session's server; protected by mu, like the others
	ending bool   // the browser is told to close after the current frame
	ended  bool   // it was told
}

// restartFrame closes a websocket (RFC 6455, 5.5.1) with the code 1012, service restart.
var restartFrame = binary.BigEndian.AppendUint16([]byte{0x88, 2}, 1012)

// end tells the browser to close. Its answer goes to the session's server, which ends the connection then.
func (s *socket) end(ctx context.Context) {
	if deadline, ok := ctx.Deadline(); ok {
		_ = s.SetWriteDeadline(deadline) // a browser that doesn't read would hold s.mu
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = true
	_ = s.tell()
}

// tell sends the browser our frame if it is to end and this is a place for it. s.mu must be held.
func (s *socket) tell() error {
	if !s.ending || s.ended || !s.frames.between() {
		return nil
	}
	s.ended = true
	_, err := s.Conn.Write(restartFrame)
	return err
}

// Write sends the browser what came from the session's server, until the browser is told to close; the rest is dropped.
func (s *socket) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return len(data), nil
	}
	passed := 0
	for passed < len(data) && (passed == 0 || !s.ending || !s.frames.between()) {
		passed += s.frames.follow(data[passed:])
	}
	if s.tap != nil {
		s.tap.FromKernel(data[:passed])
	}
	if written, err := s.Conn.Write(data[:passed]); err != nil {
		return written, err
	}
	return len(data), s.tell()
}

// Read returns what the browser sends.
func (s *socket) Read(p []byte) (int, error) {
	count, err := s.Conn.Read(p)
	if s.tap != nil {
		s.tap.FromPage(p[:count])
	}
	return count, err
}

// CloseWrite passes the end of what the session's server sends on to the browser.
func (s *socket) CloseWrite() error {
	if half, ok := s.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return s.Close()
}

// frames follows the frames of one direction of a websocket (RFC 6455, 5.2).
type frames struct {
	header  []byte // of the current frame, as far as it came; empty between two frames
	payload uint64 // bytes of the current frame that are still to come, once its header is there
}

func (f *frames) between() bool { return len(f.header) == 0 }

// follow returns how much of data belongs to the current frame, or to the next one if it is between two.
func (f *frames) follow(data []byte) (count int) {
	for count < len(data) && len(f.header) < f.headerSize() {
		f.header = append(f.header, data[count])
		count++
		if len(f.header) == f.headerSize() {
			f.payload = f.payloadSize()
		}
	}
	if len(f.header) < f.headerSize() {
		return count
	}
	part := min(f.payload, uint64(len(data)-count))
	if f.payload -= part; f.payload == 0 {
		f.header = f.header[:0]
	}
	return count + int(part)
}

// headerSize is known once the first two bytes are there.
func (f *frames) headerSize() int {
	size := 2
	if len(f.header) < size {
		return size
	}
	switch f.header[1] & 0x7f {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	if f.header[1]&0x80 != 0 { // masked
		size += 4
	}
	return size
}

func (f *frames) payloadSize() uint64 {
	switch length := f.header[1] & 0x7f; length {
	case 126:
		return uint64(binary.BigEndian.Uint16(f.header[2:]))
	case 127:
		return binary.BigEndian.Uint64(f.header[2:])
	default:
		return uint64(length)
	}
}
