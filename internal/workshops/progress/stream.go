package progress

import (
	"encoding/binary"
	"errors"
)

// The bounds of what is kept of a stream.
const (
	messageLimit = 1 << 20  // bytes of a message; of a longer one the beginning is kept
	spareLimit   = 64 << 10 // bytes of memory that are kept for the next message
)

var errBroken = errors.New("these aren't the frames of a websocket without extensions")

// The kinds of frames of a websocket (RFC 6455, 5.2).
const (
	continuation = 0
	textFrame    = 1
	binaryFrame  = 2
	closeFrame   = 8 // this and those after it are control frames
	pongFrame    = 10
)

// frame is a message of a websocket, from all its frames.
type frame struct {
	binary bool
	data   []byte // only valid until the next one
	cut    bool   // data is the beginning alone
}

// stream follows one direction of a websocket.
type stream struct {
	header []byte // of the current frame, as far as it came
	inside bool   // the header is there, and
	left   uint64 // so many bytes of payload are still to come
	offset int    // how many came, for the mask

	kind    byte   // of the current message; continuation: none has begun
	message []byte // what is kept of it
	cut     bool   // it was longer
	closed  bool   // what follows is no message
}

// follow takes the next bytes and calls got with each message that ends in them. After an error the stream can't be followed further.
func (s *stream) follow(p []byte, got func(frame)) error {
	for len(p) > 0 && !s.closed {
		if !s.inside {
			size := min(s.headerSize()-len(s.header), len(p))
			s.header = append(s.header, p[:size]...)
			p = p[size:]
			if len(s.header) < s.headerSize() {
				continue // its second byte says how much more there is
			}
			if err := s.begin(); err != nil {
				return err
			}
		}
		size := int(min(s.left, uint64(len(p))))
		s.keep(p[:size])
		p = p[size:]
		if s.left == 0 {
			s.end(got)
		}
	}
	return nil
}

func (s *stream) headerSize() int {
	if len(s.header) < 2 {
		return 2
	}
	size := 2
	if s.masked() {
		size += 4
	}
	switch s.header[1] & 0x7f {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	return size
}

func (s *stream) masked() bool    { return s.header[1]&0x80 != 0 }
func (s *stream) final() bool     { return s.header[0]&0x80 != 0 }
func (s *stream) opcode() byte    { return s.header[0] & 0x0f }
func (s *stream) isControl() bool { return s.opcode() >= closeFrame }

// begin is called with each complete header.
func (s *stream) begin() error {
	s.inside, s.offset = true, 0
	switch length := s.header[1] & 0x7f; length {
	case 126:
		s.left = uint64(binary.BigEndian.Uint16(s.header[2:]))
	case 127:
		s.left = binary.BigEndian.Uint64(s.header[2:])
	default:
		s.left = uint64(length)
	}
	const reserved = 0x70
	if s.header[0]&reserved != 0 || s.left>>63 != 0 {
		return errBroken
	}
	switch opcode := s.opcode(); {
	case s.isControl():
		if opcode > pongFrame || !s.final() || s.left > 125 {
			return errBroken
		}
	case opcode > binaryFrame || (opcode == continuation) != (s.kind != continuation):
		return errBroken
	case opcode != continuation:
		s.kind = opcode
	}
	return nil
}

// keep takes a part of the current frame's payload.
func (s *stream) keep(part []byte) {
	offset := s.offset
	s.offset += len(part)
	s.left -= uint64(len(part))
	if s.isControl() {
		return
	}
	if room := messageLimit - len(s.message); len(part) > room {
		part, s.cut = part[:room], true
	}
	kept := len(s.message)
	s.message = append(s.message, part...)
	if s.masked() {
		mask := s.header[len(s.header)-4:]
		for at := range part {
			s.message[kept+at] ^= mask[(offset+at)%4]
		}
	}
}

// end is called with the last byte of each frame.
func (s *stream) end(got func(frame)) {
	opcode, final := s.opcode(), s.final()
	s.inside, s.header = false, s.header[:0]
	if opcode >= closeFrame {
		s.closed = opcode == closeFrame
		return
	}
	if !final {
		return
	}
	got(frame{binary: s.kind == binaryFrame, data: s.message, cut: s.cut})
	s.kind, s.message, s.cut = continuation, s.message[:0], false
	if cap(s.message) > spareLimit {
		s.message = nil
	}
}
