package index

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cespare/xxhash/v2"
	"github.com/google/uuid"
)

// Position identifies the state of the database that an index reflects.
type Position struct {
	Seq     int64  // the newest change that it includes
	History string // distinguishes databases with the same numbers
	Rows    string // distinguishes what Document.Row refers to
}

// snapshotMagic begins a snapshot; the number after it is the format version.
const snapshotMagic = "cairn catalog index 13\n"

// ErrSnapshot means that a file isn't a snapshot that this program can use.
var ErrSnapshot = errors.New("the file isn't a complete snapshot of this version")

// Write writes a snapshot: everything in the index, and a checksum. Apply must not run concurrently; searches may.
func (ix *Index) Write(w io.Writer, position Position) error {
	digest, size := xxhash.New(), counter(0)
	out := &snapshotWriter{w: bufio.NewWriterSize(io.MultiWriter(w, digest, &size), 1<<20)}
	out.bytes(snapshotMagic)
	out.number(textRules)
	out.number(uint64(position.Seq))
	out.text(position.History)
	out.text(position.Rows)
	out.texts(ix.types)

	out.number(uint64(len(ix.tags)))
	for i := range ix.tags {
		one := &ix.tags[i]
		out.text(one.id)
		out.text(one.value)
		out.number(uint64(one.public))
		out.set(&one.all)
	}
	out.number(uint64(len(ix.authors)))
	for i := range ix.authors {
		out.text(ix.authors[i].email)
		out.set(&ix.authors[i].all)
	}
	out.number(uint64(len(ix.terms)))
	for i := range ix.terms {
		one := &ix.terms[i]
		out.text(one.text)
		out.set(&one.all)
		out.set(&one.inName)
		out.set(&one.inAuthor)
	}
	for beginning, one := range ix.prefixes {
		if one.all != nil {
			out.text(beginning)
			out.set(one.all)
		}
	}
	out.text("")
	out.number(uint64(len(ix.grams)))
	for key, one := range ix.grams {
		out.number(uint64(key))
		out.set(one)
	}
	for i := range ix.kinds {
		out.set(&ix.kinds[i])
	}
	for i := range ix.outcomes {
		out.set(&ix.outcomes[i])
	}
	out.set(&ix.public)
	if out.err == nil {
		out.err = out.w.Flush()
	}
	documents := uint64(size)
	ix.writeDocuments(out)
	out.bytes(string(binary.LittleEndian.AppendUint64(nil, documents)))
	if out.err == nil {
		out.err = out.w.Flush()
	}
	if out.err == nil {
		_, out.err = w.Write(binary.LittleEndian.AppendUint64(nil, digest.Sum64()))
	}
	return out.err
}

// counter counts the bytes that are written.
type counter int64

func (c *counter) Write(part []byte) (int, error) {
	*c += counter(len(part))
	return len(part), nil
}

// writeDocuments writes the entries by name, so that reading doesn't have to sort them again, then their other orders.
func (ix *Index) writeDocuments(out *snapshotWriter) {
	out.number(uint64(len(ix.documents)))
	out.number(uint64(ix.byName.Len()))
	ix.byName.Scan(func(ordinal uint32) bool {
		d := &ix.documents[ordinal]
		out.number(uint64(ordinal))
		out.bytes(string(d.id[:]))
		flags := uint64(0)
		if d.private {
			flags |= isPrivate
		}
		out.number(flags)
		_, packed, _ := ix.texts.at(d.location)
		out.text(string(packed))
		out.number(uint64(d.created))
		out.number(d.digest)
		out.number(d.row)
		out.number(uint64(d.stars))
		out.number(uint64(d.used))
		out.number(uint64(d.length))
		out.number(uint64(d.kind))
		out.number(uint64(d.outcome))
		out.number(uint64(d.ran))
		return out.err == nil
	})
	ix.byNewest.Scan(func(ordinal uint32) bool {
		out.number(uint64(ordinal))
		return out.err == nil
	})
}

// isPrivate is a flag of an entry in a snapshot.
const isPrivate = 1

type snapshotWriter struct {
	w       *bufio.Writer
	scratch []byte
	err     error
}

func (out *snapshotWriter) number(value uint64) {
	out.scratch = binary.AppendUvarint(out.scratch[:0], value)
	if _, err := out.w.Write(out.scratch); err != nil {
		out.err = err
	}
}

func (out *snapshotWriter) bytes(text string) {
	if _, err := out.w.WriteString(text); err != nil {
		out.err = err
	}
}

func (out *snapshotWriter) text(text string) {
	out.number(uint64(len(text)))
	out.bytes(text)
}

