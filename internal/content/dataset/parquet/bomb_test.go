package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"cairn/internal/content/dataset/bounded"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// page returns a page as a file has it: its header in Thrift's compact protocol, and its content.
func page(kind int64, packed []byte, unpacked, values, encoding int64) []byte {
	var written []byte
	field := func(step byte, value int64) {
		written = binary.AppendVarint(append(written, step<<4|thriftI32), value)
	}
	field(1, kind)
	field(1, unpacked)
	field(1, int64(len(packed)))
	step := byte(2) // to field 5, the header of data
	if kind == pageDictionary {
		step = 4
	}
	written = append(written, step<<4|thriftStruct)
	field(1, values)
	field(1, encoding)
	return append(append(written, 0, 0), packed...)
}

// columnOf returns the values of a column of bytes that has these pages.
func columnOf(t *testing.T, codec int64, pages ...[]byte) *values {
	t.Helper()
	content := append([]byte("PAR1"), bytes.Join(pages, nil)...)
	file := &File{source: bounded.New(t.Context(), bytes.NewReader(content), readBytes), work: work{unpackedBytes, heldBytes, valuesLimit}}
	return newValues(file, &node{physical: typeBytes}, chunk{offset: 4, length: int64(len(content) - 4), values: 1 << 40, codec: codec})
}

// drain reads values until there is an error.
func drain(v *values) (read int, err error) {
	for {
		if _, err = v.next(); err != nil {
			return read, err
		}
		read++
	}
}

// allocated returns how many bytes work asks for in all.
func allocated(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func packers(t *testing.T) map[int64]func([]byte) []byte {
	t.Helper()
	zipper, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[int64]func([]byte) []byte{
		codecSnappy: func(content []byte) []byte { return snappy.Encode(nil, content) },
		codecGzip: func(content []byte) []byte {
			var packed bytes.Buffer
			writer := gzip.NewWriter(&packed)
			if _, err := writer.Write(content); err != nil || writer.Close() != nil {
				t.Fatal(err)
			}
			return packed.Bytes()
		},
		codecZstd: func(content []byte) []byte { return zipper.EncodeAll(content, nil) },
	}
}

// A page that unpacks to far more than it takes costs what its header says, and that only while the file's work lasts.
func TestPagesThatUnpackToALot(t *testing.T) {
	const large = 48 << 20
	for codec, pack := range packers(t) {
		bomb := pack(make([]byte, large))
		for name, test := range map[string]struct {
			pages [][]byte
			want  error
			most  uint64 // bytes asked for in all
		}{
			"says so":   {[][]byte{page(pageData, bomb, large, 1, encodingPlain)}, bounded.ErrLimit, 1 << 20},
			"says more": {[][]byte{page(pageData, bomb, 1<<40, 1, encodingPlain)}, bounded.ErrLimit, 1 << 20},
			"says less": {[][]byte{page(pageData, bomb, 10, 2, encodingPlain)}, errDamaged, 20 << 20},
			// Each of these is allowed alone: together they are what is unpacked of a file, or held, at most.
			"one after another": {repeat(page(pageData, pack(make([]byte, pageBytes)), pageBytes, 1, encodingPlain), 40), bounded.ErrLimit, 3 * unpackedBytes},
			"dictionaries":      {repeat(page(pageDictionary, pack(make([]byte, pageBytes)), pageBytes, 1, encodingPlain), 40), bounded.ErrLimit, 3 * unpackedBytes},
		} {
			column := columnOf(t, codec, test.pages...)
			var err error
			asked := allocated(func() { _, err = drain(column) })
			if !errors.Is(err, test.want) || asked > test.most {
				t.Errorf("compression %d, a page that %s: %v after %d MiB", codec, name, err, asked>>20)
			}
		}
	}
}

func repeat(one []byte, times int) (all [][]byte) {
	for range times {
		all = append(all, one)
	}
	return all
}

// deltasOf writes integers as differences: blocks of 128 in one miniblock, 16 bits each.
func deltasOf(numbers []int64) []byte {
	written := binary.AppendUvarint(nil, 128)
	written = binary.AppendUvarint(written, 1)
	written = binary.AppendUvarint(written, uint64(len(numbers)))
	written = binary.AppendVarint(written, numbers[0])
	for at := 1; at < len(numbers); at += 128 {
		written = append(binary.AppendVarint(written, math.MinInt16), 16)
		for i := at; i < at+128; i++ {
			step := int64(0)
			if i < len(numbers) {
				step = numbers[i] - numbers[i-1]
			}
			written = binary.LittleEndian.AppendUint16(written, uint16(step-math.MinInt16))
		}
	}
	return written
}

// Texts that each repeat the one before and add a little grow with the square of the page.
func TestTextsThatRepeatTheOneBefore(t *testing.T) {
	const count, added = 100_000, 50
	prefixes, suffixes := make([]int64, count), make([]int64, count)
	for i := range count {
		prefixes[i], suffixes[i] = int64(i)*added, added
	}
	content := bytes.Join([][]byte{deltasOf(prefixes), deltasOf(suffixes), []byte(strings.Repeat("x", count*added))}, nil)
	var read int
	var err error
	asked := allocated(func() {
		read, err = drain(columnOf(t, codecNone, page(pageData, content, int64(len(content)), count, encodingDeltaBytes)))
	})
	if !errors.Is(err, bounded.ErrLimit) || read < 1000 || asked > 6*unpackedBytes {
		t.Errorf("%d texts, %v after %d MiB", read, err, asked>>20)
	}
}

// Without a bomb, the same pages are read.
func TestPagesWrittenByHand(t *testing.T) {
	content := bytes.Join([][]byte{deltasOf([]int64{0, 2, 3}), deltasOf([]int64{2, 1, 1}), []byte("abcd")}, nil)
	for codec, pack := range packers(t) {
		v := columnOf(t, codec, page(pageData, pack(content), int64(len(content)), 3, encodingDeltaBytes))
		for _, want := range []string{"ab", "abc", "abcd"} {
			if one, err := v.next(); err != nil || !strings.HasSuffix(one.text, want) {
				t.Errorf("compression %d: got %q, %v, want %q", codec, one.text, err, want)
			}
		}
	}
}
