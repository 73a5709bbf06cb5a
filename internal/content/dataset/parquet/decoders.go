package parquet

import (
	"encoding/binary"
	"math/bits"

	"cairn/internal/content/dataset/bounded"
)

// raw is a value before it is shown: of integers and booleans the number, of all others the bytes, valid until the next one.
type raw struct {
	number int64
	bytes  []byte
	isSet  bool // number is the value
}

// decoder reads the values of a page.
type decoder interface {
	next() (raw, error)
}

// plain reads values that follow each other, of a width or with their lengths before them.
type plain struct {
	rest  []byte
	width int
}

func (p *plain) next() (raw, error) {
	width := p.width
	if width == 0 {
		if len(p.rest) < 4 {
			return raw{}, errDamaged
		}
		width = int(binary.LittleEndian.Uint32(p.rest))
		p.rest = p.rest[4:]
	}
	if width > len(p.rest) {
		return raw{}, errDamaged
	}
	one := p.rest[:width]
	p.rest = p.rest[width:]
	return raw{bytes: one}, nil
}

// truthBits reads truth values, eight in a byte.
type truthBits struct {
	content []byte
	at      int
}

func (b *truthBits) next() (raw, error) {
	if b.at/8 >= len(b.content) {
		return raw{}, errDamaged
	}
	bit := b.content[b.at/8] >> (b.at % 8) & 1
	b.at++
	return raw{number: int64(bit), isSet: true}, nil
}

// splitted reads values whose first bytes come first, then all second bytes, and so on.
type splitted struct {
	content   []byte
	count, at int
	one       []byte
}

func (s *splitted) next() (raw, error) {
	if s.at >= s.count {
		return raw{}, errDamaged
	}
	for i := range s.one {
		s.one[i] = s.content[i*s.count+s.at]
	}
	s.at++
	return raw{bytes: s.one}, nil
}

// dictionary holds the values that others refer to.
type dictionary struct {
	content []byte
	width   int
	ends    []uint32 // of values with lengths
}

func newDictionary(v *values, head header, content []byte) (*dictionary, error) {
	result := &dictionary{content: content, width: v.leaf.width()}
	if v.leaf.physical == typeBoolean {
		return nil, errDamaged
	}
	if result.width > 0 {
		return result, nil
	}
	if head.values > int64(len(content)/4) {
		return nil, errDamaged
	}
	if err := v.hold(head.values * 4); err != nil {
		return nil, err
	}
	result.ends = make([]uint32, 0, head.values)
	source := plain{rest: content}
	for range head.values {
		if _, err := source.next(); err != nil {
			return nil, err
		}
		result.ends = append(result.ends, uint32(len(content)-len(source.rest)))
	}
	return result, nil
}

func (d *dictionary) value(at int) ([]byte, error) {
	if d.width > 0 {
		if at < 0 || at >= len(d.content)/d.width {
			return nil, errDamaged
		}
		return d.content[at*d.width : (at+1)*d.width], nil
	}
	if at < 0 || at >= len(d.ends) {
		return nil, errDamaged
	}
	start := uint32(4)
	if at > 0 {
		start += d.ends[at-1]
	}
	return d.content[start:d.ends[at]], nil
}

// indexed reads values of a dictionary.
type indexed struct {
	dictionary *dictionary
	places     runs
}

func (i *indexed) next() (raw, error) {
	at, err := i.places.next()
	if err != nil {
		return raw{}, err
	}
	one, err := i.dictionary.value(at)
	return raw{bytes: one}, err
}

// truths reads truth values in runs.
type truths struct{ runs runs }

func (t *truths) next() (raw, error) {
	one, err := t.runs.next()
	return raw{number: int64(one), isSet: true}, err
}

// runs reads small numbers, repeated ones as a run, others packed into bits.
type runs struct {
	rest  []byte
	width int // in bits

	left   uint64 // in the run
	packed bool
	value  int
	bit    int
}

func newRuns(content []byte, width int) runs { return runs{rest: content, width: width} }

// widthOf returns how many bits numbers up to the largest take.
func widthOf(largest int) int { return bits.Len64(uint64(largest)) }

func (r *runs) next() (int, error) {
	for r.left == 0 {
		if r.width == 0 {
			return 0, nil
		}
		if r.packed {
			r.rest, r.packed, r.bit = r.rest[min((r.bit+7)/8, len(r.rest)):], false, 0
		}
		head, length := binary.Uvarint(r.rest)
		if length <= 0 {
			return 0, errDamaged
		}
		r.rest = r.rest[length:]
		if head&1 == 1 {
			r.packed, r.left = true, head>>1*8
			continue
		}
		r.left = head >> 1
		size := (r.width + 7) / 8
		if size > len(r.rest) {
			return 0, errDamaged
		}
		r.value = 0
		for i := range size {
			r.value |= int(r.rest[i]) << (8 * i)
		}
		r.rest = r.rest[size:]
	}
	r.left--
	if !r.packed {
		return r.value, nil
	}
	value, ok := bitsAt(r.rest, r.bit, r.width)
	r.bit += r.width
	if !ok {
		return 0, errDamaged
	}
	return int(value), nil
}

// bitsAt reads a number of bits, the lowest first.
func bitsAt(from []byte, bit, width int) (value uint64, ok bool) {
	if (bit+width+7)/8 > len(from) {
		return 0, false
	}
	for done := 0; done < width; {
		at := bit + done
		step := min(8-at%8, width-done)
		value |= uint64(from[at/8]>>(at%8)) & (1<<step - 1) << done
		done += step
	}
	return value, true
}