func (out *snapshotWriter) texts(values []string) {
	out.number(uint64(len(values)))
	for _, value := range values {
		out.text(value)
	}
}

// set writes the number of listed members and their numbers, or bitmapFollows and a bitmap in roaring's own format.
func (out *snapshotWriter) set(s *set) {
	if s.many == nil {
		out.number(uint64(len(s.few)))
		for _, ordinal := range s.few {
			out.number(uint64(ordinal))
		}
		return
	}
	out.number(bitmapFollows)
	if _, err := s.many.WriteTo(out.w); err != nil {
		out.err = err
	}
}

const bitmapFollows = fewest + 1

// Read creates an index from a snapshot. It returns ErrSnapshot if the file is truncated, has other text rules, or
// isn't a snapshot.
func Read(file Snapshot, types []string) (*Index, Position, error) {
	size, err := checkSum(file)
	if err != nil {
		return nil, Position{}, err
	}
	// The sets and the entries are read at the same time: neither needs the other.
	documents, end, err := documentsIn(file, size)
	if err != nil {
		return nil, Position{}, err
	}
	in := newSnapshotReader(file, 0, documents)
	if string(in.take(len(snapshotMagic))) != snapshotMagic || in.number() != textRules {
		return nil, Position{}, ErrSnapshot
	}
	position := Position{Seq: int64(in.number()), History: in.text(), Rows: in.text()}
	known := make([]string, in.count(100))
	for i := range known {
		known[i] = in.text()
	}
	if !slices.Equal(known, types) {
		return nil, Position{}, ErrSnapshot
	}
	ix := New(types)
	rest := newSnapshotReader(file, documents, end)
	var reading sync.WaitGroup
	reading.Go(func() { rest.readDocuments(ix) })
	in.readSets(ix)
	reading.Wait()
	if err := errors.Join(in.err, rest.err); err != nil {
		return nil, Position{}, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	return ix, position, nil
}

// Snapshot is a file that Read reads.
type Snapshot interface {
	io.ReadSeeker
	io.ReaderAt
}

// documentsIn returns where the entries begin and end, in bytes.
func documentsIn(file io.ReaderAt, size int64) (begin, end int64, err error) {
	end = size - 16 // this number and the checksum
	var written [8]byte
	if _, err := file.ReadAt(written[:], end); err != nil {
		return 0, 0, err
	}
	if begin = int64(binary.LittleEndian.Uint64(written[:])); begin < 0 || begin > end {
		return 0, 0, ErrSnapshot
	}
	return begin, end, nil
}

// checkSum compares the checksum at the end of a file, and returns the file's size.
func checkSum(file Snapshot) (size int64, err error) {
	size, err = file.Seek(0, io.SeekEnd)
	if err != nil || size < int64(len(snapshotMagic)+16) {
		return 0, errors.Join(ErrSnapshot, err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	digest := xxhash.New()
	if _, err := io.CopyBuffer(digest, io.LimitReader(file, size-8), make([]byte, 1<<20)); err != nil {
		return 0, err
	}
	var written [8]byte
	if _, err := io.ReadFull(file, written[:]); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint64(written[:]) != digest.Sum64() {
		return 0, ErrSnapshot
	}
	return size, nil
}

func (in *snapshotReader) readSets(ix *Index) {
	ix.building = true // the sets of prefixes follow
	defer func() { ix.building = false }()
	ix.tags = make([]tag, in.count(math.MaxInt32))
	for i := range ix.tags {
		one := &ix.tags[i]
		one.id, one.value, one.public = in.text(), in.text(), int(in.number())
		in.set(&one.all)
		if in.err != nil {
			return
		}
		one.count = one.all.size()
		number := uint32(i)
		ix.tagByValue[one.value] = number
		one.folded = Fold(one.value)
		ix.tagsByFold[one.folded] = append(ix.tagsByFold[one.folded], number)
		ix.popular.Set(number)
	}
	ix.authors = make([]author, in.count(math.MaxInt32))
	for i := range ix.authors {
		ix.authors[i].email = in.text()
		ix.authorByEmail[ix.authors[i].email] = uint32(i)
		in.set(&ix.authors[i].all)
		if in.err != nil {
			return
		}
	}
	count := in.count(math.MaxInt32)
	ix.terms, ix.termByText = make([]term, 0, count), make(map[string]uint32, count)
	for range count {
		number := ix.termNumber(in.text())
		one := &ix.terms[number]
		in.set(&one.all)
		in.set(&one.inName)
		in.set(&one.inAuthor)
		if in.err != nil {
			return
		}
	}
	ix.finishWordsOfNames()
	for beginning := in.text(); beginning != ""; beginning = in.text() {
		one := ix.prefixes[beginning]
		if one == nil || in.err != nil {
			in.fail(errors.New("a prefix without words"))
			return
		}
		one.all = &set{}
		in.set(one.all)
	}
	for range in.count(math.MaxInt32) {
		in.set(setOf(ix.grams, gram(in.number())))
		if in.err != nil {
			return
		}
	}
	for i := range ix.kinds {
		in.set(&ix.kinds[i])
	}
	for i := range ix.outcomes {
		in.set(&ix.outcomes[i])
	}
	in.set(&ix.public)
}

func (in *snapshotReader) readDocuments(ix *Index) {
	length, count := in.count(math.MaxInt32), in.count(math.MaxInt32)
	if in.err != nil || count > length {
		in.fail(errors.New("more entries than ordinals"))
		return
	}
	ix.documents, ix.ordinals = make([]document, length), make(map[uuid.UUID]uint32, count)
	for range count {
		ordinal := in.ordinal(length)
		id, err := uuid.FromBytes(in.take(16))
		flags := in.number()
		packed := in.take(in.count(textLimit))
		found, wrong := unpack(packed)
		tags := found.record.tags()
		d := document{
			id: id, location: ix.texts.put(ordinal, packed), created: int64(in.number()), digest: in.number(), row: in.number(),
			stars: uint32(in.number()), used: uint32(in.number()), length: uint32(in.number()), kind: uint8(in.number()), private: flags&isPrivate != 0,
			outcome: uint8(in.count(len(Outcomes))), ran: int64(in.number()),
		}
		if err := errors.Join(err, wrong, in.err); err != nil {
			in.fail(err)
			return
		}
		ix.documents[ordinal] = d
		ix.tagsOf.put(ordinal, tags)
		ix.ordinals[id] = ordinal
		ix.words += int(d.length)
		ix.byName.Load(ordinal)
		ix.orderUse(ordinal)
	}
	for range count {
		ordinal := in.ordinal(length)
		if in.err != nil {
			return
		}
		ix.byNewest.Load(ordinal)
	}
	for ordinal := range ix.documents {
		if ix.documents[ordinal].id == uuid.Nil {
			ix.free = append(ix.free, uint32(ordinal))
		}
	}
}

// newSnapshotReader reads a part of a file.
func newSnapshotReader(file io.ReaderAt, begin, end int64) *snapshotReader {
	return &snapshotReader{r: bufio.NewReaderSize(io.NewSectionReader(file, begin, end-begin), textLimit)}
}

type snapshotReader struct {
	r   *bufio.Reader
	err error
}

func (in *snapshotReader) fail(err error) {
	if in.err == nil {
		in.err = err
	}
}

// take returns the next bytes, valid until the next call; nil after a fault.
func (in *snapshotReader) take(length int) []byte {
	if in.err != nil {
		return nil
	}
	taken, err := in.r.Peek(length)
	if err != nil {
		in.fail(err)
		return nil
	}
	_, _ = in.r.Discard(length) // it is there
	return taken
}

func (in *snapshotReader) number() uint64 {
	ahead, err := in.r.Peek(binary.MaxVarintLen64)
	value, length := binary.Uvarint(ahead)
	if length <= 0 {
		in.fail(errors.Join(errors.New("a number is cut off"), err))
		return 0
	}
	_, _ = in.r.Discard(length)
	return value
}

// count reads the number of items that follow; more than a bound is a fault of the file.
func (in *snapshotReader) count(most int) int {
	value := in.number()
	if value > uint64(most) {
		in.fail(errors.New("a count is too large"))
	}
	if in.err != nil {
		return 0
	}
	return int(value)
}

func (in *snapshotReader) ordinal(length int) uint32 {
	value := in.number()
	if value >= uint64(length) {
		in.fail(errors.New("an entry beyond the last ordinal"))
		return 0
	}
	return uint32(value)
}

// textLimit is larger than any text of an index.
const textLimit = 1 << 20

func (in *snapshotReader) text() string { return string(in.take(in.count(textLimit))) }

func (in *snapshotReader) set(s *set) {
	size := in.number()
	if in.err != nil {
		return
	}
	if size < bitmapFollows {
		s.few = make([]uint32, size)
		for i := range s.few {
			s.few[i] = uint32(in.number())
		}
		return
	}
	s.many = roaring.New()
	if _, err := s.many.ReadFrom(in.r); err != nil {
		in.fail(err)
	}
}
