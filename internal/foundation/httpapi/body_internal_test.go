package httpapi

import (
	"bytes"
	"io"
	"net/http/httptest"
	"testing"
	"time"
)

// slowly sends so many bytes at a time, each after a pause.
type slowly struct {
	clock *time.Time
	pause time.Duration
	bytes int
	ends  time.Time // the deadline
}

func (s *slowly) Read(into []byte) (int, error) {
	*s.clock = s.clock.Add(s.pause)
	if s.clock.After(s.ends) {
		return 0, io.ErrNoProgress
	}
	return copy(into, bytes.Repeat([]byte("x"), s.bytes)), nil
}

func (s *slowly) Close() error { return nil }

// response takes the deadlines.
type response struct {
	*httptest.ResponseRecorder

	body *slowly
}

func (r response) SetReadDeadline(deadline time.Time) error {
	r.body.ends = deadline
	return nil
}

// A client that keeps sending, but next to nothing, holds a connection like one that sends nothing.
func TestBodiesOfNextToNothingEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pause time.Duration
		bytes int
		ends  bool
	}{
		"a byte each second":               {time.Second, 1, true},
		"a byte each nine seconds":         {9 * time.Second, 1, true},
		"chunks of curl --limit-rate 500":  {time.Second, 500, true},
		"a slow line":                      {time.Second, 2 << 10, false},
		"a line with interruptions":        {9 * time.Second, 64 << 10, false},
		"much after a pause that is short": {100 * time.Millisecond, 32 << 10, false},
	} {
		clock := time.Date(2027, 3, 3, 9, 0, 0, 0, time.UTC)
		from := &slowly{clock: &clock, pause: c.pause, bytes: c.bytes}
		body := &progressingBody{
			ReadCloser: from, ResponseWriter: response{httptest.NewRecorder(), from}, timeout: BodyTimeout, left: BodyTimeout,
			now: func() time.Time { return clock },
		}
		var err error
		for range 1000 {
			if _, err = body.Read(make([]byte, 64<<10)); err != nil {
				break
			}
		}
		if (err != nil) != c.ends {
			t.Errorf("%s: %v", name, err)
		}
	}
}
