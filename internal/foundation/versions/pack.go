package versions

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
)

const (
	packMost    = 16 << 20
	bufferBytes = 1 << 20
	openMost    = 16 // packs that are kept open for reading
)

// key is the beginning of a digest: enough to find a chunk. What is found is compared with the whole digest.
type key [16]byte

func keyOf(sum digest) key { return key(sum[:16]) }

// place is where a chunk is.
type place struct{ pack, at, length uint32 } // length of the record

// packed is a chunk of a pack.
type packed struct {
	key        key
	at, length uint32
}

// pack is a file of chunks, appended to until it has packMost bytes.
type pack struct {
	number     uint32
	file       file     // nil: closed
	length     int64    // with what is in memory
	written    int64    // without
	synced     int64    // what a crash leaves
	packed     []packed // until its index is written
	indexBytes int64    // of its index; 0: it has none
	used       int64    // when it was last read, as a count
}

func packName(number uint32) string  { return fmt.Sprintf("%08d.pack", number) }
func indexName(number uint32) string { return fmt.Sprintf("%08d.index", number) }

// numberOf returns the number in the name of a pack or index.
func numberOf(name, ending string) (uint32, bool) {
	text, found := strings.CutSuffix(name, ending)
	if !found || len(text) < 8 {
		return 0, false
	}
	number, err := strconv.ParseUint(text, 10, 32)
	return uint32(number), err == nil
}

const packedBytes = 24

// encodeIndex writes the chunks of a pack: a mark, the length of the pack, key, place and length of each, and a checksum.
func encodeIndex(length int64, chunks []packed) []byte {
	text := make([]byte, 0, 16+packedBytes*len(chunks))
	text = append(text, "cvi1"...)
	text = binary.LittleEndian.AppendUint64(text, uint64(length))
	for _, one := range chunks {
		text = append(text, one.key[:]...)
		text = binary.LittleEndian.AppendUint32(text, one.at)
		text = binary.LittleEndian.AppendUint32(text, one.length)
	}
	return binary.LittleEndian.AppendUint32(text, crc32.Checksum(text, castagnoli))
}

// decodeIndex reads what encodeIndex wrote about a pack of this length.
func decodeIndex(text []byte, length int64) ([]packed, bool) {
	end := len(text) - 4
	if end < 12 || (end-12)%packedBytes != 0 || !bytes.Equal(text[:4], []byte("cvi1")) ||
		binary.LittleEndian.Uint32(text[end:]) != crc32.Checksum(text[:end], castagnoli) ||
		binary.LittleEndian.Uint64(text[4:]) != uint64(length) {
		return nil, false
	}
	chunks := make([]packed, 0, (end-12)/packedBytes)
	for at := 12; at < end; at += packedBytes {
		one := packed{key(text[at : at+16]), binary.LittleEndian.Uint32(text[at+16:]), binary.LittleEndian.Uint32(text[at+20:])}
		if int64(one.at)+int64(one.length) > length {
			return nil, false
		}
		chunks = append(chunks, one)
	}
	return chunks, true
}

// has reports whether a chunk is stored, or will be with the next commit.
func (s *storeState) has(sum digest) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, found := s.index[keyOf(sum)]
	return found
}

// append adds a record that appendRecord made, unless its chunk is there by now. It is on the disk after commit.
func (s *storeState) append(sum digest, text []byte) (added int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, found := s.index[keyOf(sum)]; found {
		return 0, nil
	}
	return s.add(keyOf(sum), text)
}

// add stores a text under its name in the open pack. s.mu must be held.
func (s *storeState) add(name key, text []byte) (int64, error) {
	if s.closed {
		return 0, ErrClosed
	}
	if s.current != nil && s.current.length+int64(len(text)) > packMost {
		if err := s.flush(); err != nil {
			return 0, err
		}
		s.current = nil
	}
	if s.current == nil {
		s.lastPack++
		created, err := s.disk.Create(packName(s.lastPack))
		if err != nil {
			return 0, s.rollBack(err)
		}
		s.current = &pack{number: s.lastPack, file: created}
		s.packs[s.lastPack] = s.current
		s.unsynced[s.current] = true
		s.newNames = true
	}
	at := uint32(s.current.length)
	s.index[name] = place{s.current.number, at, uint32(len(text))}
	s.current.packed = append(s.current.packed, packed{name, at, uint32(len(text))})
	s.current.length += int64(len(text))
	s.bytes += int64(len(text))
	s.unsynced[s.current] = true
	s.buffer = append(s.buffer, text...)
	if len(s.buffer) >= bufferBytes {
		return int64(len(text)), s.flush()
	}
	return int64(len(text)), nil
}

// flush writes what is in memory, without waiting for the disk. s.mu must be held.
func (s *storeState) flush() error {
	if len(s.buffer) == 0 {
		return nil
	}
	if _, err := s.current.file.WriteAt(s.buffer, s.current.written); err != nil {
		return s.rollBack(err)
	}
	s.current.written += int64(len(s.buffer))
	s.buffer = s.buffer[:0]
	return nil
}

// rollBack forgets everything that isn't surely on the disk, after a write failed; each Save under way fails too, because it
// may need some of that. s.mu must be held.
func (s *storeState) rollBack(why error) error {
	s.failures++
	s.failure = explain(why)
	s.buffer = s.buffer[:0]
	for one := range s.unsynced {
		kept := one.packed[:0]
		for _, chunk := range one.packed {
			if int64(chunk.at)+int64(chunk.length) <= one.synced {
				kept = append(kept, chunk)
			} else if s.index[chunk.key].pack == one.number {
				delete(s.index, chunk.key)
			}
		}
		s.bytes -= one.length - one.synced
		one.packed, one.length, one.written = kept, one.synced, one.synced
		_ = one.file.Truncate(one.synced) // if it fails, the next records are written over it
		if one.synced == 0 {
			_ = one.file.Close()
			_ = s.disk.Remove(packName(one.number))
			delete(s.packs, one.number)
			if s.current == one {
				s.current = nil
			}
		}
	}
	clear(s.unsynced)
	return s.failure
}

