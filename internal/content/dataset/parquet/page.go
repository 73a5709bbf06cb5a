package parquet

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"cairn/internal/content/dataset/bounded"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// Kinds of pages.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3
)

// header is what stands before a page.
type header struct {
	kind, unpacked, packed                 int64
	values, encoding                       int64
	definitionEncoding, repetitionEncoding int64
	definitionBytes, repetitionBytes       int64
	isPlain                                bool // a page of version 2 that isn't packed
	offset                                 int64
}

// headerBytes is how much is read for a header at first, and at most: it may contain the extreme values of the page.
const headerBytes, longestHeader = 256, 64 << 10

// header reads the header of the next page.
func (v *values) header() (header, error) {
	for size := int64(headerBytes); ; size *= 4 {
		available := min(size, v.from.length)
		if available <= 0 || v.from.offset < 4 {
			if v.from.length == 0 && v.from.offset == 0 {
				return header{}, ErrEncrypted
			}
			return header{}, errDamaged
		}
		begin, err := v.file.source.Bytes(v.from.offset, available)
		if err != nil {
			return header{}, err
		}
		t := thrift{rest: begin}
		found := t.header()
		if t.err != nil {
			if available < size || size > longestHeader {
				return header{}, errDamaged
			}
			continue
		}
		read := available - int64(len(t.rest))
		found.offset = v.from.offset + read
		v.from.offset += read + found.packed
		v.from.length -= read + found.packed
		if found.packed < 0 || found.unpacked < 0 || found.values < 0 || found.definitionBytes < 0 || found.repetitionBytes < 0 || v.from.length < 0 {
			return header{}, errDamaged
		}
		return found, nil
	}
}

func (t *thrift) header() (found header) {
	found.kind = -1
	t.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && kind == thriftI32:
			found.kind = t.integer()
		case id == 2 && kind == thriftI32:
			found.unpacked = t.integer()
		case id == 3 && kind == thriftI32:
			found.packed = t.integer()
		case id == 5 && kind == thriftStruct:
			t.numbers(map[int16]*int64{1: &found.values, 2: &found.encoding, 3: &found.definitionEncoding, 4: &found.repetitionEncoding})
		case id == 7 && kind == thriftStruct:
			t.numbers(map[int16]*int64{1: &found.values, 2: &found.encoding})
		case id == 8 && kind == thriftStruct:
			found.isPlain = t.numbers(map[int16]*int64{1: &found.values, 4: &found.encoding, 5: &found.definitionBytes, 6: &found.repetitionBytes})
		default:
			return false
		}
		return true
	})
	if t.err == nil && (found.kind < 0 || found.kind > pageDataV2) {
		t.fail()
	}
	return found
}

// numbers reads fields that are numbers, and reports whether field 7 says no.
func (t *thrift) numbers(into map[int16]*int64) (no bool) {
	t.fields(func(id int16, kind byte) bool {
		no = no || id == 7 && kind == thriftFalse
		if into[id] == nil || kind != thriftI32 {
			return false
		}
		*into[id] = t.integer()
		return true
	})
	return no
}

// Compressions.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecZstd   = 6
)

var codecNames = map[int64]string{3: "LZO", 4: "Brotli", 5: "LZ4", 7: "LZ4"}

// unpack reads the content of a page, which takes no more memory than the header says, and that only if it is allowed.
func (v *values) unpack(head header) ([]byte, error) {
	if head.packed > pageBytes || head.unpacked > pageBytes || head.unpacked > v.file.work.unpacked {
		return nil, bounded.ErrLimit
	}
	if err := v.hold(head.unpacked); err != nil {
		return nil, err
	}
	v.file.work.unpacked -= head.unpacked
	packed, err := v.file.source.Bytes(head.offset, head.packed)
	if err != nil {
		return nil, err
	}
	if head.kind != pageDataV2 {
		return unpack(packed, v.from.codec, head.unpacked)
	}
	levels := head.repetitionBytes + head.definitionBytes // which aren't packed
	if levels > int64(len(packed)) || levels > head.unpacked {
		return nil, errDamaged
	}
	if head.isPlain {
		return packed, nil
	}
	content, err := unpack(packed[levels:], v.from.codec, head.unpacked-levels)
	return append(packed[:levels:levels], content...), err
}

func unpack(packed []byte, codec, size int64) ([]byte, error) {
	var from io.Reader
	switch codec {
	case codecNone:
		return packed, nil
	case codecSnappy:
		if length, err := snappy.DecodedLen(packed); err != nil || int64(length) != size {
			return nil, errDamaged
		}
		content, err := snappy.Decode(nil, packed)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errDamaged, err)
		}
		return content, nil
	case codecGzip:
		unzipped, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errDamaged, err)
		}
		from = unzipped
	case codecZstd:
		if size == 0 {
			return nil, nil
		}
		decoder, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(pageBytes))
		if err != nil {
			return nil, err
		}
		defer decoder.Close()
		from = decoder
	default:
		return nil, fmt.Errorf("%w: compression %s", ErrUnknown, codecNames[codec])
	}
	content := make([]byte, size)
	if _, err := io.ReadFull(from, content); err != nil {
		return nil, errors.Join(errDamaged, err)
	}
	return content, nil
}
