package index

import (
	"encoding/binary"
	"errors"

	"github.com/google/uuid"
)

// texts are the parts of an entry with a variable size.
type texts struct {
	typed  []byte // the folded name with its punctuation, for parts of names
	name   []byte // the folded words of the name, joined with blanks
	record record
}

// textBlocks stores the texts of all entries in large blocks: as separate values they would be most of the garbage
// collector's work. A block is a sequence of texts: the ordinal of the entry in four bytes, the length, and the packed
// texts.
type textBlocks struct {
	blocks [][]byte // the last one is being filled; empty ones were freed
	unused []int    // bytes of replaced texts, by block
}

// location is where the texts of an entry are.
type location struct{ block, at uint32 }

// The size of the first block; each next one is twice as large, up to the maximum. Longer texts get their own block.
const (
	smallestTextBlock = 4 << 10
	largestTextBlock  = 1 << 20
)

// pack appends texts to a buffer: the lengths of typed and name, typed, name unless it is the same, and the record.
func (t texts) pack(buffer []byte) []byte {
	nameLength := uint64(len(t.name)) + 1
	if string(t.name) == string(t.typed) {
		nameLength = 0
	}
	buffer = binary.AppendUvarint(buffer, uint64(len(t.typed)))
	buffer = binary.AppendUvarint(buffer, nameLength)
	buffer = append(buffer, t.typed...)
	if nameLength > 0 {
		buffer = append(buffer, t.name...)
	}
	return append(buffer, t.record...)
}

var errTexts = errors.New("the texts of an entry are cut off")

// unpack returns texts that share memory with the packed ones.
func unpack(packed []byte) (texts, error) {
	typed, first := binary.Uvarint(packed)
	if first <= 0 {
		return texts{}, errTexts
	}
	name, second := binary.Uvarint(packed[first:])
	rest := packed[first+max(second, 0):]
	if second <= 0 || typed > uint64(len(rest)) || max(name, 1)-1 > uint64(len(rest))-typed {
		return texts{}, errTexts
	}
	t := texts{typed: rest[:typed]}
	t.name, rest = t.typed, rest[typed:]
	if name > 0 {
		t.name, rest = rest[:name-1], rest[name-1:]
	}
	t.record = rest
	return t, nil
}

func (b *textBlocks) put(ordinal uint32, packed []byte) location {
	last := len(b.blocks) - 1
	length := 4 + binary.MaxVarintLen32 + len(packed)
	if last < 0 || len(b.blocks[last])+length > cap(b.blocks[last]) {
		size := smallestTextBlock
		if last >= 0 {
			size = min(2*max(cap(b.blocks[last]), size), largestTextBlock)
		}
		b.blocks = append(b.blocks, make([]byte, 0, max(size, length)))
		b.unused = append(b.unused, 0)
		last++
	}
	at := location{uint32(last), uint32(len(b.blocks[last]))}
	block := binary.LittleEndian.AppendUint32(b.blocks[last], ordinal)
	block = binary.AppendUvarint(block, uint64(len(packed)))
	b.blocks[last] = append(block, packed...)
	return at
}

// at returns the texts at a location, and where the next ones begin.
func (b *textBlocks) at(where location) (ordinal uint32, packed []byte, next uint32) {
	block := b.blocks[where.block][where.at:]
	length, used := binary.Uvarint(block[4:])
	begin := 4 + uint32(used)
	end := begin + uint32(length)
	return binary.LittleEndian.Uint32(block), block[begin:end], where.at + end
}

func (ix *Index) textsOf(d *document) texts {
	_, packed, _ := ix.texts.at(d.location)
	found, err := unpack(packed)
	if err != nil {
		panic(err) // they were checked before they were stored
	}
	return found
}

// dropTexts removes the texts at a location that no entry uses anymore. If most of a block is unused, its remaining
// texts move to the end and the block is freed.
func (ix *Index) dropTexts(where location) {
	b := &ix.texts
	_, _, next := b.at(where)
	b.unused[where.block] += int(next - where.at)
	if b.unused[where.block] <= len(b.blocks[where.block])/2 || int(where.block) == len(b.blocks)-1 {
		return
	}
	for from := (location{where.block, 0}); int(from.at) < len(b.blocks[where.block]); {
		ordinal, packed, next := b.at(from)
		if d := &ix.documents[ordinal]; d.location == from && d.id != uuid.Nil {
			d.location = b.put(ordinal, packed)
		}
		from.at = next
	}
	b.blocks[where.block], b.unused[where.block] = nil, 0
}
