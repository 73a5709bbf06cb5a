package origin

import (
	"bytes"
	"net"
	"slices"
	"testing"
	"time"
)

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