// levelsOf returns the levels of a page of version 1 up to a largest one, and what is behind them.
func levelsOf(content []byte, largest int, values, encoding int64) (runs, []byte, error) {
	if largest == 0 {
		return runs{}, content, nil
	}
	width := widthOf(largest)
	if encoding != encodingRuns { // packed from the highest bit, which nothing has written for years
		return runs{}, nil, ErrUnknown
	}
	if len(content) < 4 {
		return runs{}, nil, errDamaged
	}
	length := int64(binary.LittleEndian.Uint32(content))
	content = content[4:]
	if length > int64(len(content)) || values < 0 {
		return runs{}, nil, errDamaged
	}
	return newRuns(content[:length], width), content[length:], nil
}

// deltas reads integers as differences in blocks.
type deltas struct {
	rest                []byte
	inBlock, miniblocks uint64
	left                uint64
	last                int64
	narrow              bool

	first    bool
	least    int64
	widths   []byte
	inMini   uint64 // values left in the miniblock
	width    int
	bit      int
	consumed int // bytes of the miniblock
}

func newDeltas(content []byte, narrow bool) (*deltas, error) {
	t := thrift{rest: content} // its numbers are written like these
	result := &deltas{narrow: narrow, first: true}
	result.inBlock, result.miniblocks, result.left = t.unsigned(), t.unsigned(), t.unsigned()
	result.last = t.integer()
	result.rest = t.rest
	if t.err != nil || result.miniblocks == 0 || result.miniblocks > 1<<16 || result.inBlock > 1<<24 || result.inBlock/result.miniblocks == 0 || result.inBlock/result.miniblocks%8 != 0 {
		return nil, errDamaged
	}
	return result, nil
}

func (d *deltas) next() (raw, error) {
	one, err := d.number()
	return raw{number: one, isSet: true}, err
}

func (d *deltas) number() (int64, error) {
	if d.left == 0 {
		return 0, errDamaged
	}
	d.left--
	if d.first {
		d.first = false
		return d.last, nil
	}
	if d.inMini == 0 {
		if err := d.miniblock(); err != nil {
			return 0, err
		}
	}
	d.inMini--
	delta, ok := bitsAt(d.rest, d.bit, d.width)
	if !ok {
		return 0, errDamaged
	}
	d.bit += d.width
	d.last += d.least + int64(delta)
	if d.narrow {
		d.last = int64(int32(d.last))
	}
	return d.last, nil
}

// miniblock begins the next miniblock, and a block where one has ended.
func (d *deltas) miniblock() error {
	d.rest = d.rest[min(d.consumed, len(d.rest)):]
	if len(d.widths) == 0 {
		t := thrift{rest: d.rest}
		d.least = t.integer()
		if t.err != nil || uint64(len(t.rest)) < d.miniblocks {
			return errDamaged
		}
		d.widths, d.rest = t.rest[:d.miniblocks], t.rest[d.miniblocks:]
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return errDamaged
	}
	d.inMini, d.bit = d.inBlock/d.miniblocks, 0
	d.consumed = int(d.inMini) * d.width / 8
	return nil
}

// behind returns what is behind the numbers, by reading all of them.
func (d *deltas) behind(most int64) ([]byte, error) {
	if d.left > uint64(most) {
		return nil, errDamaged
	}
	for d.left > 0 {
		if _, err := d.number(); err != nil {
			return nil, err
		}
	}
	return d.rest[min(d.consumed, len(d.rest)):], nil
}

// deltaLengths reads texts whose lengths come first.
type deltaLengths struct {
	lengths *deltas
	rest    []byte
}

func newDeltaLengths(content []byte, count int64) (*deltaLengths, error) {
	lengths, err := newDeltas(content, true)
	if err != nil {
		return nil, err
	}
	all := *lengths
	rest, err := all.behind(min(count, valuesLimit))
	return &deltaLengths{lengths, rest}, err
}

func (d *deltaLengths) next() (raw, error) {
	length, err := d.lengths.number()
	if err != nil {
		return raw{}, err
	}
	if length < 0 || length > int64(len(d.rest)) {
		return raw{}, errDamaged
	}
	one := d.rest[:length]
	d.rest = d.rest[length:]
	return raw{bytes: one}, nil
}

// deltaBytes reads texts that begin as the one before does.
type deltaBytes struct {
	file     *File
	prefixes *deltas
	suffixes *deltaLengths
	last     []byte
}

func newDeltaBytes(file *File, content []byte, count int64) (*deltaBytes, error) {
	prefixes, err := newDeltas(content, true)
	if err != nil {
		return nil, err
	}
	all := *prefixes
	rest, err := all.behind(min(count, valuesLimit))
	if err != nil {
		return nil, err
	}
	suffixes, err := newDeltaLengths(rest, count)
	return &deltaBytes{file: file, prefixes: prefixes, suffixes: suffixes}, err
}

func (d *deltaBytes) next() (raw, error) {
	prefix, err := d.prefixes.number()
	if err != nil {
		return raw{}, err
	}
	suffix, err := d.suffixes.next()
	if err != nil {
		return raw{}, err
	}
	if prefix < 0 || prefix > int64(len(d.last)) {
		return raw{}, errDamaged
	}
	// Each text may be a little longer than the one before, so that few bytes are many.
	d.file.work.unpacked -= prefix
	if len(d.last) > 1<<20 || d.file.work.unpacked < 0 {
		return raw{}, bounded.ErrLimit
	}
	d.last = append(d.last[:prefix:prefix], suffix.bytes...)
	return raw{bytes: d.last}, nil
}