// commit waits until everything that was appended is on the disk.
func (s *storeState) commit() error {
	s.committing.Lock()
	defer s.committing.Unlock()
	return s.sync()
}

// sync requires committing.
func (s *storeState) sync() error {
	s.mu.Lock()
	err := s.flush()
	failures := s.failures
	waiting := map[*pack]int64{}
	for one := range s.unsynced {
		waiting[one] = one.written
	}
	newNames := s.newNames
	s.mu.Unlock()
	if err != nil || len(waiting) == 0 {
		return err
	}
	for one := range waiting {
		err = errors.Join(err, one.file.Sync())
	}
	if newNames && err == nil {
		err = s.disk.Sync()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		return s.rollBack(err)
	case failures != s.failures:
		return s.failure
	}
	s.newNames = false
	for one, length := range waiting {
		one.synced = length
		if one.length == length {
			delete(s.unsynced, one)
		}
		if one != s.current && one.length == length {
			s.writeIndex(one)
		}
	}
	return nil
}

// writeIndex writes the index of a pack. An index only saves time: writing may fail, and one that a crash tore has a wrong
// checksum. s.mu must be held.
func (s *storeState) writeIndex(one *pack) {
	text := encodeIndex(one.length, one.packed)
	name := indexName(one.number)
	created, err := s.disk.Create(name + ".new")
	if err != nil {
		return
	}
	_, err = created.WriteAt(text, 0)
	if err = errors.Join(err, created.Close()); err == nil {
		err = s.disk.Rename(name+".new", name)
	}
	if err != nil {
		_ = s.disk.Remove(name + ".new")
		return
	}
	one.packed, one.indexBytes = nil, int64(len(text))
	s.bytes += int64(len(text))
}

// window is a part of a pack in memory, for somebody who reads one chunk after the other.
type window struct {
	pack  uint32
	begin int64
	text  []byte
}

const windowBytes = 256 << 10

// holds reports whether a chunk is in the window, and near whether it is soon after it.
func (w *window) holds(found place) (holds, near bool) {
	if w == nil || w.pack != found.pack {
		return false, false
	}
	at, end := int64(found.at)-w.begin, int64(len(w.text))
	return at >= 0 && at+int64(found.length) <= end, at >= 0 && at <= end+windowBytes
}

// read returns the record of a chunk, compared with its checksum. It is good until the window is used again; nil: none.
func (s *storeState) read(sum digest, near *window) (record, []byte, error) {
	for {
		s.mu.RLock()
		found, there := s.index[keyOf(sum)]
		if !there {
			s.mu.RUnlock()
			return record{}, nil, fmt.Errorf("%w: a chunk is missing", ErrDamaged)
		}
		one := s.packs[found.pack]
		if one.file == nil {
			s.mu.RUnlock()
			if err := s.openPack(found.pack); err != nil {
				return record{}, nil, err
			}
			continue
		}
		text, err := s.readText(one, found, near)
		s.mu.RUnlock()
		if err != nil {
			return record{}, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		header, body, err := parseRecord(text)
		if err != nil || header.digest != sum {
			return record{}, nil, fmt.Errorf("%w: a chunk isn't what was written", ErrDamaged)
		}
		return header, body, nil
	}
}

// readText reads a text from its pack. s.mu must be held for reading.
func (s *storeState) readText(one *pack, found place, near *window) ([]byte, error) {
	begin := int64(found.at)
	if begin >= one.written {
		from := begin - one.written
		return slices.Clone(s.buffer[from : from+int64(found.length)]), nil
	}
	holds, soon := near.holds(found)
	if near == nil || !holds && !soon {
		if near != nil { // whether the next one is near decides
			near.pack, near.begin, near.text = found.pack, begin, near.text[:0]
		}
		text := make([]byte, found.length)
		_, err := one.file.ReadAt(text, begin)
		return text, err
	}
	if !holds {
		near.begin = begin
		near.text = slices.Grow(near.text[:0], windowBytes)[:min(windowBytes, one.written-begin)]
		if _, err := one.file.ReadAt(near.text, begin); err != nil {
			near.text = near.text[:0]
			return nil, err
		}
	}
	at := begin - near.begin
	return near.text[at : at+int64(found.length)], nil
}

// chunk returns the content of a chunk, compared with its digest.
func (s *storeState) chunk(sum digest) ([]byte, error) {
	header, body, err := s.read(sum, nil)
	if err != nil {
		return nil, err
	}
	return header.content(body)
}

// openPack opens a pack for reading, and closes one that wasn't read for long.
func (s *storeState) openPack(number uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.packs[number]
	if s.closed {
		return ErrClosed
	}
	if one == nil || one.file != nil {
		return nil
	}
	opened, _, err := s.disk.Open(packName(number))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	s.opened++
	one.file, one.used = opened, s.opened
	var open []*pack
	for _, other := range s.packs {
		if other.file != nil && other != s.current && !s.unsynced[other] {
			open = append(open, other)
		}
	}
	if len(open) > openMost {
		oldest := slices.MinFunc(open, func(a, b *pack) int { return int(a.used - b.used) })
		_ = oldest.file.Close()
		oldest.file = nil
	}
	return nil
}
