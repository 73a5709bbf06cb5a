package versions

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// digest is the SHA-256 of a content.
type digest [sha256.Size]byte

// What a record is.
const (
	chunkRecord   = 'c' // in packs
	versionRecord = 'v' // in the log, JSON of versionNote
	deleteRecord  = 'x' // in the log, JSON of deleteNote
)

const (
	recordHeader = 52
	recordMost   = 1 << 20 // bytes of a content
)

// recordMark begins each record. It isn't valid UTF-8.
var recordMark = [4]byte{0xff, 'c', 'v', 1}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Both can be used at the same time.
var (
	encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(2), zstd.WithEncoderCRC(false),
		zstd.WithLowerEncoderMem(true))
	decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(recordMost), zstd.WithDecodeAllCapLimit(true))
)

// record is a header that was read.
type record struct {
	kind       byte
	compressed bool
	stored     uint32 // bytes that follow
	raw        uint32 // bytes of the content
	digest     digest
}

// appendRecord writes a content as a record: mark, kind, whether it is compressed, two zeros, both lengths, digest, checksum
// of all else, and the stored bytes.
func appendRecord(to []byte, kind byte, sum digest, content []byte) []byte {
	begin := len(to)
	to = append(to, make([]byte, recordHeader)...)
	to = encoder.EncodeAll(content, to)
	compressed := byte(1)
	if len(to)-begin-recordHeader >= len(content) {
		to, compressed = append(to[:begin+recordHeader], content...), 0
	}
	header, body := to[begin:begin+recordHeader], to[begin+recordHeader:]
	copy(header, recordMark[:])
	header[4], header[5] = kind, compressed
	binary.LittleEndian.PutUint32(header[8:], uint32(len(body)))
	binary.LittleEndian.PutUint32(header[12:], uint32(len(content)))
	copy(header[16:], sum[:])
	binary.LittleEndian.PutUint32(header[48:], checksum(header, body))
	return to
}

func checksum(header, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(header[:48], castagnoli), castagnoli, body)
}

var errRecord = errors.New("that is no record")

// parseRecord reads the record at the beginning of some bytes, and compares its checksum.
func parseRecord(from []byte) (found record, body []byte, err error) {
	if len(from) < recordHeader || !bytes.Equal(from[:4], recordMark[:]) || from[5] > 1 || from[6] != 0 || from[7] != 0 {
		return record{}, nil, errRecord
	}
	found = record{
		kind: from[4], compressed: from[5] == 1, stored: binary.LittleEndian.Uint32(from[8:]), raw: binary.LittleEndian.Uint32(from[12:]),
		digest: digest(from[16:48]),
	}
	if found.raw > recordMost || found.stored > found.raw || uint64(len(from)-recordHeader) < uint64(found.stored) {
		return record{}, nil, errRecord
	}
	body = from[recordHeader : recordHeader+int(found.stored)]
	if binary.LittleEndian.Uint32(from[48:]) != checksum(from[:recordHeader], body) {
		return record{}, nil, errRecord
	}
	return found, body, nil
}

// content returns what a record holds, compared with its digest.
func (r record) content(body []byte) ([]byte, error) { return r.contentIn(body, nil) }

// contentIn is content, in a buffer if that is large enough.
func (r record) contentIn(body, buffer []byte) ([]byte, error) {
	content := body
	if r.compressed {
		if cap(buffer) < int(r.raw) {
			buffer = make([]byte, 0, r.raw)
		}
		var err error
		if content, err = decoder.DecodeAll(body, buffer[:0]); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	if len(content) != int(r.raw) || sha256.Sum256(content) != r.digest {
		return nil, ErrDamaged
	}
	return content, nil
}

// scan visits the whole records of a file, and returns where the last one ends: what follows was torn by a crash. Bytes
// between whole records are skipped.
func scan(from io.ReaderAt, length int64, visit func(at int64, found record, body []byte)) (end int64, err error) {
	if length > math.MaxInt32 {
		return 0, fmt.Errorf("%w: a file of %d bytes", ErrDamaged, length)
	}
	content := make([]byte, length)
	if count, err := from.ReadAt(content, 0); err != nil && (!errors.Is(err, io.EOF) || int64(count) < length) {
		return 0, err
	}
	for at := int64(0); at < length; {
		found, body, err := parseRecord(content[at:])
		if err != nil {
			next := bytes.Index(content[at+1:], recordMark[:])
			if next < 0 {
				break
			}
			at += 1 + int64(next)
			continue
		}
		visit(at, found, body)
		at += recordHeader + int64(found.stored)
		end = at
	}
	return end, nil
}
